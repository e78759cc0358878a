//! A search in which no thread goes on behind a round in vain ([`raddle_schedule::plan::flags::ONE_ROUND`]).
//!
//! A thread that waits in a loop of reads may come in vain after each change of what it reads, so that threads that wait for
//! one lock multiply. But a round in which a thread reads, changes nothing and comes back in the state in which it was might
//! as well not have been made: taken out, it leaves an execution in which everybody else does the same, and the thread, too,
//! later. So a reduction need not explore what such a thread does next. It explores the rest of the execution without that
//! thread, which shows with what its reads race, and so every execution in which it reads later.
//!
//! # What has to hold
//!
//! * Only reads are taken out, which nobody notices: no lock is taken in the round, and no wait times out.
//! * Fairness must not tell. Where a thread goes on behind its second visit of a place ([`crate::fair`]), others have run
//!   since, by a round in vain perhaps. So the search begins anew in full when a thread does that. One that stands then does not.
//! * The end of the process comes beside threads that go round: there, too, it begins anew in full.
//! * What a thread's stack held before it was written may decide whether it stands, and need not be the same each time. So the
//!   search begins anew in full when an execution is not the one that was asked for.
//! * A thread stands for good, and waits for ever, if nothing that it has read changes any more.
//! * Schedules have the choices of executions in full. So an execution that shows a failure where a thread stands, or waits in
//!   a loop, is made once more in full, step by step, and counts as that one tells it.
//!
//! `engine/tests/all/rounds.rs` compares the failures with those of plain enumeration.

use super::Search;
use super::apply::is_lost;
use super::auxiliary_run::AuxiliaryRun;
use crate::fair;
use crate::naming;
use crate::points::{Point, points};
use raddle_schedule::{Choice, Delta, OpKind, Outcome, Trace, flags, plan};

/// Executions from which on a loop that is found is worth a new beginning, and from which on no more.
const EARLY: u64 = 16;
const LATE: u64 = 1_000;

/// Steps that are named one by one at most.
const LONGEST: u32 = 20_000;

/// How a search is to begin anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anew {
    /// Rounds in vain may tell: with all of them.
    Full,
    /// The executor has found loops: with these looked at from their first round on, so many in all.
    Loops(u8),
    /// There are more threads than sequences of steps can name: with a reduction that has none.
    SingleSteps,
}

/// So many loops are looked at from their first round on at most; others are recognised one round later.
pub const MOST_LOOPS: u8 = 8;

impl Search {
    /// Is the search to begin anew, and how? Behind this one nothing of it is of use.
    pub fn begins_anew(&self) -> Option<Anew> {
        self.other_rounds
    }

    /// The flags of its plans that say so.
    pub(super) fn round_flags(&self) -> u32 {
        if self.leaves_rounds_out() { plan::flags::ONE_ROUND | plan::loops(self.config.loops) } else { 0 }
    }

    /// Are rounds in vain left out?
    pub(super) fn leaves_rounds_out(&self) -> bool {
        // A walk has one, too, and asks for each step.
        self.config.one_round && self.reversal.is_some() && !self.is_walk() && self.config.is_whole()
    }

    /// Looks whether rounds in vain may tell in an execution. `false` where the search is to begin anew.
    pub(super) fn may_leave_rounds_out(&mut self, trace: &Trace) -> bool {
        let ends = trace.outcome == Outcome::Passed && trace.blocked != 0;
        let ends = ends || trace.events.iter().any(|e| e.raw_kind() == OpKind::End as u8);
        if trace.lost || ends || strays(trace) || fair::may_tell(trace) {
            self.other_rounds = Some(Anew::Full);
        } else if self.is_worth_it(trace.loops) {
            self.other_rounds = Some(Anew::Loops(trace.loops));
        }
        self.other_rounds.is_none()
    }

    /// So many loops were found in all. Is that worth a new beginning?
    fn is_worth_it(&self, loops: u8) -> bool {
        let known = self.config.loops;
        loops > known && known < MOST_LOOPS && (EARLY..LATE).contains(&self.record.runs)
    }

    /// Rounds in vain tell after all.
    pub(super) fn begin_anew_in_full(&mut self) {
        self.other_rounds = Some(Anew::Full);
    }

    /// Is an execution that shows something another one in full?
    pub(super) fn differs_in_full(&self, trace: &Trace) -> bool {
        self.leaves_rounds_out() && trace.outcome != Outcome::Truncated && may_stand(trace)
    }

    /// An execution without rounds in vain shows something: it is made in full beside the search.
    pub(super) fn show_in_full(&mut self, trace: &Trace) {
        if trace.steps > LONGEST {
            return self.begin_anew_in_full();
        }
        if self.record.knows(trace, &self.analyses.unordered()) {
            return self.record.known(trace);
        }
        let deltas = step_by_step(trace);
        self.auxiliary_runs.push(AuxiliaryRun::in_full(trace, deltas));
    }

    /// That was run, and counts in the place of the other one. Where it goes another way, or shows nothing, rounds in vain tell after all.
    pub(super) fn shown_in_full(&mut self, auxiliary_run: &AuxiliaryRun, trace: &Trace) {
        if strays(trace) || is_lost(trace, !auxiliary_run.deltas.is_empty()) {
            return self.begin_anew_in_full();
        }
        self.read(trace);
        if !self.is_shown_by(trace) {
            return self.begin_anew_in_full();
        }
        if self.judged(trace, naming::name(trace).preemptions) {
            self.after_failure();
        }
    }
}

/// Does a thread stand, or wait in a loop as if it had stood, when the execution ends? Threads that are over, that ended it
/// in their own code, or that are about to do something else do not.
fn may_stand(trace: &Trace) -> bool {
    let pending = trace.events.iter().filter(|e| e.raw_kind() == OpKind::Pending as u8);
    let others =
        pending.filter(|e| e.flags & flags::AWAIT == 0).fold(0, |mask, e| mask | 1 << (e.thread() & 63));
    let own = if crate::analysis::signature::is_ended(trace) { 1 << (trace.thread & 63) } else { 0 };
    trace.blocked & !others & !own != 0
}

/// Is it another execution than the one that was asked for?
fn strays(trace: &Trace) -> bool {
    matches!(trace.outcome, Outcome::Diverged | Outcome::Unfollowable)
}

/// Every choice of an execution, whatever would be chosen by default.
fn step_by_step(trace: &Trace) -> Vec<Delta> {
    let delta = |point: Point| match point {
        Point::Thread(p) => Delta { step: p.step, choice: Choice::Thread(p.event.thread()) },
        Point::Choice(p) => Delta { step: p.step, choice: p.chosen },
    };
    points(trace).map(delta).collect()
}
