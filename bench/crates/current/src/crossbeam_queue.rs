//! crossbeam-queue.

use crossbeam_queue::{ArrayQueue, SegQueue};
use std::thread::scope;

#[test]
fn two_threads_push_into_an_array_queue() {
    let queue = ArrayQueue::new(2);
    scope(|s| {
        (0..2).for_each(|n| {
            drop(s.spawn({
                let queue = &queue;
                move || queue.push(n).unwrap()
            }))
        })
    });
    assert_eq!(queue.pop().unwrap() + queue.pop().unwrap(), 1);
}

#[test]
fn a_push_beside_a_pop_of_a_seg_queue() {
    let queue = SegQueue::new();
    scope(|s| {
        s.spawn(|| queue.push(1));
        assert!(queue.pop().is_none_or(|n| n == 1));
    });
}

#[test]
fn wrong_a_pop_that_expects_a_push() {
    let queue = ArrayQueue::new(1);
    scope(|s| {
        s.spawn(|| queue.push(1).unwrap());
        assert_eq!(queue.pop(), Some(1));
    });
}
