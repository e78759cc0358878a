//! Data races on random programs that have none by their making, and on the same programs with one protection
//! taken away: nothing is said of the first, and every race of the second is found, at points of synchronisation
//! and at every access.
//!
//! What is safe: each plain variable is accessed under its own lock; or by one thread; or by T0 before the births
//! and after the ends of all others, who only read it meanwhile; or written before a flag is set, or a semaphore
//! posted, and read behind that. Whether a program with a mistake truly races is brute force's to say, by the
//! definition: conflicting accesses that no synchronisation orders.
//!
//! `RADDLE_PROGRAMS=1000 cargo test -p raddle-engine --release --test all safe_programs` tries as many.

use crate::common::many::{compared, each_of};
use crate::common::{compare, config, explore};
use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Value};
use raddle_engine::{Config, Failure, FailureKind, Reduce};
use raddle_schedule::{Granularity, Order as Memory};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use Instr::*;
use Value::{Const, Reg};

/// Executions of one search, at most.
const MOST_RUNS: u64 = 2_000;
/// States that brute force walks of one program, at most.
const MOST_STATES: usize = 30_000;

/// Plain variables: under lock 0, under lock 1, T0's before and after, published by a flag, handed over by a
/// semaphore, one thread's own. Variable 7 is the flag.
const LOCKED: [u32; 2] = [0, 1];
const AROUND: u32 = 2;
const PUBLISHED: u32 = 3;
const HANDED: u32 = 4;
const OWN: u32 = 5;
const FLAG: u32 = 7;

/// What a thread does, in one go.
#[derive(Clone, Copy, Debug)]
enum Piece {
    /// Accesses a variable under its lock; under the other one as well, within or around.
    Locked { which: usize, writes: bool, nested: bool },
    /// Takes the lock if it is free.
    Tried { which: usize },
    /// Reads what T0 has written before and will write after.
    Around,
    /// Reads what is published, where it is.
    Published { rmw: bool },
    /// Reads what was handed over.
    Handed,
    /// Its own variable: of the thread with this number alone.
    Own,
    /// Something else: atomics, a yield.
    Else(u8),
}

/// The mistake that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// The access with this number among those under a lock is not.
    Unlocked(usize),
    /// The flag is set, or read, with a relaxed ordering.
    RelaxedStore,
    RelaxedLoad,
    /// Nobody waits for the semaphore, or for the last thread.
    NotHanded,
    NotJoined,
}

#[derive(Clone, Debug)]
struct Draw {
    bodies: Vec<Vec<Piece>>,
    mistake: Mistake,
}

fn piece() -> impl Strategy<Value = Piece> {
    let locked = (0..2usize, prop::bool::weighted(0.7), prop::bool::weighted(0.2));
    prop_oneof![
        8 => locked.prop_map(|(which, writes, nested)| Piece::Locked { which, writes, nested }),
        1 => (0..2usize).prop_map(|which| Piece::Tried { which }),
        2 => Just(Piece::Around),
        2 => any::<bool>().prop_map(|rmw| Piece::Published { rmw }),
        1 => Just(Piece::Handed),
        1 => Just(Piece::Own),
        1 => (0..3u8).prop_map(Piece::Else),
    ]
}

fn draw() -> impl Strategy<Value = Draw> {
    let body = prop::collection::vec(piece(), 1..4);
    let mistake = prop_oneof![
        8 => (0..3usize).prop_map(Mistake::Unlocked),
        1 => Just(Mistake::RelaxedStore),
        1 => Just(Mistake::RelaxedLoad),
        1 => Just(Mistake::NotHanded),
        1 => Just(Mistake::NotJoined),
    ];
    (prop::collection::vec(body, 2..4), mistake).prop_map(|(bodies, mistake)| Draw { bodies, mistake })
}

/// Puts a program together.
struct Making {
    mistake: Option<Mistake>,
    /// Accesses under a lock so far.
    locked: usize,
}

