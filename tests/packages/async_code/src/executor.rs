//! A small executor: one thread, which parks until it is woken.

use super::Counter;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future to its end.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Arc::new(Unparks(thread::current())).into();
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// Pending once.
#[derive(Default)]
struct YieldNow {
    is_done: bool,
}

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.is_done, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Lets others go on.
pub async fn yield_now() {
    YieldNow::default().await
}

/// Two threads each run this on one counter, which is what comes out.
pub fn both<F: Future<Output = ()> + 'static>(body: fn(Counter) -> F) -> usize {
    let cell = Counter::default();
    let other = cell.clone();
    let thread = thread::spawn(move || block_on(body(other)));
    block_on(body(cell.clone()));
    thread.join().unwrap();
    cell.load()
}
