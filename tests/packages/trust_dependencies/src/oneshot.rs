//! oneshot 0.1.11: a receiver that was polled and is dropped takes its waker down while the sender reads it
//! (RUSTSEC-2026-0005).

use ::oneshot::channel;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::thread;

#[test]
fn dropped_after_a_poll_while_the_sender_sends() {
    let (sender, mut receiver) = channel::<Box<u32>>();
    let _ = Pin::new(&mut receiver).poll(&mut Context::from_waker(Waker::noop()));
    let sending = thread::spawn(move || drop(sender.send(Box::new(1))));
    drop(receiver);
    sending.join().unwrap();
}

#[test]
fn dropped_after_a_poll_while_the_sender_is_dropped() {
    let (sender, mut receiver) = channel::<Box<u32>>();
    let _ = Pin::new(&mut receiver).poll(&mut Context::from_waker(Waker::noop()));
    let dropping = thread::spawn(move || drop(sender));
    drop(receiver);
    dropping.join().unwrap();
}
