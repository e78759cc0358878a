//! A fault that crossbeam-channel 0.5.7 was published with: a receiver that goes while two other threads send.

use std::thread::spawn;

#[test]
fn wrong_disconnects_while_two_threads_send() {
    let (tx, rx) = crossbeam_channel::unbounded();
    let threads = [1, 2].map(|n| {
        let tx = tx.clone();
        spawn(move || drop(tx.send(Box::new(n))))
    });
    drop((tx, rx));
    threads.map(|thread| thread.join().unwrap());
}
