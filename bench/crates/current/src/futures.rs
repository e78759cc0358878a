//! futures.

use futures::channel::{mpsc, oneshot};
use futures::executor::{LocalPool, block_on};
use futures::stream::StreamExt;
use futures::task::LocalSpawnExt;
use std::thread::spawn;

#[test]
fn two_tasks_of_a_local_pool() {
    let mut pool = LocalPool::new();
    let (tx, rx) = oneshot::channel();
    pool.spawner().spawn_local(async move { tx.send(1).unwrap() }).unwrap();
    assert_eq!(pool.run_until(rx), Ok(1));
}

#[test]
fn a_oneshot_between_threads() {
    let (tx, rx) = oneshot::channel();
    let thread = spawn(move || tx.send(1).unwrap());
    assert_eq!(block_on(rx), Ok(1));
    thread.join().unwrap();
}

#[test]
fn a_channel_between_threads() {
    let (mut tx, mut rx) = mpsc::channel(1);
    let thread = spawn(move || tx.try_send(1).unwrap());
    assert_eq!(block_on(rx.next()), Some(1));
    thread.join().unwrap();
}
