//! The end of the process while other threads are left: who can go on when a thread has come to it.
//!
//! A process that ends as a failure (a status that is not 0, `abort`) ends in a step like any other, which the search
//! orders with what others are about to do. An end that is none shows nothing that is not seen without it. So the thread
//! waits there until no other thread can go on, by a time-out either, and then the process ends: what others can do before the end is all
//! explored, and no execution is spent on where among their steps the end comes.
//!
//! Threads that only repeat themselves would keep the process from its end for ever. So the end is possible, too, while each
//! thread that can go on *repeats itself*: it is about to yield, to sleep or to time out at a place where it has done so
//! [`ROUNDS`] times. The end and the next round are alternatives then like any others, and fairness says how many rounds more
//! are explored: the thread that ends the process gets its turn.
//!
//! Whether a thread repeats itself is a function of its own past, so equivalent executions agree on it.

use alloc::vec::Vec;

/// So many rounds of a loop that yields, sleeps or times out are run before the process may end.
pub const ROUNDS: u8 = 3;

/// How often a thread has yielded, slept or timed out, by place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rounds(Vec<(u32, u8)>);

impl Rounds {
    /// Nothing yet.
    pub const fn new() -> Self {
        Rounds(Vec::new())
    }

    /// Of another thread.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The thread made a yield, a sleep or a time-out at this site.
    pub fn made(&mut self, site: u32) {
        match self.0.iter_mut().find(|(at, _)| *at == site) {
            Some((_, times)) => *times = times.saturating_add(1),
            None => self.0.push((site, 1)),
        }
    }

    /// Would it repeat itself there?
    pub fn repeats(&self, site: u32) -> bool {
        self.0.iter().any(|(at, times)| *at == site && *times >= ROUNDS)
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
    fn rounds_are_counted_by_place() {
        let mut rounds = Rounds::new();
        for _ in 0..ROUNDS {
            assert!(!rounds.repeats(7));
            rounds.made(7);
        }
        assert!(rounds.repeats(7) && !rounds.repeats(8));
        rounds.clear();
        assert!(!rounds.repeats(7));
    }
}
