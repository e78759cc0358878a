//! All executions of a program, one after the other on the real runtime: no reduction, no memory of states, nothing that the
//! search is made of. What could have been otherwise is read off each trace here once more; only who may not be taken for being
//! unfair ([`raddle_engine::fair`]), which a program without end has to be spared, is said by the engine.

use crate::runner::Runner;
use raddle_engine::Executor;
use raddle_engine::fair::{self, Fairness};
use raddle_engine::points::{Point, points};
use raddle_schedule::decision::gives_way;
use raddle_schedule::{Choice, Delta, Event, OpKind, Outcome, Plan, Trace};
use std::cmp::{Ordering, Reverse};

/// How simple: preemptions, switches, steps.
pub type Simplicity = (u32, u32, u32);

/// One execution.
pub struct Ran {
    /// Its differences from the default behaviour.
    pub deltas: Vec<Delta>,
    pub trace: Trace,
    pub simplicity: Simplicity,
}

impl Ran {
    /// Which of two is the simpler one: of equally simple ones that which stays with the default behaviour longest.
    pub fn order(&self, other: &Ran) -> Ordering {
        let key = |d: &Delta| (Reverse(d.step), d.choice);
        let differences = || self.deltas.iter().map(key).cmp(other.deltas.iter().map(key));
        self.simplicity.cmp(&other.simplicity).then_with(differences)
    }
}

/// The execution with these differences.
pub fn run(runner: &mut Runner, deltas: &[Delta]) -> Trace {
    runner.submit(&Plan::new(0, deltas.to_vec(), 20_000)).unwrap();
    let mut trace = Trace::default();
    while !runner.receive(&mut trace).unwrap() {}
    assert!(!matches!(trace.outcome, Outcome::Diverged | Outcome::Unfollowable), "{deltas:?}: {trace:?}");
    trace
}

/// All executions of a program, within a bound.
#[derive(Default)]
pub struct Executions {
    /// The fair ones.
    pub fair: Vec<Ran>,
    /// Those that the default behaviour ended unfairly after a fair beginning.
    pub unfair: Vec<Ran>,
}

/// All executions with at most so many preemptions; `None` if more than `most` are fair.
pub fn all(runner: &mut Runner, preemptions: Option<u32>, most: usize) -> Option<Executions> {
    let (mut all, mut waiting) = (Executions::default(), vec![Vec::new()]);
    while let Some(deltas) = waiting.pop() {
        if all.fair.len() == most {
            return None;
        }
        let trace = run(runner, &deltas);
        let (simplicity, others) = read(&trace, deltas.last(), preemptions.unwrap_or(u32::MAX));
        waiting.extend(others.into_iter().map(|other| {
            let mut longer = deltas.clone();
            longer.push(other);
            longer
        }));
        let kept = if fair::is_unfair(&trace) { &mut all.unfair } else { &mut all.fair };
        kept.push(Ran { deltas, trace, simplicity });
    }
    Some(all)
}

/// How simple an execution is, and what could be otherwise in it behind its last difference.
fn read(trace: &Trace, last: Option<&Delta>, most: u32) -> (Simplicity, Vec<Delta>) {
    let (mut others, unfair) = (Vec::new(), unfair(trace));
    let (mut preemptions, mut switches, mut steps, mut is_fair) = (0, 0, 0u32, true);
    let (mut previous, mut gave_way, mut timeouts) = (0u8, false, 0u64);
    for event in &trace.events {
        if event.kind() == OpKind::Timeouts {
            timeouts = event.enabled;
        } else if event.is_step() {
            let goes_on = event.enabled >> previous & 1 == 1 && !gave_way;
            let preempts = |thread: u8| thread != previous && goes_on;
            let thread = event.thread();
            let could = (event.enabled | timeouts) & !unfair[steps as usize];
            for other in (0..64).filter(|t| could >> t & 1 == 1 && *t != thread) {
                let behind = is_fair && last.is_none_or(|d| d.step < steps);
                if behind && preemptions + u32::from(preempts(other)) <= most {
                    others.push(Delta { step: steps, choice: Choice::Thread(other) });
                }
            }
            is_fair &= unfair[steps as usize] >> thread & 1 == 0;
            preemptions += u32::from(preempts(thread));
            switches += u32::from(thread != previous);
            steps += 1;
            let alone = previous == thread && event.enabled | timeouts == 1 << thread;
            gave_way = gives_way(event.kind(), gave_way, alone);
            (previous, timeouts) = (thread, 0);
        } else if event.kind() == OpKind::Choice && is_fair && preemptions <= most {
            others.extend(choices(event, steps - 1, last));
        }
    }
    assert_eq!(steps, trace.steps);
    ((preemptions, switches, steps), others)
}

/// For each step the threads that it would be unfair to take.
fn unfair(trace: &Trace) -> Vec<u64> {
    let mut fairness = Fairness::new();
    let steps = points(trace).filter_map(|point| match point {
        Point::Thread(p) => Some(p),
        Point::Choice(_) => None,
    });
    steps.map(|p| fairness.unfair(&p)).collect()
}

/// What else could have been chosen at a step: whom a notify wakes, which input.
fn choices(event: &Event, step: u32, last: Option<&Delta>) -> Vec<Delta> {
    let chosen = event.chosen().unwrap();
    // A difference at this very step may be who makes it, and what is chosen at it is open still.
    let open = |d: &Delta| d.step < step || (d.step == step && matches!(d.choice, Choice::Thread(_)));
    if !last.is_none_or(open) {
        return Vec::new();
    }
    let other = |n: u8| match chosen {
        Choice::Waiter(_) => Choice::Waiter(n),
        Choice::Input(_) => Choice::Input(u16::from(n)),
        Choice::Usual | Choice::Fail | Choice::Spurious => Choice::by_itself(n),
        other => panic!("{other:?} is not known here"),
    };
    let numbers = (0..64).filter(|n| event.enabled >> n & 1 == 1);
    numbers.map(other).filter(|o| *o != chosen).map(|choice| Delta { step, choice }).collect()
}
