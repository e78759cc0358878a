//! What two searches together have found, at any time, and what may be said of it.

use super::{Part, Portfolio};
use crate::estimate::Estimate;
use crate::guarantee;
use crate::record::refusals;
use crate::search::Progress;
use crate::summary::{Failure, FailureKind, Peaks, Share, StopReason, Summary, Warning, WarningKind};

impl Portfolio {
    /// Where it stands. Executions are those of both; preemptions are those of the one that goes
    /// through everything by them.
    pub fn progress(&self) -> Progress {
        let plain = self.plain.search.progress();
        let Some(reduced) = &self.reduced else { return plain };
        let other = reduced.search.progress();
        let retired = &self.retired;
        let waits = |part: &Part, p: &Progress| if part.is_alive() { p.waiting } else { 0 };
        Progress {
            executions: retired.executions + plain.executions + other.executions,
            waiting: waits(&self.plain, &plain) + waits(reduced, &other),
            failures: self.findings.failures().len() as u64,
            steps: retired.steps + plain.steps + other.steps,
            passed: retired.passed + plain.passed + other.passed,
            failed: retired.failed + plain.failed + other.failed,
            deadlocked: retired.deadlocked + plain.deadlocked + other.deadlocked,
            truncated: retired.truncated + plain.truncated + other.truncated,
            refused: retired.refused + plain.refused + other.refused,
            only_refused: plain.only_refused && other.only_refused,
            classes: plain.classes.zip(other.classes).map(|(a, b)| a.max(b)),
            ..plain
        }
    }

    /// How many executions there are in all, where something can be said: of the one that leaves
    /// redundant ones out, while it goes on.
    pub fn estimate(&self) -> Option<Estimate> {
        let reduced = self.reduced.as_ref().filter(|part| part.is_alive());
        let plain = || self.plain.search.estimate();
        reduced.and_then(|part| part.search.estimate()).or_else(plain)
    }

    /// The distinct failures found so far, in the order in which they were first found.
    pub fn failures(&self) -> &[Failure] {
        match self.reduced {
            None => self.plain.search.failures(),
            Some(_) => self.findings.failures(),
        }
    }

    /// What was found so far. Where one of the two has run everything, the counts are its own;
    /// otherwise they are those of both, which may have run the same.
    pub fn summary(&self) -> Summary {
        let plain = self.plain.search.summary();
        let Some(part) = &self.reduced else { return plain };
        let reduced = part.search.summary();
        let whole = self.stopped != Some(StopReason::Failure);
        let mut shares = vec![share(part, &reduced, whole), share(&self.plain, &plain, whole)];
        shares[0].executions += self.retired.executions;
        let (mut s, other, config, through) = if part.is_through() {
            (reduced, plain, part.search.config(), true)
        } else {
            (plain, reduced, self.plain.search.config(), self.plain.is_through())
        };
        // Failures beside the first were not asked for, and not all were kept. And what one of the two has
        // seen to be otherwise holds for both.
        let failures = self.findings.failures();
        let is_torn = guarantee::racing_accesses_unexplored(config, failures)
            || failures.iter().any(|f| f.kind == FailureKind::Nondeterminism);
        let through = through && whole && !is_torn && other.diverged == 0 && other.lost == 0;
        s.complete &= through;
        refusals::joined(&mut s.refusals, &other.refusals, !through);
        if !through {
            s.refused += other.refused + self.retired.refused;
            s.unfair += other.unfair;
            let retired = &self.retired;
            s.executions += other.executions + retired.passed + retired.failed;
            s.passed += other.passed + retired.passed;
            s.deadlocked += other.deadlocked + retired.deadlocked;
            s.assume_blocked += other.assume_blocked;
            s.sleep_blocked += other.sleep_blocked + retired.others();
            s.truncated += other.truncated + retired.truncated;
            s.diverged += other.diverged;
            s.lost += other.lost;
            s.total_steps += other.total_steps + retired.steps;
            s.waiting += if part.is_alive() { other.waiting } else { 0 };
            s.classes = s.classes.zip(other.classes).map(|(a, b)| a.max(b));
            // What has ended the other one has cut nothing off where this one went on.
            let ended = other.stopped.clone().filter(|_| self.outlived && !part.given_up);
            s.stopped = self.stopped.clone().or(s.stopped).or(ended);
        }
        s.confirming += other.confirming;
        s.gave_back += other.gave_back;
        s.quarantined += other.quarantined;
        s.bound_completed = if is_torn { None } else { s.bound_completed.max(other.bound_completed) };
        s.warnings.extend(unknown(&s, &other));
        s.leaks = std::mem::take(&mut s.leaks).joined(&other.leaks);
        s.peak_nodes += other.peak_nodes;
        s.peak_bytes += other.peak_bytes;
        s.peaks = both(s.peaks, other.peaks);
        s.failures = match self.keep_going {
            true => self.findings.told([&part.search, &self.plain.search]),
            false => failures.to_vec(),
        };
        s.stopped_rounds |= other.stopped_rounds;
        s.weaker_than_seqcst = s.weaker_than_seqcst.max(other.weaker_than_seqcst);
        s.estimate = self.estimate().filter(|_| !through);
        s.shares = shares;
        s.guarantee = guarantee::sentence(config, &s);
        s
    }
}

