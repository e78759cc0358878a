//! async-channel.

use std::thread::spawn;

#[test]
fn one_send_and_one_receive() {
    let (tx, rx) = async_channel::bounded(1);
    let thread = spawn(move || tx.send_blocking(1).unwrap());
    assert_eq!(rx.recv_blocking(), Ok(1));
    thread.join().unwrap();
}

#[test]
fn a_close_beside_a_receive() {
    let (tx, rx) = async_channel::unbounded::<i32>();
    let thread = spawn(move || tx.close());
    assert!(rx.recv_blocking().is_err());
    thread.join().unwrap();
}
