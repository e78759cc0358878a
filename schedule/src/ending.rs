//! The end of the process while other threads are left: who can go on when a thread has come to it.
//!
//! A process that ends as a failure (a status that is not 0, `abort`) ends in a step like any other, which the search
//! orders with what others are about to do. An end that is none shows nothing that is not seen without it. So the thread
//! waits there until no other thread can go on, by a time-out either, and then the process ends: what others can do before the end is all
//! explored, and no execution is spent on where among their steps the end comes.
//!
//! Threads that only repeat themselves would keep the process from its end for ever: a thread that has come back to the
//! same yield, sleep or timed wait [`ROUNDS`] times goes on no more once a process is about to end. That is a function of
//! the thread's own past, so equivalent executions agree on it.

use alloc::vec::Vec;

/// So many rounds of a loop that gives way, sleeps or times out are run to the end.
pub const ROUNDS: u8 = 3;

/// How often a thread has given way, slept or timed out, by place.
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

    /// Would it only repeat itself there?
    pub fn repeats(&self, site: u32) -> bool {
        self.0.iter().any(|(at, times)| *at == site && *times >= ROUNDS)
    }
}

/// Masks of the threads that can be chosen, and of those that can time out, where `ending` are about to end the process
/// and `repeating` only repeat themselves. The ending threads are in neither of the first two.
pub const fn alternatives(enabled: u64, timeouts: u64, ending: u64, repeating: u64) -> (u64, u64) {
    if ending == 0 {
        return (enabled, timeouts);
    }
    let others = enabled & !repeating;
    let timeouts = timeouts & !repeating;
    if others | timeouts == 0 { (ending, 0) } else { (others, timeouts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_ends_when_nobody_else_can_go_on() {
        assert_eq!(alternatives(0b0110, 0b1000, 0, 0b0010), (0b0110, 0b1000));
        assert_eq!(alternatives(0b0110, 0b1000, 0b0001, 0b0010), (0b0100, 0b1000));
        assert_eq!(alternatives(0b0110, 0b1000, 0b0001, 0b1110), (0b0001, 0));
        assert_eq!(alternatives(0, 0b1000, 0b0001, 0), (0, 0b1000));
        assert_eq!(alternatives(0, 0b1000, 0b0001, 0b1000), (0b0001, 0));
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
