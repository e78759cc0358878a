//! A thread's result is dropped by the last of two: the thread, or its handle. Each test that begins with `wrong` fails in some
//! order of the two, those with `right` in none.

use std::panic::panic_any;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// Adds in two steps.
struct Adds(&'static AtomicU32);

impl Drop for Adds {
    fn drop(&mut self) {
        let seen = self.0.load(SeqCst);
        self.0.store(seen + 1, SeqCst);
    }
}

/// Says which thread drops it.
struct Tells(&'static AtomicBool);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.store(thread::current().name() == Some("worker"), SeqCst);
    }
}

/// Locks.
struct Locks(&'static Mutex<u32>);

impl Drop for Locks {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

fn worker<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> thread::JoinHandle<T> {
    thread::Builder::new().name("worker".into()).spawn(f).unwrap()
}

#[test]
fn wrong_scoped_threads_drop_at_once() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    thread::scope(|s| {
        s.spawn(|| Adds(&COUNT));
        s.spawn(|| Adds(&COUNT));
    });
    assert_eq!(COUNT.load(SeqCst), 2);
}

#[test]
fn wrong_a_scoped_thread_drops_beside_its_owner() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    thread::scope(|s| {
        s.spawn(|| Adds(&COUNT));
        drop(Adds(&COUNT));
    });
    assert_eq!(COUNT.load(SeqCst), 2);
}

#[test]
fn wrong_the_last_of_handle_and_thread_drops() {
    static BY_WORKER: AtomicBool = AtomicBool::new(false);
    drop(worker(|| Tells(&BY_WORKER)));
    assert!(!BY_WORKER.load(SeqCst));
}

#[test]
fn wrong_the_handle_goes_late() {
    static BY_WORKER: AtomicBool = AtomicBool::new(true);
    let worker = worker(|| Tells(&BY_WORKER));
    thread::sleep(Duration::from_millis(10));
    drop(worker);
    assert!(BY_WORKER.load(SeqCst));
}

#[test]
fn wrong_a_handle_is_dropped_under_a_lock() {
    static LOCK: Mutex<u32> = Mutex::new(0);
    let guard = LOCK.lock().unwrap();
    drop(thread::spawn(|| Locks(&LOCK)));
    drop(guard);
}

#[test]
fn wrong_what_a_scoped_thread_panics_with_is_dropped_by_it() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let scope = std::panic::catch_unwind(|| {
        thread::scope(|s| {
            s.spawn(|| panic_any(Adds(&COUNT)));
            s.spawn(|| panic_any(Adds(&COUNT)));
        })
    });
    assert!(scope.is_err() && COUNT.load(SeqCst) == 2);
}

#[test]
fn right_a_scoped_thread_gives_its_sender_back() {
    let (sender, receiver) = mpsc::channel();
    thread::scope(|s| {
        s.spawn(move || {
            sender.send(1).unwrap();
            sender
        });
        assert_eq!(receiver.iter().sum::<u32>(), 1);
    });
}

#[test]
fn right_a_scoped_thread_gives_its_share_back() {
    let shared = Arc::new(1);
    let share = shared.clone();
    thread::scope(|s| {
        s.spawn(move || share);
        while Arc::strong_count(&shared) > 1 {
            thread::yield_now();
        }
    });
}

#[test]
fn right_joined_threads_leave_their_results() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let worker = thread::spawn(|| Adds(&COUNT));
    drop(worker.join().unwrap());
    thread::scope(|s| {
        let first = s.spawn(|| Adds(&COUNT));
        drop(first.join().unwrap());
        let second = s.spawn(|| panic_any(Adds(&COUNT)));
        drop(second.join().unwrap_err());
    });
    assert_eq!(COUNT.load(SeqCst), 3);
}

#[test]
fn right_nobody_notices_who_drops() {
    drop(thread::spawn(|| vec![1, 2, 3]));
    thread::scope(|s| {
        s.spawn(|| vec![1, 2, 3]);
        s.spawn(|| String::from("text"));
    });
}
