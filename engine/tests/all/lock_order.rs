//! Predicted deadlocks: lock cycles that an execution shows without running into them, confirmed by a
//! schedule; and what looks like one and cannot happen.

use crate::common::{brute, config, explore, generator, many, run_of};
use proptest::prelude::*;
use raddle_engine::analysis::{lock_chain::chains, lock_order, wait_cycle::wait_cycles};
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, Control, Failure, FailureKind, Reduce, Summary, WarningKind, search};
use raddle_schedule::{Choice, Delta, Granularity, Order as Memory, Outcome, Plan, Trace};
use std::sync::atomic::{AtomicU64, Ordering};

use Instr::*;
use Value::Const;

fn predicting() -> Config {
    Config { predict: true, ..config() }
}

/// What the first execution alone leads to.
fn first_execution(program: &Program) -> Summary {
    explore(Config { executions: Some(1), ..predicting() }, program).0
}

fn deadlocks(summary: &Summary) -> Vec<&Failure> {
    summary.failures.iter().filter(|f| f.kind == FailureKind::Deadlock).collect()
}

fn warned(summary: &Summary) -> bool {
    summary.warnings.iter().any(|w| w.kind == WarningKind::LockOrder)
}

/// Runs a failure's schedule.
fn replay(program: &Program, failure: &Failure) -> Trace {
    let mut trace = Trace::default();
    let plan = Plan::new(0, failure.schedule.deltas.clone(), 20_000);
    Simulated::new(program.clone(), failure.schedule.granularity).execute(&plan, &mut trace);
    trace
}

/// Takes the locks one within the other, and gives them back.
fn nested(locks: &[u32]) -> Vec<Instr> {
    locks.iter().map(|m| Lock(*m)).chain(locks.iter().rev().map(|m| Unlock(*m))).collect()
}

/// The first execution passes, and its deadlock is found all the same: with one execution of the
/// search and the one that confirms it.
#[track_caller]
fn predicted(bodies: Vec<Vec<Instr>>) {
    let threads = bodies.len() as u32;
    let program = Program::fork_join(bodies);
    let summary = first_execution(&program);
    assert_eq!((summary.executions, summary.passed, summary.deadlocked), (1, 1, 0), "{summary:#?}");
    let found = deadlocks(&summary);
    assert_eq!(found.len(), 1, "{summary:#?}");
    assert_eq!((found[0].found_after, found[0].preemptions), (2, threads - 1), "{found:#?}");
    assert_eq!(found[0].schedule.deltas.len() as u32, threads - 1, "fewest differences: {found:#?}");
    let trace = replay(&program, found[0]);
    assert_eq!((trace.outcome, trace.steps), (Outcome::Deadlock, found[0].steps));
}

/// Nothing is said of it, after the first execution or in the end.
#[track_caller]
fn silent(bodies: Vec<Vec<Instr>>) {
    silent_program(&Program::fork_join(bodies));
}

#[track_caller]
fn silent_program(program: &Program) {
    for executions in [Some(1), Some(10), None] {
        let (summary, _) = explore(Config { executions, reduce: Reduce::Optimal, ..predicting() }, program);
        assert!(deadlocks(&summary).is_empty() && !warned(&summary), "{executions:?}: {summary:#?}");
    }
}

#[test]
fn predicted_from_the_first_execution() {
    predicted(vec![nested(&[0, 1]), nested(&[1, 0])]);
    // Philosophers, three to five.
    for n in 3..6 {
        predicted((0..n).map(|i| nested(&[i, (i + 1) % n])).collect());
    }
    // Behind what both have to do with each other before.
    let before = |more: Vec<Instr>| [vec![Lock(2), Read(0, 0), Write(0, Const(1)), Unlock(2)], more].concat();
    predicted(vec![before(nested(&[0, 1])), before(nested(&[1, 0]))]);
}

/// The counter that both threads raise under a lock of its own orders their accesses, and not their
/// locks: the schedule that does not keep it is tried.
#[test]
fn predicted_across_an_order_of_memory() {
    let raise = || vec![Lock(2), Read(0, 0), Add(0, Const(1)), Write(0, Value::Reg(0)), Unlock(2)];
    let body = |locks: [u32; 2]| [raise(), nested(&locks), raise()].concat();
    predicted(vec![body([0, 1]), body([1, 0])]);
}

