//! One schedule, run again: the first time with everything recorded, then as often as asked for,
//! each run compared with the first.

use crate::annotate::annotated_trace::{AnnotatedTrace, Places};
use crate::annotate::names::Names;
use crate::annotate::story;
use crate::error::{Error, Result};
use crate::explain::present::Told;
use crate::explain::present::present;
use crate::explain::{self, Explainer, Failing};
use crate::follow::{Follow, broken, unseen};
use crate::interleaving::Subject;
use crate::interrupt::Interrupt;
use crate::progress::{Meter, Phase, Reading};
use crate::runner::detail_for_report;
use crate::runner::{Runner, Settings};
use crate::search::{focus, warning};
use crate::symbols::Symbols;
use crate::target::{Target, Test};
use raddle_engine::{Executor, ExecutorError, Failure};
use raddle_protocol::explanation::Explanation;
use raddle_protocol::report::{self, Report, Search, Verdict, Warning};
use raddle_schedule::{Outcome, Plan, Schedule, Trace};
use std::path::PathBuf;
use std::time::Instant;

/// Plans given to the runner ahead of time.
const AHEAD: u64 = 32;

/// What is replayed, and how.
pub struct Replayer<'a, C: Fn(&str) -> String> {
    /// The built target.
    pub target: &'a Target,
    /// One of its tests.
    pub test: &'a Test,
    /// How its program runs.
    pub settings: Settings,
    /// Cut off after so many steps.
    pub max_steps: u32,
    /// Folders whose code is not the user's.
    pub own: Vec<PathBuf>,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
    /// The command that replays a schedule.
    pub command: C,
    /// Say why it fails.
    pub explain: bool,
}

/// What came of it.
pub struct Replayed {
    /// For programs.
    pub report: Report,
    /// For people.
    pub told: Vec<Told>,
}

