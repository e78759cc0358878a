//! What the tests of the search share: random programs, an executor that notes what it runs, and
//! the brute-force enumeration to compare with.

#![allow(dead_code)]

pub mod brute;
pub mod compare;
pub mod failing;
pub mod fair;
pub mod focus;
pub mod generator;
pub mod lifetimes;
pub mod looping;
pub mod many;
pub mod model;
pub mod normal_form;
pub mod programs;

use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Program, Simulated};
use raddle_engine::{Config, Control, FailureKind, Mutant, Summary, search};
use raddle_schedule::decision::gives_way;
use raddle_schedule::{Choice, Delta, Granularity, OpKind, Outcome, Plan, Trace};

/// An execution as the tests compare it: who made each step, whether by time-out, and every
/// other choice; and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Run {
    pub steps: Vec<Step>,
    pub preemptions: u32,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    Thread(u8),
    TimeOut(u8),
    Waiter(u8),
    Input(u16),
}

/// Reads a run off a trace.
pub fn run_of(trace: &Trace) -> Run {
    let mut steps = Vec::new();
    let (mut preemptions, mut previous, mut gave_way, mut timeouts) = (0, 0, false, 0);
    for e in &trace.events {
        if e.kind() == OpKind::Timeouts {
            timeouts = e.enabled;
        } else if e.is_step() {
            let t = e.thread();
            let timed_out = e.kind() == OpKind::Timeout;
            steps.push(if timed_out { Step::TimeOut(t) } else { Step::Thread(t) });
            preemptions += u32::from(t != previous && !gave_way && e.enabled >> previous & 1 != 0);
            let could = e.enabled | std::mem::take(&mut timeouts);
            let alone = previous == t && could == 1 << t;
            gave_way = gives_way(e.kind(), gave_way, alone);
            previous = t;
        } else if e.kind() == OpKind::Choice {
            steps.push(match e.chosen() {
                Some(Choice::Waiter(w)) => Step::Waiter(w),
                Some(Choice::Input(i)) => Step::Input(i),
                other => panic!("{other:?}"),
            });
        }
    }
    Run { steps, preemptions, outcome: trace.outcome }
}

/// The first steps of a run, with the choices at them.
pub fn beginning(run: &Run, steps: u32) -> Vec<Step> {
    let mut seen = 0;
    let within = |step: &&Step| {
        seen += u32::from(matches!(step, Step::Thread(_) | Step::TimeOut(_)));
        seen <= steps
    };
    run.steps.iter().take_while(within).copied().collect()
}

/// Does a plan, as [`text`] writes it, differ from the default behaviour within its first
/// steps only?
pub fn differs_within(plan: &str, steps: u32) -> bool {
    let mut deltas = plan.split(',').filter(|d| !d.is_empty());
    deltas.all(|d| d.split(':').next().unwrap().parse::<u32>().unwrap() < steps)
}

/// Deltas as one word.
pub fn text(deltas: &[Delta]) -> String {
    let deltas: Vec<_> = deltas.iter().map(|d| format!("{}:{}", d.step, d.choice)).collect();
    deltas.join(",")
}

/// Where mutexes, condition variables, semaphores and variables of simulated programs lie.
pub fn objects() -> Vec<u64> {
    let first = |base: u64, size: u64, n: u64| (0..n).map(move |i| base + size * i);
    let sync = [0x10_0000, 0x20_0000, 0x30_0000].into_iter().flat_map(|base| first(base, 64, 2));
    sync.chain(first(0x40_0000, 8, 4)).collect()
}

/// Notes every run and every plan.
pub struct Noting {
    pub inner: focus::Methodical,
    pub runs: Vec<Run>,
    pub plans: Vec<String>,
    /// Traces applied when each plan was submitted.
    pub applied: Vec<usize>,
}

impl Noting {
    pub fn new(program: &Program, granularity: Granularity) -> Self {
        Noting::mutant(program, granularity, None)
    }

    /// One with a rule broken on purpose, if it is the executor's.
    pub fn mutant(program: &Program, granularity: Granularity, mutant: Option<Mutant>) -> Self {
        let simulated = Simulated::new(program.clone(), granularity);
        let simulated = match mutant {
            Some(mutant) => simulated.mutant(mutant),
            None => simulated,
        };
        Noting {
            inner: focus::Methodical(simulated),
            runs: Vec::new(),
            plans: Vec::new(),
            applied: Vec::new(),
        }
    }
}

impl Executor for Noting {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.plans.push(text(&plan.deltas));
        self.applied.push(self.runs.len());
        self.inner.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.inner.receive(trace)?;
        if received {
            self.runs.push(run_of(trace));
        }
        Ok(received)
    }
}

/// The configuration most tests start from.
pub fn config() -> Config {
    Config { keep_going: true, probe: false, predict: false, ..Config::default() }
}

/// Searches to the end.
pub fn explore(config: Config, program: &Program) -> (Summary, Noting) {
    let mut executor = Noting::new(program, config.granularity);
    let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
    (summary, executor)
}

/// Does the result promise as much as was run? Not after a data race, when threads are switched
/// at synchronisation only.
pub fn promises(granularity: Granularity, summary: &Summary) -> bool {
    let race = summary.failures.iter().any(|f| f.kind == FailureKind::DataRace);
    granularity == Granularity::Access || !race
}
