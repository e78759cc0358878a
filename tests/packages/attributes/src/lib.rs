//! Tests that attributes of published crates make, on runtimes of one thread that are ordinary code.
#![cfg(test)]

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A runtime without a driver of input and output. (`#[tokio::test]` has one where the feature `net` is on.)
fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// On a runtime with a driver, which wakes itself.
#[tokio::test]
async fn tasks_of_one_thread() {
    let sum = Arc::new(Mutex::new(0));
    let add = |n| {
        let sum = sum.clone();
        tokio::spawn(async move { *sum.lock().unwrap() += n })
    };
    let tasks: Vec<_> = (0..3).map(add).collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*sum.lock().unwrap(), 3);
}

/// Another thread stores between load and store.
#[tokio::test]
async fn an_update_is_lost() {
    let count = Arc::new(AtomicU32::new(0));
    let other = count.clone();
    let thread = std::thread::spawn(move || other.fetch_add(1, SeqCst));
    let seen = count.load(SeqCst);
    count.store(seen + 1, SeqCst);
    tokio::task::yield_now().await;
    thread.join().unwrap();
    assert_eq!(count.load(SeqCst), 2);
}

#[test]
fn woken_by_a_thread() {
    block_on(async {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || sender.send(1).unwrap());
        assert_eq!(receiver.await, Ok(1));
        thread.join().unwrap();
    });
}

/// An hour, which does not pass.
#[test]
fn sleeps_in_virtual_time() {
    block_on(async {
        let began = tokio::time::Instant::now();
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert!(began.elapsed() >= Duration::from_secs(3600));
        let (_sender, receiver) = tokio::sync::oneshot::channel::<()>();
        assert!(tokio::time::timeout(Duration::from_secs(60), receiver).await.is_err());
    });
}

#[test]
fn on_the_executor_of_futures() {
    let (sender, receiver) = futures_channel::oneshot::channel();
    let thread = std::thread::spawn(move || sender.send(5).unwrap());
    assert_eq!(futures_executor::block_on(receiver), Ok(5));
    thread.join().unwrap();
}

#[test_case::test_case(1; "one")]
#[test_case::test_case(2; "two")]
fn cases(count: u32) {
    let sum = AtomicU32::new(0);
    std::thread::scope(|s| {
        s.spawn(|| sum.fetch_add(count, SeqCst));
        sum.fetch_add(count, SeqCst);
    });
    assert_eq!(sum.load(SeqCst), 2 * count);
}

/// By a thread, through the driver: each order of the two.
#[tokio::test]
async fn woken_through_the_driver() {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let thread = std::thread::spawn(move || sender.send(1).unwrap());
    assert_eq!(receiver.await, Ok(1));
    thread.join().unwrap();
}

#[tokio::test]
async fn connects() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = listener.local_addr().unwrap();
    let (one, other) = tokio::join!(tokio::net::TcpStream::connect(place), listener.accept());
    assert!(one.is_ok() && other.is_ok());
}

/// To another process, which nobody here controls.
#[tokio::test]
async fn connects_elsewhere() {
    let place = std::net::SocketAddr::from(([10, 0, 0, 1], 80));
    tokio::net::TcpStream::connect(place).await.unwrap();
}
