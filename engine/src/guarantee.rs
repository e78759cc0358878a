//! The guarantee: what was covered, in one sentence (algorithms, rule 12). It names granularity,
//! bound, reduction, the memory model, and what cut the search.

mod terms;

use crate::analysis::misuse;
use crate::config::{Bound, Config, Reduce, States};
use crate::summary::{Failure, FailureKind, StopReason, Summary, WarningKind};
use raddle_schedule::Granularity;
use terms::terms;

/// The sentence for this result.
pub fn sentence(config: &Config, s: &Summary) -> String {
    let covered = if config.order.samples() {
        sampled(config, s)
    } else if !s.failures.is_empty() {
        failed(config, s)
    } else if s.complete {
        passed(config, s)
    } else {
        unfinished(config, s)
    };
    let among = match &config.below {
        Some(prefix) => {
            let beginning = prefix.describe(config);
            format!("among the executions that begin with {beginning}: ")
        }
        None => String::new(),
    };
    format!("{among}{covered} ({})", terms(config, s))
}

/// Were steps followed in a model: then one execution can be enough where there are several interleavings?
fn follows(s: &Summary) -> bool {
    s.remembered.is_some_and(|memory| memory.followed > 0)
}

/// Does an execution that was run stand for others?
fn stands_for_others(config: &Config) -> bool {
    config.reduce != Reduce::None || config.states != States::None
}

fn passed(config: &Config, s: &Summary) -> String {
    let aside = aside(s);
    if config.granularity == Granularity::LockExit {
        return passed_in_blocks(config, s, &aside);
    }
    let all = match (s.executions, stands_for_others(config)) {
        (1, false) => "the only interleaving passes".to_string(),
        (1, true) if !follows(s) => "the only distinct interleaving passes".to_string(),
        (n, _) => format!("{} pass", interleavings(config, n)),
    };
    match config.bound {
        Bound::Preemptions(n) if s.beyond_bound => {
            let all = match (s.executions, stands_for_others(config)) {
                (1, false) => "the only interleaving".to_string(),
                (1, true) => "the one interleaving that stands for all".to_string(),
                (n, _) => interleavings(config, n),
            };
            let verb = if s.executions == 1 { "passes" } else { "pass" };
            let n = u64::from(n);
            format!(
                "{all} with at most {} {verb}{aside}; any failure needs at least {}",
                plural(n, "preemption"),
                plural(n + 1, "preemption")
            )
        }
        Bound::Preemptions(n) => {
            format!("{all}{aside}, none needing more than {}", plural(u64::from(n), "preemption"))
        }
        Bound::Depth(n) if s.beyond_bound => format!("{all}{aside}; {}", beyond_depth(n)),
        Bound::Depth(0) => format!("{all}{aside}, none with a choice"),
        Bound::Depth(n) => format!("{all}{aside}, none with a choice after its {}", first(n)),
        _ => format!("{all}{aside}"),
    }
}

/// Orders of atomic blocks tell of assertions: of deadlocks they execute few (paper 004, section 6).
fn passed_in_blocks(config: &Config, s: &Summary, aside: &str) -> String {
    let all = match (s.executions, config.reduce) {
        (n, Reduce::Rw) => {
            format!("no assertion fails in any order of atomic blocks (in {})", plural(n, "execution"))
        }
        (1, _) => "the only order of atomic blocks passes".to_string(),
        (n, _) => format!("all {} orders of atomic blocks pass", group(n)),
    };
    let depth = match config.bound {
        Bound::Depth(n) if s.beyond_bound => format!("; {}", beyond_depth(n)),
        _ => String::new(),
    };
    format!("{all}{aside}{depth}; {}", deadlocks(config))
}

/// What orders of atomic blocks leave open.
fn deadlocks(config: &Config) -> &'static str {
    match config.reduce {
        Reduce::Rw => "deadlocks are not ruled out",
        _ => "threads that block each other in a cycle of locks are not ruled out",
    }
}

