//! The result of the searches together, at any time, and its guarantee.

use super::{Part, Portfolio};
use crate::estimate::Estimate;
use crate::guarantee;
use crate::record::refusals;
use crate::search::Progress;
use crate::summary::{Failure, FailureKind, Peaks, Share, StopReason, Summary, Warning, WarningKind};

impl Portfolio {
    /// Where it stands. Executions are those of all; preemptions are those of the one that goes
    /// through everything by them.
    pub fn progress(&self) -> Progress {
        let plain = self.plain.search.progress();
        if self.reduced.is_none() {
            return plain;
        }
        let waits = |part: &Part, p: &Progress| if part.is_alive() { p.waiting } else { 0 };
        let mut all = self.retired.added_to(plain);
        all.waiting = waits(&self.plain, &plain);
        for part in self.beside() {
            let p = part.search.progress();
            all.executions += p.executions;
            all.waiting += waits(part, &p);
            all.steps += p.steps;
            all.passed += p.passed;
            all.failed += p.failed;
            all.deadlocked += p.deadlocked;
            all.truncated += p.truncated;
            all.refused += p.refused;
            all.only_refused &= p.only_refused;
            all.classes = all.classes.zip(p.classes).map(|(a, b)| a.max(b));
        }
        Progress { failures: self.findings.failures().len() as u64, ..all }
    }

    /// The searches beside the plain one that have run anything.
    fn beside(&self) -> impl Iterator<Item = &Part> + Clone {
        self.reduced.iter().chain(self.drawn.iter().filter(|part| part.begun() > 0))
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

    /// The result so far. Where one of them has run everything, the counts are its own;
    /// otherwise they are those of all, which may have run the same.
    pub fn summary(&self) -> Summary {
        let plain = self.plain.search.summary();
        let Some(reduced) = &self.reduced else { return plain };
        let whole = self.stopped != Some(StopReason::Failure);
        let mut beside: Vec<(&Part, Summary)> = self.beside().map(|p| (p, p.search.summary())).collect();
        let mut shares: Vec<Share> = beside.iter().map(|(part, s)| share(part, s, whole)).collect();
        shares[0].executions += self.retired.executions;
        shares.insert(1, share(&self.plain, &plain, whole));
        let (mut s, main, through) = if reduced.is_through() {
            let (_, s) = std::mem::replace(&mut beside[0], (&self.plain, plain));
            (s, reduced, true)
        } else {
            (plain, &self.plain, self.plain.is_through())
        };
        let config = main.search.config();
        // Failures beside the first were not asked for, and not all were kept. And what one of them has
        // seen to be otherwise holds for all.
        let failures = self.findings.failures();
        let is_torn = guarantee::racing_accesses_unexplored(config, failures)
            || failures.iter().any(|f| f.kind == FailureKind::Nondeterminism);
        let is_same = beside.iter().all(|(_, other)| other.diverged == 0 && other.lost == 0);
        let through = through && whole && !is_torn && is_same;
        s.complete &= through;
        if !through {
            self.retired.add_to(&mut s);
        }
        for (part, other) in &beside {
            self.join(&mut s, part, other, through);
        }
        if !through {
            // The end of the reduced one has cut nothing off where the plain one went on.
            let ended = &beside[0].1.stopped;
            let ended = ended.clone().filter(|_| self.outlived && !reduced.given_up);
            s.stopped = self.stopped.clone().or(s.stopped).or(ended);
        }
        if is_torn {
            s.bound_completed = None;
        }
        s.failures = match self.keep_going {
            true => {
                let searches = self.beside().chain([&self.plain]).map(|part| &part.search);
                self.findings.told(searches)
            }
            false => failures.to_vec(),
        };
        s.estimate = self.estimate().filter(|_| !through);
        s.shares = shares;
        s.guarantee = guarantee::sentence(config, &s);
        s
    }

    /// Adds what another of the searches has found. Its counts are added unless one of them has run everything.
    fn join(&self, s: &mut Summary, part: &Part, other: &Summary, through: bool) {
        refusals::joined(&mut s.refusals, &other.refusals, !through);
        if !through {
            s.refused += other.refused;
            s.unfair += other.unfair;
            s.executions += other.executions;
            s.passed += other.passed;
            s.deadlocked += other.deadlocked;
            s.assume_blocked += other.assume_blocked;
            s.sleep_blocked += other.sleep_blocked;
            s.truncated += other.truncated;
            s.diverged += other.diverged;
            s.lost += other.lost;
            s.total_steps += other.total_steps;
            s.waiting += if part.is_alive() { other.waiting } else { 0 };
            s.classes = s.classes.zip(other.classes).map(|(a, b)| a.max(b));
        }
        s.confirming += other.confirming;
        s.gave_back += other.gave_back;
        s.quarantined += other.quarantined;
        s.bound_completed = s.bound_completed.max(other.bound_completed);
        let unknown = unknown(s, other);
        s.warnings.extend(unknown);
        s.leaks = std::mem::take(&mut s.leaks).joined(&other.leaks);
        s.peak_nodes += other.peak_nodes;
        s.peak_bytes += other.peak_bytes;
        s.peaks = both(s.peaks, other.peaks);
        s.stopped_rounds |= other.stopped_rounds;
        s.weaker_than_seqcst = s.weaker_than_seqcst.max(other.weaker_than_seqcst);
    }
}

fn share(part: &Part, summary: &Summary, whole: bool) -> Share {
    let config = part.search.config();
    Share {
        reduce: config.reduce,
        bound: config.bound,
        order: config.order.clone(),
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
            join: None,
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
