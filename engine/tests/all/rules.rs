//! The rules that keep the search sound (algorithms.md), one test or more each.

use crate::common::{brute, config, explore, programs, promises, run_of};
use proptest::prelude::*;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Instr, Program, Simulated, Value};
use raddle_engine::{Bound, Config, Control, FailureKind, Search, StopReason, Summary, WarningKind, search};
use raddle_schedule::{Granularity, Order, Outcome, Plan, Schedule, Trace, flags};

fn sync(program: &Program) -> Simulated {
    Simulated::new(program.clone(), Granularity::Sync)
}

fn run(config: Config, executor: &mut dyn Executor) -> Summary {
    search(config, executor, |_| Control::Continue).unwrap()
}

/// Follows a schedule string.
fn replay(program: &Program, schedule: &str) -> Trace {
    let schedule: Schedule = schedule.parse().unwrap();
    let mut trace = Trace::default();
    let plan = Plan::new(0, schedule.deltas, 20_000);
    Simulated::new(program.clone(), schedule.granularity).execute(&plan, &mut trace);
    trace
}

/// Two programs: the second is executed for the plans that `is_other` picks by their number.
struct TwoFaced<F: FnMut(u64) -> bool> {
    one: Simulated,
    other: Simulated,
    queue: std::collections::VecDeque<Plan>,
    is_other: F,
}

impl<F: FnMut(u64) -> bool> TwoFaced<F> {
    fn new(one: &Program, other: &Program, is_other: F) -> Self {
        TwoFaced { one: sync(one), other: sync(other), queue: Default::default(), is_other }
    }
}

impl<F: FnMut(u64) -> bool> Executor for TwoFaced<F> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.queue.push_back(plan.clone());
        Ok(())
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let Some(plan) = self.queue.pop_front() else { return Ok(false) };
        let which = if (self.is_other)(plan.sequence) { &mut self.other } else { &mut self.one };
        which.execute(&plan, trace);
        Ok(true)
    }
}

/// The execution tree of paper 003, Figure 3(b): two threads of two steps each.
///
/// T0 is A (after the spawn, step 0: a point and its exit), T1 is B (its start and its exit).
/// The root runs A0 A1 B0 B1; then, with steps counted from 1:
/// ⟨1,B⟩ B0 B1 A0 A1 with ⟨2,A⟩ B0 A0 A1 B1 with ⟨3,B⟩ B0 A0 B1 A1;
/// ⟨2,B⟩ A0 B0 B1 A1 with ⟨3,A⟩ A0 B0 A1 B1.
#[test]
fn gambit_figure_3() {
    let program =
        Program { bodies: vec![vec![Instr::Spawn(1, 0), Instr::Point], vec![]], ..Program::default() };
    let (summary, mut executor) = explore(Config { in_flight: 1, ..config() }, &program);
    executor.plans.sort();
    assert_eq!(executor.plans, ["", "1:T1", "1:T1,2:T0", "1:T1,2:T0,3:T1", "2:T1", "2:T1,3:T0"]);
    assert_eq!((summary.executions, summary.complete), (6, true));
}

/// Paper 000, Theorem 1: at most C(nk,c)·(nb+c)! executions with c preemptions, for n threads of
/// at most k steps of which at most b block; the end of a thread counts as blocking.
#[test]
fn theorem_1_bounds_the_number_of_executions() {
    // Threads; most steps of one; most blocking ones: for T0 two joins and its end.
    for (program, n, k, b) in [
        (programs::lost_update(1), 3u128, 6, 3),
        (programs::two_locks(), 3, 6, 3),
        (programs::mutex(2, 1), 3, 5, 3),
    ] {
        let runs = brute::enumerate(&program, false, 100_000).unwrap();
        let most = runs.iter().map(|r| r.preemptions).max().unwrap();
        for c in 0..=u128::from(most) {
            let choose = (0..c).fold(1, |all, i| all * (n * k - i) / (i + 1));
            let arrange: u128 = (1..=n * b + c).product();
            let found = runs.iter().filter(|r| u128::from(r.preemptions) == c).count() as u128;
            assert!(found <= choose * arrange, "{found} executions with {c} preemptions");
        }
    }
}

