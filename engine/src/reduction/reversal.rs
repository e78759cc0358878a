//! What all reductions that reverse races have in common: one execution is read, laid along its
//! path in the tree of steps, and what a strategy wants explored beside it is inserted there.
//!
//! At each state of the path stands who is *asleep* there (Godefroid 1996): threads whose next
//! step was explored before from this state or an earlier one, and which nothing done since
//! depends on. Whatever begins with such a step is explored elsewhere.

mod cut;
mod leading;
mod races;
mod sleepers;

pub use super::causality::Race;
use super::causality::{Causality, Step};
use super::op_table::{OpId, OpTable};
use super::predicted_effect;
use super::{Astray, Child, Sink};
use crate::fair::hopeless::Hopeless;
use crate::mutants::Mutant;
use crate::points::{alternative, bits};
use crate::prefix::Prefix;
use crate::tree::{Label, NodeId, ROOT, WakeupTree};
pub use races::every_other;
use raddle_schedule::{Choice, Delta, Op, OpKind, Plan, Trace, decision::is_preemption};
pub use sleepers::threads;

/// What a strategy does about one execution.
pub trait Strategy {
    /// Inserts what is to be explored beside this execution: at least what reverses its races.
    fn reverse(&mut self, run: &mut Run, sink: &mut dyn Sink);

    /// Does it insert whole sequences, behind which nobody sleeps (wakeup trees)?
    fn inserts_sequences(&self) -> bool {
        false
    }

    /// Does it explore every thread at every state, whatever races there are?
    fn explores_every_thread(&self) -> bool {
        false
    }

    /// Bytes taken at most.
    fn peak_bytes(&self) -> usize {
        0
    }

    /// The pairs of a step and a later one of another thread that are hopeless to be put in the other order, of those that it
    /// asks about.
    fn hopeless(&self, causality: &Causality, hopeless: &Hopeless) -> Vec<(u32, u32)> {
        let races = causality.races.iter().map(|race| (race.first, race.second));
        races.filter(|(first, second)| hopeless.is(*first as usize, *second as usize)).collect()
    }

    /// May what is explored already be left out of what is inserted (sleep sets)?
    fn sleeps(&self) -> bool {
        true
    }
}

/// The search by reversal of races: the tree of what is explored, and the strategy.
pub struct Reversal {
    tree: WakeupTree,
    op_table: OpTable,
    causality: Causality,
    strategy: Box<dyn Strategy + Send>,
    floor: u32,
    /// Reused memory.
    nodes: Vec<NodeId>,
    sleepers: Vec<Move>,
    asleep: Vec<u32>,
    /// Reversals were left out as unfair.
    left_out: bool,
    mutant: Option<Mutant>,
}

/// A step of a sequence that is to be explored.
pub type Move = Label;

/// One execution, laid along its path.
pub struct Run<'a> {
    /// Its steps, their order and its races.
    pub causality: &'a Causality,
    /// What operations depend on each other.
    pub op_table: &'a mut OpTable,
    /// What is explored.
    pub tree: &'a mut WakeupTree,
    /// Steps before this one are fixed.
    pub floor: usize,
    /// Steps before this one were asked for.
    pub asked: usize,
    /// The prediction of the last of them.
    predicted: OpId,
    /// Steps, and later ones of other threads, that it is hopeless to put before them ([`crate::fair`]).
    hopeless: Vec<(u32, u32)>,
    /// The states of the path, from the floor on, as far as anybody asked for them.
    nodes: &'a mut Vec<NodeId>,
    /// Who is asleep at each state: for the n-th one from the floor on, up to the n-th end.
    sleepers: &'a mut Vec<Move>,
    asleep: &'a mut Vec<u32>,
    pub mutant: Option<Mutant>,
}

impl Reversal {
    /// Nothing explored yet.
    pub fn new(
        strategy: Box<dyn Strategy + Send>,
        below: Option<&Prefix>,
        mutant: Option<Mutant>,
    ) -> Reversal {
        let floor = below.map_or(0, |p| p.floor);
        Reversal {
            tree: WakeupTree::new(
                below.map_or_else(Vec::new, |p| p.deltas.clone()),
                floor,
                strategy.inserts_sequences(),
            ),
            op_table: OpTable::new(mutant),
            // A single step is inserted on the path of the execution that it is read from, where its thread has one number.
            // A sequence is led elsewhere.
            causality: match strategy.inserts_sequences() {
                true => Causality::by_identity(floor, mutant),
                false => Causality::new(mutant),
            },
            strategy,
            floor,
            nodes: Vec::new(),
            sleepers: Vec::new(),
            asleep: Vec::new(),
            left_out: false,
            mutant,
        }
    }

