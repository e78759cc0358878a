//! The gaps that executions show ([`raddle_protocol::gap`]): each is told in the guarantee and in the verdict line.

use crate::report::guarantees::FIXED;
use raddle_engine::{Config, Summary, WarningKind};
use raddle_protocol::gap::Gap;
use raddle_protocol::report::Report;
use raddle_schedule::channel::Channel;
use raddle_schedule::channel::outside::{
    DRAWS_RANDOM, EXCHANGES_WEAKLY, MODELS_PRIMITIVES, NUMBERS_THREADS, READS_CLOCK, RETIRES_BLOCKS,
    SEEDS_HASHES, WAITS_FOR_WAKEUPS,
};
use raddle_schedule::{Granularity, trusted};
use std::sync::atomic::Ordering;

/// In the guarantee, where primitives of crates were modelled.
pub(super) const PRIMITIVES: &str = "assumed: locks and waits of parking_lot, crossbeam and rayon do what their code does, and idle threads of tokio and blocking stay (--points-in primitives runs their code)";

/// Behind the names of the runtimes that were trusted.
const TRUSTED: &str = " (--points-in explores the inside of the crates that it names)";
const ATOMIC: &str = ", assumed atomic: ";

/// A guarantee without what it says of runtimes.
pub(super) fn without_runtimes(guarantee: &str) -> String {
    let term = guarantee
        .find(ATOMIC)
        .and_then(|from| Some(from..from + guarantee[from..].find(TRUSTED)? + TRUSTED.len()));
    let mut rest = guarantee.to_owned();
    if let Some(term) = term {
        rest.replace_range(term, "");
    }
    rest
}

/// Adds a term to the guarantee.
pub(super) fn term(report: &mut Report, words: &str) {
    let terms = report.guarantee.strip_suffix(')').unwrap_or(&report.guarantee);
    report.guarantee = format!("{terms}, {words})");
}

/// Adds a gap, with its term of the guarantee.
pub(super) fn tell(report: &mut Report, gap: Gap, words: &str) {
    term(report, words);
    report.gaps.insert(gap);
}

/// Adds the gaps that the summary knows, of which the engine has told in the guarantee.
pub(super) fn of_summary(config: &Config, s: &Summary, report: &mut Report) {
    let is_volatile = |w: &raddle_engine::Warning| w.kind == WarningKind::Volatile;
    let known = [
        (Gap::SequentialConsistency, s.weaker_than_seqcst > 0),
        (Gap::Fairness, s.unfair_left_out),
        (Gap::Volatile, s.warnings.iter().any(is_volatile)),
        (Gap::DependencyPoints, config.outside && config.granularity == Granularity::Sync),
        (Gap::ProcessEnd, s.stopped_rounds),
        (Gap::ReusedBlocks, s.gave_back > s.quarantined),
    ];
    report.gaps.extend(known.iter().filter(|(_, is_there)| *is_there).map(|(gap, _)| *gap));
}

/// Tells what the test did that is explored only if somebody asks for it.
pub(super) fn of_options(channel: &Channel, report: &mut Report) {
    let met = channel.header().outside.load(Ordering::Relaxed);
    let gaps = [
        (WAITS_FOR_WAKEUPS, Gap::SpuriousWakeups, "not explored: spurious wakeups (--spurious-wakeups)"),
        (MODELS_PRIMITIVES, Gap::Primitives, PRIMITIVES),
        (
            EXCHANGES_WEAKLY,
            Gap::SpuriousFailures,
            "not explored: spurious failures of weak compare-exchanges (--spurious-failures)",
        ),
        (
            RETIRES_BLOCKS,
            Gap::OwnedBlocks,
            "not explored: reuse of blocks that the last owner of an Arc or shared_ptr frees",
        ),
    ];
    for (_, gap, words) in gaps.into_iter().filter(|(bit, ..)| met & bit != 0) {
        tell(report, gap, words);
    }
    let trusted = trusted::names(channel.header().trusted.load(Ordering::Relaxed)).join(", ");
    if !trusted.is_empty() {
        tell(report, Gap::Runtimes, &format!("{}{trusted}{TRUSTED}", ATOMIC.trim_start_matches([',', ' '])));
    }
}

/// Tells what the test asked for that had one value in all executions. Where several seeds are tried, these are named instead.
pub(super) fn of_fixed(channel: &Channel, seeds: u64, report: &mut Report) {
    let mut asked = channel.header().outside.load(Ordering::Relaxed);
    if seeds > 1 {
        asked &= !(DRAWS_RANDOM | SEEDS_HASHES);
    }
    let named = [
        (DRAWS_RANDOM, Gap::RandomNumbers),
        (SEEDS_HASHES, Gap::HashSeed),
        (NUMBERS_THREADS, Gap::ThreadIds),
        (READS_CLOCK, Gap::Clock),
    ];
    let fixed: Vec<Gap> = named.iter().filter(|(bit, _)| asked & bit != 0).map(|(_, gap)| *gap).collect();
    if !fixed.is_empty() {
        let names: Vec<&str> = fixed.iter().map(|gap| gap.words()).collect();
        term(report, &format!("{FIXED}{}", names.join(", ")));
        report.gaps.extend(fixed);
    }
}
