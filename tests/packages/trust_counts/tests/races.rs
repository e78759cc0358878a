//! A decrement orders what its thread did before with the drop, and with nothing behind that: wrong beside right.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Arc, Mutex};
use std::thread::{self, spawn};

#[derive(Default)]
struct Plain(UnsafeCell<u32>);
// SAFETY: none; the tests called `wrong` race.
unsafe impl Sync for Plain {}
impl Plain {
    const fn new() -> Plain {
        Plain(UnsafeCell::new(0))
    }
    fn set(&self, n: u32) {
        unsafe { *self.0.get() = n }
    }
    fn get(&self) -> u32 {
        unsafe { *self.0.get() }
    }
}

// The one order of the decrements that runs has main's before the thread's.
#[test]
fn wrong_thread_last() {
    static SEEN: Plain = Plain::new();
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || {
        drop(b);
        SEEN.set(2);
    });
    SEEN.set(1);
    drop(a);
    t.join().unwrap();
}
// Main is the last owner wherever the thread goes first, which it does for the sake of the mutex.
#[test]
fn wrong_main_last() {
    static SEEN: Plain = Plain::new();
    let mutex = Arc::new(Mutex::new(0));
    let a = Arc::new(1);
    let (b, of_thread) = (a.clone(), mutex.clone());
    let t = spawn(move || {
        *of_thread.lock().unwrap() += 1;
        SEEN.set(2);
        drop(b);
    });
    *mutex.lock().unwrap() += 1;
    drop(a);
    SEEN.set(1);
    t.join().unwrap();
}
#[test]
fn wrong_of_three() {
    static SEEN: Plain = Plain::new();
    let a = Arc::new(String::from("a"));
    let hs = [1, 2].map(|n| {
        let b = a.clone();
        spawn(move || {
            if n == 1 {
                SEEN.set(n);
            }
            drop(b);
            if n == 2 {
                SEEN.set(n);
            }
        })
    });
    drop(a);
    for h in hs {
        h.join().unwrap();
    }
}
// A clone behind another owner's drop reads what that left in the count, and a fence comes behind it.
#[test]
fn wrong_cloned() {
    static SEEN: Plain = Plain::new();
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || {
        let c = b.clone();
        drop(Arc::new(2));
        SEEN.set(2);
        (b, c)
    });
    SEEN.set(1);
    drop(a);
    t.join().unwrap();
}
// The last weak reference gives the block back.
#[test]
fn wrong_weak() {
    static SEEN: Plain = Plain::new();
    let a = Arc::new(1);
    let (w, v) = (Arc::downgrade(&a), Arc::downgrade(&a));
    spawn(|| drop(a)).join().unwrap();
    let t = spawn(move || {
        drop(v);
        SEEN.set(2);
    });
    SEEN.set(1);
    drop(w);
    t.join().unwrap();
}
#[test]
fn wrong_nested() {
    static SEEN: Plain = Plain::new();
    let inner = Arc::new(1);
    let outer = Arc::new((inner.clone(), vec![1]));
    let other = outer.clone();
    let t = spawn(move || {
        drop(other);
        SEEN.set(2);
    });
    SEEN.set(1);
    drop(outer);
    drop(inner);
    t.join().unwrap();
}
// The count is asked for, so its operations are points; its decrements commute still.
#[test]
fn wrong_beside_a_test() {
    static SEEN: Plain = Plain::new();
    let a = Arc::new(1);
    let (b, c) = (a.clone(), a.clone());
    let t = spawn(move || {
        drop(b);
        SEEN.set(2);
    });
    let u = spawn(move || Arc::strong_count(&c) > 0);
    SEEN.set(1);
    drop(a);
    t.join().unwrap();
    u.join().unwrap();
}

