//! Optimal: one execution for each class of equivalent ones, and none that is cut off asleep
//! (Abdulla, Aronis, Jonsson, Sagonas 2014, section 5). What reverses a race is inserted as a
//! whole sequence into the *wakeup tree* of the state before the race, unless it begins with a
//! step that is asleep there, or is explored by a sequence that was inserted before.
//!
//! The paper explores depth-first; here executions are in flight together, and their races are
//! reversed in the order in which they come back. The argument for both claims does not need
//! more than that siblings are ordered by insertion. A sequence v is inserted where no earlier
//! sibling s, and nobody asleep, is a weak initial of it: so somewhere in v something depends on s,
//! which wakes s, and at the end of v nobody sleeps: what follows is never cut off. And no two
//! executions are equivalent: where their paths part, the later one has a step that depends on the
//! earlier one's, before that. Everything is explored since every race of every execution was
//! either reversed, or its reversal begins with a step whose subtree explores it; the subtrees
//! that this leans on are earlier in the order of the tree, or promised later in it.

use super::Child;
use super::Sink;
use super::reversal::{Move, Race, Run, Strategy, preempts};
use crate::broken::Broken;
use raddle_schedule::Choice;

/// See the module's text.
#[derive(Default)]
pub struct Optimal {
    moves: Vec<Move>,
    sleepers: Vec<(u8, u32)>,
}

impl Strategy for Optimal {
    fn reverse(&mut self, run: &mut Run, sink: &mut dyn Sink) {
        for i in 0..run.causality.races.len() {
            let Some(race) = run.race(i) else { continue };
            self.insert(race, run, sink);
        }
    }
}

impl Optimal {
    fn insert(&mut self, race: Race, run: &mut Run, sink: &mut dyn Sink) {
        let number = race.first as usize;
        run.reversed(race, false, &mut self.moves);
        // Before a step that ended the execution everything else that could be done is explored, if
        // nobody else explores that step already. What merely commutes with it does not count: that
        // may lean on what would have come after this step, when nobody knew that nothing would.
        let after_end = run.is_end(number);
        let counts = |place: Option<usize>| !after_end || place.is_some();
        for (thread, doing) in run.asleep(number) {
            let step = Move { thread: *thread, doing: *doing, choice: None };
            if run.take_initial(&self.moves, step).is_some_and(counts) {
                return;
            }
        }
        let first = self.moves[0];
        let mut at = run.state(number);
        // Who sleeps along the sequence, for the executor: what was foretold of its last step may
        // turn out otherwise.
        self.sleepers.clear();
        self.sleepers.extend_from_slice(run.asleep(number));
        'down: loop {
            let mut child = run.tree.first(at);
            while let Some(node) = child {
                let step = run.tree.label(node);
                let sleeper = run.sleeper(node);
                child = run.tree.next(node);
                if sleeper.is_none() {
                    continue;
                }
                if let Some(place) = run.take_initial(&self.moves, step).filter(|p| counts(*p)) {
                    if let Some(place) = place {
                        self.moves.remove(place);
                    }
                    if self.moves.is_empty() || run.tree.is_promised(node) {
                        return;
                    }
                    self.pass(step, run);
                    at = node;
                    continue 'down;
                }
                self.sleepers.extend(sleeper);
            }
            break;
        }
        let made = &run.causality.steps[number];
        let child = Child {
            step: number as u32,
            choice: Choice::Thread(first.thread),
            preemptions: made.preemptions + preempts(made, first.thread),
            prefix_hash: made.hash,
        };
        let last = self.moves.len() - 1;
        for (i, step) in std::mem::take(&mut self.moves).into_iter().enumerate() {
            at = run.tree.insert(at, step);
            if i < last {
                self.pass(step, run);
            }
        }
        // The executor does not know of steps that end the execution, and so depend on everything.
        let asleep = self.sleepers.iter().filter(|(_, doing)| !run.doings.ends(*doing));
        let mut asleep = asleep.fold(0, |mask, (t, _)| mask | 1 << t);
        asleep &= !(1 << run.tree.label(at).thread);
        if run.broken == Some(Broken::SiblingsCountWhenRun) {
            asleep = 0;
        }
        run.tree.wait(at, number as u32, asleep);
        sink.push(&child, at);
    }

    /// Wakes whom a step of the sequence wakes.
    fn pass(&mut self, step: Move, run: &Run) {
        self.sleepers.retain(|(t, doing)| *t != step.thread && !run.doings.dependent(*doing, step.doing));
    }
}
