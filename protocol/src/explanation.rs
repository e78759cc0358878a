//! Why an execution fails, as data: what decides, what kind of mistake it is, and the same told as text.
//! Faces and reports show it; they add nothing of their own. Names here are promises, as in [`crate::report`].

use crate::report::Location;
use serde::{Deserialize, Serialize};

/// Why one execution fails.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The kind of mistake, where it is known.
    pub mistake: Option<Mistake>,
    /// What decides, in the order of the failing execution. Each was turned around with all others kept, as far as they still
    /// happened, and the test passed (where the program races anyway, but for that).
    pub deciding: Vec<Deciding>,
    /// The two accesses of a data race, which nothing orders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unordered: Vec<Order>,
    /// No execution passes in which all of `deciding` happens as it did: all that could be one were run.
    pub enough: bool,
    /// An execution that passes, as `raddle replay` takes it: the nearest of those that `deciding` names.
    pub passing: Option<String>,
    /// The same word for failures of one cause: the same orders and choices decide about them, by functions, lines and
    /// objects, whichever of threads that run the same function it is. None where what decides is not known for certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub cause: Option<String>,
    /// The first of the report's failures with that cause, from 0, if it is another one. That one is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub same_cause_as: Option<usize>,
    /// Executions that were run for this.
    pub executions: u64,
    /// Every execution that was run for this fails the same way: so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub always: Option<u64>,
    /// No execution passes, though they may fail in several ways: nothing decides that this one fails.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub none_passes: bool,
    /// What ended the search for it early, where `enough` is not known: `10 s`, `20,000 executions`, `Ctrl-C`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub cut_short: Option<String>,
    /// A schedule that fails the same way and is simpler, where one was looked for and found (`raddle explain`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub simpler: Option<String>,
    /// What is shown beside what decides, the most telling first: what the end was judged by, who had made that, where
    /// sections ended in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<Operation>,
    /// What the variables of a failed assertion were when it failed, as far as that is known; of `assert_eq!` and `assert_ne!` `left` and `right`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saw: Vec<Value>,
    /// What happens, in sentences.
    pub story: Vec<String>,
    /// The whole text as it is shown: at most 24 lines of at most 100 columns.
    pub text: Vec<String>,
}

/// What a variable was.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// The variable, as the source writes it: `q->head->n`.
    pub name: String,
    /// Its value, as the language writes it.
    pub value: String,
}

/// The kind of mistake, and what is meant in this program.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mistake {
    /// `atomicity violation`, `order violation`, `missed notification` (it comes too early, or wakes another one),
    /// `missing notification` (nobody gives one), `lock order`, `lock upgrade` (a reader wants to write), `lock taken twice`,
    /// `lock not released` (its thread has ended), `thread not joined` (a `std::thread` of C++), `try given up`, `time-out ignored`, `join under lock`, `wait under lock`, `initialisation cycle`, `recursive read lock`,
    /// `barrier` (fewer come than it waits for), `channel cycle`, `sender kept`, `receiver kept`, `receiver dropped` (while others send), `check then act` (two calls of a
    /// library), `object lifetime` (a use during construction or destruction), `stale flag` (what it was set for has
    /// changed), `unprotected access`, `use after free`, `misuse` (what POSIX leaves undefined) or `other`.
    pub kind: String,
    /// One sentence that says what to do about it, with the program's names.
    pub text: String,
    /// What should be one step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub section: Option<Section>,
    /// The variables and locks it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<String>,
}

impl Mistake {
    /// `Atomicity violation: …`.
    pub fn sentence(&self) -> String {
        let mut kind = self.kind.chars();
        let first: String = kind.next().into_iter().flat_map(char::to_uppercase).collect();
        format!("{first}{}: {}", kind.as_str(), self.text)
    }
}

/// A stretch of one thread that should be one step.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The thread, `T1`.
    pub thread: String,
    /// The function that both ends are in; the innermost such.
    pub method: String,
    /// Its first line.
    pub from: Location,
    /// Its last line.
    pub to: Location,
}

/// Something that decides. Of its two forms exactly one is there.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deciding {
    /// An order of two operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub order: Option<Order>,
    /// A choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub choice: Option<Choice>,
    /// An execution in which it is otherwise, as `raddle replay` takes it; it passes, but for the races of `but_races`.
    pub passing: String,
    /// What is accessed there by two threads in no order: the failure happens without that. Empty where nothing races.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub but_races: Vec<String>,
    /// How many orders and choices that one gives up, this one included.
    pub distance: u32,
}

/// Two operations of different threads that conflict, in the order in which they came.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Came first.
    pub first: Operation,
    /// Came after it.
    pub then: Operation,
}

/// A choice that was made.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// At which operation.
    pub at: Operation,
    /// What was chosen, as in schedules: `w3`, `i7`, `timeout`.
    pub chosen: String,
    /// What passes. Of `timeout` it is empty: the wait ends before its time is over.
    pub instead: String,
}

/// One operation of the failing execution.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Its place among the failure's `events`; null if the test failed before the thread made it.
    pub event: Option<usize>,
    /// Step number, as in schedules; null for what is not a schedule point, or was not made.
    pub step: Option<u32>,
    /// `T1`.
    pub thread: String,
    /// The function that the thread runs; its name where it has one.
    pub role: String,
    /// What it does, as `events` say it: `load`, `lock`, `notify one`, `wait`, …
    pub operation: String,
    /// To what.
    pub object: String,
    /// The value read or written, as the language writes it, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub value: Option<String>,
    /// The innermost function it is done in.
    pub method: String,
    /// Where.
    pub location: Option<Location>,
    /// The lines that called the function, innermost first, as far as the test's own sources go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub called_on: Vec<Location>,
    /// The locks that its thread held when it came, but for those that it takes; null where it was not made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub holding: Option<Vec<String>>,
    /// How often its thread had come to this place by these calls, this time counted, if that is more than once; of steps only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub time: Option<u32>,
}
