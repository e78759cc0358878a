//! `--promote-races` (paper 000, section 3.1; algorithms, rule 8): points at synchronisation operations
//! are enough where no data races. So what is found racing becomes a synchronisation variable, every
//! access to which is a point, and the search begins again, until no new race appears.
//!
//! Each round is a search of its own, ended by its first execution with a race; limits of time and
//! executions hold over all rounds together. A race that is promoted is a warning of the whole. One
//! that cannot be promoted stays the failure that it is without the option.

use super::{Explored, Job, Spent, Watch};
use crate::annotate::annotated_trace::AnnotatedTrace;
use crate::explain::present::Told;
use crate::runner::{Runner, Settings};
use crate::symbols::{Symbols, promoted};
use raddle_engine::{Access, Config, Failure, FailureKind};
use raddle_protocol::report::{self, Completed, Verdict, Warning};
use raddle_schedule::OpKind;
use std::collections::BTreeSet;

/// What the rounds before this one leave.
#[derive(Default)]
struct Before {
    promoted: BTreeSet<String>,
    restarts: u64,
    /// The races that were promoted.
    warnings: Vec<Warning>,
    /// Failures, other than races, of rounds that ended with one.
    failed: Vec<(report::Failure, Told, AnnotatedTrace)>,
    /// The part of the limits that they used.
    spent: Spent,
}

/// Searches until no new race appears.
pub fn run(job: &Job, watch: &mut Option<&mut dyn Watch>) -> Explored {
    let mut before = Before::default();
    // As the limits of the whole leave it.
    let mut promotes = true;
    loop {
        let explored = round(job, &before, promotes).attempts(watch);
        let new = new_variables(&explored, &before);
        before.spent.time = explored.used;
        before.spent.executions = explored.report.search.restarted_after + explored.ran;
        if job.interrupt.seen() || is_spent(job, &before) {
            return before.finish(explored, "the search ended there");
        }
        let others = explored.report.failures.len() > explored.raced.len();
        match new.is_empty() {
            _ if others && !job.config.keep_going => {
                return before.finish(explored, "the search ended with a failure of another kind");
            }
            false => before.take(explored, new),
            // What cannot be promoted would end every further round too.
            true if promotes && job.config.keep_going && !explored.raced.is_empty() => {
                before.give_in(explored, "a promoted variable raced again");
                promotes = false;
            }
            true => return before.finish(explored, "a promoted variable raced again"),
        }
    }
}

/// The search with what is promoted so far, within what is left of the limits.
fn round<'a>(job: &'a Job, before: &Before, promotes: bool) -> Job<'a> {
    let promoted: Vec<String> = before.promoted.iter().cloned().collect();
    let config = Config { promoted: promoted.clone(), promote_races: promotes, ..job.config.clone() };
    Job {
        settings: Settings { promoted, ..job.settings.clone() },
        // A round ends at its first race, whatever else runs beside it.
        gaps: job.gaps.clone(),
        is_default: job.is_default && !promotes,
        spent: before.spent,
        ..job.with(config)
    }
}

/// Is nothing left of a limit?
fn is_spent(job: &Job, before: &Before) -> bool {
    job.time.is_some_and(|time| before.spent.time >= time)
        || job.config.executions.is_some_and(|most| before.spent.executions >= most)
}

fn new_variables(explored: &Explored, before: &Before) -> Vec<String> {
    let named = explored.raced.iter().filter_map(|r| r.variable.clone().ok());
    named.filter(|name| !before.promoted.contains(name)).collect()
}

impl Before {
    /// Another round, with these promoted.
    fn take(&mut self, explored: Explored, new: Vec<String>) {
        self.restarts += 1;
        for raced in &explored.raced {
            let failure = &explored.report.failures[raced.failure];
            if let Ok(name) = &raced.variable {
                let message = format!(
                    "{}; promoted as {name}: every access to it is a schedule point since, and the search began again",
                    failure.message
                );
                let location = failure.location.clone();
                self.warnings.push(Warning { kind: "data-race".into(), message, location, replay: None });
            }
        }
        self.promoted.extend(new);
        widen(&mut self.promoted);
        self.keep(explored);
    }

