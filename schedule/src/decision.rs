//! Decisions: one resolved choice among several, and what is chosen where nobody says otherwise.

use crate::op::OpKind;

/// What a decision chose. Its text form is that of schedule strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// `T2`: thread 2 runs next.
    Thread(u8),
    /// `w3`: the notify wakes thread 3.
    Waiter(u8),
    /// `timeout`: the timed wait ends by time-out.
    Timeout,
    /// `spurious`: the wait ends by itself.
    Spurious,
    /// `fail`: the weak compare-exchange fails.
    Fail,
    /// `v1`: a relaxed load returns the n-th stale value.
    Stale(u16),
    /// `i7`: the input is 7.
    Input(u16),
    /// `usual`: what may happen by itself ([`Choice::Spurious`], [`Choice::Fail`]) does not. It is the default, so no
    /// schedule says it.
    Usual,
}

impl Choice {
    /// As one word, for plans in shared memory.
    pub const fn encode(self) -> u32 {
        match self {
            Choice::Thread(t) => t as u32,
            Choice::Waiter(t) => 1 << 16 | t as u32,
            Choice::Timeout => 2 << 16,
            Choice::Spurious => 3 << 16,
            Choice::Fail => 4 << 16,
            Choice::Stale(n) => 5 << 16 | n as u32,
            Choice::Input(n) => 6 << 16 | n as u32,
            Choice::Usual => 7 << 16,
        }
    }

    /// What happens by itself, by its bit in a mask of alternatives; bit 0 says that nothing does.
    pub const fn by_itself(bit: u8) -> Choice {
        match bit {
            Choice::FAIL => Choice::Fail,
            Choice::SPURIOUS => Choice::Spurious,
            _ => Choice::Usual,
        }
    }

    /// The bit of [`Choice::Fail`].
    pub const FAIL: u8 = 1;
    /// The bit of [`Choice::Spurious`].
    pub const SPURIOUS: u8 = 2;

    /// Back from [`Choice::encode`]; `None` for a word that no choice has.
    pub const fn decode(word: u32) -> Option<Self> {
        let n = word as u16;
        Some(match word >> 16 {
            0 if n < 256 => Choice::Thread(n as u8),
            1 if n < 256 => Choice::Waiter(n as u8),
            2 => Choice::Timeout,
            3 => Choice::Spurious,
            4 => Choice::Fail,
            5 => Choice::Stale(n),
            6 => Choice::Input(n),
            7 => Choice::Usual,
            _ => return None,
        })
    }
}

impl core::fmt::Display for Choice {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Choice::Thread(t) => write!(f, "T{t}"),
            Choice::Waiter(t) => write!(f, "w{t}"),
            Choice::Timeout => f.write_str("timeout"),
            Choice::Spurious => f.write_str("spurious"),
            Choice::Fail => f.write_str("fail"),
            Choice::Stale(n) => write!(f, "v{n}"),
            Choice::Input(n) => write!(f, "i{n}"),
            Choice::Usual => f.write_str("usual"),
        }
    }
}

/// The thread that runs next where the schedule says nothing; `None` when nobody can.
///
/// Never preempt; where the running thread cannot go on, the enabled thread with the lowest
/// number; a wait is only timed out when nothing else can run. After a yield or a sleep the next
/// enabled thread after the running one, in cyclic order, so that two spinning threads cannot
/// starve a third: the plain rule would let a polling loop run into the step bound in the very
/// first execution.
///
/// `enabled` and `timeouts` are disjoint masks; `current` is the thread of the last step and
/// `gave_way` says that this step was a yield or a sleep.
#[inline]
pub const fn default_thread(current: u8, gave_way: bool, enabled: u64, timeouts: u64) -> Option<u8> {
    next_thread(current, gave_way, gave_way, enabled, timeouts)
}

/// The same where threads take turns: where the running thread cannot go on, the next enabled one after it in
/// cyclic order, so that those which were spawned or woken later are not always last.
#[inline]
pub const fn thread_in_turn(current: u8, gave_way: bool, enabled: u64, timeouts: u64) -> Option<u8> {
    next_thread(current, gave_way, true, enabled, timeouts)
}

