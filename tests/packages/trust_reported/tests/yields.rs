//! A wait that gives way with the lock held, and the same without it.
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
#[test]
fn yields_with_the_lock_held() {
    let p = Arc::new((Mutex::new(false), AtomicU32::new(0)));
    let q = p.clone();
    let t = thread::spawn(move || *q.0.lock().unwrap() = true);
    loop {
        let done = p.0.lock().unwrap();
        if *done {
            break;
        }
        p.1.fetch_add(1, SeqCst);
        p.1.fetch_sub(1, SeqCst);
        thread::yield_now();
    }
    t.join().unwrap();
}
#[test]
fn yields_without_it() {
    let p = Arc::new((Mutex::new(false), AtomicU32::new(0)));
    let q = p.clone();
    let t = thread::spawn(move || *q.0.lock().unwrap() = true);
    loop {
        if *p.0.lock().unwrap() {
            break;
        }
        p.1.fetch_add(1, SeqCst);
        p.1.fetch_sub(1, SeqCst);
        thread::yield_now();
    }
    t.join().unwrap();
}
