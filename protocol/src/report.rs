//! The `--json` report: one [`Report`] per test, one per line. Names here are promises to
//! scripts; fields are added, never renamed.

use crate::explanation::Explanation;
use serde::{Deserialize, Serialize};

/// Version of the format.
pub const VERSION: u32 = 1;

/// What became of one test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// [`VERSION`].
    pub version: u32,
    /// The target as it was named.
    pub target: String,
    /// The test; empty when the target itself cannot be used.
    pub test: String,
    /// The outcome in one word.
    pub verdict: Verdict,
    /// Distinct failures, in the order in which they were found.
    pub failures: Vec<Failure>,
    /// What should be known beside the verdict.
    pub warnings: Vec<Warning>,
    /// Complete executions, passed or failed.
    pub executions: u64,
    /// Executions that ended with no thread able to run.
    pub deadlocked: u64,
    /// Executions given up because every enabled thread was asleep.
    pub sleep_blocked: u64,
    /// Executions given up at a `raddle_assume`.
    pub assume_blocked: u64,
    /// Executions cut off at the step bound.
    pub truncated: u64,
    /// Executions beside the search, made to confirm predicted deadlocks: they count for `found_after` and
    /// nowhere else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub confirming: u64,
    /// Executions beside the search in which no block of the heap is given out twice, so that uses of freed blocks show:
    /// they count nowhere else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub quarantined: u64,
    /// Everything within bound and granularity was run.
    pub complete: bool,
    /// What holds now, in one sentence.
    pub guarantee: String,
    /// How far bounds were completed.
    pub bound: Bounds,
    /// Distinct happens-before classes, where they were counted.
    pub classes: Option<u64>,
    /// Classes and states after so many executions, and where bounds were completed; ever fewer
    /// points the more executions there were. Of two searches side by side: of the one whose counts
    /// these are, or of the one that leaves nothing out.
    #[serde(default)]
    pub coverage: Vec<CoveragePoint>,
    /// Wall time of the search.
    pub seconds: f64,
    /// Executions by that time.
    pub executions_per_second: f64,
    /// Most memory of server and runners together.
    pub peak_memory_bytes: u64,
    /// What the search's waiting executions took.
    #[serde(default)]
    pub tree: Tree,
    /// The memory of states; with statement points also what is counted beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<States>,
    /// How many executions there are in all, where the search was not complete and something can be
    /// said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// What was searched, and how.
    pub search: Search,
    /// Where no axis was named: the searches that were made side by side. One that is complete has run
    /// everything, and then the counts above are its own; otherwise they are those of all, which may
    /// have run the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub portfolio: Vec<Share>,
    /// Why the target or the test could not be run (verdict `error`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorReport>,
    /// Random runs compared with what was explored, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Audit>,
    /// What the program printed in a replay that passed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// What a replay that passed did, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// Executions of a replay, where the report is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
}

/// The outcome in one word.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No failure within the stated guarantee.
    Passed,
    /// A failure was found.
    Failed,
    /// A limit ended the search before its goal, without a failure.
    Incomplete,
    /// It could not be run.
    Error,
}

/// What the waiting executions took at most. Peaks of different parts need not be of the same
/// time, so `peak_bytes` may be more than there ever was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Nodes.
    pub peak_nodes: u64,
    /// Bytes of one node of the execution tree.
    pub bytes_per_node: u64,
    /// Bytes of its place in the order of what waits.
    pub bytes_per_entry: u64,
    /// Bytes in memory, all parts together.
    pub peak_bytes: u64,
    /// Of these, the execution tree's nodes.
    pub node_bytes: u64,
    /// Of these, the places in the order of what waits.
    pub fringe_bytes: u64,
    /// Of these, what orders ask about: the switches that what waits begins with.
    pub context_bytes: u64,
    /// Of these, what a reduction keeps: sleep sets, wakeup trees, the steps they consist of.
    pub reduction_bytes: u64,
    /// How often an execution was put aside on disk.
    pub spilled: u64,
    /// Most bytes there.
    pub spilled_bytes: u64,
}

