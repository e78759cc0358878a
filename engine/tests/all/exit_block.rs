//! ExitBlock and ExitBlock-RW (paper 004): the schedules of its examples, one by one.

use crate::common::config;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, Control, FailureKind, Reduce, Summary, search};
use raddle_schedule::{Granularity, OpKind, Outcome, Plan, Trace};

use Instr::{Add, Lock, Read, Unlock, Write};

/// Writes down the sections of each execution: a section is a write of its number to variable 7 of its
/// thread's own, which nobody else touches.
struct Sections {
    inner: Simulated,
    /// As text, and how it ended.
    seen: Vec<(String, Outcome)>,
}

/// Variables from this one on are sections.
const SECTIONS: u32 = 100;

/// Code section `n`.
fn section(n: u32) -> Instr {
    Write(SECTIONS + n, Value::Const(1))
}

impl Executor for Sections {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.inner.receive(trace)?;
        let first = 0x40_0000 + 8 * u64::from(SECTIONS);
        let writes = trace.events.iter().filter(|e| e.kind() == OpKind::Write && e.object() >= first);
        let numbers: Vec<u64> = writes.map(|e| (e.object() - first) / 8).collect();
        if received {
            self.seen.push((runs(&numbers), trace.outcome));
        }
        Ok(received)
    }
}

