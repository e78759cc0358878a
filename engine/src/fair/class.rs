//! Is the happens-before class of an execution fair: is one of its interleavings?
//!
//! The question is decided by a search over the cuts of the execution (`enabled`). A path from
//! the beginning to the whole is an interleaving of the class, and each is one. A node is a cut with what
//! decides about what follows: the state of fairness ([`Fairness::state`]), who ran last and whether that
//! gave way. Steps that would be unfair there are not taken. So the class is fair if the whole is
//! reached, and unfair if nothing is left. Nodes with the fewest preemptions come first, and of these
//! the deepest, so that what is found has the fewest preemptions of the fair interleavings.
//!
//! The search is small where it matters: a thread that goes round a loop of tries soon has to wait for
//! the few steps that others have left. Where it is not, it gives up, and the class counts as fair.

use super::enabled::{Cut, Enabled};
use super::{Fairness, Taken};
use crate::points::{alternative, bits};
use crate::reduction::{Causality, OpTable};
use raddle_schedule::decision::{gives_way, is_preemption};
use raddle_schedule::{Choice, Delta, MAX_THREADS, OpKind, Trace, default_thread, hash};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Nodes that are looked at in either order.
const MOST: usize = 30_000;

/// What is known of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// This schedule is a fair interleaving of it.
    Fair(Vec<Delta>),
    /// Every interleaving is unfair, or has too many preemptions.
    Unfair,
    /// There are too many to tell.
    Unknown,
}

/// A cut that was reached.
struct Node {
    /// From this node, by this step.
    from: usize,
    step: usize,
    cut: Box<Cut>,
    fairness: Fairness,
    /// Thread of the step made last, and whether that gave way.
    current: u8,
    gave_way: bool,
    preemptions: u32,
    /// Steps made.
    made: usize,
    /// Threads that can go on, and those that can only time out.
    masks: (u64, u64),
}

impl Node {
    fn alternatives(&self) -> u64 {
        self.masks.0 | self.masks.1
    }
}

/// The class of this execution, whose first `floor` steps are fixed, with at most so many preemptions.
pub fn of(trace: &Trace, floor: usize, most: Option<u32>) -> Class {
    let mut op_table = OpTable::new(None);
    let mut causality = Causality::new(None);
    causality.read(trace, &mut op_table);
    let enabled = Enabled::new(&causality, &op_table);
    let (nodes, taken) = (Vec::new(), super::taken(trace));
    let mut search = Search { causality: &causality, enabled: &enabled, taken, floor, most, nodes };
    match search.run(false) {
        Class::Unknown => search.run(true),
        known => known,
    }
}

struct Search<'a> {
    causality: &'a Causality,
    enabled: &'a Enabled<'a>,
    taken: Vec<Taken>,
    floor: usize,
    most: Option<u32>,
    nodes: Vec<Node>,
}

