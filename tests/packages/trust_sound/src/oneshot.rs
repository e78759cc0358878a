//! oneshot: what was sent is received.

use std::thread;

#[test]
fn received() {
    let (sender, receiver) = ::oneshot::channel::<Box<u32>>();
    let sending = thread::spawn(move || sender.send(Box::new(7)));
    assert_eq!(receiver.recv(), Ok(Box::new(7)));
    sending.join().unwrap().unwrap();
}

#[test]
fn dropped_by_the_sender() {
    let (sender, receiver) = ::oneshot::channel::<Box<u32>>();
    let dropping = thread::spawn(move || drop(sender));
    assert!(receiver.recv().is_err());
    dropping.join().unwrap();
}
