//! Optimal: one execution for each class of equivalent ones, and none that is cut off asleep
//! (Abdulla, Aronis, Jonsson, Sagonas 2014, section 5). What reverses a race is inserted as a
//! whole sequence into the *wakeup tree* of the state before the race, unless it begins with a
//! step that is asleep there, or is explored by a sequence that was inserted before.
//!
//! The paper explores depth-first; here executions are in flight together. Three things stand in
//! for its order:
//!
//! * Siblings are ordered by their insertion, and what was inserted earlier beside a step is run
//!   before anything below that step ([`crate::tree::Steps::due`]), so that it is known what those
//!   who sleep do.
//! * A reversal that begins with a sibling leads down through it, whether or not it has run, until
//!   the end of a sequence, where nobody sleeps, or until nothing is left of that sibling from where
//!   more could come (it is closed). In the paper it is closed when the search gets there.
//! * What the last step of a sequence will do is foretold ([`super::foresight`]). Where something
//!   was left out since it seemed to lead to a step that then turns out to end the execution, or to
//!   depend on more, everything that begins otherwise is explored in its place.
//!
//! Nobody sleeps at the end of a sequence v: no earlier sibling, and nobody asleep, is a weak initial
//! of v, so something in v depends on each, which wakes it. And no two executions are equivalent:
//! where their paths part, the later one has a step that depends on the earlier one's, before that.
//! The exceptions are what is explored in somebody's place, and a compare-exchange on what nobody has
//! read before, which may find something else than was thought.

use super::Child;
use super::Sink;
use super::reversal::{Move, Race, Run, Strategy, preempts};
use crate::points::bits;
use raddle_schedule::Choice;

/// See the module's text.
#[derive(Default)]
pub struct Optimal {
    moves: Vec<Move>,
}

impl Strategy for Optimal {
    fn inserts_sequences(&self) -> bool {
        true
    }

    fn reverse(&mut self, run: &mut Run, sink: &mut dyn Sink) {
        self.mend(run, sink);
        for i in 0..run.causality.races.len() {
            let Some(race) = run.race(i) else { continue };
            self.insert(race, run, sink);
        }
    }
}

impl Optimal {
    /// Things were left out since the last step that was asked for seemed to lead there, and it does not:
    /// it ended the execution, or depends on more than it was thought to. So everything that
    /// begins otherwise is explored.
    fn mend(&mut self, run: &mut Run, sink: &mut dyn Sink) {
        let Some(number) = run.misjudged() else { return };
        let step = run.causality.steps[number];
        for thread in bits(step.alternatives & !(1 << step.thread)) {
            run.insert_step(number, thread, false, sink);
        }
    }

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
        'down: loop {
            let mut child = run.tree.first(at);
            while let Some(node) = child {
                child = run.tree.next(node);
                if !run.counts(node) {
                    continue;
                }
                let place = run.take_initial(&self.moves, run.tree.label(node)).filter(|p| counts(*p));
                if let Some(place) = place {
                    match place {
                        Some(place) => drop(self.moves.remove(place)),
                        None if run.tree.was_run(node) => {}
                        None => run.tree.rely(node),
                    }
                    if self.moves.is_empty() || run.tree.is_closed(node) {
                        return;
                    }
                    at = node;
                    continue 'down;
                }
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
        for step in std::mem::take(&mut self.moves) {
            at = run.tree.insert(at, step);
        }
        // Somewhere in the sequence everybody who slept was woken.
        run.tree.wait(at, number as u32, 0);
        sink.push(&child, at);
    }
}