// What each owner did before it went, the drop sees.
struct Parts([Plain; 2]);
impl Drop for Parts {
    fn drop(&mut self) {
        assert_eq!(self.0[0].get() + self.0[1].get(), 3);
    }
}
#[test]
fn right_in_the_drop() {
    let a = Arc::new(Parts([Plain::new(), Plain::new()]));
    let b = a.clone();
    let t = spawn(move || {
        b.0[0].set(1);
        drop(b);
    });
    a.0[1].set(2);
    drop(a);
    t.join().unwrap();
}
// The block is given back behind all that its owners did to it.
#[test]
fn right_of_the_block() {
    let a = Arc::new(([Plain::new(), Plain::new()], vec![1]));
    let hs = [0, 1].map(|n| {
        let b = a.clone();
        spawn(move || {
            b.0[n].set(1);
            drop(b);
        })
    });
    drop(a);
    for h in hs {
        h.join().unwrap();
    }
}
#[test]
fn right_of_a_weak_block() {
    let a = Arc::new((Plain::new(), vec![1]));
    let (w, v) = (Arc::downgrade(&a), Arc::downgrade(&a));
    let t = spawn(move || {
        a.0.set(1);
        drop(a);
    });
    let u = spawn(move || drop(v));
    drop(w);
    t.join().unwrap();
    u.join().unwrap();
}
#[test]
fn right_by_mutex() {
    static SEEN: Mutex<u32> = Mutex::new(0);
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || {
        drop(b);
        *SEEN.lock().unwrap() = 2;
    });
    *SEEN.lock().unwrap() = 1;
    drop(a);
    t.join().unwrap();
}
#[test]
fn right_by_join() {
    static SEEN: Plain = Plain::new();
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || {
        SEEN.set(2);
        drop(b);
    });
    drop(a);
    t.join().unwrap();
    assert_eq!(SEEN.get(), 2);
}
// Where the flag orders the decrements, main goes on knowing what the flag told it.
#[test]
fn right_by_flag() {
    static SEEN: Plain = Plain::new();
    let done = Arc::new(AtomicBool::new(false));
    let a = Arc::new(1);
    let (b, of_thread) = (a.clone(), done.clone());
    let t = spawn(move || {
        SEEN.set(2);
        drop(b);
        of_thread.store(true, Release);
    });
    let is_done = done.load(Acquire);
    drop(a);
    if is_done {
        assert_eq!(SEEN.get(), 2);
    }
    t.join().unwrap();
}
// Who finds out that it is the only owner knows what the others did, and goes on knowing it.
fn alone(is_alone: impl FnOnce(Arc<u32>) -> bool) {
    let seen: &Plain = Box::leak(Box::default());
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || {
        seen.set(2);
        drop(b);
    });
    if is_alone(a) {
        assert_eq!(seen.get(), 2);
    }
    t.join().unwrap();
}
#[test]
fn right_try_unwrap() {
    alone(|a| Arc::try_unwrap(a).is_ok())
}
#[test]
fn right_into_inner() {
    alone(|a| Arc::into_inner(a).is_some())
}
#[test]
fn right_get_mut() {
    alone(|mut a| Arc::get_mut(&mut a).is_some())
}
// What the drop learns otherwise than by the count stays: it joins a thread.
struct Joins(Option<thread::JoinHandle<()>>);
impl Drop for Joins {
    fn drop(&mut self) {
        self.0.take().unwrap().join().unwrap();
    }
}
#[test]
fn right_joined_in_the_drop() {
    static SEEN: Plain = Plain::new();
    let gone = Arc::new(Mutex::new(false));
    let a = Arc::new(Joins(Some(spawn(|| SEEN.set(1)))));
    let (b, of_thread) = (a.clone(), gone.clone());
    let t = spawn(move || {
        let mut gone = of_thread.lock().unwrap();
        drop(b);
        *gone = true;
    });
    let is_gone = *gone.lock().unwrap();
    if is_gone {
        drop(a);
        assert_eq!(SEEN.get(), 1);
    }
    t.join().unwrap();
}
#[test]
fn right_upgraded() {
    let a = Arc::new(Plain::new());
    a.set(1);
    let w = Arc::downgrade(&a);
    let t = spawn(move || w.upgrade().map(|a| a.get()));
    drop(a);
    assert!(t.join().unwrap().is_none_or(|n| n == 1));
}