#[test]
fn the_first_failure_has_the_fewest_preemptions() {
    let program = programs::lost_update(2);
    let c = Config { bound: Bound::Iterative, keep_going: false, ..config() };
    let summary = run(c, &mut sync(&program));
    let all = brute::enumerate(&program, false, 100_000).unwrap();
    let fewest = all.iter().filter(|r| r.outcome == Outcome::Assertion).map(|r| r.preemptions).min();
    let failure = &summary.failures[0];
    assert_eq!(Some(failure.preemptions), fewest);
    assert_eq!((failure.kind, summary.stopped), (FailureKind::Assertion, Some(StopReason::Failure)));
    assert_eq!(summary.bound_completed, Some(0));
    assert!(
        summary.guarantee.contains("any remaining failure needs at least 1 preemption"),
        "{}",
        summary.guarantee
    );
}

#[test]
fn rule_8_the_schedule_string_is_the_execution() {
    for (program, kind) in
        [(programs::lost_update(2), FailureKind::Assertion), (programs::two_locks(), FailureKind::Deadlock)]
    {
        let summary = run(config(), &mut sync(&program));
        let failure = summary.failures.iter().find(|f| f.kind == kind).unwrap();
        let text = failure.schedule.to_string();
        let trace = replay(&program, &text);
        assert_eq!((trace.outcome, trace.steps), (failure.outcome, failure.steps), "{text}");
        assert_eq!(run_of(&trace).preemptions, failure.preemptions);
    }
    // A schedule that does not fit is never bent.
    let program = programs::lost_update(1);
    assert_eq!(replay(&program, "sync@0:T2").outcome, Outcome::Unfollowable);
    assert_eq!(replay(&program, "sync@900:T1").outcome, Outcome::Unfollowable);
    assert_eq!(replay(&program, "sync@0:w1").outcome, Outcome::Unfollowable);
    assert_eq!(replay(&program, "sync@2:T1").outcome, Outcome::Passed);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Rule 8 for random programs: the name read off a trace leads to the same trace.
    #[test]
    fn rule_8_names_lead_back(program in programs::random(), seed in any::<u64>()) {
        let mut executor = sync(&program);
        let mut plan = Plan::new(0, Vec::new(), 1000);
        plan.flags = raddle_schedule::plan::flags::SAMPLE;
        plan.seed = seed;
        let (mut sampled, mut named) = (Trace::default(), Trace::default());
        executor.execute(&plan, &mut sampled);
        let name = raddle_engine::naming::name(&sampled);
        executor.execute(&Plan::new(0, name.deltas, 1000), &mut named);
        prop_assert_eq!(&sampled, &named);
    }

    /// Whatever stops it, all executions with so many preemptions as it says were run.
    #[test]
    fn bound_completed_is_true(program in programs::random(), most in 1u64..60, iterative in any::<bool>()) {
        let Some(all) = brute::enumerate(&program, false, 2_000) else { return Ok(()) };
        let bound = if iterative { Bound::Iterative } else { Bound::None };
        let (summary, executor) = explore(Config { bound, executions: Some(most), ..config() }, &program);
        prop_assert_eq!(executor.runs.len() as u64, most.min(all.len() as u64));
        let promises = promises(Granularity::Sync, &summary);
        prop_assert_eq!(summary.complete, promises && executor.runs.len() == all.len());
        if let Some(c) = summary.bound_completed {
            for run in all.iter().filter(|r| r.preemptions <= c) {
                prop_assert!(executor.runs.contains(run));
            }
        }
    }

    /// A search that is paused at every turn finds what an uninterrupted one finds.
    #[test]
    fn pauses_change_nothing(program in programs::random()) {
        let c = Config { executions: Some(200), ..config() };
        let whole = run(c.clone(), &mut sync(&program));
        let mut executor = sync(&program);
        let mut paused = Search::new(c).unwrap();
        while paused.step(&mut executor).unwrap() != Turn::Done {
            let _ = paused.summary();
        }
        prop_assert_eq!(format!("{whole:?}"), format!("{:?}", paused.summary()));
    }
}

#[test]
fn rule_10_a_divergence_is_reported_with_the_first_differing_event() {
    let one = programs::lost_update(1);
    // The same program but for T1's first access, which touches another variable.
    let mut other = one.clone();
    other.bodies[1][0] = Instr::Load(1, 0, Order::SeqCst);
    let mut executor = TwoFaced::new(&one, &other, |plan| plan == 9);
    let summary = run(config(), &mut executor);
    let failure = summary.failures.iter().find(|f| f.kind == FailureKind::Nondeterminism).unwrap();
    assert!(failure.message.contains("T1 load 0x400008, not T1 load 0x400000"), "{}", failure.message);
    assert!(summary.diverged == 1 && !summary.complete);
    assert!(summary.guarantee.contains("1 execution did not repeat"), "{}", summary.guarantee);
}

