//! Timers, which are virtual time.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::{Instant, interval, sleep, timeout};

#[tokio::test]
async fn later_comes_later() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let other = log.clone();
    let task = tokio::spawn(async move {
        sleep(Duration::from_millis(20)).await;
        other.lock().await.push(2);
    });
    sleep(Duration::from_millis(10)).await;
    log.lock().await.push(1);
    task.await.unwrap();
    assert_eq!(*log.lock().await, [1, 2]);
}

#[tokio::test]
async fn an_answer_that_is_too_slow() {
    let (tx, rx) = oneshot::channel::<u32>();
    let task = tokio::spawn(async move {
        sleep(Duration::from_secs(5)).await;
        let _ = tx.send(1);
    });
    assert!(timeout(Duration::from_secs(1), rx).await.is_err());
    task.abort();
}

#[tokio::test]
async fn four_ticks_take_three_periods() {
    let start = Instant::now();
    let mut ticks = interval(Duration::from_secs(100));
    for _ in 0..4 {
        ticks.tick().await;
    }
    assert!(start.elapsed() >= Duration::from_secs(300));
}

#[tokio::test]
async fn the_first_of_two() {
    let (tx, mut rx) = mpsc::unbounded_channel();
    tx.send("message").unwrap();
    let got = tokio::select! {
        biased;
        message = rx.recv() => message,
        () = sleep(Duration::from_secs(1)) => None,
    };
    assert_eq!(got, Some("message"));
}

#[tokio::test]
async fn no_signal_comes() {
    let got = tokio::select! {
        _ = tokio::signal::ctrl_c() => "signal",
        () = sleep(Duration::from_millis(1)) => "time",
    };
    assert_eq!(got, "time");
}

#[tokio::test(start_paused = true)]
async fn an_hour_that_is_paused() {
    let start = Instant::now();
    sleep(Duration::from_secs(3600)).await;
    tokio::time::advance(Duration::from_secs(60)).await;
    assert!(start.elapsed() >= Duration::from_secs(3660));
}

#[tokio::test]
async fn wrong_impatient() {
    let (tx, rx) = oneshot::channel();
    tokio::spawn(async move {
        sleep(Duration::from_millis(30)).await;
        let _ = tx.send(1);
    });
    assert_eq!(timeout(Duration::from_millis(20), rx).await.expect("it is in time").unwrap(), 1);
}
