//! The nearest execution that passes: the one that gives up the fewest orders of the failing one
//! ([`Orders`](super::Orders)). What passes when one stretch of it is moved ([`moves`]) is mostly it, which is some executions however
//! long the failing one is; whether one is nearer still is then searched by increasing distance.

use super::cheapest::{self, Best, Looked};
use super::moves::moves;
use super::near::Near;
use super::passing::Passing;
use super::{Limits, Reach, Runs};
use crate::executor::{Executor, ExecutorError};
use raddle_schedule::{Delta, Trace};

/// Steps of a failing execution of which the orders are kept, at most: they are as many as its square.
pub(super) const MOST_STEPS: u32 = 1_024;

/// The nearest passing execution, as far as was looked.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// Its differences from the default behaviour, and how many orders it gives up; `None` if none was found.
    pub passing: Option<(Vec<Delta>, u32)>,
    /// Executions that were run to find it.
    pub executions: u64,
    /// All executions that give up fewer orders than this were run.
    pub reach: Reach<u32>,
    /// But for unfair ones ([`crate::fair`]), of which there are.
    pub unfair_left_out: bool,
}

impl Nearest {
    /// Is it known that none is nearer?
    pub fn is_nearest(&self) -> bool {
        match (&self.reach, &self.passing) {
            (Reach::All, _) => true,
            (Reach::Below(least), Some((_, distance))) => least >= distance,
            (Reach::Below(_), None) => false,
        }
    }
}

/// The nearest execution that passes. `stop` is asked between two executions.
pub fn nearest(
    executor: &mut dyn Executor,
    failing: &Trace,
    limits: &Limits,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Nearest, ExecutorError> {
    if failing.lost || failing.steps > MOST_STEPS {
        return Ok(Nearest { passing: None, executions: 0, reach: Reach::Below(0), unfair_left_out: false });
    }
    let mut runs = Runs { executor, limits, executions: 0, stop, stopped: false };
    let mut near = Near::new(failing, Passing::strictly(), limits.mutant);
    let moved = moves(&mut runs, &mut near, failing)?;
    let begun = moved.into_iter().min_by_key(|m| m.given_up.len());
    let begun = begun.map(|m| Best { cost: m.given_up.len() as u32, deltas: m.passing });
    let Looked { best, reach, unfair_left_out } = cheapest::cheapest(&mut runs, &mut near, begun)?;
    let passing = best.map(|Best { cost, deltas }| (deltas, cost));
    Ok(Nearest { passing, executions: runs.executions, reach, unfair_left_out })
}