/// What was covered after so many executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveragePoint {
    /// Executions by then, of any outcome.
    pub executions: u64,
    /// Distinct happens-before classes of the complete ones; null where they were not counted, or
    /// there are more than are kept.
    pub classes: Option<u64>,
    /// Distinct states: prefixes of executions that differ by more than the order of independent
    /// steps. As classes; they are counted where a picture is asked for (`--coverage`).
    pub states: Option<u64>,
    /// All executions with at most so many preemptions had been run, and not yet at the point before.
    pub bound: Option<u32>,
}

/// A memory of states at the end of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct States {
    /// States in its table.
    pub table: u64,
    /// Executions left out since the state in which they begin to differ was known.
    pub pruned: u64,
    /// Steps from state to state that were followed without running the program (`abstract` without a bound).
    #[serde(default)]
    pub followed: u64,
    /// Bytes taken.
    pub bytes: u64,
    /// Past the limit of memory no more states were remembered.
    pub full: bool,
    /// Arrivals at schedule points (calls of the paper's `hook`): each beginning once, what an execution only
    /// repeats not counted, nor what follows a known state. Null where steps were followed without running it.
    pub calls: Option<u64>,
    /// Combined counters that were reached with different shared variables.
    pub differing: u64,
}

/// How many executions there are in all.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Probably so many, those that were run included.
    pub executions: u64,
    /// Hardly fewer.
    pub low: u64,
    /// Hardly more.
    pub high: u64,
    /// `high`: the range is a third to both sides; `medium`: a factor of two; `low`: up to ten.
    pub confidence: String,
    /// Share of them that was run, from 0 to 1.
    pub share: f64,
    /// Those with at most so many preemptions are meant; null for all within the bound.
    pub preemptions: Option<u32>,
    /// `≈ 12 % of about 45,000 (30,000–80,000)`.
    pub text: String,
}

/// How far bounds were completed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Of preemptions.
    pub preemptions: Completed,
}

/// Completion of one bound.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Completed {
    /// The highest completed value; null where none is (or the axis has no bound).
    pub completed: Option<u32>,
}

/// One of several searches made side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Which executions it left out as redundant.
    pub reduce: String,
    /// Which were out of scope.
    pub bound: String,
    /// Its executions, of any outcome.
    pub executions: u64,
    /// It has run everything.
    pub complete: bool,
    /// What ended it, where another one went on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
}

/// What was searched, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Where switches may happen.
    pub granularity: String,
    /// Which executions were left out as redundant.
    pub reduce: String,
    /// Which were out of scope.
    pub bound: String,
    /// Which came first.
    pub order: String,
    /// Memory of states.
    pub states: String,
    /// Seed of random orders.
    pub seed: u64,
    /// Variables every access to which is a point too, since they raced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promoted: Vec<String>,
    /// How often the search began again since variables were promoted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restarts: u64,
    /// What the order prefers, where that is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<Focus>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// What an order prefers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Focus {
    /// Functions.
    pub methods: Vec<String>,
    /// Variables.
    pub variables: Vec<String>,
}

/// A place in the sources, from 1.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// As the compiler recorded it, relative to the target's folder where it lies below it.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column; 0 where it is not known.
    pub column: u32,
}

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

/// Something that should be known beside the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A word to sort by: `truncated`, `blocked`, `randomisation`, …
    pub kind: String,
    /// What it says.
    pub message: String,
    /// Where, if at a place.
    pub location: Option<Location>,
}

/// Why nothing could be run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ErrorReport {
    /// What happened.
    pub message: String,
    /// Why.
    pub cause: Option<String>,
    /// What to do.
    pub next: Option<String>,
}

/// Random runs of the real program after a complete search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Audit {
    /// Runs made.
    pub runs: u64,
    /// Of these, runs that had to land in an explored class (those within the bound).
    pub checked: u64,
    /// Schedules of runs that did not.
    pub outside: Vec<String>,
}

/// What a replay was asked for and saw.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Replay {
    /// The schedule.
    pub schedule: String,
    /// Runs made.
    pub runs: u64,
    /// Runs in which the failure happened.
    pub failed: u64,
    /// Runs that passed.
    pub passed: u64,
    /// Runs that did not follow the schedule, or not as the first did.
    pub diverged: u64,
    /// Hash of the trace that all runs but the diverged ones have, in hexadecimal: threads,
    /// operations and objects of all steps, the same in every process.
    pub hash: String,
    /// How the schedule of a file was found again in the program as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Alignment>,
}

