//! From what a search says to what a session's clients are told: the only place that knows both.

use super::deciding;
use super::worker::Task;
use crate::annotate::annotated_trace::{AnnotatedOp, AnnotatedTrace};
use crate::estimate;
use crate::interleaving::{absolute, absolute_location};
use crate::report::details;
use crate::search::Explored;
use crate::target::Paths;
use crate::terminal::text::circled;
use raddle_engine::analysis::coverage::Point;
use raddle_engine::{Failure, Progress, Summary};
use raddle_protocol::report::{self, ErrorReport, Verdict};
use raddle_protocol::session::{
    BoundState, Counts, CoveragePoint, Related, SessionFailure, SessionState, State,
};

/// A search between two executions.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    counts: Counts,
    bound: BoundState,
    estimate: Option<report::Estimate>,
    levels: (u64, u64, u64),
    rate: f64,
    seconds: f64,
    coverage: Vec<CoveragePoint>,
    failures: Vec<SessionFailure>,
}

impl Snapshot {
    /// Of a search that stands so.
    pub fn new(p: &Progress, summary: &Summary, rate: f64, seconds: f64) -> Snapshot {
        let counts = Counts {
            executions: p.executions,
            passed: p.passed,
            failed: p.failed,
            deadlocked: p.deadlocked,
            cut_off: p.executions.saturating_sub(p.passed + p.failed + p.deadlocked),
            waiting: p.waiting,
        };
        Snapshot {
            counts,
            bound: BoundState { current: p.preemptions, completed: summary.bound_completed },
            estimate: summary.estimate.map(estimate::told),
            levels: (p.levels.high, p.levels.medium, p.levels.low),
            rate,
            seconds,
            coverage: curve(&summary.coverage),
            failures: summary.failures.iter().map(found).collect(),
        }
    }

    /// What is told of it.
    pub fn apply(self, state: &mut SessionState) {
        (state.counts, state.bound, state.rate) = (self.counts, self.bound, self.rate);
        state.estimate = self.estimate;
        (state.seconds, state.coverage, state.failures) = (self.seconds, self.coverage, self.failures);
        (state.focus.high, state.focus.medium, state.focus.low) = self.levels;
    }
}

/// A failure while the search goes on: where it is, is known when it has been run again.
fn found(f: &Failure) -> SessionFailure {
    SessionFailure {
        kind: f.kind.name().to_string(),
        message: f.message.clone(),
        schedule: f.schedule.to_string(),
        preemptions: f.preemptions,
        found_after: f.found_after,
        ..SessionFailure::default()
    }
}

/// A curve as clients draw it: as far as classes are counted.
fn curve(points: &[Point]) -> Vec<CoveragePoint> {
    let point = |p: &Point| {
        let Point { executions, classes, states, bound } = *p;
        Some(CoveragePoint { executions, classes: classes?, states, bound })
    };
    points.iter().filter_map(point).collect()
}

/// How a search ended.
#[derive(Debug)]
pub struct Finished {
    verdict: Verdict,
    failures: Vec<SessionFailure>,
    warnings: Vec<String>,
    guarantee: String,
    error: String,
    times: Option<(f64, f64)>,
    completed: Option<u32>,
    /// The event at the first preemption of the first failure.
    first_preemption: u32,
    /// It went over to a forked child for each execution.
    pub forked: bool,
    /// See [`Explored::points`].
    pub points: Vec<String>,
}

impl Finished {
    /// With this report.
    pub fn new(explored: &Explored, task: &Task) -> Finished {
        let (report, paths) = (&explored.report, &task.subject.target.paths);
        // Clients show the first one first, as the command line does.
        let order = details::all_in_order(report);
        let warnings = report.warnings.iter().map(|w| match &w.location {
            Some(at) => format!("{} ({}:{})", w.message, at.file, at.line),
            None => w.message.clone(),
        });
        let failures = order.iter().map(|i| failure(&report.failures[*i], explored.scenes.get(*i), paths));
        let first = order.first().and_then(|i| explored.scenes.get(*i)).and_then(first_preemption);
        Finished {
            verdict: report.verdict,
            failures: failures.collect(),
            warnings: warnings.collect(),
            guarantee: report.guarantee.clone(),
            error: report.error.as_ref().map(in_lines).unwrap_or_default(),
            times: Some((report.executions_per_second, report.seconds)),
            completed: report.bound.preemptions.completed,
            first_preemption: first.unwrap_or_default(),
            forked: report.warnings.iter().any(|w| w.kind == "isolation"),
            points: explored.points.clone(),
        }
    }

