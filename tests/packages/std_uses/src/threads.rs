//! Starting, joining, scopes, names, thread-locals.

use crate::{caught, seen};
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

#[test]
fn right_join() {
    assert_eq!(thread::spawn(|| 7).join().unwrap(), 7);
    assert!(thread::spawn(|| panic!("meant")).join().is_err());
}

#[test]
fn wrong_not_joined() {
    static DONE: AtomicBool = AtomicBool::new(false);
    thread::spawn(|| DONE.store(true, SeqCst));
    assert!(DONE.load(SeqCst));
}

#[test]
fn right_scope() {
    let mut values = [1, 2];
    thread::scope(|s| {
        for value in &mut values {
            s.spawn(|| *value += 1);
        }
    });
    assert_eq!(values, [2, 3]);
}

/// A scope waits for its handles, and nobody gives this one back.
#[test]
fn wrong_scope_leak() {
    thread::scope(|s| std::mem::forget(s.spawn(|| ())));
}

#[test]
fn wrong_scope_panic() {
    thread::scope(|s| {
        s.spawn(|| panic!("in the scope"));
    });
}

#[test]
fn right_builder() {
    let builder = thread::Builder::new().name("worker".into()).stack_size(1 << 18);
    let handle = builder.spawn(|| thread::current().name().map(str::to_owned)).unwrap();
    assert_eq!(handle.thread().name(), Some("worker"));
    assert_eq!(handle.join().unwrap().as_deref(), Some("worker"));
    thread::scope(|s| {
        let scoped = thread::Builder::new().name("scoped".into()).spawn_scoped(s, || 7).unwrap();
        assert_eq!(scoped.thread().name(), Some("scoped"));
        assert_eq!(scoped.join().unwrap(), 7);
    });
    assert_eq!(thread::available_parallelism().unwrap().get(), 2);
}

thread_local! {
    static LAST: Cell<Option<&'static Mutex<Vec<u32>>>> = const { Cell::new(None) };
    static OWN: Goes = const { Goes(Cell::new(1)) };
}

static GONE: Mutex<Vec<u32>> = Mutex::new(Vec::new());

struct Goes(Cell<u32>);

impl Drop for Goes {
    fn drop(&mut self) {
        GONE.lock().unwrap().push(self.0.get());
    }
}

/// A destructor is part of the thread: a join waits for it.
#[test]
fn right_thread_local() {
    let thread = thread::spawn(|| {
        OWN.with(|own| own.0.set(own.0.get() + 1));
        LAST.set(Some(&GONE));
        LAST.get().unwrap().lock().unwrap().push(0);
    });
    OWN.with(|own| assert_eq!(own.0.get(), 1));
    thread.join().unwrap();
    assert_eq!(*GONE.lock().unwrap(), [0, 2]);
}

/// What a destructor does comes after everything else, and may come late.
#[test]
fn wrong_before_the_destructor() {
    let done = AtomicBool::new(false);
    thread::scope(|s| {
        s.spawn(|| {
            OWN.with(|own| own.0.set(5));
            done.store(true, SeqCst);
        });
        if done.load(SeqCst) {
            let gone = GONE.lock().unwrap().clone();
            assert_eq!(gone, [5]);
        }
    });
}

#[test]
fn panicking_is_a_threads_own() {
    struct Asks<'a>(&'a AtomicBool);
    impl Drop for Asks<'_> {
        fn drop(&mut self) {
            self.0.store(thread::panicking(), SeqCst);
        }
    }
    let told = AtomicBool::new(false);
    thread::scope(|s| {
        s.spawn(|| {
            caught(|| {
                let _asks = Asks(&told);
                panic!("meant");
            })
        });
        assert!(!thread::panicking());
    });
    assert!(told.load(SeqCst));
}

/// The exit is a step of its own: the load can come between the store and the exit.
#[test]
fn exit_outcomes() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    thread::spawn(|| {
        BEGUN.store(true, SeqCst);
        std::process::exit(3)
    });
    seen(if BEGUN.load(SeqCst) { "the exit about to come" } else { "nothing yet" })
}
