//! smol.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread::spawn;

#[test]
fn blocks_on_a_value() {
    assert_eq!(smol::block_on(async { 5 }), 5);
}

#[test]
fn a_task_of_a_local_executor() {
    let executor = smol::LocalExecutor::new();
    let task = executor.spawn(async { 5 });
    assert_eq!(smol::block_on(executor.run(task)), 5);
}

#[test]
fn a_lock_between_threads() {
    let value = std::sync::Arc::new(smol::lock::Mutex::new(0));
    let other = value.clone();
    let thread = spawn(move || *other.lock_blocking() += 1);
    *value.lock_blocking() += 1;
    thread.join().unwrap();
    assert_eq!(*value.lock_blocking(), 2);
}

#[test]
fn a_spawned_task() {
    assert_eq!(smol::block_on(smol::spawn(async { 5 })), 5);
}

#[test]
fn what_blocks_runs_on_another_thread() {
    assert_eq!(smol::block_on(smol::unblock(|| 5)), 5);
}

#[test]
fn wrong_load_then_store() {
    let count = std::sync::Arc::new(AtomicU32::new(0));
    let theirs = count.clone();
    smol::block_on(async {
        let task = smol::spawn(async move { theirs.store(theirs.load(SeqCst) + 1, SeqCst) });
        count.store(count.load(SeqCst) + 1, SeqCst);
        task.await;
    });
    assert_eq!(count.load(SeqCst), 2);
}
