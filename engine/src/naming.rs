//! The name of an execution: its differences from the default behaviour, read off the trace, and
//! how many preemptions and switches it has. Samplers find executions without knowing their
//! name, and what was run can always be checked against what was asked for.

use crate::points::{Point, points};
use raddle_schedule::{Choice, Delta, Trace};

/// An execution's name and its two measures of simplicity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// Differences from the default behaviour.
    pub deltas: Vec<Delta>,
    /// Switches away from a thread that could have gone on.
    pub preemptions: u32,
    /// Changes of the running thread.
    pub switches: u32,
}

impl Name {
    /// The name of an execution whose trace is lost, from its plan. Its switches are at least
    /// those that were asked for.
    pub fn of_plan(deltas: &[Delta], preemptions: u32) -> Name {
        let switches = deltas.iter().filter(|d| matches!(d.choice, Choice::Thread(_))).count() as u32;
        Name { deltas: deltas.to_vec(), preemptions, switches }
    }
}

/// Names an execution.
pub fn name(trace: &Trace) -> Name {
    let mut name = Name::default();
    for point in points(trace) {
        match point {
            Point::Thread(p) => {
                let thread = p.event.thread();
                name.preemptions += u32::from(p.preempts(thread));
                name.switches += u32::from(thread != p.previous);
                if p.default() != Some(thread) {
                    name.deltas.push(Delta { step: p.step, choice: Choice::Thread(thread) });
                }
            }
            Point::Choice(p) => {
                if p.default() != Some(p.chosen) {
                    name.deltas.push(Delta { step: p.step, choice: p.chosen });
                }
            }
        }
    }
    name
}