    /// Without a search.
    pub fn without(verdict: Verdict, error: String, warnings: Vec<String>) -> Finished {
        Finished {
            verdict,
            failures: Vec::new(),
            warnings,
            guarantee: String::new(),
            error,
            times: None,
            completed: None,
            first_preemption: 0,
            forked: false,
            points: Vec::new(),
        }
    }

    /// What is told of it.
    pub fn apply(self, state: &mut SessionState) {
        (state.state, state.verdict) = (State::Done, Some(self.verdict));
        (state.warnings, state.guarantee, state.error) = (self.warnings, self.guarantee, self.error);
        if let Some((rate, seconds)) = self.times {
            (state.rate, state.seconds, state.bound.completed) = (rate, seconds, self.completed);
        }
        if let Some(first) = self.failures.first() {
            show(state, first.schedule.clone(), self.first_preemption, false);
        }
        state.failures = self.failures;
    }
}

/// From now on this is shown.
pub fn show(state: &mut SessionState, schedule: String, event: u32, steered: bool) {
    let shown = state.shown.get_or_insert_default();
    (shown.schedule, shown.event, shown.steered) = (schedule, event, steered);
    shown.revision += 1;
}

/// An error in the lines of a terminal.
fn in_lines(e: &ErrorReport) -> String {
    let more = [("cause", &e.cause), ("next", &e.next)];
    let more = more.iter().filter_map(|(head, text)| Some(format!("\n{head}: {}", text.as_ref()?)));
    e.message.clone() + &more.collect::<String>()
}

fn failure(f: &report::Failure, scene: Option<&AnnotatedTrace>, paths: &Paths) -> SessionFailure {
    let (deciding, unordered) = deciding::absolute(f.explained.as_ref(), paths);
    SessionFailure {
        kind: f.kind.clone(),
        message: f.message.clone(),
        location: f.location.clone().map(|at| absolute_location(paths, at)),
        schedule: f.schedule.clone(),
        preemptions: f.preemptions,
        found_after: f.found_after,
        mistake: f.explained.as_ref().and_then(|e| e.mistake.clone()),
        explanation: f.explanation.clone(),
        replay: f.replay.clone(),
        related: scene.map(|s| related(s, paths)).unwrap_or_default(),
        deciding,
        unordered,
    }
}

/// The preemptions of an execution, where they happened.
fn related(scene: &AnnotatedTrace, paths: &Paths) -> Vec<Related> {
    let preempted = scene.events.iter().filter_map(|e| Some((e.preemption.as_ref()?, e)));
    preempted
        .map(|(p, next)| {
            let holding = match p.holding.len() {
                0 => String::new(),
                _ => format!(", holding {}", p.holding.join(", ")),
            };
            let (who, then) = (who(scene, p.thread), who(scene, next.thread));
            Related {
                number: p.number,
                message: format!("{} {who} is preempted here{holding}; {then} runs", circled(p.number)),
                location: p.before.as_ref().map(|b| absolute(paths, b)),
            }
        })
        .collect()
}

/// `T1 transfer`.
fn who(scene: &AnnotatedTrace, thread: u8) -> String {
    match scene.threads.get(&thread).map(|t| t.name.as_str()) {
        _ if thread == 0 => "T0 main".to_string(),
        None | Some("") => format!("T{thread}"),
        Some(name) => format!("T{thread} {name}"),
    }
}

fn first_preemption(scene: &AnnotatedTrace) -> Option<u32> {
    scene.events.iter().position(|e: &AnnotatedOp| e.preemption.is_some()).map(|at| at as u32)
}
