//! The search of one test: the engine over a runner, watched by clock and Ctrl-C, and what it
//! found made into a report.

use crate::annotate::annotated_trace::{AnnotatedTrace, Places};
use crate::explain::present::Told;
use crate::interrupt::Interrupt;
use crate::runner::{Isolation, Runner, Settings};
use crate::symbols::Symbols;
use crate::target::{Target, Test};
use crate::terminal::text::seconds;
use fill_report::fill;
use raddle_engine::search::Turn;
use raddle_engine::tree::BLOCK;
use raddle_engine::{
    Config, Control, Error as SearchError, ExecutorError, FailureKind, Order, Portfolio, Prefix, StopReason,
    Summary,
};
use raddle_protocol::gap::Gap;
use raddle_protocol::report::{self, Report, Warning};
use selection::{Named, Seen};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

mod causes;
pub mod dependency_ops;
mod fill_report;
mod findings;
mod finer;
pub mod focus;
mod gaps;
mod inputs;
mod leaks;
mod next_step;
mod observer;
mod outcomes;
mod promotion;
mod race_consequences;
mod refusals;
mod seeds;
pub mod selection;
mod simplify;
mod steps;
pub mod store;
mod time;
mod watch;
pub use fill_report::{explain_error, warning};
use observer::Observer;
pub use time::Spent;
use time::{GRACE, Rest};
pub use watch::{Running, Watch};

/// What is searched, and how.
pub struct Job<'a> {
    /// The built target.
    pub target: &'a Target,
    /// One of its tests.
    pub test: &'a Test,
    /// The axes of the search.
    pub config: Config,
    /// What is not watched of the test's program.
    pub gaps: BTreeSet<Gap>,
    /// None of them was named: the default search.
    pub is_default: bool,
    /// What the order prefers from the beginning.
    pub focus: Named,
    /// How its program runs.
    pub settings: Settings,
    /// Raise the step bound where all executions are cut off at it.
    pub adapts: bool,
    /// Go over to fork isolation when executions do not repeat.
    pub may_fork: bool,
    /// So many seeds of random numbers are tried where the test asks for any.
    pub seeds: u64,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// Somebody named it: then it holds for what follows the search as well.
    pub is_time_named: bool,
    /// The part of the limits that earlier searches of this test used.
    pub spent: Spent,
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
    pub scenes: Vec<AnnotatedTrace>,
    /// The functions that were entered.
    pub entered: focus::Names,
    /// The variables that were met, if the focus named any.
    pub variables: focus::Names,
    /// Executions of any outcome.
    ran: u64,
    /// Time of all that was done, in searches that began anew as well.
    used: Duration,
    /// What of random numbers was asked for; see [`seeds::asked`].
    asked: u32,
    /// The races that may be promoted.
    raced: Vec<Raced>,
    /// Operations that had to be points, as `--points-in` names them.
    pub points: Vec<String>,
}

/// Why a search is to begin anew.
enum Anew {
    /// Operations of dependencies go with the steps before.
    Outside,
    /// All executions were cut off, and come to their ends with so many steps.
    Steps(u32),
    /// There are to be points in these: the order of what is done to reference counts can be noticed, primitives are used for what
    /// their models do not have, or threads wait while they have read-write locks of std for reading.
    Points(Vec<String>),
}

impl Explored {
    /// Nothing was found yet.
    fn new(report: Report) -> Self {
        let (told, scenes, raced, entered, variables, points) = Default::default();
        let used = Duration::ZERO;
        Explored { report, told, scenes, entered, variables, ran: 0, used, asked: 0, raced, points }
    }
}

