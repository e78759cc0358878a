//! Which threads are asleep at each state of an execution's path, and which steps are explored from there already (sleep
//! sets; Godefroid 1996).

use super::{Move, Run};
use crate::mutants::Mutant;
use crate::reduction::causality::Step;
use crate::tree::NodeId;

impl Run<'_> {
    /// The threads that are asleep in the state before this step.
    pub fn asleep(&self, number: usize) -> &[Move] {
        let i = number - self.floor;
        let from = if i == 0 { 0 } else { self.asleep[i - 1] as usize };
        &self.sleepers[from..self.asleep[i] as usize]
    }

    /// `awake`: behind a sequence that was inserted nobody sleeps, whatever it is that its last step did.
    pub(super) fn find_sleepers(&mut self, awake: bool) {
        self.sleepers.clear();
        self.asleep.clear();
        self.asleep.push(0);
        for number in self.floor..self.causality.made {
            let i = number - self.floor;
            let step = self.causality.steps[number];
            let from = if i == 0 { 0 } else { self.asleep[i - 1] as usize };
            let to = self.asleep[i] as usize;
            for s in from..to {
                let sleeper = self.sleepers[s];
                if self.sleeps_on(sleeper, &step) {
                    self.sleepers.push(sleeper);
                }
            }
            let own = self.nodes.get(i + 1).copied();
            if awake && own.is_some_and(|own| self.tree.is_awake(own)) {
                self.sleepers.truncate(to);
            } else if let Some(own) = own {
                let mut at = self.tree.first(self.nodes[i]);
                let all = self.mutant == Some(Mutant::LaterSiblingsCount);
                while let Some(sibling) = at.filter(|s| all || *s != own) {
                    let sleeper = self.tree.explored(sibling);
                    let is_known = |known: &Move| {
                        known.thread == sleeper.thread
                            && (known.choice.is_none() || known.choice == sleeper.choice)
                    };
                    if sibling != own
                        && self.counts(sibling)
                        && self.sleeps_on(sleeper, &step)
                        && !self.sleepers[to..].iter().any(is_known)
                    {
                        self.sleepers.push(sleeper);
                    }
                    at = self.tree.next(sibling);
                }
            }
            self.asleep.push(self.sleepers.len() as u32);
        }
    }

    /// Does a step that is explored from a state count for what is inserted after it?
    pub fn counts(&self, sibling: NodeId) -> bool {
        self.mutant != Some(Mutant::SiblingsCountWhenRun) || self.tree.was_run(sibling)
    }

    /// Does this thread sleep on through this step?
    pub fn sleeps_on(&self, sleeper: Move, step: &Step) -> bool {
        let wakes =
            self.op_table.dependent(sleeper.op_id, step.op_id) && self.mutant != Some(Mutant::NobodyWakes);
        sleeper.thread != step.thread && !wakes
    }

    /// The threads that sleep in this state, whatever the outcome of their next step, in what is inserted before `end`, or last.
    pub(super) fn sleep_mask(&self, number: usize, state: NodeId, end: Option<NodeId>) -> u64 {
        let inherited = threads(self.asleep(number));
        inherited | self.siblings(state, end)
    }

    /// The threads that are explored from this state already, or need not be.
    pub fn explored(&mut self, number: usize) -> u64 {
        let state = self.state(number);
        self.sleep_mask(number, state, None)
    }

    /// The threads that are explored from this state already.
    pub fn begun(&mut self, number: usize) -> u64 {
        let state = self.state(number);
        self.siblings(state, None)
    }

    fn siblings(&self, state: NodeId, end: Option<NodeId>) -> u64 {
        let siblings = self.tree.children(state).take_while(|id| Some(*id) != end);
        let siblings = siblings.filter(|id| self.counts(*id)).map(|id| self.tree.explored(id));
        siblings.fold(0, |mask, step| mask | bit(&step))
    }

    /// Threads whose step from here is known to end the execution. It depends on everything, so the
    /// next step wakes them; the executor, which does not know of the end, need not be told.
    pub(super) fn ending(&self, state: NodeId) -> u64 {
        let labels = self.tree.children(state).map(|id| self.tree.label(id));
        labels.filter(|l| self.op_table.ends(l.op_id)).fold(0, |mask, l| mask | 1 << l.thread)
    }
}

/// The threads that are asleep whatever the outcome of their next step would be.
pub fn threads(asleep: &[Move]) -> u64 {
    asleep.iter().fold(0, |mask, step| mask | bit(step))
}

pub(super) fn bit(step: &Move) -> u64 {
    if step.choice.is_none() { 1 << step.thread } else { 0 }
}
