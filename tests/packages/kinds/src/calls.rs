//! One call of a library asks, another one goes by the answer.
use crossbeam_queue::{ArrayQueue, SegQueue};
use std::thread;

#[test]
fn asks_then_pops() {
    let queue = SegQueue::new();
    queue.push(1);
    let take = || {
        // asks
        if !queue.is_empty() {
            queue.pop().unwrap(); // pops
        }
    };
    thread::scope(|s| {
        s.spawn(take);
        s.spawn(take);
    });
}

#[test]
fn asks_then_pushes() {
    let queue = ArrayQueue::new(1);
    let put = || {
        if queue.is_full() {
            return; // full
        }
        queue.push(1).unwrap(); // pushes
    };
    thread::scope(|s| {
        s.spawn(put);
        s.spawn(put);
    });
}

#[test]
fn goes_by_what_it_returns() {
    let queue = ArrayQueue::new(1);
    let put = || drop(queue.push(1));
    thread::scope(|s| {
        s.spawn(put);
        s.spawn(put);
    });
    assert_eq!(queue.pop(), Some(1));
}
