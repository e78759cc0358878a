//! The oldest version of tokio that is trusted.

#[tokio::test]
async fn a_task_on_one_thread() {
    assert_eq!(tokio::spawn(async { 5 }).await.unwrap(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_on_two_workers() {
    assert_eq!(1 + 1, 2);
}

#[test]
fn a_oneshot_between_threads() {
    let (tx, rx) = tokio::sync::oneshot::channel();
    let thread = std::thread::spawn(move || tx.send(1).unwrap());
    assert_eq!(rx.blocking_recv(), Ok(1));
    thread.join().unwrap();
}
