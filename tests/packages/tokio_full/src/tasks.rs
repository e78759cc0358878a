//! Tasks of one thread that wait for each other.

use std::sync::Arc;
use tokio::sync::{Mutex, Notify, Semaphore, broadcast, mpsc, oneshot, watch};

#[tokio::test]
async fn nothing_but_an_assertion() {
    assert_eq!(1 + 1, 2);
}

#[tokio::test]
async fn producers_and_one_consumer() {
    let (tx, mut rx) = mpsc::channel(2);
    for i in 0..3u32 {
        let tx = tx.clone();
        tokio::spawn(async move { tx.send(i * i).await.unwrap() });
    }
    drop(tx);
    let mut sum = 0;
    while let Some(n) = rx.recv().await {
        sum += n;
    }
    assert_eq!(sum, 5);
}

#[tokio::test]
async fn a_notified_task() {
    let notify = Arc::new(Notify::new());
    let other = notify.clone();
    let task = tokio::spawn(async move {
        other.notified().await;
        7
    });
    tokio::task::yield_now().await;
    notify.notify_one();
    assert_eq!(task.await.unwrap(), 7);
}

#[tokio::test]
async fn a_request_with_its_answer() {
    let (requests, mut inbox) = mpsc::channel::<(u32, oneshot::Sender<u32>)>(1);
    let server = tokio::spawn(async move {
        while let Some((n, answer)) = inbox.recv().await {
            answer.send(n + 1).unwrap();
        }
    });
    let (tx, rx) = oneshot::channel();
    requests.send((41, tx)).await.unwrap();
    assert_eq!(rx.await.unwrap(), 42);
    drop(requests);
    server.await.unwrap();
}

#[tokio::test]
async fn everybody_is_told() {
    let (tx, mut first) = broadcast::channel(4);
    let mut second = tx.subscribe();
    let (state, mut seen) = watch::channel(0);
    tokio::spawn(async move {
        tx.send("go").unwrap();
        state.send(3).unwrap();
    });
    let (a, b) = tokio::join!(first.recv(), second.recv());
    seen.changed().await.unwrap();
    assert_eq!((a.unwrap(), b.unwrap(), *seen.borrow()), ("go", "go", 3));
}

#[tokio::test]
async fn one_permit() {
    let permits = Arc::new(Semaphore::new(1));
    let held = permits.clone().acquire_owned().await.unwrap();
    let other = permits.clone();
    let task = tokio::spawn(async move { drop(other.acquire().await.unwrap()) });
    drop(held);
    task.await.unwrap();
    assert_eq!(permits.available_permits(), 1);
}

/// Reads, gives way, and writes what it has read and one more.
async fn add(count: Arc<Mutex<i32>>) {
    let read = *count.lock().await;
    tokio::task::yield_now().await;
    *count.lock().await = read + 1;
}

#[tokio::test]
async fn wrong_lost_update() {
    let count = Arc::new(Mutex::new(0));
    let (a, b) = (tokio::spawn(add(count.clone())), tokio::spawn(add(count.clone())));
    a.await.unwrap();
    b.await.unwrap();
    assert_eq!(*count.lock().await, 2);
}

#[tokio::test]
async fn wrong_nobody_answers() {
    let (_tx, rx) = oneshot::channel::<u32>();
    rx.await.unwrap();
}
