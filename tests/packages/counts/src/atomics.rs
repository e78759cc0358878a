//! Loads, stores and additions.

use crate::threads::run_all;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

fn lost(n: usize) -> Arc<(AtomicUsize, usize)> {
    run_all(2, (AtomicUsize::new(0), n), |c, _| {
        for _ in 0..c.1 {
            let v = c.0.load(SeqCst);
            c.0.store(v + 1, SeqCst);
        }
    })
}

#[test]
fn lost_1() {
    lost(1);
}

#[test]
fn lost_2() {
    lost(2);
}

/// No update is lost.
#[test]
fn lost_2_checked() {
    assert_eq!(lost(2).0.load(SeqCst), 4);
}

/// i and j, both 1 in the beginning, and how many rounds.
struct Fib(AtomicUsize, AtomicUsize, usize);

impl Fib {
    fn new(n: usize) -> Self {
        Fib(AtomicUsize::new(1), AtomicUsize::new(1), n)
    }

    /// What one of the two threads does.
    fn rounds(&self, thread: usize) {
        let (mine, other) = if thread == 0 { (&self.0, &self.1) } else { (&self.1, &self.0) };
        for _ in 0..self.2 {
            let x = mine.load(SeqCst);
            let y = other.load(SeqCst);
            mine.store(x + y, SeqCst);
        }
    }
}

fn fib_join(n: usize) {
    run_all(2, Fib::new(n), Fib::rounds);
}

#[test]
fn fib_join_1() {
    fib_join(1);
}

#[test]
fn fib_join_2() {
    fib_join(2);
}

#[test]
fn fib_join_3() {
    fib_join(3);
}

#[test]
fn fib_join_4() {
    fib_join(4);
}

/// The test itself reads i, then j, and ends while the threads still run.
fn fib_read(n: usize) {
    let fib = Arc::new(Fib::new(n));
    for id in 0..2 {
        let fib = fib.clone();
        thread::spawn(move || fib.rounds(id));
    }
    fib.0.load(SeqCst);
    fib.1.load(SeqCst);
}

#[test]
fn fib_read_2() {
    fib_read(2);
}

#[test]
fn fib_read_3() {
    fib_read(3);
}

fn writers(n: usize) {
    run_all(n, AtomicUsize::new(0), |x, id| x.store(id, SeqCst));
}

#[test]
fn writers_3() {
    writers(3);
}

#[test]
fn writers_5() {
    writers(5);
}

#[test]
fn ainc_3() {
    ainc(3);
}

#[test]
fn ainc_5() {
    ainc(5);
}

fn ainc(n: usize) {
    run_all(n, AtomicUsize::new(0), |x, _| {
        x.fetch_add(1, SeqCst);
    });
}

/// Thread 0 writes, the others read.
fn readers(n: usize) {
    run_all(n + 1, AtomicUsize::new(0), |x, id| match id {
        0 => x.store(1, SeqCst),
        _ => {
            x.load(SeqCst);
        }
    });
}

#[test]
fn readers_2() {
    readers(2);
}

#[test]
fn readers_8() {
    readers(8);
}

/// Thread 0 looks for the last zero.
fn lastzero(n: usize) {
    let a: Vec<AtomicUsize> = (0..=n).map(|_| AtomicUsize::new(0)).collect();
    run_all(n + 1, a, |a, id| match id {
        0 => {
            let mut i = a.len() - 1;
            while a[i].load(SeqCst) != 0 {
                i -= 1;
            }
        }
        j => {
            let before = a[j - 1].load(SeqCst);
            a[j].store(before + 1, SeqCst);
        }
    });
}

#[test]
fn lastzero_5() {
    lastzero(5);
}

#[test]
fn lastzero_10() {
    lastzero(10);
}
