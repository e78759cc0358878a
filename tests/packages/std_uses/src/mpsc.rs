//! `mpsc`.

use crate::seen;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError, TrySendError, channel, sync_channel};
use std::thread;
use std::time::Duration;

#[test]
fn right() {
    let (sender, receiver) = channel();
    thread::scope(|s| {
        let other = sender.clone();
        s.spawn(move || other.send(1).unwrap());
        s.spawn(move || sender.send(2).unwrap());
        assert_eq!(receiver.iter().sum::<u32>(), 3);
    });
}

#[test]
fn right_rendezvous() {
    let (sender, receiver) = sync_channel(0);
    thread::scope(|s| {
        s.spawn(move || sender.send(1).unwrap());
        assert_eq!(receiver.recv(), Ok(1));
        assert!(receiver.recv().is_err());
    });
}

/// The receiver may be gone.
#[test]
fn wrong_disconnect_race() {
    let (sender, receiver) = channel();
    thread::scope(|s| {
        s.spawn(move || drop(receiver.try_recv()));
        sender.send(1).unwrap();
    });
}

/// The loop ends when the last sender is gone, and one of them is here.
#[test]
fn wrong_sender_kept() {
    let (sender, receiver) = channel();
    thread::scope(|s| {
        let other = sender.clone();
        s.spawn(move || other.send(1).unwrap());
        assert_eq!(receiver.iter().sum::<u32>(), 1);
    });
    drop(sender);
}

/// Each waits for room in the other's channel.
#[test]
fn wrong_both_full() {
    let ((one, ones), (other, others)) = (sync_channel(1), sync_channel(1));
    thread::scope(|s| {
        s.spawn(move || {
            for n in 0..2 {
                one.send(n).unwrap();
            }
            assert_eq!(others.iter().count(), 2);
        });
        for n in 0..2 {
            other.send(n).unwrap();
        }
        drop(other);
        assert_eq!(ones.iter().count(), 2);
    });
}

#[test]
fn wrong_timeout_fires_first() {
    let (sender, receiver) = channel();
    thread::scope(|s| {
        s.spawn(move || sender.send(1).unwrap());
        assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(1));
    });
}

#[test]
fn try_recv_outcomes() {
    let (sender, receiver) = channel();
    thread::scope(|s| {
        s.spawn(move || sender.send(1).unwrap());
        match (receiver.try_recv(), receiver.try_recv()) {
            (Ok(_), Ok(_)) => seen("what cannot be"),
            (Ok(_), Err(TryRecvError::Empty)) => seen("a message, then nothing"),
            (Ok(_), Err(TryRecvError::Disconnected)) => seen("a message, then the end"),
            (Err(TryRecvError::Empty), Ok(_)) => seen("nothing, then a message"),
            (Err(TryRecvError::Empty), Err(TryRecvError::Empty)) => seen("nothing"),
            (Err(TryRecvError::Empty), Err(_)) => seen("the end without a message"),
            (Err(TryRecvError::Disconnected), _) => seen("the end at once"),
        }
    });
}

#[test]
fn recv_timeout_outcomes() {
    let (sender, receiver) = channel::<u32>();
    thread::scope(|s| {
        s.spawn(move || drop(sender));
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok(_) => seen("a message"),
            Err(RecvTimeoutError::Timeout) => seen("the end of the time"),
            Err(RecvTimeoutError::Disconnected) => seen("the end of the senders"),
        }
    });
}

#[test]
fn try_send_outcomes() {
    let (sender, receiver) = sync_channel(1);
    sender.send(0).unwrap();
    thread::scope(|s| {
        s.spawn(move || receiver.recv().unwrap());
        match sender.try_send(1) {
            Ok(()) => seen("room"),
            Err(TrySendError::Full(_)) => seen("full"),
            Err(TrySendError::Disconnected(_)) => seen("the receiver is gone"),
        }
    });
}
