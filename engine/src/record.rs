//! The record of a search: exact counts, distinct failures and distinct warnings. An execution is
//! named by its deltas; traces are run again, never stored.

mod failures;
pub mod refusals;
mod warnings;
pub mod witnesses;

use crate::analysis::ending::stops_rounds;
use crate::analysis::hang;
use crate::analysis::misuse::{self, Unordered};
use crate::analysis::wait_cycle::wait_cycles;
use crate::naming::{self, Name};
use crate::summary::{Failure, FailureKind, Warning, WarningKind};
use crate::threads_without_points::ThreadsWithoutPoints;
use raddle_schedule::trace::STOOD;
use raddle_schedule::{Granularity, Outcome, Schedule, Trace};
use refusals::Refusals;
use witnesses::Witnesses;

/// Counts, failures, warnings.
#[derive(Default)]
pub struct Record {
    /// What schedules are named with: a schedule without differences.
    pub blank: Schedule,
    /// Executions of any outcome, probes and audit runs excluded.
    pub runs: u64,
    /// By outcome; see [`crate::Summary`].
    pub passed: u64,
    pub failed: u64,
    pub deadlocked: u64,
    pub sleep_blocked: u64,
    pub assume_blocked: u64,
    pub truncated: u64,
    pub diverged: u64,
    /// Of those that failed: the process died, and the trace with it.
    pub lost: u64,
    /// In one that passed, a thread ended the process while others went round a loop.
    pub stopped_rounds: bool,
    /// Executions of which nothing counts, since they are unfair ([`crate::fair`]).
    pub unfair: u64,
    /// Executions beside the search, made to confirm a predicted deadlock or to show a failure fairly.
    pub confirmations: u64,
    /// Executions beside the search in which no block of the heap was given out twice.
    pub quarantined: u64,
    /// Steps of all of them.
    pub steps: u64,
    /// Most preemptions of any of them.
    pub most_preemptions: u32,
    /// Fewest preemptions of one that was cut off, so that something after it was not run.
    pub cut_off: Option<u32>,
    /// Distinct failures and what makes them distinct, index by index.
    pub failures: Vec<Failure>,
    pub identities: Vec<Identity>,
    /// Executions of them behind which another cause may be, index by index, as far as there are any; `None` where
    /// nobody asks.
    pub witnesses: Option<Vec<Witnesses>>,
    /// Distinct warnings.
    pub warnings: Vec<Warning>,
    /// Those that the last execution with any was counted for, by its number: several threads may have one warning.
    counted: (u64, Vec<usize>),
    /// Executions that were refused.
    pub refusals: Refusals,
    /// Threads without points, where not every operation is one.
    pub threads_without_points: Option<Box<ThreadsWithoutPoints>>,
}

/// Two failures with the same identity are shown once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    kind: FailureKind,
    /// Place or places.
    places: (u64, u64),
    /// The message with its numbers blanked: they differ from execution to execution.
    text: String,
}

/// Is this the trace of an execution that ran to an end of its own?
pub fn is_complete(trace: &Trace) -> bool {
    is_passed(trace) || is_failed(trace)
}

/// Threads blocked, or spinning, after main returned are a warning, not a deadlock or a livelock, unless
/// they wait for each other.
fn blocked_after_main(trace: &Trace) -> bool {
    let blocked = matches!(trace.outcome, Outcome::Deadlock | Outcome::Livelock) && trace.main_returned;
    blocked && wait_cycles(trace).is_empty()
}

/// Did it come to its end, and nothing that it did end it?
pub fn is_passed(trace: &Trace) -> bool {
    trace.outcome == Outcome::Passed || blocked_after_main(trace)
}

fn is_failed(trace: &Trace) -> bool {
    trace.outcome.is_failure() && trace.outcome != Outcome::Deadlock
}

impl Record {
    /// Nothing yet. `restricted`: not every operation is a schedule point.
    pub fn new(blank: Schedule, restricted: bool) -> Self {
        Record {
            threads_without_points: restricted
                .then(|| Box::new(ThreadsWithoutPoints::new(blank.granularity))),
            blank,
            ..Record::default()
        }
    }

    /// Counts one execution of the search, in which nothing orders these. True if it failed.
    pub fn execution(&mut self, trace: &Trace, preemptions: u32, unordered: &Unordered) -> bool {
        self.runs += 1;
        self.steps += u64::from(trace.steps);
        self.most_preemptions = self.most_preemptions.max(preemptions);
        if let Some(threads_without_points) = &mut self.threads_without_points {
            threads_without_points.read(trace);
        }
        self.stopped_rounds |= trace.outcome == Outcome::Passed && stops_rounds(trace);
        if trace.outcome == Outcome::Passed && trace.blocked == 0 && trace.thread_panics.is_empty() {
            self.passed += 1;
            return false;
        }
        self.unusual(trace, preemptions, unordered)
    }

