//! Tests of the tests: each rule that keeps the search sound (algorithms.md) is broken on purpose,
//! and the comparisons with brute force that hold for the search as it is (`reductions.rs`) have to
//! complain. Rule 9 is in `spinning.rs`.

use crate::common::brute::within;
use crate::common::lifetimes::{owners, stacks};
use crate::common::{compare, generator, programs};
use crate::lifetimes::{self, Most};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Instr, Program, Simulated};
use raddle_engine::{Bound, Config, Control, Mutant, Reduce, States, check, search};
use raddle_schedule::{Granularity, Order, Plan, Trace};

const GRANULARITY: Granularity = Granularity::Access;

/// The first of so many random programs of which the comparison complains, by number.
fn first_complaint(
    programs: impl Strategy<Value = Program>,
    most: usize,
    complains: impl Fn(&Program) -> bool,
) -> Option<usize> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]);
    let mut runner = TestRunner::new_with_rng(Cases::default(), rng);
    (0..most).find(|_| {
        let program = programs.new_tree(&mut runner).unwrap().current();
        complains(&program)
    })
}

/// A comparison that complains of the broken search, and does not of the same search unbroken.
fn caught(mutant: Mutant, holds: impl Fn(&Program, Option<Mutant>) -> bool) {
    caught_among(generator::program(), mutant, holds);
}

/// The same, among these programs.
fn caught_among(
    programs: impl Strategy<Value = Program>,
    mutant: Mutant,
    holds: impl Fn(&Program, Option<Mutant>) -> bool,
) {
    let complains = |program: &Program| {
        // A debug assertion that fails is a complaint too.
        let mutant = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| holds(program, Some(mutant))));
        !mutant.unwrap_or(false) && holds(program, None)
    };
    let found = first_complaint(programs, 2_000, complains);
    assert!(found.is_some(), "rule {}: nobody notices {mutant:?}", mutant.rule());
}

/// The search keeps every class of a program, optimal each once.
fn keeps(program: &Program, reduce: Reduce, in_flight: usize, mutant: Option<Mutant>) -> bool {
    let Some(expected) = compare::expected(program, GRANULARITY, 5_000) else { return true };
    let config = Config { reduce, in_flight, mutant, ..crate::common::config() };
    compare::keeps_every_class(&expected, config, reduce == Reduce::Optimal).is_ok()
}

fn caught_by(mutant: Mutant, reduce: Reduce, in_flight: usize) {
    caught(mutant, |program, mutant| keeps(program, reduce, in_flight, mutant));
}

#[test]
fn rule_1_identity() {
    caught_by(Mutant::ThreadsByNumber, Reduce::Optimal, 1);
}

#[test]
fn rule_2_dependence() {
    caught_by(Mutant::FailedTriesCommute, Reduce::Source, 1);
    caught_by(Mutant::FailedTriesDepend, Reduce::Optimal, 1);
    caught_by(Mutant::NotifiesCommuteWithEnqueues, Reduce::Source, 1);
    caught_by(Mutant::EnqueuesDepend, Reduce::Optimal, 1);
    caught_by(Mutant::TimeoutsCommute, Reduce::Source, 1);
}

#[test]
fn rule_2_time_outs_are_transitions() {
    caught_by(Mutant::TimeoutsAtTheWait, Reduce::Source, 1);
}

#[test]
fn rule_2_what_blocks() {
    caught_by(Mutant::LocksRaceWithUnlocks, Reduce::Source, 1);
}

#[test]
fn rule_2_pending_operations_at_every_end() {
    caught_by(Mutant::PendingIgnored, Reduce::Source, 1);
    caught_by(Mutant::PendingOfDeadlocksOnly, Reduce::Source, 1);
    caught_by(Mutant::EndsCommute, Reduce::Source, 1);
}

#[test]
fn rule_2_sleepers_wake() {
    caught_by(Mutant::NobodyWakes, Reduce::Source, 1);
}