fn share(part: &Part, summary: &Summary, whole: bool) -> Share {
    let config = part.search.config();
    Share {
        reduce: config.reduce,
        bound: config.bound,
        executions: part.runs(),
        complete: whole && part.is_complete() && summary.complete,
        stopped: summary.stopped.clone(),
    }
}

/// Warnings of the other search that this one does not have. Where everything was run, what was cut
/// off or feared elsewhere is no matter any more.
fn unknown(s: &Summary, other: &Summary) -> Vec<Warning> {
    let is_known = |w: &Warning| s.warnings.iter().any(|k| (k.kind, k.site) == (w.kind, w.site));
    let needless = [WarningKind::Truncated, WarningKind::LockOrder];
    let matters = |w: &Warning| !(s.complete && needless.contains(&w.kind));
    other.warnings.iter().filter(|w| matters(w) && !is_known(w)).cloned().collect()
}

fn both(a: Peaks, b: Peaks) -> Peaks {
    Peaks {
        tree_bytes: a.tree_bytes + b.tree_bytes,
        fringe_bytes: a.fringe_bytes + b.fringe_bytes,
        context_bytes: a.context_bytes + b.context_bytes,
        reduction_bytes: a.reduction_bytes + b.reduction_bytes,
        state_bytes: a.state_bytes + b.state_bytes,
        spilled: a.spilled + b.spilled,
        spilled_bytes: a.spilled_bytes + b.spilled_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::Schedule;

    fn with(kind: WarningKind, complete: bool) -> Summary {
        let warning = Warning {
            kind,
            message: String::new(),
            thread: 1,
            site: 7,
            count: 1,
            schedule: Schedule::default(),
            rounds: Vec::new(),
            wanted: Vec::new(),
            unprotected: None,
            blocked: None,
            ways: None,
        };
        Summary { complete, warnings: vec![warning], ..Summary::default() }
    }

    /// A cycle of locks of which no run could be had is nothing to fear once every interleaving was run.
    #[test]
    fn what_the_other_feared_is_no_matter_once_everything_was_run() {
        let (whole, cut) = (Summary { complete: true, ..Summary::default() }, Summary::default());
        for (kind, needless) in [(WarningKind::LockOrder, true), (WarningKind::BlockedAfterMain, false)] {
            let other = with(kind, false);
            assert_eq!(unknown(&whole, &other).is_empty(), needless, "{kind:?}");
            assert_eq!(unknown(&cut, &other), other.warnings, "{kind:?}");
            assert!(unknown(&other, &other).is_empty(), "known");
        }
    }
}
