//! crossbeam-deque.

use crossbeam_deque::{Steal, Worker};
use std::thread;

/// What the owner pops and what the thief steals is together what was pushed.
#[test]
fn right_each_task_is_taken_once() {
    let worker = Worker::new_lifo();
    worker.push(1);
    worker.push(2);
    let stealer = worker.stealer();
    let thief = thread::spawn(move || match stealer.steal() {
        Steal::Success(n) => n,
        Steal::Empty | Steal::Retry => 0,
    });
    let mut sum = 0;
    while let Some(n) = worker.pop() {
        sum += n;
    }
    assert_eq!(sum + thief.join().unwrap(), 3);
}

/// A steal may come to nothing because the owner was first, or ask to be tried again.
#[test]
fn wrong_a_steal_succeeds() {
    let worker = Worker::new_fifo();
    worker.push(1);
    let stealer = worker.stealer();
    let owner = thread::spawn(move || worker.pop());
    assert_eq!(stealer.steal().success(), Some(1));
    assert_eq!(owner.join().unwrap(), None);
}