/// Among programs whose steps have several operations: the search keeps every class.
fn caught_of_parts(
    programs: impl Strategy<Value = Program>,
    mutant: Mutant,
    reduce: Reduce,
    in_flight: usize,
) {
    caught_among(programs, mutant, |program, mutant| {
        let Some(expected) = compare::expected(program, Granularity::Sync, 5_000) else { return true };
        let config = Config { reduce, in_flight, mutant, ..crate::common::config() };
        compare::keeps_every_class(&expected, config, false).is_ok()
    });
}

#[test]
fn rule_2_all_operations_of_a_step() {
    caught_of_parts(generator::composite(), Mutant::PartsCommute, Reduce::Source, 1);
    caught_of_parts(generator::sections(), Mutant::SleepersHide, Reduce::Source, 1);
    caught_of_parts(generator::seldom(), Mutant::OneStandsIn, Reduce::Sleep, 1);
    caught_of_parts(generator::seldom(), Mutant::ReversalsEndEarly, Reduce::Source, 1);
    caught_of_parts(generator::shared_sections(), Mutant::FirstOfLocks, Reduce::Optimal, 1);
}

#[test]
fn rule_2_several_readers() {
    caught_among(generator::keeping(), Mutant::OneReaderAside, |program, mutant| {
        keeps(program, Reduce::Optimal, 1, mutant)
    });
}

#[test]
fn rule_3_choices() {
    caught_by(Mutant::OneOutcome, Reduce::Source, 1);
    caught_by(Mutant::OutcomesSleepTogether, Reduce::Optimal, 1);
    caught_by(Mutant::OutcomesKept, Reduce::Optimal, 1);
}

#[test]
fn rule_4_two_happens_befores() {
    caught_by(Mutant::DetectorOrdersAllDependent, Reduce::Source, 1);
    caught_by(Mutant::SearchOrdersSynchronisingOnly, Reduce::Source, 1);
}

/// Among programs of owners and of objects on stacks: every search finds what there is.
fn caught_of_lifetimes(programs: impl Strategy<Value = Program>, mutant: Mutant, most: Most) {
    caught_among(programs, mutant, |program, mutant| lifetimes::agree(program, mutant, most).is_ok());
}

#[test]
fn rule_2_owners_whose_last_one_is_noticed() {
    caught_of_lifetimes(owners(), Mutant::NoticedOwnersCommute, lifetimes::MOST);
}

#[test]
fn rule_4_what_goes() {
    const MOST: Most = (1_500, 200);
    caught_of_lifetimes(owners(), Mutant::LastOwnerKnowsNothing, MOST);
    caught_of_lifetimes(owners(), Mutant::DropsNeverEnd, MOST);
    caught_of_lifetimes(stacks(), Mutant::ReturnsUntold, MOST);
}

#[test]
fn rule_5_out_of_order() {
    caught_by(Mutant::SiblingsCountWhenRun, Reduce::Optimal, 32);
    caught_by(Mutant::LaterSiblingsCount, Reduce::Source, 32);
    caught_by(Mutant::ClosedEarly, Reduce::Source, 32);
    caught_by(Mutant::OnlyBelowOwnDelta, Reduce::Source, 1);
}

/// What is refused, and is not when the rule is broken.
fn refused(mutant: Mutant, config: Config) {
    let text = check(&config).unwrap_err().to_string();
    assert!(!text.contains("not built"), "{text}");
    let mutant = check(&Config { mutant: Some(mutant), ..config });
    assert!(mutant.map_err(|e| e.to_string()) != Err(text), "it is refused all the same");
}

#[test]
fn rule_6_memory_of_states() {
    for reduce in [Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
        let config = Config { reduce, states: States::Hb, ..Config::default() };
        refused(Mutant::StatesWithReversal, config);
    }
}

