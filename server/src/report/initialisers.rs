//! What runs once: which thread runs the initialiser of which object when an execution ends.

use raddle_schedule::Trace;
use raddle_schedule::memory::Meaning;
use std::collections::BTreeMap;

/// How a compiler of C++ calls what guards a static variable of a function while that is initialised.
const GUARD: &str = "guard variable for ";

/// What an object is the initialisation of: `registry::instance` for the guard that the compiler made.
pub fn initialised(object: &str) -> &str {
    object.strip_prefix(GUARD).unwrap_or(object)
}

/// By object, the thread that runs its initialiser at the end.
pub fn running(trace: &Trace) -> BTreeMap<u64, u8> {
    let mut running = BTreeMap::new();
    for (event, meaning) in &trace.memory.meanings {
        let Some(e) = trace.events.get(*event as usize) else { continue };
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
