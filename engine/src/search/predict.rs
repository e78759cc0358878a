//! Predicted deadlocks (paper 004, section 6.1): a lock cycle that an execution shows without running
//! into it (`analysis/lock_order.rs`) is *confirmed* by an auxiliary run, whose schedule stops each of its
//! threads just before its second lock (`analysis/reorder.rs`). If that ends in a deadlock, it is a
//! failure like any other, with that schedule. So a deadlock of the program needs no execution of the
//! search that runs into it, and nothing is reported as one that did not happen.
//!
//! First the schedule keeps the order of everything but locks: then all threads see what they saw.
//! Where that order keeps the threads apart, it is tried without the order of accesses to memory, on
//! which the cycle mostly does not depend: whether it does, the run tells, and if it fails nothing is
//! said. What is left as a warning are cycles that nothing seen keeps apart and that no run confirmed:
//! most of all where no thread can be stopped between its locks with the points of the search. A search
//! that ran every interleaving has refuted them, and keeps silent.
//!
//! At lock-exit points no thread is ever stopped in the middle of a block, where paper 004 reports what it
//! predicts without running it. Here that run has the points of `sync` ([`OPERATIONS`]), and its
//! schedule says so.
//!
//! Executions whose class is known are not looked at again, and one place in the program's text is
//! tried a few times only.

use super::Search;
use super::apply::is_lost;
use super::auxiliary_run::{AuxiliaryRun, Kind};
use crate::analysis::lock_order::Cycle;
use crate::analysis::reorder::{Kept, Reordered, reorder};
use crate::analysis::wait_cycle::wait_cycles;
use crate::config::{Config, Reduce};
use crate::naming::{self, Name};
use crate::points::{Point, points};
use crate::summary::{Failure, FailureKind, Wanted, Warning, WarningKind};
use raddle_schedule::plan::flags::OPERATIONS;
use raddle_schedule::{Choice, Delta, Granularity, OpKind, Outcome, Trace};

/// Schedules that are run for the same places.
const MOST_TRIED: u32 = 4;
/// Places that are kept.
const MOST_KNOWN: usize = 64;

/// The lock cycles met so far.
#[derive(Default)]
pub struct Predictions {
    known: Vec<Prediction>,
}

/// Lock cycles at the same places.
struct Prediction {
    /// Where locks are held and wanted, or which, where places are not known.
    places: Vec<(u64, u64)>,
    /// The first such cycle, and the execution that showed it.
    wanted: Vec<Wanted>,
    schedule: Vec<Delta>,
    /// Executions that showed one.
    count: u64,
    /// Schedules that were run for it.
    tried: u32,
    /// One is in flight.
    underway: bool,
    /// A deadlock there is known.
    happened: bool,
    /// Nothing that was seen keeps the threads apart, and yet no deadlock was had.
    open: bool,
}

/// What a confirmation is to show.
#[derive(Clone, Copy, Debug)]
pub struct Awaited {
    /// Index of the prediction.
    prediction: usize,
    /// With all orders kept, it should have been shown.
    certain: bool,
}

impl Predictions {
    /// The prediction that a cycle belongs to; `None` if there are too many.
    fn of(&mut self, cycle: &Cycle, trace: &Trace) -> Option<usize> {
        let place = |site: u32, lock: u64| if site == 0 { lock } else { u64::from(site) };
        let places = |w: &Wanted| (place(w.holds_site, w.holds), place(w.site, w.lock));
        let mut places: Vec<(u64, u64)> = cycle.wanted.iter().map(places).collect();
        places.sort_unstable();
        if let Some(known) = self.known.iter().position(|p| p.places == places) {
            self.known[known].count += 1;
            return Some(known);
        }
        if self.known.len() == MOST_KNOWN {
            return None;
        }
        let (wanted, schedule) = (cycle.wanted.clone(), naming::name(trace).deltas);
        let (tried, underway, happened, open) = (0, false, false, false);
        self.known.push(Prediction { places, wanted, schedule, count: 1, tried, underway, happened, open });
        Some(self.known.len() - 1)
    }

