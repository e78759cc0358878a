//! Past a race. A search that ends at its first failure ends at a data race too, and of a program that races in every execution
//! it would tell nothing else. So it is looked for something worse then, in some executions beside the search that switch at
//! the racing accesses too: an assertion that fails says what the race does, and often what has to be one step.

use super::store::Store;
use super::{Explored, Job, Spent};
use crate::annotate::short_names::ShortNames;
use crate::explain::screen;
use crate::progress::Phase;
use crate::runner::{Runner, Settings};
use crate::terminal::numbers::group;
use crate::terminal::text::seconds;
use raddle_engine::guarantee::UNEXPLORED;
use raddle_engine::search::Turn;
use raddle_engine::tree::BLOCK;
use raddle_engine::{Config, FailureKind, Portfolio, StopReason, Summary};
use raddle_protocol::report::{Failure, Report};
use raddle_schedule::Granularity;
use std::time::{Duration, Instant};

/// Executions for it, at most.
const EXECUTIONS: u64 = 3_000;
/// Time for it, at most, for programs of which an execution takes long.
const TIME: Duration = Duration::from_secs(2);

impl Job<'_> {
    /// Looks for a failure that is no race, if all that was found are races, and adds it.
    pub(super) fn look_past_races(&self, explored: &mut Explored) {
        let ran = explored.report.search.restarted_after + explored.ran;
        let most = self.config.executions.map_or(EXECUTIONS, |all| EXECUTIONS.min(all.saturating_sub(ran)));
        let time = self.time.map_or(TIME, |all| TIME.min(all.saturating_sub(explored.used)));
        if !self.is_looked_past(&explored.report) || most == 0 || time.is_zero() {
            return;
        }
        let _phase = Phase::new(format!("{}: looking past the race", self.test.name));
        let begun = Instant::now();
        let job = self.past_races(most, time);
        let Ok(mut runner) = Runner::new(job.test.launch.clone(), job.settings.clone()) else { return };
        let Some(mut summary) = job.first_but_races(&mut runner) else { return };
        summary.failures.retain(|f| is_worse(f.kind));
        // Of the first execution that has one.
        summary.failures.truncate(1);
        summary.failures.iter_mut().for_each(|f| f.witnesses.clear());
        summary.warnings.clear();
        let report = &mut explored.report;
        report.guarantee = report.guarantee.replace(UNEXPLORED, &told(&summary));
        let mut found = Explored::new(Report::new(&self.target.named, &self.test.name, job.axes()));
        let before = self.after(Spent { time: explored.used, ..self.spent });
        let rest = before.rest(begun);
        job.findings(&mut found, &summary, &mut runner, &rest);
        if let Some(worse) = found.report.failures.first() {
            let note = note(worse);
            for (failure, told) in report.failures.iter_mut().zip(&mut explored.told) {
                let text = failure.explained.as_mut().map(|e| &mut e.text);
                screen::known(&note, &mut told.screen, text);
            }
        }
        let before = report.failures.len();
        // They were found behind all executions of the search.
        let behind =
            found.report.failures.into_iter().map(|f| Failure { found_after: f.found_after + ran, ..f });
        report.failures.extend(behind);
        let preemptions: Vec<u32> = report.failures.iter().map(|f| f.preemptions).collect();
        report.guarantee = counted(&report.guarantee, before, &preemptions);
        let again = found.report.warnings.into_iter().filter(|w| w.kind == "not-repeated");
        report.warnings.extend(again);
        explored.told.extend(found.told);
        explored.scenes.extend(found.scenes);
        crate::explain::cause::note(&mut explored.report.failures);
    }

    fn is_looked_past(&self, report: &Report) -> bool {
        let c = &self.config;
        let everywhere = !c.is_restricted() && c.trusted.is_empty() && c.promoted.is_empty();
        let asked = !c.keep_going && !c.promote_races && c.below.is_none() && !self.interrupt.seen();
        let races = !report.failures.is_empty() && report.failures.iter().all(|f| f.kind == "data-race");
        let points = matches!(c.granularity, Granularity::Sync | Granularity::Access);
        asked && everywhere && races && points && report.error.is_none()
    }

    /// The same with points at every access, and through all races.
    fn past_races(&self, executions: u64, time: Duration) -> Job<'_> {
        let granularity = Granularity::Access;
        Job {
            target: self.target,
            test: self.test,
            config: Config {
                granularity,
                keep_going: true,
                executions: Some(executions),
                audit: 0,
                ..self.config.clone()
            },
            focus: self.focus.clone(),
            settings: Settings { granularity, ..self.settings.clone() },
            gaps: self.gaps.clone(),
            is_default: self.is_default,
            may_fork: false,
            adapts: false,
            seeds: 1,
            time: Some(time),
            is_time_named: self.is_time_named,
            spent: Spent::default(),
            memory: self.memory,
            replay_options: self.replay_options.clone(),
            own: self.own.clone(),
            interrupt: self.interrupt,
        }
    }

    /// Searches until something fails that is no race.
    fn first_but_races(&self, runner: &mut Runner) -> Option<Summary> {
        let config = self.config.clone();
        let search = if self.is_default { Portfolio::chosen(config) } else { Portfolio::single(config) };
        let mut search = search.ok()?;
        let memory = usize::try_from(self.memory).unwrap_or(usize::MAX);
        search.limit_memory(memory, BLOCK, || Box::<Store>::default());
        let begun = Instant::now();
        while search.step(runner).ok()? != Turn::Done {
            let time = self.time.filter(|time| begun.elapsed() >= *time);
            if self.interrupt.seen() {
                search.stop(self.interrupt.reason());
            } else if search.failures().iter().any(|f| is_worse(f.kind)) {
                search.stop(StopReason::Failure);
            } else if let Some(time) = time {
                search.stop(StopReason::Time(seconds(time)));
            }
        }
        Some(search.summary())
    }
}

