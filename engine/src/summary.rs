//! What a search found out: counts, failures, warnings, and one sentence that says what was
//! covered.

mod failure;
mod warning;

pub use failure::{
    Access, Blocked, Failure, FailureKind, PossibleWaker, Race, UsedDestroyed, Wait, WaitCycle,
};
pub use warning::{Leak, Leaks, Round, Unprotected, Wanted, Warning, WarningKind, Ways};

use crate::analysis::coverage::Point;
use crate::config::{Bound, Order, Reduce};
use crate::estimate::Estimate;
use raddle_schedule::Schedule;

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Complete executions, passed or failed.
    pub executions: u64,
    /// Of these, those that passed.
    pub passed: u64,
    /// Executions that ended in a deadlock.
    pub deadlocked: u64,
    /// Executions cut off because every enabled thread was asleep (none without a reduction).
    pub sleep_blocked: u64,
    /// Executions cut off by a false assumption.
    pub assume_blocked: u64,
    /// Executions cut off at the step bound.
    pub truncated: u64,
    /// Executions that did not repeat their known prefix, or differed when run again.
    pub diverged: u64,
    /// Executions of which nothing counts, since they failed unfairly ([`crate::fair`]).
    pub unfair: u64,
    /// Executions that ended where the program did what is not modelled.
    pub refused: u64,
    /// The reasons and places of these, in the order in which they were met.
    pub refusals: Vec<Refused>,
    /// Of the failed ones: those that ended the runner, so that what follows them was not run.
    pub lost: u64,
    /// Executions beside the search, made to confirm predicted deadlocks or to show
    /// failures fairly; counted nowhere else but in
    /// [`Failure::found_after`].
    pub confirming: u64,
    /// Executions that passed and gave blocks of the heap back, where that is of interest.
    pub gave_back: u64,
    /// Executions beside the search in which no block was given out twice; counted nowhere else.
    pub quarantined: u64,
    /// Distinct happens-before classes of the complete executions; `None` when not counted, or
    /// more than a million.
    pub classes: Option<u64>,
    /// Distinct states; `None` when not counted, or more than are kept.
    pub states: Option<u64>,
    /// Both after so many executions, and where bounds were completed.
    pub coverage: Vec<Point>,
    /// Distinct failures, in the order in which they were first found.
    pub failures: Vec<Failure>,
    /// Distinct warnings, in the order in which they first arose.
    pub warnings: Vec<Warning>,
    /// What was lost of the heap; empty where it was not looked for.
    pub leaks: Leaks,
    /// Everything within bound and granularity was run, to its end.
    pub complete: bool,
    /// What ended the search early.
    pub stopped: Option<StopReason>,
    /// Largest c such that all executions with at most c preemptions were run.
    pub bound_completed: Option<u32>,
    /// Something lies beyond the bound.
    pub beyond_bound: bool,
    /// In an execution that passed, a thread ended the process while others went round a loop that yields, sleeps or times
    /// out: what they could have done in more rounds was not run.
    pub stopped_rounds: bool,
    /// What was covered, in one sentence (algorithms, rule 12).
    pub guarantee: String,
    /// The audit, if one was asked for.
    pub audit: Option<Audit>,
    /// At lock-exit granularity: what the program does that orders of atomic blocks do not cover.
    pub undisciplined: Vec<&'static str>,
    /// Executions were left out in which a thread is taken again and again at the expense of those
    /// that it gives way to ([`crate::fair`]).
    pub unfair_left_out: bool,
    /// Places with an atomic operation weaker than SeqCst, which was executed as SeqCst.
    pub weaker_than_seqcst: u64,
    /// Steps of all executions.
    pub total_steps: u64,
    /// Most live nodes of the execution tree at any time.
    pub peak_nodes: usize,
    /// Most bytes that the tree and the waiting executions took.
    pub peak_bytes: usize,
    /// The same, part by part.
    pub peaks: Peaks,
    /// What the memory of states holds, if there is one.
    pub remembered: Option<States>,
    /// Arrivals at points that no other execution has made ([`crate::states::Calls`]); told with a memory
    /// of states, and of statement points.
    pub points_new: Option<u64>,
    /// Executions that were found at conservative points of persistent sets.
    pub conservative: u64,
    /// Executions still waiting to be run.
    pub waiting: u64,
    /// How many there are in all, where the search is not complete and something can be said.
    pub estimate: Option<Estimate>,
    /// Of the default search: what its parts have done. Empty where there is only one.
    pub shares: Vec<Share>,
}

