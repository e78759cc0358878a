//! Searches with several seeds of random numbers (`--seeds N`): what is served of them (`runtime/src/interpose/environment.rs`) is
//! drawn from seed 0 first, and where the test asks for any, from seeds 1, 2, … too, each in a search of its own.
//!
//! [`run`] makes the searches, [`Seeded`] gathers what they found. The first seed that fails is reported, and its schedules name
//! it. The limits hold for all seeds together: what is left of them is shared among the seeds that are left. Whether the test
//! asks for random numbers is known from its default execution; where only others do, seed 0 has had all the time, and the
//! report says that the rest was not tried.

use super::{Explored, Job, Watch, promotion};
use crate::report::guarantees::split_terms;
use crate::runner::Runner;
use raddle_engine::{Config, Executor};
use raddle_protocol::report::{Completed, Finer, Refusal, Report, Seeds, Verdict, Warning};
use raddle_schedule::channel::Channel;
use raddle_schedule::channel::outside::{DRAWS_RANDOM, SEEDS_HASHES};
use raddle_schedule::{Plan, Trace};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time to see what the default execution asks for.
const LOOKING: Duration = Duration::from_secs(3);

/// What of random numbers a program has asked for, in bits of the channel.
pub(super) fn asked(channel: &Channel) -> u32 {
    channel.header().outside.load(Ordering::Relaxed) & (DRAWS_RANDOM | SEEDS_HASHES)
}

/// The bits that are asked for, in words.
const NAMES: [(u32, &str); 2] = [(DRAWS_RANDOM, "random numbers"), (SEEDS_HASHES, "hash seed")];

/// Searches with every seed.
pub(super) fn run(job: &Job, watch: &mut Option<&mut dyn Watch>) -> Explored {
    if job.seeds < 2 || job.config.below.is_some() {
        return job.rounds(watch);
    }
    let mut seeded = Seeded::default();
    for seed in 0..job.seeds {
        let left = if seed == 0 && !asks_at_once(job) { 1 } else { job.seeds - seed };
        let Some(part) = seeded.share(job, seed, left) else { break };
        let explored = part.rounds(watch);
        let report = &explored.report;
        let is_over = !report.failures.is_empty() && !job.config.keep_going || report.error.is_some();
        let goes_on = !is_over && explored.asked != 0 && !job.interrupt.seen();
        seeded.add(explored, seed);
        if !goes_on {
            break;
        }
    }
    match seeded.parts.is_empty() {
        true => job.rounds(watch),
        false => seeded.finish(job.seeds),
    }
}

/// Does the default execution ask for random numbers?
fn asks_at_once(job: &Job) -> bool {
    let begun = Instant::now();
    let Ok(mut runner) = Runner::new(job.test.launch.clone(), job.settings.clone()) else { return false };
    let mut trace = Trace::default();
    if runner.submit(&Plan::new(0, Vec::new(), job.config.max_steps)).is_err() {
        return false;
    }
    while runner.receive(&mut trace).is_ok_and(|came| !came) {
        if begun.elapsed() >= LOOKING || job.interrupt.seen() {
            break;
        }
    }
    asked(&runner.channel()) != 0
}

/// What the searches have found so far.
#[derive(Default)]
struct Seeded {
    /// Each with its seed.
    parts: Vec<(u64, Explored)>,
    /// Time and executions that they took.
    used: Duration,
    ran: u64,
}

