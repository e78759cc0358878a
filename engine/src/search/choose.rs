//! What is executed next.

use super::{Purpose, Search};
use crate::analysis::leaks;
use crate::config::States;
use crate::order::Sample;
use crate::tree::{Bin, NodeId, ROOT, Waiting};
use raddle_schedule::sampler::Method;
use raddle_schedule::{Granularity, hash, plan};

impl Search {
    /// Chooses what is executed next and writes its plan.
    pub(super) fn choose(&mut self) -> Option<Purpose> {
        if let Some(errand) = self.choose_errand() {
            return Some(errand);
        }
        if self.is_quarantines_turn() {
            return self.choose_quarantine();
        }
        if !self.budget.exhausted() {
            if let Some(Sample { seed, method, alone }) = self.order.sample(self.budget.spent) {
                if alone && !self.flying.is_empty() {
                    return None;
                }
                self.budget.spent += 1;
                self.sample(seed, method);
                self.look_for_leaks();
                return Some(Purpose::Sample);
            }
            if let Some(bin) = self.fringe.first_bin() {
                return self.choose_node(bin);
            }
        }
        if self.flying.iter().any(|f| matches!(f.purpose, Purpose::Node(..))) {
            // There may be more of the search. (The audit waits for that itself.)
            return self.choose_audit();
        }
        self.choose_quarantine().or_else(|| self.choose_audit())
    }

    /// The next of those that are made once more.
    fn choose_quarantine(&mut self) -> Option<Purpose> {
        let errand = self.quarantine.pop_front()?;
        errand.write(&mut self.plan);
        Some(Purpose::Errand(errand))
    }

    /// What is to be run beside the search, which no budget limits: it says what was found.
    pub(super) fn choose_errand(&mut self) -> Option<Purpose> {
        self.plan.flags = if self.config.states == States::Counters { plan::flags::VALUES } else { 0 };
        self.plan.max_steps = self.config.max_steps;
        self.plan.sleep = 0;
        self.plan.delayed.clear();
        self.plan.prefix_steps = 0;
        self.plan.prefix_hash = hash::EMPTY;
        // What ended its process is named by this run, however little may still be spent.
        if let Some(purpose) = self.again.pop_front() {
            if let Purpose::Node(waiting, ..) = &purpose {
                self.budget.spent += 1;
                self.ask_for(*waiting, false);
            }
            return Some(purpose);
        }
        self.errands.next(&mut self.plan).map(Purpose::Errand)
    }

    /// Takes the best of the fringe, unless one of an earlier round is still in flight.
    fn choose_node(&mut self, bin: Bin) -> Option<Purpose> {
        // Rounds never become lower from plan to plan, so the oldest decides.
        let oldest = self.flying.iter().find_map(|f| match f.purpose {
            Purpose::Node(_, round, _) => Some(round),
            _ => None,
        });
        let round = bin.round();
        if oldest.is_some_and(|oldest| oldest < round) {
            return None;
        }
        self.fetch()?;
        let opens = self.reversal.is_some() && self.budget.spent < self.config.opening;
        // Of reversals the earliest one stands in the last bin.
        let first = if opens { self.opening() } else { None };
        let mut bin = bin;
        let mut waiting = match first {
            Some((last, waiting)) => {
                bin = last;
                waiting
            }
            None => self.fringe.pop_from(bin)?,
        };
        if let Some(reversal) = &self.reversal {
            let due = reversal.due(waiting.node);
            if due != waiting.node
                && let Some(first) = self.fringe.take(due)
            {
                self.fringe.push(bin, waiting);
                waiting = first;
            }
        }
        self.budget.spent += 1;
        match &mut self.reversal {
            Some(reversal) => reversal.begin(waiting.node),
            None => self.tree.begin(waiting.node),
        }
        self.ask_for(waiting, opens && !self.was_lost);
        self.look_for_leaks();
        Some(Purpose::Node(waiting, round, Some(self.contexts.cost(waiting.context).level)))
    }

    /// Takes what is run next in the opening: what reverses the earliest race.
    fn opening(&mut self) -> Option<(Bin, Waiting)> {
        if let Some((bin, node)) = self.most_different() {
            return Some((bin, self.fringe.take(node)?));
        }
        let bin = self.fringe.last_bin()?;
        Some((bin, self.fringe.pop_from(bin)?))
    }

    /// The same where several threads are symmetric: of what does not only exchange these, the first.
    fn most_different(&mut self) -> Option<(Bin, NodeId)> {
        let reversal = self.reversal.as_ref().filter(|_| self.symmetry.is_any())?;
        let mut steps = Vec::new();
        let mut is_later = |waiting: &Waiting| {
            reversal.steps(waiting.node, &mut steps);
            self.symmetry.is_later(steps.iter().copied())
        };
        let found = self.fringe.latest().find(|(_, waiting)| !is_later(waiting))?;
        Some((found.0, found.1.node))
    }

    /// Whether the execution that is chosen now is one of those in which leaks are looked for.
    fn look_for_leaks(&mut self) {
        if self.config.leaks && leaks::is_looked_at(self.budget.spent) {
            self.plan.flags |= plan::flags::LEAKS;
        }
    }

    /// Writes the plan of one of the tree. `in_turn`: threads take turns behind what is asked for.
    fn ask_for(&mut self, waiting: Waiting, in_turn: bool) {
        if self.config.granularity == Granularity::LockExit {
            self.plan.flags |= plan::flags::WHOLE_BLOCKS;
        }
        if let Some(reversal) = &self.reversal {
            self.plan.flags |= if in_turn { plan::flags::IN_TURN } else { 0 };
            self.plan.flags |= self.round_flags();
            reversal.write(waiting.node, &mut self.plan);
        } else {
            self.tree.deltas(waiting.node, &mut self.plan.deltas);
            self.plan.prefix_steps = match waiting.node {
                ROOT => self.floor(),
                _ => self.plan.deltas.last().map_or(0, |d| d.step),
            };
        }
        self.plan.prefix_hash = waiting.prefix_hash;
    }

    /// Steps below this one are fixed.
    pub(super) fn floor(&self) -> u32 {
        self.config.below.as_ref().map_or(0, |p| p.floor)
    }

    pub(super) fn sample(&mut self, seed: u64, method: Method) {
        self.plan.deltas.clear();
        self.plan.flags = plan::flags::SAMPLE;
        self.plan.seed = seed;
        self.plan.sampling = method;
    }
}
