//! Symmetric threads: those that one thread has started and that begin with the same operation of the same function. As
//! long as two of them have done the same, it makes no difference which of the two goes on, but for what the program tells
//! them apart by. So executions come later that take the one with the higher number, in the opening of a search
//! ([`crate::Config::opening`]) and in a part of what follows ([`turn`]). This orders executions, and leaves none out:
//! threads that were told apart are explored all the same.
//!
//! What each thread has to itself (its argument's block, its slot of an array) does not tell threads apart.

use raddle_schedule::hash::mix;
use raddle_schedule::{MAX_THREADS, Op, OpKind, Trace};
use std::collections::HashMap;

/// So many symmetric threads are several.
const SEVERAL: usize = 3;
/// Behind the opening every so many executions one is chosen as in the opening, where threads are symmetric.
const EVERY: u64 = 2;
/// Up to so many, for the tree grows by all that is put off.
pub const LAST: u64 = 1024;

/// Is the execution with this number behind an opening of so many chosen as in it, where threads are symmetric?
pub fn turn(number: u64, opening: u64) -> bool {
    number >= opening && number < opening.saturating_add(LAST) && (number - opening).is_multiple_of(EVERY)
}

/// Where a sequence of steps leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What the thread of the last step has done, and what of other kinds of threads it has met on the way: all that it can
    /// know of them.
    pub view: u64,
    /// The same of all threads together.
    pub state: u64,
}

/// Which threads are symmetric, as far as executions have shown who started whom.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// By thread: who has started it, and what it begins with. 0 where that is not known.
    births: [u64; MAX_THREADS],
    /// By object: the one thread that works on it; `None` if several do. Threads that are not symmetric do not count.
    owners: HashMap<u64, Option<u8>>,
    /// Are there several threads that are symmetric?
    any: bool,
}

impl Default for Symmetry {
    fn default() -> Self {
        Symmetry { births: [0; MAX_THREADS], owners: HashMap::new(), any: false }
    }
}

impl Symmetry {
    /// Reads off an execution who starts whom, and what threads have to themselves.
    pub fn read(&mut self, trace: &Trace) {
        let mut parents = [0; MAX_THREADS];
        let mut begun = [false; MAX_THREADS];
        for event in &trace.events {
            let own = usize::from(event.thread()) % MAX_THREADS;
            if event.kind() == OpKind::Spawn
                && let Some(parent) = parents.get_mut(event.value as usize)
            {
                *parent = u64::from(event.thread()) + 1;
            }
            if !event.is_step() || event.kind() == OpKind::ThreadStart || parents[own] == 0 {
                continue;
            }
            if !std::mem::replace(&mut begun[own], true) {
                let does = u64::from(event.site) << 16 | u64::from(event.method);
                self.births[own] = mix(parents[own], does ^ (event.kind() as u64) << 56) | 1;
            }
            if !names_a_thread(event.kind()) {
                let thread = event.thread();
                let owner = self.owners.entry(event.object()).or_insert(Some(thread));
                *owner = owner.filter(|owner| *owner == thread);
            }
        }
        let several =
            |birth: &u64| *birth != 0 && self.births.iter().filter(|b| *b == birth).count() >= SEVERAL;
        self.any = self.births.iter().any(several);
    }

    /// Are there several threads that are symmetric? Two are exchanged in few executions.
    pub fn is_any(&self) -> bool {
        self.any
    }

    /// Does somebody in this sequence of steps go on, by thread and what the step does, where a symmetric thread with a lower
    /// number has done the same?
    pub fn is_later(&self, steps: impl Iterator<Item = (u8, Op)>) -> bool {
        let mut done = [0; MAX_THREADS];
        for (thread, op) in steps {
            let own = usize::from(thread) % MAX_THREADS;
            let birth = self.births[own];
            let is_same = |lower: usize| self.births[lower] == birth && done[lower] == done[own];
            if birth != 0 && (1..own).any(is_same) {
                return true;
            }
            done[own] = mix(done[own] ^ 1, self.does(&op));
        }
        false
    }

    /// Where these steps lead, whichever of several symmetric threads has made them. `None` if somebody in it goes on where a
    /// symmetric thread with a lower number has done the same ([`Symmetry::is_later`]).
    pub fn place(&self, steps: impl Iterator<Item = (u8, Op)> + Clone) -> Option<Place> {
        if self.is_later(steps.clone()) {
            return None;
        }
        // What was done on each object, by all and by each kind; sums, so that the order does not count.
        let mut on: HashMap<(u64, u64), u64> = HashMap::new();
        // By thread: what it has done, and met.
        let mut views = [(0, 0); MAX_THREADS];
        let mut last = 0;
        for (thread, op) in steps {
            let own = usize::from(thread) % MAX_THREADS;
            let (kind, does) = (self.kind(own), self.does(&op));
            let (done, met) = views[own];
            let made = mix(mix(done, kind), does);
            let all = on.entry((op.object, 0)).or_default();
            let of_all = *all;
            *all = of_all.wrapping_add(made);
            let alike = on.entry((op.object, kind)).or_default();
            let of_others = of_all.wrapping_sub(*alike);
            *alike = alike.wrapping_add(made);
            views[own] = (mix(done ^ 1, does), mix(met, of_others));
            last = own;
        }
        let view = |(own, (done, met)): (usize, &(u64, u64))| mix(mix(self.kind(own), *done), *met);
        let begun = views.iter().enumerate().filter(|(_, (done, _))| *done != 0);
        let state = begun.map(view).fold(0, u64::wrapping_add);
        Some(Place { view: view((last, &views[last])), state })
    }

