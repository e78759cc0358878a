//! The simplest execution that shows a failure.

use super::cheapest::{self, Best, Goal, Looked};
use super::{Limits, Reach, Runs, TargetFailure, descent};
use crate::executor::{Executor, ExecutorError};
use crate::mutants::Mutant;
use crate::naming;
use crate::points::{Point, points};
use crate::reduction::Child;
use raddle_schedule::{Choice, Delta, Trace};

/// How simple an execution is: the less of each the simpler, the first before the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Simplicity {
    /// Switches away from a thread that could have gone on.
    pub preemptions: u32,
    /// Changes of the running thread.
    pub switches: u32,
    /// Its length.
    pub steps: u32,
}

/// The simplest execution that was found.
#[derive(Clone, Debug)]
pub struct Simplest {
    /// Its differences from the default behaviour.
    pub deltas: Vec<Delta>,
    /// How simple it is.
    pub simplicity: Simplicity,
    /// Executions that were run to find it.
    pub executions: u64,
    /// Every execution that is simpler than this was run.
    pub reach: Reach<Simplicity>,
    /// But for unfair ones ([`crate::fair`]), of which there are.
    pub unfair_left_out: bool,
}

impl Simplest {
    /// Is it known that fewer preemptions do not show it?
    pub fn has_fewest_preemptions(&self) -> bool {
        self.is_beyond(|least, own| least.preemptions >= own.preemptions)
    }

    /// And of those with as few, that fewer switches do not?
    pub fn has_fewest_switches(&self) -> bool {
        let of = |s: &Simplicity| (s.preemptions, s.switches);
        self.is_beyond(|least, own| of(least) >= of(own))
    }

    /// And of those with as few of both, that fewer steps do not?
    pub fn is_shortest(&self) -> bool {
        self.is_beyond(|least, own| least >= own)
    }

    fn is_beyond(&self, beyond: impl Fn(&Simplicity, &Simplicity) -> bool) -> bool {
        match &self.reach {
            Reach::All => true,
            Reach::Below(least) => beyond(least, &self.simplicity),
        }
    }
}

/// The simplest execution that shows a failure, from one that does. `stop` is asked between two executions.
pub fn simplest(
    executor: &mut dyn Executor,
    shown: &Trace,
    wanted: &mut TargetFailure,
    limits: &Limits,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Simplest, ExecutorError> {
    wanted.under(limits);
    let mut runs = Runs { executor, limits, executions: 0, stop, stopped: false };
    let begun = Best { cost: simplicity(shown), deltas: naming::name(shown).deltas };
    // The descent would make up for mistakes of the search below it.
    let best = match limits.mutant {
        None => descent::descend(&mut runs, shown, begun, wanted)?,
        Some(_) => begun,
    };
    let mut goal = Simple { wanted, before: Vec::new(), mutant: limits.mutant };
    let Looked { best: found, reach, unfair_left_out } =
        cheapest::cheapest(&mut runs, &mut goal, Some(best.clone()))?;
    let Best { cost: simplicity, deltas } = found.unwrap_or(best);
    Ok(Simplest { deltas, simplicity, executions: runs.executions, reach, unfair_left_out })
}

/// How simple an execution is.
pub(super) fn simplicity(trace: &Trace) -> Simplicity {
    let name = naming::name(trace);
    Simplicity { preemptions: name.preemptions, switches: name.switches, steps: trace.steps }
}

/// What is looked for: what shows the failure.
struct Simple<'a> {
    wanted: &'a mut TargetFailure,
    /// For each step of the execution read last: what the steps before it come to, and who made the one before.
    before: Vec<(Simplicity, u8)>,
    mutant: Option<Mutant>,
}

impl Goal for Simple<'_> {
    type Cost = Simplicity;

    fn nothing(&self) -> Simplicity {
        Simplicity::default()
    }

    fn running_matters(&self) -> bool {
        self.mutant != Some(Mutant::WhoRunsDoesNotMatter)
    }

    fn read(&mut self, trace: &Trace) -> Option<Simplicity> {
        self.before.clear();
        let mut sum = Simplicity::default();
        let mut last = 0;
        for point in points(trace) {
            let Point::Thread(p) = point else { continue };
            self.before.push((sum, last));
            let thread = p.event.thread();
            sum.preemptions += u32::from(p.preempts(thread));
            sum.switches += u32::from(thread != last);
            sum.steps += 1;
            last = thread;
        }
        self.before.push((sum, last));
        self.wanted.is_shown(trace).then_some(sum)
    }

    fn before(&self, step: u32) -> Simplicity {
        self.before.get(step as usize).map_or_else(Simplicity::default, |(sum, _)| *sum)
    }

    fn child(&self, child: &Child) -> Simplicity {
        if self.mutant == Some(Mutant::WholeExecutionsBound) {
            return self.before.last().map_or_else(Simplicity::default, |(sum, _)| *sum);
        }
        let Some((sum, last)) = self.before.get(child.step as usize) else { return Simplicity::default() };
        match child.choice {
            Choice::Thread(t) => Simplicity {
                preemptions: child.preemptions,
                switches: sum.switches + u32::from(t != *last),
                steps: sum.steps + 1,
            },
            // Beside the step that was made.
            _ => self.before(child.step + 1),
        }
    }
}
