//! The border between the search and whatever executes plans.

use raddle_schedule::{Plan, Trace};

/// Executes plans: plans in, traces out, in the same order.
///
/// The contract:
/// * Every submitted plan is answered by exactly one trace, and traces come back in the order of
///   submission; [`Trace::sequence`] is the plan's. Whatever happens to the program under test
///   (a crash, a hang, the death of its process) is a trace with that outcome, not an error.
/// * The same plan produces the same trace, every time.
/// * A plan is followed exactly: its deltas at their steps, the default behaviour
///   ([`raddle_schedule::default_thread`], the lowest alternative of other choices) everywhere
///   else. A delta that cannot be followed ends with `Unfollowable`; a prefix whose hash is not
///   [`Plan::prefix_hash`] ends with `Diverged`. Neither is ever skipped (algorithms, rule 10).
/// * The trace holds all events, steps flagged `STEP` with the threads enabled before them, a
///   `Timeouts` annotation before a step at which waits could have timed out, a `Choice`
///   annotation after a step at which one more choice was made (at most one of each kind at one
///   step), and a `Pending` event for every unfinished thread at the end.
/// * Several plans may be in flight ([`crate::Config::in_flight`]); `submit` does not wait for
///   earlier ones to be executed.
pub trait Executor {
    /// Queues a plan.
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError>;

    /// Waits for the next trace, at most about 50 ms. `Ok(false)`: nothing yet, so that the
    /// caller can look at its clock and its stop flag. The trace's memory is reused.
    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError>;
}

/// Why an executor cannot go on. The text says what happened and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorError(pub String);

impl core::fmt::Display for ExecutorError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for ExecutorError {}
