//! What decides against brute force, on random programs: turning each decision around makes the test pass, nothing nearer
//! does, and none passes in which all are made as they were; in programs that race in each execution too.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=20000 cargo test -p raddle-engine --release --test all deciding` tries as many.

use crate::common::failing::*;
use crate::common::many::{compared, each_of, each_program};
use crate::common::{generator, run_of};
use raddle_engine::minimise::{Deciding, Decision, Limits, Orders, Passing, TargetFailure, deciding};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Access, Failure, Race};
use raddle_schedule::{Granularity, Order, Outcome, Trace};
use std::sync::Mutex;

/// What decides that an execution fails so.
fn decides(program: &Program, failure: &Failure, failing: &Trace, limits: &Limits) -> Deciding {
    let mut simulated = Simulated::new(program.clone(), limits.granularity);
    let passing = Passing::beside(failure, failing);
    deciding(&mut simulated, failing, passing, limits, &mut || false).unwrap()
}

/// Does it come to an end without a failure, by the definition: races count only beside a race, if they are on its memory
/// or in one of its places?
fn passes_beside(failure: &Failure, trace: &Trace) -> bool {
    ends_well(trace) && failures(trace).iter().all(|f| f.race.is_some_and(|race| !counts(failure, &race)))
}

/// Are these orders made as in the failing execution, whatever else the threads do? Each operation is known by its number
/// among those of its thread that do the same.
fn are_made(failing: &Trace, found: &Deciding, trace: &Trace, decisions: &[Decision]) -> bool {
    let listed = |trace: &Trace| {
        let all = doings(trace).0.into_iter().map(|(thread, _, op, ..)| (thread, op.kind, op.object));
        all.collect::<Vec<_>>()
    };
    let (mut own, other) = (listed(failing), listed(trace));
    own.extend(found.ahead.iter().map(|(thread, step)| (*thread, step[0].kind, step[0].object)));
    let place = |step: u32| {
        let step = step as usize;
        let nth = own[..step].iter().filter(|o| **o == own[step]).count();
        other.iter().enumerate().filter(|(_, o)| **o == own[step]).map(|(i, _)| i).nth(nth)
    };
    decisions.iter().all(|decision| match *decision {
        Decision::Order { first, then } => place(first).zip(place(then)).is_some_and(|(a, b)| a < b),
        // Of choices only orders are compared: a choice that is not made says nothing.
        Decision::Choice { .. } => false,
    })
}

/// Does it fail as this failure of an execution does?
fn fails_so(failure: &Failure, of: &Trace, trace: &Trace) -> bool {
    match failure.race {
        Some(_) => failures(trace).iter().any(|f| f.race.is_some_and(|race| counts(failure, &race))),
        None => TargetFailure::of(failure, of).unwrap().is_shown(trace),
    }
}

/// Does a race count beside a failure?
fn counts(failure: &Failure, race: &Race) -> bool {
    let sides = |race: &Race| [race.first, race.second];
    let is_the_same = |a: &Access, b: &Access| {
        let bytes = |a: &Access| a.object..a.object + a.size.max(1);
        bytes(a).any(|byte| bytes(b).contains(&byte)) || a.site != 0 && a.site == b.site
    };
    let own = failure.race.iter().flat_map(sides);
    own.into_iter().any(|a| sides(race).iter().any(|b| is_the_same(&a, b)))
}

/// Turning each decision around makes the test pass while the others stay, and none passes in which all are made as they were.
fn finds_what_decides(program: &Program, granularity: Granularity) -> Result<Found, String> {
    let Some(traces) = all_traces(program, granularity) else { return Ok(Found::default()) };
    let limits = Limits { granularity, executions: 1_000_000, ..Limits::default() };
    let failing: Vec<&Trace> = traces.iter().filter(|t| !failures(t).is_empty()).collect();
    let mut seen = Found { compared: true, ..Found::default() };
    for failing in failing.iter().step_by(failing.len() / 2 + 1) {
        // The last one: before how it ended come its races.
        for failure in failures(failing).iter().rev().take(2) {
            seen.look(what_decides(program, failure, failing, &traces, &limits)?, failure, &traces);
        }
    }
    Ok(seen)
}

/// What programs were compared.
#[derive(Debug, Default)]
struct Found {
    compared: bool,
    /// Races of which something decides, and others that race in each execution and fail otherwise, of which something does.
    races: u32,
    racing: u32,
    /// Failures that happen in every execution.
    always: u32,
    /// Failures of which it is known what is enough, and all.
    enough: [u32; 2],
}

