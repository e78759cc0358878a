//! Memory of states against brute force, on random programs (algorithms, rule 6): `hb` keeps an
//! execution of every class, and with each of the three the same failures are found as without, with
//! and without a bound, however many plans are in flight.
//!
//! `RADDLE_PROGRAMS` as in `reductions.rs`.

use crate::common::{Noting, brute, compare, generator, programs};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Value};
use raddle_engine::tree::{Spill, Spilling};
use raddle_engine::{Bound, Config, Control, FailureKind, Mutant, States, Summary, WarningKind, search};
use raddle_schedule::{Granularity, Order, Plan, Trace};
use std::collections::BTreeSet;

/// Blocks by number.
#[derive(Default)]
struct Shelf(Vec<Vec<u8>>);

impl Spill for Shelf {
    fn write(&mut self, block: &[u8]) -> Result<u64, String> {
        self.0.push(block.to_vec());
        Ok(self.0.len() as u64 - 1)
    }

    fn read(&mut self, number: u64, block: &mut [u8]) -> Result<(), String> {
        block.copy_from_slice(&self.0[number as usize]);
        Ok(())
    }

    fn give_up(&mut self, _: u64, _: usize) {}
}

const ALL: [States; 3] = [States::Hb, States::Counters, States::Abstract];
const BOUNDS: [Bound; 6] = [
    Bound::None,
    Bound::Iterative,
    Bound::Preemptions(0),
    Bound::Preemptions(1),
    Bound::Preemptions(2),
    Bound::Preemptions(3),
];

/// Programs to try.
fn tries() -> usize {
    let usual = if cfg!(debug_assertions) { 40 } else { 300 };
    std::env::var("RADDLE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// So many random programs.
fn random(seed: u8, n: usize) -> impl Iterator<Item = Program> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Cases::default(), rng);
    (0..n).map(move |_| generator::program().new_tree(&mut runner).unwrap().current())
}

fn is_small(program: &Program, granularity: Granularity) -> bool {
    brute::enumerate_at(program, granularity, 2_000).is_some()
}

/// The failures within a bound, with the fewest preemptions of each.
fn failures_are(program: &Program, config: &Config) -> Result<(), String> {
    let granularity = config.granularity;
    let Some(all) = brute::within::failures(program, granularity, 20_000) else { return Ok(()) };
    if config.bound != Bound::None {
        return compare::finds_failures_within(program, &all, config.clone(), 200_000).map(drop);
    }
    let (summary, executor) = explore(config.clone(), program);
    let race = summary.failures.iter().any(|f| f.kind == FailureKind::DataRace);
    if race && granularity == Granularity::Sync {
        return Ok(());
    }
    // Where a walk through states was given up, the search has begun anew.
    let walked = summary.remembered.is_some_and(|r| r.followed > 0);
    let unrepeated: BTreeSet<_> = executor.runs.iter().map(|r| &r.steps).collect();
    if unrepeated.len() != executor.runs.len() && (walked || config.states != States::Abstract) {
        return Err("an execution is run twice".into());
    }
    if !summary.complete {
        return Err(summary.guarantee);
    }
    compare::faults_are(&summary, &all.into_keys().collect())
}

fn explore(config: Config, program: &Program) -> (Summary, Noting) {
    let mut executor = Noting::mutant(program, config.granularity, None);
    let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
    (summary, executor)
}

