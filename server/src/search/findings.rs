//! What a search found, run once more and told in full: its failures with their executions, and its warnings.

use super::causes::Known;
use super::fill_report::{outlived, warning};
use super::{
    Explored, Job, Raced, Rest, dependency_ops, focus, gaps, inputs, leaks, promotion, race_consequences,
};
use crate::annotate::annotated_trace::Places;
use crate::annotate::names::Names;
use crate::explain::present::{Presented, present};
use crate::explain::{self, Explained, Explainer, Failing};
use crate::progress::Phase;
use crate::runner::detail::{self, detail_for_report};
use crate::runner::{MainExit, Runner};
use crate::schedules::{self, Kept, distinct};
use crate::symbols::Symbols;
use raddle_engine::{Blocked, ExecutorError, Failure, FailureKind, Summary, WarningKind};
use raddle_protocol::explanation::Explanation;
use raddle_protocol::report::{Report, Simplified, Verdict, Warning};
use raddle_schedule::{Schedule, Trace};
use std::time::{Duration, Instant};

/// Time for making failures simple and saying why they fail: of one, and thrice that for all of them. Who wants more
/// asks `raddle explain`.
pub(super) const EXPLAINING: Duration = Duration::from_secs(3);
/// The same for all failures of a test, with what makes them simpler.
const LOOKING: Duration = EXPLAINING.saturating_mul(3);
/// Executions for saying why one fails.
const EXECUTIONS: u64 = 5_000;

