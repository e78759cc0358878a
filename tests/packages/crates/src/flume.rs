//! flume.

use std::thread;

/// A rendezvous channel hands each message over.
#[test]
fn right_a_rendezvous() {
    let (sender, receiver) = flume::bounded(0);
    let other = thread::spawn(move || sender.send(1));
    assert_eq!(receiver.recv(), Ok(1));
    other.join().unwrap().unwrap();
}

/// What was not sent yet is not there: `try_recv` waits for nobody.
#[test]
fn wrong_try_recv_is_taken_to_wait() {
    let (sender, receiver) = flume::unbounded();
    let early = receiver.clone();
    let other = thread::spawn(move || early.try_recv());
    sender.send(1).unwrap();
    assert_eq!(other.join().unwrap(), Ok(1));
}
