//! Safe: jobs whose closing goes unseen, the best offer under a read-write lock, a door that is bolted between a look and a
//! change, and a lock that is left in a panic.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::thread;

#[derive(Default)]
pub struct Jobs {
    queue: Mutex<VecDeque<u32>>,
    more: Condvar,
    closed: AtomicBool,
}

impl Jobs {
    pub fn take(&self) -> Option<u32> {
        let mut queue = self.queue.lock().unwrap();
        loop {
            if let Some(job) = queue.pop_front() {
                return Some(job);
            }
            if self.closed.load(SeqCst) {
                return None;
            }
            queue = self.more.wait(queue).unwrap();
        }
    }

    pub fn close(&self) {
        self.closed.store(true, SeqCst);
        self.more.notify_all();
    }
}

#[test]
fn closed() {
    let jobs = Arc::new(Jobs::default());
    let other = jobs.clone();
    let worker = thread::spawn(move || other.take());
    jobs.close();
    assert_eq!(worker.join().unwrap(), None);
}

#[derive(Default)]
pub struct Best {
    best: RwLock<Option<u32>>,
}

impl Best {
    pub fn offer(&self, offered: u32) {
        let is_better = self.best.read().unwrap().is_none_or(|best| offered > best);
        if is_better {
            *self.best.write().unwrap() = Some(offered);
        }
    }
}

#[test]
fn keeps_the_best() {
    let best = Arc::new(Best::default());
    let offers: Vec<_> = [3, 9]
        .into_iter()
        .map(|offered| {
            let best = best.clone();
            thread::spawn(move || best.offer(offered))
        })
        .collect();
    for offer in offers {
        offer.join().unwrap();
    }
    assert_eq!(*best.best.read().unwrap(), Some(9));
}

#[derive(Default)]
pub struct Door {
    state: RwLock<u32>,
}

impl Door {
    pub fn open(&self) {
        let state = *self.state.read().unwrap();
        if state == 0 {
            *self.state.write().unwrap() = 1;
        }
    }

    pub fn bolt(&self) {
        *self.state.write().unwrap() = 2;
    }
}

#[test]
fn stays_bolted() {
    let door = Arc::new(Door::default());
    let other = door.clone();
    let t = thread::spawn(move || other.open());
    door.bolt();
    t.join().unwrap();
    assert_eq!(*door.state.read().unwrap(), 2);
}

#[test]
fn poisoned() {
    let names = Arc::new(Mutex::new(vec!["a"]));
    let other = names.clone();
    let t = thread::spawn(move || {
        let names = other.lock().unwrap();
        assert!(names.len() == 1, "too late");
    });
    names.lock().unwrap().push("b");
    names.lock().unwrap().push("c");
    drop(t.join());
}
