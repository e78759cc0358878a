//! Coverage against the definition: distinct states are the beginnings of executions up to the order
//! of independent steps, and at the end of a bound they are those of the executions within it.

use crate::common::normal_form::{Label, normal_form};
use crate::common::{programs, run_of};
use proptest::prelude::*;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::search::Control;
use raddle_engine::simulated::{Program, Simulated};
use raddle_engine::{Bound, Config, Order, Summary, search};
use raddle_schedule::{Granularity, Plan, Trace};
use std::collections::BTreeSet;

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

fn explore(program: &Program, config: Config) -> (Summary, Vec<Trace>) {
    let mut executor = Keeping(Simulated::new(program.clone(), config.granularity), Vec::new());
    let config = Config { count_states: true, probe: false, ..config };
    (search(config, &mut executor, |_| Control::Continue).unwrap(), executor.1)
}

/// All beginnings of an execution that end before a step or with it.
fn beginnings(trace: &Trace) -> Vec<Vec<Label>> {
    let steps = (0..trace.events.len()).filter(|i| trace.events[*i].is_step());
    let ends = steps.chain([trace.events.len()]);
    ends.map(|end| normal_form(&Trace { events: trace.events[..end].to_vec(), ..Trace::default() })).collect()
}

/// Distinct beginnings of these executions.
fn states<'a>(traces: impl Iterator<Item = &'a Trace>) -> u64 {
    traces.flat_map(beginnings).collect::<BTreeSet<_>>().len() as u64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn states_are_those_of_the_definition(program in programs::random(), access in any::<bool>()) {
        let granularity = if access { Granularity::Access } else { Granularity::Sync };
        let config = Config { granularity, executions: Some(60), ..crate::common::config() };
        let (summary, traces) = explore(&program, config);
        let mut seen = BTreeSet::new();
        let so_far: Vec<u64> = traces
            .iter()
            .map(|t| {
                seen.extend(beginnings(t));
                seen.len() as u64
            })
            .collect();
        prop_assert_eq!(summary.states, so_far.last().copied());
        let last = summary.coverage.last().unwrap();
        prop_assert_eq!((last.states, last.classes), (summary.states, summary.classes));
        for point in &summary.coverage {
            let expected = so_far[point.executions as usize - 1];
            prop_assert_eq!(point.states, Some(expected), "after {} executions", point.executions);
        }
    }
}

#[test]
fn each_bound_has_the_states_of_its_executions() {
    for program in [programs::lost_update(1), programs::two_locks(), programs::mutex(2, 1)] {
        let (summary, traces) =
            explore(&program, Config { bound: Bound::Iterative, ..crate::common::config() });
        assert!(summary.complete);
        let preemptions: Vec<u32> = traces.iter().map(|t| run_of(t).preemptions).collect();
        let told: Vec<_> = summary.coverage.iter().filter_map(|p| Some((p.bound?, *p))).collect();
        let most = preemptions.iter().copied().max().unwrap();
        assert!(told.iter().map(|(c, _)| *c).eq(0..=most), "one point for each bound: {told:?}");
        for (bound, point) in told {
            let within = || traces.iter().zip(&preemptions).filter(|(_, p)| **p <= bound).map(|(t, _)| t);
            assert_eq!(point.executions, within().count() as u64, "bound {bound}");
            assert_eq!(point.states, Some(states(within())), "bound {bound}");
        }
    }
}

/// Whatever comes first, in the end there is the same.
#[test]
fn the_order_of_executions_does_not_matter_in_the_end() {
    let program = programs::lost_update(2);
    let ends = [Bound::None, Bound::Iterative].map(|bound| {
        let (summary, _) = explore(&program, Config { bound, ..crate::common::config() });
        (summary.executions, summary.classes, summary.states)
    });
    assert_eq!(ends[0], ends[1]);
    let random = Config { order: Order::Random, executions: Some(300), ..crate::common::config() };
    let (sampled, _) = explore(&program, random);
    assert!(sampled.states <= ends[0].2 && sampled.states > Some(50), "{:?}", sampled.states);
    assert_eq!(sampled.coverage.last().unwrap().executions, 300);
}

/// A bound that was not run to its end is not told, and what is not asked for is not counted.
#[test]
fn nothing_is_told_that_was_not_run_or_counted() {
    let program = programs::lost_update(2);
    let config = Config { bound: Bound::Iterative, executions: Some(40), ..crate::common::config() };
    let (cut, _) = explore(&program, config);
    let last = cut.coverage.iter().rev().find_map(|p| p.bound);
    assert!(!cut.complete && last == cut.bound_completed && last.is_some(), "{:?}", cut.coverage);
    let mut executor = Simulated::new(program, Granularity::Sync);
    let counted = search(crate::common::config(), &mut executor, |_| Control::Continue).unwrap();
    assert_eq!(counted.states, None);
    assert!(counted.coverage.iter().all(|p| p.states.is_none() && p.classes.is_some()));
}