impl Seeded {
    /// The search of one seed, with its share of what is left for so many; `None` where nothing is.
    fn share<'a>(&self, job: &'a Job, seed: u64, left: u64) -> Option<Job<'a>> {
        let time = match job.time {
            Some(time) => Some(time.checked_sub(self.used).filter(|t| !t.is_zero())? / left as u32),
            None => None,
        };
        let executions = match job.config.executions {
            Some(most) => Some(most.checked_sub(self.ran).filter(|n| *n > 0)?.div_ceil(left)),
            None => None,
        };
        let mut part = job.with(Config { executions, random_seed: seed, ..job.config.clone() });
        part.settings.seed = seed;
        part.time = time;
        Some(part)
    }

    fn add(&mut self, explored: Explored, seed: u64) {
        self.used += explored.used;
        self.ran += explored.report.search.restarted_after + explored.ran;
        self.parts.push((seed, explored));
    }

    /// The report of all of them, where so many seeds were wanted.
    fn finish(mut self, wanted: u64) -> Explored {
        let asked = self.parts.iter().fold(0, |all, (_, part)| all | part.asked);
        let (at, tried) = (self.shown(), self.parts.len() as u64);
        let covered =
            |report: &Report| Covered { guarantee: report.guarantee.clone(), is_complete: report.complete };
        let each: Vec<Covered> = self.parts.iter().map(|(_, part)| covered(&part.report)).collect();
        let before: u64 = self.parts[..at].iter().map(|(_, p)| p.report.search.restarted_after + p.ran).sum();
        let (seed, mut whole) = self.parts.remove(at);
        if asked == 0 {
            return whole;
        }
        let failing = (!whole.report.failures.is_empty()).then_some(seed);
        whole.report.failures.iter_mut().for_each(|f| f.found_after += before);
        for (_, part) in self.parts {
            merge(&mut whole, part);
        }
        let report = &mut whole.report;
        let run = report.executions + report.deadlocked + report.assume_blocked + report.truncated;
        let run = run + report.unfair + report.refused;
        report.executions_per_second = run as f64 / report.seconds.max(1e-9);
        if tried > 1 {
            // It is about one seed.
            report.estimate = None;
        }
        if tried < wanted {
            report.complete = false;
            report.bound.preemptions = Completed { completed: None };
        }
        if report.verdict == Verdict::Passed && !report.complete {
            report.verdict = Verdict::Incomplete;
        }
        let of = NAMES.iter().filter(|(bit, _)| asked & bit != 0).map(|(_, name)| name.to_string());
        let seeds = Seeds { of: of.collect(), wanted, tried, failing };
        report.guarantee = guarantee(&seeds, &each, at);
        report.seeds = Some(seeds);
        whole
    }

    /// The one whose report is shown: the first that fails, or could not be run, or is incomplete; otherwise one whose executions
    /// stand for others, which is the weaker claim, or the last.
    fn shown(&self) -> usize {
        let first = |is: &dyn Fn(&Report) -> bool| self.parts.iter().position(|(_, p)| is(&p.report));
        first(&|r| !r.failures.is_empty())
            .or_else(|| first(&|r| r.verdict == Verdict::Error))
            .or_else(|| first(&|r| !r.complete))
            .or_else(|| first(&|r| r.search.reduce != "none"))
            .unwrap_or(self.parts.len() - 1)
    }
}

/// Adds what another seed has shown.
fn merge(whole: &mut Explored, part: Explored) {
    let (report, other) = (&mut whole.report, part.report);
    report.executions += other.executions;
    report.deadlocked += other.deadlocked;
    report.sleep_blocked += other.sleep_blocked;
    report.assume_blocked += other.assume_blocked;
    report.truncated += other.truncated;
    report.unfair += other.unfair;
    report.refused += other.refused;
    report.confirming += other.confirming;
    report.quarantined += other.quarantined;
    report.classes = report.classes.zip(other.classes).map(|(a, b)| a + b);
    report.seconds += other.seconds;
    report.peak_memory_bytes = report.peak_memory_bytes.max(other.peak_memory_bytes);
    report.complete &= other.complete;
    report.finer = report
        .finer
        .zip(other.finer)
        .map(|(a, b)| Finer { executions: a.executions + b.executions, complete: a.complete && b.complete });
    let completed = report.bound.preemptions.completed.zip(other.bound.preemptions.completed);
    report.bound.preemptions = Completed { completed: completed.map(|(a, b)| a.min(b)) };
    let new = |w: &Warning| !report.warnings.contains(w);
    let warnings: Vec<Warning> = other.warnings.into_iter().filter(new).collect();
    report.warnings.extend(warnings);
    let same = |a: &Refusal, b: &Refusal| (&a.message, &a.location) == (&b.message, &b.location);
    for refusal in other.refusals {
        match report.refusals.iter_mut().find(|r| same(r, &refusal)) {
            Some(known) => known.executions += refusal.executions,
            None => report.refusals.push(refusal),
        }
    }
    if report.portfolio.len() == other.portfolio.len() {
        for (share, more) in report.portfolio.iter_mut().zip(other.portfolio) {
            share.executions += more.executions;
            share.complete &= more.complete;
        }
    }
    for ((failure, told), scene) in other.failures.into_iter().zip(part.told).zip(part.scenes) {
        if !report.failures.iter().any(|f| promotion::is_same(f, &failure)) {
            report.failures.push(failure);
            whole.told.push(told);
            whole.scenes.push(scene);
        }
    }
    whole.entered.extend(part.entered);
    whole.variables.extend(part.variables);
    whole.used += part.used;
    whole.ran += part.ran;
}

/// Different sentences that are said of seeds; of more, only the one that is shown.
const SENTENCES: usize = 4;

