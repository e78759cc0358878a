//! crossbeam-epoch.

use crossbeam_epoch::{Atomic, Owned, pin};
use std::sync::atomic::Ordering::SeqCst;
use std::thread::scope;

#[test]
fn a_swap_beside_a_load() {
    let value = Atomic::new(1);
    scope(|s| {
        s.spawn(|| {
            let guard = pin();
            let old = value.swap(Owned::new(2), SeqCst, &guard);
            // SAFETY: nobody finds it any more.
            unsafe { guard.defer_destroy(old) };
        });
        let guard = pin();
        // SAFETY: it is never null, and lives while this thread is pinned.
        assert!(unsafe { *value.load(SeqCst, &guard).deref() } < 3);
    });
    // SAFETY: nobody else has it.
    drop(unsafe { value.into_owned() });
}