/// Failures within a bound, with a reduction.
fn within(program: &Program, reduce: Reduce, mutant: Option<Mutant>) -> bool {
    let bound = |n| Config {
        reduce,
        mutant,
        bound: Bound::Preemptions(n),
        granularity: GRANULARITY,
        ..crate::common::config()
    };
    let all = within::failures(program, GRANULARITY, 20_000).expect("a small program");
    (0..2).all(|n| compare::finds_failures_within(program, &all, bound(n), 200_000) == Ok(true))
}

#[test]
fn rule_7_bounds() {
    for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
        refused(
            Mutant::ReductionUnderBound,
            Config { reduce, bound: Bound::Preemptions(1), ..Config::default() },
        );
    }
    // Why: they miss failures.
    let misses = |program: &Program| {
        let mutant = Some(Mutant::ReductionUnderBound);
        !within(program, Reduce::Source, mutant) && within(program, Reduce::None, None)
    };
    assert!(first_complaint(generator::program(), 2_000, misses).is_some());
    caught(Mutant::NoBoundedPoints, |program, mutant| within(program, Reduce::Bounded, mutant));
}

#[test]
fn rule_8_schedules_name_their_granularity() {
    let body = vec![Instr::Read(0, 0), Instr::Write(0, raddle_engine::simulated::Value::Const(1))];
    let mut program = Program::fork_join(vec![body.clone(), body]);
    program.bodies[0].push(Instr::Unlock(0));
    let replays = |mutant| {
        let config = Config { granularity: GRANULARITY, mutant, ..crate::common::config() };
        let mut executor = Simulated::new(program.clone(), GRANULARITY);
        let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
        assert!(!summary.failures.is_empty());
        compare::failures_replay(&program, &summary)
    };
    assert_eq!(replays(None), Ok(()));
    assert!(replays(Some(Mutant::NamedWithoutGranularity)).is_err());
}

/// The same of promoted variables: without them the steps of a schedule have other numbers.
#[test]
fn rule_8_schedules_name_what_is_promoted() {
    let body = vec![Instr::Read(0, 0), Instr::Write(0, raddle_engine::simulated::Value::Const(1))];
    let mut program = Program::fork_join(vec![body.clone(), body]);
    program.bodies[0].push(Instr::Unlock(0));
    let replays = |mutant| {
        let config = Config { promoted: vec!["v0".into()], mutant, ..crate::common::config() };
        let mut executor = Simulated::new(program.clone(), Granularity::Sync).promoting(&[0]);
        let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
        assert!(!summary.failures.is_empty());
        compare::failures_replay(&program, &summary)
    };
    assert_eq!(replays(None), Ok(()));
    assert!(replays(Some(Mutant::NamedWithoutGranularity)).is_err());
}

/// Executes another program for one plan, and does not look at prefixes itself.
struct Careless {
    one: Simulated,
    other: Simulated,
    queue: std::collections::VecDeque<Plan>,
}

impl Executor for Careless {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.queue.push_back(Plan { prefix_steps: 0, ..plan.clone() });
        Ok(())
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let Some(plan) = self.queue.pop_front() else { return Ok(false) };
        let which = if plan.sequence == 3 { &mut self.other } else { &mut self.one };
        which.execute(&plan, trace);
        Ok(true)
    }
}

#[test]
fn rule_10_prefixes_are_checked() {
    let one = programs::lost_update(2);
    // T1's first access is of another variable.
    let mut other = one.clone();
    other.bodies[1][0] = Instr::Load(1, 0, Order::SeqCst);
    let diverged = |mutant| {
        let simulated = |p: &Program| Simulated::new(p.clone(), Granularity::Sync);
        let mut executor =
            Careless { one: simulated(&one), other: simulated(&other), queue: Default::default() };
        let config = Config { reduce: Reduce::Source, mutant, ..crate::common::config() };
        search(config, &mut executor, |_| Control::Continue).unwrap().diverged
    };
    assert_eq!(diverged(None), 1);
    assert_eq!(diverged(Some(Mutant::PrefixUnchecked)), 0, "the mutant says what was not there");
}
