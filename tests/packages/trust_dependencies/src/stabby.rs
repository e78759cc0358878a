//! stabby-abi 72.1.1: counts go down without an order, so the last owner frees what another one still reads (pull request 139
//! there).

use stabby_abi::alloc::allocators::RustAlloc;
use stabby_abi::alloc::sync::Arc;
use std::thread;

#[test]
fn read_before_the_last_drop() {
    let kept: Arc<u64, RustAlloc> = Arc::new_in(7, RustAlloc::new());
    let given = kept.clone();
    let reading = thread::spawn(move || assert_eq!(*given, 7));
    drop(kept);
    reading.join().unwrap();
}
