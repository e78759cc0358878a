//! The search of one test: the engine over a runner, watched by clock and Ctrl-C, and what it
//! found made into a report.

use crate::estimate;
use crate::interrupt::Interrupt;
use crate::progress::Phase;
use crate::report::details::Told;
use crate::report::present::{Presented, present};
use crate::report::scene::{Places, Scene};
use crate::report::{location, locks, names::Names, rounds};
use crate::runner::{Isolation, MainExit, Runner, Settings};
use crate::schedules::{self, Stored};
use crate::symbols::Symbols;
use crate::target::{Target, Test};
use raddle_engine::analysis::coverage::Point;
use raddle_engine::search::Turn;
use raddle_engine::tree::BLOCK;
use raddle_engine::{
    Config, Control, Error as SearchError, ExecutorError, Failure, FailureKind, Order, Portfolio, Prefix,
    Summary, WarningKind,
};
use raddle_protocol::report::{self, Audit, Completed, ErrorReport, Report, Verdict, Warning};
use raddle_schedule::{Schedule, Trace};
use selection::{Named, Seen};
use std::path::PathBuf;
use std::time::{Duration, Instant};

mod detail;
pub mod focus;
mod observer;
mod promotion;
pub mod selection;
pub mod store;
mod watch;
pub use detail::detail;
use observer::Observer;
pub use watch::{Running, Watch};

/// What is searched, and how.
pub struct Job<'a> {
    /// The built target.
    pub target: &'a Target,
    /// One of its tests.
    pub test: &'a Test,
    /// The axes of the search.
    pub config: Config,
    /// None of them was named: the default search.
    pub is_default: bool,
    /// What the order prefers from the beginning.
    pub focus: Named,
    /// How its program runs.
    pub settings: Settings,
    /// Go over to fork isolation when executions do not repeat.
    pub may_fork: bool,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// Bytes that what waits may take.
    pub memory: u64,
    /// Options that a replay needs as well, as they are typed.
    pub replay_options: String,
    /// Folders whose code is not the user's.
    pub own: Vec<PathBuf>,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
}

/// A data race of a search that promotes.
struct Raced {
    /// Its place among the report's failures.
    failure: usize,
    /// The variable, or why it cannot be promoted.
    variable: Result<String, String>,
}

/// A test's report, and the stories of its failures.
pub struct Explored {
    /// For programs.
    pub report: Report,
    /// For people, failure by failure.
    pub told: Vec<Told>,
    /// The executions of its failures.
    pub scenes: Vec<Scene>,
    /// The functions that were entered.
    pub entered: focus::Names,
    /// The variables that were met, if the focus named any.
    pub variables: focus::Names,
    /// Executions of any outcome.
    ran: u64,
    /// The races that may be promoted.
    raced: Vec<Raced>,
}

impl Explored {
    /// Nothing was found yet.
    fn new(report: Report) -> Self {
        let (told, scenes, raced, entered, variables) = Default::default();
        Explored { report, told, scenes, entered, variables, ran: 0, raced }
    }
}

