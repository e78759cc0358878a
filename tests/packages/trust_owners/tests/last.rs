//! What the last owner of an `Arc` knows of the others, by each method that finds out: what they did before they went, and
//! nothing of what they did behind that.
use std::cell::UnsafeCell;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, spawn};

#[derive(Default)]
struct Plain(UnsafeCell<u32>);
// SAFETY: none; the tests called wrong race.
unsafe impl Sync for Plain {}
impl Plain {
    fn leaked() -> &'static Plain {
        Box::leak(Box::default())
    }
    fn set(&self, n: u32) {
        unsafe { *self.0.get() = n }
    }
    fn get(&self) -> u32 {
        black_box(unsafe { *self.0.get() })
    }
}

fn before<T: ?Sized + Send + Sync + 'static>(a: Arc<T>, is_alone: impl FnOnce(Arc<T>) -> bool) {
    let seen = Plain::leaked();
    let b = a.clone();
    let t = spawn(move || {
        seen.set(2);
        drop(b)
    });
    if is_alone(a) {
        assert_eq!(seen.get(), 2)
    }
    t.join().unwrap();
}
fn behind<T: ?Sized + Send + Sync + 'static>(a: Arc<T>, is_alone: impl FnOnce(Arc<T>) -> bool) {
    let seen = Plain::leaked();
    let b = a.clone();
    let t = spawn(move || {
        drop(b);
        seen.set(2)
    });
    if is_alone(a) {
        seen.get();
    }
    t.join().unwrap();
}
macro_rules! methods { ($($right:ident $wrong:ident: $new:expr, $is_alone:expr;)*) => { $(
    #[test] fn $right() { before($new, $is_alone) }
    #[test] fn $wrong() { behind($new, $is_alone) }
)* } }
methods! {
    right_try_unwrap wrong_try_unwrap: Arc::new(1), |a| Arc::try_unwrap(a).is_ok();
    right_into_inner wrong_into_inner: Arc::new(1), |a| Arc::into_inner(a).is_some();
    right_get_mut wrong_get_mut: Arc::from("a"), |mut a: Arc<str>| Arc::get_mut(&mut a).is_some();
    right_get_mut_dyn wrong_get_mut_dyn: Arc::new(1) as Arc<dyn Send + Sync>, |mut a| Arc::get_mut(&mut a).is_some();
    right_make_mut wrong_make_mut: Arc::new(1), |mut a| { let p = Arc::as_ptr(&a); Arc::make_mut(&mut a); p == Arc::as_ptr(&a) };
    right_unwrap_or_clone wrong_unwrap_or_clone: Arc::new(Cloned(false)), |a: Arc<Cloned>| !Arc::unwrap_or_clone(a).0;
    // The relaxed load orders nothing. It has seen the other decrement, and what that published comes with the drop.
    right_count_then_drop wrong_count_then_drop: Arc::new(1), |a| Arc::strong_count(&a) == 1;
}
struct Cloned(bool);
impl Clone for Cloned {
    fn clone(&self) -> Self {
        Cloned(true)
    }
}
#[test]
fn wrong_count() {
    let a = Arc::new(1);
    before(a.clone(), |b| {
        drop(a);
        let is_alone = Arc::strong_count(&b) == 1;
        std::mem::forget(b);
        is_alone
    })
}
#[test]
fn wrong_upgrade_fails() {
    let a = Arc::new(1);
    let w = Arc::downgrade(&a);
    let seen = Plain::leaked();
    let t = spawn(move || {
        seen.set(2);
        drop(a)
    });
    if w.upgrade().is_none() {
        seen.get();
    }
    t.join().unwrap();
}

// The thread that upgrades drops for main, and its own weak reference gives the block back.
#[test]
fn right_upgrade() {
    let a = Arc::new(Plain::default());
    a.set(1);
    let w = Arc::downgrade(&a);
    let t = spawn(move || w.upgrade().map(|a| a.get()));
    drop(a);
    assert!(t.join().unwrap().is_none_or(|n| n == 1));
}
#[test]
fn wrong_upgrade() {
    let seen = Plain::leaked();
    let a = Arc::new(1);
    let w = Arc::downgrade(&a);
    let t = spawn(move || {
        drop(w.upgrade());
        drop(w);
        seen.set(2)
    });
    seen.set(1);
    drop(a);
    t.join().unwrap();
}
// A relaxed load of the weak count orders nothing.
#[test]
fn wrong_weak_count_as_a_flag() {
    let seen = Plain::leaked();
    let a = Arc::new(1);
    let w = Arc::downgrade(&a);
    let t = spawn(move || {
        seen.set(2);
        drop(w)
    });
    if Arc::weak_count(&a) == 0 {
        seen.get();
    }
    t.join().unwrap();
}

#[test]
fn right_raw() {
    let a = Arc::into_raw(Arc::new(3)).expose_provenance();
    let p = move || std::ptr::with_exposed_provenance::<i32>(a);
    unsafe { Arc::increment_strong_count(p()) };
    let last = move || unsafe {
        assert_eq!(*p(), 3);
        Arc::decrement_strong_count(p())
    };
    let t = spawn(last);
    last();
    t.join().unwrap();
}
#[test]
fn wrong_raw() {
    let a = Arc::into_raw(Arc::new(3)).expose_provenance();
    let p = move || std::ptr::with_exposed_provenance::<i32>(a);
    let t = spawn(move || unsafe {
        Arc::increment_strong_count(p());
        Arc::decrement_strong_count(p())
    });
    unsafe { Arc::decrement_strong_count(p()) };
    t.join().unwrap();
}