/// How a stored schedule was found again in the program as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alignment {
    /// `exact`: every step is there, and no other. `re-aligned`: the same failure, with steps that are new or gone.
    /// `nearby`: the same failure, by a schedule that differs a little from what could be found again. `found`:
    /// the same failure, by a short search. `other`: another failure. `passes`: its differences are
    /// still there, and nothing fails. `lost`: nothing fails, and differences are gone. `given-up`: nothing fails with what was found
    /// within the limits, and that is not all of it. `interrupted`: looked for until Ctrl-C or SIGTERM.
    pub how: String,
    /// The schedule as it was stored.
    pub stored: String,
    /// The file.
    pub file: String,
    /// The stored schedule's differences from the default behaviour.
    pub differences: u32,
    /// Of these, those that were found again in their place.
    pub found: u32,
    /// Steps of the stored execution that the file tells.
    pub steps: u32,
    /// Of these, those that were found again in their place.
    pub steps_found: u32,
    /// Steps of the program up to there that the stored execution does not have.
    pub steps_new: u32,
    /// The differences that were not, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Where the program first could not be led as it was, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departs: Option<String>,
    /// Executions that were run to look for the failure beside it.
    pub searched: u64,
    /// The search beside it has run everything.
    pub complete: bool,
    /// All of it in sentences.
    pub text: String,
    /// The file has the schedule as it is now (`--update`).
    #[serde(default)]
    pub updated: bool,
}

impl Report {
    /// With nothing found yet.
    pub fn new(target: &str, test: &str, search: Search) -> Self {
        Report {
            version: VERSION,
            target: target.to_string(),
            test: test.to_string(),
            verdict: Verdict::Error,
            failures: Vec::new(),
            warnings: Vec::new(),
            executions: 0,
            deadlocked: 0,
            sleep_blocked: 0,
            assume_blocked: 0,
            truncated: 0,
            confirming: 0,
            quarantined: 0,
            complete: false,
            guarantee: String::new(),
            bound: Bounds::default(),
            classes: None,
            coverage: Vec::new(),
            seconds: 0.0,
            executions_per_second: 0.0,
            peak_memory_bytes: 0,
            tree: Tree::default(),
            states: None,
            estimate: None,
            search,
            portfolio: Vec::new(),
            error: None,
            audit: None,
            output: String::new(),
            events: Vec::new(),
            replay: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    /// The names of interface.md, in its order.
    #[test]
    fn the_promised_names() {
        let mut report = Report::new("a.c", "a", Search::default());
        report.verdict = Verdict::Incomplete;
        report.failures.push(Failure {
            kind: "panic".into(),
            message: String::new(),
            location: Some(Location { file: "a.c".into(), line: 1, column: 2 }),
            thread: String::new(),
            method: String::new(),
            preemptions: 0,
            switches: 0,
            schedule: "sync@default".into(),
            events: Vec::new(),
            threads: Vec::new(),
            cycle: Vec::new(),
            forms_at: None,
            found_after: 1,
            simplified: None,
            explained: None,
            race: None,
            explanation: Vec::new(),
            output: String::new(),
            replay: String::new(),
        });
        expect![[r#"{"version":1,"target":"a.c","test":"a","verdict":"incomplete","failures":[{"kind":"panic","message":"","location":{"file":"a.c","line":1,"column":2},"preemptions":0,"switches":0,"schedule":"sync@default","events":[],"found_after":1,"explanation":[],"replay":""}],"warnings":[],"executions":0,"deadlocked":0,"sleep_blocked":0,"assume_blocked":0,"truncated":0,"complete":false,"guarantee":"","bound":{"preemptions":{"completed":null}},"classes":null,"coverage":[],"seconds":0.0,"executions_per_second":0.0,"peak_memory_bytes":0,"tree":{"peak_nodes":0,"bytes_per_node":0,"bytes_per_entry":0,"peak_bytes":0,"node_bytes":0,"fringe_bytes":0,"context_bytes":0,"reduction_bytes":0,"spilled":0,"spilled_bytes":0},"search":{"granularity":"","reduce":"","bound":"","order":"","states":"","seed":0}}"#]]
            .assert_eq(&serde_json::to_string(&report).unwrap());
    }
}
