//! Two operations of a dependency in a row, and one: by so many threads that a search with both as points takes long.

use std::sync::atomic::AtomicU32;
use std::thread;

#[test]
fn dependency_points() {
    static N: AtomicU32 = AtomicU32::new(0);
    let threads = [(); 3].map(|()| thread::spawn(|| runs::add_twice(&N)));
    runs::add_twice(&N);
    threads.map(|t| t.join().unwrap());
}

#[test]
fn dependency_points_not() {
    static N: AtomicU32 = AtomicU32::new(0);
    let threads = [(); 3].map(|()| thread::spawn(|| runs::add_once(&N)));
    runs::add_once(&N);
    threads.map(|t| t.join().unwrap());
}
