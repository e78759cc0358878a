//! Mutexes and condition variables.

use crate::threads::{run_all, run_in_order};
use std::sync::{Condvar, Mutex};

fn mutex(t: usize, n: usize) {
    run_all(t, (Mutex::new(0), n), |(c, n), _| {
        for _ in 0..*n {
            *c.lock().unwrap() += 1;
        }
    });
}

#[test]
fn mutex_2x2() {
    mutex(2, 2);
}

#[test]
fn mutex_3x2() {
    mutex(3, 2);
}

#[test]
fn mutex_3x3() {
    mutex(3, 3);
}

#[test]
fn mutex_4x2() {
    mutex(4, 2);
}

const SIZE: usize = 128;

fn indexer(n: usize) {
    let table: Vec<Mutex<usize>> = (0..SIZE).map(|_| Mutex::new(0)).collect();
    run_all(n, table, |table, tid| {
        for m in 1..=4 {
            let w = m * 11 + tid;
            let mut h = w * 7 % SIZE;
            while !cas(&table[h], 0, w) {
                h = (h + 1) % SIZE;
            }
        }
    });
}

/// A load and a store under the place's mutex.
fn cas(place: &Mutex<usize>, expected: usize, value: usize) -> bool {
    let mut place = place.lock().unwrap();
    let done = *place == expected;
    if done {
        *place = value;
    }
    done
}

#[test]
fn indexer_11() {
    indexer(11);
}

#[test]
fn indexer_12() {
    indexer(12);
}

#[test]
fn indexer_13() {
    indexer(13);
}

const INODES: usize = 32;
const BLOCKS: usize = 26;

struct Filesystem {
    /// The inode's block and one, under the inode's lock.
    inodes: Vec<Mutex<usize>>,
    /// Is it taken?
    blocks: Vec<Mutex<bool>>,
}

fn filesystem(n: usize) {
    let shared = Filesystem {
        inodes: (0..INODES).map(|_| Mutex::new(0)).collect(),
        blocks: (0..BLOCKS).map(|_| Mutex::new(false)).collect(),
    };
    run_all(n, shared, |shared, i| {
        let mut inode = shared.inodes[i].lock().unwrap();
        if *inode != 0 {
            return;
        }
        let mut b = 2 * i % BLOCKS;
        loop {
            let mut busy = shared.blocks[b].lock().unwrap();
            if !*busy {
                *busy = true;
                *inode = b + 1;
                break;
            }
            drop(busy);
            b = (b + 1) % BLOCKS;
        }
    });
}

#[test]
fn filesystem_13() {
    filesystem(13);
}

#[test]
fn filesystem_14() {
    filesystem(14);
}

#[test]
fn filesystem_16() {
    filesystem(16);
}

fn philosophers(n: usize, ordered: bool) {
    let forks: Vec<Mutex<()>> = (0..n).map(|_| Mutex::new(())).collect();
    run_all(n, (forks, ordered), |(forks, ordered), i| {
        let (mut one, mut other) = (i, (i + 1) % forks.len());
        if *ordered && other < one {
            (one, other) = (other, one);
        }
        let _one = forks[one].lock().unwrap();
        let _other = forks[other].lock().unwrap();
    });
}

#[test]
fn philosophers_3() {
    philosophers(3, false);
}

#[test]
fn philosophers_5() {
    philosophers(5, false);
}

#[test]
fn ordered_philosophers_3() {
    philosophers(3, true);
}

#[test]
fn ordered_philosophers_4() {
    philosophers(4, true);
}

#[derive(Default)]
struct Queue {
    filled: Mutex<bool>,
    not_full: Condvar,
    not_empty: Condvar,
}

impl Queue {
    fn put(&self) {
        let mut filled = self.filled.lock().unwrap();
        while *filled {
            filled = self.not_full.wait(filled).unwrap();
        }
        *filled = true;
        self.not_empty.notify_one();
    }

    fn take(&self) {
        let mut filled = self.filled.lock().unwrap();
        while !*filled {
            filled = self.not_empty.wait(filled).unwrap();
        }
        *filled = false;
        self.not_full.notify_one();
    }
}

/// One producer of two items, two consumers of one.
#[test]
fn queue() {
    run_all(3, Queue::default(), |queue, id| match id {
        0 => (0..2).for_each(|_| queue.put()),
        _ => queue.take(),
    });
}

/// The same with `if` in the place of `while`: between the notify and the moment in which who was woken has
/// the lock again, another may come.
#[derive(Default)]
struct Hasty(Queue);

impl Hasty {
    fn put(&self) {
        let mut filled = self.0.filled.lock().unwrap();
        if *filled {
            filled = self.0.not_full.wait(filled).unwrap();
        }
        assert!(!*filled);
        *filled = true;
        self.0.not_empty.notify_one();
    }

    fn take(&self) {
        let mut filled = self.0.filled.lock().unwrap();
        if !*filled {
            filled = self.0.not_empty.wait(filled).unwrap();
        }
        assert!(*filled);
        *filled = false;
        self.0.not_full.notify_one();
    }
}

/// Thread 0 produces.
fn hasty(order: [usize; 3]) {
    run_in_order(order, Hasty::default(), |queue, id| match id {
        0 => (0..2).for_each(|_| queue.put()),
        _ => queue.take(),
    });
}

#[test]
fn queue_if() {
    hasty([0, 1, 2]);
}

#[test]
fn queue_if_consumers_first() {
    hasty([1, 2, 0]);
}

#[test]
fn queue_if_producer_between() {
    hasty([1, 0, 2]);
}