impl Job<'_> {
    /// Searches.
    pub fn run(&self) -> Explored {
        seeds::run(self, &mut None)
    }

    /// Searches, watched.
    pub fn run_with(&self, watch: &mut dyn Watch) -> Explored {
        seeds::run(self, &mut Some(watch))
    }

    /// Searches what begins so, and nothing else. Its steps are numbered with the variables that are
    /// promoted in it, so none is promoted anew.
    pub fn begin_with(&mut self, beginning: Prefix) {
        self.settings.promoted = beginning.promoted.clone();
        self.settings = self.settings.with_points(&beginning.points);
        self.config.points_in.found = beginning.points.clone();
        (self.settings.seed, self.config.random_seed) = (beginning.seed, beginning.seed);
        self.config.promoted = beginning.promoted.clone();
        self.config.promote_races = false;
        self.config.below = Some(beginning);
    }

    fn rounds(&self, watch: &mut Option<&mut dyn Watch>) -> Explored {
        if self.config.promote_races { promotion::run(self, watch) } else { self.attempts(watch) }
    }

    /// The same with another configuration.
    fn with(&self, config: Config) -> Job<'_> {
        Job {
            target: self.target,
            test: self.test,
            config,
            gaps: self.gaps.clone(),
            is_default: self.is_default,
            focus: self.focus.clone(),
            settings: self.settings.clone(),
            may_fork: self.may_fork,
            adapts: self.adapts,
            seeds: self.seeds,
            time: self.time,
            is_time_named: self.is_time_named,
            spent: self.spent,
            memory: self.memory,
            replay_options: self.replay_options.clone(),
            own: self.own.clone(),
            interrupt: self.interrupt,
        }
    }

    /// The same, once this was used of the limits.
    fn after(&self, spent: Spent) -> Job<'_> {
        Job { spent, ..self.with(self.config.clone()) }
    }

    fn attempts(&self, watch: &mut Option<&mut dyn Watch>) -> Explored {
        let mut explored = match self.attempt(&self.settings, watch) {
            Ok(explored) => explored,
            Err((why, spent)) => return self.after(spent).anew(why, watch),
        };
        let strange = explored.report.failures.iter().any(|f| f.kind == FailureKind::Nondeterminism.name());
        if strange && self.may_fork && !self.interrupt.seen() {
            let settings = Settings { isolation: Isolation::Fork, ..self.settings.clone() };
            let cause = explored.report.failures.iter().map(|f| f.message.clone()).next().unwrap_or_default();
            let spent = Spent { time: explored.used, executions: self.spent.executions + explored.ran };
            let again = self.after(spent);
            explored = match again.attempt(&settings, watch) {
                Ok(explored) => explored,
                Err((why, spent)) => return again.after(spent).anew(why, watch),
            };
            explored.report.warnings.push(Warning {
                kind: "isolation".into(),
                message: format!("executions did not repeat with memory roll-back ({cause}); searched again from the start with --isolation fork"),
                location: None, replay: None });
        }
        explored.points = self.config.points_in.found.clone();
        let begun = Instant::now();
        self.look_past_races(&mut explored);
        explored.report.seconds += begun.elapsed().as_secs_f64();
        finer::after(self, explored, watch)
    }

    fn anew(&self, why: Anew, watch: &mut Option<&mut dyn Watch>) -> Explored {
        match why {
            Anew::Outside => dependency_ops::again(self, watch),
            Anew::Steps(steps) => steps::again(self, steps, watch),
            Anew::Points(names) => dependency_ops::with_points(self, names, watch),
        }
    }

    /// One search, or why it is to begin anew, and what was used of the limits by then.
    fn attempt(
        &self,
        settings: &Settings,
        watch: &mut Option<&mut dyn Watch>,
    ) -> Result<Explored, (Anew, Spent)> {
        let mut report = Report::new(&self.target.named, &self.test.name, self.axes());
        let begun = Instant::now();
        let mut observer = Observer::new(self, begun, watch.is_none());
        let mut runner = match Runner::new(self.test.launch.clone(), settings.clone()) {
            Ok(runner) => runner,
            Err(e) => {
                let e = ExecutorError(format!("cannot set up the program: {e}"));
                report.error = Some(explain_error(&SearchError::Executor(e), None, None));
                return Ok(Explored::new(report));
            }
        };
        let seen = Seen::default();
        let searched = self.search(&mut runner, settings, &seen, &mut observer, watch);
        let still = observer.still;
        let searching = begun.elapsed().saturating_sub(still);
        let first = observer.first;
        drop(observer);
        let rest = self.rest(begun + still);
        report.peak_memory_bytes = runner.peak_memory() + crate::runner::own_peak_memory();
        let mut explored = Explored::new(report);
        match searched {
            Err(e) => {
                let symbols = Symbols::new(runner.maps(), self.own.clone());
                let places = self.places(&symbols, &runner);
                let refused = self.refused(&e, settings, &rest);
                explored.report.error = Some(explain_error(&e, Some(&places), refused.as_ref()));
            }
            Ok(Err((why, executions))) => {
                let spent = Spent {
                    time: self.spent.time + searching,
                    executions: self.spent.executions + executions,
                };
                return Err((why, spent));
            }
            Ok(Ok(summary)) => {
                // From the first execution: starting the program is not exploring.
                let exploring = searching.as_secs_f64() - first.unwrap_or(0.0);
                explored.ran = summary.runs();
                fill(&mut explored.report, &summary, exploring);
                explored.report.bound.next = next_step::next_step(&self.config, self.is_default, &summary);
                self.findings(&mut explored, &summary, &mut runner, &rest);
                self.tell_of_refusals(&mut explored.report, &summary, &mut runner, (settings, &rest));
            }
        }
        explored.variables = seen.lock().map(|s| s.clone()).unwrap_or_default();
        explored.entered = focus::entered(&runner.channel());
        explored.asked = seeds::asked(&runner.channel());
        explored.used = self.spent.time + begun.elapsed().saturating_sub(still);
        // Of all that was done for it: a person waits for that.
        explored.report.seconds = explored.used.as_secs_f64();
        Ok(explored)
    }

    /// The time that is left behind a search that began then. With a named limit, failures that were found at its end get a
    /// moment more.
    fn rest(&self, begun: Instant) -> Rest<'_> {
        let until = self.time.filter(|_| self.is_time_named).and_then(|time| {
            let end = begun.checked_add(time.saturating_sub(self.spent.time))?;
            Some(end.max(Instant::now() + GRACE))
        });
        Rest::new(until, self.interrupt)
    }

    /// Is nothing left of the limits behind a search that has used this?
    fn is_used_up(&self, executions: u64, time: Duration) -> bool {
        self.config.executions.is_some_and(|most| self.spent.executions + executions >= most)
            || self.time.is_some_and(|most| self.spent.time + time >= most)
    }

    fn search(
        &self,
        runner: &mut Runner,
        settings: &Settings,
        seen: &Seen,
        observer: &mut Observer,
        watch: &mut Option<&mut dyn Watch>,
    ) -> Result<Result<Summary, (Anew, u64)>, SearchError> {
        // What code without hooks reads is told to nobody, so a loop may have read something else.
        let one_round = !self.test.launch.has_unwatched_code;
        let config = Config { spent: self.spent.executions, one_round, ..self.config.clone() };
        let mut search = if self.is_default {
            Portfolio::chosen(config)?
        } else {
            Portfolio::single(Config { one_round: false, ..config })?
        };
        let memory = usize::try_from(self.memory).unwrap_or(usize::MAX);
        search.limit_memory(memory, BLOCK, || Box::<store::Store>::default());
        let mut running = Running { job: self, search: &mut search, runner, seen: seen.clone() };
        if !self.focus.is_empty() {
            running.focus(&self.focus);
        }
        if let Some(watch) = watch {
            watch.begun(&mut running);
        }
        let mut bound = steps::StepBound::default();
        loop {
            let turn = running.search.step(running.runner)?;
            if let Some(why) = dependency_ops::begins_anew(self, &running.runner.channel()) {
                let executions = running.search.progress().executions;
                if !self.is_used_up(executions, observer.elapsed()) {
                    return Ok(Err((why, executions)));
                }
                // There is nothing left to begin anew with: what was found counts.
                running.search.stop(match self.config.executions {
                    Some(most) if self.spent.executions + executions >= most => StopReason::Executions(most),
                    _ => StopReason::Time(seconds(self.time.unwrap_or_default())),
                });
                break;
            }
            let (progress, done) = (running.search.progress(), turn == Turn::Done);
            let is_left = !self.interrupt.seen() && !self.is_used_up(progress.executions, observer.elapsed());
            if let Some(why) = bound.look(self, settings, &progress, done && is_left) {
                return Ok(Err((why, progress.executions)));
            }
            if done {
                break;
            }
            if let Control::Stop(reason) = observer.see(running.search) {
                running.search.stop(reason);
            }
            if refusals::is_hopeless(&running.search.progress(), observer.elapsed()) {
                running.search.stop(StopReason::Executions(running.search.progress().executions));
            }
            if let Some(watch) = watch {
                observer.still += watch.between(&mut running);
            }
        }
        if let Some(watch) = watch {
            watch.ended(&search);
        }
        let summary = search.summary();
        match summary.all_refused() {
            Some(refused) => Err(refusals::error(refused)),
            None => Ok(Ok(summary)),
        }
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
            restarted_after: self.spent.executions,
            focus: (!self.focus.is_empty()).then(|| report::Focus {
                methods: self.focus.methods.clone(),
                variables: self.focus.variables.clone(),
            }),
        }
    }
}
