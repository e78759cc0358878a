//! A loop that looks at a flag until a deadline, and gives way or sleeps in between.
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

fn wait(rest: fn()) {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    let t = thread::spawn(move || set.store(true, SeqCst));
    let end = Instant::now() + Duration::from_millis(50);
    while !flag.load(SeqCst) && Instant::now() < end {
        rest();
    }
    // The clock moves on by sleeps: one round of the loop takes less than 50 ms, but for the last test.
    assert!(flag.load(SeqCst), "too late");
    t.join().unwrap();
}

#[test]
fn deadline_with_yields() {
    wait(thread::yield_now);
}

#[test]
fn deadline_with_sleeps() {
    wait(|| thread::sleep(Duration::from_millis(1)));
}

#[test]
fn deadline_in_one_sleep() {
    wait(|| thread::sleep(Duration::from_millis(100)));
}
