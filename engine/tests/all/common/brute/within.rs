//! Failures by the fewest preemptions and by the fewest steps that lead there: the shortest paths
//! in the graph of states.

use super::Fault;
use super::act::digest;
use super::state::State;
use raddle_engine::simulated::Program;
use raddle_schedule::Granularity;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Each failure with the fewest preemptions of an execution that ends so; `None` if there are
/// more than `most` states.
pub fn failures(program: &Program, granularity: Granularity, most: usize) -> Option<BTreeMap<Fault, u32>> {
    let mut best: HashMap<u128, u32> = HashMap::new();
    let mut found = BTreeMap::new();
    let mut waiting: VecDeque<State> = State::start(program, granularity).into();
    while let Some(state) = waiting.pop_front() {
        // From here on it matters too who ran last, and whether it gave way.
        let key = digest(&(state.place(), state.threads[state.last].name, state.gave_way));
        if best.get(&key).is_some_and(|b| *b <= state.preemptions) {
            continue;
        }
        best.insert(key, state.preemptions);
        if best.len() > most {
            return None;
        }
        if let Some(end) = state.end() {
            for fault in end.faults {
                let fewest = found.entry(fault).or_insert(state.preemptions);
                *fewest = state.preemptions.min(*fewest);
            }
            continue;
        }
        for next in state.next(program, granularity) {
            match next.preemptions > state.preemptions {
                false => waiting.push_front(next),
                true => waiting.push_back(next),
            }
        }
    }
    Some(found)
}
