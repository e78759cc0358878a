//! Brute force: a second, plain interpreter of the programs that copies the whole state at every
//! choice and walks all of them. Shares nothing with the engine but the language.
//!
//! [`enumerate`] lists all executions, `classes::all` all classes of executions (with what may be
//! swapped as `act` says it), `within::failures` the failures by the fewest preemptions, and
//! [`follow`] runs one given execution.

mod act;
pub mod classes;
mod cycles;
mod races;
mod run;
mod state;
mod step;
pub mod within;

use super::{Run, Step};
use raddle_engine::simulated::Program;
use raddle_schedule::{Granularity, Outcome};
pub use state::State;
use std::collections::BTreeSet;

/// What makes a failure that failure, whatever the order of independent steps: how it ended, and
/// for each thread at fault its code and place (of a deadlock those that wait for each other, or else all that
/// have not ended).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fault {
    pub kind: Outcome,
    pub places: Vec<(u64, u32)>,
    /// It is another thread's step that ended the execution.
    pub beside: bool,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    pub outcome: Outcome,
    /// In order.
    pub faults: Vec<Fault>,
}

/// All executions of a program; `None` if there are more than `most`.
pub fn enumerate(program: &Program, access: bool, most: usize) -> Option<Vec<Run>> {
    enumerate_at(program, if access { Granularity::Access } else { Granularity::Sync }, most)
}

/// All executions of a program with points of this granularity.
pub fn enumerate_at(program: &Program, granularity: Granularity, most: usize) -> Option<Vec<Run>> {
    let mut runs = Vec::new();
    let mut waiting = State::start(program, granularity);
    while let Some(state) = waiting.pop() {
        if let Some(end) = state.end() {
            if runs.len() == most {
                return None;
            }
            runs.push(Run { steps: state.path, preemptions: state.preemptions, outcome: end.outcome });
        } else {
            waiting.extend(state.next(program, granularity));
        }
    }
    Some(runs)
}

/// The first so many steps of every execution, with the choices at them; shorter ones are whole.
/// `None` if there are more than `most`.
pub fn beginnings(
    program: &Program,
    granularity: Granularity,
    steps: u32,
    most: usize,
) -> Option<BTreeSet<Vec<Step>>> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<(u32, State)> =
        State::start(program, granularity).into_iter().map(|s| (steps, s)).collect();
    while let Some((left, state)) = waiting.pop() {
        if left > 0 && state.end().is_none() {
            waiting.extend(state.next(program, granularity).into_iter().map(|s| (left - 1, s)));
        } else {
            found.insert(state.path);
        }
        if found.len() > most {
            return None;
        }
    }
    Some(found)
}

/// Where this execution leads; `None` if the program has no such execution.
pub fn follow(program: &Program, granularity: Granularity, steps: &[Step]) -> Option<State> {
    let mut at = State::start(program, granularity);
    loop {
        at.retain(|s| steps.starts_with(&s.path));
        // Choices are part of the path: at most one is left.
        let state = at.pop()?;
        if state.path.len() == steps.len() {
            return Some(state);
        }
        let (thread, late) = match steps[state.path.len()] {
            Step::Thread(t) => (t as usize, false),
            Step::TimeOut(t) => (t as usize, true),
            _ => return None,
        };
        at = state.make(program, granularity, thread, late)?;
    }
}