impl Job<'_> {
    /// Searches.
    pub fn run(&self) -> Explored {
        self.rounds(&mut None)
    }

    /// Searches, watched.
    pub fn run_with(&self, watch: &mut dyn Watch) -> Explored {
        self.rounds(&mut Some(watch))
    }

    /// Searches what begins so, and nothing else. Its steps are numbered with the variables that are
    /// promoted in it, so none is promoted anew.
    pub fn begin_with(&mut self, beginning: Prefix) {
        self.settings.promoted = beginning.promoted.clone();
        self.config.promoted = beginning.promoted.clone();
        self.config.promote_races = false;
        self.config.below = Some(beginning);
    }

    fn rounds(&self, watch: &mut Option<&mut dyn Watch>) -> Explored {
        if self.config.promote_races { promotion::run(self, watch) } else { self.attempts(watch) }
    }

    fn attempts(&self, watch: &mut Option<&mut dyn Watch>) -> Explored {
        let mut explored = self.attempt(&self.settings, watch);
        let strange = explored.report.failures.iter().any(|f| f.kind == FailureKind::Nondeterminism.name());
        if strange && self.may_fork && !self.interrupt.seen() {
            let settings = Settings { isolation: Isolation::Fork, ..self.settings.clone() };
            let cause = explored.report.failures.iter().map(|f| f.message.clone()).next().unwrap_or_default();
            explored = self.attempt(&settings, watch);
            explored.report.warnings.push(Warning {
                kind: "isolation".into(),
                message: format!("executions did not repeat with memory roll-back ({cause}); searched again from the start with --isolation fork"),
                location: None,
            });
        }
        explored
    }

    fn attempt(&self, settings: &Settings, watch: &mut Option<&mut dyn Watch>) -> Explored {
        let mut report = Report::new(&self.target.named, &self.test.name, self.axes());
        let begun = Instant::now();
        let mut observer = Observer::new(self, begun, watch.is_none());
        let mut runner = match Runner::new(self.test.launch.clone(), settings.clone()) {
            Ok(runner) => runner,
            Err(e) => {
                let e = ExecutorError(format!("cannot set up the program: {e}"));
                report.error = Some(explain_error(&SearchError::Executor(e), None));
                return Explored::new(report);
            }
        };
        let seen = Seen::default();
        let searched = self.search(&mut runner, &seen, &mut observer, watch);
        report.seconds = (begun.elapsed() - observer.still).as_secs_f64();
        let first = observer.first;
        drop(observer);
        report.peak_memory_bytes = runner.peak_memory() + crate::runner::own_peak_memory();
        let mut explored = Explored::new(report);
        match searched {
            Err(e) => {
                let symbols = Symbols::new(runner.maps(), self.own.clone());
                let places = self.places(&symbols, &runner);
                explored.report.error = Some(explain_error(&e, Some(&places)));
            }
            Ok(summary) => {
                // From the first execution: starting the program is not exploring.
                let exploring = explored.report.seconds - first.unwrap_or(0.0);
                explored.ran = summary.runs();
                fill(&mut explored.report, &summary, exploring);
                self.findings(&mut explored, &summary, &mut runner);
            }
        }
        explored.variables = seen.lock().map(|s| s.clone()).unwrap_or_default();
        explored.entered = focus::entered(&runner.channel());
        explored
    }

    fn search(
        &self,
        runner: &mut Runner,
        seen: &Seen,
        observer: &mut Observer,
        watch: &mut Option<&mut dyn Watch>,
    ) -> Result<Summary, SearchError> {
        let config = self.config.clone();
        let mut search =
            if self.is_default { Portfolio::chosen(config)? } else { Portfolio::single(config)? };
        let memory = usize::try_from(self.memory).unwrap_or(usize::MAX);
        search.limit_memory(memory, BLOCK, || Box::<store::Store>::default());
        let mut running = Running { job: self, search: &mut search, runner, seen: seen.clone() };
        if !self.focus.is_empty() {
            running.focus(&self.focus);
        }
        if let Some(watch) = watch {
            watch.begun(&mut running);
        }
        while running.search.step(running.runner)? != Turn::Done {
            if let Control::Stop(reason) = observer.see(running.search) {
                running.search.stop(reason);
            }
            if let Some(watch) = watch {
                observer.still += watch.between(&mut running);
            }
        }
        if let Some(watch) = watch {
            watch.ended(&search);
        }
        Ok(search.summary())
    }

    fn places<'a>(&'a self, symbols: &'a Symbols, runner: &Runner) -> Places<'a> {
        Places::new(symbols, self.target, runner.channel())
    }

    fn axes(&self) -> report::Search {
        let c = &self.config;
        let led = c.may_be_led() && !self.focus.is_empty();
        report::Search {
            granularity: c.granularity.to_string(),
            reduce: c.reduce.to_string(),
            bound: c.bound.to_string(),
            order: if led { Order::focused() } else { c.order.clone() }.to_string(),
            states: c.states.to_string(),
            seed: c.seed,
            promoted: c.promoted.clone(),
            restarts: 0,
            focus: (!self.focus.is_empty()).then(|| report::Focus {
                methods: self.focus.methods.clone(),
                variables: self.focus.variables.clone(),
            }),
        }
    }

    /// Runs failures again in detail and presents them; then the warnings.
    fn findings(&self, explored: &mut Explored, summary: &Summary, runner: &mut Runner) {
        let _phase = Phase::new(format!("{}: running the failing schedules again", self.test.name));
        let Explored { report, told, scenes, raced, .. } = explored;
        let hash = self.test.hash(&self.settings);
        // What the search was still waiting for is of no interest any more.
        runner.reset();
        for failure in &summary.failures {
            let schedule = Schedule { hash: hash.as_ref().ok().copied(), ..failure.schedule.clone() };
            promotion::ask(&self.config, failure, runner);
            let (failure, trace) = self.again(report, failure, &schedule, runner);
            let symbols = Symbols::new(runner.maps(), self.own.clone());
            let variable = promotion::variable(self, &failure, &symbols, runner);
            let places = self.places(&symbols, runner);
            let presented = {
                let (test, command) = (self.test.place.as_ref(), self.replay(&schedule));
                present(&failure, &trace, &places, &schedule, test, command)
            };
            if !matches!(variable, Some(Ok(_))) {
                self.store(report, &presented, &schedule);
            }
            let failure = report.failures.len();
            raced.extend(variable.map(|variable| Raced { failure, variable }));
            report.failures.push(presented.failure);
            told.push(presented.told);
            scenes.push(presented.scene);
        }
        self.warnings(report, summary, runner);
    }

    /// Runs a failure again in detail. A run that ends otherwise tells nothing of it and is
    /// dropped, with a warning.
    fn again(
        &self,
        report: &mut Report,
        failure: &Failure,
        schedule: &Schedule,
        runner: &mut Runner,
    ) -> (Failure, Trace) {
        let mut failure = failure.clone();
        let ran = detail(runner, schedule, self.config.max_steps);
        let but = match &ran {
            Ok(trace) if !detail::differs(&failure, trace) => None,
            Ok(trace) => Some(format!("it ended as {:?} after {} steps", trace.outcome, trace.steps)),
            Err(e) => Some(e.0.clone()),
        };
        let Some(but) = but else {
            let trace = ran.unwrap_or_default();
            if trace.lost {
                (failure.thread, failure.site) = (trace.thread, trace.site);
            }
            return (failure, trace);
        };
        let message = format!("the failure did not repeat when run again for the report ({schedule}): {but}");
        report.warnings.push(Warning { kind: "not-repeated".into(), message, location: None });
        (failure, Trace::default())
    }

    fn store(&self, report: &mut Report, presented: &Presented, schedule: &Schedule) {
        let f = &presented.failure;
        let stored = Stored {
            target: &self.target.named,
            test: &self.test.name,
            failure: format!("{}: {}", f.kind, f.message),
        };
        if let Err(e) = schedules::store(&self.target.root, &stored, schedule, &presented.scene) {
            let message =
                format!("{} ({}); the replay command below still works", e.what, e.cause.unwrap_or_default());
            report.warnings.push(Warning { kind: "schedules".into(), message, location: None });
        }
    }

    fn replay(&self, schedule: &Schedule) -> String {
        schedules::replay_command(self.target, self.test, schedule, &self.replay_options)
    }

    fn warnings(&self, report: &mut Report, summary: &Summary, runner: &mut Runner) {
        let symbols = Symbols::new(runner.maps(), self.own.clone());
        let places = self.places(&symbols, runner);
        let mut names = Names::new(&symbols);
        for w in &summary.warnings {
            // With --main-exit kill they are meant to end with main.
            let killed = w.kind == WarningKind::BlockedAfterMain && self.settings.main_exit == MainExit::Kill;
            if killed {
                continue;
            }
            report.warnings.push(warning(w, &places, &mut names, self.config.max_steps));
        }
        let (granularity, points_at) = (self.config.granularity, &self.config.points_at);
        report.warnings.extend(focus::warnings(granularity, points_at, &runner.channel()));
        if let Some(why) = summary.audit.as_ref().and_then(|a| a.refused.as_ref()) {
            let message = format!("no audit: {why}");
            report.warnings.push(Warning { kind: "audit-refused".into(), message, location: None });
        }
        if runner.killed() > 0 {
            let times = runner.killed();
            let message = format!(
                "the program was killed from outside (SIGKILL; times: {times}), perhaps for want of memory; what it was executing then was run again"
            );
            report.warnings.push(Warning { kind: "killed".into(), message, location: None });
        }
        if !crate::runner::randomisation_can_be_switched_off() {
            report.warnings.push(Warning {
                kind: "randomisation".into(),
                message: "address randomisation cannot be switched off here (personality is refused): executions repeat within this run, but in another one a program whose behaviour depends on addresses may not follow the same schedule".into(),
                location: None,
            });
        }
    }
}