#[test]
fn rule_10_a_trace_that_does_not_follow_its_plan_is_not_believed() {
    /// Does not check prefixes, and ignores the last delta of some plans.
    struct Careless(Simulated);
    impl Executor for Careless {
        fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
            let mut plan = plan.clone();
            if plan.sequence == 5 {
                plan.deltas.pop();
            }
            self.0.submit(&plan)
        }
        fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
            self.0.receive(trace)
        }
    }
    let summary = run(config(), &mut Careless(sync(&programs::lost_update(1))));
    assert!(!summary.complete && summary.diverged == 1);
    assert_eq!(summary.failures.last().unwrap().kind, FailureKind::Nondeterminism);
}

#[test]
fn rule_10_the_engine_checks_prefixes_itself() {
    /// Executes another program for one plan, and does not look at prefixes.
    struct Careless(TwoFaced<fn(u64) -> bool>);
    impl Executor for Careless {
        fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
            self.0.submit(&Plan { prefix_steps: 0, ..plan.clone() })
        }
        fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
            self.0.receive(trace)
        }
    }
    let one = programs::lost_update(1);
    let mut other = one.clone();
    other.bodies[1][0] = Instr::Load(1, 0, Order::SeqCst);
    let summary = run(config(), &mut Careless(TwoFaced::new(&one, &other, |plan| plan == 9)));
    assert!(!summary.complete && summary.diverged == 1);
    assert_eq!(summary.failures.last().unwrap().kind, FailureKind::Nondeterminism);
}

#[test]
fn probes_find_what_is_not_a_function_of_the_schedule() {
    let one = programs::mutex(2, 1);
    let mut other = one.clone();
    other.bodies[2].insert(0, Instr::Yield);
    // Plans 1 and 2 are chosen after trace 0: the probe of execution 1 is one of them.
    let mut plans = 0;
    let mut executor = TwoFaced::new(&one, &other, |_| {
        plans += 1;
        plans == 2
    });
    let summary = run(Config { probe: true, keep_going: false, ..config() }, &mut executor);
    let failure = &summary.failures[0];
    assert_eq!(failure.kind, FailureKind::Nondeterminism);
    assert!(failure.message.contains("T2 yield 0x0 at step"), "{}", failure.message);
}

#[test]
fn rule_11_samplers_promise_nothing() {
    let c = Config { order: raddle_engine::Order::Random, executions: Some(500), ..config() };
    let summary = run(c.clone(), &mut sync(&programs::lost_update(1)));
    assert_eq!((summary.executions, summary.complete), (500, false));
    assert!(summary.guarantee.contains("promises no completeness"), "{}", summary.guarantee);
    // What it found is named by deltas, and replays.
    let failure = &summary.failures[0];
    let trace = replay(&programs::lost_update(1), &failure.schedule.to_string());
    assert_eq!(trace.outcome, Outcome::Assertion);
    // The seed decides all.
    let again = run(c.clone(), &mut sync(&programs::lost_update(1)));
    assert_eq!(format!("{summary:?}"), format!("{again:?}"));
    let other = run(Config { seed: 1, ..c }, &mut sync(&programs::lost_update(1)));
    assert_ne!(format!("{summary:?}"), format!("{other:?}"));
}

/// What the guarantee says of a program under a configuration.
fn guarantee(config: Config, program: &Program) -> String {
    run(config, &mut sync(program)).guarantee
}