    /// What is explored.
    pub fn tree(&self) -> &WakeupTree {
        &self.tree
    }

    /// The same, to be changed.
    pub fn tree_mut(&mut self) -> &mut WakeupTree {
        &mut self.tree
    }

    /// The node that has to be run before this one, or itself.
    pub fn due(&self, node: NodeId) -> NodeId {
        if self.strategy.sleeps() { self.tree.due(node) } else { node }
    }

    /// Writes the plan of a node that waits.
    pub fn write(&self, node: NodeId, plan: &mut Plan) {
        let unchecked = self.mutant == Some(Mutant::PrefixUnchecked);
        plan.prefix_steps = if unchecked { 0 } else { self.tree.checked(node) };
        // The executor knows of each sleeping thread the first operation of its step alone.
        plan.sleep = if self.op_table.has_parts() { 0 } else { self.tree.sleep(node) };
        self.ask_for(node, &mut plan.deltas, &mut plan.sleep);
    }

    /// The differences of a node's execution from the default behaviour.
    pub fn deltas(&self, node: NodeId, out: &mut Vec<Delta>) {
        self.ask_for(node, out, &mut 0);
    }

    /// The same, and who sleeps, by the numbers that threads have in that execution.
    fn ask_for(&self, node: NodeId, deltas: &mut Vec<Delta>, sleep: &mut u64) {
        self.tree.deltas(node, deltas);
        if self.causality.threads.are_renamed() {
            let steps = self.path(node);
            self.causality.threads.plan(self.births(&steps), deltas, sleep);
        }
    }

    /// The steps that lead to a node, by the numbers that threads have in its execution.
    pub fn steps(&self, node: NodeId) -> Vec<(u8, Op)> {
        let steps = self.path(node);
        let numbers = self.causality.threads.numbers(self.births(&steps));
        numbers.into_iter().zip(steps).map(|(number, (_, op))| (number, op)).collect()
    }

    /// The steps that lead to a node.
    fn path(&self, node: NodeId) -> Vec<(u8, Op)> {
        let mut nodes = Vec::new();
        self.tree.path(node, &mut nodes);
        let labels = nodes.iter().skip(1).map(|node| self.tree.label(*node));
        labels.map(|label| (label.thread, *self.op_table.op(label.op_id))).collect()
    }

    /// Whose each step is, and whether it is a birth.
    fn births(&self, steps: &[(u8, Op)]) -> impl Iterator<Item = (u8, bool)> {
        steps.iter().map(|(thread, op)| (*thread, op.kind == OpKind::Spawn && !op.failed))
    }

    /// Are there more threads than can be told apart?
    pub fn is_outnumbered(&self) -> bool {
        self.causality.threads.is_exhausted()
    }

    /// Reads the execution of a node that was run, and inserts what is to be explored beside it.
    pub fn expand(
        &mut self,
        node: NodeId,
        prefix_hash: u64,
        trace: &Trace,
        sink: &mut dyn Sink,
    ) -> Result<(), Astray> {
        self.tree.path(node, &mut self.nodes);
        let predicted = self.tree.label(node).op_id;
        self.causality.read(trace, &mut self.op_table);
        self.follow(node, prefix_hash, trace)?;
        let asked = self.floor as usize + self.nodes.len() - 1;
        let cut = self.cut(asked, predicted, trace, sink);
        let trace = cut.as_ref().unwrap_or(trace);
        let visits = self.op_table.visits();
        let hopeless = match visits.then(|| Hopeless::of(trace, &self.causality, &self.op_table)).flatten() {
            Some(hopeless) => self.strategy.hopeless(&self.causality, &hopeless),
            None => Vec::new(),
        };
        self.left_out |= !hopeless.is_empty();
        let (mut run, strategy) = self.laid(asked, predicted, hopeless);
        run.outcomes(strategy.sleeps(), sink);
        strategy.reverse(&mut run, sink);
        while self.nodes.len() > asked - self.floor as usize + 1 {
            if let Some(held) = self.nodes.pop() {
                self.tree.release(held);
            }
        }
        Ok(())
    }

