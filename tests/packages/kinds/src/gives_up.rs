//! What came to nothing: a wait that is not looked at again, a lock that was tried, a time limit, a look at who is last.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// The producer gives the lock back before it notifies, so another consumer may come in between.
#[test]
fn takes_what_is_gone() {
    let shelf = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let consumers = [(); 2].map(|()| {
        let shelf = shelf.clone();
        thread::spawn(move || {
            let mut books = shelf.0.lock().unwrap();
            if books.is_empty() {
                books = shelf.1.wait(books).unwrap(); // waits once
            }
            books.pop().unwrap()
        })
    });
    for book in 0..2 {
        shelf.0.lock().unwrap().push(book);
        shelf.1.notify_one();
    }
    let taken: u32 = consumers.into_iter().map(|c| c.join().unwrap()).sum();
    assert_eq!(taken, 1);
}

#[test]
fn does_not_get_the_lock() {
    let clicks = Mutex::new(0);
    let click = || {
        if let Ok(mut clicks) = clicks.try_lock() { // tries
            *clicks += 1;
        }
    };
    thread::scope(|s| {
        s.spawn(click);
        click();
    });
    assert_eq!(*clicks.lock().unwrap(), 2);
}

#[test]
fn waits_too_short() {
    let answer = (Mutex::new(None), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            *answer.0.lock().unwrap() = Some(42);
            answer.1.notify_one();
        });
        let mut value = answer.0.lock().unwrap();
        if value.is_none() {
            value = answer.1.wait_timeout(value, Duration::from_secs(5)).unwrap().0; // in time
        }
        assert_eq!(*value, Some(42));
    });
}

#[test]
fn thinks_that_another_one_is_last() {
    static OFF: AtomicBool = AtomicBool::new(false);
    let room = Arc::new(String::from("hall"));
    let leave = |room: Arc<String>| {
        if Arc::strong_count(&room) == 1 {
            OFF.store(true, SeqCst);
        }
        drop(room); // leaves
    };
    let second = room.clone();
    let guest = thread::spawn(move || leave(second));
    leave(room);
    guest.join().unwrap();
    assert!(OFF.load(SeqCst));
}

#[test]
fn the_first_result_is_enough() {
    let (sender, results) = std::sync::mpsc::channel();
    let shards = [10, 20].map(|found| {
        let sender = sender.clone();
        thread::spawn(move || sender.send(found).unwrap()) // sends
    });
    let first = results.recv().unwrap();
    drop(results); // drops
    for shard in shards {
        shard.join().unwrap();
    }
    assert!(first == 10 || first == 20);
}
