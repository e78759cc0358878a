//! tokio's `select!`, whose branch order is random.

use tokio::sync::{mpsc, oneshot};

/// The sum that is received, where a message and the word to stop are there at once.
async fn received(drains: bool) -> u32 {
    let (send, mut receive) = mpsc::channel(1);
    let (stop, stopped) = oneshot::channel();
    send.send(1).await.unwrap();
    stop.send(()).unwrap();
    let mut sum = 0;
    tokio::select! {
        number = receive.recv() => sum += number.unwrap(),
        _ = stopped => while let Ok(number) = receive.try_recv() {
            if drains {
                sum += number;
            }
        },
    }
    sum
}

#[tokio::test]
async fn select_first() {
    assert_eq!(received(false).await, 1, "the message is lost");
}

#[tokio::test]
async fn select_last() {
    assert_eq!(received(false).await, 0, "the word to stop comes late");
}

#[tokio::test]
async fn select_right() {
    assert_eq!(received(true).await, 1);
}

#[tokio::test]
async fn select_biased() {
    let chosen = tokio::select! {
        biased;
        () = async {} => 0,
        () = async {} => 1,
    };
    assert_eq!(chosen, 0);
}
