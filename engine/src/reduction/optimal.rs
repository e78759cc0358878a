//! Optimal: one execution for each class of equivalent ones, and none that is cut off asleep
//! (Abdulla, Aronis, Jonsson, Sagonas 2014, section 5). What reverses a race is inserted as a
//! whole sequence into the *wakeup tree* of the state before the race, unless it begins with a
//! step that is asleep there, or is explored by a sequence that was inserted before.
//!
//! The paper explores depth-first; here executions are in flight together. Three things stand in
//! for its order:
//!
//! * Siblings are ordered by their insertion, and what was inserted earlier beside a step is run
//!   before anything below that step ([`crate::tree::WakeupTree::due`]), so that it is known what those
//!   who sleep do.
//! * A reversal that begins with a sibling leads down through it, whether or not it has run, until
//!   the end of a sequence, where nobody sleeps, or until nothing is left of that sibling from where
//!   more could come (it is closed). In the paper it is closed when the search gets there.
//! * What the last step of a sequence will do is predicted ([`super::predicted_effect`]). What is left out
//!   since it commutes with such a step is remembered, and inserted after all if that step then ends
//!   the execution, or depends on more than was told.
//!
//! Nobody sleeps at the end of a sequence v: no earlier sibling, and nobody asleep, is a weak initial
//! of v, so something in v depends on each, which wakes it. (What is inserted beside a step that ended
//! the execution is an exception: what it leads to is not known, and some sleep on.) And no two
//! executions are equivalent: where their paths part, the later one has a step that depends on the
//! earlier one's, before that. Two kinds of step can make them so, since they are predicted wrongly: one
//! that ends the execution, and a compare-exchange on what was written in another size or by an operation
//! that tells no value.

use super::Child;
use super::Sink;
use super::reversal::{Move, Race, Run, Strategy, preempts, threads};
use crate::tree::NodeId;
use std::collections::HashMap;

/// See the module's text.
#[derive(Default)]
pub struct Optimal {
    moves: Vec<Move>,
    /// Who sleeps on so far along the sequence that is inserted.
    sleepers: Vec<Move>,
    /// What was left out by the last step of a sequence that seems to lead there, until it is run.
    left_out: HashMap<NodeId, Vec<Box<[Move]>>>,
    /// Bytes that this takes, now and at most.
    bytes: usize,
    peak: usize,
}

/// Where a sequence comes from that is to be inserted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// The reversal of a race.
    Elsewhere,
    /// The reversal of a step that ended the execution.
    AnEnd,
    /// It has waited until a step was run.
    Waited,
}

impl Strategy for Optimal {
    fn inserts_sequences(&self) -> bool {
        true
    }

    fn reverse(&mut self, run: &mut Run, sink: &mut dyn Sink) {
        self.mend(run, sink);
        for i in 0..run.causality.races.len() {
            let Some(race) = run.race(i) else { continue };
            self.reverse_race(race, run, sink);
        }
    }

    fn peak_bytes(&self) -> usize {
        self.peak
    }
}

impl Optimal {
    /// What was left out since the last step that was asked for seemed to lead there is explored if it
    /// does not (it ended the execution, or depends on more than it was thought to), or does not by
    /// itself, since somebody sleeps behind it.
    fn mend(&mut self, run: &mut Run, sink: &mut dyn Sink) {
        let Some((number, node)) = run.leaned_on() else { return };
        let left_out = self.left_out.remove(&node).unwrap_or_default();
        self.bytes -= left_out.iter().map(|moves| bytes_of(moves)).sum::<usize>();
        if run.is_misjudged(number) || !run.tree.is_awake(node) {
            let state = run.state(number);
            for moves in left_out {
                self.moves.clear();
                self.moves.extend_from_slice(&moves);
                self.insert(number, state, From::Waited, run, sink);
            }
        }
    }

    fn reverse_race(&mut self, race: Race, run: &mut Run, sink: &mut dyn Sink) {
        let number = race.first as usize;
        run.reversed(race, false, &mut self.moves);
        // Before a step that ended the execution everything else that could be done is explored, if
        // nobody else explores that step already. What merely commutes with it does not count: that
        // may lean on what would have come after this step, when nobody knew that nothing would.
        let after_end = run.is_end(number);
        for step in run.asleep(number) {
            let Some(place) = run.take_initial(&self.moves, *step) else { continue };
            // One outcome is not all.
            let is_one = step.choice.is_some() && place.is_some_and(|i| self.moves[i].choice.is_none());
            if !is_one && (place.is_some() || !after_end) {
                return;
            }
        }
        let state = run.state(number);
        let from = if after_end { From::AnEnd } else { From::Elsewhere };
        self.insert(number, state, from, run, sink);
    }

