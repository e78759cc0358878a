//! crossbeam-queue.

use crossbeam_queue::{ArrayQueue, SegQueue};
use std::thread;

/// Two pushes at once: both are there afterwards.
#[test]
fn right_nothing_is_lost() {
    let queue = ArrayQueue::new(2);
    thread::scope(|s| {
        s.spawn(|| queue.push(1).unwrap());
        s.spawn(|| queue.push(2).unwrap());
    });
    let mut both = [queue.pop().unwrap(), queue.pop().unwrap()];
    both.sort();
    assert_eq!(both, [1, 2]);
}

/// Somebody else may take the last one between the question and the answer.
#[test]
fn wrong_len_then_pop() {
    let queue = SegQueue::new();
    queue.push(1);
    let take = || {
        if queue.len() > 0 {
            queue.pop().unwrap();
        }
    };
    thread::scope(|s| {
        s.spawn(take);
        s.spawn(take);
    });
}
