//! tokio.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;
use tokio::sync::{Mutex, Notify, Semaphore, mpsc, oneshot};

#[tokio::test]
async fn nothing_on_one_thread() {
    assert_eq!(1 + 1, 2);
}

#[tokio::test]
async fn messages_between_tasks_of_one_thread() {
    let (tx, mut rx) = mpsc::channel(1);
    tokio::spawn(async move {
        for n in 0..2 {
            tx.send(n).await.unwrap();
        }
    });
    assert_eq!((rx.recv().await, rx.recv().await), (Some(0), Some(1)));
}

#[tokio::test]
async fn a_time_limit_on_one_thread() {
    let (_tx, rx) = oneshot::channel::<()>();
    assert!(tokio::time::timeout(Duration::from_secs(1), rx).await.is_err());
}

#[tokio::test]
async fn what_blocks_runs_on_another_thread() {
    assert_eq!(tokio::task::spawn_blocking(|| 6 * 7).await.unwrap(), 42);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn nothing_on_one_worker() {
    assert_eq!(1 + 1, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_on_two_workers() {
    assert_eq!(1 + 1, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_on_two_workers() {
    assert_eq!(tokio::spawn(async { 5 }).await.unwrap(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_load_then_store_on_two_workers() {
    let count = Arc::new(AtomicU32::new(0));
    let tasks = [(); 2].map(|()| {
        let count = count.clone();
        tokio::spawn(async move { count.store(count.load(SeqCst) + 1, SeqCst) })
    });
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(count.load(SeqCst), 2);
}

#[test]
fn a_oneshot_between_threads() {
    let (tx, rx) = oneshot::channel();
    let thread = std::thread::spawn(move || tx.send(1).unwrap());
    assert_eq!(rx.blocking_recv(), Ok(1));
    thread.join().unwrap();
}

#[test]
fn a_channel_between_threads() {
    let (tx, mut rx) = mpsc::channel(1);
    let thread = std::thread::spawn(move || tx.blocking_send(1).unwrap());
    assert_eq!(rx.blocking_recv(), Some(1));
    thread.join().unwrap();
}

#[test]
fn a_mutex_between_threads() {
    let count = Arc::new(Mutex::new(0));
    let other = count.clone();
    let thread = std::thread::spawn(move || *other.blocking_lock() += 1);
    *count.blocking_lock() += 1;
    thread.join().unwrap();
    assert_eq!(*count.blocking_lock(), 2);
}

#[test]
fn permits_that_two_threads_try_for() {
    let permits = Arc::new(Semaphore::new(1));
    let other = permits.clone();
    let thread = std::thread::spawn(move || other.try_acquire().is_ok());
    let _ = permits.try_acquire().is_ok();
    thread.join().unwrap();
    assert_eq!(permits.available_permits(), 1);
}

#[tokio::test]
async fn a_thread_notifies_a_task() {
    let notify = Arc::new(Notify::new());
    let other = notify.clone();
    let thread = std::thread::spawn(move || other.notify_one());
    notify.notified().await;
    thread.join().unwrap();
}
