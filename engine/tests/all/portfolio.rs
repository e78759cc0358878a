//! The default search: two searches over one executor, on simulated programs. What its counts, its sentences
//! and its end have to say.

use crate::common::brute::{self, Fault};
use crate::common::{Noting, compare, config, focus, generator};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::tree::Spill;
use raddle_engine::{Config, FailureKind, Portfolio, StopReason, Summary};
use raddle_schedule::{Granularity, Order, Plan, Trace, flags};
use std::collections::BTreeMap;

use Instr::*;
use Value::{Const, Reg};

/// Is told of each trace that comes back, by number, and may change it.
type Touch<'a> = &'a mut dyn FnMut(u64, &mut Trace);

/// An executor whose traces are touched on their way.
struct Touched<'a>(Noting, Touch<'a>, u64);

impl Executor for Touched<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.0.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.0.receive(trace)?;
        self.2 += u64::from(received);
        if received {
            (self.1)(self.2, trace);
        }
        Ok(received)
    }
}

/// Nothing is put aside without being read again.
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

/// Runs the default search to its end.
fn run(config: Config, program: &Program, memory: usize, touch: Touch) -> Summary {
    let noting = Noting::new(program, config.granularity);
    let mut search = Portfolio::chosen(config).unwrap();
    search.limit_memory(memory, 64, || Box::<Shelf>::default());
    let mut executor = Touched(noting, touch, 0);
    while search.step(&mut executor).unwrap() != Turn::Done {}
    let summary = search.summary();
    assert!(matches!(summary.shares.len(), 2 | 3), "{summary:#?}");
    summary
}

fn explore(config: Config, program: &Program) -> Summary {
    run(config, program, usize::MAX, &mut |_, _| {})
}

fn limited(executions: u64) -> Config {
    Config { executions: Some(executions), ..config() }
}

fn nested(locks: &[u32]) -> Vec<Instr> {
    locks.iter().map(|m| Lock(*m)).chain(locks.iter().rev().map(|m| Unlock(*m))).collect()
}

fn load(variable: u32) -> Instr {
    Load(variable, 0, Order::SeqCst)
}

fn store(variable: u32, value: u64) -> Instr {
    Store(variable, Const(value), Order::SeqCst)
}

fn is(is: Is, value: u64) -> Condition {
    Condition(Reg(0), is, Const(value))
}

/// Threads that add one to a counter so many times, each in two steps.
fn adding(threads: usize, times: usize) -> Program {
    let add = [load(0), Add(0, Const(1)), Store(0, Reg(0), Order::SeqCst)];
    Program::fork_join(vec![add.repeat(times); threads])
}

/// The same, and the last thread is right to expect all but its own before it.
fn failing(threads: usize, times: usize) -> Program {
    let mut program = adding(threads, times);
    let expects = (threads - 1) * times;
    let last = program.bodies.last_mut().unwrap();
    last.splice(0..0, [load(0), Assert(is(Is::Equal, expects as u64))]);
    program
}

/// Rule 12: what cut the search is said, also beside failures.
#[test]
fn the_limit_of_executions_is_named_beside_failures() {
    let summary = explore(limited(50), &failing(3, 2));
    assert_eq!((summary.runs(), summary.complete), (50, false), "{summary:#?}");
    assert_eq!(summary.stopped, Some(StopReason::Executions(50)));
    assert!(!summary.failures.is_empty(), "{summary:#?}");
    assert!(summary.guarantee.contains("stopped by the limit of 50 executions"), "{}", summary.guarantee);
}

/// Both may run the same: their executions are not as many interleavings. The opening is that of one.
#[test]
fn executions_of_both_are_not_called_interleavings() {
    let summary = explore(limited(35), &adding(3, 2));
    assert_eq!((summary.runs(), &summary.stopped), (35, &Some(StopReason::Executions(35))));
    assert!(summary.guarantee.contains("no failure in 35 executions"), "{}", summary.guarantee);
    let [reduced, plain] = &summary.shares[..] else { panic!("{summary:#?}") };
    assert_eq!((reduced.executions, plain.executions), (34, 1));
}