impl Search<'_> {
    /// `deep`: the deepest first, whatever its preemptions.
    fn run(&mut self, deep: bool) -> Class {
        self.nodes.clear();
        let cut: Box<Cut> = vec![0; self.enabled.own.len()].into();
        let masks = self.enabled.masks(&cut);
        let fairness = Fairness::new();
        let (from, step, current, preemptions, made) = (0, 0, 0, 0, 0);
        self.nodes.push(Node {
            from,
            step,
            cut,
            fairness,
            current,
            gave_way: false,
            preemptions,
            made,
            masks,
        });
        let rank = |node: &Node| (Reverse(if deep { 0 } else { node.preemptions }), node.made);
        let mut waiting = BinaryHeap::from([(rank(&self.nodes[0]), Reverse(0))]);
        let mut known = HashSet::new();
        while let Some((_, Reverse(number))) = waiting.pop() {
            if self.nodes[number].made == self.causality.made {
                return Class::Fair(self.schedule(number));
            }
            if !known.insert(self.key(number, deep)) {
                continue;
            }
            if known.len() > MOST {
                return Class::Unknown;
            }
            for step in self.next(number) {
                if let Some(node) = self.after(number, step) {
                    waiting.push((rank(&node), Reverse(self.nodes.len())));
                    self.nodes.push(node);
                }
            }
        }
        Class::Unfair
    }

    fn key(&self, number: usize, deep: bool) -> u64 {
        let node = &self.nodes[number];
        let mut key =
            hash::mix(node.fairness.state(), u64::from(node.current) << 1 | u64::from(node.gave_way));
        if deep && self.most.is_some() {
            key = hash::mix(key, u64::from(node.preemptions));
        }
        node.cut.iter().fold(key, |key, made| hash::mix(key, u64::from(*made)))
    }

    /// The steps that can come next and are fair.
    fn next(&self, number: usize) -> Vec<usize> {
        let node = &self.nodes[number];
        let alternatives = node.alternatives();
        let fair = alternatives & !node.fairness.behind(alternatives);
        let ends = |step: usize| self.causality.ends && step + 1 == self.causality.made;
        let fits = |step: &usize| (node.made >= self.floor && !ends(*step)) || *step == node.made;
        let threads = (0..node.cut.len()).filter(|t| fair >> t & 1 != 0);
        threads.filter_map(|t| self.enabled.next(t, &node.cut)).filter(fits).collect()
    }

    /// The node behind this step, unless it has too many preemptions.
    fn after(&self, number: usize, step: usize) -> Option<Node> {
        let node = &self.nodes[number];
        let thread = self.causality.steps[step].thread;
        let preempts = is_preemption(node.current, node.gave_way, node.masks.0, thread);
        let preemptions = node.preemptions + u32::from(preempts);
        if self.most.is_some_and(|most| preemptions > most) {
            return None;
        }
        let mut cut = node.cut.clone();
        cut[usize::from(thread)] += 1;
        let masks = self.enabled.masks(&cut);
        let alone = node.current == thread && node.alternatives() == 1 << thread;
        let (mut fairness, taken) = (node.fairness.clone(), self.taken[step]);
        fairness.step(&taken, node.alternatives(), masks.0 | masks.1);
        Some(Node {
            from: number,
            step,
            cut,
            fairness,
            current: thread,
            gave_way: gives_way(self.enabled.op(step).kind, node.gave_way, alone),
            preemptions,
            made: node.made + 1,
            masks,
        })
    }

    /// The differences from the default behaviour of the interleaving that leads to this node. Threads are numbered there in
    /// the order of their births.
    fn schedule(&self, number: usize) -> Vec<Delta> {
        let mut path = Vec::new();
        let mut at = number;
        while at != 0 {
            path.push(at);
            at = self.nodes[at].from;
        }
        let mut deltas = Vec::new();
        let (mut numbers, mut born) = ([0; MAX_THREADS], 1);
        for at in path.into_iter().rev() {
            let node = &self.nodes[at];
            let before = &self.nodes[node.from];
            let made = &self.causality.steps[node.step];
            let mask = |threads: u64| bits(threads).fold(0, |mask, t| mask | 1u64 << numbers[usize::from(t)]);
            let (enabled, timeouts) = (mask(before.masks.0), mask(before.masks.1));
            let thread = numbers[usize::from(made.thread)];
            let current = numbers[usize::from(before.current)];
            let step = before.made as u32;
            if default_thread(current, before.gave_way, enabled, timeouts) != Some(thread) {
                deltas.push(Delta { step, choice: Choice::Thread(thread) });
            }
            let (choice, choices) = match made.choice {
                Some(Choice::Waiter(w)) => {
                    (Some(Choice::Waiter(numbers[usize::from(w)])), mask(made.choices))
                }
                other => (other, made.choices),
            };
            let lowest = |choice| alternative(choice, choices.trailing_zeros() as u8);
            deltas.extend(choice.filter(|c| lowest(*c) != Some(*c)).map(|choice| Delta { step, choice }));
            if self.enabled.op(node.step).kind == OpKind::Spawn
                && let Some(child) = numbers.get_mut(made.value as usize).filter(|_| made.value != 0)
            {
                *child = born;
                born += 1;
            }
        }
        deltas
    }
}