    /// The execution that was read, laid along its path, and who says what is to be explored beside it.
    fn laid(
        &mut self,
        asked: usize,
        predicted: OpId,
        hopeless: Vec<(u32, u32)>,
    ) -> (Run<'_>, &mut (dyn Strategy + Send)) {
        let mut run = Run {
            hopeless,
            causality: &self.causality,
            op_table: &mut self.op_table,
            tree: &mut self.tree,
            floor: self.floor as usize,
            asked,
            predicted,
            nodes: &mut self.nodes,
            sleepers: &mut self.sleepers,
            asleep: &mut self.asleep,
            mutant: self.mutant,
        };
        run.find_sleepers(self.strategy.inserts_sequences());
        (run, &mut *self.strategy)
    }

    /// Compares the execution with what was asked for, and notes what was not known of it.
    fn follow(&mut self, node: NodeId, prefix_hash: u64, trace: &Trace) -> Result<(), Astray> {
        let (floor, made) = (self.floor as usize, self.causality.made);
        let checked = self.tree.checked(node);
        let unchecked = self.mutant == Some(Mutant::PrefixUnchecked);
        let hash = self.causality.steps[..made].get(checked as usize).map_or(trace.hash, |s| s.hash);
        if (checked as usize) > made || (checked > 0 && hash != prefix_hash && !unchecked) {
            return Err(Astray(checked));
        }
        for (i, node) in self.nodes.iter().enumerate().skip(1) {
            let number = floor + i - 1;
            let Some(step) = self.causality.steps[..made].get(number) else {
                return Err(Astray(number as u32));
            };
            let asked = self.tree.label(*node);
            let other = asked.choice.is_some_and(|c| step.choice != Some(c));
            if unchecked {
                break;
            }
            if asked.thread != step.thread || other {
                return Err(Astray(number as u32));
            }
            // A step in the middle of what was asked for happens as it did elsewhere.
            let last = i + 1 == self.nodes.len();
            let (was, is) = (self.op_table.op(asked.op_id), self.op_table.op(step.op_id));
            if !last && (was.kind, was.object) != (is.kind, is.object) {
                return Err(Astray(number as u32));
            }
            if !self.tree.was_run(*node) {
                run_node(&mut self.tree, *node, step);
            }
        }
        Ok(())
    }

    /// Where the execution of a node branches off; `None` for the root.
    pub fn branch(&self, node: NodeId) -> Option<Delta> {
        let label = self.tree.label(node);
        let choice = label.choice.unwrap_or(Choice::Thread(label.thread));
        (node != ROOT).then(|| Delta { step: self.tree.checked(node), choice })
    }

    /// Preemptions of the execution that was read last.
    pub fn preemptions(&self) -> u32 {
        self.causality.preemptions
    }

    /// Were reversals left out as unfair?
    pub fn left_out(&self) -> bool {
        self.left_out
    }

    /// Bytes taken beside the tree.
    pub fn bytes(&self) -> usize {
        self.op_table.bytes() + self.causality.bytes() + self.strategy.peak_bytes()
    }
}

/// The label of a step that was made.
fn label(step: &Step) -> Label {
    Label { thread: step.thread, op_id: step.op_id, choice: step.choice }
}

fn run_node(tree: &mut WakeupTree, node: NodeId, step: &Step) {
    tree.run(node, label(step), step.choices, step.is_default, step.is_default_choice);
}

