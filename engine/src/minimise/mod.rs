//! From any failing execution to the simplest one that fails the same way, and to the nearest one
//! that passes: what an explanation compares.
//!
//! [`simplest`] begins with whatever execution showed the failure ([`TargetFailure`]), as a sampler found it with
//! hundreds of preemptions. It goes down first (`descent`): what can be left out of the schedule, or
//! moved together, is. Then it searches below what it has got (`cheapest`): every execution that could
//! be simpler is run, the simplest first, until none is left or the limit is reached. Simpler is fewer
//! preemptions, then fewer switches, then fewer steps ([`Simplicity`]), then staying with the default behaviour for longer.
//!
//! [`nearest`] searches the same way for an execution that passes, by how many orders of the failing
//! one it gives up ([`Orders`]).
//!
//! [`deciding`] goes on from there: what the nearest passing execution gives up is kept, and the next nearest is looked for, until
//! what is kept is enough for the failure.
//!
//! All say how far they have looked ([`Reach`]), and hold up to fairness ([`crate::fair`]), as the search does.
//! An execution that takes its process along has no trace to begin with, and is not made simpler.

mod cheapest;
mod deciding;
mod descent;
mod divergent_steps;
mod follow;
mod footprint;
mod known;
mod moves;
mod named;
mod near;
mod nearest;
mod orders;
mod passing;
mod reading;
mod same_cause;
mod simplest;
mod target_failure;

pub use deciding::{Deciding, Turned, deciding};
pub use named::{Named, Otherwise, event_of, named, named_across};
pub use nearest::{Nearest, nearest};
pub use orders::{Decision, Orders};
pub use passing::{Passing, races_beside};
pub use same_cause::decided_alike;
pub use simplest::{Simplest, Simplicity, simplest};
pub use target_failure::TargetFailure;

use crate::config::{IN_FLIGHT, MAX_STEPS};
use crate::executor::{Executor, ExecutorError};
use crate::mutants::Mutant;
use raddle_schedule::{Delta, Granularity, Outcome, Plan, Trace};

/// What may be spent, and how executions are made.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Executions, at most.
    pub executions: u64,
    /// Cut an execution off after so many steps.
    pub max_steps: u32,
    /// The points that the executor has.
    pub granularity: Granularity,
    /// Not every operation is a point: states are not told apart by operations then.
    pub restricted: bool,
    /// Plans in flight.
    pub in_flight: usize,
    /// A rule broken on purpose; `None` but in tests of the tests.
    #[doc(hidden)]
    pub mutant: Option<Mutant>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            executions: 10_000,
            max_steps: MAX_STEPS,
            granularity: Granularity::Sync,
            restricted: false,
            in_flight: IN_FLIGHT,
            mutant: None,
        }
    }
}

/// How far was looked: all executions that cost less than this were run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach<Cost> {
    /// Everything that could have been better was run.
    All,
    /// The least that an execution which was not run may cost.
    Below(Cost),
}

/// Executes plans one by one, and counts.
struct Runs<'a> {
    executor: &'a mut dyn Executor,
    limits: &'a Limits,
    /// Executions so far.
    executions: u64,
    /// Asked between two executions; true ends the work.
    stop: &'a mut dyn FnMut() -> bool,
    /// It has been true.
    stopped: bool,
}

impl Runs<'_> {
    /// May one more be run?
    fn may_run(&mut self) -> bool {
        self.stopped |= (self.stop)();
        !self.stopped && self.executions < self.limits.executions
    }

    fn submit(&mut self, deltas: &[Delta], prefix: Option<(u32, u64)>) -> Result<(), ExecutorError> {
        let mut plan = Plan::new(self.executions, deltas.to_vec(), self.limits.max_steps);
        if let Some((steps, hash)) = prefix {
            (plan.prefix_steps, plan.prefix_hash) = (steps, hash);
        }
        self.executions += 1;
        self.executor.submit(&plan)
    }

    /// The next trace. Once the work is to end, whether before it came or while it was waited for, it is a lost one:
    /// one execution may take longer than there is time.
    fn receive(&mut self, trace: &mut Trace) -> Result<(), ExecutorError> {
        trace.clear();
        while !self.stopped && !self.executor.receive(trace)? {
            self.stopped |= (self.stop)();
        }
        if self.stopped {
            trace.clear();
            (trace.outcome, trace.lost) = (Outcome::Unfollowable, true);
        }
        Ok(())
    }

    /// The execution with these differences.
    fn run(&mut self, deltas: &[Delta], trace: &mut Trace) -> Result<(), ExecutorError> {
        self.submit(deltas, None)?;
        self.receive(trace)
    }
}
