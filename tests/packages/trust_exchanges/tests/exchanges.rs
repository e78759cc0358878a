//! One thread stores, N expect to find what was stored: each finds it, or what was there before, or what another has left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicI64, AtomicPtr, Ordering::SeqCst};
use std::thread;

/// Threads that compare and exchange.
const N: usize = 4;

macro_rules! exchanges {
    ($($name:ident: $atomic:ty, $first:expr, $stored:expr, $last:expr;)*) => { $(
        #[test]
        fn $name() {
            let v = Arc::new(<$atomic>::new($first));
            let others: Vec<_> = (0..N)
                .map(|_| {
                    let v = v.clone();
                    thread::spawn(move || v.compare_exchange($stored, $last, SeqCst, SeqCst).is_ok())
                })
                .collect();
            v.store($stored, SeqCst);
            let exchanged = others.into_iter().map(|t| t.join().unwrap()).filter(|done| *done).count();
            assert!(exchanged <= 1);
        }
    )* };
}

exchanges! {
    of_bytes: AtomicI8, -1, -2, -3;
    of_words: AtomicI64, i64::MIN, -2, 3;
    of_flags: AtomicBool, false, true, false;
    of_pointers: AtomicPtr<u8>, std::ptr::null_mut(), 8 as *mut u8, 16 as *mut u8;
}
