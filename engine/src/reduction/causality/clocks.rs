//! The clock of a step: what happens before it, and which earlier steps it races with.

use super::{Causality, Race, Step};
use crate::mutants::Mutant;
use crate::reduction::op_table::OpTable;
use raddle_schedule::ending::ROUNDS;
use raddle_schedule::{Op, OpKind};

impl Causality {
    /// How often has the step's thread come to its place ([`raddle_schedule::ending`])?
    pub(super) fn count_rounds(&mut self, number: usize, kind: OpKind) {
        let step = &self.steps[number];
        let gives_way = matches!(kind, OpKind::Yield | OpKind::Sleep);
        if !gives_way && !step.timed && kind != OpKind::Timeout {
            return;
        }
        let mut own = self.own[usize::from(step.thread)].iter().rev().map(|own| &self.steps[*own as usize]);
        let before = own.find(|own| own.rounds > 0 && own.site == step.site).map_or(0, |own| own.rounds);
        let step = &mut self.steps[number];
        step.repeats = before >= ROUNDS;
        if gives_way || kind == OpKind::Timeout {
            step.rounds = before.saturating_add(1);
        }
    }

    /// Starts with the steps that surely happen before: the thread's own past, and what let it be.
    pub(super) fn start_clock(&mut self, number: usize, step: &Step, op: &Op) {
        self.clock.clear();
        let last = self.own[usize::from(step.thread)].last().map(|last| *last as usize * self.width);
        if let Some(own) = last.and_then(|from| self.clocks.get(from..from + self.width)) {
            self.clock.extend_from_slice(own);
        } else {
            self.clock.resize(self.width, 0);
        }
        if last.is_none()
            && let Some(spawn) = self.waking.spawned_by(step.thread)
        {
            self.join(spawn);
        }
        if op.kind == OpKind::Join
            && number < self.made
            && let Some(last) = self.own.get(op.object as usize).and_then(|own| own.last())
        {
            self.join(*last as usize);
        }
        if op.kind == OpKind::CondWake
            && !step.timed
            && let Some(notify) = step.woken
        {
            self.join(notify as usize);
        }
    }

    /// An earlier step that may depend on this one: a race, or at least an order.
    pub(super) fn meet(&mut self, candidate: usize, number: usize, step: &Step, op: &Op, op_table: &OpTable) {
        if self.is_known(candidate) {
            return;
        }
        let earlier = self.steps[candidate].op_id;
        let woken = step.timed && op.kind == OpKind::CondWake && step.woken == Some(candidate as u32);
        // A wait with a time limit that ended by what it waits for was not let go.
        let goes_round = !step.timed || op.kind == OpKind::Timeout || number >= self.made;
        let lets_go = || step.spin.is_some() && goes_round && self.is_change(candidate, step, op_table);
        if !woken && !op_table.dependent(earlier, step.op_id) && !lets_go() {
            return;
        }
        let possible = self.mutant == Some(Mutant::LocksRaceWithUnlocks)
            || self.could_come_before(candidate, number, step, op, op_table);
        // A wait with a time limit comes before by what it waits for, or else by its time-out, which has to be let go.
        let either = step.timed && matches!(op.kind, OpKind::SemWait | OpKind::Park);
        let is_woken = op.kind == OpKind::CondWake
            && step.woken.is_some_and(|woken| !self.before(candidate, woken as usize));
        let let_go = || self.is_let_go_before(candidate, number, step, op_table);
        if possible && (either || is_woken || let_go()) || either && let_go() {
            self.races.push(Race { first: candidate as u32, second: number as u32 });
            self.join(candidate);
        } else {
            self.later.push(candidate as u32);
            if (possible || either) && step.spin.is_some() {
                self.stuck.push(Race { first: candidate as u32, second: number as u32 });
            }
        }
    }

    /// Is this step in the clock that is being found?
    #[inline]
    pub(super) fn is_known(&self, step: usize) -> bool {
        let step = &self.steps[step];
        self.clock[usize::from(step.thread)] >= step.index
    }

    /// The execution ended in the last step, before this pending operation.
    pub(super) fn after_the_end(&mut self, number: usize, step: &Step) {
        let last = self.made - 1;
        let end = self.steps[last];
        if self.mutant == Some(Mutant::EndsCommute) || end.thread == step.thread {
            return;
        }
        if end.alternatives >> step.thread & 1 != 0 {
            self.races.push(Race { first: last as u32, second: number as u32 });
            self.join(last);
        }
    }

    pub(super) fn join(&mut self, step: usize) {
        // A pending operation has no clock, and nothing comes after it.
        let from = step * self.width;
        let Some(other) = self.clocks.get(from..from + self.width) else { return };
        for (mine, other) in self.clock.iter_mut().zip(other) {
            *mine = (*mine).max(*other);
        }
    }
}
