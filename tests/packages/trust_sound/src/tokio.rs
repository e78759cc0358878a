//! tokio, where nothing is sent after `close`.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
struct P(thread::Thread);
impl Wake for P {
    fn wake(self: Arc<Self>) {
        self.0.unpark()
    }
}
#[allow(dead_code)]
fn block_on<F: Future>(f: F) -> F::Output {
    let mut f = pin!(f);
    let w = Waker::from(Arc::new(P(thread::current())));
    let mut cx = Context::from_waker(&w);
    loop {
        if let Poll::Ready(v) = f.as_mut().poll(&mut cx) {
            return v;
        }
        thread::park()
    }
}
#[allow(dead_code)]
fn now_or_never<F: Future>(f: F) -> Option<F::Output> {
    let mut f = pin!(f);
    match f.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(v) => Some(v),
        _ => None,
    }
}

use ::tokio::sync::oneshot;
#[test]
fn try_recv_close() {
    let (tx, mut rx) = oneshot::channel();
    let t = thread::spawn(move || {
        let _ = tx.send(Box::new(1));
    });
    rx.close();
    let _ = rx.try_recv();
    t.join().unwrap();
}
#[test]
fn recv_closed() {
    let (tx, mut rx) = oneshot::channel();
    let t = thread::spawn(move || {
        let _ = tx.send(Box::new(1));
    });
    rx.close();
    let _ = block_on(rx);
    t.join().unwrap();
}
