//! A thread-local of std's.

use std::cell::Cell;

thread_local!(static LOCAL: Cell<u32> = const { Cell::new(0) });

#[test]
fn thread_keys_not() {
    LOCAL.set(1);
}
