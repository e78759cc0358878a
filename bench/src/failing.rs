//! Programs that fail in some schedules, as shuttle runs them: the C programs that `raddle-bench
//! samplers` measures (`tests/programs/counts`), operation for operation.

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::sync::{Arc, Condvar, Mutex};
use shuttle::{Config, FailurePersistence, Runner, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU64;

/// More executions than any of them needs.
const MOST: usize = 10_000_000;

/// Starts as many threads with the same body, and waits for all of them.
fn run_all<S: Send + Sync + 'static>(count: usize, shared: S, body: fn(&S, usize)) -> Arc<S> {
    let shared = Arc::new(shared);
    let threads: Vec<_> = (0..count)
        .map(|number| {
            let shared = shared.clone();
            thread::spawn(move || body(&shared, number))
        })
        .collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
    shared
}

fn lost<const N: usize>() {
    let counter = run_all(2, AtomicUsize::new(0), |counter, _| {
        for _ in 0..N {
            let seen = counter.load(SeqCst);
            counter.store(seen + 1, SeqCst);
        }
    });
    assert_eq!(counter.load(SeqCst), 2 * N);
}

/// A place for one item: is it taken, and who waits for a change.
struct Place {
    filled: Mutex<bool>,
    not_full: Condvar,
    not_empty: Condvar,
}

impl Place {
    /// Waits, once at most, until the place is free or taken, and makes it the other.
    fn turn(&self, until: bool, before: &Condvar, after: &Condvar) {
        let mut filled = self.filled.lock().expect("not poisoned");
        if *filled != until {
            filled = before.wait(filled).expect("not poisoned");
        }
        assert_eq!(*filled, until);
        *filled = !until;
        after.notify_one();
    }
}

fn queue() {
    let place = Place { filled: Mutex::new(false), not_full: Condvar::new(), not_empty: Condvar::new() };
    run_all(3, place, |place, thread| {
        if thread == 0 {
            place.turn(false, &place.not_full, &place.not_empty);
            place.turn(false, &place.not_full, &place.not_empty);
        } else {
            place.turn(true, &place.not_empty, &place.not_full);
        }
    });
}

fn philosophers() {
    run_all(3, [Mutex::new(()), Mutex::new(()), Mutex::new(())], |forks, one| {
        let first = forks[one].lock().expect("not poisoned");
        let second = forks[(one + 1) % forks.len()].lock().expect("not poisoned");
        drop(second);
        drop(first);
    });
}

/// A stack of the nodes 1 and 2; 0 is none.
struct Stack {
    top: AtomicUsize,
    next: [AtomicUsize; 3],
}

impl Stack {
    fn pop(&self) -> usize {
        let mut old = self.top.load(SeqCst);
        while old != 0 {
            match self.top.compare_exchange(old, self.next[old].load(SeqCst), SeqCst, SeqCst) {
                Ok(_) => break,
                Err(found) => old = found,
            }
        }
        old
    }

    fn push(&self, node: usize) {
        let mut old = self.top.load(SeqCst);
        loop {
            self.next[node].store(old, SeqCst);
            match self.top.compare_exchange(old, node, SeqCst, SeqCst) {
                Ok(_) => return,
                Err(found) => old = found,
            }
        }
    }
}

fn aba() {
    let next = [AtomicUsize::new(0), AtomicUsize::new(2), AtomicUsize::new(0)];
    let stack = Arc::new(Stack { top: AtomicUsize::new(1), next });
    let (one, two) = (stack.clone(), stack.clone());
    let one = thread::spawn(move || one.pop());
    let two = thread::spawn(move || {
        let first = two.pop();
        let kept = two.pop();
        if first != 0 {
            two.push(first);
        }
        kept
    });
    let mut owners = [0; 3];
    let mut own = |node: usize| {
        owners[node] += 1;
        assert!(node == 0 || owners[node] == 1, "owned twice");
    };
    own(one.join().expect("no panic"));
    own(two.join().expect("no panic"));
    loop {
        match stack.pop() {
            0 => break,
            node => own(node),
        }
    }
}

/// By the names of [`crate::samplers`].
const PROGRAMS: &[(&str, fn())] = &[
    ("lost 1", lost::<1>),
    ("lost 2", lost::<2>),
    ("queue `if`", queue),
    ("philosophers 3", philosophers),
    ("ABA stack", aba),
];

/// After how many executions shuttle comes to the first failure of a program, from this seed.
pub fn first_failure(program: &str, order: &str, seed: u64) -> Option<u64> {
    let (_, body) = PROGRAMS.iter().find(|p| p.0 == program)?;
    match order {
        "random" => run(RandomScheduler::new_from_seed(seed, MOST), *body),
        _ => run(PctScheduler::new_from_seed(seed, order.strip_prefix("pct=")?.parse().ok()?, MOST), *body),
    }
}

fn run(scheduler: impl Scheduler + 'static, body: fn()) -> Option<u64> {
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    BEGUN.store(0, SeqCst);
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    let runner = Runner::new(scheduler, config);
    let all = catch_unwind(AssertUnwindSafe(|| {
        runner.run(move || {
            BEGUN.fetch_add(1, SeqCst);
            body();
        })
    }));
    all.is_err().then(|| BEGUN.load(SeqCst))
}
