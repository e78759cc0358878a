//! smol: its reactor (`async-io`), which waits with an epoll for a timer with a descriptor and calls the system through rustix, and
//! tasks on its own thread.

#![cfg(test)]

use async_io::{Timer, block_on};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread::spawn;
use std::time::Duration;

#[test]
fn right_blocks_on_a_value() {
    assert_eq!(block_on(async { 5 }), 5);
}

#[test]
fn right_waits_for_an_hour() {
    block_on(Timer::after(Duration::from_secs(3600)));
}

#[test]
fn wrong_waits_for_a_thread_by_time() {
    let done = Arc::new(AtomicU32::new(0));
    let theirs = done.clone();
    let thread = spawn(move || theirs.store(1, SeqCst));
    block_on(Timer::after(Duration::from_millis(10)));
    assert_eq!(done.load(SeqCst), 1);
    thread.join().unwrap();
}

#[test]
fn right_awaits_a_task() {
    smol::block_on(async { assert_eq!(smol::spawn(async { 5 }).await, 5) });
}

#[test]
fn right_runs_what_blocks_elsewhere() {
    assert_eq!(smol::block_on(smol::unblock(|| 5)), 5);
}

#[test]
fn wrong_adds_beside_a_task() {
    let count = Arc::new(AtomicU32::new(0));
    let theirs = count.clone();
    smol::block_on(async {
        let task = smol::spawn(async move { theirs.store(theirs.load(SeqCst) + 1, SeqCst) });
        count.store(count.load(SeqCst) + 1, SeqCst);
        task.await;
    });
    assert_eq!(count.load(SeqCst), 2);
}
