//! Which thread is which: children of the same parent, in the order in which it spawned them.

use super::execution_digest::{ExecutionDigest, Spawned, alike};
use super::matching::matched;
use raddle_schedule::MAX_THREADS;

/// The threads of the stored execution and those of the program now.
pub struct Threads {
    now: [Option<u8>; 256],
}

impl Threads {
    /// T0 is T0, and so on from parents to children.
    pub fn new(stored: &ExecutionDigest, now: &ExecutionDigest) -> Threads {
        let mut threads = Threads { now: [None; 256] };
        let mut queue = vec![(0u8, 0u8)];
        while let Some((old, new)) = queue.pop() {
            threads.now[usize::from(old)] = Some(new);
            let (a, b) = (children(stored, old), children(now, new));
            let found = matched(a.len(), b.len(), |i, j| same(a[i], b[j]), |i, j| likeness(a[i], b[j]));
            queue.extend(found.iter().zip(a).filter_map(|(at, a)| Some((a.thread, b[(*at)?].thread))));
        }
        threads
    }

    /// The number that a stored thread has now.
    pub fn now(&self, stored: u8) -> Option<u8> {
        self.now[usize::from(stored)]
    }
}

fn children(account: &ExecutionDigest, parent: u8) -> Vec<&Spawned> {
    let real = |s: &&Spawned| s.by == parent && s.thread != parent && usize::from(s.thread) < MAX_THREADS;
    account.threads.iter().filter(real).collect()
}

fn same(a: &Spawned, b: &Spawned) -> bool {
    !a.runs.is_empty() && a.runs == b.runs && a.line == b.line
}

/// What runs something else was spawned in the same words at least.
fn likeness(a: &Spawned, b: &Spawned) -> u32 {
    let unknown = a.runs.is_empty() || b.runs.is_empty();
    let runs = if !unknown && a.runs == b.runs { 4 } else { 0 };
    let line = match () {
        () if !a.line.is_empty() && a.line == b.line => 3,
        () if alike(&a.line, &b.line) => 2,
        () => 0,
    };
    runs + line
}
