//! crossbeam-deque.

use crossbeam_deque::{Injector, Steal, Worker};
use std::thread::scope;

#[test]
fn a_pop_beside_a_steal() {
    let worker = Worker::new_fifo();
    worker.push(1);
    let stealer = worker.stealer();
    let stolen = scope(|s| {
        let thief = s.spawn(move || matches!(stealer.steal(), Steal::Success(1)));
        let popped = worker.pop().is_some();
        (thief.join().unwrap(), popped)
    });
    assert!(!(stolen.0 && stolen.1));
}

#[test]
fn two_threads_push_into_an_injector() {
    let injector = Injector::new();
    scope(|s| {
        (0..2).for_each(|n| {
            drop(s.spawn({
                let injector = &injector;
                move || injector.push(n)
            }))
        })
    });
    assert_eq!(injector.len(), 2);
}