/// `found_after` counts every run that came before, those of both that confirm a prediction too: here T1 and T2
/// seem to take locks in a cycle, which memory forbids, so each of the two searches has it tried.
#[test]
fn a_failure_is_found_after_the_runs_of_both() {
    let first = [nested(&[0, 1]), vec![Lock(2), Write(0, Const(1)), Unlock(2)]].concat();
    let second = [
        vec![Lock(2), Read(0, 0), Unlock(2), JumpIf(is(Is::Equal, 0), 8)],
        nested(&[1, 0]),
        vec![store(1, 1)],
    ]
    .concat();
    // Fails if the end of T2 comes between these two.
    let third = vec![
        load(1),
        JumpIf(is(Is::Equal, 1), 6),
        store(2, 1),
        store(2, 2),
        load(1),
        Assert(is(Is::Equal, 0)),
    ];
    // Others have much to do with each other: the plain search begins behind the opening, with the 34th run, and has
    // it tried with its next.
    let other = [load(3), Add(0, Const(1)), Store(3, Reg(0), Order::SeqCst)].repeat(2);
    let program = Program::fork_join(vec![other.clone(), other, first, second, third]);
    let mut failed = None;
    let touch = &mut |number, trace: &mut Trace| {
        if trace.outcome.is_failure() {
            failed.get_or_insert(number);
        }
    };
    let summary = run(Config { predict: true, ..config() }, &program, usize::MAX, touch);
    let found = summary.failures.iter().map(|f| f.found_after).min();
    let [_, plain, ..] = &summary.shares[..] else { panic!("{summary:#?}") };
    assert!(failed > Some(36) && plain.executions > 0, "both have begun by then: {failed:?}");
    assert_eq!(found, failed, "{summary:#?}");
}

/// What nobody reads any more is not counted against the limit: `optimal` cannot read an atomic block.
#[test]
fn executions_that_are_not_reported_are_not_charged() {
    let atomic = &mut |_, trace: &mut Trace| {
        let step = trace.events.iter_mut().find(|e| e.is_step()).unwrap();
        step.flags |= flags::ALONE;
    };
    let summary = run(limited(10), &adding(2, 3), usize::MAX, atomic);
    let [reduced, plain] = &summary.shares[..] else { panic!("{summary:#?}") };
    assert_eq!((reduced.executions, plain.executions, summary.runs()), (0, 10, 10), "{summary:#?}");
    assert_eq!(summary.stopped, Some(StopReason::Executions(10)), "{}", summary.guarantee);
}

/// An execution that fails and races does both, without --keep-going too.
#[test]
fn all_that_the_first_failing_execution_has_is_reported() {
    let race = vec![Write(0, Const(1))];
    let fails = vec![Write(0, Const(2)), Assert(Condition(Const(0), Is::Equal, Const(1)))];
    let config = Config { keep_going: false, ..config() };
    let summary = explore(config, &Program::fork_join(vec![race, fails]));
    let kinds: Vec<_> = summary.failures.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FailureKind::Assertion, FailureKind::DataRace], "{summary:#?}");
    assert!(summary.guarantee.contains("switches at the racing accesses"), "{}", summary.guarantee);
}

/// What is found first needs a preemption between the stores; another assertion fails where the reader comes first, which is
/// found when it is asked whether that one needs fewer. That it is another one does not make it less of a failure.
#[test]
fn the_failure_with_the_fewest_preemptions_is_told() {
    let writer = vec![store(0, 1), store(0, 2), store(1, 1)];
    let reader = vec![load(0), Assert(is(Is::NotEqual, 1)), load(1), Assert(is(Is::Equal, 1))];
    let program = Program::fork_join(vec![writer, reader]);
    let summary = explore(Config { keep_going: false, ..config() }, &program);
    let told: Vec<_> = summary.failures.iter().map(|f| (f.kind, f.preemptions)).collect();
    assert_eq!(told, [(FailureKind::Assertion, 0)], "{summary:#?}");
    assert!(summary.failures[0].found_after <= 2, "{summary:#?}");
    assert!(summary.guarantee.contains("a failure was found at 0 preemptions"), "{}", summary.guarantee);
}

