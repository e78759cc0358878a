//! What an execution that was run says of those that differ from it at one of its steps: would
//! dynamic partial-order reduction backtrack there (Flanagan and Godefroid 2005), and is the thread
//! asleep there (Godefroid 1996)? The priority functions `dpor`, `mdpor` and `ss` ask (paper 003,
//! section 4.1). Traces are not kept, so it is asked once, when a child is filed.
//!
//! These are hints for an order, and prune nothing. A race whose first step lies before the
//! execution's own difference is about an execution that was filed before, and may wait still: that
//! is told too ([`Insight::earlier`]). Siblings count as explored whether or not the bound lets them be.

use super::context::Marks;
use crate::points::bits;
use crate::reduction::{Causality, OpId, OpTable, leading, predicted_effect};
use raddle_schedule::{Choice, Delta, Op, OpKind, Trace, default_thread};

/// What is said of one step: threads by bit.
#[derive(Clone, Copy, Default)]
struct Points {
    /// Taking these instead reverses a race.
    backtracks: u64,
    /// Of these, not for want of better knowledge, and not right before a release.
    reverses: u64,
    /// These are asleep.
    asleep: u64,
}

/// An execution that was filed before, and that the reversal of a race leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Where it differs.
    pub step: u32,
    /// Hash of the steps before.
    pub prefix_hash: u64,
    /// What is chosen there.
    pub choice: Choice,
    /// What is to be said of it beside what is known.
    pub marks: Marks,
}

/// What one execution says; its memory is used again for the next.
#[derive(Default)]
pub struct Insight {
    causality: Causality,
    op_table: OpTable,
    points: Vec<Points>,
    /// The first step that a sleeping thread made. Whatever follows it is explored elsewhere.
    redundant: usize,
    sleepers: Vec<(u8, OpId)>,
    added: Vec<(u8, usize)>,
    earlier: Vec<Earlier>,
}

impl Insight {
    /// Reads an execution, which has these differences from the default behaviour. Those of steps
    /// below the floor have no siblings.
    pub fn read(&mut self, trace: &Trace, deltas: &[Delta], floor: u32) {
        self.causality.read(trace, &mut self.op_table);
        self.points.clear();
        self.points.resize(self.causality.made, Points::default());
        self.find_races(deltas.last().map_or(0, |d| d.step), floor);
        self.find_sleepers(deltas, floor);
    }

    /// What the reduction of Flanagan and Godefroid would explore. What comes before the own step of
    /// this execution was found in others.
    fn find_races(&mut self, own: u32, floor: u32) {
        let causality = &self.causality;
        self.earlier.clear();
        for race in &causality.races {
            let first = &causality.steps[race.first as usize];
            let second = 1 << causality.steps[race.second as usize].thread;
            let can = first.alternatives & !(1 << first.thread);
            let leading = leading(causality, *race) & can;
            let points = &mut self.points[race.first as usize];
            let wanted = match leading {
                0 => can,
                _ if leading & second != 0 => second,
                _ => leading & leading.wrapping_neg(),
            };
            points.backtracks |= wanted;
            let reverses = leading != 0 && !is_release(self.op_table.op(first.op_id));
            if reverses {
                points.reverses |= wanted;
            }
            if (floor..=own).contains(&race.first) && race.second >= own {
                let marks = Marks { backtracks: true, reverses, asleep: false };
                let earlier = |thread| Earlier {
                    step: race.first,
                    prefix_hash: first.hash,
                    choice: Choice::Thread(thread),
                    marks,
                };
                self.earlier.extend(bits(wanted).map(earlier));
            }
        }
    }

    /// Who is asleep before each step. In a state that a difference leads from, the thread that the
    /// default behaviour takes is explored before all others, and lower threads before higher ones.
    fn find_sleepers(&mut self, deltas: &[Delta], floor: u32) {
        self.sleepers.clear();
        self.redundant = usize::MAX;
        let is_thread = |d: &&Delta| d.step >= floor && matches!(d.choice, Choice::Thread(_));
        let mut deltas = deltas.iter().filter(is_thread).peekable();
        for number in 0..self.causality.made {
            let step = self.causality.steps[number];
            let asleep = self.sleepers.iter().fold(0, |mask, (t, _)| mask | 1u64 << t);
            self.points[number].asleep = asleep;
            if asleep >> step.thread & 1 != 0 {
                self.redundant = self.redundant.min(number);
            }
            if deltas.next_if(|d| d.step as usize == number).is_some() {
                let timeouts = step.alternatives & !step.enabled;
                let default = default_thread(step.previous, step.gave_way, step.enabled, timeouts);
                let others = bits(step.alternatives & !asleep & !(1 << step.thread));
                let earlier = others.filter(|t| Some(*t) == default || *t < step.thread);
                self.added.clear();
                self.added.extend(earlier.filter_map(|t| Some((t, self.causality.next(t, number)?))));
                for (thread, next) in &self.added {
                    let op_id = predicted_effect::at(&self.causality, &mut self.op_table, number, *next);
                    self.sleepers.push((*thread, op_id));
                }
            }
            let op_table = &self.op_table;
            self.sleepers.retain(|(t, d)| *t != step.thread && !op_table.dependent(*d, step.op_id));
        }
    }

    /// What it says of the execution in which this is chosen at this step.
    pub fn marks(&self, step: u32, choice: Choice) -> Marks {
        let number = step as usize;
        let points = self.points.get(number).copied().unwrap_or_default();
        match choice {
            Choice::Thread(thread) => {
                let has = |mask: u64| mask >> (thread & 63) & 1 != 0;
                Marks {
                    backtracks: has(points.backtracks),
                    reverses: has(points.reverses),
                    asleep: has(points.asleep) || number > self.redundant,
                }
            }
            // All outcomes of an operation are explored by whatever explores the operation.
            _ => Marks { backtracks: true, reverses: true, asleep: number >= self.redundant },
        }
    }

    /// What it says of executions that were filed before it.
    pub fn earlier(&self) -> &[Earlier] {
        &self.earlier
    }

    /// The same of an execution that the reversal of a race led to.
    pub fn marks_of_reversal(&self, step: u32, choice: Choice) -> Marks {
        let points = self.points.get(step as usize).copied().unwrap_or_default();
        let is_outcome = !matches!(choice, Choice::Thread(_));
        Marks { backtracks: true, reverses: is_outcome || points.reverses != 0, asleep: false }
    }
}

/// Does it let others go on? To put something right before it is mostly to find them waiting.
fn is_release(op: &Op) -> bool {
    use OpKind::*;
    matches!(
        op.kind,
        ReadUnlock
            | WriteUnlock
            | Barrier
            | Unlock
            | CondEnqueue
            | SemPost
            | NotifyOne
            | NotifyAll
            | Unpark
            | FutexWake
    )
}
