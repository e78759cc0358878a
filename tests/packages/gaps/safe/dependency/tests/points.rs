//! Two operations of a dependency in a row, and one.

use std::sync::atomic::AtomicU32;
use std::thread;

#[test]
fn dependency_points() {
    static N: AtomicU32 = AtomicU32::new(0);
    let t = thread::spawn(|| runs::add_twice(&N));
    runs::add_twice(&N);
    t.join().unwrap();
}

#[test]
fn dependency_points_not() {
    static N: AtomicU32 = AtomicU32::new(0);
    let t = thread::spawn(|| runs::add_once(&N));
    runs::add_once(&N);
    t.join().unwrap();
}