/// What was run, as far as it is everything. Of executions that differ only by the order of
/// independent steps a reduction runs one, or at least not all.
fn interleavings(config: &Config, n: u64) -> String {
    match config.reduce {
        Reduce::None if config.states != States::None => {
            format!(
                "all interleavings, each state that they reach explored once ({}),",
                plural(n, "execution")
            )
        }
        Reduce::None => format!("all {} interleavings", group(n)),
        Reduce::Bounded => format!("the {} interleavings that stand for all", group(n)),
        _ => format!("all distinct interleavings (in {})", plural(n, "execution")),
    }
}

/// What a depth bound leaves out.
fn beyond_depth(steps: u32) -> String {
    match steps {
        0 => "no step was varied".to_string(),
        _ => format!("nothing after the {} of each was varied", first(steps)),
    }
}

/// `first step`, `first 20 steps`.
fn first(steps: u32) -> String {
    if steps == 1 { "first step".to_string() } else { format!("first {} steps", group(u64::from(steps))) }
}

/// What was cut off, beside the complete executions.
fn aside(s: &Summary) -> String {
    match s.assume_blocked {
        0 => String::new(),
        n => format!(
            " ({} more {} cut off by a false assumption)",
            group(n),
            if n == 1 { "was" } else { "were" }
        ),
    }
}

/// Said of a data race that was found while threads are not switched at every access.
pub const UNEXPLORED: &str = "switches at the racing accesses were not explored (--granularity access does)";

/// Was a data race found while threads are not switched at every access? Then other orders of
/// the racing accesses exist that no schedule of these points shows.
pub fn racing_accesses_unexplored(config: &Config, failures: &[Failure]) -> bool {
    let everywhere =
        config.granularity == Granularity::Access && config.points_at.is_empty() && config.trusted.is_empty();
    !everywhere && failures.iter().any(|f| f.kind == FailureKind::DataRace)
}

fn failed(config: &Config, s: &Summary) -> String {
    let fewest = s.failures.iter().map(|f| f.preemptions).min().unwrap_or(0);
    let found = match s.failures.len() {
        1 => format!("a failure was found at {}", plural(u64::from(fewest), "preemption")),
        n if stands_for_others(config) => {
            format!(
                "{n} distinct failures were found, with {} or more",
                plural(u64::from(fewest), "preemption")
            )
        }
        n => format!("{n} distinct failures were found, from {} on", plural(u64::from(fewest), "preemption")),
    };
    let remaining = if racing_accesses_unexplored(config, &s.failures) {
        match (config.points_at.as_slice(), config.trusted.as_slice()) {
            ([], []) => format!("; {UNEXPLORED}"),
            (_, []) => format!("; {}", UNEXPLORED.replace(" does", " without --points-at does")),
            _ => format!("; {}", UNEXPLORED.replace(" does", " without --trust does")),
        }
    } else if s.complete && !s.beyond_bound && config.granularity == Granularity::LockExit {
        format!("; all orders of atomic blocks were covered: no other assertion fails; {}", deadlocks(config))
    } else if s.complete && !s.beyond_bound {
        let all = match (runs(s), stands_for_others(config)) {
            (n, false) => format!("all {}", plural(n, "interleaving")),
            (1, true) if !follows(s) => "the only distinct interleaving".to_string(),
            (n, true) => interleavings(config, n),
        };
        let was = if runs(s) == 1 && !follows(s) { "was" } else { "were" };
        let done = if follows(s) { "followed" } else { "run" };
        // The end of what is misused is no step, so its use may come before it in no execution.
        if s.failures.iter().any(misuse::ended_by) {
            format!("; {all} {was} {done} up to the misuse that ended them: other failures may lie behind it")
        } else {
            // Causes behind what shows in the same place with the same words are looked for, not searched through.
            format!(
                "; {all} {was} {done}: there is no failure of another kind, place or message, though one may have another cause, too"
            )
        }
    } else {
        match s.bound_completed {
            // Those that were found need more than was completed.
            Some(c) if fewest > c + 1 => {
                format!("; no failure has fewer than {}", plural(u64::from(c) + 1, "preemption"))
            }
            _ => beyond(s, "any remaining failure"),
        }
    };
    let depth = match config.bound {
        Bound::Depth(n) if s.beyond_bound => format!("; {}", beyond_depth(n)),
        _ => String::new(),
    };
    format!("{found}{remaining}{depth}{}", cut(config, s))
}