/// `optimal` ends at its limit of memory. The other goes on, comes to its own end, and is cut off at the step
/// bound only.
#[test]
fn what_ended_one_of_them_does_not_cut_the_other() {
    // T2 adds for ever.
    let forever = vec![FetchAdd(0, Const(1), 0, Order::SeqCst), JumpIf(is(Is::NotEqual, 1 << 40), 0)];
    let program = Program::fork_join(vec![vec![store(0, 9), store(1, 1)], forever]);
    let config = Config { max_steps: 20, ..config() };
    let summary = run(config, &program, 500, &mut |_, _| {});
    assert!(summary.truncated > 0 && !summary.complete, "{summary:#?}");
    assert_eq!(summary.stopped, None, "{}", summary.guarantee);
    assert!(!summary.guarantee.contains("stopped"), "{}", summary.guarantee);
}

/// What one part has seen to be otherwise holds for both: one execution of the plain search ends its process.
#[test]
fn a_process_that_ended_makes_neither_complete() {
    let program = adding(2, 2);
    let whole = explore(config(), &program);
    assert!(whole.complete && whole.failures.is_empty(), "{}", whole.guarantee);
    // Behind the opening's 32 they take turns, and the second turn is the plain search's.
    let summary = run(config(), &program, usize::MAX, &mut |number, trace| {
        if number == 34 {
            trace.events.clear();
            (trace.lost, trace.outcome) = (true, raddle_schedule::Outcome::Crash);
        }
    });
    assert_eq!((summary.lost, summary.complete), (1, false), "{summary:#?}");
    assert!(!summary.guarantee.contains("no failure of another"), "{}", summary.guarantee);
}

/// In the opening threads take turns, and a plan does not say that: where the trace of such an execution is lost,
/// nothing names it. It is run again without turns, and what ends the process is found by an execution
/// that has a name.
#[test]
fn what_is_lost_in_the_opening_is_named_by_another_execution() {
    let program = failing(2, 1);
    let mut lost = Vec::new();
    let touch = &mut |number, trace: &mut Trace| {
        if trace.outcome == raddle_schedule::Outcome::Assertion {
            lost.push(number);
            trace.events.clear();
            (trace.lost, trace.outcome) = (true, raddle_schedule::Outcome::Crash);
        }
    };
    let summary = run(config(), &program, usize::MAX, touch);
    assert!(lost[0] <= 32, "{lost:?}");
    let [failure] = &summary.failures[..] else { panic!("{summary:#?}") };
    assert_eq!((summary.lost, summary.complete), (lost.len() as u64, false), "{summary:#?}");
    assert_eq!(summary.shares.iter().map(|s| s.executions).sum::<u64>(), summary.runs());
    assert!(failure.found_after > lost[0], "{failure:#?}");
    // It leads there.
    let mut trace = Trace::default();
    let plan = Plan::new(0, failure.schedule.deltas.clone(), 1000);
    Simulated::new(program, Granularity::Sync).execute(&plan, &mut trace);
    assert_eq!(trace.outcome, raddle_schedule::Outcome::Assertion, "{failure:#?}");
}

/// A search that a person may lead is the same until somebody does.
#[test]
fn a_search_that_may_be_led_is_the_same_until_it_is() {
    let program = adding(3, 2);
    let plans = |led: bool, lead: Option<(u64, bool)>| {
        let config = Config { led, ..limited(400) };
        let mut executor = Noting::new(&program, Granularity::Sync);
        let mut search = Portfolio::chosen(config).unwrap();
        for turn in 0.. {
            if let Some((at, wanted)) = lead
                && at == turn
            {
                let methods = if wanted { vec![1, 3] } else { Vec::new() };
                let picked = focus::Picked { methods, objects: Vec::new() };
                search.refocus(Box::new(picked), wanted);
            }
            if search.step(&mut executor).unwrap() == Turn::Done {
                break;
            }
        }
        (executor.plans, search.summary().guarantee)
    };
    let alone = plans(false, None);
    assert!(!alone.1.contains("order"), "{}", alone.1);
    assert_eq!(plans(true, None), alone);
    // Nothing is selected: everything waits where it did.
    for at in [0, 10, 200] {
        assert_eq!(plans(true, Some((at, false))), alone, "at turn {at}");
    }
    let led = plans(true, Some((100, true)));
    assert!(led.0[..100] == alone.0[..100] && led.0 != alone.0);
    assert!(led.1.contains("method,var order"), "{}", led.1);
}