    /// Explores a sequence from the state before this step, unless what is explored there leads to it.
    fn insert(&mut self, number: usize, state: NodeId, from: From, run: &mut Run, sink: &mut dyn Sink) {
        let made = &run.causality.steps[number];
        let mut child = Child {
            step: number as u32,
            choice: run.choice(self.moves[0].thread),
            preemptions: made.preemptions + preempts(made, self.moves[0].thread),
            prefix_hash: made.hash,
        };
        let mut at = state;
        self.sleepers.clear();
        self.sleepers.extend_from_slice(run.asleep(number));
        while let Some((node, place)) = self.leading(run, at, from == From::AnEnd) {
            // What has waited came before this node was closed.
            let waited = from == From::Waited;
            let is_closed = if waited { run.tree.is_awake(node) } else { run.tree.is_closed(node) };
            // Of the last step of a sequence it is not known for certain what it does: one of several operations may turn out to
            // depend on what comes before it in this sequence.
            let is_behind = place.is_some_and(|place| place > 0) && run.op_table.has_parts();
            if run.tree.is_open_end(node) && (place.is_none() || is_behind || !is_closed) {
                return self.leave_out(node, run);
            }
            let step = run.tree.label(node);
            if at == state {
                child.choice = run.choice(step.thread);
                child.preemptions = made.preemptions + preempts(made, step.thread);
            }
            if let Some(place) = place
                && self.moves.remove(place).choice.is_none()
                && run.tree.is_one_outcome(node)
            {
                self.widen(node, &child, run, sink);
            }
            if self.moves.is_empty() || is_closed {
                return;
            }
            self.pass(step, run);
            at = node;
        }
        let moves = std::mem::take(&mut self.moves);
        moves.iter().for_each(|step| self.pass(*step, run));
        // Somewhere in the sequence everybody who slept was woken, unless it is one that was inserted for
        // what may follow it.
        let asleep = threads(&self.sleepers);
        let symmetry = sink.symmetry().filter(|_| asleep == 0 && from == From::Elsewhere);
        let behind = symmetry.and_then(|symmetry| run.ahead_of(at, &moves, symmetry));
        for (i, step) in moves.iter().enumerate() {
            at = match behind.filter(|_| i == 0) {
                Some(sibling) => run.tree.insert_ahead(sibling, *step),
                None => run.tree.insert(at, *step),
            };
            if i + 1 < moves.len() {
                run.tree.pass(at);
            }
        }
        self.moves = moves;
        run.tree.wait(at, number as u32, asleep);
        sink.push(&child, at);
    }

    /// The first step that is explored from this state and that the sequence can begin with, and
    /// where it stands in the sequence. Those before it sleep.
    fn leading(&mut self, run: &Run, at: NodeId, after_end: bool) -> Option<(NodeId, Option<usize>)> {
        for node in run.tree.children(at).filter(|node| run.counts(*node)) {
            let step = run.tree.label(node);
            match run.take_initial(&self.moves, step) {
                None => {}
                Some(None) if after_end => {}
                Some(place) => return Some((node, place)),
            }
            self.sleepers.push(run.tree.explored(node));
        }
        None
    }

    /// The sequence leads through a node in the middle of another one, where one outcome of a choice is
    /// asked for; now all are.
    fn widen(&mut self, node: NodeId, child: &Child, run: &mut Run, sink: &mut dyn Sink) {
        if let Some(others) = run.tree.others(node) {
            let asleep = threads(&self.sleepers) & !(1 << run.tree.label(node).thread);
            run.other_outcomes(node, others, *child, asleep, sink);
        }
    }

    /// Wakes whom a step of the sequence wakes.
    fn pass(&mut self, step: Move, run: &Run) {
        self.sleepers.retain(|s| s.thread != step.thread && !run.op_table.dependent(s.op_id, step.op_id));
    }

    /// The sequence waits until this step has been run.
    fn leave_out(&mut self, node: NodeId, run: &mut Run) {
        let left_out = self.left_out.entry(node).or_default();
        if !run.tree.is_relied(node) {
            // Another node had the number before.
            self.bytes -= left_out.drain(..).map(|moves| bytes_of(&moves)).sum::<usize>();
            run.tree.rely(node);
        }
        if !left_out.iter().any(|moves| **moves == self.moves[..]) {
            left_out.push(self.moves.clone().into_boxed_slice());
            self.bytes += bytes_of(&self.moves);
            self.peak = self.peak.max(self.bytes);
        }
    }
}

fn bytes_of(moves: &[Move]) -> usize {
    size_of::<Box<[Move]>>() + size_of_val(moves)
}