    /// What this thread is symmetric by.
    fn kind(&self, thread: usize) -> u64 {
        match self.births[thread] {
            0 => thread as u64 + 1,
            birth => birth,
        }
    }

    /// What stands for an operation, whichever of several symmetric threads makes it.
    fn does(&self, op: &Op) -> u64 {
        let is_own = names_a_thread(op.kind) || matches!(self.owners.get(&op.object), Some(Some(_)));
        let object = if is_own { 0 } else { op.object };
        let how = (op.kind as u64) << 40 | u64::from(op.size) << 1 | u64::from(op.failed);
        mix(mix(object, op.other), how)
    }
}

/// Is the object of such an operation a thread?
fn names_a_thread(kind: OpKind) -> bool {
    matches!(kind, OpKind::Spawn | OpKind::Join | OpKind::ThreadStart | OpKind::Exit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::{Event, flags};

    /// An object that all threads share, and one that only this thread works on.
    const SHARED: u64 = 0x1000;
    const OWN: u64 = 0x2000;

    /// T1, T2 and T4 run one function, T3 another; each has an object to itself.
    fn symmetry() -> Symmetry {
        read(&[(1, 5), (2, 5), (3, 6), (4, 5)])
    }

    /// Threads that T0 starts, and where each begins.
    fn read(threads: &[(u8, u32)]) -> Symmetry {
        let step = |kind, thread, object| {
            let mut event = Event::new(kind, thread, object);
            event.flags = flags::STEP;
            event
        };
        let mut trace = Trace::default();
        for (number, site) in threads {
            let mut spawn = step(OpKind::Spawn, 0, 0);
            spawn.value = u64::from(*number);
            trace.events.push(spawn);
            for object in [SHARED, OWN + u64::from(*number)] {
                let mut store = step(OpKind::AtomicStore, *number, object);
                store.site = *site;
                trace.events.push(store);
            }
        }
        let mut symmetry = Symmetry::default();
        symmetry.read(&trace);
        symmetry
    }

    fn ops(steps: &[(u8, u64)]) -> impl Iterator<Item = (u8, Op)> + Clone {
        let op = |object| Op { kind: OpKind::AtomicStore, object, other: 0, size: 4, failed: false };
        steps.iter().map(move |(thread, object)| (*thread, op(*object)))
    }

    fn is_later(symmetry: &Symmetry, steps: &[(u8, u64)]) -> bool {
        symmetry.is_later(ops(steps))
    }

    #[test]
    fn a_place_tells_how_far_the_others_were_and_not_which() {
        let symmetry = symmetry();
        let (a, b) = (SHARED, SHARED + 8);
        let place = |steps: &[(u8, u64)]| symmetry.place(ops(steps));
        let met = |steps: &[(u8, u64)]| place(steps).unwrap();
        // T3 meets two stores, however the others stand by now.
        let two = met(&[(1, a), (2, a), (3, a)]);
        let in_between = met(&[(1, a), (1, b), (2, a), (3, a)]);
        assert_eq!(two.view, in_between.view);
        assert_ne!(two.state, in_between.state);
        assert_ne!(two.view, met(&[(1, a), (3, a)]).view);
        // What was met before is remembered.
        assert_ne!(met(&[(1, a), (3, a), (2, a)]).state, met(&[(3, a), (1, a), (2, a)]).state);
        assert_eq!(met(&[(1, a), (1, b), (2, a)]).state, met(&[(1, a), (2, a), (1, b)]).state);
        assert_eq!(place(&[(2, a)]), None);
    }

    #[test]
    fn of_those_that_have_done_the_same_the_lowest_goes_first() {
        let symmetry = symmetry();
        assert!(symmetry.is_any());
        let (a, b) = (SHARED, SHARED + 8);
        for (steps, later) in [
            (&[(1, a), (2, a)][..], false),
            (&[(2, a), (1, a)], true),
            (&[(3, a), (1, a), (2, a)], false),
            (&[(1, a), (2, a), (2, b), (1, b)], true),
            (&[(1, a), (2, b), (2, a), (1, a)], false),
            (&[(1, OWN + 1), (2, OWN + 2), (2, a)], true),
            (&[(0, a), (0, b), (3, a)], false),
        ] {
            assert_eq!(is_later(&symmetry, steps), later, "{steps:?}");
        }
    }

    #[test]
    fn threads_that_run_several_functions_are_not_symmetric() {
        let symmetry = read(&[(1, 5), (2, 6), (3, 7)]);
        assert!(!symmetry.is_any() && !is_later(&symmetry, &[(2, SHARED), (1, SHARED)]));
    }

    #[test]
    fn behind_the_opening_every_second_one_is_chosen_so_for_a_while() {
        let turns = |n: std::ops::Range<u64>| n.filter(|n| turn(*n, 32)).count();
        assert_eq!((turns(0..32), turns(32..132), turns(32..100_000)), (0, 50, 512));
    }
}
