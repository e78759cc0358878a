//! Programs, made as small as they get, that were found among random ones to lose executions under a
//! reduction. Each is there for what it taught.

use crate::common::compare;
use raddle_engine::simulated::{Condition, Instr, Instr::*, Is, Program, Value, Value::*};
use raddle_engine::{Bound, Config, Reduce};
use raddle_schedule::{Granularity, Order::SeqCst};

fn spawning(children: usize, then: &[Instr], bodies: &[&[Instr]]) -> Program {
    let spawns = (1..=children).map(|n| Spawn(n, n as u8 + 2));
    let main = spawns.chain(then.iter().cloned()).collect();
    let others = bodies.iter().map(|body| body.to_vec());
    Program { bodies: std::iter::once(main).chain(others).collect(), semaphores: Vec::new() }
}

fn set(n: u64) -> Instr {
    Store(0, Const(n), SeqCst)
}

fn load(variable: u32) -> Instr {
    Load(variable, 0, SeqCst)
}

fn exchange(expected: u64) -> Instr {
    CompareExchange(0, Value::Const(expected), Const(2), 0, SeqCst)
}

fn is(what: Is, n: u64) -> Condition {
    Condition(Reg(0), what, Const(n))
}

/// No reduction loses a class, whatever is in flight.
#[track_caller]
fn keeps_every_class(program: &Program) {
    each_keeps_every_class(&[Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal], program);
}

#[track_caller]
fn each_keeps_every_class(reductions: &[Reduce], program: &Program) {
    for granularity in [Granularity::Access, Granularity::Sync] {
        let expected = compare::expected(program, granularity, 200_000).expect("a small program");
        for &reduce in reductions {
            for in_flight in [1, 2, 3, 8, 32] {
                let config = Config { reduce, in_flight, ..crate::common::config() };
                if let Err(e) = compare::keeps_every_class(&expected, config, false) {
                    panic!("{reduce}, {granularity:?}, {in_flight} in flight: {e}");
                }
            }
        }
    }
}

/// A compare-exchange that was not run yet sleeps as what it does, not as what it might.
#[test]
fn several_compare_exchanges() {
    keeps_every_class(&spawning(3, &[exchange(0), set(0)], &[&[exchange(0)], &[exchange(0)], &[load(0)]]));
}

/// What ends an execution was thought to lead to what others do afterwards.
#[test]
fn several_threads_that_fail() {
    let crashes = [FetchAdd(1, Const(1), 1, SeqCst), Unlock(0)];
    let assumes = [load(0), Assume(is(Is::NotEqual, 1))];
    let chooses =
        [Choose(2, 0), JumpIf(is(Is::Equal, 0), 3), set(1), Lock(0), WaitTimeout(0, 0, 0), Unlock(0)];
    keeps_every_class(&spawning(2, &crashes, &[&assumes, &chooses]));
    let asserts = [load(0), Assert(is(Is::NotEqual, 1))];
    keeps_every_class(&spawning(2, &asserts, &[&[set(1), load(1)], &asserts]));
}

/// The same beside choices, with several in flight.
#[test]
fn a_failure_and_a_choice() {
    let asserts = [FetchAdd(1, Const(1), 0, SeqCst), load(1), Assert(is(Is::NotEqual, 1))];
    let one = [Choose(2, 0), JumpIf(is(Is::Equal, 0), 3), Store(1, Const(1), SeqCst)];
    let then = [load(0), JumpIf(is(Is::Equal, 0), 6), set(1), Store(1, Reg(0), SeqCst)];
    let two = [set(0), load(0), JumpIf(is(Is::Equal, 1), 4), set(1)];
    let last = [load(1), JumpIf(is(Is::Equal, 0), 7), set(1)];
    keeps_every_class(&spawning(2, &asserts, &[&[&one[..], &then].concat(), &[&two[..], &last].concat()]));
}

/// What has waited for a step to be run is led on from there, though nothing is left of it by then.
#[test]
fn what_waited_goes_on() {
    let main = vec![Spawn(1, 3), Spawn(2, 4), Lock(0), Unlock(0)];
    let spawns = vec![Spawn(3, 3), set(2), Lock(0)];
    let asserts = vec![FetchAdd(0, Const(1), 0, SeqCst), load(0), Assert(is(Is::NotEqual, 1))];
    let other = vec![load(0), JumpIf(is(Is::Equal, 2), 3), set(1)];
    keeps_every_class(&Program { bodies: vec![main, spawns, asserts, other], semaphores: Vec::new() });
}

/// A thread's second notify does not stand for its first: each has woken somebody else.
#[test]
fn two_notifies_of_one_thread() {
    let timed = [Lock(0), WaitTimeout(0, 0, 0), Unlock(0)];
    let waits = [Lock(0), Wait(0, 0), Unlock(0)];
    keeps_every_class(&spawning(2, &timed, &[&waits, &[NotifyOne(0), NotifyOne(0)]]));
}

/// Of a thread with a time limit that was about to wake up, the notify comes first; without it, its step
/// is another.
#[test]
fn a_wake_that_did_not_happen_any_more() {
    let timed = [Lock(0), WaitTimeout(0, 0, 0), Unlock(0)];
    let waits = [Lock(0), Wait(0, 0), Unlock(0)];
    keeps_every_class(&spawning(3, &timed, &[&waits, &[TryLock(0, 0)], &[NotifyOne(0)]]));
}

