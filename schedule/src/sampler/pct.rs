//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte: *A Randomized
//! Scheduler with Probabilistic Guarantees of Finding Bugs*, ASPLOS'10).
//!
//! Each thread has a priority, drawn when it is first seen, and the highest that can go on goes. At
//! d-1 of k decisions, drawn beforehand (`begin`), the one that would go falls below all that have
//! not fallen (`fall`), and the next goes. An execution of fewer than k decisions hits a bug of depth d (one that d
//! orderings are enough for) with a probability of at least 1/(n·k^(d-1)), with n threads.
//!
//! What counts as a decision ([`decides`]): several threads can go on, and the highest is about to
//! do something whose order may matter. The paper itself leaves out what a thread does alone
//! (section 4.1): to fall there is to fall when another one comes. Ends and joins never race
//! ([`crate::op::dependent`]), and neither do starts, unless whole blocks follow them: an ordering that
//! names one may name the next operation of the thread behind it instead, so the depth stays what it is
//! and k is less. That one falls right before its step, and not after the last one, makes this exact: whoever
//! falls is the one that would have gone, whatever was done alone since. The k-th decision
//! never comes, for a bug that needs fewer orderings than d.
//!
//! Two things the paper leaves to the reader. A thread that gave way falls below everybody, as in the
//! authors' tool, or a polling loop of the highest one would never end (the guarantee is about
//! executions without). And each timed wait draws once whether it is in a hurry: then it times out as
//! soon as its thread is the highest, otherwise only when nobody else can go on.

use super::{Draw, Moment, Numbers, bits};
use crate::MAX_THREADS;
use crate::op::{Op, OpKind};
use alloc::vec::Vec;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Pct {
    /// d.
    depth: u32,
    /// k.
    decisions: u32,
    /// Starts are followed by whole blocks, so they count.
    blocks: bool,
    /// k_1 to k_(d-1), in no order: the thread that would go at decision k_i gets priority i.
    points: Vec<u32>,
    /// Decisions so far.
    made: u32,
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
    pub(super) fn new(depth: u32, decisions: u32, blocks: bool) -> Pct {
        Pct {
            depth,
            decisions,
            blocks,
            points: Vec::new(),
            made: 0,
            priorities: [0; MAX_THREADS],
            seen: 0,
            lowest: MIDDLE,
            waiting: 0,
            hurry: 0,
        }
    }

    /// What the last step changes.
    fn after(&mut self, thread: u8, at: &Moment) {
        if at.gave_way {
            self.lowest -= 1;
            self.priorities[usize::from(thread & 63)] = self.lowest;
        }
        self.waiting &= !(1 << (thread & 63));
    }

    /// Whoever is highest among these.
    fn highest(&self, among: u64) -> u8 {
        bits(among).max_by_key(|t| self.priorities[usize::from(*t)]).unwrap_or(0)
    }

    /// A decision is made about this thread.
    fn fall(&mut self, thread: u8) {
        self.made += 1;
        for (i, point) in self.points.iter().enumerate() {
            if *point == self.made {
                self.priorities[usize::from(thread & 63)] = MIDDLE + i as u64 + 1;
            }
        }
    }
}

/// Is it a decision whether a thread does this now, where several can go on?
pub(super) fn decides(kind: OpKind, blocks: bool) -> bool {
    !matches!(kind, OpKind::Exit | OpKind::Join) && (blocks || kind != OpKind::ThreadStart)
}

impl Draw for Pct {
    fn begin(&mut self, numbers: &mut Numbers) {
        if self.decisions > 0 {
            let decisions = u64::from(self.decisions);
            self.points.extend((1..self.depth).map(|_| numbers.below(decisions) as u32 + 1));
        }
    }

    fn draw(&mut self, at: &Moment, pending: &mut dyn FnMut(u8) -> Op, numbers: &mut Numbers) -> u8 {
        for t in bits(at.all() & !self.seen) {
            self.priorities[usize::from(t)] = FRESH | numbers.any() >> 2;
        }
        self.seen |= at.all();
        if let Some((thread, _)) = at.done {
            self.after(thread, at);
        }
        for t in bits(at.timeouts & !self.waiting) {
            self.hurry = self.hurry & !(1 << t) | numbers.below(2) << t;
        }
        self.waiting |= at.timeouts;
        let wanted = at.enabled | at.timeouts & self.hurry;
        let among = if wanted != 0 { wanted } else { at.timeouts };
        let highest = self.highest(among);
        if among.count_ones() > 1 && decides(pending(highest).kind, self.blocks) {
            self.fall(highest);
        }
        self.highest(among)
    }
}

#[cfg(test)]
mod tests {
    use crate::op::{Op, OpKind};
    use crate::sampler::Method;
    use crate::sampler::tests::{assert_is, count, store};
    use alloc::vec::Vec;

    /// Three threads of four steps. Without points to change at they run one after the other, each
    /// order as often as any other; with one, at most one of them is interrupted.
    #[test]
    fn threads_are_interrupted_where_priorities_change() {
        let threads: Vec<Vec<_>> = (0..3).map(|_| (0..4).map(|_| store(0)).collect()).collect();
        let switches = |made: &[u8]| made.windows(2).filter(|w| w[0] != w[1]).count();
        let pct = |depth| Method::Pct { depth, decisions: 9, blocks: false };
        assert_eq!(count(1000, pct(1), &threads, |made| switches(made) == 2), 1000);
        for first in 0..3 {
            assert_is(count(20_000, pct(1), &threads, |made| made[0] == first), 1, 3);
        }
        // What the last of them does alone is no decision. Two of the other eight are the first of a
        // thread, and one never comes.
        assert_is(count(20_000, pct(2), &threads, |made| switches(made) == 3), 6, 9);
        assert_eq!(count(1000, pct(2), &threads, |made| switches(made) > 3), 0);
        let none = Method::Pct { depth: 2, decisions: 0, blocks: false };
        assert_eq!(count(1000, none, &threads, |made| switches(made) > 2), 0);
    }

    /// What never races is no decision: a thread is interrupted before its one store or not at all.
    #[test]
    fn births_and_ends_are_no_decisions() {
        let birth = |t| Op { kind: OpKind::ThreadStart, object: t, other: 0, size: 0, failed: false };
        let end = |t| Op { kind: OpKind::Exit, ..birth(t) };
        let threads: Vec<Vec<_>> = (0..2).map(|t| [birth(t), store(0), end(t)].to_vec()).collect();
        let pct = |blocks| Method::Pct { depth: 2, decisions: 1, blocks };
        let begins = |with: [u8; 2]| move |made: &[u8]| made[..2] == with;
        // The only decision is the store of the first.
        let first = |t, then| count(1000, pct(false), &threads, begins([t, then]));
        assert_eq!((first(0, 0), first(1, 1)), (0, 0));
        assert_eq!(first(0, 1) + first(1, 0), 1000);
        // With blocks behind the starts it is the start: nobody is interrupted.
        assert_eq!(count(1000, pct(true), &threads, |made| made[0] == made[2]), 1000);
    }
}
