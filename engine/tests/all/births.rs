//! Threads that create threads at the same time. Births in different threads are independent, but threads are numbered in the
//! order of their births, and no reduction may take one for the other (algorithms, rule 1).
//!
//! `RADDLE_PROGRAMS=5000 cargo test -p raddle-engine --release --test all births` compares as many random programs with brute
//! force.

use crate::common::many::{compared, each_of};
use crate::common::{brute, compare, config, explore, generator, model};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Condition, Instr::*, Is, Program, Value::Const, Value::Reg};
use raddle_engine::{
    Bound, Config, Control, Error, FailureKind, Order, Portfolio, Prefix, Reduce, Summary, search,
};
use raddle_schedule::{Granularity, Order::SeqCst, Outcome};
use std::collections::BTreeSet;

const REDUCTIONS: [Reduce; 4] = [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal];

/// T0 creates so many threads, each of which creates a thread with this body.
fn nested(threads: usize, joins: bool, child: Vec<raddle_engine::simulated::Instr>) -> Program {
    let spawns = (0..threads).map(|i| Spawn(1, 3 + i as u8));
    let waits = (0..threads).map(|i| Join(Reg(3 + i as u8)));
    let mut parent = vec![Spawn(2, 3)];
    parent.extend(joins.then_some(Join(Reg(3))));
    Program { bodies: vec![spawns.chain(waits).collect(), parent, child], semaphores: Vec::new() }
}

#[test]
fn births_and_joins_in_different_threads_are_one_class() {
    for (threads, joins) in [(2, true), (3, true), (4, true), (4, false), (5, true)] {
        let program = nested(threads, joins, Vec::new());
        for reduce in REDUCTIONS {
            // Sleep sets alone try every thread at every state, and cut off what they find asleep.
            if reduce == Reduce::Sleep && threads > 3 {
                continue;
            }
            for granularity in [Granularity::Sync, Granularity::Access] {
                let config = Config { reduce, granularity, ..config() };
                let (summary, executor) = explore(config, &program);
                let counts = (summary.executions, summary.classes, summary.diverged);
                assert_eq!(counts, (1, Some(1), 0), "{threads} threads, {reduce}, {granularity:?}");
                assert!(summary.complete && summary.failures.is_empty());
                let cut_off = executor.runs.len() as u64 - summary.executions;
                assert!(cut_off == 0 || reduce == Reduce::Sleep, "{cut_off} cut off by {reduce}");
            }
        }
    }
}

/// n children that store to one variable: n! orders of the stores, and nothing else to be told apart.
#[test]
fn only_what_children_do_is_told_apart() {
    for (threads, classes) in [(2, 2), (3, 6), (4, 24)] {
        let program = nested(threads, true, vec![Store(0, Const(1), SeqCst)]);
        for reduce in [Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
            let (summary, _) = explore(Config { reduce, ..config() }, &program);
            assert_eq!((summary.classes, summary.diverged), (Some(classes), 0), "{reduce}");
            assert!(summary.complete && (reduce != Reduce::Optimal || summary.executions == classes));
        }
    }
}

#[test]
fn reversals_across_births_name_the_right_threads() {
    let (store, load) = (|v| Store(v, Const(1), SeqCst), |v| Load(v, 0, SeqCst));
    let main = vec![Spawn(1, 3), Spawn(2, 4)];
    // The store races with the load of a child of the other thread. Where the load comes first,
    // the storing thread has no child yet, so the other thread's child is T3 and not T4.
    let storing = vec![store(0), Spawn(3, 3)];
    let other = vec![Spawn(4, 3)];
    let program = Program {
        bodies: vec![main, storing, other, vec![load(1)], vec![load(0), store(1)]],
        semaphores: Vec::new(),
    };
    for reduce in REDUCTIONS {
        let config = Config { reduce, granularity: Granularity::Access, ..config() };
        let (summary, _) = explore(config, &program);
        // Two orders for each of the two variables.
        assert_eq!((summary.classes, summary.diverged), (Some(4), 0), "{reduce:?}");
        assert!(summary.complete && summary.failures.is_empty(), "{reduce:?}");
    }
}

