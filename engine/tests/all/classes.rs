//! Happens-before classes against the definition (swap neighbours that are independent until
//! nothing changes), and against the numbers of optimal model checkers.

use crate::common::normal_form::normal_form;
use crate::common::programs;
use proptest::prelude::*;
use raddle_engine::analysis::Analyses;
use raddle_engine::analysis::race::Detector;
use raddle_engine::analysis::signature::is_ended;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, Control, Summary, search};
use raddle_schedule::{Granularity, Order, Plan, Trace};
use std::collections::BTreeMap;

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
    let config = Config { granularity, executions, ..crate::common::config() };
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
