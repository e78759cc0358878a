//! A refused execution ends where it is refused, and nothing else is lost by it: searches of random programs find what
//! they find where the same executions are cut off by an assumption, which `reductions.rs` compares with brute force.

mod common;

use common::many::{compared, each_program};
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Program, Simulated};
use raddle_engine::{Config, Control, Reduce, Summary, search};
use raddle_schedule::{Granularity, Outcome, Plan, Trace};

/// What is assumed in vain is refused.
struct Refusing(Simulated);

impl Executor for Refusing {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.0.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.0.receive(trace)?;
        if trace.outcome == Outcome::AssumeBlocked {
            trace.outcome = Outcome::Unsupported;
            trace.message = "what it calls is not modelled".into();
        }
        Ok(received)
    }
}

/// Kinds, places and words of the failures.
fn failures(summary: &Summary) -> Vec<String> {
    let mut all: Vec<String> = summary
        .failures
        .iter()
        .map(|f| format!("{:?} {} {:?}", f.kind, f.site, f.race.map(|r| r.first.object)))
        .collect();
    all.sort();
    all.dedup();
    all
}

/// `false` if there is too much to run.
fn refused(program: &Program) -> Result<bool, String> {
    const MOST: u64 = 20_000;
    let mut any = false;
    for reduce in [Reduce::None, Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
        for in_flight in [1, 32] {
            let granularity = Granularity::Access;
            let config =
                Config { reduce, in_flight, granularity, executions: Some(MOST), ..common::config() };
            let simulated = || Simulated::new(program.clone(), granularity);
            let run = |executor: &mut dyn Executor| search(config.clone(), executor, |_| Control::Continue);
            let assumed = run(&mut simulated()).map_err(|e| e.to_string())?;
            let refused = run(&mut Refusing(simulated())).map_err(|e| e.to_string())?;
            if assumed.stopped.is_some() {
                return Ok(false);
            }
            let counts =
                |s: &Summary| (s.executions, s.deadlocked, s.truncated, s.assume_blocked + s.refused);
            if (counts(&assumed), failures(&assumed)) != (counts(&refused), failures(&refused)) {
                return Err(format!("{reduce}, {in_flight} in flight: {assumed:#?}\n{refused:#?}"));
            }
            if refused.complete && refused.refused > 0 {
                return Err(format!("{reduce}: complete in spite of refusals"));
            }
            any |= refused.refused > 0;
        }
    }
    Ok(any)
}

/// A program in twenty at least has executions that are refused.
#[test]
fn what_is_refused_hides_nothing_else() {
    compared(each_program(11, refused), 0.05);
}
