//! Workers, and threads for what blocks.

use std::sync::Arc;
use tokio::sync::{Barrier, mpsc};

#[tokio::test]
async fn what_blocks_runs_elsewhere() {
    assert_eq!(tokio::task::spawn_blocking(|| 6 * 7).await.unwrap(), 42);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_on_two_workers() {
    assert_eq!(1 + 1, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_between_workers() {
    let (tx, mut rx) = mpsc::channel(1);
    tokio::spawn(async move { tx.send(5).await.unwrap() });
    assert_eq!(rx.recv().await, Some(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_that_meet() {
    let barrier = Arc::new(Barrier::new(2));
    let other = barrier.clone();
    let task = tokio::spawn(async move { other.wait().await.is_leader() });
    let leads = barrier.wait().await.is_leader();
    assert_ne!(task.await.unwrap(), leads);
}
