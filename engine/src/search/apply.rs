//! What one trace does to the search: analyses, record, expansion.

use super::enqueue::Filing;
use super::rounds::Anew;
use super::{Error, Purpose, Search};
use crate::analysis::{atomic_block, misuse::Unordered};
use crate::config::Reduce;
use crate::mutants::Mutant;
use crate::naming::{self, Name};
use crate::order::symmetry;
use crate::record;
use crate::reduction::{Astray, Parent, Sink};
use crate::summary::StopReason;
use crate::tree::{ROOT, Waiting};
use raddle_schedule::{Delta, Granularity, Outcome, Trace};

impl Search {
    /// Reads one trace.
    pub(super) fn apply(&mut self, trace: &Trace) -> Result<(), Error> {
        let Some(flying) = self.flying.pop_front() else { return Ok(()) };
        if !matches!(self.config.reduce, Reduce::None | Reduce::Rw)
            && let Some(alone) = trace.events.iter().find(|e| atomic_block::is_in_block(e))
        {
            let (site, thread) = (alone.site, alone.thread());
            let schedule = Box::new(self.config.schedule(naming::name(trace).deltas));
            let reduce = self.config.reduce;
            let message = format!(
                "atomic blocks (raddle_atomic_begin) are not built with --reduce {reduce} yet; use --reduce none"
            );
            self.irreducible = true;
            self.stopped = Some(StopReason::Failure);
            return Err(Error::Unsupported { message, site, thread, schedule });
        }
        // Asked for alone, a reduction goes on.
        if trace.looked
            && self.config.opening > 0
            && self.reversal.is_some()
            && !self.is_walk()
            && matches!(flying.purpose, Purpose::Node(..))
        {
            return Err(self.unseen_order(trace));
        }
        match flying.purpose {
            Purpose::Node(waiting, ..) if flying.in_turn && is_lost(trace, waiting.node != ROOT) => {
                self.record.nameless();
                self.was_lost = true;
                self.again.push_back(flying.purpose);
            }
            Purpose::Node(waiting, round, level) => {
                self.count_level(level);
                if self.curve.begins(round) {
                    // All of the rounds before have been read.
                    self.curve.note(self.covered(self.bound_completed()));
                }
                self.apply_node(waiting, trace);
                if self.reversal.as_ref().is_some_and(|reversal| reversal.is_outnumbered()) {
                    self.other_rounds = Some(Anew::SingleSteps);
                    let error = self.too_many_threads(trace);
                    // Asked for alone, a reduction tells what it has found.
                    let tells = self.config.opening == 0 && !self.record.failures.is_empty();
                    return if tells { Ok(()) } else { Err(error) };
                }
                self.relieve();
                match &mut self.reversal {
                    Some(reversal) => reversal.release(waiting.node),
                    None => self.tree.release(waiting.node),
                }
                self.contexts.release(waiting.context);
                if self.anew {
                    self.begin_anew();
                }
            }
            Purpose::Sample if trace.lost => self.apply_lost(trace, Name::default()),
            Purpose::Sample => {
                self.order.ran(trace);
                self.apply_run(trace, naming::name(trace).preemptions);
            }
            Purpose::AuxiliaryRun(auxiliary_run) => {
                self.apply_auxiliary_run(&auxiliary_run, trace);
                if self.irreducible {
                    return Err(self.hidden_order(auxiliary_run.expected()));
                }
            }
            Purpose::Audit => self.apply_audit(trace),
        }
        Ok(())
    }

