//! What a search has found, at any time: where it stands, and what may be said of it.

use super::{Progress, Search};
use crate::analysis::coverage::Point;
use crate::analysis::discipline::{Beyond, Discipline};
use crate::config::{self, Bound, Reduce};
use crate::estimate::Estimate;
use crate::guarantee;
use crate::states::{Calls, Differing, States, Way};
use crate::summary::{Failure, Summary, Warning, WarningKind, Ways};
use raddle_schedule::Granularity;

impl Search {
    /// Where the search stands.
    pub fn progress(&self) -> Progress {
        Progress {
            executions: self.record.runs,
            waiting: (self.fringe.len() + self.flying.len()) as u64,
            failures: self.record.failures.len() as u64,
            preemptions: self.last_preemptions,
            steps: self.record.steps,
            audited: self.audit.as_ref().map_or(0, |(_, a)| a.runs),
            passed: self.record.passed,
            failed: self.record.failed,
            deadlocked: self.record.deadlocked,
            truncated: self.record.truncated,
            refused: self.record.refusals.count,
            only_refused: self.record.refusals.count + self.record.sleep_blocked == self.record.runs,
            classes: self.analyses.classes(),
            levels: self.levels,
        }
    }

    /// How many executions there are in all, where something can be said.
    pub fn estimate(&self) -> Option<Estimate> {
        let remembers = self.config.states != config::States::None;
        // How many executions a state that is met again saves is not known beforehand.
        if self.config.order.samples() || self.audit.is_some() || remembers {
            return None;
        }
        self.estimator.now(|most| self.contexts.executions(most))
    }

    /// The distinct failures found so far, in the order in which they were first found. One that
    /// is found again with fewer preemptions is replaced in its place.
    pub fn failures(&self) -> &[Failure] {
        &self.record.failures
    }

    /// Coverage so far, at most some 150 points and one for each completed bound.
    pub fn coverage(&self) -> Vec<Point> {
        self.curve.up_to(self.covered(self.bound_completed()))
    }

    /// What the memory of states holds.
    pub(super) fn remembered(&self) -> Option<crate::summary::States> {
        let walked = self.reversal.as_ref().and_then(|walk| walk.states());
        walked.or_else(|| self.states.as_ref().map(States::summary))
    }

    /// Where the curve of coverage stands, with the bound that is complete.
    pub(super) fn covered(&self, bound: Option<u32>) -> Point {
        let (classes, states) = (self.analyses.classes(), self.analyses.states());
        Point { executions: self.record.runs, classes, states, bound }
    }

    /// What was found so far.
    pub fn summary(&self) -> Summary {
        let r = &self.record;
        let mut summary = Summary {
            executions: r.passed + r.failed,
            passed: r.passed,
            deadlocked: r.deadlocked,
            confirming: r.confirmations,
            gave_back: self.gave_back,
            quarantined: r.quarantined,
            sleep_blocked: r.sleep_blocked,
            assume_blocked: r.assume_blocked,
            truncated: r.truncated,
            diverged: r.diverged,
            unfair: r.unfair,
            refused: r.refusals.count,
            refusals: r.refusals.distinct.clone(),
            lost: r.lost,
            classes: self.analyses.classes(),
            states: self.analyses.states(),
            coverage: self.coverage(),
            failures: r.told(),
            leaks: self.leaks.clone(),
            warnings: self.warnings(),
            complete: self.is_complete(),
            stopped: self.stopped.clone(),
            bound_completed: self.bound_completed(),
            beyond_bound: self.beyond.is_some(),
            stopped_rounds: r.stopped_rounds,
            guarantee: String::new(),
            audit: self.audit_result(),
            undisciplined: self.undisciplined(),
            unfair_left_out: self.leaves_out_unfair(),
            weaker_than_seqcst: self.analyses.weaker_than_seqcst(),
            total_steps: r.steps,
            peak_nodes: self.peak_nodes(),
            peak_bytes: self.peaks().bytes(),
            conservative: self.conservative,
            peaks: self.peaks(),
            waiting: (self.fringe.len() + self.flying.len()) as u64,
            remembered: self.remembered(),
            points_new: self.calls.as_ref().map(Calls::count),
            estimate: self.estimate().filter(|_| !self.is_complete()),
            shares: Vec::new(),
        };
        summary.guarantee = guarantee::sentence(&self.config, &summary);
        summary
    }