/// The same for a bound: the end by time-out comes before the notify.
#[test]
fn a_time_out_before_its_notify_within_a_bound() {
    let notifies = [Write(0, Const(2)), NotifyOne(1), Join(Reg(3))];
    let timed = [Lock(0), WaitTimeout(1, 0, 0), Unlock(0), load(0), Assume(is(Is::NotEqual, 2))];
    let waits = [Lock(0), Wait(0, 0), Unlock(0)];
    finds_failures_within(&spawning(1, &notifies, &[&[&timed[..], &waits].concat()]));
}

/// While a thread waits with a time limit, others go on at no cost.
#[test]
fn no_preemption_while_somebody_may_time_out() {
    let timed = [Lock(0), WaitTimeout(0, 0, 0), Unlock(0)];
    let waits_for_it = [Lock(0), load(0), JumpIf(is(Is::NotEqual, 0), 8), Wait(0, 0), Unlock(0)];
    let body = [&[Spawn(2, 3)], &timed[..], &waits_for_it].concat();
    finds_failures_within(&spawning(1, &[Lock(0), Lock(0)], &[&body, &[set(1)]]));
}

/// Who comes to a join before it can be made lets others run at no cost.
#[test]
fn no_preemption_where_a_join_waits() {
    let main = [
        Spawn(2, 4),
        ParkTimeout(0),
        Spawn(1, 3),
        Join(Reg(4)),
        load(0),
        JumpIf(is(Is::Equal, 1), 7),
        set(1),
        Join(Reg(3)),
    ];
    let waits = [Lock(0), load(0), JumpIf(is(Is::NotEqual, 0), 4), Wait(0, 0), Unlock(0)];
    finds_failures_within(&spawning(0, &main, &[&waits, &[Read(0, 0)]]));
}

fn finds_failures_within(program: &Program) {
    for granularity in [Granularity::Access, Granularity::Sync] {
        let all =
            crate::common::brute::within::failures(program, granularity, 20_000).expect("a small program");
        for bound in (0..4).map(Bound::Preemptions) {
            let config = Config { reduce: Reduce::Bounded, bound, granularity, ..crate::common::config() };
            let compared = compare::finds_failures_within(program, &all, config, 10_000);
            assert_eq!(compared, Ok(true), "{granularity:?}, {bound}");
        }
    }
}

/// What was inserted after a choice sleeps in none of its outcomes.
#[test]
fn outcomes_that_are_found_late() {
    let chooses = [set(0), Yield, Choose(2, 0), JumpIf(is(Is::Equal, 0), 5), set(1)];
    keeps_every_class(&spawning(3, &[load(0)], &[&[load(0)], &[load(0)], &chooses]));
}

/// One outcome of a choice that stands in the middle of a sequence sleeps, the other ones do not.
#[test]
fn one_outcome_in_the_middle_of_a_sequence() {
    let main = [Lock(0), Unlock(0), Lock(0), Wait(0, 0)];
    let notifies = [load(0), NotifyOne(0), Lock(0), set(0)];
    let chooses = [load(0), Choose(2, 0), JumpIf(is(Is::Equal, 0), 4), set(1), TryLock(0, 0)];
    keeps_every_class(&spawning(2, &main, &[&notifies, &chooses]));
}

/// A notify that ends the execution lets nobody go on.
#[test]
fn nobody_goes_on_after_the_end() {
    let tries = [TryLock(0, 0), JumpIf(is(Is::Equal, 0), 3), Unlock(0)];
    let notifies = [Lock(0), WaitTimeout(0, 0, 0), Unlock(0), NotifyOne(1), Assume(is(Is::NotEqual, 1))];
    keeps_every_class(&spawning(2, &[Lock(0), Wait(1, 0), Unlock(0)], &[&tries, &notifies]));
}

/// A step that takes a lock twice ends there, and waits for ever.
#[test]
fn a_step_that_waits_for_itself() {
    let twice = [Lock(0), Along, Lock(0), Along, load(0), Along, Unlock(0), Along, Unlock(0)];
    keeps_every_class(&spawning(2, &[NotifyOne(0)], &[&twice, &[Lock(0), Wait(0, 0), Unlock(0)]]));
    let main = [load(0), Along, Lock(0), load(0), Unlock(0)];
    keeps_every_class(&spawning(2, &main, &[&[set(0)], &[&main[..], &twice].concat()]));
}

/// A try of a lock that is taken and given back in one step of another thread.
#[test]
fn a_try_beside_a_step_that_has_the_lock() {
    let main = vec![
        Spawn(2, 4),
        Lock(0),
        Along,
        load(0),
        Along,
        Unlock(0),
        Spawn(1, 3),
        TryLock(1, 0),
        JumpIf(is(Is::Equal, 0), 10),
        Unlock(1),
    ];
    let other = vec![Store(1, Const(0), SeqCst), Along, Lock(1), Along, load(0), Along, Unlock(1)];
    keeps_every_class(&Program {
        bodies: vec![main, vec![Store(0, Reg(0), SeqCst)], other],
        semaphores: Vec::new(),
    });
}
