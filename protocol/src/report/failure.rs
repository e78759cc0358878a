//! One failure: what its execution did, thread by thread, and both sides of its race.

use super::{Location, is_zero};
use crate::explanation::Explanation;
use serde::{Deserialize, Serialize};

/// One distinct failure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// `panic`, `assertion`, `deadlock`, `livelock`, `hang`, `data-race`, `crash`, `exit` or
    /// `nondeterminism`.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// The thread that failed; empty where no single one did, as in a deadlock.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thread: String,
    /// The function that the failing thread was in, where it is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method: String,
    /// Preemptions of its schedule.
    pub preemptions: u32,
    /// Switches between threads of its schedule.
    pub switches: u32,
    /// The schedule, as `raddle replay` takes it.
    pub schedule: String,
    /// What its execution did, in order.
    pub events: Vec<Event>,
    /// Plain accesses that are not among `events`: of a long execution those are left out that lie far from switches
    /// between threads, from its ends and from what failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Its threads by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Thread>,
    /// Of a deadlock: the threads that wait for each other for ever, each for the next one, and the last for
    /// the first. Empty where they wait for something that no thread holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<Wait>,
    /// Which of `events` closed the cycle: from there on none of its threads can go on, whatever the others do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forms_at: Option<u32>,
    /// Of a data race: its two sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<Race>,
    /// Executions up to and with this one: of any outcome, those that confirm predictions included, and of all
    /// searches that were made side by side.
    pub found_after: u64,
    /// Why it fails, line by line.
    pub explanation: Vec<String>,
    /// What the program printed in this execution.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The command that shows it again.
    #[serde(default)]
    pub replay: String,
    /// How it was made simpler, where it was found at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simplified: Option<Simplified>,
    /// What decides that it fails, and the kind of mistake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explanation>,
}

/// A data race: two accesses that nothing orders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Race {
    /// The one that came first in this execution.
    pub first: RaceSide,
    /// The one that came second.
    pub second: RaceSide,
}

/// One access of a race.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceSide {
    /// Its place among the failure's `events`, where it is found there.
    pub event: Option<usize>,
    /// `T1`.
    pub thread: String,
    /// `read`, `write`, `free`, `atomic read`, `atomic write` or `atomic update`.
    pub operation: String,
    /// Of what.
    pub object: String,
    /// Of so many bytes.
    pub bytes: u64,
    /// What it read or changed, as the language writes it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// The locks that its thread held; null where that is not known.
    pub locks: Option<Vec<String>>,
    /// Where.
    pub location: Option<Location>,
    /// The program's functions around it, innermost first, each with where it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame>,
}

/// One function of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Its name.
    pub function: String,
    /// Where it was.
    pub location: Location,
}

/// What was done to a schedule that was found at random, so that it is easy to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simplified {
    /// Preemptions, switches and steps of the execution as it was found.
    pub preemptions: u32,
    /// See there.
    pub switches: u32,
    /// See there.
    pub steps: u32,
    /// Executions that were run for it, beside those of the search.
    pub executions: u64,
    /// What none has less of that fails the same way: `preemptions`, also `switches` with as few of them, also
    /// `steps` with as few of both. What is not named here may be less in an execution that was not run.
    pub fewest: Vec<String>,
    /// Executions that take turns unfairly were not run.
    pub unfair_left_out: bool,
}

/// One operation of a failing execution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Step number, as in schedules; null for accesses that are not schedule points.
    pub step: Option<u32>,
    /// Thread, `T1`.
    pub thread: String,
    /// What it did.
    pub operation: String,
    /// To what; empty where there is no object.
    pub object: String,
    /// The same in words: `locks accounts[0]`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Its object is one that another thread works with as well.
    #[serde(default, skip_serializing_if = "is_false")]
    pub matters: bool,
    /// The innermost function with a marker that the thread was in, by its name in the source index;
    /// empty where it is in none.
    #[serde(default)]
    pub method: String,
    /// Value read, written or returned, where it is known, as a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
    /// What it read or changed, or what lies under the lock, as the language writes it: `100`, `100 → 50`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// Where.
    pub location: Option<Location>,
    /// Number of the preemption right before it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemption: Option<u32>,
}

fn is_false(b: &bool) -> bool {
    !b
}

/// One thread of a failing execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// `T1`.
    pub thread: String,
    /// Its name, or the function it began with; empty where neither is known.
    pub name: String,
    /// Where it was spawned.
    pub spawned: Option<Location>,
    /// Stretches of `events`, from the first to before the second index, at whose schedule points it
    /// was there and could not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<(u32, u32)>,
    /// What it was about to do when the execution failed; null for one that had ended.
    pub pending: Option<Pending>,
}

/// A thread that waits for what another one has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// `T1`.
    pub thread: String,
    /// A lock, or a thread whose end it waits for.
    pub waits_for: String,
    /// The thread that holds the lock, or is to end: the next one of the cycle.
    pub held_by: String,
    /// Where it waits.
    pub location: Option<Location>,
}

/// What a thread was about to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// In words: `locks a`.
    pub text: String,
    /// Where.
    pub location: Option<Location>,
}