/// The failure needs the second parent's child before the first parent's birth; its schedule has the numbers of that execution.
#[test]
fn failures_across_births_are_found_and_replayed() {
    let flag = |v| vec![Load(v, 0, SeqCst), JumpIf(Condition(Reg(0), Is::Equal, Const(0)), 3)];
    let first = [vec![FetchAdd(1, Const(1), 1, SeqCst)], vec![Spawn(3, 3)]].concat();
    let waits = [flag(2), vec![Assert(Condition(Const(0), Is::Equal, Const(1)))]].concat();
    let late = vec![
        Load(1, 1, SeqCst),
        JumpIf(Condition(Reg(1), Is::NotEqual, Const(0)), 3),
        Store(2, Const(1), SeqCst),
    ];
    let program = Program {
        bodies: vec![vec![Spawn(1, 3), Spawn(2, 4)], first, vec![Spawn(4, 3)], waits, late],
        semaphores: Vec::new(),
    };
    for reduce in REDUCTIONS {
        let (summary, _) = explore(Config { reduce, ..config() }, &program);
        let kinds: Vec<_> = summary.failures.iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [FailureKind::Assertion], "{reduce}");
        compare::failures_replay(&program, &summary).unwrap();
    }
}

/// A thread that is not created for want of room is another one in another order, so there births depend on each other.
#[test]
fn births_without_room_depend_on_each_other() {
    let fails = vec![Assert(Condition(Const(0), Is::Equal, Const(1)))];
    // Before the two parents others come and go, one by one: numbers are not used again.
    let others = (0..60).flat_map(|_| [Spawn(5, 5), Join(Reg(5))]);
    let main = others.chain([Spawn(1, 3), Spawn(2, 4)]).collect();
    let program = Program {
        bodies: vec![main, vec![Spawn(3, 3)], vec![Spawn(4, 3)], Vec::new(), fails, Vec::new()],
        semaphores: Vec::new(),
    };
    let check = |summary: &Summary, by: &str| {
        let mut kinds: Vec<_> = summary.failures.iter().map(|f| f.kind).collect();
        kinds.sort_by_key(|kind| format!("{kind:?}"));
        // Each of the two may be the one that is refused.
        assert_eq!(kinds, [FailureKind::Assertion, FailureKind::Crash, FailureKind::Crash], "{by}");
        assert!(summary.complete, "{by}");
    };
    for reduce in [Reduce::Persistent, Reduce::Source] {
        for in_flight in [1, 32] {
            let (summary, _) = explore(Config { reduce, in_flight, ..config() }, &program);
            check(&summary, &format!("{reduce}, {in_flight} in flight"));
        }
    }
    // All executions together have 65 threads, of which `optimal` can name 64.
    let alone = Config { reduce: Reduce::Optimal, ..config() };
    let (found, _) = explore(alone, &program);
    assert!(!found.complete && !found.failures.is_empty(), "{}", found.guarantee);
    let summary = by_default(&program).unwrap();
    check(&summary, "by default");
    assert!(summary.shares.iter().any(|share| share.reduce == Reduce::Source));
}

/// The first of three threads creates 22, so that all executions together have 70.
#[test]
fn more_threads_than_can_be_named_are_refused() {
    let main = vec![Spawn(1, 3), Spawn(2, 4), Spawn(3, 5)];
    let mut first =
        vec![FetchAdd(0, Const(1), 0, SeqCst), JumpIf(Condition(Reg(0), Is::NotEqual, Const(0)), 24)];
    first.extend((0..22).map(|_| Spawn(4, 1)));
    let program = Program {
        bodies: vec![main, first.clone(), first.clone(), first, Vec::new()],
        semaphores: Vec::new(),
    };
    let alone = Config { reduce: Reduce::Optimal, ..config() };
    let refused =
        search(alone, &mut crate::common::Noting::new(&program, Granularity::Sync), |_| Control::Continue);
    assert!(matches!(refused.unwrap_err(), Error::TooManyThreads { reduce: Reduce::Optimal, .. }));
    let summary = by_default(&program).unwrap();
    assert!(summary.complete && summary.failures.is_empty(), "{}", summary.guarantee);
}

/// The summary of the default search.
fn by_default(program: &Program) -> Result<Summary, String> {
    let mut executor = crate::common::Noting::new(program, Granularity::Sync);
    let mut search = Portfolio::chosen(config()).map_err(|e| e.to_string())?;
    while search.step(&mut executor).map_err(|e| e.to_string())? != Turn::Done {}
    Ok(search.summary())
}

/// States that brute force walks of one program, at most.
const MOST: usize = 1_000;
/// Executions of one search with a bound, at most.
const MOST_RUNS: u64 = 300;

