//! Async code that calls a dependency: each call of its own is told from the next, before and after it was suspended. Tests whose names
//! begin with `wrong_` lose an update where another thread comes between two calls; the others are right.

#![cfg(test)]

mod executor;

use crossbeam_utils::atomic::AtomicCell;
use executor::{block_on, both, yield_now};
use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

type Counter = Arc<AtomicCell<usize>>;

async fn get(cell: &Counter) -> usize {
    cell.load()
}

async fn in_statements(cell: Counter) {
    let old = cell.load();
    cell.store(old + 1);
}

#[test]
fn wrong_in_statements() {
    assert_eq!(both(in_statements), 2);
}

async fn in_one_expression(cell: Counter) {
    cell.store(cell.load() + 1);
}

#[test]
fn wrong_in_one_expression() {
    assert_eq!(both(in_one_expression), 2);
}

async fn behind_an_await(cell: Counter) {
    let old = get(&cell).await;
    cell.store(old + 1);
}

#[test]
fn wrong_behind_an_await() {
    assert_eq!(both(behind_an_await), 2);
}

async fn over_a_suspension(cell: Counter) {
    let old = cell.load();
    yield_now().await;
    cell.store(old + 1);
}

#[test]
fn wrong_over_a_suspension() {
    assert_eq!(both(over_a_suspension), 2);
}

async fn after_a_suspension(cell: Counter) {
    yield_now().await;
    cell.store(cell.load() + 1);
}

#[test]
fn wrong_after_a_suspension() {
    assert_eq!(both(after_a_suspension), 2);
}

async fn in_a_block(cell: Counter) {
    let block = async {
        yield_now().await;
        let old = cell.load();
        cell.store(old + 1);
        Some(old)
    };
    assert!(block.await.is_some());
}

#[test]
fn wrong_in_a_block() {
    assert_eq!(both(in_a_block), 2);
}

async fn in_an_assertion(cell: Counter) {
    assert!({
        let old = get(&cell).await;
        cell.store(old + 1);
        old < 2
    });
}

#[test]
fn wrong_in_an_assertion() {
    assert_eq!(both(in_an_assertion), 2);
}

/// Two updates when it goes, in two calls.
struct Updates(Counter);

impl Drop for Updates {
    fn drop(&mut self) {
        let old = self.0.load();
        self.0.store(old + 1);
    }
}

async fn when_it_is_dropped(cell: Counter) {
    let body = async {
        let _updates = Updates(cell);
        std::future::pending::<()>().await;
    };
    let mut body = Box::pin(body);
    let waits = body.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(waits.is_pending());
    drop(body);
}

#[test]
fn wrong_when_it_is_dropped() {
    assert_eq!(both(when_it_is_dropped), 2);
}

/// A body that was dropped while it was suspended is on no stack: what its owner does next is its owner's.
async fn after_another_was_dropped(cell: Counter) {
    {
        let mut other = Box::pin(async {
            yield_now().await;
            cell.fetch_add(0)
        });
        assert!(other.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    let old = cell.load();
    cell.store(old + 1);
}

#[test]
fn wrong_after_another_was_dropped() {
    assert_eq!(both(after_another_was_dropped), 2);
}

async fn at_once(cell: Counter) {
    yield_now().await;
    cell.fetch_add(1);
}

#[test]
fn right_at_once() {
    assert_eq!(both(at_once), 2);
}

#[test]
fn right_alone() {
    let cell = Counter::default();
    let other = cell.clone();
    let counts = Cell::new(0);
    block_on(async {
        counts.set(counts.get() + 1);
        over_a_suspension(other).await
    });
    assert_eq!((cell.load(), counts.get()), (1, 1));
}

/// Sizes and traits of futures are as without markers, as far as anybody can tell.
#[test]
fn right_traits() {
    fn sends<T: Send + std::panic::UnwindSafe>(_: &T) {}
    let cell = Arc::new(AtomicCell::new(0u8));
    let body = async move {
        yield_now().await;
        cell.load()
    };
    sends(&body);
    let mut body = pin!(body);
    let mut cx = Context::from_waker(Waker::noop());
    assert!(body.as_mut().poll(&mut cx).is_pending());
    assert_eq!(body.as_mut().poll(&mut cx), Poll::Ready(0));
}

async fn fails_with_its_own_text(cell: Counter) {
    assert!(get(&cell).await == 7);
}

#[test]
fn wrong_message() {
    both(fails_with_its_own_text);
}
