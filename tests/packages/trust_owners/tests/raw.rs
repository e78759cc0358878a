//! Owners that are no `Arc` while they count: in a `ManuallyDrop`, as a raw pointer, as a waker's data. `Weak` likewise.
use std::hint::black_box;
use std::mem::{ManuallyDrop, forget};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::*};
use std::sync::{Arc, Weak};
use std::task::{RawWaker, RawWakerVTable, Wake, Waker};
use std::thread::spawn;

/// A raw pointer that a thread may take along.
struct Raw<T>(*const T);
// SAFETY: what it points to is shared, and each test says who owns it.
unsafe impl<T: Send + Sync> Send for Raw<T> {}
impl<T> Raw<T> {
    /// The owner that this pointer stands for, borrowed.
    fn arc(&self) -> ManuallyDrop<Arc<T>> {
        ManuallyDrop::new(unsafe { Arc::from_raw(self.0) })
    }
    fn weak(&self) -> ManuallyDrop<Weak<T>> {
        ManuallyDrop::new(unsafe { Weak::from_raw(self.0) })
    }
}

// A clone in a `ManuallyDrop` is an owner as any other.
#[test]
fn wrong_manual_given_up() {
    let a = Arc::new(5);
    let (w, mut kept) = (Arc::downgrade(&a), ManuallyDrop::new(a.clone()));
    drop(a);
    let t = spawn(move || unsafe { ManuallyDrop::drop(&mut kept) });
    let is_there = w.upgrade().is_some();
    t.join().unwrap();
    assert!(is_there);
}
#[test]
fn right_manual_kept() {
    let a = Arc::new(5);
    let (w, kept) = (Arc::downgrade(&a), ManuallyDrop::new(a.clone()));
    let t = spawn(move || drop(a));
    let is_there = w.upgrade().is_some();
    t.join().unwrap();
    assert!(is_there);
    drop(ManuallyDrop::into_inner(kept));
}
// Each takes the value out if it is the last one.
fn taken(take: fn(Arc<u32>) -> bool) -> usize {
    let (a, n) = (Arc::new(1), Arc::new(AtomicUsize::new(0)));
    let (b, of_thread) = (ManuallyDrop::new(a.clone()), n.clone());
    let t = spawn(move || {
        of_thread.fetch_add(usize::from(take(ManuallyDrop::into_inner(b))), SeqCst);
    });
    n.fetch_add(usize::from(take(a)), SeqCst);
    t.join().unwrap();
    n.load(SeqCst)
}
#[test]
fn wrong_manual_try_unwrap() {
    assert_eq!(taken(|a| Arc::try_unwrap(a).is_ok()), 1);
}
#[test]
fn right_manual_into_inner() {
    assert_eq!(taken(|a| Arc::into_inner(a).is_some()), 1);
}
// A clone that nobody drops is an owner for ever.
#[test]
fn right_manual_forgotten() {
    let mut a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || **ManuallyDrop::new(b) == 1);
    assert!(Arc::get_mut(&mut a).is_none());
    assert!(t.join().unwrap() && Arc::get_mut(&mut a).is_none());
    unsafe { Arc::decrement_strong_count(Arc::as_ptr(&a)) };
}

