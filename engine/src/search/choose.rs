//! What is executed next.

use super::{Purpose, Search};
use crate::analysis::leaks;
use crate::config::States;
use crate::order::{Sample, symmetry};
use crate::tree::{Bin, NodeId, ROOT, Waiting};
use raddle_schedule::sampler::Method;
use raddle_schedule::{Granularity, hash, plan};

impl Search {
    /// Chooses what is executed next and writes its plan.
    pub(super) fn choose(&mut self) -> Option<Purpose> {
        if let Some(auxiliary_run) = self.choose_auxiliary_run() {
            return Some(auxiliary_run);
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
        let auxiliary_run = self.quarantine.pop_front()?;
        auxiliary_run.write(&mut self.plan);
        Some(Purpose::AuxiliaryRun(auxiliary_run))
    }

    /// What is to be run beside the search, which no budget limits: it says what was found.
    pub(super) fn choose_auxiliary_run(&mut self) -> Option<Purpose> {
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
        self.auxiliary_runs.next(&mut self.plan).map(Purpose::AuxiliaryRun)
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
        let first = if self.reversal.is_some() { self.opening() } else { None };
        let opens = first.is_some();
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
            Some(reversal) => {
                self.places.choose(reversal.age(waiting.node));
                reversal.begin(waiting.node);
            }
            None => self.tree.begin(waiting.node),
        }
        self.ask_for(waiting, opens && !self.was_lost);
        self.look_for_leaks();
        Some(Purpose::Node(waiting, round, Some(self.contexts.cost(waiting.context).level)))
    }

    /// Takes what is run next in the opening: what reverses the earliest race, which stands in the last bin. Behind it, where
    /// threads are symmetric, what differs most; `None` where nothing does, and when it is not the turn of that.
    fn opening(&mut self) -> Option<(Bin, Waiting)> {
        let (number, opening) = (self.budget.spent, self.config.opening);
        let opens = number < opening;
        if (opens || opening > 0 && symmetry::turn(number, opening))
            && let Some((bin, node)) = self.most_different()
        {
            return Some((bin, self.fringe.take(node)?));
        }
        let bin = self.fringe.last_bin().filter(|_| opens)?;
        Some((bin, self.fringe.pop_from(bin)?))
    }

    /// The same where several threads are symmetric ([`crate::order::Places`]).
    fn most_different(&mut self) -> Option<(Bin, NodeId)> {
        let reversal = self.reversal.as_ref().filter(|_| self.symmetry.is_any())?;
        let waiting =
            self.fringe.latest().map(|(bin, waiting)| ((bin, waiting.node), reversal.age(waiting.node)));
        self.places.most_different(&self.symmetry, waiting, |(_, node)| reversal.steps(*node))
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
