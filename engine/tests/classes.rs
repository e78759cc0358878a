//! Happens-before classes against the definition (swap neighbours that are independent until
//! nothing changes), and against the numbers of optimal model checkers.

mod common;

use common::programs;
use proptest::prelude::*;
use raddle_engine::analysis::Analyses;
use raddle_engine::analysis::race::Detector;
use raddle_engine::analysis::signature::is_ended;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, Control, Summary, search};
use raddle_schedule::op::dependent;
use raddle_schedule::{Choice, Event, Granularity, OpKind, Order, Plan, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// A step as the normal form shows it: the thread's name, its kind, the choice made there.
type Label = (Vec<u32>, u8, Option<(u32, Vec<u32>)>);

/// Names of threads: the numbers of the spawns that lead to them.
fn thread_names(trace: &Trace) -> Vec<Vec<u32>> {
    let mut names: Vec<Vec<u32>> = vec![vec![]; 64];
    let mut children = [0; 64];
    for e in trace.events.iter().filter(|e| e.kind() == OpKind::Spawn) {
        let t = e.thread() as usize;
        let mut name = names[t].clone();
        name.push(children[t]);
        children[t] += 1;
        names[e.value as usize] = name;
    }
    names
}

/// The notify that let this wake be, if one did.
fn notify_of(steps: &[Event], wake: usize) -> Option<usize> {
    let thread = steps[wake].thread();
    let since = steps[..wake].iter().rposition(|e| e.thread() == thread)?;
    let wakes = |e: &Event| matches!(e.kind(), OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake);
    let of = |i: &usize| wakes(&steps[*i]) && steps[*i].value >> thread & 1 != 0;
    (since..wake).find(of)
}

/// The least linearisation of the execution's partial order: the same for all executions of a
/// class, different for different ones.
fn normal_form(trace: &Trace) -> Vec<Label> {
    let names = thread_names(trace);
    let mut steps = Vec::new();
    let mut labels: Vec<Label> = Vec::new();
    for e in &trace.events {
        if e.is_step() {
            steps.push(*e);
            labels.push((names[e.thread() as usize].clone(), e.raw_kind(), None));
        } else if e.kind() == OpKind::Choice {
            let choice = match e.chosen().unwrap() {
                Choice::Waiter(w) => (0, names[w as usize].clone()),
                other => (other.encode(), vec![]),
            };
            labels.last_mut().unwrap().2 = Some(choice);
        }
    }
    let n = steps.len();
    let mut before = vec![BTreeSet::new(); n];
    for j in 0..n {
        for i in 0..j {
            let (d, e) = (&steps[i], &steps[j]);
            let ordered = d.thread() == e.thread()
                || dependent(&d.op(), &e.op())
                || (d.kind() == OpKind::Spawn && d.value == u64::from(e.thread()))
                || (e.kind() == OpKind::Join && e.object() == u64::from(d.thread()))
                || (e.kind() == OpKind::CondWake && notify_of(&steps, j) == Some(i));
            if ordered {
                before[j].insert(i);
            }
        }
    }
    let mut placed = BTreeSet::new();
    let mut form = Vec::new();
    while placed.len() < n {
        let free = (0..n).filter(|j| !placed.contains(j) && before[*j].is_subset(&placed));
        let next = free.min_by_key(|j| &labels[*j]).unwrap();
        placed.insert(next);
        form.push(labels[next].clone());
    }
    form
}

/// Keeps every trace.
struct Keeping(Simulated, Vec<Trace>);

impl Executor for Keeping {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.0.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.0.receive(trace)?;
        self.1.push(trace.clone());
        Ok(received)
    }
}