    /// Another round, in which nothing is promoted any more, for this reason.
    fn give_in(&mut self, explored: Explored, why: &str) {
        self.refuse(&explored, why);
        self.keep(explored);
    }

    /// Remembers what failed and is no race.
    fn keep(&mut self, explored: Explored) {
        let races: Vec<usize> = explored.raced.iter().map(|r| r.failure).collect();
        let all = explored.report.failures.into_iter().zip(explored.told).zip(explored.scenes);
        for (_, ((failure, told), scene)) in all.enumerate().filter(|(i, _)| !races.contains(i)) {
            if !self.failed.iter().any(|(f, ..)| is_same(f, &failure)) {
                self.failed.push((failure, told, scene));
            }
        }
    }

    /// Says of races that they stay failures, for their own reason or else for this one.
    fn refuse(&mut self, explored: &Explored, why: &str) {
        for raced in &explored.raced {
            let failure = &explored.report.failures[raced.failure];
            let why = raced.variable.as_ref().err().map_or(why, String::as_str);
            let message = format!("not promoted, so it is a failure: {} ({why})", failure.message);
            let location = failure.location.clone();
            self.warnings.push(Warning { kind: "not-promoted".into(), message, location, replay: None });
        }
    }

    /// The result of all rounds; `why` a race of the last one was not promoted, where it could be.
    fn finish(mut self, mut explored: Explored, why: &str) -> Explored {
        self.refuse(&explored, why);
        let mut missed = 0;
        for (failure, told, scene) in self.failed {
            // Executions of few points are executions of more points too: what is not found again was
            // not come to again.
            if !explored.report.failures.iter().any(|f| is_same(f, &failure)) {
                explored.report.failures.push(failure);
                explored.told.push(told);
                explored.scenes.push(scene);
                missed += 1;
            }
        }
        if missed > 0 {
            let report = &mut explored.report;
            (report.verdict, report.complete) = (Verdict::Failed, false);
            report.bound.preemptions = Completed { completed: None };
            let found = if missed == 1 { "a failure was" } else { "failures were" };
            report.guarantee = format!(
                "{found} found before the last promotion; the search after it did not come to that again: {}",
                report.guarantee
            );
        }
        let report = &mut explored.report;
        self.warnings.append(&mut report.warnings);
        report.warnings = self.warnings;
        report.search.restarts = self.restarts;
        explored
    }
}

/// Promotes the whole of what many parts of were promoted: arrays mostly, whose elements would race one
/// by one.
fn widen(promoted: &mut BTreeSet<String>) {
    const MANY: usize = 4;
    let wholes: Vec<String> = promoted.iter().filter_map(|name| promoted::whole(name)).collect();
    for whole in wholes.iter().filter(|w| wholes.iter().filter(|v| v == w).count() >= MANY) {
        promoted.retain(|name| promoted::whole(name).as_ref() != Some(whole));
        promoted.insert(whole.clone());
    }
}

pub(super) fn is_same(a: &report::Failure, b: &report::Failure) -> bool {
    (&a.kind, &a.location, &a.message) == (&b.kind, &b.location, &b.message)
}

/// The access that says which variable raced: the one to fewer bytes. The other one touches them too.
fn meant(config: &Config, failure: &Failure) -> Option<Access> {
    let race = failure.race.filter(|_| config.promote_races && failure.kind == FailureKind::DataRace)?;
    Some(if race.second.size < race.first.size { race.second } else { race.first })
}

/// Has the runtime tell, in the run that comes next, what lies where this failure raced.
pub fn ask(config: &Config, failure: &Failure, runner: &Runner) {
    let at = meant(config, failure).map(|a| a.object);
    runner.channel().header().origins.ask(at.as_slice());
}

