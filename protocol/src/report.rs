//! The `--json` report: one [`Report`] per test, one per line. Names here are promises to
//! scripts; fields are added, never renamed.

mod extent;
mod failure;
mod replay;

pub use extent::{
    Audit, Bounds, Completed, CoveragePoint, Estimate, Finer, Focus, Search, Seeds, Share, States, Tree,
};
pub use failure::{Event, Failure, Frame, Pending, Race, RaceSide, Simplified, Thread, Wait};
pub use replay::{Alignment, Replay};

use crate::gap::Gap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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
    /// Executions that failed in a way that no fair interleaving of their class can: nothing of them counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfair: u64,
    /// Executions that ended where the program did what is not modelled: what would follow was not run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u64,
    /// What ended them, each reason at each place once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
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
    /// Gaps of the search that concern this test.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub gaps: BTreeSet<Gap>,
    /// How far bounds were completed, and what to do to get further.
    pub bound: Bounds,
    /// Distinct happens-before classes, where they were counted.
    pub classes: Option<u64>,
    /// Classes and states after so many executions, and where bounds were completed; ever fewer
    /// points the more executions there were. Of two searches side by side: of the one whose counts
    /// these are, or of the one that leaves nothing out.
    #[serde(default)]
    pub coverage: Vec<CoveragePoint>,
    /// Wall time of the search, and of simplifying and explaining what it found.
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
    /// What the default search did behind its complete part, with operations inside dependencies as points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finer: Option<Finer>,
    /// The seeds of random numbers, where several were wanted and the test asked for any: the counts above are those of all
    /// seeds together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Seeds>,
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

fn is_zero(n: &u64) -> bool {
    *n == 0
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

/// Something that should be known beside the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A word to sort by: `truncated`, `blocked`, `randomisation`, …
    pub kind: String,
    /// What it says.
    pub message: String,
    /// Where, if at a place.
    pub location: Option<Location>,
    /// The command that runs the first execution that showed it, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// What ended executions that were refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What is not modelled, and why it is refused.
    pub message: String,
    /// Executions that it ended.
    pub executions: u64,
    /// Where, if the place is known.
    pub location: Option<Location>,
    /// The schedule of one of them.
    pub schedule: String,
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
            unfair: 0,
            refused: 0,
            refusals: Vec::new(),
            confirming: 0,
            quarantined: 0,
            complete: false,
            guarantee: String::new(),
            gaps: BTreeSet::new(),
            bound: Bounds::default(),
            classes: None,
            coverage: Vec::new(),
            seconds: 0.0,
            executions_per_second: 0.0,
            peak_memory_bytes: 0,
            tree: Tree::default(),
            states: None,
            estimate: None,
            finer: None,
            seeds: None,
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
            left_out: 0,
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