    /// The cycles that were neither confirmed nor explained.
    pub fn warnings(&self, config: &Config, failures: &[Failure]) -> Vec<Warning> {
        let open = self.known.iter().filter(|p| p.open && !p.happened && !p.underway);
        let silent = open.filter(|p| !failures.iter().any(|f| p.is(f)));
        silent.map(|p| p.warning(config)).collect()
    }
}

impl Prediction {
    /// Is this deadlock where the cycle is?
    fn is(&self, failure: &Failure) -> bool {
        let waits = |w: &Wanted| failure.blocked.iter().any(|b| b.site == w.site && b.object == w.lock);
        failure.kind == FailureKind::Deadlock && self.wanted.iter().all(waits)
    }

    /// Why it is no failure; who takes what is the server's to tell.
    fn message(&self) -> String {
        let why = match self.tried {
            0 => "and no schedule that leads into it was found",
            _ => "and the schedule that was to lead into it did not",
        };
        format!("locks are taken in a cycle, {why}")
    }

    fn warning(&self, config: &Config) -> Warning {
        let first = &self.wanted[0];
        Warning {
            kind: WarningKind::LockOrder,
            message: self.message(),
            thread: first.thread,
            site: first.site,
            count: self.count,
            schedule: config.schedule(self.schedule.clone()),
            rounds: Vec::new(),
            wanted: self.wanted.clone(),
            unprotected: None,
            blocked: None,
            ways: None,
            join: None,
        }
    }
}

impl Search {
    /// Has every deadlock that these cycles might be been run into, if there was one?
    pub(super) fn every_lock_cycle_ran(&self) -> bool {
        let everywhere = matches!(self.config.granularity, Granularity::Sync | Granularity::Access);
        let c = &self.config;
        let all =
            everywhere && c.points_at.is_empty() && c.trusted.is_empty() && !c.outside && c.below.is_none();
        all && self.config.reduce != Reduce::Rw && self.beyond.is_none() && self.is_complete()
    }

    /// Looks for lock cycles in an execution, and for schedules that lead into them.
    pub(super) fn predict(&mut self, trace: &Trace) {
        let cycles = self.analyses.lock_cycles(trace);
        if cycles.is_empty() {
            return;
        }
        let deadlocks = trace.outcome == Outcome::Deadlock || !wait_cycles(trace).is_empty();
        for cycle in cycles {
            let Some(at) = self.predictions.of(&cycle, trace) else { continue };
            let prediction = &mut self.predictions.known[at];
            let pending = |e: &u32| trace.events[*e as usize].kind() == OpKind::Pending;
            prediction.happened |= deadlocks && cycle.events.iter().all(pending);
            if prediction.happened || prediction.underway || prediction.tried == MOST_TRIED {
                continue;
            }
            let floor = self.config.below.as_ref().map_or(0, |p| p.floor);
            let operations = self.config.granularity == Granularity::LockExit;
            let reorder = |kept| match operations && floor > 0 {
                // The beginning is told in other steps.
                true => Reordered::None,
                false => reorder(trace, &cycle, kept, floor, operations),
            };
            let (reordered, certain) = match reorder(Kept::All) {
                Reordered::Ordered => (reorder(Kept::Waits), false),
                other => (other, true),
            };
            match reordered {
                Reordered::Schedule(deltas) => {
                    prediction.underway = true;
                    prediction.tried += 1;
                    let flags = if operations { OPERATIONS } else { 0 };
                    self.auxiliary_runs.confirm(Awaited { prediction: at, certain }, deltas, flags);
                }
                Reordered::None => prediction.open |= certain,
                Reordered::Ordered => {}
            }
        }
    }