    /// An execution of the tree: what it found, then what else it leads to.
    fn apply_node(&mut self, waiting: Waiting, trace: &Trace) {
        let preemptions = self.contexts.preemptions(waiting.context);
        if self.reversal.is_none() || may_be_lost(trace) {
            self.recall(&waiting);
        }
        if self.leaves_rounds_out() && !self.may_leave_rounds_out(trace) {
            // It is made again by the search that comes instead.
            return;
        }
        if may_be_lost(trace) && is_lost(trace, !self.plan.deltas.is_empty()) {
            let name = Name::of_plan(&self.plan.deltas, preemptions);
            self.estimated(&waiting, preemptions, 0);
            self.apply_lost(trace, name);
            return self.walk_lost();
        }
        let strays = matches!(trace.outcome, Outcome::Diverged | Outcome::Unfollowable);
        if strays && self.is_walk() {
            // Where the program does not repeat itself, the search without a model says so.
            self.anew = self.leave_the_model();
            return;
        }
        let expanded = match trace.outcome {
            Outcome::Diverged | Outcome::Unfollowable => Err(Astray(trace.code)),
            _ => self.expand(&waiting, preemptions, trace),
        };
        match expanded {
            Ok(()) => {
                self.estimated(&waiting, preemptions, trace.steps);
                // What reverses a race is only told in full once it was run.
                let preemptions = match &self.reversal {
                    Some(reversal) => reversal.preemptions(),
                    None if self.anew => naming::name(trace).preemptions,
                    None => preemptions,
                };
                debug_assert!(
                    self.anew || self.reversal.is_some() || naming::name(trace).deltas == self.plan.deltas
                );
                self.apply_run(trace, preemptions);
            }
            Err(Astray(step)) => self.astray(&waiting, preemptions, step, trace),
        }
    }

    /// Writes once more what was asked for.
    fn recall(&mut self, waiting: &Waiting) {
        match &self.reversal {
            Some(reversal) => reversal.deltas(waiting.node, &mut self.plan.deltas),
            None => self.tree.deltas(waiting.node, &mut self.plan.deltas),
        }
    }

    /// How the execution that the plan names differs from its parent.
    fn own_delta(&self, waiting: &Waiting) -> Option<Delta> {
        self.plan.deltas.last().copied().filter(|_| waiting.node != ROOT)
    }

    /// Counts an execution that was run. Reversals lead through preemptions that only show when
    /// they are run, so with them preemptions are not told apart.
    fn estimated(&mut self, waiting: &Waiting, preemptions: u32, steps: u32) {
        match &self.reversal {
            Some(reversal) => self.estimator.ran(reversal.branch(waiting.node), 0, steps),
            None => self.estimator.ran(self.own_delta(waiting), preemptions, steps),
        }
    }

    /// Puts what is to be explored beside the execution that the plan names into tree and fringe.
    fn expand(&mut self, waiting: &Waiting, preemptions: u32, trace: &Trace) -> Result<(), Astray> {
        let delta = self.own_delta(waiting);
        let parent = Parent { delta, floor: self.floor(), preemptions, prefix_hash: waiting.prefix_hash };
        self.keep_young();
        let asks = self.order.asks();
        if asks.switch {
            self.lookahead.read(trace, asks.within);
        }
        if asks.insight {
            self.insight.read(trace, &self.plan.deltas, self.floor());
        }
        let reverses = self.reversal.is_some();
        let opening = self.config.opening;
        let heeds_symmetry = reverses && self.record.runs < opening.saturating_add(symmetry::LAST);
        if heeds_symmetry && opening > 0 {
            self.symmetry.read(trace);
        }
        let mut enqueue = Filing {
            estimator: &mut self.estimator,
            parent: if reverses { 0 } else { preemptions },
            reverses,
            fringe: &mut self.fringe,
            contexts: &mut self.contexts,
            scope: &*self.scope,
            order: &*self.order,
            focus: &mut self.focus,
            is_focusable: self.is_focusable,
            lookahead: asks.switch.then_some(&self.lookahead),
            insight: asks.insight.then_some(&self.insight),
            recent: (asks.earlier && !reverses).then_some(&mut self.recent),
            only_races: reverses && !matches!(self.config.reduce, Reduce::Sleep | Reduce::Bounded),
            symmetry: Some(&self.symmetry).filter(|s| heeds_symmetry && s.is_any()),
            beyond: &mut self.beyond,
            conservative: &mut self.conservative,
        };
        if let Some(reversal) = &mut self.reversal {
            let expanded = reversal.expand(waiting.node, waiting.prefix_hash, trace, &mut enqueue);
            if !self.is_beyond_the_model() {
                return expanded;
            }
            self.leave_the_model();
            // What was run first is where it begins.
            self.anew = self.record.runs > 0;
            if self.anew {
                return Ok(());
            }
            self.recall(waiting);
            return self.expand(waiting, preemptions, trace);
        }
        let tree = &mut self.tree;
        // From here on everything is explored elsewhere.
        let known = self.states.as_mut().map_or(u32::MAX, |s| s.look(&parent, trace));
        let mut pruned = 0;
        self.reduction.expand(&parent, trace, &mut |child| {
            if child.step >= known {
                pruned += 1;
            } else if enqueue.admits(&child) {
                let node = tree.insert(waiting.node, child.step, child.choice);
                enqueue.push(&child, node);
            }
        })?;
        if let Some(states) = &mut self.states {
            states.keep(pruned, &self.plan.deltas);
        }
        if let Some(calls) = &mut self.calls {
            let fixed = (parent.floor > 0).then_some(parent.floor);
            calls.read(trace, delta.map(|d| d.step).or(fixed), known);
        }
        if asks.earlier {
            self.reprioritise();
        }
        Ok(())
    }