/// What to take, within each other: a mutex, or a read-write lock for reading or writing.
fn within(takes: &[Instr]) -> Vec<Instr> {
    let gives = takes.iter().rev().map(|take| match take {
        Lock(m) => Unlock(*m),
        ReadLock(l) | WriteLock(l) => RwUnlock(*l),
        other => panic!("{other:?} takes nothing"),
    });
    takes.iter().copied().chain(gives).collect()
}

#[test]
fn read_write_locks_close_cycles() {
    predicted(vec![within(&[Lock(0), ReadLock(0)]), within(&[WriteLock(0), Lock(0)])]);
    predicted(vec![within(&[Lock(0), WriteLock(0)]), within(&[ReadLock(0), Lock(0)])]);
    predicted(vec![within(&[ReadLock(0), WriteLock(1)]), within(&[ReadLock(1), WriteLock(0)])]);
    predicted(vec![
        within(&[ReadLock(0), WriteLock(1)]),
        within(&[ReadLock(1), Lock(0)]),
        within(&[Lock(0), WriteLock(0)]),
    ]);
    // A gate that all may pass at once is none.
    predicted(vec![within(&[ReadLock(2), Lock(0), Lock(1)]), within(&[ReadLock(2), Lock(1), Lock(0)])]);
}

/// Readers keep no reader out, and a writer at the gate keeps everybody out.
#[test]
fn read_write_locks_that_close_no_cycle() {
    silent(vec![within(&[ReadLock(0), ReadLock(1)]), within(&[ReadLock(1), ReadLock(0)])]);
    silent(vec![within(&[ReadLock(0), WriteLock(1)]), within(&[WriteLock(1), ReadLock(0)])]);
    silent(vec![within(&[ReadLock(2), Lock(0), Lock(1)]), within(&[WriteLock(2), Lock(1), Lock(0)])]);
    silent(vec![within(&[WriteLock(0), Lock(0)]), within(&[ReadLock(0), Lock(0)])]);
}

#[test]
fn a_lock_taken_back_after_a_wait_closes_a_cycle() {
    // T1 waits for the notify holding 1; T2 takes 1 with 0 in hand and notifies.
    let waits = vec![Lock(1), Lock(0), WaitTimeout(0, 0, 0), Unlock(0), Unlock(1)];
    let other = nested(&[0, 1]);
    let summary = explore(predicting(), &Program::fork_join(vec![waits, other])).0;
    assert!(!deadlocks(&summary).is_empty(), "{summary:#?}");
}

#[test]
fn what_cannot_happen_is_not_reported() {
    // A common order; a gate; one thread alone.
    silent(vec![nested(&[0, 1]), nested(&[0, 1])]);
    silent(vec![nested(&[2, 0, 1]), nested(&[2, 1, 0])]);
    silent(vec![[nested(&[0, 1]), nested(&[1, 0])].concat()]);
    // Who finds the second lock taken goes away again.
    let tries = vec![
        Lock(1),
        TryLock(0, 0),
        JumpIf(Condition(Value::Reg(0), Is::Equal, Const(0)), 4),
        Unlock(0),
        Unlock(1),
    ];
    silent(vec![nested(&[0, 1]), tries]);
    // A cycle of three, two of which have a gate.
    silent(vec![nested(&[3, 0, 1]), nested(&[3, 1, 2]), nested(&[2, 0])]);
    // One after the other: by a semaphore, a flag that is waited for.
    silent(vec![[nested(&[0, 1]), vec![SemPost(0)]].concat(), [vec![SemWait(0)], nested(&[1, 0])].concat()]);
    let flag = Condition(Value::Reg(0), Is::Equal, Const(0));
    let awaits = vec![Load(0, 0, Memory::SeqCst), JumpIf(flag, 0)];
    let sets = vec![Store(0, Const(1), Memory::SeqCst)];
    silent(vec![[nested(&[0, 1]), sets].concat(), [awaits, nested(&[1, 0])].concat()]);
}

/// T1 is joined before T2 is spawned; and T0 takes the locks the other way round before and after.
#[test]
fn births_and_ends_keep_threads_apart() {
    let join = |r| Join(Value::Reg(r));
    let main = vec![Spawn(1, 3), join(3), Spawn(2, 4), join(4)];
    let bodies = vec![main, nested(&[0, 1]), nested(&[1, 0])];
    silent_program(&Program { bodies, semaphores: Vec::new() });
    let main = [nested(&[1, 0]), vec![Spawn(1, 3), join(3)], nested(&[1, 0])].concat();
    silent_program(&Program { bodies: vec![main, nested(&[0, 1])], semaphores: Vec::new() });
}

