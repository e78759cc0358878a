//! The walk through states in a model (`--states abstract` without a bound), on random programs, against all
//! executions: the same failures, the same races, and no more executions than there are.
//!
//! `RADDLE_PROGRAMS` as in `reductions.rs`.

use crate::common::{Noting, brute, compare, generator, programs};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, Control, FailureKind, Mutant, Reduce, Search, States, Summary, search};
use raddle_schedule::{Granularity, Order, Outcome, Plan, Trace};
use std::collections::BTreeSet;

/// Programs to try.
fn tries() -> usize {
    let usual = if cfg!(debug_assertions) { 60 } else { 400 };
    std::env::var("RADDLE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn runner(seed: u8) -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    TestRunner::new_with_rng(Cases::default(), rng)
}

fn explore(config: Config, program: &Program) -> (Summary, Noting) {
    let mut executor = Noting::mutant(program, config.granularity, None);
    let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
    (summary, executor)
}

/// Kinds and sites of the two accesses of each race.
fn races(summary: &Summary) -> BTreeSet<[(u32, u8); 2]> {
    let races = summary.failures.iter().filter(|f| f.kind == FailureKind::DataRace);
    let sides = races.filter_map(|f| f.race.as_ref()).map(|race| {
        let mut sides = [&race.first, &race.second].map(|a| (a.site, a.kind as u8));
        sides.sort_unstable();
        sides
    });
    sides.collect()
}

/// Compares one program; was it walked to the end?
fn compare(program: &Program, granularity: Granularity) -> Result<Option<bool>, String> {
    let Some(all) = brute::enumerate_at(program, granularity, 3_000) else { return Ok(None) };
    let Some(faults) = brute::within::failures(program, granularity, 20_000) else { return Ok(None) };
    let config = Config { granularity, ..crate::common::config() };
    let (plain, _) = explore(config.clone(), program);
    let (summary, executor) = explore(Config { states: States::Abstract, ..config }, program);
    let walked = summary.remembered.is_some_and(|r| r.followed > 0);
    let race = !races(&plain).is_empty();
    if !(race && granularity == Granularity::Sync) {
        compare::faults_are(&summary, &faults.into_keys().collect())?;
    }
    if walked && !summary.complete && !(race && granularity == Granularity::Sync) {
        return Err(summary.guarantee);
    }
    if walked && races(&plain) != races(&summary) {
        return Err(format!("the races are {:?}, not {:?}", races(&summary), races(&plain)));
    }
    if walked && executor.runs.len() > all.len() {
        return Err(format!("{} executions of {}", executor.runs.len(), all.len()));
    }
    Ok(Some(walked))
}

fn all_of(mut next: impl FnMut() -> Program, least: usize) {
    let (mut compared, mut walked) = (0, 0);
    for _ in 0..tries() {
        let program = next();
        for granularity in [Granularity::Access, Granularity::Sync] {
            match compare(&program, granularity) {
                Ok(None) => {}
                Ok(Some(to_the_end)) => {
                    compared += 1;
                    walked += usize::from(to_the_end);
                }
                Err(e) => panic!("{granularity:?}: {e}\n{program:#?}"),
            }
        }
    }
    println!("{compared} compared, {walked} of them walked");
    assert!(compared >= tries() / 2 && walked * 100 >= compared * least, "{walked} of {compared} walked");
}

#[test]
fn a_walk_finds_what_all_executions_find() {
    let mut runner = runner(31);
    all_of(|| generator::program().new_tree(&mut runner).unwrap().current(), 3);
}

#[test]
fn a_walk_finds_what_all_executions_of_forks_find() {
    let mut runner = runner(32);
    all_of(|| programs::random().new_tree(&mut runner).unwrap().current(), 3);
}

/// `fib (read)` as in paper 001.
fn fib(n: usize) -> Program {
    let load = |v, r| Instr::Load(v, r, Order::SeqCst);
    let sum = |own, other| {
        let add = [Instr::Set(2, Value::Reg(0)), Instr::Add(2, Value::Reg(1))];
        [load(own, 0), load(other, 1)].into_iter().chain(add).chain([Instr::Store(
            own,
            Value::Reg(2),
            Order::SeqCst,
        )])
    };
    let main = vec![Instr::Spawn(1, 3), Instr::Spawn(2, 4), load(0, 0), load(1, 1)];
    let body = |own, other| (0..n).flat_map(|_| sum(own, other)).collect();
    Program { bodies: vec![main, body(0, 1), body(1, 0)], semaphores: Vec::new() }
}

/// An execution of each class takes 140, 1698 and 19605 of them; the paper's naive matching takes 5746 with 4.
#[test]
fn fib_takes_far_fewer_executions_than_it_has_classes() {
    let mut taken = Vec::new();
    for n in 2..=4 {
        let config =
            Config { states: States::Abstract, granularity: Granularity::Access, ..crate::common::config() };
        let (summary, _) = explore(config, &fib(n));
        assert!(summary.complete, "{}", summary.guarantee);
        taken.push(summary.executions);
    }
    println!("{taken:?}");
    assert!(taken[0] < 140 && taken[1] < 1698 / 2 && taken[2] < 19605 / 3, "{taken:?}");
}

/// Are the failures, races included, not those of all executions?
fn misses(program: &Program, mutant: Mutant) -> bool {
    let config = Config { granularity: Granularity::Access, ..crate::common::config() };
    let (all, _) = explore(Config { reduce: Reduce::Optimal, ..config.clone() }, program);
    let walk = Config { states: States::Abstract, ..config };
    let whole = explore(walk.clone(), program).0;
    let less = explore(Config { mutant: Some(mutant), ..walk }, program).0;
    let kinds = |s: &Summary| s.failures.iter().map(|f| (f.kind, f.site)).collect::<BTreeSet<_>>();
    assert_eq!(kinds(&whole), kinds(&all));
    assert!(whole.remembered.is_some_and(|r| r.followed > 0), "it is beyond the model");
    kinds(&less) != kinds(&all)
}

/// Locks in both orders, the third thread in between.
fn deadlock() -> Program {
    let section = |a, b| vec![Instr::Lock(a), Instr::Lock(b), Instr::Unlock(b), Instr::Unlock(a)];
    Program::fork_join(vec![section(0, 1), section(1, 2), section(2, 0)])
}

/// What the first execution shows of each thread is all that there is to know, and in it the lock puts the writes into
/// order.
fn race() -> Program {
    let (lock, unlock) = (Instr::Lock(0), Instr::Unlock(0));
    let write = |n| Instr::Write(0, Value::Const(n));
    Program::fork_join(vec![vec![write(1), lock, unlock], vec![lock, unlock, write(2)]])
}

#[test]
fn rule_6_a_walk_runs_what_its_model_cannot_show() {
    assert!(misses(&deadlock(), Mutant::WalkWithoutEnds), "nobody notices ends that are not run");
    assert!(misses(&race(), Mutant::WalkWithoutRaces), "nobody notices races that are not run");
}

/// The first execution shows all that threads do, and yet there are several interleavings.
#[test]
fn one_execution_is_not_called_the_only_interleaving() {
    let store = |n| vec![Instr::Store(0, Value::Const(n), Order::SeqCst)];
    let program = Program::fork_join(vec![store(1), store(2)]);
    let config =
        Config { states: States::Abstract, granularity: Granularity::Access, ..crate::common::config() };
    let (summary, _) = explore(config, &program);
    assert!(summary.complete && summary.executions == 1, "{summary:#?}");
    assert!(summary.guarantee.starts_with("all interleavings, each state"), "{}", summary.guarantee);
}

/// An execution takes its process along: the search goes on without a model, and finds what others show.
#[test]
fn a_process_that_ends_ends_the_model() {
    let load = |v, r| Instr::Load(v, r, Order::SeqCst);
    let store = |v| Instr::Store(v, Value::Const(1), Order::SeqCst);
    let never = Condition(Value::Reg(0), Is::Equal, Value::Const(0));
    let program = Program::fork_join(vec![
        vec![store(0), store(1)],
        vec![load(1, 1), load(0, 0), Instr::Assert(never)],
    ]);
    let config =
        Config { states: States::Abstract, granularity: Granularity::Access, ..crate::common::config() };
    let all = explore(Config { states: States::None, ..config.clone() }, &program).0;
    let (mut executor, mut number) = (Simulated::new(program.clone(), Granularity::Access), 0);
    let mut search = Search::new(config).unwrap();
    let mut dying = Dying { inner: &mut executor, number: &mut number };
    while search.step(&mut dying).unwrap() != Turn::Done {}
    let summary = search.summary();
    assert!(!summary.complete && summary.lost == 1, "{summary:#?}");
    let sites = |s: &Summary| s.failures.iter().map(|f| f.site).filter(|s| *s != 0).collect::<BTreeSet<_>>();
    assert_eq!(sites(&summary), sites(&all));
}

/// Its second execution ends the process.
struct Dying<'a> {
    inner: &'a mut Simulated,
    number: &'a mut u32,
}

impl Executor for Dying<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.inner.receive(trace)?;
        *self.number += u32::from(received);
        if received && *self.number == 2 {
            trace.events.clear();
            (trace.lost, trace.outcome) = (true, Outcome::Crash);
        }
        Ok(received)
    }
}
