//! Does what decides about one failing execution happen in another one, too? By whichever threads, and with whichever
//! objects: what is told of a cause is where in the program the operations are, and in which order they come.

use super::named::event_of;
use super::orders::Decision;
use crate::points::{Point, points};
use raddle_schedule::{Event, OpKind, Trace};
use std::collections::HashMap;

/// Ways of laying threads beside each other that are tried, at most.
const TRIES: u32 = 100_000;

/// Does the other execution make all of these decisions of the failing one? Where there are too many ways to look at it, it counts
/// as if it did.
pub fn decided_alike(failing: &Trace, decisions: &[Decision], other: &Trace) -> bool {
    let (steps, all) = (doings(failing), doings(other));
    let mut wanted = Wanted::default();
    for decision in decisions {
        match *decision {
            Decision::Order { first, then } => {
                // What was never made is told by what came before it alone.
                let ends = [first, then].map(|step| event_of(failing, step));
                let [first, then] = ends.map(|at| at.and_then(|at| wanted.doing(&steps, at, false)));
                wanted.orders.extend(first.zip(then));
            }
            Decision::Choice { step } => {
                event_of(failing, step).and_then(|at| wanted.doing(&steps, at, true));
            }
        }
    }
    wanted.sort();
    let mut laid = Laid { wanted: &wanted, all: &all, tries: TRIES, at: Vec::new() };
    !wanted.doings.is_empty() && (laid.thread(0) || laid.tries == 0)
}

/// Something that a thread did, or was about to do at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Doing {
    /// The place among the trace's events.
    event: usize,
    thread: u8,
    kind: OpKind,
    site: u32,
    method: u16,
    object: u64,
    /// What kind of choice was made at it.
    choice: Option<u32>,
}

/// By whom, and where.
fn doing(event: usize, e: &Event) -> Doing {
    let (thread, site, method) = (e.thread(), e.site, e.method);
    Doing { event, thread, kind: OpKind::Point, site, method, object: 0, choice: None }
}

/// All that threads did, and then what they were about to do.
fn doings(trace: &Trace) -> Vec<Doing> {
    let mut choices = HashMap::new();
    for point in points(trace) {
        if let Point::Choice(p) = point {
            choices.insert(p.step, p.chosen.encode() >> 16);
        }
    }
    let mut all = Vec::new();
    let steps = trace.events.iter().enumerate().filter(|(_, e)| e.is_step());
    for (step, (event, e)) in (0..).zip(steps) {
        let choice = choices.get(&step).copied();
        all.push(Doing { kind: e.kind(), object: e.object(), choice, ..doing(event, e) });
    }
    for (event, e) in trace.events.iter().enumerate() {
        let Some(op) = e.pending_op() else { continue };
        all.push(Doing { kind: op.kind, object: op.object, ..doing(event, e) });
    }
    all
}

/// What the decisions are about.
#[derive(Default)]
struct Wanted {
    /// By their threads, and of each in its order.
    doings: Vec<(Doing, bool)>,
    /// Which comes before which, by their events.
    orders: Vec<(usize, usize)>,
}

impl Wanted {
    /// Asks for what is done at this event; `chosen`: with the choice that was made at it.
    fn doing(&mut self, steps: &[Doing], event: usize, chosen: bool) -> Option<usize> {
        let doing = *steps.iter().find(|d| d.event == event)?;
        match self.doings.iter_mut().find(|(d, _)| *d == doing) {
            Some(known) => known.1 |= chosen,
            None => self.doings.push((doing, chosen)),
        }
        Some(event)
    }

    fn sort(&mut self) {
        self.doings.sort_by_key(|(d, _)| (d.thread, d.event));
    }
}

/// Threads of the failing execution laid beside threads of the other one.
struct Laid<'a> {
    wanted: &'a Wanted,
    all: &'a [Doing],
    /// Tries that are left.
    tries: u32,
    /// What was found for what is wanted, so far.
    at: Vec<usize>,
}