impl Making {
    fn wrong(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    fn body(&mut self, thread: usize, pieces: &[Piece]) -> Vec<Instr> {
        let mut body = Vec::new();
        // The first publishes, once, before all else; what it published it only reads.
        if thread == 0 {
            let set = if self.wrong(Mistake::RelaxedStore) { Memory::Relaxed } else { Memory::Release };
            body.extend([Write(PUBLISHED, Const(1)), Store(FLAG, Const(1), set)]);
            body.extend([Write(HANDED, Const(1)), SemPost(0)]);
        }
        for piece in pieces {
            self.piece(thread, *piece, &mut body);
        }
        body
    }

    fn piece(&mut self, thread: usize, piece: Piece, body: &mut Vec<Instr>) {
        let start = body.len();
        match piece {
            Piece::Locked { which, writes, nested } => {
                let (variable, own) = (LOCKED[which], which as u32);
                let access = if writes { Write(variable, Const(1)) } else { Read(variable, 0) };
                // The locks are nested in one order.
                let locks: Vec<u32> = if nested { vec![0, 1] } else { vec![own] };
                let left_out = self.wrong(Mistake::Unlocked(self.locked));
                self.locked += 1;
                let locks: Vec<u32> = locks.into_iter().filter(|m| !left_out || *m != own).collect();
                body.extend(locks.iter().map(|m| Lock(*m)));
                body.push(access);
                body.extend(locks.iter().rev().map(|m| Unlock(*m)));
            }
            Piece::Tried { which } => {
                let failed = Condition(Reg(0), Is::Equal, Const(0));
                let own = which as u32;
                body.extend([TryLock(own, 0), JumpIf(failed, start + 4), Write(LOCKED[which], Const(2))]);
                body.push(Unlock(own));
            }
            Piece::Around => body.push(Read(AROUND, 0)),
            Piece::Published { rmw } => {
                let relaxed = self.wrong(Mistake::RelaxedLoad);
                let take = if relaxed { Memory::Relaxed } else { Memory::Acquire };
                let both = if relaxed { Memory::Relaxed } else { Memory::AcqRel };
                // What adds nothing goes on with what was published.
                body.push(match rmw {
                    true => FetchAdd(FLAG, Const(0), 0, both),
                    false => Load(FLAG, 0, take),
                });
                body.push(JumpIf(Condition(Reg(0), Is::Equal, Const(0)), start + 3));
                body.push(Read(PUBLISHED, 0));
            }
            Piece::Handed if thread > 0 && self.wrong(Mistake::NotHanded) => body.push(Read(HANDED, 0)),
            // Who takes it gives it back for the next.
            Piece::Handed if thread > 0 => body.extend([SemWait(0), Read(HANDED, 0), SemPost(0)]),
            Piece::Handed => body.push(Read(HANDED, 0)),
            Piece::Own => {
                if thread == 1 {
                    body.extend([Read(OWN, 0), Write(OWN, Const(3))]);
                }
            }
            Piece::Else(0) => body.push(Yield),
            Piece::Else(1) => body.push(FetchAdd(6, Const(1), 0, Memory::Relaxed)),
            Piece::Else(_) => body.push(Load(6, 0, Memory::SeqCst)),
        }
    }
}

impl Draw {
    fn build(&self, mistake: Option<Mistake>) -> Program {
        let mut making = Making { mistake, locked: 0 };
        let bodies = self.bodies.iter().enumerate().map(|(i, pieces)| making.body(i, pieces)).collect();
        let mut program = Program::fork_join(bodies);
        let main = &mut program.bodies[0];
        if mistake == Some(Mistake::NotJoined) {
            main.pop();
        }
        main.insert(0, Write(AROUND, Const(1)));
        main.push(Write(AROUND, Const(2)));
        program
    }
}

const POINTS: [Granularity; 2] = [Granularity::Sync, Granularity::Access];

/// The variables with a race that one class after the other shows; `None` if there are too many.
fn races(program: &Program, granularity: Granularity, whole: bool) -> Result<Option<BTreeSet<u32>>, String> {
    let config = Config { granularity, reduce: Reduce::Optimal, executions: Some(MOST_RUNS), ..config() };
    let (summary, _) = explore(config, program);
    let others: Vec<&Failure> = summary.failures.iter().filter(|f| f.kind != FailureKind::DataRace).collect();
    if !others.is_empty() {
        return Err(format!("it fails otherwise: {others:?}"));
    }
    if whole && summary.stopped.is_some() {
        return Ok(None);
    }
    let variable = |f: &Failure| f.race.map(|r| ((r.first.object - 0x40_0000) / 8) as u32);
    Ok(Some(summary.failures.iter().filter_map(variable).collect()))
}

#[test]
fn nothing_is_said_of_safe_programs() {
    let by_brute_force = AtomicU64::new(0);
    let of = each_of(
        41,
        || draw().prop_map(|draw| draw.build(None)),
        |program| {
            for granularity in POINTS {
                let found = races(program, granularity, false)?.unwrap_or_default();
                if !found.is_empty() {
                    return Err(format!("{granularity:?}: a race on {found:?}"));
                }
                // What is safe by its making is so by the definition.
                if let Some(expected) = compare::expected(program, granularity, MOST_STATES) {
                    by_brute_force.fetch_add(1, Ordering::Relaxed);
                    if !expected.all.races.is_empty() {
                        return Err(format!("{granularity:?}: it races on {:?}", expected.all.races));
                    }
                }
            }
            Ok(true)
        },
    );
    println!("{} comparisons with brute force", by_brute_force.into_inner());
    compared(of, 1.0);
}

#[test]
fn every_race_that_is_made_is_found() {
    let racing = AtomicU64::new(0);
    let drawn = || draw().prop_map(|draw| draw.build(Some(draw.mistake)));
    let of = each_of(42, drawn, |program| {
        let mut at_both = true;
        for granularity in POINTS {
            let Some(expected) = compare::expected(program, granularity, MOST_STATES) else {
                return Ok(false);
            };
            let want = &expected.all.races;
            let Some(found) = races(program, granularity, want.is_empty())? else { return Ok(false) };
            // There is one mistake, so there is at most one variable.
            at_both &= !want.is_empty();
            if found != *want {
                return Err(format!("{granularity:?}: races on {found:?}, not {want:?}"));
            }
        }
        racing.fetch_add(u64::from(at_both), Ordering::Relaxed);
        Ok(true)
    });
    let racing = racing.into_inner();
    println!("{racing} of them race");
    compared(of, 0.6);
    assert!(racing * 5 >= of.0, "only {racing} of {} race", of.0);
}
