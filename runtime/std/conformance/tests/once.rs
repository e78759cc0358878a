//! One-time initialisation.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::*;
use std::thread;

fn panics(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

#[test]
fn once_means_once() {
    let (once, calls) = (Once::new(), AtomicU32::new(0));
    let call = || {
        once.call_once(|| {
            calls.fetch_add(1, SeqCst);
        });
        assert_eq!(calls.load(SeqCst), 1);
    };
    thread::scope(|s| {
        s.spawn(call);
        call();
    });
    assert!(once.is_completed());
    once.wait();
}

#[test]
fn a_panic_poisons_a_once() {
    let once = Once::new();
    assert!(panics(|| once.call_once(|| panic!("first"))));
    assert!(panics(|| once.call_once(|| ())));
    assert!(panics(|| once.wait()));
    once.call_once_force(|state| assert!(state.is_poisoned()));
    once.call_once(|| panic!("not called"));
}

#[test]
fn a_once_lock_is_set_by_one() {
    let lock = OnceLock::new();
    thread::scope(|s| {
        let set = |value| lock.set(value).is_ok();
        let other = s.spawn(move || set(1));
        assert_ne!(set(2), other.join().unwrap());
    });
    assert!([Some(&1), Some(&2)].contains(&lock.get()));
    assert_eq!(lock.clone(), lock);
}

#[test]
fn a_once_lock_waits_for_its_value() {
    let lock = OnceLock::new();
    thread::scope(|s| {
        s.spawn(|| lock.get_or_init(|| 5));
        assert_eq!(*lock.wait(), 5);
    });
}

#[test]
fn a_once_lock_can_be_emptied() {
    let mut lock = OnceLock::from("a".to_owned());
    lock.get_mut().unwrap().push('b');
    assert_eq!(lock.take().as_deref(), Some("ab"));
    assert_eq!(lock.get_or_init(|| "c".to_owned()), "c");
    assert_eq!(format!("{lock:?} {:?}", OnceLock::<u8>::new()), "OnceLock(\"c\") OnceLock(<uninit>)");
    assert!(panics(|| _ = OnceLock::new().get_or_init(|| -> u8 { panic!("in it") })));
}

#[test]
fn a_lazy_lock_is_made_when_asked_for() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    static LAZY: LazyLock<u32> = LazyLock::new(|| CALLS.fetch_add(1, SeqCst) + 10);
    // Fresh in every execution: otherwise it would be there already.
    assert_eq!((LazyLock::get(&LAZY), CALLS.load(SeqCst)), (None, 0));
    thread::scope(|s| {
        s.spawn(|| assert_eq!(*LAZY, 10));
        assert_eq!(*LAZY, 10);
    });
    assert_eq!(CALLS.load(SeqCst), 1);
}

#[test]
fn a_lazy_lock_stays_poisoned() {
    let dropped = Cell::new(0);
    struct Count<'a>(&'a Cell<u32>);
    impl Drop for Count<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let count = Count(&dropped);
    let mut lazy = LazyLock::new(|| -> u32 {
        let _count = count;
        panic!("first")
    });
    assert!(panics(|| _ = LazyLock::force(&lazy)));
    assert!(panics(|| _ = LazyLock::force_mut(&mut lazy)));
    assert_eq!((LazyLock::get_mut(&mut lazy), dropped.get()), (None, 1));
    let mut lazy = LazyLock::new(|| 1);
    *lazy += 1;
    assert_eq!(*lazy, 2);
}
