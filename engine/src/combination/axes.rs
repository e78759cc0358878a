//! What single axes cannot keep: orders, atomic blocks and trusted code, a fixed beginning, samplers.

use super::{Refusal, refuse};
use crate::config::{Bound, Config, Order, Reduce, States};
use crate::prefix::Prefix;
use raddle_schedule::Granularity;
use raddle_schedule::sampler::MOST_DEPTH;

/// Refuses priority functions that have nothing to go by.
pub(super) fn asking(c: &Config, names: &[String]) -> Result<(), Refusal> {
    let asks = |functions: &[&str]| names.iter().find(|n| functions.contains(&n.as_str()));
    let everywhere =
        matches!(c.granularity, Granularity::Sync | Granularity::Access) && c.points_at.is_empty();
    if !everywhere && let Some(name) = asks(&["dpor", "mdpor", "ss"]) {
        return refuse(
            "--order",
            &c.order,
            format!(
                "{name} goes by which steps commute, which is not known of steps that are more than one \
                 operation; use pb, rand, method or var, or --granularity sync"
            ),
        );
    }
    if c.reduce != Reduce::None
        && let Some(name) = asks(&["ss"])
    {
        return refuse(
            "--order",
            &c.order,
            format!(
                "{name} tells nothing apart with --reduce {}; leave it out, or use --reduce none",
                c.reduce
            ),
        );
    }
    let reverses = matches!(c.reduce, Reduce::Persistent | Reduce::Source | Reduce::Optimal);
    if reverses && let Some(name) = asks(&["dpor"]) {
        return refuse(
            "--order",
            &c.order,
            format!(
                "{name} tells nothing apart with --reduce {}, which runs nothing else; use mdpor, or leave it out",
                c.reduce
            ),
        );
    }
    Ok(())
}

/// Refuses what does not go together with atomic blocks and trusted code.
pub(super) fn blocks(c: &Config) -> Result<(), Refusal> {
    let lock_exit = c.granularity == Granularity::LockExit;
    if c.reduce == Reduce::Rw && !lock_exit {
        return refuse(
            "--reduce",
            c.reduce,
            "prunes orders of atomic blocks, which end at lock exits; use --granularity lock-exit, or \
             --reduce optimal",
        );
    }
    if lock_exit && !matches!(c.reduce, Reduce::None | Reduce::Rw) {
        return refuse(
            "--reduce",
            c.reduce,
            "reverses single operations, and between lock exits whole blocks of them would have to commute; \
             use --reduce rw, or --granularity sync",
        );
    }
    if lock_exit && c.audit > 0 {
        return refuse(
            "--audit",
            c.audit,
            "random runs tear atomic blocks in two where a lock is taken, which the search leaves out; leave \
             --audit out, or use --granularity sync",
        );
    }
    if c.promote_races && !c.trusted.is_empty() {
        return refuse(
            "--promote-races with --trust",
            c.trusted.join(","),
            "accesses in trusted code would be no points, and race again; leave one of the two out",
        );
    }
    if !c.trusted.is_empty() && !matches!(c.reduce, Reduce::None | Reduce::Rw) {
        return refuse(
            "--reduce",
            c.reduce,
            "in trusted code whole runs of operations would have to commute; use --reduce none, or leave \
             --trust out",
        );
    }
    if c.reduce == Reduce::Rw && c.states != States::None {
        return refuse(
            "--states",
            c.states,
            "a state that was reached with other threads delayed was explored in another part; \
             use --states none",
        );
    }
    Ok(())
}

/// Refuses what takes a step for one operation, where some are runs of a dependency's.
pub(super) fn outside(c: &Config) -> Result<(), Refusal> {
    let (why, way) = ("whole runs of a dependency's operations are one step", "use --points-in all");
    match c {
        Config { outside: false, .. } => Ok(()),
        Config { states, .. } if *states != States::None => {
            refuse("--states", states, format!("{why}, and may stop in the middle; {way}"))
        }
        Config { order: Order::Priorities(names), .. }
            if names.iter().any(|n| ["dpor", "mdpor", "ss"].contains(&n.as_str())) =>
        {
            refuse("--order", &c.order, format!("{why}, so which steps commute is not known; {way}"))
        }
        Config { promote_races: true, .. } => {
            refuse("--promote-races", "", format!("{why}, and accesses in them would race again; {way}"))
        }
        Config { granularity, .. } if *granularity != Granularity::Sync => {
            refuse("--granularity", granularity, "the first operations of runs are points at sync only")
        }
        _ => Ok(()),
    }
}

/// Refuses what does not go together with a fixed beginning.
pub(super) fn beginning(c: &Config, prefix: &Prefix) -> Result<(), Refusal> {
    if c.order.samples() {
        return refuse(
            "--order",
            &c.order,
            "it draws every switch, those of the chosen beginning too; use --order dfs",
        );
    }
    if c.audit > 0 {
        return refuse(
            "--audit",
            c.audit,
            "random runs need not have the chosen beginning, so that one outside of what was explored \
             proves nothing; leave --audit out",
        );
    }
    match c.bound {
        Bound::Preemptions(most) if prefix.preemptions > most => refuse(
            "--bound",
            c.bound,
            format!("the chosen beginning has {} preemptions already", prefix.preemptions),
        ),
        Bound::Depth(steps) if prefix.floor > steps => {
            refuse("--bound", c.bound, format!("the chosen beginning has {} steps already", prefix.floor))
        }
        _ => Ok(()),
    }
}

/// Refuses what a sampler cannot keep (rule 11).
pub(super) fn sampler(c: &Config) -> Result<(), Refusal> {
    if c.order == Order::Pct(0) {
        return refuse("--order", &c.order, "every bug has a depth of at least 1; use pct=1 or more");
    }
    if matches!(c.order, Order::Pct(depth) if depth > MOST_DEPTH) {
        return refuse("--order", &c.order, format!("the depth is at most {MOST_DEPTH}; bugs have 1 to 3"));
    }
    if c.bound != Bound::None {
        return refuse(
            "--bound",
            c.bound,
            format!("--order {} chooses every switch at random and keeps no bound; use --order dfs", c.order),
        );
    }
    if c.reduce != Reduce::None {
        return refuse(
            "--reduce",
            c.reduce,
            format!("--order {} may repeat executions anyway; use --reduce none, or --order dfs", c.order),
        );
    }
    if c.states != States::None {
        return refuse(
            "--states",
            c.states,
            format!("--order {} runs each execution to its end; use --states none, or --order dfs", c.order),
        );
    }
    if c.audit > 0 {
        return refuse(
            "--audit",
            c.audit,
            format!("--order {} explores no complete set to compare with; use --order dfs", c.order),
        );
    }
    Ok(())
}

/// Refuses lists that say nothing, or something that is not there yet.
pub(super) fn list(order: &Order, names: &[String]) -> Result<(), Refusal> {
    for (i, name) in names.iter().enumerate() {
        if names[..i].contains(name) {
            return refuse("--order", order, format!("{name} stands in it twice"));
        }
        if name == "dfs" && i + 1 < names.len() {
            let next = &names[i + 1];
            return refuse(
                "--order",
                order,
                format!("dfs knows no equals that {next} could order; put it last"),
            );
        }
    }
    Ok(())
}
