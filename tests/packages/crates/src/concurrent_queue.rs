//! concurrent-queue.

use concurrent_queue::ConcurrentQueue;
use std::thread;

/// A closed queue still gives what was pushed before.
#[test]
fn right_what_was_pushed_is_popped() {
    let queue = ConcurrentQueue::bounded(2);
    let pushed = thread::scope(|s| {
        let pushing = s.spawn(|| queue.push(1).is_ok());
        queue.close();
        pushing.join().unwrap()
    });
    assert_eq!(queue.pop().is_ok(), pushed);
}

/// Somebody else may pop between the question and the answer.
#[test]
fn wrong_is_empty_then_pop() {
    let queue = ConcurrentQueue::unbounded();
    queue.push(1).unwrap();
    let take = || {
        if !queue.is_empty() {
            queue.pop().unwrap();
        }
    };
    thread::scope(|s| {
        s.spawn(take);
        s.spawn(take);
    });
}
