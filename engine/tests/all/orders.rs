//! Orders by priority functions (paper 003, section 4): whatever the order, every execution is run
//! exactly once and all are in the end, also with a focus that changes; with a reduction every
//! class keeps an execution. What the functions go by, against plainer ways to find it.

use crate::common::focus::{Picked, picked};
use crate::common::many::{compared, each_program};
use crate::common::{Noting, brute, compare, config, explore, programs};
use proptest::prelude::*;
use raddle_engine::analysis::Analyses;
use raddle_engine::order::Insight;
use raddle_engine::points::{Point, bits, points};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Instr, Program, Simulated, Value};
use raddle_engine::{Bound, Config, Control, Order, Reduce, Search, check, search};
use raddle_schedule::{Choice, Delta, Granularity, Order as Ordering, Outcome, Plan, Trace, op};
use std::collections::{BTreeMap, BTreeSet};

/// Every priority function.
const FUNCTIONS: [&str; 7] = ["pb", "dpor", "ss", "mdpor", "rand", "method", "var"];
/// Most executions of a random program that is tried.
const MOST: usize = 1_500;

fn parsed(names: &[&str]) -> Order {
    Order::parse(&names.join(",")).unwrap()
}

/// One function alone, or several in any order.
fn list() -> impl Strategy<Value = Vec<&'static str>> {
    let shuffled = Just(FUNCTIONS.to_vec()).prop_shuffle();
    (shuffled, prop_oneof![3 => Just(1), 2 => 2..=FUNCTIONS.len()]).prop_map(|(names, n)| names[..n].to_vec())
}

fn changes() -> impl Strategy<Value = Vec<(usize, Picked)>> {
    prop::collection::vec((prop_oneof![Just(0), 0..20usize, 0..400usize], picked()), 0..5)
}

/// Searches to the end; before turn n the focus changes to what is given for n.
fn refocused(config: Config, program: &Program, changes: &[(usize, Picked)]) -> Noting {
    let mut executor = Noting::new(program, config.granularity);
    let mut search = Search::new(config).unwrap();
    for turn in 0.. {
        for (_, picked) in changes.iter().filter(|(at, _)| *at == turn) {
            search.refocus(Box::new(picked.clone()), true);
        }
        if search.step(&mut executor).unwrap() == Turn::Done {
            break;
        }
    }
    assert_eq!(search.progress().waiting, 0);
    executor
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The executions of brute force within the bound, each exactly once; rounds in order; and the
    /// same order again.
    #[test]
    fn every_order_runs_each_execution_once(
        program in programs::random(), access in any::<bool>(), list in list(), changes in changes(),
        w in 1usize..40, seed in any::<u64>(),
        bound in prop_oneof![Just(Bound::None), Just(Bound::Iterative), (0..4u32).prop_map(Bound::Preemptions)],
    ) {
        let granularity = if access { Granularity::Access } else { Granularity::Sync };
        let Some(mut all) = brute::enumerate_at(&program, granularity, MOST) else { return Ok(()) };
        if let Bound::Preemptions(most) = bound {
            all.retain(|run| run.preemptions <= most);
        }
        let config = Config { granularity, bound, order: parsed(&list), in_flight: w, seed, ..config() };
        let executor = refocused(config.clone(), &program, &changes);
        let rounds: Vec<u32> = executor.runs.iter().map(|r| r.preemptions).collect();
        prop_assert!(bound != Bound::Iterative || rounds.is_sorted(), "{rounds:?}");
        let mut runs = executor.runs.clone();
        runs.sort();
        all.sort();
        prop_assert_eq!(runs.len(), all.len(), "number of executions");
        prop_assert_eq!(runs, all);
        prop_assert_eq!(refocused(config, &program, &changes).plans, executor.plans);
    }

    /// With `pb` alone and one execution in flight, an execution has no more preemptions than any
    /// that waited beside it: those that are found later differ from one that came before.
    #[test]
    fn pb_takes_the_fewest_preemptions_that_wait(program in programs::random()) {
        let Some(all) = brute::enumerate_at(&program, Granularity::Sync, MOST) else { return Ok(()) };
        let config = Config { order: parsed(&["pb"]), in_flight: 1, ..config() };
        let executor = refocused(config, &program, &[]);
        prop_assert_eq!(executor.runs.len(), all.len());
        // A child has at least as many as its parent, so that they come sorted.
        prop_assert!(executor.runs.is_sorted_by_key(|r| r.preemptions));
    }

    /// What is awake by the insight of each execution is an execution of every class.
    #[test]
    fn those_that_are_awake_are_of_every_class(program in programs::random(), access in any::<bool>()) {
        let granularity = if access { Granularity::Access } else { Granularity::Sync };
        let (Some(all), Some(awake)) =
            (classes(&program, granularity, false), classes(&program, granularity, true)) else { return Ok(()) };
        prop_assert!(awake.1 <= all.1);
        prop_assert_eq!(awake.0, all.0);
    }

    /// `dpor` on programs of atomic operations only, where a race is nothing but two dependent steps
    /// that no third orders, and everybody can always go on.
    #[test]
    fn dpor_backtracks_where_dependent_steps_meet(program in atomics(), seed in any::<u64>()) {
        let trace = crate::common::model::any_execution(&program, &config(), seed);
        let mut insight = Insight::default();
        insight.read(&trace, &[], 0);
        let wanted = meetings(&trace);
        for point in points(&trace) {
            let Point::Thread(p) = point else { continue };
            for t in bits(p.alternatives() & !(1 << p.event.thread())) {
                let marks = insight.marks(p.step, Choice::Thread(t));
                let expected = wanted.get(&p.step).is_some_and(|threads| threads >> t & 1 != 0);
                prop_assert_eq!((marks.backtracks, marks.reverses), (expected, expected), "{} T{}", p.step, t);
            }
        }
    }
}