/// The variable that raced, after that run, or why it cannot be promoted. `None` for what is no race,
/// or where nothing is to be promoted.
pub fn variable(
    job: &Job,
    failure: &Failure,
    symbols: &Symbols,
    runner: &Runner,
) -> Option<Result<String, String>> {
    let access = meant(&job.config, failure)?;
    let race = failure.race?;
    if [race.first.kind, race.second.kind].contains(&OpKind::Free) {
        return Some(Err("one side gives the memory back, which is no access".into()));
    }
    let channel = runner.channel();
    let origin = channel.header().origins.answered(0);
    let program = &job.test.launch.program;
    Some(promoted::name(symbols, &channel, program, (access.object, access.size), origin))
}

#[cfg(test)]
mod tests {
    use super::super::Raced;
    use super::*;
    use raddle_protocol::report::Report;

    /// A round that found these, with their kinds; of the races among them the reason against a promotion.
    fn found(kinds: &[&str]) -> Explored {
        let mut explored = Explored::new(Report::new("bank", "audit", report::Search::default()));
        for (place, kind) in kinds.iter().enumerate() {
            explored.report.failures.push(report::Failure {
                kind: kind.to_string(),
                message: format!("a failure: {kind}"),
                location: None,
                thread: String::new(),
                method: String::new(),
                preemptions: 1,
                switches: 2,
                schedule: "sync@1:T2".into(),
                events: Vec::new(),
                found_after: 2,
                simplified: None,
                explained: None,
                race: None,
                threads: Vec::new(),
                cycle: Vec::new(),
                forms_at: None,
                left_out: 0,
                explanation: Vec::new(),
                output: String::new(),
                replay: String::new(),
            });
            explored.told.push(Told::default());
            explored.scenes.push(AnnotatedTrace::default());
            if *kind == "data-race" {
                explored.raced.push(Raced { failure: place, variable: Err("it has no name".into()) });
            }
        }
        explored
    }

    /// What was found beside a race that cannot be promoted is told in the end, if the last round comes to its
    /// limit before it finds that again; and then that round's words are not those of the whole.
    #[test]
    fn failures_of_all_rounds_are_told() {
        let mut before = Before::default();
        before.give_in(found(&["data-race", "assertion"]), "it raced again");
        let mut last = found(&["data-race"]);
        (last.report.complete, last.report.guarantee) = (true, "all 5 interleavings were run".into());
        last.report.bound.preemptions = Completed { completed: Some(3) };
        let report = before.finish(last, "it raced again").report;
        let kinds: Vec<_> = report.failures.iter().map(|f| f.kind.as_str()).collect();
        assert_eq!(kinds, ["data-race", "assertion"]);
        assert_eq!((report.verdict, report.complete), (Verdict::Failed, false));
        assert_eq!(report.bound.preemptions.completed, None);
        let first = "a failure was found before the last promotion; ";
        assert!(report.guarantee.starts_with(first), "{}", report.guarantee);
    }

    /// What was found again needs no word.
    #[test]
    fn the_last_round_speaks_for_itself() {
        let mut before = Before::default();
        before.keep(found(&["assertion"]));
        let mut last = found(&["assertion"]);
        (last.report.complete, last.report.guarantee) = (true, "all 5 interleavings were run".into());
        let report = before.finish(last, "").report;
        assert_eq!((report.failures.len(), report.complete), (1, true));
        assert_eq!(report.guarantee, "all 5 interleavings were run");
    }

    #[test]
    fn many_parts_become_the_whole() {
        let names = ["a[0]", "a[1].x", "b[0]", "f:frame[0..4]", "q.c:2[0..4]", "q.c:2[4..8]", "q.c:2[8..12]"];
        let mut promoted: BTreeSet<String> = names.map(String::from).into();
        widen(&mut promoted);
        assert_eq!(promoted.len(), 7);
        promoted.extend(["a[7]", "a[12]", "q.c:2[16..20]"].map(String::from));
        widen(&mut promoted);
        let left: Vec<&str> = promoted.iter().map(String::as_str).collect();
        assert_eq!(left, ["a", "b[0]", "f:frame[0..4]", "q.c:2[..]"]);
        widen(&mut promoted);
        assert_eq!(promoted.len(), 4);
    }
}
