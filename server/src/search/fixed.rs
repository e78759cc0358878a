//! What a test asks for that has one value in all executions: random bytes, the keys of std's hash maps, the
//! numbers in Rust's `ThreadId`s, the time.

use crate::report::FIXED;
use raddle_protocol::report::Report;
use raddle_schedule::channel::Channel;
use raddle_schedule::channel::outside::{DRAWS_RANDOM, NUMBERS_THREADS, READS_CLOCK, SEEDS_HASHES};
use std::sync::atomic::Ordering;

/// Says what the test asked for that had one value in all executions. Where several seeds are tried, these are named instead.
pub(super) fn tell(channel: &Channel, seeds: u64, report: &mut Report) {
    let mut asked = channel.header().outside.load(Ordering::Relaxed);
    if seeds > 1 {
        asked &= !(DRAWS_RANDOM | SEEDS_HASHES);
    }
    let named = [
        (DRAWS_RANDOM, "random numbers"),
        (SEEDS_HASHES, "hash seed"),
        (NUMBERS_THREADS, "thread ids"),
        (READS_CLOCK, "clock"),
    ];
    let fixed: Vec<&str> = named.iter().filter(|(bit, _)| asked & bit != 0).map(|(_, name)| *name).collect();
    if !fixed.is_empty() {
        let terms = report.guarantee.strip_suffix(')').unwrap_or(&report.guarantee);
        report.guarantee = format!("{terms}, {FIXED}{})", fixed.join(", "));
    }
}
