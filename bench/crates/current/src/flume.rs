//! flume.

use std::thread::{scope, spawn};

#[test]
fn one_send_and_one_receive() {
    let (tx, rx) = flume::unbounded();
    let thread = spawn(move || tx.send(1).unwrap());
    assert_eq!(rx.recv(), Ok(1));
    thread.join().unwrap();
}

#[test]
fn two_messages_through_room_for_one() {
    let (tx, rx) = flume::bounded(1);
    let thread = spawn(move || (0..2).for_each(|n| tx.send(n).unwrap()));
    assert_eq!(rx.iter().sum::<i32>(), 1);
    thread.join().unwrap();
}

#[test]
fn two_threads_send() {
    let (tx, rx) = flume::unbounded();
    scope(|s| {
        (0..2).for_each(|n| {
            drop(s.spawn({
                let tx = &tx;
                move || tx.send(n).unwrap()
            }))
        })
    });
    assert_eq!(rx.drain().sum::<i32>(), 1);
}
