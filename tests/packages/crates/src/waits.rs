//! Who waits for ever inside of a crate: told as what the test called.

use std::sync::Arc;
use std::thread;

#[test]
fn wrong_two_orders() {
    let left = Arc::new(parking_lot::Mutex::new(0));
    let right = Arc::new(parking_lot::Mutex::new(0));
    let (l, r) = (left.clone(), right.clone());
    let other = thread::spawn(move || {
        let _r = r.lock();
        let _l = l.lock(); // wants left
    });
    {
        let _l = left.lock(); // has left
        let _r = right.lock(); // wants right
    }
    other.join().unwrap();
}

#[test]
fn wrong_notified_before_the_wait() {
    let pair = Arc::new((parking_lot::Mutex::new(()), parking_lot::Condvar::new()));
    let p = pair.clone();
    let other = thread::spawn(move || {
        p.1.notify_one();
    });
    let mut guard = pair.0.lock();
    pair.1.wait(&mut guard); // waits in vain
    drop(guard);
    other.join().unwrap();
}

#[test]
fn wrong_a_reader_writes() {
    let table = Arc::new(parking_lot::RwLock::new(0));
    let _read = table.read();
    let _write = table.write(); // writes
}

#[test]
fn wrong_a_guard_is_kept() {
    let map = dashmap::DashMap::new();
    map.insert(1, 1);
    let guard = map.get(&1).unwrap();
    map.insert(1, *guard + 1); // inserts
}

#[test]
fn wrong_each_needs_the_other() {
    use once_cell::sync::Lazy;
    static A: Lazy<i32> = Lazy::new(|| *B);
    static B: Lazy<i32> = Lazy::new(|| *A);
    let other = thread::spawn(|| *A);
    let _ = *B;
    other.join().unwrap();
}

#[test]
fn wrong_a_sender_is_kept() {
    let (tx, rx) = crossbeam_channel::unbounded();
    let kept = tx.clone();
    thread::spawn(move || tx.send(1).unwrap());
    assert_eq!(rx.iter().count(), 1); // receives by crossbeam
    drop(kept);
}

#[test]
fn wrong_nobody_makes_room() {
    let (tx, rx) = flume::bounded(1);
    let other = thread::spawn(move || {
        tx.send(1).unwrap();
        tx.send(2).unwrap(); // sends by flume
    });
    other.join().unwrap();
    assert_eq!(rx.recv(), Ok(1));
}

#[test]
fn wrong_a_sender_of_std_is_kept() {
    let (tx, rx) = std::sync::mpsc::channel();
    let kept = tx.clone();
    thread::spawn(move || tx.send(1).unwrap());
    assert_eq!(rx.iter().count(), 1); // receives by std
    drop(kept);
}

/// The guard that the other thread gets is given back again: nobody holds the lock at the end.
#[test]
fn wrong_waits_for_more_than_the_lock() {
    let pair = Arc::new((parking_lot::Mutex::new(0), parking_lot::Condvar::new()));
    let p = pair.clone();
    let other = thread::spawn(move || {
        *p.0.lock() += 1;
        p.1.notify_all();
    });
    let mut guard = pair.0.lock();
    while *guard < 2 {
        pair.1.wait(&mut guard); // waits for two
    }
    drop(guard);
    other.join().unwrap();
}

/// The time may be over before anything is sent.
#[test]
fn wrong_nothing_comes_in_time() {
    let (tx, rx) = crossbeam_channel::bounded(1);
    let other = thread::spawn(move || drop(tx.send(1)));
    rx.recv_timeout(std::time::Duration::from_secs(5)).unwrap();
    other.join().unwrap();
}

/// The sender stays alive, so who is too late waits.
#[test]
fn wrong_asks_before_it_receives() {
    let (tx, rx) = crossbeam_channel::unbounded();
    tx.send(1).unwrap();
    tx.send(2).unwrap();
    let sum = |rx: crossbeam_channel::Receiver<u32>| {
        let mut sum = 0;
        while !rx.is_empty() {
            sum += rx.recv().unwrap(); // asked
        }
        sum
    };
    let second = rx.clone();
    let other = thread::spawn(move || sum(second));
    let own = sum(rx);
    assert_eq!(own + other.join().unwrap(), 3);
    drop(tx);
}

#[test]
fn wrong_sends_to_itself() {
    let (tx, rx) = crossbeam_channel::bounded(1);
    let back = tx.clone();
    let other = thread::spawn(move || {
        for _ in 0..3 {
            if rx.recv() == Ok(1) {
                back.send(0).unwrap(); // sends to itself
            }
        }
    });
    tx.send(1).unwrap();
    tx.send(2).unwrap();
    other.join().unwrap();
}
