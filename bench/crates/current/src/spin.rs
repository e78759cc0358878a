//! spin.

use spin::{Mutex, Once, RwLock};
use std::thread::scope;

#[test]
fn two_threads_add_under_a_mutex() {
    let value = Mutex::new(0);
    scope(|s| (0..2).for_each(|_| drop(s.spawn(|| *value.lock() += 1))));
    assert_eq!(value.into_inner(), 2);
}

#[test]
fn a_writer_beside_a_reader() {
    let value = RwLock::new(0);
    scope(|s| {
        s.spawn(|| *value.write() += 1);
        assert!(*value.read() < 2);
    });
}

#[test]
fn once_gives_both_the_same() {
    let once = Once::new();
    scope(|s| {
        let threads = [1, 2].map(|n| {
            s.spawn({
                let once = &once;
                move || *once.call_once(|| n)
            })
        });
        let [a, b] = threads.map(|t| t.join().unwrap());
        assert_eq!(a, b);
    });
}
