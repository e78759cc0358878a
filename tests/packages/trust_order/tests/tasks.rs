//! Async code that may await something in a macro, and so carries no markers.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

async fn half(of: u32) -> u32 {
    of / 2
}

macro_rules! value {
    ($future:expr) => {
        $future.await
    };
}

async fn quarter(of: u32) -> u32 {
    half(value!(half(of))).await
}

#[test]
fn is_ready_at_once() {
    let polled = pin!(quarter(8)).poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Ready(2));
}
