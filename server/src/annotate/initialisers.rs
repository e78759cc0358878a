//! What runs once: which thread runs the initialiser of which object when an execution ends.

use super::places::Places;
use raddle_schedule::Trace;
use raddle_schedule::memory::Meaning;
use std::collections::{BTreeMap, BTreeSet};

/// What C++'s futures run once for themselves is no initialiser of the program's.
const OF_FUTURES: &str = "__future_base";

/// How a compiler of C++ calls what guards a static variable of a function while that is initialised.
const GUARD: &str = "guard variable for ";

/// What an object is the initialisation of: `registry::instance` for the guard that the compiler made.
pub fn initialised(object: &str) -> &str {
    object.strip_prefix(GUARD).unwrap_or(object)
}

/// What operations mean, without the initialisers that C++'s library runs within its futures.
pub fn meanings(trace: &Trace, places: &Places) -> BTreeMap<u32, Meaning> {
    use Meaning::{Completes, FindsDone, Poisons, Runs};
    let is_of_futures = |event: u32| {
        let stack = trace.stacks.iter().find(|s| s.event == event).map(|s| s.frames.as_slice());
        let functions = stack.unwrap_or_default().iter().map(|a| places.symbols.frames(a.wrapping_sub(1)));
        functions.into_iter().any(|frames| frames.iter().any(|f| f.function.contains(OF_FUTURES)))
    };
    let object = |event: u32| trace.events.get(event as usize).map(|e| e.object());
    let begun = trace.memory.meanings.iter().filter(|(_, m)| matches!(m, Runs | FindsDone));
    let inner: BTreeSet<Option<u64>> =
        begun.filter(|(event, _)| is_of_futures(*event)).map(|(event, _)| object(*event)).collect();
    let is_own = |(event, meaning): &&(u32, Meaning)| {
        !matches!(meaning, Runs | Completes | FindsDone | Poisons) || !inner.contains(&object(*event))
    };
    trace.memory.meanings.iter().filter(is_own).copied().collect()
}

/// By object, the thread that runs its initialiser at the end.
pub fn running(trace: &Trace, places: &Places) -> BTreeMap<u64, u8> {
    let mut running = BTreeMap::new();
    for (event, meaning) in meanings(trace, places) {
        let Some(e) = trace.events.get(event as usize) else { continue };
        match meaning {
            Meaning::Runs => drop(running.insert(e.object(), e.thread())),
            Meaning::Completes | Meaning::Poisons => drop(running.remove(&e.object())),
            _ => {}
        }
    }
    running
}

/// `T1 waits for the initialiser of TABLE, which T0 runs`.
pub fn wait(thread: u8, by: u8, object: &str) -> String {
    let runs = if thread == by { "it runs itself".to_string() } else { format!("T{by} runs") };
    format!("T{thread} waits for the initialiser of {}, which {runs}", initialised(object))
}
