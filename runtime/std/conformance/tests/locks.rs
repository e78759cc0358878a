//! Mutexes, condition variables, read-write locks, barriers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::*;
use std::thread;
use std::time::Duration;

const MOMENT: Duration = Duration::from_millis(1);

/// Crates assert the sizes of structs that have some of these.
#[test]
fn locks_have_the_size_of_their_words() {
    assert_eq!([size_of::<Mutex<()>>(), size_of::<Mutex<u32>>(), size_of::<Mutex<u64>>()], [8, 12, 16]);
    assert_eq!([size_of::<RwLock<()>>(), size_of::<RwLock<u32>>(), size_of::<RwLock<u64>>()], [12, 16, 24]);
    assert_eq!([size_of::<Condvar>(), size_of::<Once>(), size_of::<Barrier>()], [4, 4, 40]);
    assert_eq!(size_of::<RwLockReadGuard<'_, u8>>(), 16);
    assert_eq!([size_of::<thread::Thread>(), size_of::<thread::JoinHandle<u8>>()], [8, 24]);
}

#[test]
fn a_mutex_excludes() {
    let count = Mutex::new(0);
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let mut count = count.lock().unwrap();
                let now = *count;
                thread::yield_now();
                *count = now + 1;
            });
        }
    });
    assert_eq!(count.into_inner().unwrap(), 2);
}

#[test]
fn try_lock_says_no() {
    let mutex = Mutex::new(());
    let guard = mutex.lock().unwrap();
    thread::scope(|s| {
        s.spawn(|| assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock))));
    });
    drop(guard);
    assert!(mutex.try_lock().is_ok());
    assert_eq!(format!("{mutex:?}"), "Mutex { data: (), poisoned: false, .. }");
}

#[test]
fn a_panic_poisons_a_mutex() {
    let mutex = Arc::new(Mutex::new(1));
    let other = mutex.clone();
    let panicked = thread::spawn(move || {
        let _guard = other.lock().unwrap();
        panic!("with the lock held");
    });
    assert!(panicked.join().is_err());
    assert!(mutex.is_poisoned());
    assert_eq!(*mutex.lock().unwrap_err().into_inner(), 1);
    assert!(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
    mutex.clear_poison();
    assert!(mutex.lock().is_ok());
}

#[test]
fn a_condvar_wakes() {
    let (ready, condvar) = (Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            *ready.lock().unwrap() = true;
            condvar.notify_one();
        });
        let guard = condvar.wait_while(ready.lock().unwrap(), |ready| !*ready).unwrap();
        assert!(*guard);
    });
}

#[test]
fn a_wait_times_out() {
    let (mutex, condvar) = (Mutex::new(0), Condvar::new());
    let (guard, result) = condvar.wait_timeout(mutex.lock().unwrap(), MOMENT).unwrap();
    assert!(result.timed_out());
    let (_guard, result) = condvar.wait_timeout_while(guard, MOMENT, |_| true).unwrap();
    assert!(result.timed_out());
}

#[test]
fn readers_share_and_writers_do_not() {
    let lock = RwLock::new(1);
    {
        let (a, b) = (lock.read().unwrap(), lock.try_read().unwrap());
        assert_eq!(*a + *b, 2);
        assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    }
    let mut writer = lock.write().unwrap();
    *writer = 2;
    assert!(matches!(lock.try_read(), Err(TryLockError::WouldBlock)));
    let reader = RwLockWriteGuard::downgrade(writer);
    assert_eq!(*reader + *lock.read().unwrap(), 4);
}

#[test]
fn a_write_lock_excludes() {
    let lock = RwLock::new((0, 0));
    thread::scope(|s| {
        s.spawn(|| {
            let mut pair = lock.write().unwrap();
            pair.0 += 1;
            thread::yield_now();
            pair.1 += 1;
        });
        let pair = *lock.read().unwrap();
        assert_eq!(pair.0, pair.1);
    });
}

#[test]
fn only_writers_poison_a_read_write_lock() {
    let lock = RwLock::new(0);
    let panic_with = |f: &dyn Fn()| assert!(catch_unwind(AssertUnwindSafe(f)).is_err());
    panic_with(&|| {
        let _reader = lock.read().unwrap();
        panic!("reading");
    });
    assert!(!lock.is_poisoned());
    panic_with(&|| {
        let _writer = lock.write().unwrap();
        panic!("writing");
    });
    assert!(lock.read().is_err() && lock.try_write().is_err());
    lock.clear_poison();
    assert_eq!(format!("{lock:?}"), "RwLock { data: 0, poisoned: false, .. }");
}

#[test]
fn a_barrier_has_one_leader() {
    let barrier = Barrier::new(2);
    thread::scope(|s| {
        let other = s.spawn(|| barrier.wait().is_leader());
        let here = barrier.wait().is_leader();
        assert_ne!(here, other.join().unwrap());
    });
}