/// What the waiting executions took.
fn tree(s: &Summary) -> report::Tree {
    report::Tree {
        peak_nodes: s.peak_nodes as u64,
        bytes_per_node: raddle_engine::tree::NODE_BYTES as u64,
        bytes_per_entry: raddle_engine::tree::ENTRY_BYTES as u64,
        peak_bytes: s.peak_bytes as u64,
        node_bytes: s.peaks.tree_bytes as u64,
        fringe_bytes: s.peaks.fringe_bytes as u64,
        context_bytes: s.peaks.context_bytes as u64,
        reduction_bytes: s.peaks.reduction_bytes as u64,
        spilled: s.peaks.spilled,
        spilled_bytes: s.peaks.spilled_bytes,
    }
}

fn share(s: &raddle_engine::Share) -> report::Share {
    report::Share {
        reduce: s.reduce.to_string(),
        bound: s.bound.to_string(),
        executions: s.executions,
        complete: s.complete,
    }
}

/// The curve of a search.
fn coverage(s: &Summary) -> Vec<report::CoveragePoint> {
    let point = |p: &Point| {
        let Point { executions, classes, states, bound } = *p;
        report::CoveragePoint { executions, classes, states, bound }
    };
    s.coverage.iter().map(point).collect()
}

/// The memory of states, and what was counted beside it.
fn states(s: &Summary) -> Option<report::States> {
    if s.remembered.is_none() && s.points_new.is_none() {
        return None;
    }
    let memory = s.remembered.unwrap_or_default();
    Some(report::States {
        table: memory.table,
        pruned: memory.pruned,
        bytes: memory.bytes as u64,
        full: memory.full,
        calls: s.points_new.unwrap_or_default(),
        differing: memory.differing,
    })
}

