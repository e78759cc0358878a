//! Unsafe code, so that what std does to memory may race.

use std::sync::Mutex;

static LOCK: Mutex<()> = Mutex::new(());
static mut N: u32 = 0;

#[test]
fn std_accesses() {
    let _guard = LOCK.lock().unwrap();
    unsafe { N += 1 };
}
