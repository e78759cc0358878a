//! What goes in and out of a search: progress and control, and why there is no result.

use crate::Reduce;
use crate::combination::Refusal;
use crate::executor::ExecutorError;
use crate::summary::StopReason;
use raddle_schedule::{MAX_THREADS, Schedule};

/// What a search looks like between two traces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Executions run, of any outcome.
    pub executions: u64,
    /// Executions known and not yet run, those in flight included.
    pub waiting: u64,
    /// Distinct failures.
    pub failures: u64,
    /// Preemptions of the execution run last.
    pub preemptions: u32,
    /// Steps of all executions.
    pub steps: u64,
    /// Audit runs made.
    pub audited: u64,
    /// Executions that passed.
    pub passed: u64,
    /// Complete executions that failed.
    pub failed: u64,
    /// Executions that ended in a deadlock.
    pub deadlocked: u64,
    /// Executions that were cut off at a limit.
    pub truncated: u64,
    /// Executions that were refused.
    pub refused: u64,
    /// All of them were, but for those in which every thread was asleep.
    pub only_refused: bool,
    /// Distinct happens-before classes; `None` when not counted, or more than are kept.
    pub classes: Option<u64>,
    /// Executions by how much the focus wants them, of those chosen since the last refocus.
    pub levels: Levels,
}

/// Executions by GAMBIT's three levels (paper 003, section 4.3). Without a focus all are low.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Both sides of the last switch were selected.
    pub high: u64,
    /// One side was.
    pub medium: u64,
    /// None was.
    pub low: u64,
}

/// Go on or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// End the search now.
    Stop(StopReason),
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The configuration is refused.
    Refused(Refusal),
    /// The executor cannot go on.
    Executor(ExecutorError),
    /// The program uses something that is not modelled; the text names it.
    Unsupported {
        /// Which function, and what to do.
        message: String,
        /// Where, as an index into the channel's site table.
        site: u32,
        /// In which thread.
        thread: u8,
        /// The schedule that leads there.
        schedule: Box<Schedule>,
    },
    /// The executions of the search create more threads together than its reduction tells apart.
    TooManyThreads {
        /// The reduction.
        reduce: Reduce,
        /// Where the execution ended that creates one too many, as an index into the channel's site table.
        site: u32,
        /// In which thread.
        thread: u8,
        /// Its schedule.
        schedule: Box<Schedule>,
    },
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::Refused(r) => r.fmt(f),
            Error::Executor(e) => e.fmt(f),
            Error::Unsupported { message, .. } => f.write_str(message),
            Error::TooManyThreads { reduce, .. } => write!(
                f,
                "the executions create more than {MAX_THREADS} different threads together, and --reduce {reduce} tells no more apart"
            ),
        }
    }
}

impl core::error::Error for Error {}

impl From<Refusal> for Error {
    fn from(r: Refusal) -> Self {
        Error::Refused(r)
    }
}

impl From<ExecutorError> for Error {
    fn from(e: ExecutorError) -> Self {
        Error::Executor(e)
    }
}

/// What one turn did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A trace was applied.
    Applied,
    /// Nothing came back yet.
    Idle,
    /// The search is over.
    Done,
}