    /// An execution that ended its process: a failure, named by its plan for want of events. What
    /// follows it is unknown, so it has no children.
    fn apply_lost(&mut self, trace: &Trace, name: Name) {
        self.last_preemptions = name.preemptions;
        self.record.lost(trace, name);
        self.after_failure();
    }

    /// The trace is not that of its plan: counted, and diagnosed once.
    fn astray(&mut self, waiting: &Waiting, preemptions: u32, step: u32, trace: &Trace) {
        self.recall(waiting);
        self.record.runs += 1;
        self.record.diverged += 1;
        self.record.cut(preemptions);
        let repeated = self.reversal.as_ref().map(|reversal| reversal.repeated(waiting.node));
        if self.record.is_nondeterministic() {
            return;
        }
        if repeated.is_some_and(|repeated| step > repeated) && waiting.node != ROOT {
            // What went before did repeat: the order of steps that the reduction takes for independent tells.
            if self.record.diverged == 1 {
                let flags = self.round_flags();
                self.auxiliary_runs.repeat(trace, flags);
            }
        } else {
            // The parent's execution has the same prefix, and repeats it or not. For the root of a
            // chosen beginning there is only itself, up to the last step that is fixed.
            let (last, step) = match waiting.node {
                ROOT => (self.plan.deltas.len(), step.saturating_sub(1)),
                _ => (self.plan.deltas.len().saturating_sub(1), step),
            };
            let flags = self.round_flags();
            self.auxiliary_runs.diagnose(&self.plan.deltas[..last], step, trace, flags);
        }
    }

    /// A loop goes by what no hook tells, so that nobody knows which steps it depends on. No reduction holds there.
    fn unseen_order(&mut self, trace: &Trace) -> Error {
        let schedule = Box::new(self.config.schedule(naming::name(trace).deltas));
        let reduce = self.config.reduce;
        let message = format!(
            "a loop waits for a write by uninstrumented code, so --reduce {reduce} cannot recognise equal executions; use --reduce none"
        );
        self.irreducible = true;
        self.stopped = Some(StopReason::Failure);
        Error::Unsupported { message, site: trace.site, thread: trace.thread, schedule }
    }

    /// Each execution has its room, but the executions of the search have more threads together than a reduction tells apart.
    fn too_many_threads(&mut self, trace: &Trace) -> Error {
        let schedule = Box::new(self.config.schedule(naming::name(trace).deltas));
        let reduce = self.config.reduce;
        self.irreducible = true;
        self.stopped = Some(StopReason::Failure);
        Error::TooManyThreads { reduce, site: trace.site, thread: trace.thread, schedule }
    }

    /// Executions that differ in the order of independent steps alone do not do the same, though each does so every time it is
    /// run: what tells is the order of something that is no step, such as opening files (docs/src/internals/operations.md).
    /// No reduction holds there.
    fn hidden_order(&mut self, strayed: &Trace) -> Error {
        let last = strayed.events.iter().rev().find(|e| e.is_step() && e.site != 0);
        let (site, thread) = last.map_or((0, 0), |e| (e.site, e.thread()));
        let schedule = Box::new(self.config.schedule(naming::name(strayed).deltas));
        self.stopped = Some(StopReason::Failure);
        let message = format!(
            "a thread's behaviour depends on the order of events that are not schedule points (which thread opens a file first, or drops \
             the last reference), and --reduce {} treats such executions as equal; use --reduce none",
            self.config.reduce
        );
        Error::Unsupported { message, site, thread, schedule }
    }