    /// Was something left out as unfair, or counts for nothing?
    fn leaves_out_unfair(&self) -> bool {
        let reversal = self.reversal.as_ref().is_some_and(|reversal| reversal.left_out());
        self.unfair_left_out || reversal || self.reduction.left_out()
    }

    /// Was everything within bound and granularity run, to its end?
    pub(crate) fn is_complete(&self) -> bool {
        self.is_through() && self.record.refusals.count == 0
    }

    /// Was everything within bound and granularity run, to its end or to where it was refused?
    pub(crate) fn is_through(&self) -> bool {
        !self.config.order.samples()
            && !self.config.bare
            && self.fringe.is_empty()
            && !self.walks()
            && !self.flying.iter().any(|f| f.purpose.may_show())
            && !self.auxiliary_runs.may_show()
            && self.other_rounds.is_none()
            && self.record.truncated == 0
            && self.record.diverged == 0
            && self.record.lost == 0
            && !self.racing_accesses_unexplored()
            && !self.record.is_undisciplined()
            && !self.record.is_nondeterministic()
            && self.undisciplined().is_empty()
            && self.stopped.is_none()
            && self.let_go.is_none()
    }

    /// What the program does that orders of atomic blocks do not cover, where they are all that is run.
    fn undisciplined(&self) -> Vec<&'static str> {
        let beyond = self.discipline.as_ref().map(Discipline::beyond);
        beyond.into_iter().flatten().map(Beyond::name).collect()
    }

    /// Points that are not at every access stand for all interleavings only of a program without
    /// data races.
    pub(super) fn racing_accesses_unexplored(&self) -> bool {
        guarantee::racing_accesses_unexplored(&self.config, &self.record.failures)
    }

    /// Largest c such that all executions with at most c preemptions were run to their end.
    pub fn bound_completed(&self) -> Option<u32> {
        // With a reduction others stand for them, with any number of preemptions.
        // So they may with states, unless these keep their preemptions.
        let counted = matches!(self.config.bound, Bound::Preemptions(_) | Bound::Iterative);
        let prunes =
            self.config.reduce != Reduce::None || (self.config.states != config::States::None && !counted);
        if prunes && !self.is_complete() {
            return None;
        }
        let unsound = self.racing_accesses_unexplored() || self.record.is_undisciplined();
        // Those between atomic blocks are others.
        let in_blocks = self.config.granularity == Granularity::LockExit;
        if self.config.order.samples() || unsound || in_blocks {
            return None;
        }
        let known = self.contexts.fewest_preemptions();
        let missing = known
            .into_iter()
            .chain(self.record.cut_off)
            .chain(self.record.refusals.fewest)
            .chain(self.beyond)
            .min();
        match missing {
            Some(fewest) => fewest.checked_sub(1),
            None => Some(self.record.most_preemptions),
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.record.warnings.clone();
        if !self.every_lock_cycle_ran() {
            warnings.extend(self.predictions.warnings(&self.config, &self.record.failures));
        }
        if let Some(threads_without_points) = &self.record.threads_without_points {
            let default = self.config.schedule(Vec::new());
            warnings.extend(threads_without_points.warnings(!self.config.points_at.is_empty(), &default));
        }
        warnings.extend(self.states.as_ref().and_then(States::differing).map(|d| self.order_dependent(d)));
        warnings
    }

    /// What the order of the same steps makes different, with both ways.
    fn order_dependent(&self, differing: &Differing) -> Warning {
        let schedule = |way: &Way| self.config.schedule(way.deltas.clone());
        let [first, second] = differing.ways.each_ref().map(schedule);
        let more = match differing.count {
            1 => String::new(),
            n => format!("; so they do at {n} combined counters"),
        };
        let steps = differing.steps;
        Warning {
            kind: WarningKind::OrderDependent,
            message: format!(
                "the outcome depends on the order: after the same {steps} steps, as many of each thread, shared \
                 variables differ between {first} and {second}{more}"
            ),
            thread: differing.thread,
            site: differing.site,
            count: differing.count,
            schedule: second.clone(),
            rounds: Vec::new(),
            wanted: Vec::new(),
            unprotected: None,
            blocked: None,
            ways: Some(Box::new(Ways { schedules: [first, second], steps })),
            join: None,
        }
    }
}
