//! A failing execution as a code flow: a thread flow for each thread, and over all of them the order in which
//! things happened (`executionOrder`, from 1, with a gap where something is left out).

use super::message::{operations, plain, preempted};
use super::places::Places;
use crate::terminal::clean::visible;
use crate::terminal::text::circled;
use raddle_protocol::report::{Event, Failure, Thread};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A code flow's threads.
pub struct Flow {
    /// The thread flows.
    pub threads: Vec<Value>,
    /// Operations that are not among them.
    pub left_out: usize,
}

/// How much an operation matters; the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Importance {
    Essential,
    Important,
    Unimportant,
}

impl Importance {
    fn name(self) -> &'static str {
        match self {
            Importance::Essential => "essential",
            Importance::Important => "important",
            Importance::Unimportant => "unimportant",
        }
    }
}

/// At most so many operations of a failing execution.
pub fn flow(f: &Failure, places: &mut Places, most: usize) -> Flow {
    let marks = Marks::new(f);
    let weigh = |at: usize, e: &Event| match () {
        () if marks.deciding.contains(&at) || marks.preempted.contains_key(&at) => Importance::Essential,
        () if marks.race.contains(&at) => Importance::Essential,
        () if e.preemption.is_some() || at + 1 == f.events.len() => Importance::Essential,
        () if e.matters => Importance::Important,
        () => Importance::Unimportant,
    };
    // One without a place can be shown nowhere.
    let mut told: Vec<(Importance, usize)> = (0..f.events.len())
        .filter(|at| f.events[*at].location.is_some())
        .map(|at| (weigh(at, &f.events[at]), at))
        .collect();
    // Of those that matter alike, the later ones say more of the failure.
    told.sort_by_key(|(importance, at)| (*importance, std::cmp::Reverse(*at)));
    let left_out = f.events.len() - told.len().min(most);
    told.truncate(most);
    told.sort_by_key(|(_, at)| *at);
    let mut threads: Vec<&str> = Vec::new();
    told.iter().for_each(|(_, at)| {
        let thread = f.events[*at].thread.as_str();
        if !threads.contains(&thread) {
            threads.push(thread);
        }
    });
    threads.sort_by_key(|t| t.trim_start_matches('T').parse().unwrap_or(u32::MAX));
    let mut one = |thread: &&str| {
        let of_it = told.iter().filter(|(_, at)| f.events[*at].thread == **thread);
        let steps: Vec<Value> =
            of_it.map(|(importance, at)| step(f, *at, *importance, &marks, places)).collect();
        json!({ "id": thread, "message": { "text": plain(&title(f, thread)) }, "locations": steps })
    };
    Flow { threads: threads.iter().map(&mut one).collect(), left_out }
}

/// `T1 transfer (spawned at src/lib.rs:44)`.
fn title(f: &Failure, thread: &str) -> String {
    let Some(Thread { name, spawned, .. }) = f.threads.iter().find(|t| t.thread == thread) else {
        return thread.to_string();
    };
    let mut text = format!("{thread} {name}").trim_end().to_string();
    if let Some(at) = spawned {
        text += &format!(" (spawned at {}:{})", at.file, at.line);
    }
    text
}

/// What is marked.
struct Marks {
    /// Operations whose place in the order decides.
    deciding: BTreeSet<usize>,
    /// The accesses of a data race.
    race: Vec<usize>,
    /// Operations behind which their thread was preempted, with the numbers of the preemptions. What comes next
    /// may have no place, as the start of a thread.
    preempted: BTreeMap<usize, u32>,
}

impl Marks {
    fn new(f: &Failure) -> Marks {
        let last = |thread: &str, before: usize| {
            (0..before).rev().find(|at| f.events[*at].thread == thread && f.events[*at].location.is_some())
        };
        let numbered = f.events.iter().enumerate().filter_map(|(at, e)| Some((at, e.preemption?)));
        let preempted = numbered.filter_map(|(at, number)| Some((last(preempted(f, at)?, at)?, number)));
        let race = f.race.iter().flat_map(|r| [r.first.event, r.second.event]).flatten().collect();
        Marks {
            deciding: operations(f).filter_map(|o| o.event).collect(),
            race,
            preempted: preempted.collect(),
        }
    }
}

fn step(f: &Failure, at: usize, importance: Importance, marks: &Marks, places: &mut Places) -> Value {
    let e = &f.events[at];
    let words = if e.text.is_empty() { format!("{} {}", e.operation, e.object) } else { e.text.clone() };
    let mut text = format!("{} {words}", e.thread);
    let mut kinds = kinds(e);
    if marks.deciding.contains(&at) {
        text += " (its place in the order decides)";
    }
    if marks.race.contains(&at) {
        text += " (races)";
        kinds.push("danger");
    }
    if let Some(number) = marks.preempted.get(&at) {
        text += &format!("; then {} {} is preempted", circled(*number), e.thread);
        kinds.push("caution");
    }
    let mut location = e.location.as_ref().map(|l| places.location(l, &e.method)).unwrap_or_default();
    location["message"] = json!({ "text": plain(&text) });
    let mut step = json!({
        "location": location,
        "executionOrder": at + 1,
        "importance": importance.name(),
        "kinds": kinds,
    });
    let value = e.shown.clone().or(e.value.map(|v| v.to_string()));
    if let Some(value) = value.filter(|_| !e.object.is_empty()) {
        step["state"] = json!({ visible(&e.object): { "text": plain(&value) } });
    }
    if let Some(number) = e.step {
        step["properties"] = json!({ "step": number });
    }
    step
}

/// The standard's words for what an operation does.
fn kinds(e: &Event) -> Vec<&'static str> {
    match e.operation.as_str() {
        "try_lock" if e.text.starts_with("cannot") => vec!["lock"],
        "try_read-lock" | "try_write-lock" if e.text.starts_with("cannot") => vec!["lock"],
        "lock" | "try_lock" | "read-lock" | "write-lock" | "try_read-lock" | "try_write-lock" | "wake" => {
            vec!["acquire", "lock"]
        }
        "unlock" | "read-unlock" | "write-unlock" | "wait" => vec!["release", "lock"],
        "spawn" => vec!["call", "function"],
        "start" => vec!["enter", "function"],
        "exit" => vec!["exit", "function"],
        "join" => vec!["return", "function"],
        "load" | "store" | "rmw" | "read" | "write" => vec!["memory", "value"],
        "free" => vec!["release", "memory"],
        operation if operation.starts_with("sem") || operation == "barrier" => vec!["resource"],
        _ => Vec::new(),
    }
}