    /// Analyses and counts one execution.
    fn apply_run(&mut self, trace: &Trace, preemptions: u32) {
        self.last_preemptions = preemptions;
        let failed = match self.config.bare {
            true => self.record.execution(trace, preemptions, &Unordered::default()),
            false => self.analysed(trace, preemptions),
        };
        if failed {
            self.after_failure();
        } else {
            self.look_at_leaks(trace);
            self.consider_quarantine(trace);
        }
        if !failed && !matches!(trace.outcome, Outcome::Hang | Outcome::SleepBlocked | Outcome::Unsupported) {
            let flags = self.round_flags();
            self.auxiliary_runs.executed(self.record.runs, trace, flags);
        }
    }

    /// What an execution that has not failed has lost, if somebody looked.
    fn look_at_leaks(&mut self, trace: &Trace) {
        if trace.leaked.is_some() {
            self.leaks.read(trace, &self.config.schedule(Vec::new()));
        }
    }

    /// Has every analysis read one execution, and counts it. True if it failed.
    fn analysed(&mut self, trace: &Trace, preemptions: u32) -> bool {
        self.read(trace);
        if self.is_shown_by(trace) && self.differs_in_full(trace) {
            self.show_in_full(trace);
            return false;
        }
        self.judged(trace, preemptions)
    }

    /// Has every analysis read one execution.
    pub(super) fn read(&mut self, trace: &Trace) {
        self.analyses.run(trace, record::is_complete(trace));
        if let Some(discipline) = &mut self.discipline {
            discipline.read(trace);
        }
    }

    /// Counts an execution that was read. True if it failed.
    pub(super) fn judged(&mut self, trace: &Trace, preemptions: u32) -> bool {
        if self.is_shown_by(trace) && !self.counts(trace) {
            self.record.unfair(trace);
            return false;
        }
        let mut failed = self.record.execution(trace, preemptions, &self.analyses.unordered());
        if self.curve.is_due(self.record.runs) {
            self.curve.note(self.covered(None));
        }
        failed |= self.races(trace, preemptions);
        // Where a thread stands, others may be chosen than in full.
        if self.config.predict && (trace.outcome == Outcome::Passed || !self.leaves_rounds_out()) {
            self.predict(trace);
        }
        for found in self.analyses.volatile(trace) {
            self.record.volatile(&found, trace);
        }
        if self.config.granularity == Granularity::LockExit {
            for found in self.analyses.unprotected(trace) {
                self.record.unprotected(&found, trace);
            }
        }
        failed
    }

    /// Records the races of the trace that the analyses read last. True if there are any.
    pub(super) fn races(&mut self, trace: &Trace, preemptions: u32) -> bool {
        // Every two conflicting accesses are ordered by the search's happens-before.
        let merged = self.config.mutant == Some(Mutant::DetectorOrdersAllDependent);
        let races = if merged { &[] } else { self.analyses.races() };
        // Without --keep-going one race of an execution is enough. What is promoted is its first one: what
        // comes after may be in order once that is (paper 000: a race ends a race-free execution).
        let all = self.config.keep_going && !self.config.promote_races;
        let wanted = if all { races.len() } else { races.len().min(1) };
        for race in &races[..wanted] {
            self.record.race(race, trace, preemptions);
        }
        if wanted > 0 && self.config.promote_races {
            self.stop(StopReason::Failure);
        }
        let destroyed = self.analyses.unordered().destroyed;
        let wanted_destroyed = if self.config.keep_going { destroyed.len() } else { destroyed.len().min(1) };
        for found in &destroyed[..wanted_destroyed] {
            self.record.used_destroyed(found, trace, preemptions);
        }
        wanted > 0 || !destroyed.is_empty()
    }

    pub(super) fn after_failure(&mut self) {
        if !self.config.keep_going {
            self.stop(StopReason::Failure);
        }
    }
}

fn may_be_lost(trace: &Trace) -> bool {
    trace.lost || matches!(trace.outcome, Outcome::Crash | Outcome::Exit | Outcome::Hang)
}

/// Did the execution die with its process, and its events with it? A trace that differs from the
/// default behaviour has a step at which it does.
pub(super) fn is_lost(trace: &Trace, differs: bool) -> bool {
    trace.lost || (may_be_lost(trace) && differs && trace.events.is_empty())
}
