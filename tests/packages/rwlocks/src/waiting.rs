//! Somebody waits while reading: then a writer that waits too may keep out the reader that is waited for.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Barrier, Condvar, Mutex, RwLock, mpsc};
use std::thread;

/// A thread reads and then waits for another that reads, while a third wants to write.
fn wrong(waits: impl FnOnce(), lets: impl FnOnce() + Send) {
    let lock = RwLock::new(0);
    thread::scope(|s| {
        s.spawn(|| drop(lock.write()));
        s.spawn(|| {
            drop(lock.read());
            lets();
        });
        let _reads = lock.read();
        waits();
    });
}

#[test]
fn wrong_read_twice() {
    let lock = RwLock::new(0);
    thread::scope(|s| {
        s.spawn(|| drop(lock.write()));
        let _one = lock.read();
        let _other = lock.read();
    });
}

#[test]
fn wrong_park() {
    let main = thread::current();
    wrong(thread::park, move || main.unpark());
}

#[test]
fn wrong_barrier() {
    let both = Barrier::new(2);
    wrong(|| drop(both.wait()), || drop(both.wait()));
}

#[test]
fn wrong_receive() {
    let (sender, receiver) = mpsc::channel();
    wrong(|| receiver.recv().unwrap(), move || sender.send(()).unwrap());
}

#[test]
fn wrong_flag() {
    let flag = AtomicBool::new(false);
    wrong(|| while !flag.load(SeqCst) {}, || flag.store(true, SeqCst));
}

#[test]
fn wrong_condvar() {
    let (done, told) = (Mutex::new(false), Condvar::new());
    let lets = || {
        *done.lock().unwrap() = true;
        told.notify_one();
    };
    wrong(|| drop(told.wait_while(done.lock().unwrap(), |done| !*done)), lets);
}

#[test]
fn wrong_join() {
    let lock = RwLock::new(0);
    thread::scope(|s| {
        s.spawn(|| drop(lock.write()));
        let other = s.spawn(|| drop(lock.read()));
        let _reads = lock.read();
        other.join().unwrap();
    });
}

/// The reader waits for a mutex whose holder waits for somebody who reads.
#[test]
fn wrong_holder() {
    let (lock, mutex) = (RwLock::new(0), Mutex::new(0));
    thread::scope(|s| {
        s.spawn(|| drop(lock.write()));
        let holder = s.spawn(|| {
            let _held = mutex.lock();
            thread::park();
        });
        let (lock, holder) = (&lock, holder.thread().clone());
        s.spawn(move || {
            drop(lock.read());
            holder.unpark();
        });
        let _reads = lock.read();
        drop(mutex.lock());
    });
}

/// The reader waits for a mutex whose holder reads.
#[test]
fn wrong_mutex() {
    let (lock, mutex) = (RwLock::new(0), Mutex::new(0));
    thread::scope(|s| {
        s.spawn(|| drop(lock.write()));
        s.spawn(|| {
            let _held = mutex.lock();
            drop(lock.read());
        });
        let _reads = lock.read();
        drop(mutex.lock());
    });
}