/// So many random programs.
fn random(n: usize) -> impl Iterator<Item = Program> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[31; 32]);
    let mut runner = TestRunner::new_with_rng(Cases::default(), rng);
    (0..n).map(move |_| generator::program().new_tree(&mut runner).unwrap().current())
}

/// The failures that there are, each with the fewest preemptions that lead there; and everything was run.
fn check(program: &Program, all: &BTreeMap<Fault, u32>, config: Config) -> Result<(), String> {
    let mut search = Portfolio::chosen(config.clone()).map_err(|e| e.to_string())?;
    let mut executor = Noting::new(program, config.granularity);
    while search.step(&mut executor).map_err(|e| e.to_string())? != Turn::Done {}
    let summary = search.summary();
    if guarantee_torn(&summary) {
        return if summary.complete { Err("complete in spite of a race".into()) } else { Ok(()) };
    }
    let races = |f: &&raddle_engine::Failure| f.kind == FailureKind::DataRace;
    if !config.keep_going && summary.failures.iter().any(|f| races(&f)) {
        // It is a failure that brute force does not know.
        return Ok(());
    }
    if !config.keep_going {
        let fewest = (all.values().min(), summary.failures.iter().map(|f| f.preemptions).min());
        return match fewest {
            (None, None) if summary.complete => Ok(()),
            (Some(fewest), Some(found)) if *fewest == found => Ok(()),
            other => Err(format!("{other:?}: {}", summary.guarantee)),
        };
    }
    if !summary.complete {
        return Err(summary.guarantee);
    }
    compare::failures_replay(program, &summary)?;
    let least = all.values().min().copied();
    if summary.failures.iter().filter(|f| !races(f)).map(|f| f.preemptions).min() != least {
        return Err(format!("{least:?}: {summary:#?}"));
    }
    compare::faults_are(&summary, &all.keys().cloned().collect())
}

fn guarantee_torn(summary: &Summary) -> bool {
    summary.guarantee.contains("racing accesses were not explored")
}

/// Both searches together against brute force: what is found, how simple, and that all was run.
#[test]
fn the_failures_of_random_programs() {
    let usual = if cfg!(debug_assertions) { 20 } else { 200 };
    let tries = std::env::var("RADDLE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    for program in random(tries) {
        for granularity in [Granularity::Access, Granularity::Sync] {
            if brute::enumerate_at(&program, granularity, 1_000).is_none() {
                continue;
            }
            let Some(all) = brute::within::failures(&program, granularity, 20_000) else { continue };
            for (in_flight, keep_going, predict) in
                [(1, true, false), (32, true, true), (3, false, true), (32, false, false)]
            {
                let config = Config { granularity, in_flight, keep_going, predict, ..config() };
                if let Err(e) = check(&program, &all, config) {
                    panic!(
                        "{granularity:?}, {in_flight} in flight, {keep_going}, {predict}: {e}\n{program:#?}"
                    );
                }
            }
        }
    }
}

/// A long search draws some of its executions, and counts them.
#[test]
fn a_share_of_a_long_search_is_drawn() {
    let summary = explore(limited(3_000), &adding(4, 4));
    let shares: Vec<(String, u64)> =
        summary.shares.iter().map(|s| (s.order.to_string(), s.executions)).collect();
    assert_eq!(shares.iter().map(|(_, n)| n).sum::<u64>(), 3_000, "{shares:?}");
    let drawn: Vec<u64> = shares.iter().filter(|(order, _)| order == "random").map(|(_, n)| *n).collect();
    assert_eq!(drawn, [500], "{shares:?}");
    // A short one draws none.
    assert!(explore(limited(900), &adding(4, 4)).shares.iter().all(|s| s.order.to_string() != "random"));
}