/// The classes of the executions of the whole tree of differences, or of its part that is awake, and
/// how many executions that are; `None` if there are too many, or some were ended by a step.
fn classes(program: &Program, granularity: Granularity, awake: bool) -> Option<(BTreeSet<u64>, usize)> {
    let mut simulated = Simulated::new(program.clone(), granularity);
    let (mut insight, mut analyses) = (Insight::default(), Analyses::new(true));
    let (mut waiting, mut classes, mut runs) = (vec![Vec::<Delta>::new()], BTreeSet::new(), 0);
    while let Some(deltas) = waiting.pop() {
        runs += 1;
        let mut trace = Trace::default();
        simulated.execute(&Plan::new(0, deltas.clone(), 1000), &mut trace);
        let pending = trace.events.last().is_some_and(|e| e.kind() == raddle_schedule::OpKind::Pending);
        if runs > MOST
            || !matches!(trace.outcome, Outcome::Passed | Outcome::Deadlock)
            || (trace.outcome == Outcome::Passed && pending)
        {
            return None;
        }
        classes.insert(analyses.signature(&trace));
        insight.read(&trace, &deltas, 0);
        let last = deltas.last().copied();
        let after = |d: &Delta| {
            last.is_none_or(|l| {
                let outcome_of_it = |c| !matches!(c, Choice::Thread(_));
                d.step > l.step || d.step == l.step && outcome_of_it(d.choice) && !outcome_of_it(l.choice)
            })
        };
        let mut file = |delta: Delta| {
            if after(&delta) && !(awake && insight.marks(delta.step, delta.choice).asleep) {
                waiting.push(deltas.iter().copied().chain([delta]).collect());
            }
        };
        for point in points(&trace) {
            match point {
                Point::Thread(p) => {
                    for t in bits(p.alternatives() & !(1 << p.event.thread())) {
                        file(Delta { step: p.step, choice: Choice::Thread(t) });
                    }
                }
                Point::Choice(p) => {
                    let others = bits(p.mask).filter_map(|b| p.alternative(b)).filter(|c| *c != p.chosen);
                    others.for_each(|choice| file(Delta { step: p.step, choice }));
                }
            }
        }
    }
    Some((classes, runs))
}

/// Two or three threads of a few atomic operations on two variables.
fn atomics() -> impl Strategy<Value = Program> {
    let one = prop_oneof![
        (0..2u32).prop_map(|v| Instr::Load(v, 0, Ordering::SeqCst)),
        (0..2u32).prop_map(|v| Instr::Store(v, Value::Const(1), Ordering::SeqCst)),
        (0..2u32).prop_map(|v| Instr::FetchAdd(v, Value::Const(1), 0, Ordering::SeqCst)),
    ];
    prop::collection::vec(prop::collection::vec(one, 0..4), 2..4).prop_map(Program::fork_join)
}

