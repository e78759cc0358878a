//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte: *A Randomized
//! Scheduler with Probabilistic Guarantees of Finding Bugs*, ASPLOS'10).
//!
//! Each thread has a priority, drawn when it is first seen, and the highest that can go on goes. At
//! d-1 of the k steps, drawn beforehand (`begin`), the thread that made the step falls below all that
//! have not fallen. An execution of at most k steps hits a bug of depth d (one that d orderings are
//! enough for) with a probability of at least 1/(n·k^(d-1)), with n threads.
//!
//! Two things the paper leaves to the reader. A thread that gave way falls below everybody, as in the
//! authors' tool, or a polling loop of the highest one would never end (the guarantee is about
//! executions without). And each timed wait draws once whether it is in a hurry: then it times out as
//! soon as its thread is the highest, otherwise only when nobody else can go on.

use super::{Draw, Moment, Numbers, bits};
use crate::MAX_THREADS;
use crate::op::Op;
use alloc::vec::Vec;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Pct {
    /// d.
    depth: u32,
    /// k.
    steps: u32,
    /// k_1 to k_(d-1), in no order: the thread that makes step k_i gets priority i.
    points: Vec<u32>,
    /// Of each thread that was seen; those not lowered yet are [`FRESH`] or more.
    priorities: [u64; MAX_THREADS],
    /// Threads that were seen.
    seen: u64,
    /// How low the next thread falls that gives way.
    lowest: u64,
    /// Threads that are in a timed wait which has drawn already.
    waiting: u64,
    /// Those of them that are in a hurry.
    hurry: u64,
}

/// First priority of threads that were not lowered.
const FRESH: u64 = 1 << 62;
/// Priority 0 of the paper: those of the points lie above it, those of threads that gave way below.
const MIDDLE: u64 = 1 << 61;

impl Pct {
    /// With this d and k.
    pub(super) fn new(depth: u32, steps: u32) -> Pct {
        Pct {
            depth,
            steps,
            points: Vec::new(),
            priorities: [0; MAX_THREADS],
            seen: 0,
            lowest: MIDDLE,
            waiting: 0,
            hurry: 0,
        }
    }

    /// What the last step changes.
    fn lower(&mut self, thread: u8, at: &Moment) {
        let priority = &mut self.priorities[usize::from(thread & 63)];
        for (i, point) in self.points.iter().enumerate() {
            if *point == at.steps {
                *priority = MIDDLE + i as u64 + 1;
            }
        }
        if at.gave_way {
            self.lowest -= 1;
            *priority = self.lowest;
        }
        self.waiting &= !(1 << (thread & 63));
    }
}

impl Draw for Pct {
    fn begin(&mut self, numbers: &mut Numbers) {
        if self.steps > 0 {
            let steps = u64::from(self.steps);
            self.points.extend((1..self.depth).map(|_| numbers.below(steps) as u32 + 1));
        }
    }

    fn draw(&mut self, at: &Moment, _: &mut dyn FnMut(u8) -> Op, numbers: &mut Numbers) -> u8 {
        for t in bits(at.all() & !self.seen) {
            self.priorities[usize::from(t)] = FRESH | numbers.any() >> 2;
        }
        self.seen |= at.all();
        if let Some((thread, _)) = at.done {
            self.lower(thread, at);
        }
        for t in bits(at.timeouts & !self.waiting) {
            self.hurry = self.hurry & !(1 << t) | numbers.below(2) << t;
        }
        self.waiting |= at.timeouts;
        let wanted = at.enabled | at.timeouts & self.hurry;
        let among = if wanted != 0 { wanted } else { at.timeouts };
        let highest = bits(among).max_by_key(|t| self.priorities[usize::from(*t)]);
        highest.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use crate::sampler::Method;
    use crate::sampler::tests::{assert_is, count, store};
    use alloc::vec::Vec;

    /// Three threads of four steps. Without points to change at they run one after the other, each
    /// order as often as any other; with one, at most one of them is interrupted.
    #[test]
    fn threads_are_interrupted_where_priorities_change() {
        let threads: Vec<Vec<_>> = (0..3).map(|_| (0..4).map(|_| store(0)).collect()).collect();
        let switches = |made: &[u8]| made.windows(2).filter(|w| w[0] != w[1]).count();
        let pct = |depth| Method::Pct { depth, steps: 12 };
        assert_eq!(count(1000, pct(1), &threads, |made| switches(made) == 2), 1000);
        for first in 0..3 {
            assert_is(count(20_000, pct(1), &threads, |made| made[0] == first), 1, 3);
        }
        // Steps 1 to 3 and 5 to 7 are within a thread that has others below it.
        assert_is(count(20_000, pct(2), &threads, |made| switches(made) == 3), 6, 12);
        assert_eq!(count(1000, pct(2), &threads, |made| switches(made) > 3), 0);
        assert_eq!(count(1000, Method::Pct { depth: 2, steps: 0 }, &threads, |made| switches(made) > 2), 0);
    }
}
