//! Orders with priorities, a focus that changes while the search runs, and searches below a
//! prefix, against brute force and against a plain best-first search.

use crate::common::focus::{Picked, picked};
use crate::common::{Noting, Run, Step, brute, config, model, programs, promises};
use proptest::prelude::*;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Instr, Program, Value};
use raddle_engine::{Bound, Config, Control, Failure, Levels, Order, Prefix, Search, Summary};
use raddle_schedule::{Granularity, Order as Ordering, Plan, Trace};

/// Most executions of a random program that is tried; the plain search takes their square.
const MOST: usize = 1_000;

/// The lists that are built.
const LISTS: [&[&str]; 5] = [&["method"], &["var"], &["method", "var"], &["var", "method"], &[]];

fn order(functions: &[&str], dfs: bool) -> Order {
    let mut names: Vec<String> = functions.iter().map(|n| n.to_string()).collect();
    if dfs || names.is_empty() {
        names.push("dfs".into());
    }
    Order::parse(&names.join(",")).unwrap()
}

/// Searches to the end; before turn n the focus changes to what is given for n.
fn refocused(config: Config, program: &Program, changes: &[(usize, Picked)]) -> (Summary, Noting, Levels) {
    let mut executor = Noting::new(program, config.granularity);
    let mut search = Search::new(config).unwrap();
    for turn in 0.. {
        for (_, picked) in changes.iter().filter(|(at, _)| *at == turn) {
            search.refocus(Box::new(picked.clone()), true);
            assert_eq!(search.progress().levels, Levels::default());
        }
        if search.step(&mut executor).unwrap() == Turn::Done {
            break;
        }
    }
    let (summary, progress) = (search.summary(), search.progress());
    // What is kept for other causes is in the summary only.
    let found: Vec<_> = summary.failures.iter().map(|f| Failure { witnesses: vec![], ..f.clone() }).collect();
    assert_eq!(search.failures(), found);
    assert_eq!(progress.passed + progress.failed, summary.executions);
    assert_eq!((progress.passed, progress.deadlocked), (summary.passed, summary.deadlocked));
    assert_eq!((progress.classes, progress.waiting), (summary.classes, summary.waiting));
    (summary, executor, progress.levels)
}

fn same_runs(got: &[Run], want: &[Run]) {
    let sorted = |runs: &[Run]| {
        let mut runs = runs.to_vec();
        runs.sort();
        runs
    };
    assert_eq!(got.len(), want.len(), "number of executions");
    assert_eq!(sorted(got), sorted(want));
}

fn changes() -> impl Strategy<Value = Vec<(usize, Picked)>> {
    prop::collection::vec((prop_oneof![Just(0), 0..20usize, 0..400usize], picked()), 0..5)
}

/// Three threads that wait for notifications, each between accesses of its own and common ones.
fn waiters() -> Program {
    let body = |own: u32| {
        vec![
            Instr::Lock(0),
            Instr::Read(own, 0),
            Instr::Write(3, Value::Const(1)),
            Instr::Wait(0, 0),
            Instr::Write(own, Value::Const(2)),
            Instr::Read(3, 0),
            Instr::Unlock(0),
        ]
    };
    let mut program =
        Program::fork_join(vec![body(0), body(1), vec![Instr::NotifyOne(0), Instr::NotifyOne(0)]]);
    program.bodies[0].truncate(3);
    program
}

fn program() -> impl Strategy<Value = Program> {
    prop_oneof![8 => programs::random(), 1 => Just(waiters())]
}

