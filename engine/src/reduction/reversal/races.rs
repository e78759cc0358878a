//! The races of an execution, and the sequence of steps that reverses one (Abdulla et al. 2014, sections 3 and 4).

use super::{Move, Run, label};
use crate::fair::hopeless::Hopeless;
use crate::mutants::Mutant;
use crate::points::bits;
use crate::reduction::causality::{Causality, Race};
use crate::reduction::predicted_effect;
use crate::tree::Label;
use raddle_schedule::OpKind;

impl Run<'_> {
    /// The race with this number, unless it lies in what is fixed.
    pub fn race(&self, number: usize) -> Option<Race> {
        let race = self.causality.races[number];
        let first = race.first as usize;
        let left_out = match self.mutant {
            Some(Mutant::OnlyBelowOwnDelta) => first < self.asked,
            Some(Mutant::ClosedEarly) if (self.floor..self.asked).contains(&first) => {
                self.tree.children(self.nodes[first - self.floor]).nth(1).is_none()
            }
            _ => false,
        };
        if first < self.floor || left_out {
            return None;
        }
        (!self.is_hopeless(race.first, race.second)).then_some(race)
    }

    /// Is everything unfair behind the second of these, put before the first?
    pub(super) fn is_hopeless(&self, first: u32, second: u32) -> bool {
        self.hopeless.contains(&(first, second))
    }

    /// The steps of a race's reversal: everything after its first step that does not
    /// happen after it, then its second (`notdep(e, E).e'`; Abdulla et al. 2014, section 4). `until`
    /// leaves out what was done after the second.
    pub fn reversed(&mut self, race: Race, until: bool, moves: &mut Vec<Move>) {
        moves.clear();
        let (first, second) = (race.first as usize, race.second as usize);
        let end = if until { self.until(second) } else { self.causality.made };
        let aside = self.aside(race);
        for number in first + 1..end {
            if number != second && self.stays(first, &aside, number) && !self.is_end(number) {
                moves.push(label(&self.causality.steps[number]));
            }
        }
        let last = &self.causality.steps[second];
        let choice = if self.mutant == Some(Mutant::OutcomesKept) { last.choice } else { None };
        let op_id = predicted_effect::before(self.causality, self.op_table, first, second);
        moves.push(Label { thread: last.thread, op_id, choice });
    }

    /// Can this sequence begin with that step, or be preceded by it without being another one
    /// (a weak initial, Abdulla et al. 2014, section 3)? The step is taken out of it then.
    pub fn take_initial(&self, moves: &[Move], step: Label) -> Option<Option<usize>> {
        for (i, other) in moves.iter().enumerate() {
            if other.thread == step.thread {
                let fits = self.mutant == Some(Mutant::OutcomesSleepTogether)
                    || other.choice.is_none()
                    || step.choice.is_none()
                    || other.choice == step.choice;
                return fits.then_some(Some(i));
            }
            if self.op_table.dependent(other.op_id, step.op_id) {
                return None;
            }
        }
        Some(None)
    }

    /// The threads that the reversal of a race can begin with (its initials; Abdulla et al. 2014,
    /// section 3): those of the steps between the two, and of the second, before which it has
    /// nothing that happens before them.
    pub fn initials(&self, race: Race) -> u64 {
        let causality = self.causality;
        let (first, second) = (race.first as usize, race.second as usize);
        let (mut initials, mut seen) = (0, 0);
        let aside = self.aside(race);
        let between = (first + 1..self.until(second))
            .filter(|n| *n != second && self.stays(first, &aside, *n) && !self.is_end(*n));
        let moved: Vec<usize> = between.chain([second]).collect();
        for (i, number) in moved.iter().enumerate() {
            let bit = 1u64 << causality.steps[*number].thread;
            if seen & bit == 0 && !moved[..i].iter().any(|n| self.comes_before(*n, *number)) {
                initials |= bit;
            }
            seen |= bit;
        }
        initials & causality.steps[first].alternatives
    }

    /// Steps that have no place before the second one of a race when that is put before the first, though they do not come after
    /// that: other readers of the lock that it takes for writing.
    fn aside(&self, race: Race) -> Vec<usize> {
        let (first, second) = (race.first as usize, race.second as usize);
        let op = self.op_table.op(self.causality.steps[second].op_id);
        match op.kind {
            OpKind::WriteLock => self.causality.readers_aside(first, second, op.object, self.op_table),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// Is this step done in the reversal of a race with that first step, and with those left aside?
    fn stays(&self, first: usize, aside: &[usize], number: usize) -> bool {
        let comes_after = |k: usize| k == number || self.causality.before(k, number);
        !self.causality.before(first, number) && !aside.iter().any(|k| comes_after(*k))
    }

    /// Where to look for what belongs into a reversal: before its second step, but what lets a
    /// spinning thread go on may have come later.
    fn until(&self, second: usize) -> usize {
        let spins = self.causality.steps[second].spin.is_some();
        if spins { self.causality.made } else { second.min(self.causality.made) }
    }

    /// Does a step happen before another one, which may be a pending one?
    fn comes_before(&self, first: usize, second: usize) -> bool {
        let causality = self.causality;
        if causality.steps[second].woken == Some(first as u32) {
            return true;
        }
        if second < causality.made {
            return causality.before(first, second);
        }
        let (a, b) = (causality.steps[first].op_id, causality.steps[second].op_id);
        self.op_table.dependent(a, b) || causality.leads_to(first, second)
    }
}

/// Of every step the next ones of the other threads that could have been chosen, where those are hopeless.
pub fn every_other(causality: &Causality, hopeless: &Hopeless) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for (first, step) in causality.steps[..causality.made].iter().enumerate() {
        for thread in bits(step.alternatives & !(1 << step.thread)) {
            let next = causality.next(thread, first).filter(|second| hopeless.is(first, *second));
            found.extend(next.map(|second| (first as u32, second as u32)));
        }
    }
    found
}
