//! Executions that end badly, and what may be said after them: those that take their process
//! along, races, deadlocks.

use crate::common::{config, programs};
use raddle_engine::analysis::deadlock;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Instr, Program, Simulated, Value};
use raddle_engine::{Bound, Config, Control, FailureKind, Summary, search};
use raddle_schedule::{Choice, Event, Granularity, OpKind, Outcome, Plan, Trace, flags};

/// Where the program fails, the process dies: no events, and an outcome that the watcher saw.
struct Dying {
    inner: Simulated,
    outcome: Outcome,
    /// Every execution dies, not only those that fail.
    always: bool,
}

impl Executor for Dying {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.inner.receive(trace)?;
        if self.always || trace.outcome == Outcome::Assertion || trace.outcome == Outcome::Crash {
            let (sequence, outcome) = (trace.sequence, self.outcome);
            let message = "the process ended with status 7".into();
            *trace = Trace { sequence, outcome, code: 7, message, lost: true, ..Trace::default() };
        }
        Ok(received)
    }
}

fn run(config: Config, program: &Program, outcome: Outcome, always: bool) -> Summary {
    let inner = Simulated::new(program.clone(), Granularity::Sync);
    search(config, &mut Dying { inner, outcome, always }, |_| Control::Continue).unwrap()
}

#[test]
fn an_execution_that_ends_its_process_is_a_failure_with_its_plan_for_a_name() {
    let program = programs::lost_update(2);
    for (outcome, kind) in [
        (Outcome::Exit, FailureKind::Exit),
        (Outcome::Crash, FailureKind::Crash),
        (Outcome::Hang, FailureKind::Hang),
    ] {
        let summary = run(Config { bound: Bound::Iterative, ..config() }, &program, outcome, false);
        let [failure] = &summary.failures[..] else { panic!("{:#?}", summary.failures) };
        assert_eq!((failure.kind, failure.preemptions, failure.code), (kind, 1, 7));
        let mut trace = Trace::default();
        let plan = Plan::new(0, failure.schedule.deltas.clone(), 1000);
        Simulated::new(program.clone(), Granularity::Sync).execute(&plan, &mut trace);
        assert!(trace.outcome.is_failure(), "{} leads there", failure.schedule);
        assert_eq!((summary.diverged, summary.complete), (0, false));
        assert_eq!(summary.bound_completed, Some(0), "what follows with 1 preemption was not run");
        let said = format!("{} executions ended the runner: what follows it was not run", summary.lost);
        assert!(summary.lost > 1 && summary.guarantee.contains(&said), "{}", summary.guarantee);
    }
}

#[test]
fn nothing_is_covered_when_the_default_schedule_ends_its_process() {
    let c = Config { bound: Bound::Iterative, ..config() };
    let summary = run(c, &programs::mutex(2, 1), Outcome::Exit, true);
    assert_eq!((summary.failures.len(), summary.executions, summary.lost), (1, 1, 1));
    assert_eq!((summary.complete, summary.bound_completed), (false, None));
    let said = "1 execution ended the runner: what follows it was not run";
    assert!(summary.guarantee.contains(said), "{}", summary.guarantee);
}

/// Two threads write the same variable without a lock.
fn racing() -> Program {
    let body = vec![Instr::Write(0, Value::Const(1))];
    Program::fork_join(vec![body.clone(), body])
}

/// Points at synchronisation cover a program without races; one with races has interleavings
/// that only points at accesses show.
#[test]
fn a_race_ends_the_promise_of_sync_points() {
    for (granularity, complete) in [(Granularity::Sync, false), (Granularity::Access, true)] {
        for bound in [Bound::None, Bound::Iterative, Bound::Preemptions(2)] {
            let mut executor = Simulated::new(racing(), granularity);
            let c = Config { granularity, bound, ..config() };
            let summary = search(c, &mut executor, |_| Control::Continue).unwrap();
            assert!(summary.failures.iter().any(|f| f.kind == FailureKind::DataRace));
            let said = summary.guarantee.contains("switches at the racing accesses were not explored");
            assert_eq!(said, !complete, "{}", summary.guarantee);
            let promised = ["no failure of another", "any remaining failure"];
            let promised = promised.iter().any(|p| summary.guarantee.contains(p));
            assert_eq!(promised, complete, "{}", summary.guarantee);
            assert_eq!(summary.bound_completed.is_some(), complete);
            assert!(complete || !summary.complete);
        }
    }
}

/// T1 and T2 wait on a condition variable whose mutex T3 ends up holding.
fn waiting(notify: &[(OpKind, Option<u8>)]) -> Trace {
    const CONDVAR: u64 = 0x400;
    const MUTEX: u64 = 0x300;
    let mut trace = Trace { outcome: Outcome::Deadlock, ..Trace::default() };
    let mut step = |kind, thread, object, value| {
        let mut e = Event::new(kind, thread, object);
        (e.value, e.flags) = (value, flags::STEP);
        trace.events.push(e);
    };
    for t in [1, 2] {
        step(OpKind::Lock, t, MUTEX, 0);
        step(OpKind::CondEnqueue, t, CONDVAR, MUTEX);
    }
    step(OpKind::Lock, 3, MUTEX, 0);
    for &(kind, chosen) in notify {
        let mut e = Event::new(kind, 3, CONDVAR);
        e.flags = flags::STEP;
        trace.events.push(e);
        let annotation = chosen.map(|w| Event::choice(3, Choice::Waiter(w), 0b110));
        trace.events.extend(annotation);
    }
    for t in [1, 2] {
        let mut e = Event::new(OpKind::Pending, t, CONDVAR);
        (e.value, e.enabled) = (OpKind::CondWake as u64, MUTEX);
        trace.events.push(e);
    }
    trace
}

#[track_caller]
fn check_waits(notify: &[(OpKind, Option<u8>)], notified: [bool; 2]) {
    let said: Vec<String> = deadlock::blocked(&waiting(notify)).iter().map(deadlock::describe).collect();
    let want = [1, 2].map(|t| match notified[t - 1] {
        false => format!("T{t} waits for a notify of condition variable 0x400"),
        true => format!("T{t} waits for mutex 0x300, held by T3"),
    });
    assert_eq!(said, want);
}

#[test]
fn a_waiter_that_nobody_notified_waits_for_a_notify() {
    use OpKind::{NotifyAll, NotifyOne};
    check_waits(&[], [false, false]);
    check_waits(&[(NotifyOne, Some(2))], [false, true]);
    check_waits(&[(NotifyOne, Some(1))], [true, false]);
    // The second has one waiter left to choose from.
    check_waits(&[(NotifyOne, Some(1)), (NotifyOne, None)], [true, true]);
    check_waits(&[(NotifyAll, None)], [true, true]);
}
