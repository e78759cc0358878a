//! All classes of executions: walks states, and never twice from the same state with the same
//! past, which has the same continuations. That two prefixes of one class lead to the same state
//! is what makes reductions sound; it is checked on the way.

use super::races::races;
use super::state::State;
use super::{End, Step, follow};
use raddle_engine::simulated::Program;
use raddle_schedule::{Granularity, Outcome};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A class of executions, by its hash; how it ended is part of it.
pub type Class = (u128, End);

/// What is the same in all executions that end in the same way for the same reason: of those that
/// a thread's own step ended, the past of that step; of others the class.
pub type Cause = (u128, End);

/// What is known of a class.
pub struct Known {
    pub cause: Cause,
    /// The class as the engine counts it: by its cause, or by itself.
    pub counted: u128,
    /// One of its executions.
    pub run: Vec<Step>,
}

/// All that a program can do.
#[derive(Default)]
pub struct All {
    /// Every class.
    pub classes: BTreeMap<Class, Known>,
    /// Variables with a race in some execution.
    pub races: BTreeSet<u32>,
    /// Two prefixes of one class that lead to different states.
    pub torn: Option<(Vec<Step>, Vec<Step>)>,
}

/// All classes of a program; `None` if there are more than `most` states to walk.
pub fn all(program: &Program, granularity: Granularity, most: usize) -> Option<All> {
    let mut all = All::default();
    let mut seen: HashSet<(u128, u128)> = HashSet::new();
    let mut places: HashMap<u128, (u128, Vec<Step>)> = HashMap::new();
    let mut waiting = State::start(program, granularity);
    while let Some(state) = waiting.pop() {
        if seen.len() > most {
            return None;
        }
        let place = state.place();
        if !seen.insert((state.class, place)) {
            continue;
        }
        let (known, path) = places.entry(state.class).or_insert_with(|| (place, state.path.clone()));
        if *known != place && all.torn.is_none() {
            all.torn = Some((path.clone(), state.path.clone()));
        }
        match state.end() {
            Some(end) => {
                all.races.extend(races(&state.history));
                let own = |o| {
                    matches!(o, Outcome::Assertion | Outcome::Crash | Outcome::Exit | Outcome::AssumeBlocked)
                };
                let last = state.history.iter().rfind(|d| !d.inline);
                let (cause, counted) = match last.filter(|_| own(end.outcome)) {
                    Some(last) => (last.past, !last.past),
                    None => (state.class, state.class),
                };
                let class = (state.class, end.clone());
                // Who waits for whom beside it is no part of why it ended.
                let faults = end.faults.into_iter().filter(|f| !f.beside).collect();
                let cause = (cause, End { outcome: end.outcome, faults });
                let known = Known { cause, counted, run: state.path };
                all.classes.insert(class, known);
            }
            None => waiting.extend(state.next(program, granularity)),
        }
    }
    Some(all)
}

/// The class of one execution; `None` if the program has no such execution, or it goes on.
pub fn of(program: &Program, granularity: Granularity, steps: &[Step]) -> Option<Class> {
    let state = follow(program, granularity, steps)?;
    let end = state.end()?;
    Some((state.class, end))
}
