//! What holds for the whole of a guarantee: granularity, bound, order, reduction, memory model, what was not
//! seen and what was trusted.

use super::{first, list, plural};
use crate::config::{Bound, Config, Order, Reduce, States};
use crate::summary::{self, Summary, WarningKind};
use raddle_schedule::Granularity;

/// Granularity, bound, reduction, memory model.
pub(super) fn terms(config: &Config, s: &Summary) -> String {
    let within = match config.points_at.as_slice() {
        [] => String::new(),
        names => format!(" in {} only", list(names)),
    };
    let promoted = match config.promoted.as_slice() {
        [] => String::new(),
        // Where accesses race, a compiler may make one of two (gcc does at -O1): no search sees the other.
        names => {
            format!(" and accesses to {} that the compiler has left, promoted since they raced", list(names))
        }
    };
    let named: Vec<String> = config
        .points_in
        .dependencies
        .iter()
        .filter(|name| !raddle_schedule::dependency::is_no_crate(name))
        .cloned()
        .collect();
    let others = match named.as_slice() {
        [] => "dependencies".to_string(),
        names => format!("dependencies other than {}", list(names)),
    };
    let hidden = format!("sync points (in {others} only the first of a run of atomic operations)");
    let points = match config.granularity {
        Granularity::Sync if config.outside => &hidden,
        Granularity::Sync => "sync points",
        Granularity::Access => "access points",
        Granularity::Statement => "statement points",
        Granularity::LockExit => {
            "lock-exit points (of a program in which each shared variable has a lock that is held at every \
             access)"
        }
    };
    let bound = match config.bound {
        Bound::None => "no bound".to_string(),
        Bound::Preemptions(n) => format!("at most {}", plural(u64::from(n), "preemption")),
        Bound::Iterative => "no bound, fewest preemptions first".to_string(),
        Bound::Depth(0) => "no choices".to_string(),
        Bound::Depth(n) => format!("choices in the {} only", first(n)),
    };
    let order = match config.order {
        Order::Dfs => String::new(),
        ref other if other.draws() && !other.samples() => format!(", {other} order of seed {}", config.seed),
        ref other => format!(", {other} order"),
    };
    let reduction = match config.reduce {
        Reduce::None => "no reduction".to_string(),
        other => format!("{other} reduction"),
    };
    let fair = match s.unfair_left_out {
        true => ", but no thread again that yielded to others which have not run since",
        false => "",
    };
    let memory = match s.weaker_than_seqcst {
        0 => "sequential consistency only".to_string(),
        1 => "sequential consistency only: 1 operation weaker than SeqCst was treated as SeqCst".to_string(),
        n => format!(
            "sequential consistency only: {} operations weaker than SeqCst were treated as SeqCst",
            super::group(n)
        ),
    };
    let volatile = match s.warnings.iter().any(|w| w.kind == WarningKind::Volatile) {
        true => ", volatile variables as if they were atomic",
        false => "",
    };
    let unwatched = match &*config.unwatched {
        "" => String::new(),
        what => format!(", not watched: {what}"),
    };
    let by_itself = match config.by_itself {
        "" => String::new(),
        what => format!(", {what}"),
    };
    let threads = config
        .max_threads
        .map_or(String::new(), |most| format!(", at most {} at once", plural(most.into(), "thread")));
    let trusted = match config.trusted.as_slice() {
        [] => String::new(),
        names => format!(", trusted: no points in {}", list(names)),
    };
    let end = match s.stopped_rounds {
        true => {
            ", not run: more rounds of loops that yield, sleep or time out while the process was about to end"
        }
        false => "",
    };
    let reused = match (s.gave_back, s.quarantined) {
        (0, _) => String::new(),
        (_, 0) => ", not checked: use after free of reallocated blocks".to_string(),
        (_, n) => {
            format!(", use after free of reallocated blocks: checked in {}", plural(n, "execution"))
        }
    };
    format!(
        "{points}{promoted}{within}, {bound}{order}, {reduction}{fair}{}, {memory}{volatile}{by_itself}{threads}{trusted}{unwatched}{reused}{end}",
        states(config, s)
    )
}

/// What counts as the same state, and what is not known of it.
fn states(config: &Config, s: &Summary) -> String {
    let same = match config.states {
        States::None => return String::new(),
        States::Hb => "the same happens-before so far",
        States::Counters => "the same points passed, values read and values shared",
        States::Abstract => "the same places of threads and variables",
    };
    // Happens-before orders what is not watched as well.
    let hidden = match config.states {
        States::Hb => "",
        _ if config.unwatched.is_empty() => "",
        _ => ", whatever is not watched",
    };
    let full = match &s.remembered {
        Some(summary::States { full: true, table, .. }) => {
            let missed = match config.states {
                States::Counters => ", and whether outcomes differ there was not looked at",
                _ => "",
            };
            format!("; after {table} states no more were remembered, so some were explored again{missed}")
        }
        _ => String::new(),
    };
    let followed = match &s.remembered {
        Some(summary::States { followed: 1.., .. }) => {
            "; what a thread does at each place, and what follows from it, was taken from the executions that showed it"
        }
        _ => "",
    };
    format!(", states told apart by {same}{hidden} (hashes of 64 bits){full}{followed}")
}
