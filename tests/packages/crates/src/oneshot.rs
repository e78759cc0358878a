//! oneshot 0.1.13, in which a receiver that was polled and is dropped while the other side sends gives the channel back
//! under its hands (issue 87 there).

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};
use std::thread;

#[test]
fn right_what_was_sent_is_received() {
    let (sender, receiver) = oneshot::channel::<u32>();
    let sending = thread::spawn(move || sender.send(7));
    assert_eq!(receiver.recv(), Ok(7));
    sending.join().unwrap().unwrap();
}

#[test]
fn wrong_dropped_while_the_other_side_sends() {
    let (sender, receiver) = oneshot::channel::<u32>();
    let receiving = thread::spawn(move || {
        let _ = pin!(receiver).poll(&mut Context::from_waker(Waker::noop()));
    });
    let _ = sender.send(7);
    receiving.join().unwrap();
}
