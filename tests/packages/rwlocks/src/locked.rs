//! Who reads waits for mutexes, and to write, and so does who has these: nobody can tell that a writer waits. Or nobody writes
//! beside the others.

use crate::seen;
use std::sync::{Barrier, Condvar, Mutex, RwLock};
use std::thread;

/// Threads that lock while they read, so many times each, and threads that write.
fn run(readers: usize, times: usize, writers: usize) {
    let (lock, sum) = (RwLock::new(1), Mutex::new(0));
    thread::scope(|s| {
        for _ in 0..readers {
            s.spawn(|| {
                for _ in 0..times {
                    let read = lock.read().unwrap();
                    *sum.lock().unwrap() += usize::from(*read > 0);
                }
            });
        }
        for _ in 0..writers {
            s.spawn(|| *lock.write().unwrap() += 1);
        }
    });
    assert_eq!(*sum.lock().unwrap(), readers * times);
}

#[test]
fn readers_2() {
    run(2, 1, 0);
}

#[test]
fn readers_2_twice() {
    run(2, 2, 0);
}

#[test]
fn readers_3() {
    run(3, 1, 0);
}

#[test]
fn readers_2_writers_1() {
    run(2, 1, 1);
}

/// Nobody writes when there are others.
#[test]
fn written_before() {
    let lock = RwLock::new(0);
    *lock.write().unwrap() = 1;
    let both = Barrier::new(2);
    let read = || {
        let read = lock.read().unwrap();
        both.wait();
        *lock.read().unwrap() + *read
    };
    thread::scope(|s| {
        s.spawn(read);
        assert_eq!(read(), 2);
    });
}

/// A wait gives its mutex back, so who waits has none.
#[test]
fn a_wait_beside_it() {
    let (lock, ready, told) = (RwLock::new(0), Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| *lock.write().unwrap() += 1);
        s.spawn(|| {
            let _read = lock.read().unwrap();
            *ready.lock().unwrap() = true;
            told.notify_one();
        });
        drop(told.wait_while(ready.lock().unwrap(), |ready| !*ready));
    });
}

#[test]
fn wrong_upgrade() {
    let lock = RwLock::new(0);
    let _reads = lock.read();
    drop(lock.write());
}

/// Two locks in two orders, one of them to read.
#[test]
fn wrong_order() {
    let (lock, mutex) = (RwLock::new(0), Mutex::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            let _held = mutex.lock();
            *lock.write().unwrap() += 1;
        });
        let _reads = lock.read();
        drop(mutex.lock());
    });
}

/// What is found under the two, by who comes first.
#[test]
fn pair_outcomes() {
    let (lock, all) = (RwLock::new(0), Mutex::new(Vec::new()));
    thread::scope(|s| {
        s.spawn(|| {
            *lock.write().unwrap() += 1;
            all.lock().unwrap().push("written");
        });
        let read = lock.read().unwrap();
        all.lock().unwrap().push(["none", "one"][*read]);
    });
    seen(all.into_inner().unwrap().join(" "));
}
