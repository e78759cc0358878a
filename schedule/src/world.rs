//! What a process has besides the memory of its program, and threads can tell each other by: objects at addresses where
//! nothing of the program lies.

/// Where they lie.
pub const BASE: u64 = 0x0f20_0000_0000;
/// The numbers of `rand` and `random`, which the whole process draws from.
pub const RANDOM: u64 = BASE;
/// Those of `drand48` and its like.
pub const RANDOM_48: u64 = BASE + 8;

/// What reports call it, if it is one of them.
pub const fn name(object: u64) -> Option<&'static str> {
    match object {
        RANDOM => Some("the random numbers of rand"),
        RANDOM_48 => Some("the random numbers of drand48"),
        _ => None,
    }
}
