//! Which combinations of the axes are refused, and what to take in their place.
//!
//! Two kinds of refusal: a combination that would be unsound (algorithms, rules 6, 7 and 11)
//! names the sound choice; a value that is not built yet is refused by name, never ignored.
//! Unsound comes first, since no later version will accept it.

mod axes;

use crate::config::{Bound, Config, Order, Reduce, States};
use crate::mutants::Mutant;
use axes::{asking, beginning, blocks, list, outside, sampler};
use raddle_schedule::Granularity;

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The option at fault, `--bound`.
    pub option: &'static str,
    /// Its value.
    pub value: String,
    /// Why, and what to do.
    pub reason: String,
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {}: {}", self.option, self.value, self.reason)
    }
}

impl core::error::Error for Refusal {}

fn refuse<T>(option: &'static str, value: impl ToString, reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { option, value: value.to_string(), reason: reason.into() })
}

/// Is the configuration sound, and built?
pub fn check(config: &Config) -> Result<(), Refusal> {
    sound(config)?;
    built(config)
}

/// Refuses what would be wrong.
fn sound(c: &Config) -> Result<(), Refusal> {
    let preemptions = matches!(c.bound, Bound::Preemptions(_) | Bound::Iterative);
    let prunes_pairs =
        matches!(c.reduce, Reduce::Sleep | Reduce::Persistent | Reduce::Source | Reduce::Optimal);
    if preemptions && prunes_pairs && c.mutant != Some(Mutant::ReductionUnderBound) {
        return refuse(
            "--reduce",
            c.reduce,
            format!(
                "unsound with --bound {}: it prunes executions whose equivalents lie beyond the bound; \
                 use --reduce bounded with --bound preemptions=N, or --bound none",
                c.bound
            ),
        );
    }
    if matches!(c.bound, Bound::Depth(_)) && c.reduce != Reduce::None {
        return refuse(
            "--reduce",
            c.reduce,
            format!(
                "unsound with --bound {}: it prunes executions whose equivalents have choices beyond that \
                 depth; use --reduce none, or --bound none",
                c.bound
            ),
        );
    }
    if c.reduce == Reduce::Bounded && c.bound == Bound::Iterative {
        return refuse(
            "--reduce",
            c.reduce,
            "does not go through executions in the order of their preemptions: one found late may need \
             fewer, so that no round would be complete before all are; use --bound preemptions=N, or \
             --reduce none",
        );
    }
    if preemptions && c.granularity == Granularity::LockExit {
        return refuse(
            "--bound",
            c.bound,
            "preemptions between atomic blocks are not those that the bound is about; \
             use --granularity sync, or --bound none",
        );
    }
    if c.granularity == Granularity::Statement && c.reduce != Reduce::None {
        return refuse(
            "--reduce",
            c.reduce,
            "what a statement will do is not known before it is done, so which statements commute is \
             not either; use --reduce none, or --granularity sync",
        );
    }
    if c.promote_races && c.granularity != Granularity::Sync {
        let why = match c.granularity {
            Granularity::Access => "every access is a point already; leave one of the two out",
            _ => "promotion adds points to those at synchronisation; use --granularity sync",
        };
        return refuse("--promote-races with --granularity", c.granularity, why);
    }
    if c.promote_races && !c.points_at.is_empty() {
        return refuse(
            "--promote-races with --points-at",
            c.points_at.join(","),
            "accesses outside of these functions would be no points, and race again; leave one of the two out",
        );
    }
    if !c.points_at.is_empty() && c.reduce != Reduce::None {
        return refuse(
            "--reduce",
            c.reduce,
            "between points that are restricted to some functions whole runs of operations would have \
             to commute; use --reduce none, or leave --points-at out",
        );
    }
    outside(c)?;
    blocks(c)?;
    states(c)?;
    if let Order::Priorities(names) = &c.order {
        asking(c, names)?;
    }
    if let Some(prefix) = &c.below {
        beginning(c, prefix)?;
    }
    if c.order.samples() {
        return sampler(c);
    }
    Ok(())
}

/// Refuses what a memory of states cannot keep (rule 6).
fn states(c: &Config) -> Result<(), Refusal> {
    if c.states == States::None {
        return Ok(());
    }
    let reverses_races = matches!(
        c.reduce,
        Reduce::Persistent | Reduce::Source | Reduce::Optimal | Reduce::Bounded | Reduce::Rw
    );
    if reverses_races && c.mutant != Some(Mutant::StatesWithReversal) {
        return refuse(
            "--states",
            c.states,
            format!(
                "a state pruned by --reduce {} hides races that lie beyond it; use --states none",
                c.reduce
            ),
        );
    }
    if c.order.samples() {
        return refuse(
            "--states",
            c.states,
            format!("--order {} runs each execution to its end and files none; use --order dfs", c.order),
        );
    }
    if c.audit > 0 && c.states != States::Hb {
        return refuse(
            "--audit",
            c.audit,
            format!(
                "it asks whether random runs are of classes that were explored, and --states {} explores states, \
                 not classes; use --states hb, which keeps every class",
                c.states
            ),
        );
    }
    Ok(())
}

/// Refuses what has a name but is not there yet.
fn built(c: &Config) -> Result<(), Refusal> {
    const NOT_BUILT: &str = "not built yet";
    match &c.order {
        Order::Dfs | Order::Random | Order::Pct(_) | Order::Pos => {}
        Order::Priorities(names) => list(&c.order, names)?,
    }
    if matches!(c.reduce, Reduce::Unfolding | Reduce::Contextual) {
        return refuse(
            "--reduce",
            c.reduce,
            format!("{NOT_BUILT}; use none, sleep, persistent, source, optimal, bounded or rw"),
        );
    }
    if c.states != States::None && c.reduce == Reduce::Sleep {
        return refuse(
            "--states",
            c.states,
            format!("with --reduce sleep it is {NOT_BUILT}; use --reduce none, or --states none"),
        );
    }
    if c.granularity == Granularity::LockExit && c.states != States::None {
        return refuse(
            "--states",
            c.states,
            format!("between atomic blocks it is {NOT_BUILT}; use --states none, or --granularity sync"),
        );
    }
    if c.audit > 0 && !c.classes {
        return refuse("--audit", c.audit, "it compares happens-before classes, which are not counted here");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