impl Found {
    fn look(&mut self, deciding: Deciding, failure: &Failure, traces: &[Trace]) {
        let decides = !deciding.turned.is_empty();
        let each_races = traces.iter().all(|t| failures(t).iter().any(|f| f.race.is_some()));
        self.races += u32::from(decides && failure.race.is_some());
        self.racing += u32::from(decides && failure.race.is_none() && each_races);
        self.always += u32::from(deciding.always.is_some());
        self.enough[0] += u32::from(deciding.enough);
        self.enough[1] += 1;
    }

    fn add(&mut self, other: &Found) {
        self.races += other.races;
        self.racing += other.racing;
        self.always += other.always;
        (0..2).for_each(|i| self.enough[i] += other.enough[i]);
    }
}

/// What decides about one failure of an execution, compared with all executions.
fn what_decides(
    program: &Program,
    failure: &Failure,
    failing: &Trace,
    traces: &[Trace],
    limits: &Limits,
) -> Result<Deciding, String> {
    let (mut orders, found) = (Orders::of(failing), decides(program, failure, failing, limits));
    orders.foresee(&found.ahead);
    let distance = |trace: &Trace| distance_with(failing, &found.ahead, trace);
    let named = format!("{} {} of {:?}", failure.kind.name(), failure.message, run_of(failing));
    let passes = |trace: &Trace| passes_beside(failure, trace);
    let all: Vec<Decision> = found.turned.iter().map(|t| t.decision).collect();
    let enough = !traces.iter().any(|t| passes(t) && orders.makes(t, &all));
    let turned = |trace: &Trace| {
        let given_up = orders.given_up(trace);
        assert_eq!(given_up.len() as u32, distance(trace));
        all.iter().copied().filter(|d| given_up.contains(d)).collect::<Vec<_>>()
    };
    // Which plain accesses come first decides too, and at sync points they are no steps; and so does what else a step does.
    let is_plain =
        |i: &Instr| matches!(i, Instr::Read(..) | Instr::Write(..) | Instr::Free(_) | Instr::Along);
    let is_seen = limits.granularity == Granularity::Access || !program.bodies.iter().flatten().any(is_plain);
    if found.enough && !enough || is_seen && !found.enough {
        return Err(format!("{named}: {found:?} is not enough"));
    }
    let ends = |t: &&Trace| ends_well(t) || t.outcome.is_failure();
    let mut ending = traces.iter().filter(ends).peekable();
    // Of an execution that a false assumption cut off nobody knows how it would have ended.
    let is_cut_off = |t: &Trace| t.outcome == Outcome::AssumeBlocked;
    let always = ending.peek().is_some()
        && ending.all(|t| fails_so(failure, failing, t))
        && !traces.iter().any(is_cut_off);
    if found.enough && found.always.is_some() != always && all.is_empty()
        || found.always.is_some() && !all.is_empty()
    {
        return Err(format!("{named}: {:?}, and that it always fails so is {always}", found.always));
    }
    let makes = |trace: &Trace, decisions: &[Decision]| {
        let mut orders = Orders::of(failing);
        orders.foresee(&found.ahead);
        orders.makes(trace, decisions)
    };
    for of in &found.turned {
        let trace = trace_of(program, limits.granularity, of.passing.clone());
        if !passes(&trace) || turned(&trace) != [of.decision] || distance(&trace) != of.distance {
            return Err(format!("{named}: {of:?} of {all:?}"));
        }
        let others: Vec<Decision> = all.iter().copied().filter(|d| *d != of.decision).collect();
        let told = matches!(of.decision, Decision::Order { .. }) && !makes(&trace, &others);
        let in_vain = |t: &&Trace| {
            told && turned(t) == [of.decision]
                && distance(t) <= of.distance
                && are_made(failing, &found, t, &others)
        };
        if let Some(fails) = traces.iter().find(|t| in_vain(t) && fails_so(failure, failing, t)) {
            return Err(format!("{named}: {of:?} of {all:?}, and {:?} fails too", run_of(fails)));
        }
        let nearer = |t: &&Trace| passes(t) && turned(t) == [of.decision] && distance(t) < of.distance;
        if let Some(nearer) = traces.iter().find(nearer) {
            return Err(format!("{named}: {of:?}, but nearer is {:?}", run_of(nearer)));
        }
    }
    Ok(found)
}

#[test]
fn what_decides_is_enough_and_needed() {
    let of = each_program(24, |program| {
        let sync = finds_what_decides(program, Granularity::Sync)?;
        Ok(finds_what_decides(program, Granularity::Access)?.compared && sync.compared)
    });
    compared(of, 0.2);
}

