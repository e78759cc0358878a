//! No unsafe code, beside programs that have some.

use std::sync::Mutex;

#[test]
fn std_accesses_not() {
    *Mutex::new(0).lock().unwrap() += 1;
}
