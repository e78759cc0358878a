//! What std promises, and programs rely on: time that goes on, mutexes that are not told by their places, waits without an
//! end, names of threads.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::sync::{Condvar, Mutex, OnceLock, RwLock};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_millis(100);

#[test]
fn time_by_a_store() {
    let told = AtomicBool::new(false);
    let start = Instant::now();
    thread::scope(|s| {
        s.spawn(|| {
            thread::sleep(LONG);
            told.store(true, SeqCst);
        });
        if told.load(SeqCst) {
            assert!(start.elapsed() >= LONG);
        }
    });
}

#[test]
fn time_by_an_exchange_and_a_count() {
    let count = AtomicUsize::new(0);
    let start = Instant::now();
    thread::scope(|s| {
        s.spawn(|| {
            thread::sleep(LONG);
            count.fetch_add(1, SeqCst);
        });
        if count.compare_exchange(1, 2, SeqCst, SeqCst).is_ok() {
            assert!(start.elapsed() >= LONG);
        }
        if count.fetch_add(1, SeqCst) != 0 {
            assert!(start.elapsed() >= LONG);
        }
    });
}

/// Who reads what a later store takes away reads it before.
#[test]
fn time_by_what_was_not_there_yet() {
    let told = AtomicBool::new(false);
    thread::scope(|s| {
        let t = s.spawn(|| {
            told.store(true, SeqCst);
            Instant::now()
        });
        thread::sleep(LONG);
        let before = Instant::now();
        if !told.load(SeqCst) {
            assert!(t.join().unwrap() >= before);
        }
    });
}

#[test]
fn time_by_a_cell() {
    let cell = OnceLock::new();
    thread::scope(|s| {
        s.spawn(|| {
            thread::sleep(LONG);
            cell.set(Instant::now()).unwrap();
        });
        if let Some(then) = cell.get() {
            assert!(Instant::now() >= *then);
        }
    });
}

#[test]
fn time_by_a_lock_of_many() {
    let shared = RwLock::new(None);
    thread::scope(|s| {
        s.spawn(|| {
            thread::sleep(LONG);
            *shared.write().unwrap() = Some(Instant::now());
        });
        if let Some(then) = *shared.read().unwrap() {
            assert!(Instant::now() >= then);
        }
    });
}

#[test]
fn time_by_a_token_and_a_message() {
    let (sender, receiver) = mpsc::channel();
    let waits = thread::current();
    thread::scope(|s| {
        s.spawn(move || {
            thread::sleep(LONG);
            sender.send(Instant::now()).unwrap();
            thread::sleep(LONG);
            waits.unpark();
        });
        let start = Instant::now();
        let sent = receiver.recv().unwrap();
        assert!(Instant::now() >= sent && start.elapsed() >= LONG);
        thread::park();
        assert!(start.elapsed() >= 2 * LONG);
    });
}

#[test]
fn time_by_an_end() {
    let start = Instant::now();
    let t = thread::spawn(|| thread::sleep(LONG));
    if t.is_finished() {
        assert!(start.elapsed() >= LONG);
    }
    t.join().unwrap();
}

/// Nothing orders these two: each may be the earlier one.
#[test]
fn time_of_two_that_know_nothing_of_each_other() {
    let t = thread::spawn(Instant::now);
    thread::sleep(LONG);
    let here = Instant::now();
    assert!(t.join().unwrap() > here, "the other was earlier");
}

#[test]
fn another_mutex_at_the_same_place() {
    fn f() {
        let m = Mutex::new(3);
        mem::forget(m.lock().unwrap());
    }
    f();
    f();
    let mut m = Mutex::new(1);
    mem::forget(m.lock().unwrap());
    assert!(m.try_lock().is_err());
    m = Mutex::new(2);
    assert_eq!(*m.lock().unwrap(), 2);
    assert_eq!(*m.try_lock().unwrap(), 2);
}

#[test]
fn a_mutex_that_is_moved_while_it_is_locked() {
    let m = Mutex::new(1);
    mem::forget(m.lock().unwrap());
    let m = Box::new(m);
    assert!(m.try_lock().is_err());
    assert!(m.try_lock().is_err());
}

/// A mutex whose guard is forgotten stays locked.
#[test]
fn a_guard_is_forgotten() {
    let m = Mutex::new(1);
    thread::scope(|s| {
        s.spawn(|| mem::forget(m.lock().unwrap()));
        drop(m.lock().unwrap());
    });
}

#[test]
fn a_wait_without_an_end() {
    let (m, c) = (Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            *m.lock().unwrap() = true;
            c.notify_one();
        });
        let mut told = m.lock().unwrap();
        while !*told {
            let (again, result) = c.wait_timeout(told, Duration::MAX).unwrap();
            assert!(!result.timed_out());
            told = again;
        }
    });
}

#[test]
fn a_token_without_an_end() {
    let told = AtomicBool::new(false);
    let waits = thread::current();
    thread::scope(|s| {
        let told = &told;
        s.spawn(move || {
            told.store(true, SeqCst);
            waits.unpark();
        });
        thread::park_timeout(Duration::MAX);
        assert!(told.load(SeqCst), "nobody has unparked it");
    });
}

#[test]
fn the_name_of_a_test() {
    assert_eq!(thread::current().name(), Some("the_name_of_a_test"));
    let t = thread::spawn(|| thread::current().name().map(str::to_owned));
    assert_eq!(t.join().unwrap(), None);
    let t = thread::Builder::new().name("main".into()).spawn(|| thread::current().name().map(str::to_owned));
    assert_eq!(t.unwrap().join().unwrap().as_deref(), Some("main"));
}
