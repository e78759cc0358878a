//! The hash of a run of steps. The runner computes it as it goes and the engine computes it over
//! traces; a plan names the one its prefix must have, so that a divergence is never followed
//! silently (algorithms, rule 10).

use crate::event::Event;

/// Hash of the empty run.
pub const EMPTY: u64 = 0x9e37_79b9_7f4a_7c15;

/// Extends a hash by one word: a full avalanche of the sum (the finaliser of splitmix64), so
/// that order counts.
#[inline]
pub const fn mix(hash: u64, word: u64) -> u64 {
    let mut z = (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^= z >> 32;
    z = z.wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 29)
}

/// Extends a hash by a step or a choice: its thread, kind and object. Values, sites and methods
/// stay out: they follow from the schedule, and the same run with more detail has the same hash.
#[inline]
pub fn step(hash: u64, event: &Event) -> u64 {
    mix(hash, event.identity())
}