#[test]
fn rule_12_guarantees_say_what_was_covered() {
    let one = || vec![Instr::Lock(0), Instr::Unlock(0)];
    let program = Program::fork_join(vec![one(), one()]);
    let all = brute::enumerate(&program, false, 100_000).unwrap();
    let n = all.len();
    assert_eq!(
        guarantee(config(), &program),
        format!(
            "all {n} interleavings pass (sync points, no bound, no reduction, sequential consistency only)"
        )
    );
    let within = all.iter().filter(|r| r.preemptions <= 1).count();
    assert_eq!(
        guarantee(Config { bound: Bound::Preemptions(1), ..config() }, &program),
        format!(
            "all {within} interleavings with at most 1 preemption pass; any failure needs at least 2 \
             preemptions (sync points, at most 1 preemption, no reduction, sequential consistency only)"
        )
    );
    assert_eq!(
        guarantee(Config { executions: Some(3), bound: Bound::Iterative, ..config() }, &program),
        "not complete: no failure in 3 interleavings; any failure needs at least 1 preemption; stopped by the limit of 3 executions (sync points, \
         no bound, fewest preemptions first, no reduction, sequential consistency only)"
    );
    let mut access = Simulated::new(program.clone(), Granularity::Access);
    let text = run(Config { granularity: Granularity::Access, ..config() }, &mut access).guarantee;
    assert!(text.contains("(access points, "), "{text}");
    // What the executor cannot see is named.
    let text = guarantee(Config { unwatched: "reference counts".into(), ..config() }, &program);
    assert!(text.ends_with("sequential consistency only, not watched: reference counts)"), "{text}");
    // Orderings below SeqCst are named by place, however often they are executed.
    let relaxed = vec![Instr::FetchAdd(0, Value::Const(1), 0, Order::Relaxed), Instr::Fence(Order::Acquire)];
    let text = guarantee(config(), &Program::fork_join(vec![relaxed, vec![]]));
    assert!(text.contains("2 operations weaker than SeqCst were treated as SeqCst"), "{text}");
}

#[test]
fn loops_are_cut_off_counted_and_warned_of() {
    let body = vec![Instr::Yield, Instr::JumpIf(always(), 0)];
    let program = Program { bodies: vec![body], ..Program::default() };
    let summary = run(Config { max_steps: 50, ..config() }, &mut sync(&program));
    assert_eq!((summary.truncated, summary.executions, summary.complete), (1, 0, false));
    assert_eq!(summary.warnings[0].kind, WarningKind::Truncated);
    assert!(summary.warnings[0].site > 0);
    assert!(summary.guarantee.contains("1 execution cut off at the step bound"), "{}", summary.guarantee);
}

fn always() -> raddle_engine::simulated::Condition {
    raddle_engine::simulated::Condition(Value::Const(0), raddle_engine::simulated::Is::Equal, Value::Const(0))
}

#[test]
fn deadlocks_say_who_waits_for_whom() {
    let summary = run(config(), &mut sync(&programs::two_locks()));
    let failure = &summary.failures[0];
    assert_eq!(failure.kind, FailureKind::Deadlock);
    assert_eq!(
        failure.message,
        "deadlock: T0 waits for the end of T1; T1 waits for mutex 0x100040, held by T2; \
         T2 waits for mutex 0x100000, held by T1"
    );
    assert_eq!((failure.preemptions, summary.failures.len()), (1, 1));
    assert_eq!(summary.deadlocked, failure.count);
}

#[test]
fn threads_blocked_after_main_are_a_warning() {
    let mut program = Program::fork_join(vec![vec![Instr::SemWait(0)]]);
    program.bodies[0].pop();
    let summary = run(config(), &mut sync(&program));
    assert!(summary.failures.is_empty() && summary.complete);
    assert_eq!(summary.warnings.len(), 1);
    assert!(summary.warnings[0].message.contains("T1 waits for semaphore 0x300000"));
    assert_eq!(summary.warnings[0].count, summary.executions);
}

#[test]
fn races_are_found_where_the_value_is_right() {
    // Both orders of the writes pass the test; the race is a failure all the same.
    let body = vec![Instr::Write(0, Value::Const(1))];
    let program = Program::fork_join(vec![body.clone(), body]);
    let summary = run(Config { keep_going: false, ..config() }, &mut sync(&program));
    let failure = &summary.failures[0];
    assert_eq!((failure.kind, failure.preemptions, failure.found_after), (FailureKind::DataRace, 0, 1));
    let race = failure.race.unwrap();
    assert_eq!((race.first.thread, race.second.thread), (1, 2));
    assert_ne!(race.first.site, race.second.site);
    // With locks there is none.
    assert!(run(config(), &mut sync(&programs::mutex(2, 1))).failures.is_empty());
}

#[test]
fn distinct_failures_are_kept_apart_with_the_fewest_preemptions_of_each() {
    let program = programs::lost_update(2);
    let summary = run(config(), &mut sync(&program));
    let all = brute::enumerate(&program, false, 100_000).unwrap();
    let failing: Vec<_> = all.iter().filter(|r| r.outcome == Outcome::Assertion).collect();
    assert_eq!(summary.failures.len(), 1);
    assert_eq!(summary.failures[0].count, failing.len() as u64);
    assert_eq!(Some(summary.failures[0].preemptions), failing.iter().map(|r| r.preemptions).min());
}