// A thread that loads the pointer is no owner yet. One that holds the lock is.
fn replaced(read: impl FnOnce(&AtomicPtr<i32>, &Mutex<()>) -> i32, is_locked: bool) {
    static LOCK: Mutex<()> = Mutex::new(());
    let of = |n: i32| Arc::into_raw(Arc::new(n)).cast_mut();
    let shared: &AtomicPtr<i32> = Box::leak(Box::new(AtomicPtr::new(of(1))));
    let t = spawn(move || {
        let locked = is_locked.then(|| LOCK.lock().unwrap());
        let old = shared.swap(of(1), SeqCst);
        drop(locked);
        drop(unsafe { Arc::from_raw(old) });
    });
    assert_eq!(read(shared, &LOCK), 1);
    t.join().unwrap();
}
fn cloned(shared: &AtomicPtr<i32>) -> Arc<i32> {
    let p = shared.load(SeqCst);
    unsafe {
        Arc::increment_strong_count(p);
        Arc::from_raw(p)
    }
}
#[test]
fn wrong_pointer() {
    replaced(|shared, _| *cloned(shared), false)
}
#[test]
fn right_pointer() {
    let read = |shared: &_, lock: &Mutex<()>| {
        let locked = lock.lock().unwrap();
        let arc = cloned(shared);
        drop(locked);
        *arc
    };
    replaced(read, true)
}

fn both_drop<T: ?Sized + Send + Sync + 'static>(a: Arc<T>) {
    let seen = Plain::leaked();
    let b = a.clone();
    let t = spawn(move || {
        drop(b);
        seen.set(2)
    });
    seen.set(1);
    drop(a);
    t.join().unwrap();
}
macro_rules! kinds { ($($wrong:ident: $new:expr;)*) => { $( #[test] fn $wrong() { both_drop($new) } )* } }
kinds! {
    wrong_dyn: Arc::new(7) as Arc<dyn Send + Sync>;
    wrong_slice: Arc::<[u8]>::from(vec![1]);
    wrong_str: Arc::<str>::from("a");
    wrong_unit: Arc::new(());
    wrong_boxes: Arc::new(vec![Box::new(1), Box::new(2)]);
    wrong_arcs: Arc::new(vec![Arc::<str>::from("a"), "b".into()]);
    wrong_large: Arc::new([0u64; 5000]);
    wrong_cyclic: Arc::new_cyclic(|me| Me(me.clone()));
}
struct Me(#[allow(dead_code)] std::sync::Weak<Me>);

struct Does(fn());
impl Drop for Does {
    fn drop(&mut self) {
        (self.0)()
    }
}
fn does(at_the_end: fn()) -> bool {
    let a = Arc::new(Does(at_the_end));
    let b = a.clone();
    let t = spawn(move || drop(b));
    let panicked = catch_unwind(AssertUnwindSafe(|| drop(a))).is_err();
    assert!(t.join().is_ok() || !panicked, "both panic");
    panicked
}
static WHO: Mutex<Option<thread::ThreadId>> = Mutex::new(None);
fn locks() {
    *WHO.lock().unwrap() = Some(thread::current().id())
}
#[test]
fn right_locks() {
    does(locks);
    assert!(WHO.lock().unwrap().is_some());
}
#[test]
fn wrong_locks_in_main() {
    does(locks);
    assert_eq!(*WHO.lock().unwrap(), Some(thread::current().id()));
}
#[test]
fn wrong_locks_in_the_thread() {
    does(locks);
    assert_ne!(*WHO.lock().unwrap(), Some(thread::current().id()));
}
#[test]
fn right_spawns() {
    does(|| spawn(|| ()).join().unwrap());
}
#[test]
fn right_panics() {
    does(|| panic!("at the end"));
}
#[test]
fn wrong_panics_in_main() {
    assert!(does(|| panic!("at the end")));
}
#[test]
fn wrong_panics_in_the_thread() {
    assert!(!does(|| panic!("at the end")));
}
#[test]
fn right_sends() {
    struct Sends(mpsc::Sender<u32>);
    impl Drop for Sends {
        fn drop(&mut self) {
            self.0.send(1).unwrap()
        }
    }
    let (sender, receiver) = mpsc::channel();
    let a = Arc::new(Sends(sender));
    let b = a.clone();
    let t = spawn(move || drop(b));
    drop(a);
    assert_eq!(receiver.recv(), Ok(1));
    assert!(receiver.recv().is_err());
    t.join().unwrap();
}
#[test]
fn wrong_writes() {
    static SEEN: Plain = Plain(UnsafeCell::new(0));
    let a = Arc::new(Does(|| SEEN.set(1)));
    let b = a.clone();
    let t = spawn(move || drop(b));
    drop(a);
    SEEN.get();
    t.join().unwrap();
}
