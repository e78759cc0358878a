//! The locking discipline (Eraser's lock sets): violations are told with both accesses and what was held,
//! and what is right is not told.

use proptest::prelude::*;
use raddle_engine::Unprotected;
use raddle_engine::analysis::lockset::Lockset;
use raddle_engine::simulated::{Instr, Program, Simulated, Value};
use raddle_schedule::{Granularity, Order, Plan, Trace, plan};

use Instr::*;
use Value::{Const, Reg};

/// The violations of one execution: the default one, or one drawn at random.
fn violations(program: &Program, seed: Option<u64>) -> Vec<Unprotected> {
    let mut plan = Plan::new(0, Vec::new(), 2_000);
    if let Some(seed) = seed {
        (plan.flags, plan.seed) = (plan::flags::SAMPLE, seed);
    }
    let mut trace = Trace::default();
    Simulated::new(program.clone(), Granularity::Sync).execute(&plan, &mut trace);
    Lockset::default().check(&trace).to_vec()
}

fn locked(m: u32, inner: Vec<Instr>) -> Vec<Instr> {
    [vec![Lock(m)], inner, vec![Unlock(m)]].concat()
}

fn raise(v: u32) -> Vec<Instr> {
    vec![Read(v, 0), Add(0, Const(1)), Write(v, Reg(0))]
}

/// One violation in every one of twenty executions, or none in any.
#[track_caller]
fn check(program: &Program, violates: bool) {
    for seed in std::iter::once(None).chain((0..20).map(Some)) {
        let found = violations(program, seed);
        assert_eq!(found.len(), usize::from(violates), "seed {seed:?}: {found:#?}");
    }
}

#[test]
fn different_locks_are_no_discipline() {
    check(&Program::fork_join(vec![locked(0, raise(0)), locked(0, raise(0))]), false);
    check(&Program::fork_join(vec![locked(0, raise(0)), locked(1, raise(0))]), true);
    // One in common is enough, whatever else is held.
    let both = locked(0, locked(1, raise(0)));
    check(&Program::fork_join(vec![both.clone(), locked(1, raise(0))]), false);
    // Pairs have one each, and all three none.
    let (left, right) = (locked(0, locked(2, raise(0))), locked(1, locked(2, raise(0))));
    check(&Program::fork_join(vec![both.clone(), left.clone(), locked(0, raise(0))]), false);
    check(&Program::fork_join(vec![both, left, right]), true);
}

#[test]
fn both_accesses_are_told_with_what_was_held() {
    let found = violations(&Program::fork_join(vec![locked(0, raise(0)), raise(0)]), None);
    let [one] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!((one.first.thread, one.first_holds.len()), (1, 1), "{one:#?}");
    assert_eq!((one.second.thread, one.second_holds.len()), (2, 0), "{one:#?}");
    assert_eq!(one.first.object, one.second.object);
}

/// Several may read under a read-write lock, and who writes must have it alone.
#[test]
fn a_write_needs_the_lock_for_writing() {
    let (reads, writes) = (
        |inner: Vec<Instr>| [vec![ReadLock(0)], inner, vec![RwUnlock(0)]].concat(),
        |inner: Vec<Instr>| [vec![WriteLock(0)], inner, vec![RwUnlock(0)]].concat(),
    );
    check(&Program::fork_join(vec![writes(raise(0)), reads(vec![Read(0, 0)]), writes(raise(0))]), false);
    check(&Program::fork_join(vec![reads(raise(0)), reads(raise(0))]), true);
    check(&Program::fork_join(vec![writes(raise(0)), reads(raise(0)), reads(raise(0))]), true);
    // A mutex within is enough.
    let inner = || locked(0, raise(0));
    check(&Program::fork_join(vec![reads(inner()), reads(inner())]), false);
    let found = violations(&Program::fork_join(vec![writes(raise(0)), reads(raise(0))]), None);
    let [one] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(one.only_read.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1], "{one:#?}");
}

/// Reads need no lock where nobody writes; initialisation does not either.
#[test]
fn reading_and_initialising_are_right() {
    check(&Program::fork_join(vec![vec![Read(0, 0)], vec![Read(0, 0)]]), false);
    let main =
        vec![Write(0, Const(7)), Spawn(1, 3), Spawn(2, 4), Join(Reg(3)), Join(Reg(4)), Write(0, Const(8))];
    let reads = vec![Read(0, 0)];
    check(&Program { bodies: vec![main, reads.clone(), reads], semaphores: Vec::new() }, false);
}

/// Before its threads are born, with its lock while they live, and without when they are joined.
#[test]
fn births_and_ends_hand_a_variable_over() {
    let main = [raise(0), vec![Spawn(1, 3), Spawn(2, 4), Join(Reg(3)), Join(Reg(4))], raise(0)].concat();
    let bodies = vec![main, locked(0, raise(0)), locked(0, raise(0))];
    check(&Program { bodies, semaphores: Vec::new() }, false);
    // Not while one of them lives.
    let main = [vec![Spawn(1, 3), Spawn(2, 4), Join(Reg(3))], raise(0), vec![Join(Reg(4))]].concat();
    let bodies = vec![main, locked(0, raise(0)), locked(0, raise(0))];
    let found = (0..20).filter(|seed| {
        !violations(&Program { bodies: bodies.clone(), semaphores: vec![] }, Some(*seed)).is_empty()
    });
    assert!(found.count() > 5);
}

#[test]
fn semaphores_and_atomics_hand_a_variable_over() {
    let gives = [raise(0), vec![SemPost(0)]].concat();
    let takes = [vec![SemWait(0)], raise(0)].concat();
    check(&Program::fork_join(vec![gives, takes]), false);
    let gives = [raise(0), vec![Store(1, Const(1), Order::Release)]].concat();
    let flag = raddle_engine::simulated::Condition(Reg(0), raddle_engine::simulated::Is::Equal, Const(0));
    let takes = [vec![Load(1, 0, Order::Acquire), JumpIf(flag, 0)], raise(0)].concat();
    check(&Program::fork_join(vec![gives, takes]), false);
}

/// The mutex of a wait is given back meanwhile and held afterwards.
#[test]
fn a_wait_gives_its_lock_back_and_takes_it_again() {
    let waits = locked(0, vec![WaitTimeout(0, 0, 1), Write(0, Const(1))]);
    check(&Program::fork_join(vec![waits, locked(0, raise(0))]), false);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Each variable under its own lock: nothing is said. With one access that has another lock or none,
    /// it is found in the executions in which both come after a first one with the lock.
    #[test]
    fn disciplined_programs_are_silent(
        bodies in prop::collection::vec(prop::collection::vec((0..3u32, prop::bool::ANY), 1..5), 2..5),
        seed in any::<u64>(),
    ) {
        let body = |sections: Vec<(u32, bool)>| {
            let section = |(v, outer): (u32, bool)| {
                let inner = locked(v, raise(v));
                if outer { locked(9, inner) } else { inner }
            };
            sections.into_iter().flat_map(section).collect::<Vec<Instr>>()
        };
        let program = Program::fork_join(bodies.into_iter().map(body).collect());
        prop_assert_eq!(violations(&program, Some(seed)), vec![]);
    }
}