impl Job<'_> {
    /// Runs failures again in detail and presents them; then the warnings.
    pub(super) fn findings(
        &self,
        explored: &mut Explored,
        summary: &Summary,
        runner: &mut Runner,
        rest: &Rest,
    ) {
        // What the search was still waiting for is of no interest any more.
        runner.reset();
        let mut left = rest.of(LOOKING);
        let mut known = Vec::new();
        let mut preemptions = Vec::new();
        for failure in &summary.failures {
            // Every execution from here on is one as the failure's.
            runner.quarantine(failure.schedule.quarantine);
            let simplified = self.simplify(failure, (&mut left, rest), runner);
            let (failure, simplified) = match simplified {
                Some((simpler, told)) => (Failure { witnesses: failure.witnesses.clone(), ..simpler }, told),
                None => (failure.clone(), None),
            };
            preemptions.push(failure.preemptions);
            known.push(self.add(failure, simplified, explored, (&mut left, rest), runner, &mut |_| true));
        }
        let found: Vec<u32> = summary.failures.iter().map(|f| f.preemptions).collect();
        let report = &mut explored.report;
        report.guarantee = race_consequences::simplified(&report.guarantee, &found, &preemptions);
        if self.config.keep_going {
            self.add_other_causes(&known, explored, (&mut left, rest), runner);
        }
        runner.quarantine(false);
        explain::cause::note(&mut explored.report.failures);
        self.warnings(&mut explored.report, summary, runner, rest);
    }

    /// Runs a failure again in detail, says why it fails, and adds it to what was found if that is `wanted`.
    pub(super) fn add(
        &self,
        failure: Failure,
        simplified: Option<Simplified>,
        explored: &mut Explored,
        (left, rest): (&mut Duration, &Rest),
        runner: &mut Runner,
        wanted: &mut dyn FnMut(Option<&Explanation>) -> bool,
    ) -> Known {
        let Explored { report, told, scenes, raced, .. } = explored;
        let hash = self.test.hash(&self.settings).ok();
        let schedule = Schedule { hash, ..failure.schedule.clone() };
        promotion::ask(&self.config, &failure, runner);
        let phase = Phase::new(format!("{}: running the failing schedule again", self.test.name));
        let (failure, trace) = self.again(report, (&failure, &schedule), rest, runner);
        drop(phase);
        let symbols = Symbols::new(runner.maps(), self.own.clone());
        let variable = promotion::variable(self, &failure, &symbols, runner);
        let places = self.places(&symbols, runner);
        let mut presented = {
            let (test, command) = (self.test.place.as_ref(), self.replay(&schedule));
            present(&failure, &trace, &places, &schedule, test, command)
        };
        presented.failure.simplified = simplified;
        let failing = Failing {
            failure: &failure,
            scene: &presented.scene,
            schedule: &schedule,
            trace: &trace,
            places: &places,
        };
        let (why, decisions) = match self.explain(&failing, (left, rest), runner) {
            Some(Explained { told, decisions }) => (Some(told), decisions),
            None => (None, Vec::new()),
        };
        if !wanted(why.as_ref()) {
            return Known { failure, trace, decisions };
        }
        presented.failure.explained = why;
        explain::tell(&mut presented, &self.test.name, &mut |deltas| {
            explain::passes(deltas, (&failure, &trace), self.config.max_steps, runner, &mut || rest.is_over())
        });
        if !matches!(variable, Some(Ok(_))) {
            self.store(report, &presented, &schedule, &trace, &places);
        }
        let number = report.failures.len();
        raced.extend(variable.map(|variable| Raced { failure: number, variable }));
        report.failures.push(presented.failure);
        told.push(presented.told);
        scenes.push(presented.scene);
        Known { failure, trace, decisions }
    }

    /// Why it fails, as far as there is time left for that.
    fn explain(
        &self,
        failing: &Failing,
        (left, rest): (&mut Duration, &Rest),
        runner: &mut Runner,
    ) -> Option<Explained> {
        let c = &self.config;
        let asked = !c.promote_races && failing.failure.kind != FailureKind::Nondeterminism;
        if !asked || failing.trace.steps == 0 || self.interrupt.seen() {
            return None;
        }
        if left.is_zero() {
            // What others took of it is said, and that it was not looked.
            let limit = if self.is_time_named { self.time.unwrap_or(LOOKING) } else { LOOKING };
            let cut_short = Some(format!("{} s", limit.as_secs()));
            let told = Explanation { cut_short, ..Explanation::default() };
            return Some(Explained { told, decisions: Vec::new() });
        }
        let begun = Instant::now();
        let time = rest.of(EXPLAINING.min(*left));
        let _phase = Phase::within(format!("{}: explaining the failure", self.test.name), time);
        let explainer = Explainer {
            max_steps: c.max_steps,
            restricted: !c.is_whole(),
            executions: EXECUTIONS,
            time,
            interrupt: self.interrupt,
        };
        let explanation = explainer.explain(failing, runner);
        *left = left.saturating_sub(begun.elapsed());
        explanation
    }

    /// Runs a failure again in detail. A run that ends otherwise tells nothing of it and is
    /// dropped, with a warning.
    fn again(
        &self,
        report: &mut Report,
        (failure, schedule): (&Failure, &Schedule),
        rest: &Rest,
        runner: &mut Runner,
    ) -> (Failure, Trace) {
        let mut failure = failure.clone();
        let around = |trace: &Trace| failure.race.map(|race| race.events(trace)).unwrap_or_default();
        let ran = self.recorded(schedule, &around, rest, runner);
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
        let over = rest.is_used_up();
        let (kind, message) = match over {
            true => (
                "not-recorded",
                format!("the failure was not recorded for the report: {but} (replay {schedule})"),
            ),
            false => {
                let message =
                    format!("the failure did not repeat when run again for the report ({schedule}): {but}");
                ("not-repeated", message)
            }
        };
        report.warnings.push(Warning { kind: kind.into(), message, location: None, replay: None });
        (failure, Trace::default())
    }

    /// An execution with everything recorded, or of a long one what a report tells.
    pub(super) fn recorded(
        &self,
        schedule: &Schedule,
        around: &dyn Fn(&Trace) -> Vec<u32>,
        rest: &Rest,
        runner: &mut Runner,
    ) -> Result<Trace, ExecutorError> {
        if rest.is_used_up() {
            return Err(ExecutorError("there was no time left for it".into()));
        }
        detail_for_report(runner, schedule, self.config.max_steps, around, &mut || rest.is_used_up())
    }

    fn store(
        &self,
        report: &mut Report,
        presented: &Presented,
        schedule: &Schedule,
        trace: &Trace,
        places: &Places,
    ) {
        let kept = Kept::new(Some(&presented.failure), schedule, trace, &presented.scene, places);
        let file = schedules::file(self.target, &self.test.name, &self.replay_options, schedule, kept);
        let siblings: Vec<&str> = report.failures.iter().map(|f| f.schedule.as_str()).collect();
        if let Err(e) = distinct::store(&self.target.root, &file, &siblings) {
            let message =
                format!("{} ({}); the replay command below still works", e.what, e.cause.unwrap_or_default());
            report.warnings.push(Warning { kind: "schedules".into(), message, location: None, replay: None });
        }
    }

    fn replay(&self, schedule: &Schedule) -> String {
        schedules::replay_command(self.target, self.test, schedule, &self.replay_options)
    }

    fn warnings(&self, report: &mut Report, summary: &Summary, runner: &mut Runner, rest: &Rest) {
        let ways = summary.warnings.iter().find_map(|w| w.ways.as_deref());
        let outcomes = ways.and_then(|ways| self.outcomes(ways, rest, runner));
        let symbols = Symbols::new(runner.maps(), self.own.clone());
        let places = self.places(&symbols, runner);
        let mut names = Names::new(&symbols);
        for w in &summary.warnings {
            // With --main-exit kill they are meant to end with main.
            let killed = w.kind == WarningKind::BlockedAfterMain && self.settings.main_exit == MainExit::Kill;
            // A thread that a crate keeps for itself, in none of the program's functions, is no matter of the test's.
            let serves = |b: &Blocked| b.method == 0 && places.is_of_dependency(b.spawned);
            if killed || w.blocked.as_deref().is_some_and(serves) {
                continue;
            }
            let Some(mut told) = warning(w, &places, &mut names, self.config.max_steps) else { continue };
            if happens_in_execution(w.kind) {
                let hash = self.test.hash(&self.settings).ok();
                told.replay = Some(self.replay(&Schedule { hash, ..w.schedule.clone() }));
            }
            if let Some(outcomes) = outcomes.as_ref().filter(|_| w.ways.is_some()) {
                told.message += &format!(": {outcomes}");
            }
            report.warnings.push(told);
        }
        report.warnings.extend(leaks::told(&summary.leaks, &places, self.config.opaque));
        let (granularity, points_at) = (self.config.granularity, &self.config.points_at);
        report.warnings.extend(focus::warnings(granularity, points_at, &runner.channel()));
        report.gaps.clone_from(&self.gaps);
        gaps::of_summary(&self.config, summary, report);
        gaps::of_options(&runner.channel(), report);
        dependency_ops::tell_of_ready(&runner.channel(), report);
        gaps::of_fixed(&runner.channel(), self.seeds, report);
        dependency_ops::tell_of_formats(&runner.channel(), report);
        dependency_ops::tell_of_names(&runner.channel(), report);
        dependency_ops::tell_of_input(&runner.channel(), &places, report);
        dependency_ops::tell_of_files(&runner.channel(), &places, report);
        dependency_ops::tell_of_room(&runner.channel(), &places, report);
        dependency_ops::tell_of_scopes(&runner.channel(), report);
        dependency_ops::tell_of_counts(&runner.channel(), report);
        inputs::tell(&runner.channel(), report);
        if report.verdict == Verdict::Passed && report.executions == 0 && report.assume_blocked > 0 {
            let message = "no execution reached its end, because the test's assumption never holds: nothing was checked";
            report.warnings.push(Warning {
                kind: "nothing-checked".into(),
                message: message.into(),
                location: None,
                replay: None,
            });
        }
        report.warnings.extend(dependency_ops::unmet(&self.settings.points_in, &runner.channel()));
        for share in &summary.shares {
            if let Some(why) = outlived(share).filter(|_| !share.complete) {
                let (reduce, n) = (share.reduce, share.executions);
                let message = format!(
                    "the search with --reduce {reduce}, one of several, was ended after {n} executions by {why}; the others went on"
                );
                report.warnings.push(Warning {
                    kind: "memory".into(),
                    message,
                    location: None,
                    replay: None,
                });
            }
        }
        if let Some(why) = summary.audit.as_ref().and_then(|a| a.refused.as_ref()) {
            let message = format!("no audit: {why}");
            report.warnings.push(Warning {
                kind: "audit-refused".into(),
                message,
                location: None,
                replay: None,
            });
        }
        if runner.killed() > 0 {
            let times = runner.killed();
            let message = format!(
                "the program was killed from outside (SIGKILL; times: {times}), perhaps because memory ran out; Raddle ran that execution again"
            );
            report.warnings.push(Warning { kind: "killed".into(), message, location: None, replay: None });
        }
        if !crate::runner::randomisation_can_be_switched_off() {
            report.warnings.push(Warning {
                kind: "randomisation".into(),
                message: "address randomisation cannot be switched off here (personality is refused): executions repeat within this run, but in another one a program whose behaviour depends on addresses may not follow the same schedule".into(),
                location: None, replay: None });
        }
    }
}

/// Does its schedule show what the warning tells of?
fn happens_in_execution(kind: WarningKind) -> bool {
    use WarningKind::*;
    matches!(kind, BlockedAfterMain | Truncated | ThreadPanicked)
}