#[test]
fn the_same_failures_are_found() {
    for program in random(21, tries()) {
        for granularity in [Granularity::Access, Granularity::Sync] {
            if !is_small(&program, granularity) {
                continue;
            }
            for (states, bound) in ALL.into_iter().flat_map(|s| BOUNDS.map(|b| (s, b))) {
                for in_flight in [1, 3, 32] {
                    let config = Config { states, bound, granularity, in_flight, ..crate::common::config() };
                    if let Err(e) = failures_are(&program, &config) {
                        panic!(
                            "{states}, {bound}, {granularity:?}, {in_flight} in flight: {e}\n{program:#?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn hb_keeps_every_class() {
    for program in random(22, tries()) {
        for granularity in [Granularity::Access, Granularity::Sync] {
            let Some(expected) = compare::expected(&program, granularity, 30_000) else { continue };
            if !is_small(&program, granularity) {
                continue;
            }
            for in_flight in [1, 3, 32] {
                let config = Config { states: States::Hb, in_flight, ..crate::common::config() };
                if let Err(e) = compare::keeps_every_class(&expected, config, false) {
                    panic!("{granularity:?}, {in_flight} in flight: {e}\n{program:#?}");
                }
            }
        }
    }
}

/// `hb` keeps an execution of every class that has one within the bound.
fn classes_within(
    program: &Program,
    bound: Bound,
    most_runs: usize,
    mutant: Option<Mutant>,
) -> Result<(), String> {
    let granularity = Granularity::Access;
    let Some(all) = brute::enumerate_at(program, granularity, most_runs) else { return Ok(()) };
    let most = if let Bound::Preemptions(n) = bound { n } else { u32::MAX };
    let class = |run: &crate::common::Run| brute::classes::of(program, granularity, &run.steps).unwrap();
    let config = Config { states: States::Hb, bound, granularity, mutant, ..crate::common::config() };
    let (_, executor) = explore(config, program);
    let kept: BTreeSet<_> = executor.runs.iter().map(class).collect();
    let within = all.iter().filter(|run| run.preemptions <= most);
    match within.map(|run| (class(run), run)).find(|(class, _)| !kept.contains(class)) {
        Some((_, run)) => Err(format!("{bound}: no execution like {run:?}")),
        None => Ok(()),
    }
}

/// Programs in which T0 alone spawns: which thread has which number is the same in all executions.
fn forks(n: usize) -> impl Iterator<Item = Program> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[24; 32]);
    let mut runner = TestRunner::new_with_rng(Cases::default(), rng);
    (0..n).map(move |_| programs::random().new_tree(&mut runner).unwrap().current())
}

#[test]
fn hb_keeps_every_class_within_a_bound() {
    for program in forks(tries()) {
        for bound in BOUNDS {
            if let Err(e) = classes_within(&program, bound, 400, None) {
                panic!("{e}\n{program:#?}");
            }
        }
    }
}

#[test]
fn rule_6_the_key_has_the_budget_and_the_running_thread() {
    for mutant in [Mutant::StatesWithoutBudget, Mutant::StatesWithoutRunning] {
        let complains = |program: &Program| {
            let bounds = [Bound::Preemptions(1), Bound::Preemptions(2), Bound::Preemptions(3)];
            bounds.iter().any(|b| classes_within(program, *b, 20_000, Some(mutant)).is_err())
        };
        let store = |n| Instr::Store(0, Value::Const(n), Order::SeqCst);
        let stores = |from: u64| (from..from + 3).map(store).collect::<Vec<_>>();
        let program = Program::fork_join(vec![stores(1), stores(4)]);
        assert!(complains(&program), "nobody notices {mutant:?}");
    }
}

/// Paper 002, section 8: what threads know for themselves is part of the state. T1 fails if it has read the 1
/// that was there for a moment, and reads the other variable late.
#[test]
fn rule_6_the_key_has_what_threads_have_read() {
    let load = |v, r| Instr::Load(v, r, Order::SeqCst);
    let store = |v, n| Instr::Store(v, Value::Const(n), Order::SeqCst);
    let is = |r, n| Condition(Value::Reg(r), Is::Equal, Value::Const(n));
    let never = Condition(Value::Const(0), Is::Equal, Value::Const(1));
    let reads = vec![
        load(0, 0),
        load(1, 1),
        Instr::JumpIf(Condition(Value::Reg(0), Is::NotEqual, Value::Const(1)), 5),
        Instr::JumpIf(is(1, 0), 5),
        Instr::Assert(never),
    ];
    let writes = vec![store(0, 1), store(0, 2), store(1, 1)];
    let mut missed = false;
    for bodies in [vec![reads.clone(), writes.clone()], vec![writes, reads]] {
        let program = Program::fork_join(bodies);
        let failures = |states, mutant| {
            let config = Config { states, mutant, in_flight: 1, ..crate::common::config() };
            explore(config, &program).0.failures.len()
        };
        for states in [States::Counters, States::Abstract] {
            assert_eq!(failures(states, None), 1, "{states}");
            missed |= failures(states, Some(Mutant::KeyWithoutValues)) == 0;
        }
    }
    assert!(missed, "nobody notices a key without values");
}

/// Threads of so many statements each, which write variables of their own.
fn independent(threads: usize, statements: usize) -> Program {
    let body = |t: usize| {
        let write = |i: usize| Instr::Write((t * statements + i) as u32, Value::Const(1 + i as u64));
        (0..statements).flat_map(|i| [Instr::Statement, write(i)]).collect()
    };
    Program::fork_join((0..threads).map(body).collect())
}

fn statements(states: States, program: &Program) -> Summary {
    let config = Config { states, granularity: Granularity::Statement, ..crate::common::config() };
    let summary = explore(config, program).0;
    assert!(summary.complete && summary.failures.is_empty(), "{summary:#?}");
    summary
}

/// Paper 002, section 6: n statements in each of two threads. In the grid of (n + 1)² counters each state is
/// explored once; each thread comes to a point n - 1 times, at each of n + 1 counters of the other, which
/// is 2(n² - 1), and there are the two first ones. Without the table: a beginning in which T1 has come to a
/// point has 1 to n - 1 of its statements, its own the last, among 0 to n of the other's; their sum
/// for both is 2·C(2n, n - 1) - 2, and there are the two first ones. The paper's last is 22876.
#[test]
fn one_page_two_threads() {
    let unpruned = [30, 112, 420, 1584, 6006, 22880];
    for (n, unpruned) in (3..).zip(unpruned) {
        for states in [States::Counters, States::Abstract] {
            let summary = statements(states, &independent(2, n));
            assert_eq!(summary.points_new, Some(2 * (n * n) as u64), "{states}, {n} statements");
            let memory = summary.remembered.unwrap();
            assert_eq!(memory.differing, 0);
            assert!(summary.warnings.is_empty(), "{:#?}", summary.warnings);
        }
        if n <= 6 {
            let summary = statements(States::None, &independent(2, n));
            assert_eq!(summary.points_new, Some(unpruned), "{n} statements");
        }
    }
}

/// With k threads of n statements: k·(n - 1)·(n + 1)^(k - 1) arrivals and the k first ones.
#[test]
fn one_page_more_threads() {
    for (k, n) in [(3, 2), (3, 3), (3, 4), (4, 2), (4, 3)] {
        let summary = statements(States::Counters, &independent(k, n));
        let arrivals = k * (n - 1) * (n + 1).pow(k as u32 - 1) + k;
        assert_eq!(summary.points_new, Some(arrivals as u64), "{k} threads of {n} statements");
    }
}

/// Who writes last decides what is left.
#[test]
fn orders_that_matter_are_reported_with_both_ways() {
    let store = |v, n| [Instr::Statement, Instr::Store(v, Value::Const(n), Order::SeqCst)];
    let body = |n| [store(0, n), store(1, 3)].concat();
    let program = Program::fork_join(vec![body(1), body(2)]);
    let summary = statements(States::Counters, &program);
    let [warning] = &summary.warnings[..] else { panic!("{:#?}", summary.warnings) };
    assert_eq!(warning.kind, WarningKind::OrderDependent);
    // The counters are equal behind the first statement of each, and on from there: (1, 1), (1, 2), (2, 1)
    // and (2, 2), of which the last are the end.
    assert_eq!(summary.remembered.unwrap().differing, 4);
    assert!(warning.message.contains("statement@"), "{}", warning.message);
    assert!(statements(States::Abstract, &program).warnings.is_empty());
    // The same value, whoever wrote it.
    let program = Program::fork_join(vec![body(1), body(1)]);
    assert!(statements(States::Counters, &program).warnings.is_empty());
}

/// Each thread takes a ticket and keeps it in a variable of its own, which depends on the order. As long as nobody
/// else looks at it that is nobody's business.
#[test]
fn what_a_thread_has_for_itself_may_depend_on_the_order() {
    let ticket = |own| {
        let kept = Instr::Store(own, Value::Reg(0), Order::SeqCst);
        vec![Instr::Statement, Instr::FetchAdd(0, Value::Const(1), 0, Order::SeqCst), Instr::Statement, kept]
    };
    let mut program = Program::fork_join(vec![ticket(1), ticket(2)]);
    let alone = statements(States::Counters, &program);
    assert!(alone.warnings.is_empty(), "{:#?}", alone.warnings);
    program.bodies[0].extend([1, 2].map(|v| Instr::Load(v, 0, Order::SeqCst)));
    let [warning] = &statements(States::Counters, &program).warnings[..] else { panic!("{alone:#?}") };
    assert_eq!(warning.kind, WarningKind::OrderDependent);
}

/// Two threads of four stores to variables of their own, and less memory than they have states.
#[test]
fn a_full_table_says_so_and_loses_nothing() {
    let body = |v: u32| (0..4).map(|i| Instr::Store(v, Value::Const(i), Order::SeqCst)).collect::<Vec<_>>();
    let program = Program::fork_join(vec![body(0), body(1)]);
    let run = |states: States, limit: usize| {
        let config = Config { states, ..crate::common::config() };
        let mut executor = Noting::mutant(&program, config.granularity, None);
        let mut search = raddle_engine::Search::new(config).unwrap();
        search.limit_memory(Spilling::new(limit, 64, Box::<Shelf>::default()));
        while search.step(&mut executor).unwrap() != raddle_engine::search::Turn::Done {}
        search.summary()
    };
    for states in [States::Hb, States::Counters] {
        let (all, some) = (run(states, 1 << 30), run(states, 2 << 10));
        assert!(!all.remembered.unwrap().full && some.remembered.unwrap().full);
        assert!(all.complete && some.complete && some.executions > all.executions);
        assert_eq!(
            all.classes.filter(|_| states == States::Hb),
            some.classes.filter(|_| states == States::Hb)
        );
        assert!(some.guarantee.contains("no more were remembered"), "{}", some.guarantee);
        // Nor are differing outcomes looked for any more.
        let says = some.guarantee.contains("whether outcomes differ there was not looked at");
        assert_eq!(says, states == States::Counters, "{}", some.guarantee);
    }
}

/// An execution that is not the one that was planned is no way to anything: here the second one that is
/// run writes other variables from its first step on.
#[test]
fn what_did_not_repeat_tells_of_no_orders() {
    struct Unsteady(Noting, Noting, u32);
    impl Executor for Unsteady {
        fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
            self.2 += 1;
            // An executor that does not look: the search itself does.
            let unlooked = Plan { prefix_steps: 0, ..plan.clone() };
            if self.2 == 2 { self.1.submit(&unlooked) } else { self.0.submit(plan) }
        }
        fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
            Ok(self.1.receive(trace)? || self.0.receive(trace)?)
        }
    }
    let stores =
        |v: u32, n: u64| (0..3).map(|i| Instr::Store(v, Value::Const(n + i), Order::SeqCst)).collect();
    let steady = Program::fork_join(vec![stores(0, 1), stores(1, 1)]);
    let other = Program::fork_join(vec![stores(2, 7), stores(3, 7)]);
    let granularity = Granularity::Sync;
    let config = Config { states: States::Counters, granularity, in_flight: 1, ..crate::common::config() };
    let noting = |p: &Program| Noting::mutant(p, granularity, None);
    let mut executor = Unsteady(noting(&steady), noting(&other), 0);
    let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
    assert_eq!(summary.diverged, 1, "{summary:#?}");
    assert!(summary.warnings.iter().all(|w| w.kind != WarningKind::OrderDependent), "{summary:#?}");
}