/// The counts of a search.
fn fill(report: &mut Report, s: &Summary, rate_time: f64) {
    report.verdict = match (s.failures.is_empty(), s.complete) {
        (false, _) => Verdict::Failed,
        (true, true) => Verdict::Passed,
        (true, false) => Verdict::Incomplete,
    };
    report.executions = s.executions;
    report.deadlocked = s.deadlocked;
    report.sleep_blocked = s.sleep_blocked;
    report.assume_blocked = s.assume_blocked;
    report.truncated = s.truncated;
    report.complete = s.complete;
    report.guarantee = s.guarantee.clone();
    report.bound.preemptions = Completed { completed: s.bound_completed };
    report.classes = s.classes;
    report.coverage = coverage(s);
    report.tree = tree(s);
    // What was covered was covered by the one that has come to its end.
    if let Some(whole) = s.shares.iter().find(|share| share.complete) {
        report.search.reduce = whole.reduce.to_string();
        report.search.bound = whole.bound.to_string();
    }
    report.portfolio = s.shares.iter().map(share).collect();
    report.states = states(s);
    report.estimate = s.estimate.map(estimate::told);
    report.audit = s.audit.as_ref().filter(|a| a.refused.is_none()).map(|a| Audit {
        runs: a.runs,
        checked: a.checked,
        outside: a.outside.iter().map(Schedule::to_string).collect(),
    });
    let run = s.executions + s.deadlocked + s.assume_blocked + s.truncated;
    report.executions_per_second = if rate_time > 0.0 { run as f64 / rate_time } else { 0.0 };
}

/// A warning of the engine's, with its place and the program's own names.
pub fn warning(w: &raddle_engine::Warning, places: &Places, names: &mut Names, max_steps: u32) -> Warning {
    let kind = match w.kind {
        WarningKind::BlockedAfterMain => "blocked-after-main",
        WarningKind::Truncated => "truncated",
        WarningKind::ThreadPanicked => "thread-panicked",
        WarningKind::Unfocused => "unfocused-thread",
        WarningKind::LockOrder => "lock-order",
        WarningKind::Lockset => "lockset",
        WarningKind::OrderDependent => "order-dependent",
    };
    let mut message = names.rename(&w.message);
    if w.kind == WarningKind::Truncated {
        let went = match rounds::told(&w.rounds, places, names) {
            none if none.is_empty() => format!(", in T{}", w.thread),
            went => format!(": {went}"),
        };
        // Only a thread that writes goes round: one that only reads waits for a write.
        let several = w.rounds.iter().any(|r| r.thread != w.thread);
        let perhaps = if several { "they may be in a livelock, or take turns; " } else { "" };
        message += &format!(" of {max_steps}{went} ({perhaps}--max-steps raises it)");
    }
    if w.kind == WarningKind::LockOrder {
        message += &format!(": {}", locks::cycle(&w.wanted, places, names));
    }
    if let Some(unprotected) = &w.unprotected {
        message = locks::unprotected(unprotected, places, names);
    }
    if w.count > 1 && w.kind != WarningKind::OrderDependent {
        message += &format!(", in {} executions", w.count);
    }
    Warning { kind: kind.into(), message, location: places.site(w.site).as_ref().map(location) }
}

/// Why a test could not be searched, with what to do.
pub fn explain_error(e: &SearchError, places: Option<&Places>) -> ErrorReport {
    let (cause, next) = match e {
        SearchError::Unsupported { thread, schedule, site, .. } => {
            let place = places.and_then(|p| p.site(*site));
            let place = place.map(|p| format!("{}:{}", p.file, p.line)).unwrap_or("an unknown place".into());
            (
                Some(format!("T{thread} calls it at {place}, in schedule {schedule}")),
                "take the call out of the test: the execution was ended rather than left to chance",
            )
        }
        SearchError::Refused(_) => (None, "choose another combination"),
        SearchError::Executor(_) => (None, "start the program by hand to see whether it runs without Raddle"),
    };
    ErrorReport { message: e.to_string(), cause, next: Some(next.to_string()) }
}