// A pointer from `into_raw` owns, until `from_raw` takes it back.
#[test]
fn wrong_raw_upgrade() {
    let raw = Raw(Arc::into_raw(Arc::new(5)));
    let w = Arc::downgrade(&*raw.arc());
    let t = spawn(move || drop(ManuallyDrop::into_inner(raw.arc())));
    let is_there = w.upgrade().is_some();
    t.join().unwrap();
    assert!(is_there);
}
#[test]
fn right_raw_upgrade() {
    let raw = Raw(Arc::into_raw(Arc::new(5)));
    let (w, p) = (Arc::downgrade(&*raw.arc()), raw.0);
    let t = spawn(move || **raw.arc() == 5);
    let is_there = w.upgrade().is_some();
    assert!(t.join().unwrap() && is_there);
    drop(unsafe { Arc::from_raw(p) });
}
// A clone of a borrowed owner: the borrowed one is there until the thread has ended, or goes beside it.
fn borrowed(is_joined: bool) {
    let raw = Raw(Arc::into_raw(Arc::new(AtomicU32::new(1))));
    let p = raw.0;
    let t = spawn(move || {
        let clone = Arc::clone(&raw.arc());
        clone.fetch_add(1, SeqCst)
    });
    if is_joined {
        t.join().unwrap();
        drop(unsafe { Arc::from_raw(p) });
    } else {
        drop(unsafe { Arc::from_raw(p) });
        t.join().unwrap();
    }
}
#[test]
fn wrong_borrowed_clone() {
    borrowed(false)
}
#[test]
fn right_borrowed_clone() {
    borrowed(true)
}
// One that `increment_strong_count` has made goes by `from_raw`, and the other way round.
fn counted(is_counted: bool) {
    let raw = Raw(Arc::into_raw(Arc::new(AtomicU32::new(1))));
    let p = raw.0;
    if is_counted {
        unsafe { Arc::increment_strong_count(p) };
    }
    let t = spawn(move || {
        let own = ManuallyDrop::into_inner(raw.arc());
        own.fetch_add(1, SeqCst)
    });
    unsafe {
        (*p).fetch_add(1, SeqCst);
        Arc::decrement_strong_count(p);
    }
    t.join().unwrap();
}
#[test]
fn wrong_not_counted() {
    counted(false)
}
#[test]
fn right_counted() {
    counted(true)
}
#[test]
fn wrong_counted_and_asked() {
    let mut a = Arc::new(1);
    unsafe { Arc::increment_strong_count(Arc::as_ptr(&a)) };
    let raw = Raw(Arc::as_ptr(&a));
    let t = spawn(move || drop(ManuallyDrop::into_inner(raw.arc())));
    assert!(Arc::get_mut(&mut a).is_some());
    t.join().unwrap();
}

/// Somebody to wake.
#[derive(Default)]
struct Task {
    woken: AtomicBool,
    is_dropped: Option<Arc<AtomicBool>>,
}
impl Drop for Task {
    fn drop(&mut self) {
        if let Some(told) = &self.is_dropped {
            told.store(true, SeqCst);
        }
    }
}
unsafe fn arc(p: *const ()) -> ManuallyDrop<Arc<Task>> {
    ManuallyDrop::new(unsafe { Arc::from_raw(p.cast::<Task>()) })
}
fn waker(task: Arc<Task>, table: &'static RawWakerVTable) -> Waker {
    unsafe { Waker::from_raw(RawWaker::new(Arc::into_raw(task).cast(), table)) }
}
unsafe fn wake_by_ref(p: *const ()) {
    unsafe { arc(p) }.woken.store(true, SeqCst)
}
unsafe fn wake(p: *const ()) {
    let task = ManuallyDrop::into_inner(unsafe { arc(p) });
    task.woken.store(true, SeqCst);
}
unsafe fn drop_waker(p: *const ()) {
    drop(ManuallyDrop::into_inner(unsafe { arc(p) }))
}
// The clone is an owner of its own.
unsafe fn clone_counts(p: *const ()) -> RawWaker {
    forget(unsafe { (*arc(p)).clone() });
    RawWaker::new(p, &COUNTS)
}
unsafe fn clone_increments(p: *const ()) -> RawWaker {
    unsafe { Arc::increment_strong_count(p.cast::<Task>()) };
    RawWaker::new(p, &INCREMENTS)
}
// The clone is none.
unsafe fn clone_forgets(p: *const ()) -> RawWaker {
    RawWaker::new(p, &FORGETS)
}
// Waking by reference gives up an owner.
unsafe fn clone_of_takes(p: *const ()) -> RawWaker {
    forget(unsafe { (*arc(p)).clone() });
    RawWaker::new(p, &TAKES)
}
static COUNTS: RawWakerVTable = RawWakerVTable::new(clone_counts, wake, wake_by_ref, drop_waker);
static INCREMENTS: RawWakerVTable = RawWakerVTable::new(clone_increments, wake, wake_by_ref, drop_waker);
static FORGETS: RawWakerVTable = RawWakerVTable::new(clone_forgets, wake, wake_by_ref, drop_waker);
static TAKES: RawWakerVTable = RawWakerVTable::new(clone_of_takes, wake, wake, drop_waker);

