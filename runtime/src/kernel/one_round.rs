//! Rounds in vain, where a plan leaves out what comes behind them ([`ONE_ROUND`], which has the argument in
//! `engine/src/search/rounds.rs`).
//!
//! A thread that comes back to a read in the state in which it was there before, with nothing but reads in between, has made
//! a round that might as well not have been made, whatever it has read. It *stands* from then on: it makes no step more in
//! this execution. At the end it waits for ever if nothing of what it has read has changed since; otherwise the execution
//! shows nothing ([`STOOD`]).
//!
//! The word of the stack into which the code behind a read writes what was read, before it does anything else, is no part of the
//! state ([`super::overwritten`]). Without optimisation, compilers keep every value in such a word, so that a loop that
//! awaits a count would have a state of its own for each count. Other threads may be told where the word is. But who
//! reads it races with the write, unless the round orders the two, which loads and plain reads do not.
//!
//! Looking at the state costs, so a read is looked at from its second visit on, or from the first where the plan knows the
//! loop ([`raddle_schedule::channel::loops`]).

use super::Kernel;
use super::here::Here;
use super::overwritten::Overwritten;
use super::spin::{Read, Visit};
use raddle_schedule::plan::flags::ONE_ROUND;
use raddle_schedule::plan::known_loops;
use raddle_schedule::trace::STOOD;
use raddle_schedule::{Event, OpKind, Outcome, flags, hash};

/// Is it a read that takes nothing and waits for nothing?
fn only_reads(kind: OpKind) -> bool {
    use OpKind::{AtomicLoad, AtomicRmw, Read, SemTryWait, TryLock, TryReadLock, TryWriteLock};
    matches!(kind, AtomicLoad | AtomicRmw | Read | SemTryWait | TryLock | TryReadLock | TryWriteLock)
}

impl Kernel {
    /// Are rounds in vain left out, and is this read of the running thread's one that may begin one?
    #[inline]
    pub(super) fn may_stand(&self, kind: OpKind) -> bool {
        self.plan.flags & ONE_ROUND != 0
            && only_reads(kind)
            && self.threads[usize::from(self.current)].spin.taken.is_empty()
    }

    /// The running thread comes to a read, which has this place in its code and depth: does it stand from here on?
    pub(super) fn visit_once(&mut self, event: &mut Event, here: &Here, mut visit: Visit) -> Visit {
        let stack_pointer = here.stack_pointer();
        let place = hash::mix(here.caller as u64, stack_pointer as u64) | 1;
        let loops = &self.setup().channel.header().loops;
        let is_known = loops.has(place, known_loops(self.plan.flags));
        let comes_back = self.me().spin.reads.iter().any(|r| r.site == visit.site);
        if !is_known && !comes_back {
            return visit;
        }
        if comes_back {
            self.setup().channel.header().loops.add(place);
        }
        let left_out = self.overwritten_behind(event, here);
        visit.state = self.state_without(here, left_out.as_ref());
        let spin = &mut self.me().spin;
        let is_same = |r: &Read| r.site == visit.site && r.state == visit.state;
        let previous = spin.reads.iter().rposition(is_same);
        let watched = if spin.memory == 0 { usize::MAX } else { spin.watched };
        spin.watches(stack_pointer, &mut visit);
        let orders = |kind: OpKind| left_out.is_some() && !matches!(kind, OpKind::AtomicLoad | OpKind::Read);
        let is_plain = |r: &Read| OpKind::from_u8(r.kind).is_some_and(|k| only_reads(k) && !orders(k));
        if let Some(previous) = previous
            && watched <= previous
            && self.me().spin.reads[previous..].iter().all(is_plain)
        {
            event.flags |= flags::AWAIT;
            self.me().spin.round = previous;
            visit.waits = true;
            self.standing |= self.my_bit();
        }
        visit
    }

    /// What the running thread overwrites behind this read, if it is a load.
    fn overwritten_behind(&mut self, event: &Event, here: &Here) -> Option<Overwritten> {
        if event.kind() != OpKind::AtomicLoad {
            return None;
        }
        let found = self.behind.find(here)?;
        let (from, to) = (event.object() as usize, event.object() as usize + event.size() as usize);
        // Where the word is the one that is read, it is no copy.
        (found.word.end <= from || to <= found.word.start).then_some(found)
    }

    /// Nobody can go on, and threads stand. Do they wait for ever? Then they are in a loop like any other; otherwise the execution is over.
    pub(super) fn stand_for_good(&mut self) -> bool {
        let standing = self.standing;
        let all = (0..self.spawned).filter(|t| standing >> t & 1 != 0);
        if { all }.any(|t| self.is_round_of_changed(t)) {
            self.finish(Outcome::AssumeBlocked, STOOD, "");
            return false;
        }
        self.spinning |= standing;
        self.standing = 0;
        true
    }
}
