//! A thread learns by `poll` of what another one has written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::thread;

fn is_ready(fd: i32) -> bool {
    let mut asked = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one record.
    unsafe { libc::poll(&mut asked, 1, 0) == 1 }
}

#[test]
fn of_another_thread() {
    // SAFETY: descriptors of its own, and eight bytes.
    let fd = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK) };
    let (x, y) = (Arc::new(AtomicU8::new(0)), AtomicU8::new(0));
    let theirs = x.clone();
    let t = thread::spawn(move || {
        theirs.store(1, SeqCst);
        let one = 1u64;
        unsafe { libc::write(fd, (&raw const one).cast(), 8) };
    });
    y.store(1, SeqCst);
    let ready = is_ready(fd);
    t.join().unwrap();
    unsafe { libc::close(fd) };
    assert!(!ready, "it was ready");
}

#[test]
fn alone() {
    // SAFETY: a descriptor of its own.
    let fd = unsafe { libc::eventfd(1, libc::EFD_NONBLOCK) };
    assert!(is_ready(fd));
    thread::spawn(|| ()).join().unwrap();
    unsafe { libc::close(fd) };
}
