//! Symmetric threads: those that one thread has started at one place. As long as two of them have done the same, it makes no
//! difference which of the two goes on, but for what the program tells them apart by. So in the opening of a search
//! ([`crate::Config::opening`]) executions come later that take the one with the higher number. This orders executions, and leaves none out: threads that were told apart
//! are explored all the same.

use raddle_schedule::hash::mix;
use raddle_schedule::{MAX_THREADS, OpKind, Trace};

/// So many symmetric threads are several.
const SEVERAL: usize = 3;

/// Which threads are symmetric, as far as executions have shown who started whom.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// By thread: who has started it, and where. 0 where that is not known.
    births: [u64; MAX_THREADS],
}

impl Default for Symmetry {
    fn default() -> Self {
        Symmetry { births: [0; MAX_THREADS] }
    }
}

impl Symmetry {
    /// Reads off an execution who starts whom.
    pub fn read(&mut self, trace: &Trace) {
        self.births = [0; MAX_THREADS];
        for event in trace.events.iter().filter(|e| e.kind() == OpKind::Spawn && e.value != 0) {
            if let Some(birth) = self.births.get_mut(event.value as usize) {
                *birth = u64::from(event.site) << 8 | u64::from(event.thread()) | 1 << 40;
            }
        }
    }

    /// Are there several threads that are symmetric? Two are exchanged in few executions.
    pub fn is_any(&self) -> bool {
        let several =
            |birth: &u64| *birth != 0 && self.births.iter().filter(|b| *b == birth).count() >= SEVERAL;
        self.births.iter().any(several)
    }

    /// Does somebody in this sequence of steps go on, by thread and what the step does, where a symmetric thread with a lower
    /// number has done the same?
    pub fn is_later(&self, steps: impl Iterator<Item = (u8, u64)>) -> bool {
        let mut done = [0; MAX_THREADS];
        for (thread, does) in steps {
            let own = usize::from(thread) % MAX_THREADS;
            let birth = self.births[own];
            let is_same = |lower: usize| self.births[lower] == birth && done[lower] == done[own];
            if birth != 0 && (1..own).any(is_same) {
                return true;
            }
            done[own] = mix(done[own] ^ 1, does);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::Event;

    /// T1, T2 and T4 are started at one place, T3 at another.
    fn symmetry() -> Symmetry {
        let mut trace = Trace::default();
        for (number, site) in [(1, 5), (2, 5), (3, 6), (4, 5)] {
            let mut spawn = Event::new(OpKind::Spawn, 0, 0);
            (spawn.value, spawn.site) = (number, site);
            trace.events.push(spawn);
        }
        let mut symmetry = Symmetry::default();
        symmetry.read(&trace);
        symmetry
    }

    #[test]
    fn of_those_that_have_done_the_same_the_lowest_goes_first() {
        let symmetry = symmetry();
        assert!(symmetry.is_any());
        for (steps, later) in [
            (&[(1, 7), (2, 7)][..], false),
            (&[(2, 7), (1, 7)], true),
            (&[(3, 7), (1, 7), (2, 7)], false),
            (&[(1, 7), (2, 7), (2, 8), (1, 8)], true),
            (&[(1, 7), (2, 9), (2, 8), (1, 8)], false),
            (&[(0, 7), (0, 8), (3, 1)], false),
        ] {
            assert_eq!(symmetry.is_later(steps.iter().copied()), later, "{steps:?}");
        }
    }

    #[test]
    fn threads_from_several_places_are_not_symmetric() {
        let mut symmetry = symmetry();
        (symmetry.births[2], symmetry.births[4]) = (9, 10);
        assert!(!symmetry.is_any() && !symmetry.is_later([(2, 7), (1, 7)].into_iter()));
    }
}