    /// Counts an execution of which nothing counts, since it is unfair.
    pub fn unfair(&mut self, trace: &Trace) {
        self.runs += 1;
        self.steps += u64::from(trace.steps);
        self.unfair += 1;
    }

    /// Counts an execution that fails as others have, and is looked at no further.
    pub fn known(&mut self, trace: &Trace) {
        self.runs += 1;
        self.steps += u64::from(trace.steps);
        match trace.outcome {
            Outcome::Deadlock => self.deadlocked += 1,
            _ => self.failed += 1,
        }
    }

    /// Counts an execution that ended its process: it failed, and what follows it was not run.
    pub fn lost(&mut self, trace: &Trace, name: Name) {
        self.runs += 1;
        self.failed += 1;
        self.lost += 1;
        self.most_preemptions = self.most_preemptions.max(name.preemptions);
        self.cut(name.preemptions);
        self.outcome_failure(trace, name.preemptions, Some(name));
    }

    /// Counts an execution that ended its process and that nothing names: it failed, and what it was is
    /// for others to find.
    pub fn nameless(&mut self) {
        self.runs += 1;
        self.failed += 1;
        self.lost += 1;
    }

    /// Everything but a plain pass.
    #[cold]
    fn unusual(&mut self, trace: &Trace, preemptions: u32, unordered: &Unordered) -> bool {
        match trace.outcome {
            Outcome::Passed => self.passed += 1,
            _ if blocked_after_main(trace) => self.passed += 1,
            Outcome::Deadlock => self.deadlocked += 1,
            Outcome::AssumeBlocked if trace.code == STOOD => self.sleep_blocked += 1,
            Outcome::AssumeBlocked => self.assume_blocked += 1,
            Outcome::SleepBlocked => self.sleep_blocked += 1,
            Outcome::Truncated => {
                self.truncated += 1;
                self.cut(preemptions);
                self.warn_of_rounds(trace);
            }
            Outcome::Unsupported => self.refusals.read(trace, preemptions, &self.blank),
            Outcome::Diverged | Outcome::Unfollowable => {}
            _ => self.failed += 1,
        }
        for panic in &trace.thread_panics {
            self.warn_of_panic(panic, trace);
        }
        self.end(trace, preemptions, None, unordered)
    }

    /// Records how an execution ended, under this name or the one read off the trace: what its outcome is, and
    /// who waits for whom. True if it failed.
    fn end(&mut self, trace: &Trace, preemptions: u32, name: Option<Name>, unordered: &Unordered) -> bool {
        let cycles = wait_cycles(trace);
        let stuck = matches!(trace.outcome, Outcome::Deadlock | Outcome::Livelock);
        // The process may have ended beside threads that only repeat themselves.
        if trace.main_returned && (stuck || trace.outcome == Outcome::Passed) {
            self.warn_of_blocked(trace, &cycles);
        }
        for cycle in &cycles {
            self.deadlock(cycle, trace, preemptions, name.clone());
        }
        // Where threads wait for each other, that is why it ended.
        let told = stuck && (trace.main_returned || !cycles.is_empty());
        let failed = trace.outcome.is_failure() && !told && !hang::is_race(trace, unordered.races);
        if failed && !misuse::is_unordered(trace, unordered) {
            self.outcome_failure(trace, preemptions, name);
        }
        failed || !cycles.is_empty()
    }

    /// Looks at the end of an execution beside the search, made to confirm a predicted deadlock, which
    /// counts as none of its executions. True if it failed.
    pub fn confirmation(&mut self, trace: &Trace, unordered: &Unordered) -> bool {
        let name = naming::name(trace);
        self.end(trace, name.preemptions, Some(name), unordered)
    }

    /// The same of one that ended its process.
    pub fn confirmation_lost(&mut self, trace: &Trace, name: Name) {
        self.outcome_failure(trace, name.preemptions, Some(name));
    }

    /// From now on schedules have these points; those that they had before.
    pub fn name_at(&mut self, granularity: Granularity) -> Granularity {
        std::mem::replace(&mut self.blank.granularity, granularity)
    }

    /// Whether schedules are now those of executions in which no block is given out twice.
    pub fn in_quarantine(&mut self, quarantine: bool) {
        self.blank.quarantine = quarantine;
    }

    /// Something that follows an execution with so many preemptions was not run.
    pub fn cut(&mut self, preemptions: u32) {
        self.cut_off = Some(self.cut_off.map_or(preemptions, |c| c.min(preemptions)));
    }

    /// Is the locking discipline known to be violated?
    pub fn is_undisciplined(&self) -> bool {
        self.warnings.iter().any(|w| w.kind == WarningKind::Lockset)
    }

    fn schedule(&self, name: Name) -> Schedule {
        Schedule { deltas: name.deltas, ..self.blank.clone() }
    }
}

/// The text with every run of digits replaced by one `#`.
fn blank_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            c => out.push(c),
        }
    }
    out
}
