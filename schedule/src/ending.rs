//! The end of the process while other threads are left: who can go on when a thread has come to it.
//!
//! A process that ends as a failure (a status that is not 0, `abort`) ends in a step like any other, which the search
//! orders with what others are about to do. An end that is none shows nothing that is not seen without it. So the thread
//! waits there until no other thread can go on, by a time-out either, and then the process ends: what others can do before the end is all
//! explored, and no execution is spent on where among their steps the end comes.
//!
//! Threads that only repeat themselves would keep the process from its end for ever. So the end is possible, too, while each
//! thread that can go on *repeats itself*: it has come to a yield, a sleep or a time-out at the same place [`ROUNDS`] times,
//! and has since made fewer steps than in the round before. The end and the next round are alternatives then like any
//! others, and fairness says how many rounds more are explored: the thread that ends the process gets its turn.
//!
//! Whether a thread repeats itself is a function of its own past, so equivalent executions agree on it.

use alloc::vec::Vec;

/// So many rounds of a loop that yields, sleeps or times out are run before the process may end.
pub const ROUNDS: u8 = 3;

/// What a thread has repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// Its steps so far.
    steps: u32,
    /// It repeats itself until it has made so many.
    until: u32,
    places: Vec<Place>,
}

/// Where it yields, sleeps or times out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    site: u32,
    times: u8,
    /// Its step there, counted from 1.
    last: u32,
}

impl Rounds {
    /// No step yet.
    pub const fn new() -> Self {
        Rounds { steps: 0, until: 0, places: Vec::new() }
    }

    /// Of another thread.
    pub fn clear(&mut self) {
        self.places.clear();
        (self.steps, self.until) = (0, 0);
    }

    /// The thread made a step: a yield, a sleep or a time-out at a site, or another one.
    #[inline]
    pub fn step(&mut self, rests_at: Option<u32>) {
        self.steps += 1;
        if let Some(site) = rests_at {
            self.visit(site);
        }
    }

    fn visit(&mut self, site: u32) {
        let last = self.steps;
        match self.places.iter_mut().find(|place| place.site == site) {
            Some(place) => {
                let round = last - place.last;
                *place = Place { site, times: place.times.saturating_add(1), last };
                if place.times >= ROUNDS {
                    self.until = self.until.max(last + round);
                }
            }
            None => self.places.push(Place { site, times: 1, last }),
        }
    }

    /// Does it repeat itself?
    pub fn repeats(&self) -> bool {
        self.steps < self.until
    }
}

/// Masks of the threads that can be chosen, and of those that are chosen only where the first has none (threads that can
/// time out), where `ending` are about to end the process and `repeating` repeat themselves. The ending threads are in
/// neither of the first two.
///
/// By default those go on that do not repeat themselves, by a time-out where nothing else is left, and then the process ends.
/// That is no preemption: one round more would be unfair soon.
pub const fn alternatives(enabled: u64, timeouts: u64, ending: u64, repeating: u64) -> (u64, u64) {
    if ending == 0 {
        return (enabled, timeouts);
    }
    let all = enabled | timeouts;
    let first = match (enabled & !repeating, timeouts & !repeating) {
        (0, 0) => ending,
        (0, late) => late,
        (going, _) => going,
    };
    (first, all & !first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_ends_when_all_others_are_blocked_or_repeat_themselves() {
        assert_eq!(alternatives(0b0110, 0b1000, 0, 0b0010), (0b0110, 0b1000));
        assert_eq!(alternatives(0b0110, 0b1000, 0b0001, 0b0010), (0b0100, 0b1010));
        assert_eq!(alternatives(0b0110, 0b1000, 0b0001, 0b0110), (0b1000, 0b0110));
        assert_eq!(alternatives(0b0110, 0b1000, 0b0001, 0b1110), (0b0001, 0b1110));
        assert_eq!(alternatives(0, 0b1000, 0b0001, 0), (0b1000, 0));
        assert_eq!(alternatives(0, 0b1000, 0b0001, 0b1000), (0b0001, 0b1000));
        assert_eq!(alternatives(0, 0, 0b0001, 0), (0b0001, 0));
    }

    #[test]
    fn a_thread_repeats_itself_within_a_round_that_it_has_made_before() {
        let mut rounds = Rounds::new();
        for _ in 0..ROUNDS {
            assert!(!rounds.repeats());
            rounds.step(None);
            rounds.step(Some(7));
        }
        assert!(rounds.repeats());
        rounds.step(None);
        assert!(rounds.repeats());
        // Here the next visit was due.
        rounds.step(None);
        assert!(!rounds.repeats());
        rounds.step(Some(8));
        assert!(!rounds.repeats());
        rounds.clear();
        assert_eq!(rounds, Rounds::new());
    }
}