fn unfinished(config: &Config, s: &Summary) -> String {
    let beyond = beyond(s, "any failure");
    // Who goes round for ever races with nobody that has not begun.
    let reverses = !matches!(config.reduce, Reduce::None | Reduce::Sleep);
    let hint = match reverses && s.truncated > 0 {
        true => ", and what others would do meanwhile may not have been tried (--reduce none tries it)",
        false => "",
    };
    format!("not complete: no failure in {}{beyond}{}{hint}", were_run(config, s), cut(config, s))
}

fn sampled(config: &Config, s: &Summary) -> String {
    let found = match s.failures.len() {
        0 => "no failure".to_string(),
        n => plural(n as u64, "distinct failure"),
    };
    let seed = config.seed;
    format!(
        "{found} in {} drawn at random, seed {seed}, which promises no completeness{}",
        were_run(config, s),
        cut(config, s)
    )
}

/// Everything that was run, to whatever end of its own. What is cut off asleep is explored elsewhere.
fn runs(s: &Summary) -> u64 {
    s.executions + s.deadlocked + s.truncated + s.assume_blocked + s.refused
}

/// What was run, in words. Two searches may have run the same; and what is drawn at random, or not run to its
/// end, need not be an order of whole atomic blocks.
fn were_run(config: &Config, s: &Summary) -> String {
    let in_blocks = config.granularity == Granularity::LockExit;
    plural(runs(s), if in_blocks || !s.shares.is_empty() { "execution" } else { "interleaving" })
}

/// What the finished rounds of preemptions say.
fn beyond(s: &Summary, failure: &str) -> String {
    match s.bound_completed {
        Some(c) => format!("; {failure} needs at least {}", plural(u64::from(c) + 1, "preemption")),
        None => String::new(),
    }
}

/// What cut the search.
fn cut(config: &Config, s: &Summary) -> String {
    let mut cut = String::new();
    if s.truncated > 0 {
        cut += &format!("; {} cut off at the step bound", plural(s.truncated, "execution"));
    }
    if s.refused > 0 {
        cut += &format!("; {} refused: what follows was not run", plural(s.refused, "execution"));
    }
    if s.warnings.iter().any(|w| w.kind == WarningKind::Lockset) {
        cut += "; the locking discipline on which lock-exit points rest is violated";
    }
    if s.lost > 0 {
        cut += &format!("; {} ended the runner: what follows it was not run", plural(s.lost, "execution"));
    }
    if s.diverged > 0 {
        cut += &format!("; {} did not repeat", plural(s.diverged, "execution"));
    }
    if !s.undisciplined.is_empty() {
        let what: Vec<String> = s.undisciplined.iter().map(|w| w.to_string()).collect();
        cut += &format!(
            "; the program uses {}, which orders of atomic blocks do not cover (--granularity sync does)",
            list(&what)
        );
    }
    match &s.stopped {
        None | Some(StopReason::Failure) => {}
        Some(reason) => cut += &format!("; stopped by {reason}"),
    }
    if let (Some(StopReason::Executions(_)), 1..) = (&s.stopped, config.spent) {
        cut += &format!(", {} of them before the search began again", group(config.spent));
    }
    cut
}

/// `a`, `a and b`, `a, b and c`.
fn list(names: &[String]) -> String {
    match names {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => names.concat(),
    }
}

pub(crate) fn plural(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{} {noun}s", group(n)) }
}

/// `19,605`.
pub(crate) fn group(n: u64) -> String {
    let digits = n.to_string();
    let parts: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    parts.iter().map(|p| String::from_utf8_lossy(p)).collect::<Vec<_>>().join(",")
}