/// A thread that finds a flag set does not come to its locks; that the flag says so is seen only where
/// the thread reads it before.
#[test]
fn a_cycle_that_memory_forbids_is_refuted_by_its_run() {
    let first = [nested(&[0, 1]), vec![Lock(2), Write(0, Const(1)), Unlock(2)]].concat();
    let skip = Condition(Value::Reg(0), Is::Equal, Const(0));
    let second =
        vec![Lock(2), Read(0, 0), Unlock(2), JumpIf(skip, 8), Lock(1), Lock(0), Unlock(0), Unlock(1)];
    silent(vec![first, second]);
}

/// Runs programs in a process that dies of a crash, and the trace with it.
struct Dying(Simulated);

impl Executor for Dying {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.0.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.0.receive(trace)?;
        if trace.outcome == Outcome::Crash {
            trace.events.clear();
            (trace.steps, trace.lost) = (0, true);
        }
        Ok(received)
    }
}

/// The schedule that is to lead into a deadlock lets T2 see what T1 has not set up yet, and the process dies of
/// that. The failure has the schedule as far as it matters, and its preemptions.
#[test]
fn a_run_that_ends_its_process_is_a_failure() {
    let writes = |locks: [u32; 2]| [nested(&locks), vec![Lock(3), Write(0, Const(1)), Unlock(3)]].concat();
    let set = Condition(Value::Reg(0), Is::NotEqual, Const(0));
    let reads = |locks: [u32; 2]| {
        // Nobody holds lock 9.
        [vec![Lock(3), Read(0, 0), Unlock(3), JumpIf(set, 5), Unlock(9)], nested(&locks)].concat()
    };
    let third = nested(&[2, 0]);
    for bodies in [vec![writes([0, 1]), reads([1, 0])], vec![writes([0, 1]), reads([1, 2]), third]] {
        let program = Program::fork_join(bodies);
        let config = Config { executions: Some(1), ..predicting() };
        let mut executor = Dying(Simulated::new(program.clone(), Granularity::Sync));
        let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
        let [found] = &summary.failures[..] else { panic!("{summary:#?}") };
        assert_eq!((summary.executions, summary.lost), (1, 0), "no execution of the search: {summary:#?}");
        // T1 is stopped before its second lock; T3 has no part in it.
        assert_eq!(
            (found.kind, found.found_after, found.preemptions),
            (FailureKind::Crash, 2, 1),
            "{found:#?}"
        );
        let trace = replay(&program, found);
        assert_eq!((trace.outcome, run_of(&trace).preemptions), (Outcome::Crash, 1), "{found:#?}");
    }
}

/// In the run that confirms, T2 comes to a variable that T1 writes; in the first execution it does not.
#[test]
fn a_race_in_the_run_that_confirms_is_reported() {
    let set = Condition(Value::Reg(0), Is::NotEqual, Const(0));
    let first =
        [vec![Write(1, Const(1))], nested(&[0, 1]), vec![Lock(3), Write(0, Const(1)), Unlock(3)]].concat();
    let second =
        [vec![Lock(3), Read(0, 0), Unlock(3), JumpIf(set, 5), Write(1, Const(2))], nested(&[1, 0])].concat();
    let program = Program::fork_join(vec![first, second]);
    let summary = first_execution(&program);
    let kinds: Vec<_> = summary.failures.iter().map(|f| (f.kind, f.found_after, f.preemptions)).collect();
    assert_eq!(kinds, [(FailureKind::Deadlock, 2, 1), (FailureKind::DataRace, 2, 1)], "{summary:#?}");
    assert!(summary.guarantee.contains("switches at the racing accesses were not explored"), "{summary:#?}");
}

