//! What is refused, and with which words.

use super::*;
use crate::prefix::Prefix;
use raddle_schedule::sampler::MOST_DEPTH;

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
    let text =
        refused(Config { granularity: Granularity::LockExit, bound: Bound::Iterative, ..Config::default() });
    assert!(text.starts_with("--bound iterative") && text.contains("--granularity sync"), "{text}");
}

#[test]
fn a_depth_goes_with_no_reduction() {
    let bound = Bound::Depth(20);
    for reduce in [Reduce::Sleep, Reduce::Source, Reduce::Optimal, Reduce::Bounded, Reduce::Rw] {
        let text = refused(Config { reduce, bound, ..Config::default() });
        assert!(text.contains("unsound with --bound depth=20") && text.contains("--reduce none"), "{text}");
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
        (Config { granularity: Granularity::Sync, ..rw.clone() }, "--reduce rw", "--granularity lock-exit"),
        (Config { granularity: Granularity::LockExit, ..optimal.clone() }, "--reduce optimal", "--reduce rw"),
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