/// For each step the threads that Flanagan and Godefroid would explore in its place, in the
/// plainest way: happens-before is the closure of all dependent pairs of steps.
fn meetings(trace: &Trace) -> BTreeMap<u32, u64> {
    let steps: Vec<_> = trace.events.iter().filter(|e| e.is_step()).collect();
    let enabled: Vec<u64> = points(trace)
        .filter_map(|p| if let Point::Thread(p) = p { Some(p.alternatives()) } else { None })
        .collect();
    let n = steps.len();
    use raddle_schedule::OpKind::{Exit, Join, Spawn, ThreadStart};
    // Births are dependent here (threads are numbered in their order), and order what comes after.
    let dependent = |i: usize, j: usize| {
        let (a, b) = (steps[i], steps[j]);
        op::dependent(&a.op(), &b.op()) || (a.kind() == Spawn && b.kind() == Spawn)
    };
    let orders = |i: usize, j: usize| {
        let (a, b) = (steps[i], steps[j]);
        a.thread() == b.thread()
            || (a.kind() == Spawn && a.value == u64::from(b.thread()))
            || (b.kind() == Join && a.kind() == Exit && b.object() == u64::from(a.thread()))
    };
    let mut before = vec![vec![false; n]; n];
    for j in 0..n {
        for i in (0..j).rev() {
            before[i][j] =
                orders(i, j) || dependent(i, j) || (i + 1..j).any(|k| before[i][k] && before[k][j]);
        }
    }
    let mut wanted = BTreeMap::new();
    for j in 0..n {
        for i in (0..j).filter(|i| steps[*i].thread() != steps[j].thread() && dependent(*i, j)) {
            let between = |k: usize| before[i][k] && before[k][j];
            let birth = steps[j].kind() == ThreadStart || orders(i, j);
            if birth || (i + 1..j).any(between) {
                continue;
            }
            // The threads with a step that leads to the second one's thread coming there.
            let own = |k: usize| steps[k].thread() == steps[j].thread();
            let leads = |k: usize| own(k) || (k..j).any(|m| own(m) && before[k][m]);
            let born = (0..j).find(|k| steps[*k].kind() == Spawn && orders(*k, j) && !own(*k));
            let leading = (i + 1..j)
                .filter(|k| leads(*k) || born.is_some_and(|b| *k == b || before[*k][b]))
                .fold(1u64 << steps[j].thread(), |mask, k| mask | 1 << steps[k].thread());
            let can = enabled[i] & !(1 << steps[i].thread());
            let second = 1 << steps[j].thread();
            let leading = leading & can;
            let wants = match leading {
                0 => can,
                _ if leading & second != 0 => second,
                _ => leading & leading.wrapping_neg(),
            };
            *wanted.entry(i as u32).or_default() |= wants;
        }
    }
    wanted
}

/// With a reduction, whose executions reverse races, an order permutes what waits too: every class
/// keeps an execution, and with `optimal` none is run twice.
#[test]
fn with_reductions_every_order_keeps_every_class() {
    const LISTS: [&[&str]; 9] = [
        &["pb"],
        &["rand"],
        &["mdpor", "pb"],
        &["rand", "mdpor"],
        &["pb", "rand"],
        &["var", "pb"],
        &["mdpor"],
        &["dpor", "rand"],
        &["pb", "mdpor", "var", "method"],
    ];
    let of = each_program(11, |program| {
        for granularity in [Granularity::Access, Granularity::Sync] {
            let Some(expected) = compare::expected(program, granularity, 10_000) else { return Ok(false) };
            let reductions = [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal];
            for (nth, reduce) in reductions.into_iter().enumerate() {
                // A third of the lists for each reduction.
                for (i, list) in LISTS.iter().enumerate().filter(|(i, _)| i % 3 == nth % 3) {
                    let in_flight = [1, 3, 32][i / 3];
                    let config =
                        Config { reduce, in_flight, order: parsed(list), seed: i as u64, ..config() };
                    if check(&config).is_err() {
                        continue;
                    }
                    compare::keeps_every_class(&expected, config, reduce == Reduce::Optimal).map_err(
                        |e| format!("{reduce}, {list:?}, {granularity:?}, {in_flight} in flight: {e}"),
                    )?;
                }
            }
        }
        Ok(true)
    });
    compared(of, 0.9);
}

/// The same under a bound on preemptions, with the reduction that is sound there.
#[test]
fn bounded_finds_the_same_failures_in_every_order() {
    let of = each_program(12, |program| {
        let Some(all) = brute::within::failures(program, Granularity::Access, 10_000) else {
            return Ok(false);
        };
        let mut is_compared = true;
        for list in [&["pb"][..], &["rand"], &["dpor", "pb"], &["mdpor", "rand"]] {
            for most in 0..3 {
                let (reduce, bound) = (Reduce::Bounded, Bound::Preemptions(most));
                let granularity = Granularity::Access;
                let config = Config { reduce, bound, granularity, order: parsed(list), ..config() };
                is_compared &= compare::finds_failures_within(program, &all, config, MOST as u64)
                    .map_err(|e| format!("{list:?}, {most} preemptions: {e}"))?;
            }
        }
        Ok(is_compared)
    });
    compared(of, 0.6);
}

