//! Stored executions found again in edited programs: random programs, random executions of them, and then logging
//! that takes a lock of its own put in at random. Every stored step must be made again, in the stored order, and
//! the execution must end as it did; also where most of a long execution was only counted.
//!
//! `RADDLE_PROGRAMS=20000 cargo test -p raddle-engine --release --test all realign` tries as many.

use crate::common::many::{compared, each_program};
use raddle_engine::points::{Point, points};
use raddle_engine::realign::{Doing, ExecutionDigest, Fate, Gap, Spawned, Step, Walk};
use raddle_engine::simulated::{Instr, Program, Simulated, Value};
use raddle_schedule::plan::flags::SAMPLE;
use raddle_schedule::{Choice, Delta, Event, Granularity, OpKind, Order, Outcome, Plan, Trace};

/// The mutex of the log, which no program has.
const LOG: u32 = 9;
/// Executions of one program.
const EXECUTIONS: u64 = 4;

/// Numbers that look random, by their seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn execute(program: &Program, plan: &Plan) -> Trace {
    let mut trace = Trace::default();
    Simulated::new(program.clone(), Granularity::Sync).execute(plan, &mut trace);
    trace
}

/// An execution in words: what a source would say is the instruction.
fn account(program: &Program, trace: &Trace) -> ExecutionDigest {
    let mut account = ExecutionDigest::default();
    let number = |doing: Doing, operations: &mut Vec<Doing>| {
        operations.iter().position(|o| *o == doing).unwrap_or_else(|| {
            operations.push(doing);
            operations.len() - 1
        })
    };
    let doing = |kind: OpKind, e: &Event| {
        let (body, at) =
            ((e.site as usize).saturating_sub(1) / 1000, (e.site as usize).saturating_sub(1) % 1000);
        let line =
            program.bodies.get(body).and_then(|b| b.get(at)).map_or("end".into(), |i| format!("{i:?}"));
        let of_thread = matches!(kind, OpKind::Spawn | OpKind::Join | OpKind::ThreadStart | OpKind::Exit);
        let object = if of_thread { String::new() } else { format!("{:#x}", e.object()) };
        Doing { kind, object, method: format!("body {body}"), line }
    };
    for point in points(trace) {
        match point {
            Point::Thread(p) => {
                let does = number(doing(p.event.kind(), p.event), &mut account.operations);
                let (number, thread) = (p.step, p.event.thread());
                account.steps.push(Step { number, thread, does, choices: Vec::new() });
                if p.event.kind() == OpKind::Spawn {
                    let line = account.operations[does].line.clone();
                    let child = p.event.value as u8;
                    account.threads.push(Spawned { thread: child, by: thread, runs: String::new(), line });
                }
            }
            Point::Choice(p) if p.mask.count_ones() > 1 => {
                let step = account.steps.last_mut().expect("a choice is made at a step");
                step.choices.push(p.chosen);
            }
            Point::Choice(_) => {}
        }
    }
    for e in trace.events.iter().filter(|e| e.kind() == OpKind::Pending) {
        let kind = OpKind::from_u8(e.value as u8).expect("a kind");
        let does = number(doing(kind, e), &mut account.operations);
        account.pending.push((e.thread(), does));
    }
    account
}

/// The program with a log at some places.
fn logging(program: &Program, draw: &mut Draw) -> Program {
    let mut edited = program.clone();
    for body in &mut edited.bodies {
        for _ in 0..draw.below(3) {
            let at = draw.below(body.len() + 1);
            if body.get(at) == Some(&Instr::Unlock(LOG)) {
                continue;
            }
            for instr in body.iter_mut() {
                if let Instr::JumpIf(_, to) = instr
                    && *to > at
                {
                    *to += 2;
                }
            }
            body.splice(at..at, [Instr::Lock(LOG), Instr::Unlock(LOG)]);
        }
    }
    edited
}

/// Finds the stored execution again; the differences and their execution.
fn realigned(stored: &ExecutionDigest, program: &Program) -> Result<(Vec<Fate>, bool, Trace), String> {
    let mut walk = Walk::new(stored);
    for _ in 0..1_000 {
        let trace = execute(program, &Plan::new(0, walk.deltas().to_vec(), 20_000));
        if trace.outcome == Outcome::Unfollowable {
            return Err(format!("{:?} cannot be followed: {}", walk.deltas(), trace.message));
        }
        if !walk.go(&account(program, &trace), &trace) {
            return Ok((walk.fates().to_vec(), walk.is_exact(), trace));
        }
    }
    Err("it does not come to an end".into())
}