/// What ended executions that were refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// What is not modelled.
    pub message: String,
    /// Where, as an index into the channel's site table.
    pub site: u32,
    /// In which thread.
    pub thread: u8,
    /// The schedule that leads there.
    pub schedule: Schedule,
    /// Executions that it ended.
    pub count: u64,
}

impl Summary {
    /// The first refusal, where every execution was refused, and nothing was found in them.
    pub fn all_refused(&self) -> Option<&Refused> {
        let others = self.runs() - self.refused - self.sleep_blocked;
        self.refusals.first().filter(|_| others == 0 && self.failures.is_empty())
    }

    /// Executions of any outcome.
    pub fn runs(&self) -> u64 {
        self.executions
            + self.deadlocked
            + self.sleep_blocked
            + self.assume_blocked
            + self.truncated
            + self.diverged
            + self.unfair
            + self.refused
    }
}

/// One of several searches that were made side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// What it leaves out as redundant.
    pub reduce: Reduce,
    /// What is out of its scope.
    pub bound: Bound,
    /// Which execution comes next.
    pub order: Order,
    /// Its executions, of any outcome.
    pub executions: u64,
    /// It has run everything.
    pub complete: bool,
    /// What ended it before the other one.
    pub stopped: Option<StopReason>,
}

/// A memory of states at the end of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// States in its table.
    pub table: u64,
    /// Executions that were not run, since the state in which they begin to differ was known. (Those that
    /// differ from them in turn were never found, and are not counted.)
    pub pruned: u64,
    /// Steps into new states that were followed without running the program ([`crate::states::model`]).
    pub followed: u64,
    /// Combined counters that were reached with different shared variables.
    pub differing: u64,
    /// Bytes taken.
    pub bytes: usize,
    /// Past the limit of memory states were not taken in any more, so some may have been explored again.
    pub full: bool,
}

/// What the waiting executions took at most. Peaks of different parts need not be of the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peaks {
    /// Bytes of the execution tree's nodes.
    pub tree_bytes: usize,
    /// Bytes of what waits: its places in the fringe.
    pub fringe_bytes: usize,
    /// Bytes of what orders ask about: the switches that the waiting executions begin with.
    pub context_bytes: usize,
    /// Bytes of what a reduction keeps in the place of the execution tree: its tree of steps, which
    /// holds sleep sets and wakeup trees, and the operations it has met.
    pub reduction_bytes: usize,
    /// Bytes of the memory of states.
    pub state_bytes: usize,
    /// How often an execution was put aside on disk.
    pub spilled: u64,
    /// Most bytes there.
    pub spilled_bytes: u64,
}

impl Peaks {
    /// Bytes in memory, all together.
    pub fn bytes(&self) -> usize {
        self.tree_bytes + self.fringe_bytes + self.context_bytes + self.reduction_bytes + self.state_bytes
    }
}

/// What ended a search early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The first failure, without `--keep-going`.
    Failure,
    /// The number of executions asked for.
    Executions(u64),
    /// The time asked for; the text names it, for example `60 s`.
    Time(String),
    /// The user (Ctrl-C).
    Interrupted,
    /// A source was saved while it was explored (`raddle watch`).
    Changed,
    /// Somebody who sent SIGTERM.
    Terminated,
    /// What waits could not be put aside, or not be had back; the text says why.
    Spill(String),
}

impl core::fmt::Display for StopReason {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            StopReason::Failure => f.write_str("the first failure"),
            StopReason::Executions(n) => {
                write!(f, "the limit of {}", crate::guarantee::plural(*n, "execution"))
            }
            StopReason::Time(limit) => write!(f, "the time limit of {limit}"),
            StopReason::Interrupted => f.write_str("the user"),
            StopReason::Changed => f.write_str("a change of a source"),
            StopReason::Terminated => f.write_str("SIGTERM"),
            StopReason::Spill(why) => write!(f, "the limit of memory: {why}"),
        }
    }
}

/// Random runs compared with what the search explored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// Runs made.
    pub runs: u64,
    /// Of these, runs that had to land in an explored class (those of a fair class within the bound).
    pub checked: u64,
    /// Schedules of runs that did not.
    pub outside: Vec<Schedule>,
    /// Why there was no audit.
    pub refused: Option<String>,
}
