//! Which combinations of the axes are refused, and what to take in their place.
//!
//! Two kinds of refusal: a combination that would be unsound (algorithms, rules 6, 7 and 11)
//! names the sound choice; a value that is not built yet is refused by name, never ignored.
//! Unsound comes first, since no later version will accept it.

use crate::broken::Broken;
use crate::config::{Bound, Config, Order, Reduce, States};
use crate::prefix::Prefix;
use raddle_schedule::Granularity;
use raddle_schedule::sampler::MOST_DEPTH;

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
    if preemptions && prunes_pairs && c.broken != Some(Broken::ReductionUnderBound) {
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
    if reverses_races && c.broken != Some(Broken::StatesWithReversal) {
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

/// Refuses priority functions that have nothing to go by.
fn asking(c: &Config, names: &[String]) -> Result<(), Refusal> {
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
fn blocks(c: &Config) -> Result<(), Refusal> {
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

/// Refuses what does not go together with a fixed beginning.
fn beginning(c: &Config, prefix: &Prefix) -> Result<(), Refusal> {
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
fn sampler(c: &Config) -> Result<(), Refusal> {
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

/// Refuses lists that say nothing, or something that is not there yet.
fn list(order: &Order, names: &[String]) -> Result<(), Refusal> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(c: Config) -> String {
        check(&c).unwrap_err().to_string()
    }

    #[test]
    fn rule_7_unsound_combinations_name_the_sound_choice() {
        for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
            for bound in [Bound::Preemptions(2), Bound::Iterative] {
                let text = refused(Config { reduce, bound, ..Config::default() });
                assert!(text.contains("unsound") && text.contains("--reduce bounded"), "{text}");
            }
        }
        let text = refused(Config {
            granularity: Granularity::LockExit,
            bound: Bound::Iterative,
            ..Config::default()
        });
        assert!(text.starts_with("--bound iterative") && text.contains("--granularity sync"), "{text}");
    }

    #[test]
    fn a_depth_goes_with_no_reduction() {
        let bound = Bound::Depth(20);
        for reduce in [Reduce::Sleep, Reduce::Source, Reduce::Optimal, Reduce::Bounded, Reduce::Rw] {
            let text = refused(Config { reduce, bound, ..Config::default() });
            assert!(
                text.contains("unsound with --bound depth=20") && text.contains("--reduce none"),
                "{text}"
            );
        }
        assert_eq!(check(&Config { bound, ..Config::default() }), Ok(()));
    }

    #[test]
    fn rule_6_state_memory_with_race_reversal_is_refused() {
        for reduce in [Reduce::Persistent, Reduce::Source, Reduce::Optimal, Reduce::Bounded] {
            let text = refused(Config { reduce, states: States::Hb, ..Config::default() });
            assert!(text.contains("use --states none"), "{text}");
        }
    }

    #[test]
    fn rule_6_state_memory_is_of_searches_that_file_executions() {
        let counters = Config { states: States::Counters, ..Config::default() };
        for (c, choice) in [
            (Config { order: Order::Random, ..counters.clone() }, "use --order dfs"),
            (Config { audit: 5, ..counters.clone() }, "use --states hb"),
            (Config { reduce: Reduce::Sleep, ..counters.clone() }, "use --reduce none"),
        ] {
            assert!(refused(c.clone()).contains(choice), "{}", refused(c));
        }
        for states in [States::Hb, States::Counters, States::Abstract] {
            for bound in [Bound::None, Bound::Iterative, Bound::Preemptions(2), Bound::Depth(9)] {
                assert_eq!(check(&Config { states, bound, ..Config::default() }), Ok(()));
            }
        }
        assert_eq!(check(&Config { states: States::Hb, audit: 5, ..Config::default() }), Ok(()));
    }

    #[test]
    fn what_commutes_is_known_of_operations_that_are_points_only() {
        let statement = Config { granularity: Granularity::Statement, ..Config::default() };
        let restricted = Config { points_at: vec!["f".into()], ..Config::default() };
        for c in [statement, restricted] {
            assert_eq!(check(&c), Ok(()));
            for reduce in [Reduce::Sleep, Reduce::Source, Reduce::Rw] {
                let text = refused(Config { reduce, ..c.clone() });
                assert!(text.contains("use --reduce none") && !text.contains("not built"), "{text}");
            }
        }
    }

    #[test]
    fn rw_prunes_orders_of_atomic_blocks_and_nothing_else_does() {
        let lock_exit = Config { granularity: Granularity::LockExit, ..Config::default() };
        let rw = Config { reduce: Reduce::Rw, ..lock_exit.clone() };
        let trusted = vec!["log".to_string()];
        assert_eq!((check(&lock_exit), check(&rw)), (Ok(()), Ok(())));
        assert_eq!(check(&Config { trusted: trusted.clone(), ..rw.clone() }), Ok(()));
        assert_eq!(check(&Config { trusted: trusted.clone(), ..Config::default() }), Ok(()));
        let optimal = Config { reduce: Reduce::Optimal, ..Config::default() };
        for (c, option, instead) in [
            (
                Config { granularity: Granularity::Sync, ..rw.clone() },
                "--reduce rw",
                "--granularity lock-exit",
            ),
            (
                Config { granularity: Granularity::LockExit, ..optimal.clone() },
                "--reduce optimal",
                "--reduce rw",
            ),
            (Config { trusted: trusted.clone(), ..optimal }, "--reduce optimal", "leave --trust out"),
            (
                Config { trusted, promote_races: true, ..Config::default() },
                "--promote-races with --trust log",
                "leave one of the two out",
            ),
            (Config { audit: 5, ..lock_exit }, "--audit 5", "--granularity sync"),
            (Config { states: States::Hb, ..rw.clone() }, "--states hb", "use --states none"),
            (Config { bound: Bound::Iterative, ..rw }, "--bound iterative", "--bound none"),
        ] {
            let text = refused(c);
            assert!(text.starts_with(option) && text.contains(instead), "{text}");
        }
    }

    #[test]
    fn rule_11_samplers_keep_no_bound() {
        for order in [Order::Random, Order::Pct(3), Order::Pos] {
            let sampler = Config { order, ..Config::default() };
            for c in [
                Config { bound: Bound::Iterative, ..sampler.clone() },
                Config { bound: Bound::Preemptions(1), ..sampler.clone() },
                Config { bound: Bound::Depth(9), ..sampler.clone() },
                Config { reduce: Reduce::Optimal, ..sampler.clone() },
                Config { states: States::Hb, ..sampler.clone() },
                Config { audit: 10, ..sampler.clone() },
            ] {
                assert!(refused(c).contains("--order dfs"));
            }
            for granularity in [Granularity::Sync, Granularity::Access, Granularity::Statement] {
                assert_eq!(check(&Config { granularity, ..sampler.clone() }), Ok(()));
            }
        }
    }

    #[test]
    fn depths_are_those_of_bugs() {
        let pct = |depth| Config { order: Order::Pct(depth), ..Config::default() };
        assert!(refused(pct(0)).starts_with("--order pct=0: every bug has a depth of at least 1"));
        assert!(refused(pct(MOST_DEPTH + 1)).contains("at most 1000"));
        assert_eq!(check(&pct(1)).and(check(&pct(MOST_DEPTH))), Ok(()));
    }

    #[test]
    fn what_is_not_built_is_refused_by_name() {
        for reduce in [Reduce::Unfolding, Reduce::Contextual] {
            let text = refused(Config { reduce, ..Config::default() });
            let built = "use none, sleep, persistent, source, optimal, bounded or rw";
            assert_eq!(text, format!("--reduce {reduce}: not built yet; {built}"));
        }
        for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal, Reduce::Bounded] {
            assert_eq!(check(&Config { reduce, ..Config::default() }), Ok(()));
        }
        let bounded = |bound| Config { reduce: Reduce::Bounded, bound, ..Config::default() };
        assert_eq!(check(&bounded(Bound::Preemptions(2))), Ok(()));
        assert!(refused(bounded(Bound::Iterative)).contains("use --bound preemptions=N"));
        let granularity = Granularity::LockExit;
        let remembering = Config { granularity, states: States::Hb, ..Config::default() };
        assert!(refused(remembering).starts_with("--states hb: between atomic blocks it is not built yet"));
        assert_eq!(check(&Config { bound: Bound::Iterative, ..Config::default() }), Ok(()));
    }

    #[test]
    fn lists_of_priority_functions_hold_each_that_is_built_once() {
        let with = |order: &str| Config { order: Order::parse(order).unwrap(), ..Config::default() };
        for order in ["method", "var", "pb", "dpor", "mdpor", "ss", "rand", "method,var", "mdpor,pb,dfs"] {
            assert_eq!(check(&with(order)), Ok(()), "{order}");
        }
        for (order, why) in [("method,method", "method stands in it twice"), ("dfs,method", "put it last")] {
            let text = refused(with(order));
            assert!(text.starts_with(&format!("--order {order}: ")) && text.contains(why), "{text}");
        }
    }

    #[test]
    fn below_a_prefix_nothing_is_drawn_at_random_and_the_bound_leaves_room() {
        let below = Some(Prefix { floor: 3, preemptions: 2, ..Prefix::default() });
        let below = Config { below, ..Config::default() };
        for (c, option) in [
            (Config { order: Order::Random, ..below.clone() }, "--order random"),
            (Config { order: Order::Pos, ..below.clone() }, "--order pos"),
            (Config { audit: 5, ..below.clone() }, "--audit 5"),
            (Config { bound: Bound::Preemptions(1), ..below.clone() }, "--bound preemptions=1"),
            (Config { bound: Bound::Depth(2), ..below.clone() }, "--bound depth=2"),
        ] {
            assert!(refused(c).starts_with(option));
        }
        for bound in [Bound::Preemptions(2), Bound::Depth(3), Bound::Iterative, Bound::None] {
            assert_eq!(check(&Config { bound, ..below.clone() }), Ok(()));
        }
    }
}