impl Run<'_> {
    /// The state before this step, which is on the path. Whatever is inserted there comes after the
    /// execution's own step.
    pub fn state(&mut self, number: usize) -> NodeId {
        let wanted = (number + 1).min(self.causality.made);
        while self.floor + self.nodes.len() <= wanted {
            let at = self.floor + self.nodes.len() - 1;
            let step = &self.causality.steps[at];
            let node = self.tree.insert(self.nodes[at - self.floor], label(step));
            run_node(self.tree, node, step);
            self.tree.hold(node);
            self.nodes.push(node);
        }
        self.nodes[number - self.floor]
    }

    /// The choice of this thread, by its number in this execution.
    pub fn choice(&self, thread: u8) -> Choice {
        Choice::Thread(self.causality.threads.number(thread))
    }

    /// The last step that was asked for, and its node, if something was left out because of it.
    pub fn leaned_on(&self) -> Option<(usize, NodeId)> {
        let last = self.asked.checked_sub(1).filter(|last| *last >= self.floor)?;
        let node = self.nodes[self.asked - self.floor];
        self.tree.is_relied(node).then_some((last, node))
    }

    /// Did the last step that was asked for end the execution, or does it depend on more than was predicted?
    pub fn is_misjudged(&self, last: usize) -> bool {
        let (was, is) = (self.predicted, self.causality.steps[last].op_id);
        self.is_end(last) || !self.op_table.covers(was, is)
    }

    /// Every outcome of a choice that was made here for the first time is explored (algorithms,
    /// rule 3): of the last step that was asked for, and of those behind it. In the middle of a sequence
    /// one is enough, unless more has been asked for since.
    fn outcomes(&mut self, sleeps: bool, sink: &mut dyn Sink) {
        let first = self.asked.saturating_sub(1).max(self.floor);
        for number in self.floor..self.causality.made {
            let step = self.causality.steps[number];
            let Some(chosen) = step.choice else { continue };
            let is_wanted = || self.tree.is_wanted(self.nodes[number + 1 - self.floor]);
            if number < first && !is_wanted() {
                continue;
            }
            let left_out = match self.mutant {
                Some(Mutant::OneOutcome) => true,
                Some(Mutant::OutcomesKept) => number < self.asked,
                _ => false,
            };
            if left_out {
                continue;
            }
            let state = self.state(number);
            let own = self.nodes[number + 1 - self.floor];
            let asleep = self.sleep_mask(number, state, Some(own)) & !self.ending(state);
            let sleep = if sleeps { asleep & !(1 << step.thread) } else { 0 };
            let child = Child {
                step: number as u32,
                choice: self.causality.threads.choice_here(chosen),
                preemptions: step.preemptions + preempts(&step, step.thread),
                prefix_hash: step.hash,
            };
            self.other_outcomes(own, step.choices, child, sleep, sink);
        }
    }

    /// Explores these outcomes of a choice beside the one of this node, unless they are already.
    pub fn other_outcomes(
        &mut self,
        own: NodeId,
        alternatives: u64,
        child: Child,
        sleep: u64,
        sink: &mut dyn Sink,
    ) {
        let label = self.tree.label(own);
        let Some(chosen) = label.choice else { return };
        let state = self.tree.parent(own);
        for other in bits(alternatives).filter_map(|n| alternative(chosen, n)).filter(|c| *c != chosen) {
            let child = Child { choice: self.causality.threads.choice_here(other), ..child };
            if !self.is_asked(state, label.thread, other) && sink.admits(&child) {
                let node = self.tree.insert_outcome(own, Label { choice: Some(other), ..label });
                self.tree.wait(node, child.step, sleep);
                sink.push(&child, node);
            }
        }
        self.tree.all_outcomes(own);
    }

    /// Is this outcome explored from this state?
    fn is_asked(&self, state: NodeId, thread: u8, outcome: Choice) -> bool {
        let mut labels = self.tree.children(state).map(|id| self.tree.label(id));
        labels.any(|l| l.thread == thread && l.choice == Some(outcome))
    }

    /// Explores one more step at this state. True unless it is out of scope.
    pub fn insert_step(&mut self, number: usize, thread: u8, sleep: bool, sink: &mut dyn Sink) -> bool {
        let state = self.state(number);
        let step = self.causality.steps[number];
        if let Some(next) = self.causality.next(thread, number)
            && self.is_hopeless(number as u32, next as u32)
        {
            return true;
        }
        let child = Child {
            step: number as u32,
            choice: self.choice(thread),
            preemptions: step.preemptions + preempts(&step, thread),
            prefix_hash: step.hash,
        };
        if !sink.admits(&child) {
            return false;
        }
        let next = self.causality.next(thread, number);
        let op_id = next.map(|next| predicted_effect::at(self.causality, self.op_table, number, next));
        let sleepers = || self.sleep_mask(number, state, None) & !self.ending(state) & !(1 << thread);
        let asleep = if sleep { sleepers() } else { 0 };
        let node =
            self.tree.insert(state, Label { thread, op_id: op_id.unwrap_or(step.op_id), choice: None });
        self.tree.wait(node, number as u32, asleep);
        sink.push(&child, node);
        true
    }

    /// Did the execution end in this step? Nothing can come after it.
    pub fn is_end(&self, number: usize) -> bool {
        self.causality.ends && number + 1 == self.causality.made
    }
}

/// 1 if taking this thread there would be a preemption.
pub fn preempts(step: &Step, thread: u8) -> u32 {
    u32::from(is_preemption(step.previous, step.gave_way, step.enabled, thread))
}