/// `1-5 8`.
fn runs(numbers: &[u64]) -> String {
    let mut words: Vec<(u64, u64)> = Vec::new();
    for n in numbers {
        match words.last_mut() {
            Some((_, last)) if *last + 1 == *n => *last = *n,
            _ => words.push((*n, *n)),
        }
    }
    let word = |(a, b): &(u64, u64)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// All executions in the order of a depth-first search, one after the other.
fn explore(program: Program, reduce: Reduce) -> (Vec<(String, Outcome)>, Summary) {
    let mut executor = Sections { inner: Simulated::new(program, Granularity::LockExit), seen: Vec::new() };
    let config = Config { granularity: Granularity::LockExit, reduce, in_flight: 1, ..config() };
    let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
    (executor.seen, summary)
}

fn texts(seen: &[(String, Outcome)]) -> Vec<String> {
    let how = |outcome: &Outcome| match outcome {
        Outcome::Passed => "",
        Outcome::SleepBlocked => " X",
        Outcome::Assertion => " fails",
        Outcome::Deadlock => " deadlock",
        _ => " ?",
    };
    seen.iter().map(|(text, outcome)| format!("{text}{}", how(outcome))).collect()
}

/// The two threads of Figure 2; `shared` is what sections 2 and 7 do.
fn figure_2(shared: Option<[Instr; 2]>) -> Program {
    let (a, b) = (0, 1);
    let mut one = vec![
        section(1),
        Lock(a),
        section(2),
        Lock(b),
        section(3),
        Unlock(b),
        section(4),
        Unlock(a),
        section(5),
    ];
    let mut two = vec![
        section(6),
        Lock(a),
        section(7),
        Unlock(a),
        section(8),
        Lock(b),
        section(9),
        Unlock(b),
        section(10),
    ];
    if let Some([second, seventh]) = shared {
        one.insert(3, second);
        two.insert(3, seventh);
    }
    Program::fork_join(vec![one, two])
}

#[test]
fn figure_4_the_orders_of_atomic_blocks() {
    let (seen, summary) = explore(figure_2(None), Reduce::None);
    let want = ["1-10", "1-3 6 X", "6-10 1-5", "6-7 1-5 8-10", "6-7 1-3 8-10 4-5"];
    assert_eq!(texts(&seen), want);
    assert_eq!((summary.executions, summary.sleep_blocked), (4, 1));
    assert!(summary.complete, "{}", summary.guarantee);
}

#[test]
fn figure_7_read_write_pruning() {
    let shared = [Write(0, Value::Const(1)), Read(0, 0)];
    let (seen, summary) = explore(figure_2(Some(shared)), Reduce::Rw);
    assert_eq!(texts(&seen), ["1-10", "1-3 6 X", "6-10 1-5", "6-7 1-5 X"]);
    assert_eq!((summary.executions, summary.sleep_blocked), (2, 2));
    assert!(
        summary.complete && summary.guarantee.contains("deadlocks are not ruled out"),
        "{}",
        summary.guarantee
    );
}

#[test]
fn two_reads_do_not_meet() {
    // With r1 ∩ r2 in the place of r1 ∩ w2, as section 5.1 prints it, 6-10 would wake T1.
    let (seen, _) = explore(figure_2(Some([Read(0, 0), Read(0, 0)])), Reduce::Rw);
    assert_eq!(texts(&seen), ["1-10", "1-3 6 X", "6-10 X"]);
}

/// Figure 1: reads under a lock, and writes under the same lock later.
fn split_sync() -> Program {
    let body = vec![
        Lock(0),
        Read(0, 0),
        Unlock(0),
        Lock(0),
        Read(0, 1),
        Instr::Assert(Condition(Value::Reg(0), Is::Equal, Value::Reg(1))),
        Add(0, Value::Const(1)),
        Write(0, Value::Reg(0)),
        Unlock(0),
    ];
    Program::fork_join(vec![body.clone(), body])
}

#[test]
fn split_sync_fails_on_the_second_schedule_and_on_2_3_5_and_6_of_6() {
    let (seen, summary) = explore(split_sync(), Reduce::None);
    assert_eq!(texts(&seen), ["", " fails", " fails", "", " fails", " fails"]);
    assert_eq!(summary.failures[0].found_after, 2);
    // However many plans are in flight, by the third.
    let config = Config { granularity: Granularity::LockExit, ..config() };
    let (summary, _) = crate::common::explore(config, &split_sync());
    assert_eq!((summary.executions, summary.failures.len()), (6, 2));
    assert!(summary.failures[0].found_after <= 3);
    let (_, summary) = explore(split_sync(), Reduce::Rw);
    assert_eq!(summary.failures.len(), 2);
}

/// `k` workers of `n` lock exits each, without interaction.
fn workers(k: usize, n: usize) -> Program {
    let body = [Lock(0), Unlock(0)].repeat(n);
    Program::fork_join(vec![body; k])
}

#[test]
fn without_interaction_there_are_as_many_orders_as_the_paper_counts() {
    // Formula 1: (kn)! / n!^k orders. The best case of RW: (n+1)^(k-1), of which one is complete.
    for (k, n, orders, pruned) in
        [(2, 1, 2, 2), (2, 2, 6, 3), (2, 5, 252, 6), (3, 2, 90, 9), (3, 3, 1680, 16), (4, 2, 2520, 27)]
    {
        let (_, summary) = explore(workers(k, n), Reduce::None);
        assert_eq!((summary.executions, summary.sleep_blocked), (orders, 0), "{k} threads, {n} lock exits");
        for in_flight in [1, 32] {
            let mut executor = Simulated::new(workers(k, n), Granularity::LockExit);
            let config =
                Config { granularity: Granularity::LockExit, reduce: Reduce::Rw, in_flight, ..config() };
            let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
            assert_eq!(
                (summary.executions, summary.sleep_blocked),
                (1, pruned - 1),
                "{k} threads, {n} lock exits"
            );
        }
    }
}

/// The two threads of Figure 10.
fn figure_10() -> Program {
    let (a, b) = (0, 1);
    let one = vec![
        section(1),
        Lock(a),
        section(2),
        Lock(b),
        section(3),
        Unlock(b),
        section(4),
        Unlock(a),
        section(5),
    ];
    let two = vec![
        section(6),
        Lock(a),
        section(7),
        Unlock(a),
        section(8),
        Lock(b),
        section(9),
        Lock(a),
        section(10),
        Unlock(a),
        section(11),
        Unlock(b),
        section(12),
    ];
    Program::fork_join(vec![one, two])
}

#[test]
fn figure_10_rw_leaves_out_the_places_where_the_deadlock_shows() {
    // T2 holds b and wants a, which T1 holds, or the other way round: reverse lock chains show there.
    let shows =
        |texts: &[String]| texts.iter().filter(|t| t.ends_with("8-9 X") || t.ends_with("1-2 X")).count();
    let (all, summary) = explore(figure_10(), Reduce::None);
    assert_eq!(shows(&texts(&all)), 2, "{:?}", texts(&all));
    assert_eq!(summary.deadlocked, 0);
    assert!(summary.guarantee.contains("a cycle of locks"), "{}", summary.guarantee);
    let (pruned, summary) = explore(figure_10(), Reduce::Rw);
    assert_eq!(shows(&texts(&pruned)), 0, "{:?}", texts(&pruned));
    assert!(
        summary.complete && summary.guarantee.contains("deadlocks are not ruled out"),
        "{}",
        summary.guarantee
    );
}

#[test]
fn a_condition_deadlock_is_found_but_not_among_delayed_threads() {
    // T1 waits for a notify that T2 may have given before.
    let waits = vec![Lock(0), Instr::Wait(0, 0), Unlock(0)];
    let notifies = vec![Lock(0), Instr::NotifyOne(0), Unlock(0)];
    let program = Program::fork_join(vec![waits, notifies]);
    for reduce in [Reduce::None, Reduce::Rw] {
        let (_, summary) = explore(program.clone(), reduce);
        let kinds: Vec<_> = summary.failures.iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [FailureKind::Deadlock], "{reduce}");
    }
    // T2 delayed, T1 waits: nothing is said of that.
    let busy = [Lock(1), Unlock(1), Lock(0), Instr::NotifyOne(0), Unlock(0)];
    let waits = vec![
        Lock(0),
        Read(0, 0),
        Instr::JumpIf(Condition(Value::Reg(0), Is::Equal, Value::Const(1)), 4),
        Instr::Wait(0, 0),
        Unlock(0),
    ];
    let sets = [&busy[..3], &[Write(0, Value::Const(1))], &busy[3..]].concat();
    let (seen, summary) = explore(Program::fork_join(vec![sets, waits]), Reduce::Rw);
    assert!(seen.iter().any(|(_, outcome)| *outcome == Outcome::SleepBlocked));
    assert!(summary.failures.is_empty(), "{:?}", summary.failures);
}

/// What is run between lock exits need not be all interleavings.
#[test]
fn what_was_run_is_not_called_interleavings() {
    let (_, summary) = explore(figure_2(None), Reduce::None);
    assert!(summary.guarantee.starts_with("all 4 orders of atomic blocks pass"), "{}", summary.guarantee);
    for reduce in [Reduce::None, Reduce::Rw] {
        let granularity = Granularity::LockExit;
        let config = Config { granularity, reduce, executions: Some(1), in_flight: 1, ..config() };
        let mut executor = Simulated::new(figure_2(None), granularity);
        let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
        assert!(
            summary.guarantee.starts_with("not complete: no failure in 1 execution"),
            "{}",
            summary.guarantee
        );
    }
}