fn woken(table: &'static RawWakerVTable) {
    woken_twice(waker(Arc::default(), table))
}

/// A thread wakes by a clone, and main by reference.
fn woken_twice(waker: Waker) {
    let clone = waker.clone();
    let t = spawn(move || clone.wake());
    waker.wake_by_ref();
    drop(waker);
    t.join().unwrap();
}
#[test]
fn right_waker() {
    woken(&COUNTS)
}
#[test]
fn right_waker_increments() {
    woken(&INCREMENTS)
}
#[test]
fn wrong_waker_forgets() {
    woken(&FORGETS)
}
#[test]
fn wrong_waker_takes() {
    woken(&TAKES)
}
impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, SeqCst)
    }
}
#[test]
fn right_waker_of_std() {
    woken_twice(Waker::from(Arc::<Task>::default()))
}
// Either may be the last owner, and drop the task.
#[test]
fn wrong_waker_dropped_by_whom() {
    let told = Arc::new(AtomicBool::new(false));
    let task = Task { is_dropped: Some(told.clone()), woken: AtomicBool::new(false) };
    let waker = waker(Arc::new(task), &COUNTS);
    let clone = waker.clone();
    let t = spawn(move || clone.wake());
    drop(waker);
    assert!(told.load(SeqCst), "the thread has it");
    t.join().unwrap();
}

// A `Weak` in a `ManuallyDrop` is a weak reference as any other.
#[test]
fn wrong_weak_given_up() {
    let a = Arc::new(5);
    let mut w = ManuallyDrop::new(Arc::downgrade(&a));
    let t = spawn(move || unsafe { ManuallyDrop::drop(&mut w) });
    assert_eq!(Arc::weak_count(&a), 1);
    t.join().unwrap();
}
#[test]
fn right_weak_kept() {
    let a = Arc::new(5);
    let w = Arc::downgrade(&a);
    let (kept, of_thread) = (ManuallyDrop::new(w.clone()), a.clone());
    let t = spawn(move || drop(w));
    assert!(Arc::weak_count(&of_thread) >= 1 && kept.upgrade().is_some());
    t.join().unwrap();
    drop(ManuallyDrop::into_inner(kept));
}
#[test]
fn wrong_weak_upgrade() {
    let a = Arc::new(5);
    let raw = Raw(Arc::downgrade(&a).into_raw());
    let t = spawn(move || ManuallyDrop::into_inner(raw.weak()).upgrade().is_some());
    drop(a);
    assert!(t.join().unwrap());
}
// The block is there as long as a weak reference is.
fn weak_raw(is_taken: bool) {
    let a = Arc::new(5);
    let raw = Raw(Arc::downgrade(&a).into_raw());
    let p = raw.0;
    let t = spawn(move || {
        let weak = Weak::clone(&raw.weak());
        black_box(weak.upgrade().is_some())
    });
    drop(a);
    if is_taken {
        drop(unsafe { Weak::from_raw(p) });
        t.join().unwrap();
    } else {
        t.join().unwrap();
        drop(unsafe { Weak::from_raw(p) });
    }
}
#[test]
fn wrong_weak_clone_of_what_has_gone() {
    weak_raw(true)
}
#[test]
fn right_weak_clone() {
    weak_raw(false)
}
// A thread that gives up a weak reference which is not counted gives the block back under the others.
#[test]
fn wrong_weak_twice() {
    let a = Arc::new(5);
    let raw = Raw(Arc::downgrade(&a).into_raw());
    let t = spawn(move || {
        drop(ManuallyDrop::into_inner(raw.weak()));
        drop(ManuallyDrop::into_inner(raw.weak()));
    });
    drop(a);
    t.join().unwrap();
}