/// The running thread, unless it cannot go on or gave way; then the next one in cyclic order, or the lowest.
#[inline]
const fn next_thread(current: u8, gave_way: bool, cyclic: bool, enabled: u64, timeouts: u64) -> Option<u8> {
    let bit = 1u64 << (current & 63);
    if enabled & bit != 0 && !gave_way {
        return Some(current);
    }
    let candidates = if enabled != 0 { enabled } else { timeouts };
    if candidates == 0 {
        return None;
    }
    if cyclic {
        let after = candidates & !(bit | (bit - 1));
        if after != 0 {
            return Some(after.trailing_zeros() as u8);
        }
    }
    Some(candidates.trailing_zeros() as u8)
}

/// Does a thread that makes a step of this kind give way to the others when the next one is chosen? At a yield or a sleep;
/// and where nobody else could go on then, later, as soon as somebody can: those who wait for a lock that it held when it
/// gave way go on when it has given the lock back. `before` says whether it gave way before the step, `alone` that it made
/// the step before, too, and that nobody else could. (Threads that it starts later it has not given way to.)
#[inline]
pub const fn gives_way(kind: OpKind, before: bool, alone: bool) -> bool {
    match kind {
        OpKind::Yield | OpKind::Sleep => true,
        OpKind::Spawn => false,
        _ => before && alone,
    }
}

/// Is running `next` after `current` a preemption: a switch away from a thread that could have
/// gone on and did not give way (paper 000, section 2)?
#[inline]
pub const fn is_preemption(current: u8, gave_way: bool, enabled: u64, next: u8) -> bool {
    next != current && !gave_way && enabled & 1 << (current & 63) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_round_trip() {
        for c in [
            Choice::Thread(63),
            Choice::Waiter(3),
            Choice::Timeout,
            Choice::Spurious,
            Choice::Fail,
            Choice::Stale(1),
            Choice::Input(7),
            Choice::Usual,
        ] {
            assert_eq!(Choice::decode(c.encode()), Some(c));
        }
        assert_eq!(Choice::decode(99 << 16), None);
    }

    #[test]
    fn default_never_preempts_and_takes_the_lowest() {
        assert_eq!(default_thread(1, false, 0b111, 0), Some(1));
        assert_eq!(default_thread(1, false, 0b101, 0), Some(0));
        assert_eq!(default_thread(1, false, 0, 0b100), Some(2));
        assert_eq!(default_thread(1, false, 0, 0), None);
        // After a yield: around the circle, itself last.
        assert_eq!(default_thread(1, true, 0b111, 0), Some(2));
        assert_eq!(default_thread(2, true, 0b111, 0), Some(0));
        assert_eq!(default_thread(1, true, 0b010, 0), Some(1));
    }

    #[test]
    fn in_turn_the_next_one_in_the_circle_goes_on_where_the_running_one_cannot() {
        assert_eq!(thread_in_turn(1, false, 0b111, 0), Some(1));
        assert_eq!(thread_in_turn(1, false, 0b101, 0), Some(2));
        assert_eq!(thread_in_turn(2, false, 0b011, 0), Some(0));
        assert_eq!(thread_in_turn(1, false, 0, 0b1001), Some(3));
        assert_eq!(thread_in_turn(1, false, 0, 0), None);
        for (gave_way, enabled) in [(true, 0b111), (true, 0b010), (false, 0b010)] {
            let (here, there) =
                (default_thread(1, gave_way, enabled, 0), thread_in_turn(1, gave_way, enabled, 0));
            assert_eq!(here, there);
        }
    }

    #[test]
    fn giving_way_is_no_preemption() {
        assert!(is_preemption(1, false, 0b110, 2));
        assert!(!is_preemption(1, true, 0b110, 2));
        assert!(!is_preemption(1, false, 0b100, 2));
        assert!(!is_preemption(1, false, 0b110, 1));
    }
}