#[test]
fn what_decides_where_steps_have_several_operations() {
    let all = Mutex::new(Found::default());
    let check = |program: &Program| {
        let found = finds_what_decides(program, Granularity::Sync)?;
        all.lock().unwrap().add(&found);
        Ok(found.compared)
    };
    compared(each_of(28, generator::composite, check), 0.2);
    compared(each_of(29, generator::sections, check), 0.2);
    let [enough, of] = all.lock().unwrap().enough;
    println!("enough is known of {enough} of {of}");
    assert!(of > 0 && enough * 20 >= of * 19, "{enough} of {of}");
}

#[test]
fn what_decides_where_programs_race() {
    let all = Mutex::new(Found::default());
    for seed in 25..28 {
        let of = each_of(seed, generator::racing, |program| {
            let sync = finds_what_decides(program, Granularity::Sync)?;
            let access = finds_what_decides(program, Granularity::Access)?;
            [&sync, &access].into_iter().for_each(|found| all.lock().unwrap().add(found));
            Ok(sync.compared && access.compared)
        });
        compared(of, 0.2);
    }
    let all = all.into_inner().unwrap();
    println!("{all:?}");
    assert!(all.races > 0 && all.racing > 0 && all.always > 0, "{all:?}");
}

/// What decides about the simplest execution of a program's only failure, as steps of threads: `T1.2 < T2.1` for the
/// third step of T1 before the second one of T2.
#[track_caller]
fn check_decides(program: &Program, expected: &[&str]) {
    let traces = up_to(50_000, program, Granularity::Sync).unwrap();
    let mut seen = 0;
    each_failure(&traces, |failure, of, showing| {
        seen += 1;
        let found = minimal(program, failure, of, showing[0], &Limits::default());
        let failing = trace_of(program, Granularity::Sync, found.deltas);
        let (all, _) = doings(&failing);
        let name = |step: u32| format!("T{}.{}", all[step as usize].0, all[step as usize].1);
        let deciding = decides(program, failure, &failing, &Limits::default());
        let told: Vec<String> = deciding
            .turned
            .iter()
            .map(|t| match t.decision {
                Decision::Order { first, then } => format!("{} < {}", name(first), name(then)),
                Decision::Choice { step } => format!("choice of {}", name(step)),
            })
            .collect();
        assert_eq!(told, expected, "{:?}", run_of(&failing));
        assert!(deciding.enough);
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, 1, "one failure");
}

/// samples/c/lost_update: each thread loads before the other stores.
#[test]
fn what_decides_about_a_lost_update() {
    check_decides(&lost_update(), &["T1.1 < T2.2", "T2.1 < T1.2"]);
}

/// samples/c/two_lock_deadlock: each thread takes its first lock before the other asks for it.
#[test]
fn what_decides_about_a_deadlock() {
    let body = |a, b| vec![Instr::Lock(a), Instr::Lock(b), Instr::Unlock(b), Instr::Unlock(a)];
    check_decides(&Program::fork_join(vec![body(0, 1), body(1, 0)]), &["T1.1 < T2.2", "T2.1 < T1.2"]);
}

/// samples/c/segfault_once: the other thread's store between two loads.
#[test]
fn what_decides_about_a_check_that_is_out_of_date() {
    let load = |r| Instr::Load(0, r, Order::SeqCst);
    let is = |r, is| Condition(Value::Reg(r), is, Value::Const(0));
    let user = vec![load(0), Instr::JumpIf(is(0, Is::NotEqual), 4), load(1), Instr::Assert(is(1, Is::Equal))];
    let closer = vec![Instr::Store(0, Value::Const(1), Order::SeqCst)];
    check_decides(&Program::fork_join(vec![closer, user]), &["T2.1 < T1.1", "T1.1 < T2.2"]);
}

/// samples/c/lost_wakeup: the load before the store, and the signal before the wait.
#[test]
fn what_decides_about_a_lost_wakeup() {
    let set = Condition(Value::Reg(0), Is::NotEqual, Value::Const(0));
    let waiter = vec![
        Instr::Load(0, 0, Order::SeqCst),
        Instr::JumpIf(set, 5),
        Instr::Lock(0),
        Instr::Wait(0, 0),
        Instr::Unlock(0),
    ];
    let store = Instr::Store(0, Value::Const(1), Order::SeqCst);
    let setter = vec![store, Instr::Lock(0), Instr::NotifyOne(0), Instr::Unlock(0)];
    // The locks' order is that of signal and wait.
    check_decides(&Program::fork_join(vec![waiter, setter]), &["T1.1 < T2.1", "T2.2 < T1.3"]);
}