#[test]
fn audits_land_in_explored_classes() {
    let program = programs::mutex(2, 2);
    let summary = run(Config { audit: 100, ..config() }, &mut sync(&program));
    let audit = summary.audit.unwrap();
    assert_eq!((audit.runs, audit.checked, audit.outside.len()), (100, 100, 0));
    // Within a bound only those that are within it can be asked for.
    let c = Config { audit: 100, bound: Bound::Preemptions(1), ..config() };
    let audit = run(c, &mut sync(&program)).audit.unwrap();
    assert!(audit.checked < 100 && audit.outside.is_empty());
}

#[test]
fn audits_find_what_the_search_did_not_explore() {
    let one = programs::lost_update(1);
    let other = programs::lost_update(2);
    let n = brute::enumerate(&one, false, 100_000).unwrap().len() as u64;
    let mut executor = TwoFaced::new(&one, &other, move |plan| plan >= n);
    let summary = run(Config { audit: 10, ..config() }, &mut executor);
    assert_eq!(summary.audit.as_ref().unwrap().outside.len(), 10);
    assert!(summary.failures.iter().any(|f| f.kind == FailureKind::Nondeterminism));
}

#[test]
fn audits_of_incomplete_searches_are_refused() {
    let c = Config { audit: 10, executions: Some(5), ..config() };
    let audit = run(c, &mut sync(&programs::mutex(2, 1))).audit.unwrap();
    assert!(audit.runs == 0 && audit.refused.unwrap().contains("not complete"));
    let c = Config { audit: 10, keep_going: false, ..config() };
    let audit = run(c, &mut sync(&programs::lost_update(1))).audit.unwrap();
    assert!(audit.refused.is_some());
}

#[test]
fn what_is_not_modelled_is_named() {
    struct Refusing(Simulated);
    impl Executor for Refusing {
        fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
            self.0.submit(plan)
        }
        fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
            let received = self.0.receive(trace);
            trace.outcome = Outcome::Unsupported;
            trace.message = "pthread_barrier_wait is not modelled".into();
            received
        }
    }
    let summary =
        search(config(), &mut Refusing(sync(&programs::mutex(2, 1))), |_| Control::Continue).unwrap();
    let refused = summary.all_refused().expect("all were");
    assert!(refused.message.contains("pthread_barrier_wait"));
    assert_eq!((refused.count, summary.executions), (summary.refused, 0));
}

#[test]
fn the_observer_can_stop_the_search() {
    let stop = |p: &raddle_engine::Progress| {
        if p.executions == 3 { Control::Stop(StopReason::Interrupted) } else { Control::Continue }
    };
    let summary = search(config(), &mut sync(&programs::mutex(2, 1)), stop).unwrap();
    assert_eq!((summary.executions, summary.complete), (3, false));
    assert_eq!(summary.stopped, Some(StopReason::Interrupted));
    assert!(summary.guarantee.contains("stopped by the user"), "{}", summary.guarantee);
}

#[test]
fn time_outs_are_transitions_while_waiting() {
    // Rule 2: the wait may end by time-out at any step until the notify, not only at the wait.
    let waiter = vec![Instr::Lock(0), Instr::WaitTimeout(0, 0, 0), Instr::Unlock(0)];
    let program = Program::fork_join(vec![waiter, vec![Instr::Point, Instr::NotifyOne(0)]]);
    let mut traces = Vec::new();
    let all = brute::enumerate(&program, false, 100_000).unwrap();
    let (_, executor) = explore(config(), &program);
    assert_eq!(executor.runs.len(), all.len());
    let mut simulated = sync(&program);
    for plan in &executor.plans {
        let schedule = if plan.is_empty() { "sync@default".into() } else { format!("sync@{plan}") };
        let schedule: Schedule = schedule.parse().unwrap();
        let mut trace = Trace::default();
        simulated.execute(&Plan::new(0, schedule.deltas, 1000), &mut trace);
        traces.push(trace);
    }
    let flagged = |t: &Trace| t.events.iter().any(|e| e.flags & flags::TIMED_OUT != 0);
    assert!(traces.iter().any(flagged) && !traces.iter().all(flagged));
}