impl Laid<'_> {
    /// Finds a thread for that of the wanted doing with this number, its thread's first, and for all after it.
    fn thread(&mut self, next: usize) -> bool {
        let all = &self.wanted.doings;
        let Some((first, _)) = all.get(next) else { return self.is_ordered() };
        let until = next + all[next..].iter().take_while(|(d, _)| d.thread == first.thread).count();
        for begin in 0..self.all.len() {
            let thread = self.all[begin].thread;
            let taken = self.at.iter().any(|at| self.all[*at].thread == thread);
            if taken || !self.is(next, begin) {
                continue;
            }
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            self.at.push(begin);
            // Of what comes next the first: that is how it was, or another begin is.
            for wanted in next + 1..until {
                let after = self.at[wanted - 1] + 1;
                let found =
                    (after..self.all.len()).find(|at| self.all[*at].thread == thread && self.is(wanted, *at));
                let Some(found) = found else { break };
                self.at.push(found);
            }
            if self.at.len() == until && self.thread(until) {
                return true;
            }
            self.at.truncate(next);
        }
        false
    }

    /// Is that what is wanted there?
    fn is(&self, wanted: usize, at: usize) -> bool {
        let ((wanted, chosen), is) = (&self.wanted.doings[wanted], &self.all[at]);
        let same = (wanted.kind, wanted.site, wanted.method) == (is.kind, is.site, is.method);
        same && (!chosen || wanted.choice == is.choice)
    }

    /// Do they come in the order that is wanted, and is one object laid beside one?
    fn is_ordered(&self) -> bool {
        let found = |event: &usize| {
            let number = self.wanted.doings.iter().position(|(d, _)| d.event == *event);
            number.map(|number| self.at[number])
        };
        let pairs =
            self.wanted.doings.iter().zip(&self.at).map(|((d, _), at)| (d.object, self.all[*at].object));
        let objects: Vec<(u64, u64)> = pairs.collect();
        let same = |(a, b): &(u64, u64)| objects.iter().all(|(c, d)| (a == c) == (b == d));
        objects.iter().all(same) && self.wanted.orders.iter().all(|(first, then)| found(first) < found(then))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::flags;

    /// Steps: who, to what, where.
    fn trace(steps: &[(u8, u64, u32)]) -> Trace {
        let event = |(thread, object, site): &(u8, u64, u32)| {
            let kind = if site % 2 == 1 { OpKind::AtomicLoad } else { OpKind::AtomicStore };
            let mut event = Event::new(kind, *thread, *object);
            (event.site, event.enabled) = (*site, 0b110);
            event.flags |= flags::STEP;
            event
        };
        Trace { events: steps.iter().map(event).collect(), steps: steps.len() as u32, ..Trace::default() }
    }

    const RED: u64 = 0x10;
    const BLUE: u64 = 0x20;

    #[test]
    fn it_is_the_same_by_other_threads_and_with_another_object() {
        // T1 loads, T2 loads and stores, T1 stores.
        let failing = trace(&[(1, RED, 1), (2, RED, 1), (2, RED, 2), (1, RED, 2)]);
        let orders = [Decision::Order { first: 0, then: 2 }, Decision::Order { first: 1, then: 3 }];
        let is = |steps: &[(u8, u64, u32)]| decided_alike(&failing, &orders, &trace(steps));
        assert!(is(&[(1, RED, 1), (2, RED, 1), (2, RED, 2), (1, RED, 2)]));
        assert!(is(&[(3, RED, 1), (3, RED, 2), (2, RED, 1), (1, RED, 1), (1, RED, 2), (2, RED, 2)]));
        assert!(is(&[(1, BLUE, 1), (2, BLUE, 1), (2, BLUE, 2), (1, BLUE, 2)]));
        // One after the other, in another place, with two objects.
        assert!(!is(&[(1, RED, 1), (1, RED, 2), (2, RED, 1), (2, RED, 2)]));
        assert!(!is(&[(1, RED, 3), (2, RED, 3), (2, RED, 4), (1, RED, 4)]));
        assert!(!is(&[(1, RED, 1), (2, BLUE, 1), (2, BLUE, 2), (1, RED, 2)]));
    }

    #[test]
    fn what_one_thread_does_again_and_again_is_no_second_thread() {
        let failing = trace(&[(1, RED, 1), (2, RED, 1), (2, RED, 2), (1, RED, 2)]);
        let orders = [Decision::Order { first: 0, then: 2 }, Decision::Order { first: 1, then: 3 }];
        // Whole rounds take turns: of T1's second round T2's first load is not between load and store.
        let rounds = [(1, RED, 1), (1, RED, 2), (2, RED, 1), (2, RED, 2), (1, RED, 1), (1, RED, 2)];
        assert!(!decided_alike(&failing, &orders, &trace(&rounds)));
        assert!(!decided_alike(&failing, &[], &failing), "nothing decides");
    }
}