/// What one seed has covered.
struct Covered {
    guarantee: String,
    is_complete: bool,
}

/// What was covered by each seed: what several share is said once. Of a failing one, what was with it.
fn guarantee(seeds: &Seeds, each: &[Covered], shown: usize) -> String {
    let of = seeds.of.join(" and ");
    let all = &each[shown].guarantee;
    if let Some(seed) = seeds.failing {
        return format!("with seed {seed} of {of}: {all}");
    }
    let not_tried = match seeds.wanted - seeds.tried {
        0 => String::new(),
        1 => format!("; seed {} was not tried", seeds.tried),
        _ => format!("; seeds {} to {} were not tried", seeds.tried, seeds.wanted - 1),
    };
    let same = each.iter().all(|c| c.guarantee == *all);
    match each.len() {
        1 => return format!("with seed 0 of {of}{not_tried}: {all}"),
        n if same => return format!("with each of {n} seeds of {of}{not_tried}: {all}"),
        _ => {}
    }
    let (sentences, terms) = by_seed(each, shown);
    format!("with {} seeds of {of}{not_tried}: {sentences}{terms}", each.len())
}

/// What differs between seeds, and the terms that all of them share.
fn by_seed(each: &[Covered], shown: usize) -> (String, String) {
    let split =
        |c: &Covered| split_terms(&c.guarantee).map(|(head, terms)| (head.to_string(), terms.to_string()));
    let terms = split(&each[shown]).map(|(_, terms)| terms);
    let shares = terms.is_some() && each.iter().all(|c| split(c).map(|(_, terms)| terms) == terms);
    let sentence = |c: &Covered| match split(c) {
        Some((head, _)) if shares => head,
        _ => c.guarantee.clone(),
    };
    let mut said: Vec<(Vec<String>, String)> = Vec::new();
    for (seed, covered) in each.iter().enumerate() {
        let sentence = sentence(covered);
        match said.iter_mut().find(|(_, known)| *known == sentence) {
            Some((with, _)) => with.push(seed.to_string()),
            None => said.push((vec![seed.to_string()], sentence)),
        }
    }
    let terms = if shares { format!(" ({}", terms.unwrap_or_default()) } else { String::new() };
    if said.len() <= SENTENCES {
        let one = |(with, sentence): &(Vec<String>, String)| {
            format!("{} {}: {sentence}", if with.len() == 1 { "seed" } else { "seeds" }, with.join(", "))
        };
        return (said.iter().map(one).collect::<Vec<_>>().join("; "), terms);
    }
    let complete = each.iter().filter(|c| c.is_complete).count();
    let sentence = sentence(&each[shown]);
    (format!("{complete} complete, {} not complete; seed {shown}: {sentence}", each.len() - complete), terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(wanted: u64, failing: Option<u64>, each: &[&str]) -> String {
        let of = vec!["random numbers".to_string()];
        let seeds = Seeds { of, wanted, tried: each.len() as u64, failing };
        let covered = |g: &&str| Covered { guarantee: g.to_string(), is_complete: g.starts_with("all") };
        let each: Vec<Covered> = each.iter().map(covered).collect();
        guarantee(&seeds, &each, failing.unwrap_or(0) as usize)
    }

    #[test]
    fn what_all_seeds_share_is_said_once() {
        let same = told(2, None, &["all 6 pass (a)"; 2]);
        assert_eq!(same, "with each of 2 seeds of random numbers: all 6 pass (a)");
        let two = told(3, None, &["all 6 pass (a)", "all 5 pass (a)", "all 6 pass (a)"]);
        assert_eq!(two, "with 3 seeds of random numbers: seeds 0, 2: all 6 pass; seed 1: all 5 pass (a)");
        let other = told(2, None, &["all 6 pass (a)", "all 6 pass (b)"]);
        assert_eq!(other, "with 2 seeds of random numbers: seed 0: all 6 pass (a); seed 1: all 6 pass (b)");
        assert_eq!(told(3, Some(1), &["all 6 pass", "it fails"]), "with seed 1 of random numbers: it fails");
    }

    #[test]
    fn what_was_left_out_is_said() {
        let cut = "with seed 0 of random numbers; seeds 1 to 3 were not tried: 9 pass";
        assert_eq!(told(4, None, &["9 pass"]), cut);
        let many = ["1 run (a)", "2 run (a)", "3 run (a)", "all 4 pass (a)", "5 run (a)"];
        let said = "with 5 seeds of random numbers: 1 complete, 4 not complete; seed 0: 1 run (a)";
        assert_eq!(told(5, None, &many), said);
    }
}
