//! Who is the last owner, and who asks for it: wrong beside right.
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread::{self, spawn};
use std::time::{Duration, Instant};

#[test]
fn upgrade() {
    let a = Arc::new(5);
    let w = Arc::downgrade(&a);
    let t = spawn(move || drop(a));
    let r = w.upgrade();
    t.join().unwrap();
    assert!(r.is_some())
}
#[test]
fn upgrade_fixed() {
    let a = Arc::new(5);
    let w = Arc::downgrade(&a);
    let b = a.clone();
    let t = spawn(move || drop(a));
    let r = w.upgrade();
    t.join().unwrap();
    assert!(r.is_some());
    drop(b)
}
// n threads drop an Arc of a plain value
#[test]
fn many_drops() {
    let a = Arc::new(vec![1, 2]);
    let hs: Vec<_> = (0..4)
        .map(|_| {
            let a = a.clone();
            spawn(move || {
                let b = a.clone();
                drop(b);
                a.len()
            })
        })
        .collect();
    drop(a);
    for h in hs {
        h.join().unwrap();
    }
}
#[test]
fn unwrap_after_join() {
    let a = Arc::new(Mutex::new(0));
    let hs: Vec<_> = (0..2)
        .map(|_| {
            let a = a.clone();
            spawn(move || *a.lock().unwrap() += 1)
        })
        .collect();
    for h in hs {
        h.join().unwrap();
    }
    assert_eq!(Arc::try_unwrap(a).unwrap().into_inner().unwrap(), 2);
}
#[test]
fn spin_on_count() {
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || drop(b));
    while Arc::strong_count(&a) > 1 {
        std::hint::spin_loop();
    }
    t.join().unwrap();
}
#[test]
fn spin_on_several_counts() {
    let v = [Arc::new(0), Arc::new(1)];
    let b = v[1].clone();
    let t = spawn(move || drop(b));
    while v.iter().any(|a| Arc::strong_count(a) > 1) {}
    t.join().unwrap();
}
#[test]
fn spin_on_weak_count() {
    let a = Arc::new(0);
    let w = Arc::downgrade(&a);
    let t = spawn(move || drop(w));
    while Arc::weak_count(&a) > 0 {}
    t.join().unwrap();
}
#[test]
fn yield_on_count() {
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || drop(b));
    while Arc::strong_count(&a) > 1 {
        thread::yield_now();
    }
    t.join().unwrap();
}
#[test]
fn make_mut_beside_clone() {
    let mut a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || *b);
    *Arc::make_mut(&mut a) += 1;
    assert_eq!(t.join().unwrap(), 1);
    assert_eq!(*a, 2);
}
struct Closes(Arc<AtomicUsize>);
impl Drop for Closes {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}
#[test]
fn closed_by_whom() {
    let n = Arc::new(AtomicUsize::new(0));
    let a = Arc::new(Closes(n.clone()));
    let b = a.clone();
    let t = spawn(move || drop(b));
    drop(a);
    assert_eq!(n.load(SeqCst), 1, "not closed yet");
    t.join().unwrap();
}
thread_local!(static LOCAL: Cell<u32> = const { Cell::new(0) });
struct Counts;
impl Drop for Counts {
    fn drop(&mut self) {
        LOCAL.set(LOCAL.get() + 1)
    }
}
#[test]
fn thread_local_drop() {
    let a = Arc::new(Counts);
    let b = a.clone();
    let t = spawn(move || drop(b));
    drop(a);
    t.join().unwrap();
    assert_eq!(LOCAL.get(), 0, "main dropped it");
}
#[test]
fn last_sender() {
    let (tx, rx) = mpsc::channel::<u32>();
    let a = Arc::new(Mutex::new(tx));
    let b = a.clone();
    let t = spawn(move || {
        b.lock().unwrap().send(1).unwrap();
    });
    let c = a.clone();
    let u = spawn(move || {
        drop(c);
    });
    drop(a);
    assert_eq!(rx.iter().count(), 1);
    t.join().unwrap();
    u.join().unwrap();
}
#[test]
fn into_inner_last() {
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || Arc::into_inner(b));
    let m = Arc::into_inner(a);
    t.join().unwrap();
    assert!(m.is_some(), "the thread got it");
}
#[test]
fn weak_last() {
    let a = Arc::new(1);
    let w = Arc::downgrade(&a);
    let v = w.clone();
    let t = spawn(move || v.strong_count());
    drop(a);
    assert_eq!(t.join().unwrap(), 1, "gone");
    drop(w);
}
#[test]
fn weak_count_before_the_last() {
    let a = Arc::new(1);
    let w = Arc::downgrade(&a);
    let main = thread::current();
    let t = spawn(move || {
        main.unpark();
        assert_eq!(Arc::weak_count(&a), 1, "main's is gone");
        drop(a);
    });
    thread::park();
    drop(w);
    t.join().unwrap();
}
#[test]
fn into_inner_main() {
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || Arc::into_inner(b));
    let m = Arc::into_inner(a);
    t.join().unwrap();
    assert!(m.is_none(), "main got it");
}
#[test]
fn into_inner_one() {
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || Arc::into_inner(b));
    let m = Arc::into_inner(a);
    assert!(m.is_some() != t.join().unwrap().is_some());
}
// A drop inside of another one: its `into_inner` is told who was last, by nothing but its result.
struct Outer(Option<Arc<u32>>);
impl Drop for Outer {
    fn drop(&mut self) {
        LOCAL.set(Arc::into_inner(self.0.take().unwrap()).is_some().into());
    }
}
fn into_inner_in_a_drop() -> bool {
    let inner = Arc::new(1);
    let outer = Arc::new(Outer(Some(inner.clone())));
    let t = spawn(move || drop(inner));
    drop(outer);
    t.join().unwrap();
    LOCAL.get() == 1
}
#[test]
fn into_inner_in_a_drop_is_last() {
    assert!(into_inner_in_a_drop(), "the thread was last");
}
#[test]
fn into_inner_in_a_drop_is_not_last() {
    assert!(!into_inner_in_a_drop(), "main was last");
}
// Two decrements of which none is the last commute, so no time passes from one to the other.
#[test]
fn time_behind_a_drop() {
    let a = Arc::new(1);
    let [first, second] = [1, 0].map(|ms| {
        let a = a.clone();
        spawn(move || {
            let begin = Instant::now();
            thread::sleep(Duration::from_millis(ms));
            drop(a);
            begin.elapsed()
        })
    });
    let passed = second.join().unwrap();
    assert!(passed < Duration::from_millis(1), "{passed:?}");
    assert!(Arc::strong_count(&a) > 0);
    first.join().unwrap();
}
// As many interleavings with an Arc that nobody asks as without.
#[test]
fn two_threads() {
    let hs = [(); 2].map(|()| spawn(|| 2));
    for h in hs {
        h.join().unwrap();
    }
}
#[test]
fn two_drops() {
    let a = Arc::new(vec![1, 2]);
    let hs = [(); 2].map(|()| {
        let a = a.clone();
        spawn(move || {
            drop(a.clone());
            a.len()
        })
    });
    drop(a);
    for h in hs {
        h.join().unwrap();
    }
}
