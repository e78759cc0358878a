//! crossbeam-channel.

use crossbeam_channel::{bounded, unbounded};
use std::thread;

/// Each message arrives once, and in the order of its sender.
#[test]
fn right_messages_arrive_in_order() {
    let (sender, receiver) = bounded(1);
    let other = thread::spawn(move || (1..=2).for_each(|n| sender.send(n).unwrap()));
    assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2]);
    other.join().unwrap();
}

/// The receiver may be gone before the second message: that is no reason to panic.
#[test]
fn wrong_the_receiver_is_taken_to_stay() {
    let (sender, receiver) = unbounded();
    let other = thread::spawn(move || receiver.recv().unwrap());
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    assert_eq!(other.join().unwrap(), 1);
}