impl<C: Fn(&str) -> String> Replayer<'_, C> {
    /// Runs the schedule so many times.
    pub fn run(&self, schedule: &Schedule, repeat: u64) -> Result<Replayed> {
        let begun = Instant::now();
        let search = Search {
            granularity: schedule.granularity.to_string(),
            promoted: schedule.promoted.clone(),
            ..Search::default()
        };
        let mut report = Report::new(&self.target.named, &self.test.name, search);
        self.compare_hash(schedule, &mut report)?;
        let mut runner = Runner::new(self.test.launch.clone(), self.settings.clone())
            .map_err(|e| Error::new("cannot set up the program").because(e))?;
        runner.quarantine(schedule.quarantine);
        let races = |trace: &Trace| {
            let found = raddle_engine::single_trace::examine(trace, schedule);
            found.failures.iter().filter_map(|f| f.race).flat_map(|race| race.events(trace)).collect()
        };
        let first = detail_for_report(&mut runner, schedule, self.max_steps, &races, &mut || false)
            .map_err(broken)?;
        let entered = focus::entered(&runner.channel());
        focus::check_after(focus::POINTS_AT, &self.settings.points_at, self.target, entered.clone())?;
        focus::check_after(focus::TRUST, &self.settings.trusted, self.target, entered)?;
        let follow = Follow { target: self.target, test: self.test, own: &self.own };
        // Where it cannot even be followed, the hash says why.
        let other = report.warnings.iter().find(|w| w.kind == "hash").map(|w| w.message.clone());
        follow.check(schedule, &first, &mut runner).map_err(|e| match (other, &e.cause) {
            (Some(other), Some(cause)) => {
                let cause = format!("{cause}; {other}");
                e.because(cause)
            }
            (Some(other), None) => e.because(other),
            (None, _) => e,
        })?;
        let mut found = raddle_engine::single_trace::examine(&first, schedule);
        let unseen = unseen(schedule, &first);
        found.failures.iter_mut().for_each(|f| f.preemptions += unseen);
        let failed = !found.failures.is_empty();
        let passed = !failed && has_ended(&first);
        let mut replay = report::Replay {
            schedule: schedule.to_string(),
            runs: 1,
            failed: u64::from(failed),
            passed: u64::from(passed),
            diverged: 0,
            hash: format!("{:016x}", first.hash),
            alignment: None,
        };
        self.repeat(&mut runner, schedule, repeat, &first, &mut replay).map_err(broken)?;
        let hashed = Schedule { hash: self.test.hash(&self.settings).ok(), ..schedule.clone() };
        let symbols = Symbols::new(runner.maps(), self.own.clone());
        let places = Places::new(&symbols, self.target, runner.channel());
        let mut told = self.present(&found.failures, &first, &places, &hashed, &mut report, &mut runner);
        let mut names = Names::new(&symbols);
        for w in &found.warnings {
            report.warnings.extend(warning(w, &places, &mut names, self.max_steps));
        }
        report.warnings.extend(focus::no_statement(schedule.granularity, &runner.channel()));
        if !failed {
            // A passing execution has a story too.
            let scene = AnnotatedTrace::new(&first, &places, &mut names);
            told.push(Told { lines: story::tell(&scene), ..Told::default() });
            report.output = String::from_utf8_lossy(&first.output).into_owned();
            report.events = crate::annotate::events(&scene);
        }
        report.verdict = verdict(&first, failed, &replay, repeat);
        report.executions = replay.runs;
        report.replay = Some(replay);
        report.seconds = begun.elapsed().as_secs_f64();
        report.executions_per_second = report.executions as f64 / report.seconds.max(1e-9);
        report.peak_memory_bytes = runner.peak_memory() + crate::runner::own_peak_memory();
        Ok(Replayed { report, told })
    }

    /// A schedule of another program: a warning, then what this one does.
    fn compare_hash(&self, schedule: &Schedule, report: &mut Report) -> Result<()> {
        let Some(theirs) = schedule.hash else { return Ok(()) };
        let ours = self.test.hash(&self.settings)?;
        if ours != theirs {
            let message = format!(
                "the schedule is of another build or other options (#{theirs:04x}, this is #{ours:04x}): its steps may mean something else now"
            );
            report.warnings.push(Warning { kind: "hash".into(), message, location: None, replay: None });
        }
        Ok(())
    }

    /// The runs after the first.
    fn repeat(
        &self,
        runner: &mut Runner,
        schedule: &Schedule,
        repeat: u64,
        first: &Trace,
        replay: &mut report::Replay,
    ) -> std::result::Result<(), ExecutorError> {
        let mut meter = Meter::new(&format!("replaying {}", self.test.name), None);
        let mut plan = Plan::new(0, schedule.deltas.clone(), self.max_steps);
        let mut trace = Trace::default();
        let (mut submitted, mut received) = (1, 1);
        while received < repeat && !self.interrupt.seen() {
            while submitted < repeat && submitted - received < AHEAD {
                plan.sequence = submitted;
                runner.submit(&plan)?;
                submitted += 1;
            }
            trace.clear();
            if runner.receive(&mut trace)? {
                received += 1;
                replay.runs += 1;
                let same = (trace.hash, trace.outcome, trace.code) == (first.hash, first.outcome, first.code);
                match (same, replay.failed > 0, replay.passed > 0) {
                    (false, ..) => replay.diverged += 1,
                    (true, true, _) => replay.failed += 1,
                    (true, false, true) => replay.passed += 1,
                    (true, false, false) => {}
                }
            }
            if received % 64 == 0 {
                let reading = Reading {
                    executions: received,
                    waiting: repeat - received,
                    bound: None,
                    estimate: None,
                    of_bound: false,
                    failures: 0,
                    doing: "",
                };
                meter.show(Instant::now(), &reading);
            }
        }
        Ok(())
    }

    fn present(
        &self,
        failures: &[Failure],
        first: &Trace,
        places: &Places,
        schedule: &Schedule,
        report: &mut Report,
        runner: &mut Runner,
    ) -> Vec<Told> {
        let mut told = Vec::new();
        for failure in failures {
            let command = (self.command)(&schedule.to_string());
            let mut presented = present(failure, first, places, schedule, self.test.place.as_ref(), command);
            if self.explain {
                let failing = Failing { failure, scene: &presented.scene, schedule, trace: first, places };
                presented.failure.explained = self.explained(&failing, runner);
            }
            let explains = self.explain;
            explain::tell(&mut presented, &self.test.name, &mut |deltas| {
                explains
                    .then(|| {
                        explain::passes(deltas, (failure, first), self.max_steps, runner, &mut || {
                            self.interrupt.seen()
                        })
                    })
                    .flatten()
            });
            report.failures.push(presented.failure);
            told.push(presented.told);
        }
        explain::cause::note(&mut report.failures);
        told
    }

    /// Why it fails, and what simpler schedule fails the same way.
    fn explained(&self, failing: &Failing, runner: &mut Runner) -> Option<Explanation> {
        let _phase = Phase::within(format!("{}: explaining the failure", self.test.name), explain::TIME);
        let explainer = Explainer {
            max_steps: self.max_steps,
            restricted: explain::is_restricted(failing.schedule, &self.settings, runner),
            executions: explain::EXECUTIONS,
            time: explain::TIME,
            interrupt: self.interrupt,
        };
        let explanation = explainer.explain(failing, runner)?.told;
        let simpler = explainer.simpler(failing, runner);
        Some(Explanation { simpler, ..explanation })
    }
}

/// Why a schedule of a test fails.
pub fn explained(subject: &Subject, schedule: &Schedule) -> Result<Explanation> {
    let Subject { target, test, settings, max_steps, replay_options } = subject;
    let interrupt = Interrupt::by_hand();
    let replayer = Replayer {
        target,
        test,
        settings: settings.of_schedule(schedule),
        max_steps: *max_steps,
        own: crate::target::own_folders(),
        interrupt: &interrupt,
        command: |s| {
            let words = [&target.named, &test.name, s].map(crate::shell::quote).join(" ");
            format!("raddle replay {words}{replay_options}")
        },
        explain: true,
    };
    let report = replayer.run(schedule, 1)?.report;
    let Some(failure) = report.failures.into_iter().next() else {
        return Err(Error::new(format!("{schedule} does not fail")).next("replay it to see what it does"));
    };
    failure.explained.ok_or_else(|| {
        Error::new(format!("nothing can be said of {schedule}"))
            .because("it ends its process, or does not repeat")
    })
}

/// Has an execution that did not fail come to its end? (One that was cut off has not.)
fn has_ended(trace: &Trace) -> bool {
    matches!(trace.outcome, Outcome::Passed | Outcome::Deadlock)
}

fn verdict(first: &Trace, failed: bool, replay: &report::Replay, wanted: u64) -> Verdict {
    if replay.diverged > 0 {
        Verdict::Error
    } else if failed {
        Verdict::Failed
    } else if replay.runs < wanted || !has_ended(first) {
        Verdict::Incomplete
    } else {
        Verdict::Passed
    }
}