/// What was done, without the log.
fn done(trace: &Trace, log: Option<u64>) -> Vec<(u8, OpKind, u64)> {
    let steps = trace.events.iter().filter(|e| e.is_step() && Some(e.object()) != log);
    steps.map(|e| (e.thread(), e.kind(), e.object())).collect()
}

/// Where the log's mutex lies.
fn log_object() -> u64 {
    let program = Program::fork_join(vec![vec![Instr::Lock(LOG)]]);
    let trace = execute(&program, &Plan::new(0, Vec::new(), 100));
    trace.events.iter().find(|e| e.kind() == OpKind::Lock).expect("a lock").object()
}

fn sampled(program: &Program, seed: u64) -> Trace {
    let plan = Plan { flags: SAMPLE, seed, ..Plan::new(0, Vec::new(), 20_000) };
    execute(program, &plan)
}

fn check(program: &Program) -> Result<bool, String> {
    // A loop that takes a lock is another than one that only reads.
    if program.has_loops() {
        return Ok(false);
    }
    let log = log_object();
    let text = format!("{program:?}");
    let mut draw = Draw(text.bytes().fold(7, |h, b| h * 31 % 1_000_003 + u64::from(b)));
    for seed in 0..EXECUTIONS {
        let trace = sampled(program, seed);
        let stored = account(program, &trace);
        let (_, exact, again) = realigned(&stored, program)?;
        if !exact || again.hash != trace.hash {
            let (was, is) = (done(&trace, None), done(&again, None));
            return Err(format!("not exact in the same program (seed {seed}): {was:?}\nis {is:?}"));
        }
        let edited = logging(program, &mut draw);
        let (fates, _, now) = realigned(&stored, &edited)?;
        let said = || format!("seed {seed} of {:?}\nin {:?}", done(&trace, None), done(&now, None));
        if !fates.iter().all(|f| matches!(f, Fate::Found(_))) {
            return Err(format!("{fates:?}\n{}", said()));
        }
        if done(&now, Some(log))[..fates.len()] != done(&trace, None) {
            return Err(format!("another order\n{}", said()));
        }
        // Whoever came last to a deadlock says nothing.
        let who = now.outcome == Outcome::Deadlock || now.thread == trace.thread;
        if (now.outcome, now.code) != (trace.outcome, trace.code) || !who {
            return Err(format!("{:?} and not {:?}\n{}", now.outcome, trace.outcome, said()));
        }
    }
    Ok(true)
}

#[test]
fn random_executions_are_found_again_with_a_log_in_them() {
    compared(each_program(23, check), 0.5);
}

/// A worker adds to a counter many times; another reads and stores it once, between two of these.
fn long(times: usize) -> Program {
    let add = Instr::FetchAdd(0, Value::Const(1), 0, Order::SeqCst);
    let once = [Instr::Load(0, 1, Order::SeqCst), Instr::Store(0, Value::Reg(1), Order::SeqCst)];
    Program::fork_join(vec![vec![add; times], once.to_vec()])
}

/// Only the steps around the differences are told; the rest is counted.
#[test]
fn behind_steps_that_are_counted_the_place_is_found_by_how_often() {
    let program = long(60);
    let delta = |step, thread| Delta { step, choice: Choice::Thread(thread) };
    // In the middle of the worker the other one reads, and stores after some more.
    let deltas = vec![delta(33, 2), delta(35, 1), delta(45, 2)];
    let trace = execute(&program, &Plan::new(0, deltas, 20_000));
    assert_eq!(trace.outcome, Outcome::Passed);
    let whole = account(&program, &trace);
    let mut stored = ExecutionDigest { steps: Vec::new(), ..whole.clone() };
    let mut counts = Vec::new();
    for step in &whole.steps {
        let told = step.number < 6 || (30..48).contains(&step.number) || step.number > 60;
        if told {
            let counts: Vec<(u8, usize, u32)> = std::mem::take(&mut counts);
            if !counts.is_empty() {
                stored.gaps.push(Gap { before: stored.steps.len(), counts });
            }
            stored.steps.push(step.clone());
        } else {
            counts.push((step.thread, step.does, 1));
        }
    }
    assert!(stored.gaps.len() == 2 && stored.steps.len() < 40);
    let mut draw = Draw(3);
    let edited = logging(&program, &mut draw);
    assert_ne!(edited, program);
    let (fates, _, now) = realigned(&stored, &edited).expect("found again");
    assert!(fates.iter().all(|f| matches!(f, Fate::Found(_))), "{fates:?}");
    assert_eq!(done(&now, Some(log_object())), done(&trace, None));
}