/// Where no thread can be stopped between its locks, there is a warning.
#[test]
fn without_points_in_between_it_is_a_warning() {
    let body = |locks: [u32; 2]| [vec![Statement], nested(&locks)].concat();
    let program = Program::fork_join(vec![body([0, 1]), body([1, 0])]);
    let statements = Config { granularity: Granularity::Statement, ..predicting() };
    let (summary, _) = explore(statements, &program);
    assert!(summary.failures.is_empty() && warned(&summary), "{summary:#?}");
    let wanted = &summary.warnings.iter().find(|w| w.kind == WarningKind::LockOrder).unwrap().wanted;
    assert_eq!(wanted.iter().map(|w| w.thread).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((wanted[0].lock, wanted[0].holds), (wanted[1].holds, wanted[1].lock));
}

/// Trusted code is not stopped between its locks either: that every interleaving of the rest was run says nothing
/// of it. (Without statement points the simulated executor makes such code one step.)
#[test]
fn in_trusted_code_it_is_a_warning_in_the_end_too() {
    let body = |locks: [u32; 2]| [vec![Statement], nested(&locks)].concat();
    let program = Program::fork_join(vec![body([0, 1]), body([1, 0])]);
    for (trusted, warns) in [(vec!["inner".to_string()], true), (Vec::new(), false)] {
        let mut executor = Simulated::new(program.clone(), Granularity::Statement);
        let config = Config { trusted, ..predicting() };
        let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
        assert!(summary.complete && summary.failures.is_empty(), "{summary:#?}");
        assert_eq!(warned(&summary), warns, "{summary:#?}");
    }
}

/// The search's own counts are what they are without predictions, and nothing is listed twice.
#[test]
fn confirmations_are_no_executions() {
    let program = Program::fork_join((0..3).map(|i| nested(&[i, (i + 1) % 3])).collect());
    let (plain, _) = explore(Config { reduce: Reduce::Optimal, ..config() }, &program);
    let (predicted, _) = explore(Config { reduce: Reduce::Optimal, ..predicting() }, &program);
    let counts = |s: &Summary| (s.executions, s.passed, s.deadlocked, s.classes, s.complete, s.total_steps);
    assert_eq!((plain.executions, plain.deadlocked), (6, 1));
    assert_eq!(counts(&plain), counts(&predicted));
    assert_eq!(deadlocks(&predicted).len(), 1, "{predicted:#?}");
    // Of the two schedules the one with fewer preemptions is kept: that of the prediction.
    assert_eq!(deadlocks(&predicted)[0].preemptions, 2);
    assert!(deadlocks(&plain)[0].preemptions >= 2);
}

/// Whole blocks never stop between their locks. The run that confirms does, and its schedule says so; with
/// Figure 10's program too, of which the paper's check needs a certain execution.
#[test]
fn at_lock_exits_the_confirming_run_has_points_at_every_operation() {
    let lock_exit = |executions| Config { granularity: Granularity::LockExit, executions, ..predicting() };
    let figure_10 = vec![nested(&[0, 1]), [nested(&[0]), nested(&[1, 0])].concat()];
    for bodies in [vec![nested(&[0, 1]), nested(&[1, 0])], figure_10] {
        let program = Program::fork_join(bodies);
        for executions in [Some(1), None] {
            let (summary, _) = explore(lock_exit(executions), &program);
            let [found] = deadlocks(&summary)[..] else { panic!("{summary:#?}") };
            assert_eq!((found.found_after, found.schedule.granularity), (2, Granularity::Sync), "{found:#?}");
            assert_eq!(replay(&program, found).outcome, Outcome::Deadlock);
            assert!(!warned(&summary), "{summary:#?}");
        }
    }
    let gate = Program::fork_join(vec![nested(&[2, 0, 1]), nested(&[2, 1, 0])]);
    let (summary, _) = explore(lock_exit(None), &gate);
    assert!(summary.failures.is_empty() && !warned(&summary), "{summary:#?}");
}

/// Figures 8 and 9 of paper 004: one thread is stopped after its inner lock, the other cannot have the
/// outer one. And the same with the inner lock taken before the outer one, which is no cycle.
#[test]
fn reverse_lock_chains() {
    let chains_of = |first: Vec<Instr>, steps: u32| {
        let program = Program::fork_join(vec![first, nested(&[1, 0])]);
        let delta = |step, thread| Delta { step, choice: Choice::Thread(thread) };
        // T0 spawns both; T1 makes its first steps; then T2 goes as far as it can.
        let deltas = vec![delta(2, 1), delta(2 + steps, 2)];
        let mut trace = Trace::default();
        Simulated::new(program, Granularity::Sync).execute(&Plan::new(0, deltas, 20_000), &mut trace);
        assert_eq!(trace.outcome, Outcome::Passed);
        let cycles = chains(&trace);
        assert!(cycles.iter().all(|c| lock_order::cycles(&trace).contains(c)), "{cycles:#?}");
        cycles.iter().map(|c| c.wanted.iter().map(|w| w.thread).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    // Started, a taken, b taken and given back.
    assert_eq!(chains_of(nested(&[0, 1]), 4), [[1, 2]]);
    // Before its inner lock, or after both: nobody waits behind a lock that it held last.
    assert!(chains_of(nested(&[0, 1]), 5).is_empty());
    assert!(chains_of([nested(&[1]), nested(&[0])].concat(), 4).is_empty());
}

/// Bodies that nest two or three locks, in any order, among other things.
fn nesting() -> impl Strategy<Value = Program> {
    let locks = prop::sample::subsequence(vec![0u32, 1, 2], 1..=3).prop_shuffle();
    let piece = prop_oneof![
        5 => (locks, 0..2u32, 0..3u64).prop_map(|(locks, v, x)| {
            let mut piece: Vec<Instr> = locks.iter().map(|m| Lock(*m)).collect();
            piece.extend([Read(v, 0), Write(v, Const(x))]);
            piece.extend(locks.iter().rev().map(|m| Unlock(*m)));
            piece
        }),
        1 => Just(vec![SemPost(0)]),
        1 => Just(vec![SemWait(0)]),
        1 => (0..2u32).prop_map(|v| vec![Store(v + 2, Const(1), Memory::SeqCst)]),
        1 => (0..2u32).prop_map(|v| vec![
            Load(v + 2, 0, Memory::SeqCst),
            Assert(Condition(Value::Reg(0), Is::Less, Const(9))),
        ]),
        1 => (0..3u32).prop_map(|m| vec![
            TryLock(m, 0),
            Lock(3),
            Unlock(3),
        ]),
    ];
    let body = prop::collection::vec(piece, 1..3).prop_map(|pieces| pieces.concat());
    prop::collection::vec(body, 2..4)
        .prop_map(|bodies| Program { semaphores: vec![1], ..Program::fork_join(bodies) })
}

/// Bodies that nest mutexes and read-write locks in any order.
fn nesting_both() -> impl Strategy<Value = Program> {
    let takes = |which: usize, writes: bool| match (which, writes) {
        (0, _) => Lock(0),
        (n, false) => ReadLock(n as u32 - 1),
        (n, true) => WriteLock(n as u32 - 1),
    };
    let one = (0..3usize, prop::bool::ANY);
    let locks = prop::collection::vec(one, 1..=3).prop_map(move |all| {
        let mut taken: Vec<(usize, bool)> = Vec::new();
        for (which, writes) in all {
            // Who has it already would wait for itself.
            if !taken.iter().any(|(other, _)| *other == which) {
                taken.push((which, writes));
            }
        }
        taken.into_iter().map(|(which, writes)| takes(which, writes)).collect::<Vec<_>>()
    });
    let piece = prop_oneof![
        6 => locks.prop_map(|takes| within(&takes)),
        1 => Just(vec![SemPost(0)]),
        1 => Just(vec![SemWait(0)]),
    ];
    let body = prop::collection::vec(piece, 1..3).prop_map(|pieces| pieces.concat());
    prop::collection::vec(body, 2..4)
        .prop_map(|bodies| Program { semaphores: vec![1], ..Program::fork_join(bodies) })
}

/// Locks taken in one order, and each variable accessed under its own lock.
fn disciplined() -> impl Strategy<Value = Program> {
    let piece = (prop::sample::subsequence(vec![0u32, 1, 2], 1..=3), 0..3usize).prop_map(|(locks, which)| {
        let variable = locks[which % locks.len()];
        let mut piece: Vec<Instr> = locks.iter().map(|m| Lock(*m)).collect();
        piece.extend([Read(variable, 0), Add(0, Const(1)), Write(variable, Value::Reg(0))]);
        piece.extend(locks.iter().rev().map(|m| Unlock(*m)));
        piece
    });
    let body = prop::collection::vec(piece, 1..3).prop_map(|pieces| pieces.concat());
    prop::collection::vec(body, 2..4).prop_map(Program::fork_join)
}

/// Every deadlock found is one of the program's, and its schedule shows it.
fn check_found(
    program: &Program,
    summary: &Summary,
    runs: Option<&[crate::common::Run]>,
) -> Result<(), TestCaseError> {
    for failure in deadlocks(summary) {
        let trace = replay(program, failure);
        prop_assert!(trace.outcome == Outcome::Deadlock || !wait_cycles(&trace).is_empty());
        let is_one = runs.is_none_or(|runs| runs.contains(&run_of(&trace)));
        prop_assert!(is_one, "no execution of the program: {:?}", failure);
    }
    Ok(())
}

/// What a program was compared with.
enum Compared {
    /// All interleavings, by brute force: they are at most 800.
    Brute,
    /// One of each class, run without predictions.
    Classes,
}

/// Compares with all interleavings or classes. With which, and can the program deadlock? `None`: it has
/// too many of both.
fn check_predictions(program: &Program) -> Result<Option<(Compared, bool)>, TestCaseError> {
    let runs = brute::enumerate(program, false, 800);
    let reduce = if runs.is_some() { Reduce::None } else { Reduce::Optimal };
    let most = runs.is_none().then_some(1000);
    let (plain, _) = explore(Config { reduce, executions: most, ..config() }, program);
    if plain.stopped.is_some() {
        return Ok(None);
    }
    let locks_up = match &runs {
        Some(runs) => runs.iter().any(|r| r.outcome == Outcome::Deadlock),
        None => plain.deadlocked > 0,
    };
    let locks_up = locks_up || !deadlocks(&plain).is_empty();
    for executions in [Some(1), Some(8), None] {
        let (summary, _) = explore(Config { reduce, executions, ..predicting() }, program);
        check_found(program, &summary, runs.as_deref())?;
        prop_assert!(locks_up || deadlocks(&summary).is_empty());
        if executions.is_none() {
            let counts = |s: &Summary| (s.executions, s.passed, s.deadlocked, s.classes, s.total_steps);
            prop_assert_eq!(counts(&plain), counts(&summary));
            let found = |s: &Summary| {
                let mut found: Vec<_> = s.failures.iter().map(|f| (f.kind, f.site, f.thread)).collect();
                found.sort();
                found
            };
            prop_assert_eq!(found(&plain), found(&summary));
            prop_assert!(!warned(&summary), "every interleaving was run");
        }
    }
    Ok(Some((if runs.is_some() { Compared::Brute } else { Compared::Classes }, locks_up)))
}

/// Checks random programs. At most one in ten is too large for it; at least one in ten is compared by brute
/// force, and one in ten deadlocks.
fn check_many<S: Strategy<Value = Program>>(seed: u64, drawn: fn() -> S) {
    let (brute, deadlocking) = (AtomicU64::new(0), AtomicU64::new(0));
    let of = many::each_of(seed, drawn, |program| {
        let compared = check_predictions(program).map_err(|e| e.to_string())?;
        let count = |counter: &AtomicU64, is: bool| {
            counter.fetch_add(u64::from(is), Ordering::Relaxed);
        };
        if let Some((with, locks_up)) = &compared {
            count(&brute, matches!(with, Compared::Brute));
            count(&deadlocking, *locks_up);
        }
        Ok(compared.is_some())
    });
    let (brute, deadlocking) = (brute.into_inner(), deadlocking.into_inner());
    println!("{brute} of them by brute force; {deadlocking} can deadlock");
    many::compared(of, 0.9);
    assert!(brute * 10 >= of.0 && deadlocking * 10 >= of.0, "{brute} and {deadlocking} of {of:?}");
}

#[test]
fn predictions_are_deadlocks_of_the_program() {
    check_many(1, nesting);
}

#[test]
fn predictions_with_read_write_locks_are_deadlocks_of_the_program() {
    check_many(3, nesting_both);
}

#[test]
fn predictions_among_all_operations() {
    check_many(2, generator::program);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// No false report, after the first execution, after some, and after one of each class (or a thousand).
    #[test]
    fn nothing_is_said_of_disciplined_programs(program in disciplined()) {
        for (reduce, executions) in [(Reduce::None, 1), (Reduce::None, 64), (Reduce::Optimal, 1000)] {
            let config = Config { reduce, executions: Some(executions), ..predicting() };
            let (summary, _) = explore(config, &program);
            prop_assert!(summary.failures.is_empty() && summary.warnings.is_empty(), "{:#?}", summary);
        }
    }
}