/// Figure 3 of paper 003: threads A and B of two steps each; six executions, each one difference
/// from its parent. Here A is T0 and B is T1, and steps are counted from 1: step 0 starts B.
#[test]
fn figure_3_in_every_order() {
    let main = vec![Instr::Spawn(1, 0), Instr::Point];
    let program = Program { bodies: vec![main, vec![]], ..Program::default() };
    let expected: BTreeMap<&str, &str> = [
        ("AABB", ""),
        ("ABBA", "2:T1"),
        ("ABAB", "2:T1,3:T0"),
        ("BBAA", "1:T1"),
        ("BAAB", "1:T1,2:T0"),
        ("BABA", "1:T1,2:T0,3:T1"),
    ]
    .into();
    let alone = FUNCTIONS.map(|f| vec![f]);
    for names in alone.iter().map(Vec::as_slice).chain([&["dfs"][..], &["mdpor", "pb"]]) {
        for w in [1, 32] {
            let order = parsed(names);
            let (_, executor) = explore(Config { order, in_flight: w, ..config() }, &program);
            let mut got = BTreeMap::new();
            let letters = |run: &crate::common::Run| {
                let letter =
                    |s: &crate::common::Step| if *s == crate::common::Step::Thread(0) { 'A' } else { 'B' };
                run.steps.iter().skip(1).map(letter).collect::<String>()
            };
            for (run, plan) in executor.runs.iter().zip(&executor.plans) {
                assert_eq!(got.insert(letters(run), plan.clone()), None);
            }
            let got: BTreeMap<&str, &str> = got.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            assert_eq!(got, expected, "{names:?}");
        }
    }
}

/// Different seeds of `rand` give different orders, the same seed the same.
#[test]
fn rand_is_a_function_of_the_seed() {
    let plans = |seed| {
        let order = parsed(&["rand"]);
        explore(Config { order, seed, ..config() }, &programs::mutex(2, 2)).1.plans
    };
    let all: Vec<_> = (0..5).map(plans).collect();
    assert_eq!(plans(3), all[3]);
    for (i, one) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|other| other != one));
    }
}

/// Distinct classes among the first so many executions.
fn classes_after(program: &Program, names: &[&str], executions: u64) -> u64 {
    let bound = Bound::Preemptions(2);
    let config = Config { order: parsed(names), bound, executions: Some(executions), ..config() };
    let mut executor = Noting::new(program, config.granularity);
    let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
    assert!(executor.runs.iter().map(run_key).collect::<BTreeSet<_>>().len() as u64 == executions);
    summary.classes.unwrap()
}

fn run_key(run: &crate::common::Run) -> Vec<crate::common::Step> {
    run.steps.clone()
}

/// What the functions are for: new happens-before classes sooner (paper 003, section 4.1), here with
/// at most two preemptions, as in the paper's table 2.
#[test]
fn hints_of_partial_order_reduction_find_new_classes_sooner() {
    // Three threads that mostly work on what is their own.
    let body = |own: u32| {
        let with = |m: u32| [Instr::Lock(m), Instr::Unlock(m)];
        [with(own), with(0), with(own), with(own), with(0), with(own)].concat()
    };
    let program = Program::fork_join(vec![body(1), body(2), body(3)]);
    let after = 1_000;
    let dfs = classes_after(&program, &["dfs"], after);
    for names in [&["dpor"][..], &["mdpor"], &["ss", "dpor"], &["ss", "mdpor"]] {
        let classes = classes_after(&program, names, after);
        println!("{names:?}: {classes} classes after {after} executions, dfs {dfs}");
        assert!(classes >= 2 * dfs, "{names:?}: {classes}, dfs {dfs}");
    }
}

/// A million executions that wait take what is promised: 16 bytes of a node, 16 of an entry, and what
/// orders ask about is shared. (How long it takes to re-order them is a benchmark's matter.)
#[test]
fn a_million_that_wait_take_what_is_promised() {
    const MILLION: u64 = 1_000_000;
    let program = programs::mutex(4, 100);
    let list = ["ss", "mdpor", "pb", "rand"];
    let config = Config { order: parsed(&list), bound: Bound::Iterative, classes: false, ..config() };
    let mut executor = Noting::new(&program, config.granularity);
    let mut search = Search::new(config).unwrap();
    while search.progress().waiting < MILLION {
        assert_eq!(search.step(&mut executor).unwrap(), Turn::Applied);
    }
    let (waiting, executions) = (search.progress().waiting, search.progress().executions);
    let summary = search.summary();
    let peaks = summary.peaks;
    // A node for each that waits or has children that do, and room for a quarter more.
    assert!(summary.peak_nodes as u64 <= waiting + executions, "{} {waiting}", summary.peak_nodes);
    assert!(peaks.tree_bytes <= 16 * summary.peak_nodes / 4 * 5 + 2048, "{peaks:?}");
    assert!(peaks.fringe_bytes as u64 <= 16 * waiting, "{peaks:?}");
    // Besides the switches of a focus, hardly anything: few contexts, and a table of fixed size.
    assert!(peaks.context_bytes as u64 <= 2 * waiting, "{peaks:?}");
}
