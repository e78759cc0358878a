//! What a process has besides the memory of its program, and threads can tell each other by: objects at addresses where
//! nothing of the program lies. No value stands there: what they are like is known to the runtime alone, so searches that
//! compare states by values go by who did something to them last.

use crate::named;

/// Where they lie.
pub const BASE: u64 = 0x0f20_0000_0000;
/// The numbers of `rand` and `random`, which the whole process draws from.
pub const RANDOM: u64 = BASE;
/// Those of `drand48` and its like.
pub const RANDOM_48: u64 = BASE + 8;
/// The numbers of thread-specific keys, which are given out one after the other.
pub const KEY_NUMBERS: u64 = BASE + 16;
/// What is to be done when the process ends, the last first.
pub const AT_EXIT: u64 = BASE + 24;
/// What signals do, thread-specific keys, and the names of threads: so many of each at most.
const KIND: u64 = 0x1000;
const SIGNALS: u64 = BASE + KIND;
const KEYS: u64 = SIGNALS + KIND;
const NAMES: u64 = KEYS + KIND;
const END: u64 = NAMES + KIND;

/// The action of a signal.
pub const fn signal(number: usize) -> u64 {
    SIGNALS + number as u64 * 8
}

/// A thread-specific key.
pub const fn key(number: usize) -> u64 {
    KEYS + number as u64 * 8
}

/// The name of a thread.
pub const fn thread_name(thread: usize) -> u64 {
    NAMES + thread as u64 * 8
}

/// Is this such an object, or the word of a semaphore's name?
pub const fn is(object: u64) -> bool {
    BASE <= object && object < END || named::is_word(object)
}

/// What reports call it, if it is one of them.
pub const fn name(object: u64) -> Option<&'static str> {
    match object {
        RANDOM => Some("the random numbers of rand"),
        RANDOM_48 => Some("the random numbers of drand48"),
        KEY_NUMBERS => Some("the numbers of keys"),
        AT_EXIT => Some("what atexit has registered"),
        SIGNALS..KEYS => Some("the action of a signal"),
        KEYS..NAMES => Some("a thread-specific key"),
        NAMES..END => Some("the name of a thread"),
        _ => None,
    }
}
