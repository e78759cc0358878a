//! smol.

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