fn granularity() -> impl Strategy<Value = Granularity> {
    prop_oneof![Just(Granularity::Sync), Just(Granularity::Access), Just(Granularity::Statement)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the order and however often the focus changes: the executions of brute force, each
    /// exactly once, rounds in order, and each plan the one that a plain best-first search would
    /// choose: lowest cost, most recent among equals, also among equals of different switches.
    #[test]
    fn refocusing_permutes_what_waits_and_nothing_else(
        program in program(), at in any::<u64>(), granularity in granularity(),
        list in 0..LISTS.len(), dfs in any::<bool>(), changes in changes(),
        w in 1usize..40, iterative in any::<bool>(),
    ) {
        let program = programs::with_statements(program, at);
        let Some(all) = brute::enumerate_at(&program, granularity, MOST) else { return Ok(()) };
        let bound = if iterative { Bound::Iterative } else { Bound::None };
        let order = order(LISTS[list], dfs);
        let config = Config { granularity, bound, order, in_flight: w, ..config() };
        let (summary, executor, levels) = refocused(config.clone(), &program, &changes);
        same_runs(&executor.runs, &all);
        let rounds: Vec<u32> = executor.runs.iter().map(|r| r.preemptions).collect();
        prop_assert!(!iterative || rounds.is_sorted(), "{rounds:?}");
        prop_assert_eq!((summary.complete, summary.waiting), (promises(granularity, &summary), 0));
        let model = model::search(&program, &config, LISTS[list], &changes);
        prop_assert_eq!(&executor.plans, &model.plans);
        if !LISTS[list].is_empty() {
            prop_assert_eq!(levels, model.levels);
        }
    }

    /// Below every beginning of every execution: those of brute force that begin so.
    #[test]
    fn below_a_prefix_are_all_executions_that_begin_so(
        program in program(), granularity in granularity(), at in any::<u64>(),
        seed in any::<u64>(), floor in 0..30u32, w in 1usize..40,
        list in 0..LISTS.len(), changes in changes(), most in prop::option::of(0..4u32),
    ) {
        let program = programs::with_statements(program, at);
        let Some(all) = brute::enumerate_at(&program, granularity, MOST) else { return Ok(()) };
        let bound = most.map_or(Bound::Iterative, Bound::Preemptions);
        let order = order(LISTS[list], false);
        let config = Config { granularity, bound, order, in_flight: w, ..config() };
        let trace = model::any_execution(&program, &config, seed);
        let prefix = Prefix::of(&trace, floor);
        prop_assert_eq!(prefix.floor, floor.min(trace.steps));
        let config = Config { below: Some(prefix.clone()), ..config };
        if most.is_some_and(|most| prefix.preemptions > most) {
            prop_assert!(Search::new(config).is_err());
            return Ok(());
        }
        let begins = beginning(&crate::common::run_of(&trace), floor);
        let among = |r: &&Run| beginning(r, floor) == begins;
        let below: Vec<Run> = all.iter().filter(among).cloned().collect();
        let within = |r: &&Run| most.is_none_or(|most| r.preemptions <= most);
        let wanted: Vec<Run> = below.iter().filter(within).cloned().collect();
        let (summary, executor, _) = refocused(config, &program, &changes);
        same_runs(&executor.runs, &wanted);
        let promises = promises(granularity, &summary);
        prop_assert_eq!(summary.complete, promises);
        prop_assert_eq!(summary.beyond_bound, wanted.len() < below.len());
        prop_assert_eq!(summary.bound_completed.is_some(), promises);
        let said = format!("among the executions that begin with {granularity}@");
        prop_assert!(summary.guarantee.starts_with(&said), "{}", summary.guarantee);
    }
}

/// The first steps of an execution, with the choices at them.
fn beginning(run: &Run, floor: u32) -> Vec<Step> {
    let mut steps = 0;
    let taken = |step: &&Step| {
        steps += u32::from(matches!(step, Step::Thread(_) | Step::TimeOut(_)));
        steps <= floor
    };
    run.steps.iter().take_while(taken).copied().collect()
}

/// Figure 3 of paper 003: threads A and B of two steps each, six executions; here A is T0, whose
/// first step starts B, so that the root has three steps of A.
#[test]
fn the_deltas_of_figure_3() {
    let program =
        Program { bodies: vec![vec![Instr::Spawn(1, 0), Instr::Point], vec![]], ..Program::default() };
    let (_, executor, _) = refocused(config(), &program, &[]);
    // A0 A1 exit | start exit of B: B's two steps among A's last two.
    let expected = ["", "2:T1,3:T0", "2:T1", "1:T1,2:T0,3:T1", "1:T1,2:T0", "1:T1"];
    let (mut got, mut expected) = (executor.plans, expected.map(String::from).to_vec());
    got.sort();
    expected.sort();
    assert_eq!(got, expected);
}

/// A mistake that needs a switch between two places among many others: found among the first
/// executions when their methods are selected, late otherwise, and after the same number of
/// executions every time.
#[test]
fn a_hot_pair_is_found_at_once_when_it_is_selected() {
    let noise = |m| [Instr::Lock(m), Instr::Unlock(m)];
    let add = [
        Instr::Load(0, 0, Ordering::SeqCst),
        Instr::Add(0, Value::Const(1)),
        Instr::Store(0, Value::Reg(0), Ordering::SeqCst),
    ];
    let body = |m| [&add[..], &[noise(m); 20].concat()].concat();
    let mut program = Program::fork_join(vec![body(0), body(1)]);
    program.bodies[0].extend([
        Instr::Load(0, 0, Ordering::SeqCst),
        Instr::Assert(raddle_engine::simulated::Condition(
            Value::Reg(0),
            raddle_engine::simulated::Is::Equal,
            Value::Const(2),
        )),
    ]);
    // The variable's loads and stores.
    let hot = Picked { methods: Vec::new(), objects: vec![0x40_0000] };
    let found = |changes: &[(usize, Picked)]| {
        let order = order(&["var"], false);
        let config = Config { order, keep_going: false, executions: Some(2_000), ..config() };
        refocused(config, &program, changes).0.failures.first().map(|f| f.found_after)
    };
    let (cold, warm) = (found(&[]).unwrap_or(2_000), found(&[(0, hot.clone())]).unwrap());
    assert!(warm * 50 <= cold, "{warm} {cold}");
    assert_eq!(found(&[(0, hot.clone())]), Some(warm));
    // Selected late, it is found soon after: what waits is re-ordered at once.
    let late = found(&[(1000, hot)]).unwrap();
    assert!((1000..1000 + 2 * warm + 32).contains(&late), "{late} {warm}");
}

/// Nobody steps it: nothing is lost, and it goes on where it was, on another thread as well.
#[test]
fn a_search_that_is_not_stepped_is_paused() {
    let program = programs::mutex(2, 2);
    let mut executor = Noting::new(&program, Granularity::Sync);
    let mut search = Search::new(config()).unwrap();
    for _ in 0..10 {
        search.step(&mut executor).unwrap();
    }
    assert_eq!(search.progress().executions, 10);
    assert!(search.in_flight() > 0);
    let (summary, executor) = std::thread::spawn(move || {
        while search.step(&mut executor).unwrap() != Turn::Done {}
        (search.summary(), executor)
    })
    .join()
    .unwrap();
    let (_, straight, _) = refocused(config(), &program, &[]);
    assert_eq!((summary.executions, executor.plans == straight.plans), (765, true));
}

/// Follows plans and compares no prefix.
struct Unchecking(Noting);

impl Executor for Unchecking {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.0.submit(&Plan { prefix_steps: 0, ..plan.clone() })
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        self.0.receive(trace)
    }
}

/// The trace of another program: the beginning is not repeated, and that is said, whoever notices.
#[test]
fn a_prefix_that_the_program_does_not_repeat() {
    let (program, other) = (programs::mutex(2, 2), programs::lost_update(2));
    let trace = model::any_execution(&other, &config(), 3);
    let prefix = Prefix::of(&trace, 7);
    assert!(!prefix.deltas.is_empty());
    for checked in [true, false] {
        let mut executor = Unchecking(Noting::new(&program, Granularity::Sync));
        let executor: &mut dyn Executor = if checked { &mut executor.0 } else { &mut executor };
        let below = Config { below: Some(prefix.clone()), ..config() };
        let summary = raddle_engine::search(below, executor, |_| Control::Continue).unwrap();
        assert_eq!((summary.executions, summary.complete), (0, false));
        let [failure] = &summary.failures[..] else { panic!("{:#?}", summary.failures) };
        // Run again, it does the same: this program does repeat itself, from another beginning.
        assert!(failure.message.contains("did not repeat itself up to step 6"), "{}", failure.message);
    }
}
