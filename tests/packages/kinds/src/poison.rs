//! Panics that others find, or nobody does.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Once, mpsc};
use std::thread;

/// The second one panics, the third one finds its poison, and so does who looks at the end.
#[test]
fn finds_the_poison() {
    let stock = Arc::new(Mutex::new(1u32));
    let sell = |stock: Arc<Mutex<u32>>| {
        thread::spawn(move || {
            let mut left = stock.lock().unwrap();
            *left = left.checked_sub(1).expect("none left"); // first panic
        })
    };
    let sellers: Vec<_> = (0..3).map(|_| sell(stock.clone())).collect();
    let sold: Vec<_> = sellers.into_iter().map(|t| t.join()).collect();
    assert_eq!(*stock.lock().unwrap(), 0); // finds it
    assert!(sold.iter().all(Result::is_ok));
}

/// Catches what says why.
#[test]
fn catches_the_panic() {
    let (jobs, done) = (Mutex::new(vec![1, 2]), AtomicU32::new(0));
    let work = || {
        let one = || {
            let count = jobs.lock().unwrap_or_else(|e| e.into_inner()).len();
            let job = jobs.lock().unwrap_or_else(|e| e.into_inner()).remove(count - 1); // caught
            done.fetch_add(job, SeqCst);
        };
        let _ = catch_unwind(AssertUnwindSafe(one));
    };
    thread::scope(|s| {
        s.spawn(work);
        s.spawn(work);
    });
    assert_eq!(done.load(SeqCst), 3);
}

/// Ignores how the thread ended.
#[test]
fn ignores_the_panic() {
    let (seats, sold) = (Arc::new(AtomicU32::new(1)), Arc::new(AtomicU32::new(0)));
    let (other, other_sold) = (seats.clone(), sold.clone());
    let t = thread::spawn(move || {
        let left = other.load(SeqCst);
        assert!(left > 0, "no seat left"); // ignored
        other.store(left - 1, SeqCst);
        other_sold.fetch_add(1, SeqCst);
    });
    if seats.load(SeqCst) == 1 {
        seats.store(0, SeqCst);
    }
    let _ = t.join();
    assert_eq!(sold.load(SeqCst), 1);
}

/// What runs once stays poisoned.
#[test]
fn finds_the_initialiser_poisoned() {
    static INIT: Once = Once::new();
    static READY: AtomicBool = AtomicBool::new(false);
    let t = thread::spawn(|| {
        // not yet
        INIT.call_once(|| assert!(READY.load(SeqCst), "not ready"));
    });
    READY.store(true, SeqCst);
    let _ = t.join();
    INIT.call_once(|| {});
}

/// Panics before it sends what the other one waits for.
#[test]
fn leaves_one_waiting() {
    let (sender, receiver) = mpsc::channel();
    let tickets = Arc::new(Mutex::new(1u32));
    let (left, answers) = (tickets.clone(), sender.clone());
    let t = thread::spawn(move || {
        let left = *left.lock().unwrap();
        assert_eq!(left, 1); // sold out
        answers.send(left).unwrap();
    });
    *tickets.lock().unwrap() = 0;
    assert_eq!(receiver.recv(), Ok(1));
    drop(sender);
    t.join().unwrap();
}
