//! An execution for tests: two threads that add to a counter, and one whose addition is lost.

use raddle_protocol::explanation::{Deciding, Operation, Order};
use raddle_protocol::interleaving::{Interleaving, Lane, Preempted, Step};
use raddle_protocol::report::Location;
use raddle_protocol::session::SessionFailure;

/// The file that all of it is in, and its text.
pub const FILE: &str = "/ws/a.c";
pub const TEXT: &str =
    "static int counter;\nvoid add(void)\n{\n    int seen = counter; // 🦀\n    counter = seen + 1;\n}\n";

/// A line of it.
pub fn at(line: u32) -> Option<Location> {
    Some(Location { file: FILE.into(), line, column: 1 })
}

fn step(event: u32, thread: u32, operation: &str, words: &str, line: u32) -> Step {
    let object = if line == 0 { String::new() } else { "counter".to_string() };
    Step {
        event,
        thread,
        operation: operation.into(),
        text: words.into(),
        object,
        location: at(line).filter(|_| line > 0),
        ..Step::default()
    }
}

/// The execution.
pub fn execution() -> Interleaving {
    let lane = |thread, name: &str| Lane { thread, name: name.into(), ..Lane::default() };
    let mut events = vec![
        step(0, 1, "load", "loads counter = 0", 4),
        step(1, 2, "start", "starts", 0),
        step(2, 2, "load", "loads counter = 0", 4),
        step(3, 2, "store", "stores counter: 0 → 1", 5),
        step(4, 1, "store", "stores counter: 1 → 1", 5),
    ];
    events[1].preemption = Some(Preempted { number: 1, thread: 1, before: at(5), holding: Vec::new() });
    events[2].holding = vec!["m".into()];
    Interleaving {
        schedule: "sync@4:T2".into(),
        outcome: "assertion".into(),
        threads: vec![lane(0, "main"), lane(1, "add"), lane(2, "")],
        events,
        ..Interleaving::default()
    }
}

/// The failure that it is.
pub fn failure() -> SessionFailure {
    let execution = execution();
    let operation = |event: usize| {
        let step = &execution.events[event];
        Operation {
            event: Some(event),
            thread: format!("T{}", step.thread),
            operation: step.operation.clone(),
            object: step.object.clone(),
            location: step.location.clone(),
            ..Operation::default()
        }
    };
    let order = Order { first: operation(0), then: operation(3) };
    let race = Order { first: operation(4), then: Operation { event: None, ..operation(2) } };
    SessionFailure {
        schedule: execution.schedule.clone(),
        deciding: vec![Deciding { order: Some(order), ..Deciding::default() }],
        unordered: vec![race],
        ..SessionFailure::default()
    }
}
