//! spin 0.5.0: two threads can have the write lock (RUSTSEC-2019-0013).

use ::spin::RwLock;
use std::sync::Arc;
use std::thread;
#[test]
fn two_writers() {
    let l = Arc::new(RwLock::new(0u64));
    let m = l.clone();
    let t = thread::spawn(move || *m.write() += 1);
    *l.write() += 1;
    t.join().unwrap();
    assert_eq!(*l.read(), 2);
}
#[test]
fn reader_and_writer() {
    let l = Arc::new(RwLock::new((0u64, 0u64)));
    let m = l.clone();
    let t = thread::spawn(move || {
        let mut g = m.write();
        g.0 = 1;
        g.1 = 1;
    });
    let g = l.read();
    assert_eq!(g.0, g.1);
    drop(g);
    t.join().unwrap();
}
