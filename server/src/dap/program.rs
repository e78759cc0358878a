//! What is debugged, from launch to end, and where its execution stands.

use super::arguments::Arguments;
use super::breakpoints::Breakpoints;
use super::debuggee::Debuggee;
use super::execution::Execution;
use super::variables::Handles;
use crate::interleaving::Tracer;
use raddle_schedule::Outcome;

/// Where the execution stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Events recorded.
    pub events: u64,
    /// It stands at the last of them, which is done next; otherwise somewhere after it.
    pub exact: bool,
    /// Breakpoints hit since that event, this one included.
    pub hits: u32,
    /// It stands at a breakpoint.
    pub at_hit: bool,
    /// Its failure has been shown.
    pub failed: bool,
}

impl Position {
    /// The event that is done next.
    pub fn next(self) -> u64 {
        self.events.saturating_sub(u64::from(self.exact))
    }
}

/// What is debugged.
pub struct Program {
    /// What the client asked for.
    pub arguments: Arguments,
    /// Makes executions without a debugger.
    pub tracer: Tracer,
    /// Makes them under gdb.
    pub debuggee: Debuggee,
    /// The one that is debugged.
    pub execution: Execution,
    /// Where it stands.
    pub position: Position,
    /// What the client handed out numbers for.
    pub handles: Handles,
    /// The user's breakpoints.
    pub breakpoints: Breakpoints,
}

impl Program {
    /// A sentence about the event that the execution stands at.
    pub fn here(&self) -> Option<String> {
        let number = self.position.events.checked_sub(1)?;
        let event = self.execution.event(number)?;
        if let Some(preempted) = &event.preemption {
            let (number, who, runs) = (preempted.number, preempted.thread, event.thread);
            return Some(format!("preemption {number}: T{who} waits, T{runs} runs"));
        }
        let delta = self.execution.difference()?;
        let here = event.step == Some(delta.step);
        here.then(|| format!("first difference from the default: {} at step {}", delta.choice, delta.step))
    }

    /// It has passed the last event of an execution that is known to hang after it.
    pub fn hangs(&self) -> bool {
        let hang = self.execution.traced.trace.outcome == Outcome::Hang;
        hang && self.debuggee.events() >= self.execution.events().len() as u64
    }
}