fn explore(program: &Program, granularity: Granularity, executions: Option<u64>) -> (Summary, Vec<Trace>) {
    let mut executor = Keeping(Simulated::new(program.clone(), granularity), Vec::new());
    let config = Config { granularity, executions, ..common::config() };
    let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
    (summary, executor.1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn signatures_are_those_of_the_definition(program in programs::random(), access in any::<bool>()) {
        let granularity = if access { Granularity::Access } else { Granularity::Sync };
        let (_, traces) = explore(&program, granularity, Some(400));
        let mut analyses = Analyses::new(true);
        let mut by_form = BTreeMap::new();
        let mut by_signature = BTreeMap::new();
        for trace in &traces {
            let (form, signature) = (normal_form(trace), analyses.signature(trace));
            prop_assert_eq!(*by_form.entry(form.clone()).or_insert(signature), signature, "one class, two signatures");
            // What a step ended counts by that step's past only.
            if !is_ended(trace) {
                let first = by_signature.entry(signature).or_insert(form.clone());
                prop_assert_eq!(first, &form, "two classes, one signature");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Executions that are not read for races, since they agree with a race-free one, have none.
    #[test]
    fn no_race_is_missed_by_not_looking_again(program in programs::random(), access in any::<bool>()) {
        let granularity = if access { Granularity::Access } else { Granularity::Sync };
        let (_, traces) = explore(&program, granularity, Some(400));
        let (mut analyses, mut detector) = (Analyses::new(true), Detector::default());
        for trace in &traces {
            analyses.run(trace, true);
            detector.run(trace, 7);
            prop_assert_eq!(analyses.races(), detector.races());
        }
    }
}

/// Classes of complete executions and of all.
fn classes(program: &Program) -> (u64, u64) {
    let (summary, _) = explore(program, Granularity::Sync, None);
    assert!(summary.complete);
    (summary.classes.unwrap(), summary.deadlocked)
}

#[test]
fn numbers_of_optimal_model_checkers() {
    // lost N (exact-counts): 4, 34.
    assert_eq!(classes(&programs::lost_update(1)), (4, 0));
    assert_eq!(classes(&programs::lost_update(2)), (34, 0));
    // mutex T×N: the orders of TN sections, (TN)!/(N!)^T.
    assert_eq!(classes(&programs::mutex(2, 1)).0, 2);
    assert_eq!(classes(&programs::mutex(2, 2)).0, 6);
    assert_eq!(classes(&programs::mutex(3, 1)).0, 6);
    // writers N: N!; readers N: 2^N, each reader before or after the only writer.
    let store = || vec![Instr::Store(0, Value::Const(1), Order::SeqCst)];
    let load = || vec![Instr::Load(0, 0, Order::SeqCst)];
    assert_eq!(classes(&Program::fork_join(vec![store(), store(), store()])).0, 6);
    assert_eq!(classes(&Program::fork_join(vec![store(), load(), load()])).0, 4);
    // fib (join) 1: 3.
    let (i, j, order) = (0, 1, Order::SeqCst);
    let half = |mine, other| {
        vec![
            Instr::Load(mine, 0, order),
            Instr::Load(other, 1, order),
            Instr::Add(0, Value::Reg(1)),
            Instr::Store(mine, Value::Reg(0), order),
        ]
    };
    let twice = |n: usize| {
        let body = |a, b| (0..n).flat_map(|_| half(a, b)).collect();
        classes(&Program::fork_join(vec![body(i, j), body(j, i)])).0
    };
    assert_eq!(twice(1), 3);
    assert_eq!(twice(2), 19);
}

#[test]
fn philosophers_have_one_deadlock() {
    // philosophers N, each left fork first: 2^N − 2 complete classes; here N = 2, with 2 + a
    // deadlock, which is reached by several schedules of one class.
    let (complete, deadlocked) = classes(&programs::two_locks());
    assert_eq!(complete, 2);
    assert!(deadlocked > 0);
}

#[test]
fn rule_1_numbers_of_threads_do_not_matter() {
    // T1 and T2 each spawn a child: which is T3 depends on the order, the class does not.
    let parent = |body| vec![Instr::Spawn(body, 0), Instr::Join(Value::Reg(0))];
    let mut program = Program::fork_join(vec![parent(3), parent(4)]);
    program.bodies.push(vec![]);
    program.bodies.push(vec![]);
    assert_eq!(classes(&program).0, 1);
}

#[test]
fn inputs_are_part_of_the_class() {
    // 3 values seen by one thread: 3 classes.
    let body = vec![Instr::Choose(3, 0), Instr::Assert(Condition(Value::Reg(0), Is::Less, Value::Const(9)))];
    assert_eq!(classes(&Program::fork_join(vec![body])).0, 3);
}