/// That executions do not repeat is told by the search itself.
fn is_worse(kind: FailureKind) -> bool {
    !matches!(kind, FailureKind::DataRace | FailureKind::Nondeterminism)
}

/// Where the race is told: that it is not all.
fn note(worse: &Failure) -> String {
    let at = worse.location.as_ref().map(|l| {
        let file = ShortNames::default().name(&l.file);
        format!(" ({file}:{})", l.line)
    });
    let article = if worse.kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    // Each access was one step there, as it is where it is atomic.
    format!(
        "Atomic reads and writes alone are not enough: other schedules end with {article} {}{}.",
        worse.kind,
        at.unwrap_or_default()
    )
}

/// The guarantee with as many failures as there are now, each by its preemptions, of which it has counted so many.
pub(super) fn counted(guarantee: &str, before: usize, preemptions: &[u32]) -> String {
    let now = preemptions.len();
    let one = "a failure was found at ";
    let known = format!("{before} distinct failures were found, ");
    let rest = guarantee.strip_prefix(one).or_else(|| guarantee.strip_prefix(&known));
    let Some((_, rest)) = rest.filter(|_| now > before).and_then(|rest| rest.split_once(';')) else {
        return guarantee.to_string();
    };
    let fewest = preemptions.iter().copied().min().unwrap_or(0);
    let s = if fewest == 1 { "" } else { "s" };
    // Of some the fewest are not known.
    let from = match guarantee.strip_prefix(&known).is_some_and(|rest| rest.starts_with("with ")) {
        true => format!("with {fewest} preemption{s} or more"),
        false => format!("from {fewest} preemption{s} on"),
    };
    format!("{now} distinct failures were found, {from};{rest}")
}

/// The guarantee of a search that has found failures with these preemptions, once it is known that they need so few.
pub(super) fn simplified(guarantee: &str, found: &[u32], preemptions: &[u32]) -> String {
    let words = |of: &[u32]| {
        let fewest = of.iter().copied().min().unwrap_or(0);
        format!("{fewest} preemption{}", if fewest == 1 { "" } else { "s" })
    };
    let (head, rest) = match guarantee.split_once(';') {
        Some((head, rest)) => (head, format!(";{rest}")),
        None => (guarantee, String::new()),
    };
    let (before, now) = (words(found), words(preemptions));
    let told = head.contains(" was found at ") || head.contains(" distinct failures were found, ");
    match head.rsplit_once(&before).filter(|_| told) {
        Some((head, tail)) => format!("{head}{now}{tail}{rest}"),
        None => guarantee.to_string(),
    }
}

/// What was done, for the guarantee.
fn told(summary: &Summary) -> String {
    let n = summary.runs();
    let executions = format!("{} execution{}", group(n), if n == 1 { "" } else { "s" });
    let all = match (summary.complete, summary.beyond_bound) {
        (true, false) => ", all there are",
        (true, true) => ", all within the bound",
        (false, _) => "",
    };
    let found = match summary.failures.is_empty() {
        true => "only races were seen",
        false => "a failure that is no race was found",
    };
    let how = if summary.complete { "" } else { " (--granularity access --keep-going goes on)" };
    format!("switches at the racing accesses were explored in {executions} more{all}: {found}{how}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guarantee_counts_what_was_added() {
        let all = [1, 0, 2];
        let one = "a failure was found at 0 preemptions; switches were tried (sync points)";
        let now = "2 distinct failures were found, from 0 preemptions on; switches were tried (sync points)";
        assert_eq!(counted(one, 1, &all[..2]), now);
        assert_eq!(counted(one, 1, &all[..1]), one);
        assert_eq!(counted(now, 2, &all), now.replace("2 ", "3 "));
        let reduced = "2 distinct failures were found, with 1 preemption or more; switches";
        let wanted = "3 distinct failures were found, with 1 preemption or more; switches";
        assert_eq!(counted(reduced, 2, &[1, 1, 2]), wanted);
        let simpler = simplified(reduced, &[1, 3], &[0, 1]);
        assert_eq!(simpler, "2 distinct failures were found, with 0 preemptions or more; switches");
        let simpler = simplified("a failure was found at 13 preemptions (sync points)", &[13], &[1]);
        assert_eq!(simpler, "a failure was found at 1 preemption (sync points)");
        let sampled = "1 distinct failure in 10 executions";
        assert_eq!(counted(sampled, 1, &all), sampled);
    }
}