    /// The result of an auxiliary run.
    pub(super) fn apply_auxiliary_run(&mut self, auxiliary_run: &AuxiliaryRun, trace: &Trace) {
        match &auxiliary_run.kind {
            Kind::Confirmation(awaited) => self.confirmed(*awaited, auxiliary_run, trace),
            Kind::Naming(lost) => self.named(lost, auxiliary_run, trace),
            Kind::Fair => self.shown_fairly(auxiliary_run, trace),
            Kind::InFull => self.shown_in_full(auxiliary_run, trace),
            Kind::Quarantine => self.quarantined(trace),
            Kind::Probe | Kind::Diagnosis(_) | Kind::Repetition
                if self.leaves_rounds_out() && auxiliary_run.finding(trace).is_some() =>
            {
                self.begin_anew_in_full();
            }
            Kind::Probe | Kind::Diagnosis(_) | Kind::Repetition => {
                if let Some((step, message)) = auxiliary_run.finding(trace) {
                    self.record.nondeterminism(trace, step, message);
                    self.after_failure();
                } else if matches!(auxiliary_run.kind, Kind::Repetition) && !self.racing_accesses_unexplored()
                {
                    // Where threads race, what they do depends on the order of accesses that are no points, and the search
                    // is not complete anyway.
                    self.irreducible = true;
                    self.record.forget_strays();
                }
            }
        }
    }

    /// The run that was to show a predicted deadlock. It is an execution of the program like any other, so
    /// whatever fails in it is a failure.
    fn confirmed(&mut self, awaited: Awaited, auxiliary_run: &AuxiliaryRun, trace: &Trace) {
        self.record.confirmations += 1;
        let prediction = &mut self.predictions.known[awaited.prediction];
        prediction.underway = false;
        match trace.outcome {
            Outcome::Deadlock | Outcome::Livelock => prediction.happened = true,
            _ if !wait_cycles(trace).is_empty() => prediction.happened = true,
            _ => prediction.open |= awaited.certain,
        }
        if is_lost(trace, !auxiliary_run.deltas.is_empty()) {
            return self.lose(&auxiliary_run.deltas, auxiliary_run.flags, trace);
        }
        self.analyses.beside(trace);
        if self.is_shown_by(trace) && !self.counts(trace) {
            return;
        }
        self.record_beside(trace);
    }

    /// Records what fails in a run beside the search, which the analyses have read.
    pub(super) fn record_beside(&mut self, trace: &Trace) {
        let granularity = self.confirming();
        let own = self.record.name_at(granularity);
        let failed = self.record.confirmation(trace, &self.analyses.unordered());
        let raced = self.races(trace, naming::name(trace).preemptions);
        self.record.name_at(own);
        if failed || raced {
            self.after_failure();
        }
    }

    /// The points of the runs that confirm.
    fn confirming(&self) -> Granularity {
        match self.config.granularity {
            Granularity::LockExit => Granularity::Sync,
            own => own,
        }
    }

    /// A run with this schedule ended its process. It is recorded once its preemptions are known.
    pub(super) fn lose(&mut self, deltas: &[Delta], flags: u32, trace: &Trace) {
        if !self.auxiliary_runs.name(deltas, trace, flags) {
            self.lost_beside(trace, Name::of_plan(deltas, 0));
        }
    }

    /// The run without the last switch of such a schedule, cut off behind it.
    fn named(&mut self, lost: &[Delta], auxiliary_run: &AuxiliaryRun, trace: &Trace) {
        if is_lost(trace, !auxiliary_run.deltas.is_empty()) {
            // The last switch had no part in it.
            return self.lose(&auxiliary_run.deltas, auxiliary_run.flags, trace);
        }
        let Some(Delta { step, choice: Choice::Thread(last) }) =
            lost.get(auxiliary_run.deltas.len()).copied()
        else {
            return;
        };
        let preempts = |point: Point| match point {
            Point::Thread(p) if p.step < step => p.preempts(p.event.thread()),
            Point::Thread(p) if p.step == step => p.preempts(last),
            _ => false,
        };
        let preemptions = points(trace).map(preempts).filter(|p| *p).count() as u32;
        self.lost_beside(auxiliary_run.expected(), Name::of_plan(lost, preemptions));
    }

    fn lost_beside(&mut self, trace: &Trace, name: Name) {
        let granularity = self.confirming();
        let own = self.record.name_at(granularity);
        self.record.confirmation_lost(trace, name);
        self.record.name_at(own);
        self.after_failure();
    }
}
