//! crossbeam-channel.

use crossbeam_channel::{bounded, select, unbounded};
use std::thread::{scope, sleep, spawn};
use std::time::Duration;

#[test]
fn one_send_and_one_receive_without_a_bound() {
    let (tx, rx) = unbounded();
    let thread = spawn(move || tx.send(1).unwrap());
    assert_eq!(rx.recv(), Ok(1));
    thread.join().unwrap();
}

#[test]
fn two_threads_try_to_receive_one_message() {
    let (tx, rx) = bounded(2);
    tx.send(1).unwrap();
    let got = scope(|s| {
        let threads = [(); 2].map(|()| s.spawn(|| rx.try_recv().is_ok()));
        threads.map(|t| t.join().unwrap())
    });
    assert_eq!(got.iter().filter(|got| **got).count(), 1);
}

#[test]
fn two_messages_through_room_for_one() {
    let (tx, rx) = bounded(1);
    let thread = spawn(move || (0..2).for_each(|n| tx.send(n).unwrap()));
    assert_eq!(rx.iter().sum::<i32>(), 1);
    thread.join().unwrap();
}

#[test]
fn tries_to_send_and_sleeps() {
    let (tx, rx) = bounded(1);
    let thread = spawn(move || {
        while tx.try_send(1).is_err() {
            sleep(Duration::from_millis(1));
        }
    });
    sleep(Duration::from_millis(1));
    assert_eq!(rx.recv(), Ok(1));
    thread.join().unwrap();
}

#[test]
fn a_rendezvous() {
    let (tx, rx) = bounded(0);
    let thread = spawn(move || tx.send(1).unwrap());
    assert_eq!(rx.recv(), Ok(1));
    thread.join().unwrap();
}

#[test]
fn selects_the_one_that_is_sent_to() {
    let ((tx, rx), (_other, never)) = (bounded(1), bounded::<i32>(1));
    let thread = spawn(move || tx.send(1).unwrap());
    select! {
        recv(rx) -> n => assert_eq!(n, Ok(1)),
        recv(never) -> _ => unreachable!(),
    }
    thread.join().unwrap();
}

#[test]
fn wrong_a_receiver_of_more_than_is_sent() {
    let (tx, rx) = bounded(1);
    let kept = tx.clone();
    let thread = spawn(move || tx.send(1).unwrap());
    assert_eq!((rx.recv(), rx.recv().is_err()), (Ok(1), true));
    thread.join().unwrap();
    drop(kept);
}
