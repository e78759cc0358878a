//! What `dependent` calls independent commutes: in random executions two neighbouring steps that it
//! does not relate are swapped, and everything after them has to stay the same.

use crate::common::programs;
use proptest::prelude::*;
use raddle_engine::simulated::{Program, Simulated};
use raddle_schedule::op::dependent;
use raddle_schedule::plan::flags::SAMPLE;
use raddle_schedule::{Choice, Delta, Event, Granularity, OpKind, Plan, Trace};

/// One step with what was decided there.
#[derive(Clone, Copy)]
struct Step {
    event: Event,
    choice: Option<Choice>,
    timeouts: u64,
}

fn steps(trace: &Trace) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut timeouts = 0;
    for e in &trace.events {
        match e.kind() {
            OpKind::Timeouts => timeouts = e.enabled,
            OpKind::Choice => steps.last_mut().unwrap().choice = e.chosen(),
            _ if e.is_step() => {
                steps.push(Step { event: *e, choice: None, timeouts });
                timeouts = 0;
            }
            _ => {}
        }
    }
    steps
}

fn plan(steps: &[Step], max_steps: u32) -> Plan {
    let mut deltas = Vec::new();
    for (step, s) in (0..).zip(steps) {
        deltas.push(Delta { step, choice: Choice::Thread(s.event.thread()) });
        deltas.extend(s.choice.map(|choice| Delta { step, choice }));
    }
    Plan::new(0, deltas, max_steps)
}

/// Does the first let the second be, or do they depend on each other?
fn ordered(first: &Event, second: &Event) -> bool {
    let (one, other) = (first.thread(), second.thread());
    let lets = match first.kind() {
        OpKind::Spawn => first.value == u64::from(other),
        OpKind::Exit => second.kind() == OpKind::Join && second.object() == u64::from(one),
        OpKind::NotifyOne | OpKind::NotifyAll => {
            second.kind() == OpKind::CondWake && first.value >> other & 1 != 0
        }
        _ => false,
    };
    // Only these programs can name a thread that nobody has spawned yet.
    let names = |e: &Event, spawn: &Event| {
        spawn.kind() == OpKind::Spawn
            && matches!(e.kind(), OpKind::Unpark | OpKind::Join)
            && e.object() == spawn.value
    };
    let unborn = names(first, second) || names(second, first);
    one == other || lets || unborn || dependent(&first.op(), &second.op())
}

/// A step as it has to be again. What a semaphore held before an operation differs where two of
/// them commute.
fn told(s: &Step) -> String {
    use OpKind::*;
    let counts = matches!(s.event.kind(), SemPost | SemWait | SemTryWait | Park | Unpark);
    let value = if counts { 0 } else { s.event.value };
    format!(
        "T{} {:?} {:#x} value {value:#x} flags {:#b} choice {:?} enabled {:#b} timeouts {:#b}",
        s.event.thread(),
        s.event.kind(),
        s.event.object(),
        s.event.flags,
        s.choice,
        s.event.enabled,
        s.timeouts
    )
}

/// Swaps every pair of neighbours that may be swapped. How many there were.
fn swap_all(program: &Program, granularity: Granularity, seed: u64) -> usize {
    let mut simulated = Simulated::new(program.clone(), granularity);
    let mut trace = Trace::default();
    simulated.execute(&Plan { flags: SAMPLE, seed, ..Plan::new(0, Vec::new(), 60) }, &mut trace);
    let before = steps(&trace);
    let mut swapped = 0;
    // What ends an execution is no neighbour of anything.
    for i in 0..before.len().saturating_sub(2) {
        if ordered(&before[i].event, &before[i + 1].event) {
            continue;
        }
        let mut other = before.clone();
        other.swap(i, i + 1);
        let mut again = Trace::default();
        simulated.execute(&plan(&other, 60), &mut again);
        let after = steps(&again);
        let pair = (told(&before[i]), told(&before[i + 1]));
        assert_eq!(
            (again.outcome, after.len()),
            (trace.outcome, before.len()),
            "{pair:?}: {}",
            again.message
        );
        for (a, b) in after.iter().zip(&before).skip(i + 2) {
            assert_eq!(told(a), told(b), "{pair:?}");
        }
        // And the two themselves do the same.
        for (a, b) in [(&after[i], &before[i + 1]), (&after[i + 1], &before[i])] {
            assert_eq!(a.event.identity(), b.event.identity(), "{pair:?}");
            assert_eq!(a.event.failed(), b.event.failed(), "{pair:?}");
        }
        swapped += 1;
    }
    swapped
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn independent_neighbours_commute(program in programs::random(), access in any::<bool>(), seed in any::<u64>()) {
        let granularity = if access { Granularity::Access } else { Granularity::Sync };
        for n in 0..4 {
            swap_all(&program, granularity, seed.wrapping_add(n));
        }
    }
}

#[test]
fn much_commutes() {
    use raddle_engine::simulated::Instr::*;
    let program = Program::fork_join(vec![
        vec![Lock(0), Wait(0, 0), Unlock(0), SemPost(0)],
        vec![Lock(1), WaitTimeout(0, 1, 0), Unlock(1), SemPost(0)],
        vec![NotifyOne(0), NotifyAll(0), TryLock(0, 0), NotifyOne(1)],
    ]);
    let swapped: usize = (0..200).map(|seed| swap_all(&program, Granularity::Sync, seed)).sum();
    assert!(swapped > 500, "{swapped}");
}
