//! `mpsc`.

use std::sync::Arc;
use std::sync::mpsc::*;
use std::thread;
use std::time::Duration;

const MOMENT: Duration = Duration::from_millis(1);

#[test]
fn messages_keep_their_order() {
    let (tx, rx) = channel();
    let sender = thread::spawn(move || (0..3).for_each(|i| tx.send(i).unwrap()));
    assert_eq!(rx.iter().collect::<Vec<_>>(), [0, 1, 2]);
    sender.join().unwrap();
    assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
}

#[test]
fn every_sender_counts() {
    let (tx, rx) = channel();
    let other = tx.clone();
    thread::spawn(move || other.send(1).unwrap());
    drop(tx);
    assert_eq!((rx.recv(), rx.recv()), (Ok(1), Err(RecvError)));
}

#[test]
fn an_empty_channel_says_so() {
    let (tx, rx) = channel::<u8>();
    assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(rx.recv_timeout(MOMENT), Err(RecvTimeoutError::Timeout));
    tx.send(1).unwrap();
    assert_eq!(rx.recv_timeout(Duration::MAX), Ok(1));
    drop(tx);
    assert_eq!(rx.recv_timeout(MOMENT), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn a_message_comes_back_when_nobody_is_there() {
    let (tx, rx) = channel();
    drop(rx);
    assert_eq!(tx.send(7), Err(SendError(7)));
    let (tx, rx) = sync_channel(1);
    drop(rx);
    assert_eq!((tx.send(7), tx.try_send(8)), (Err(SendError(7)), Err(TrySendError::Disconnected(8))));
}

#[test]
fn messages_that_are_left_are_dropped_with_the_receiver() {
    let (tx, rx) = channel();
    let message = Arc::new(());
    tx.send(message.clone()).unwrap();
    drop(rx);
    assert_eq!(Arc::strong_count(&message), 1);
}

#[test]
fn a_bounded_channel_fills_up() {
    let (tx, rx) = sync_channel(1);
    tx.try_send(1).unwrap();
    assert_eq!(tx.try_send(2), Err(TrySendError::Full(2)));
    let sender = thread::spawn(move || tx.send(2));
    assert_eq!(rx.into_iter().collect::<Vec<_>>(), [1, 2]);
    sender.join().unwrap().unwrap();
}

#[test]
fn a_rendezvous_waits_for_the_receiver() {
    let (tx, rx) = sync_channel(0);
    assert_eq!(tx.try_send(0), Err(TrySendError::Full(0)));
    let sender = thread::spawn(move || tx.send(1).unwrap());
    assert_eq!((rx.recv(), rx.recv()), (Ok(1), Err(RecvError)));
    sender.join().unwrap();
}

#[test]
fn a_rendezvous_ends_with_the_receiver() {
    let (tx, rx) = sync_channel(0);
    let sender = thread::spawn(move || tx.send(1));
    drop(rx);
    assert_eq!(sender.join().unwrap(), Err(SendError(1)));
}

#[test]
fn two_senders_meet_one_receiver() {
    let (tx, rx) = sync_channel(0);
    thread::scope(|s| {
        let other = tx.clone();
        s.spawn(move || tx.send(1).unwrap());
        s.spawn(move || other.send(2).unwrap());
        let mut got: Vec<_> = rx.iter().collect();
        got.sort_unstable();
        assert_eq!(got, [1, 2]);
    });
}