/// Every reduction keeps every class, `optimal` each once, with any number of plans in flight; and what the opening puts off
/// is only put off.
#[test]
fn reductions_keep_every_class() {
    let keep = |program: &Program| {
        for granularity in [Granularity::Access, Granularity::Sync] {
            let Some(expected) = compare::expected(program, granularity, MOST) else { return Ok(false) };
            compare::equivalence_is_sound(&expected)?;
            for reduce in REDUCTIONS {
                for (in_flight, opening) in [(1, 0), (3, 4), (32, 0)] {
                    let opening = if reduce == Reduce::Optimal { opening } else { 0 };
                    let config = Config { reduce, in_flight, opening, ..config() };
                    compare::keeps_every_class(&expected, config, reduce == Reduce::Optimal)
                        .map_err(|e| format!("{reduce}, {granularity:?}, {in_flight} in flight: {e}"))?;
                }
            }
        }
        Ok(true)
    };
    compared(each_of(20, generator::nesting, keep), 0.5);
}

/// Below the beginning of any execution, in which threads may be born already, `optimal` and `source` run every class that there
/// is.
#[test]
fn below_a_beginning_every_class_is_kept() {
    let check = |program: &Program| {
        let mut is_compared = false;
        for seed in 0..2 {
            let trace =
                model::any_execution(program, &Config { granularity: Granularity::Access, ..config() }, seed);
            for floor in [trace.steps / 3, trace.steps * 2 / 3] {
                let below = Some(Prefix::of(&trace, floor));
                let classes = |reduce| {
                    let executions = Some(MOST_RUNS);
                    let granularity = Granularity::Access;
                    let config = Config { reduce, granularity, executions, below: below.clone(), ..config() };
                    let (summary, executor) = explore(config, program);
                    if summary.diverged > 0 {
                        return Err(format!("{reduce} below {floor} steps of {seed}: astray"));
                    }
                    let runs = executor.runs.iter().filter(|run| run.outcome != Outcome::SleepBlocked);
                    let class =
                        |run: &crate::common::Run| brute::classes::of(program, granularity, &run.steps);
                    let found: Option<BTreeSet<_>> = runs.map(class).collect();
                    Ok(summary.stopped.is_none().then_some(found.ok_or("no execution of the program")?))
                };
                // An execution that one step ended stands for all that the step ends, so classes differ.
                let is_whole = |end: &brute::End| matches!(end.outcome, Outcome::Passed | Outcome::Deadlock);
                let Some(all) = classes(Reduce::None)?.filter(|all| all.iter().all(|(_, end)| is_whole(end)))
                else {
                    continue;
                };
                is_compared = true;
                for reduce in [Reduce::Source, Reduce::Optimal] {
                    let found = classes(reduce)?;
                    if found.as_ref() != Some(&all) {
                        return Err(format!(
                            "{reduce} below {floor} steps of {seed}: {found:?}, not {all:?}"
                        ));
                    }
                }
            }
        }
        Ok(is_compared)
    };
    compared(each_of(23, generator::nesting, check), 0.4);
}

/// Searches with a bound find exactly the failures within it, whatever their order.
#[test]
fn bounds_find_exactly_the_failures_within() {
    let searches = [
        (Reduce::Bounded, Bound::Preemptions(0), "dfs"),
        (Reduce::Bounded, Bound::Preemptions(1), "method,mdpor,pb"),
        (Reduce::None, Bound::Preemptions(0), "rand"),
        (Reduce::None, Bound::Preemptions(1), "dfs"),
    ];
    let check = |program: &Program| {
        let granularity = Granularity::Sync;
        let Some(all) = brute::within::failures(program, granularity, 5 * MOST) else { return Ok(false) };
        let mut is_compared = true;
        for (reduce, bound, order) in searches {
            let order = Order::parse(order).expect("an order");
            let config = Config { reduce, bound, granularity, order, ..config() };
            is_compared &= compare::finds_failures_within(program, &all, config, MOST_RUNS)
                .map_err(|e| format!("{reduce}, {bound}: {e}"))?;
        }
        Ok(is_compared)
    };
    compared(each_of(21, generator::nesting, check), 0.15);
}

/// The default search ends with exactly the failures and classes that there are, and its schedules lead to its failures.
#[test]
fn the_default_search_finds_the_same() {
    let check = |program: &Program| {
        let granularity = Granularity::Sync;
        let Some(expected) = compare::expected(program, granularity, MOST) else { return Ok(false) };
        if expected.is_torn_by_races() {
            return Ok(false);
        }
        let summary = by_default(program)?;
        if !summary.complete {
            return Err(format!("not complete: {}", summary.guarantee));
        }
        compare::faults_are(&summary, &expected.faults())?;
        compare::failures_replay(program, &summary)?;
        Ok(true)
    };
    compared(each_of(22, generator::nesting, check), 0.4);
}
