//! A refused execution ends where it is refused, and nothing else is lost by it: searches of random programs find what
//! they find where the same executions are cut off by an assumption, which `reductions.rs` compares with brute force.

use crate::common::generator;
use crate::common::many::{compared, each_of};
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Program, Simulated};
use raddle_engine::{Config, Control, Reduce, Summary, search};
use raddle_schedule::{Granularity, Outcome, Plan, Trace};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

/// Are there executions that are refused, and others? `false` also if there is too much to run. Adds to `enumerated`
/// the searches without a reduction that came to an end.
fn refused(program: &Program, enumerated: &AtomicU64) -> Result<bool, String> {
    const MOST: u64 = 300;
    let granularity = Granularity::Access;
    let mut is_told = false;
    // Those with the fewest executions first.
    for reduce in [Reduce::Optimal, Reduce::Source, Reduce::Persistent, Reduce::Sleep, Reduce::None] {
        for in_flight in [1, 32] {
            let config =
                Config { reduce, in_flight, granularity, executions: Some(MOST), ..crate::common::config() };
            let simulated = || Simulated::new(program.clone(), granularity);
            let run = |executor: &mut dyn Executor| search(config.clone(), executor, |_| Control::Continue);
            let assumed = run(&mut simulated()).map_err(|e| e.to_string())?;
            if assumed.stopped.is_some() || assumed.assume_blocked == 0 {
                return Ok(is_told);
            }
            let refused = run(&mut Refusing(simulated())).map_err(|e| e.to_string())?;
            let counts =
                |s: &Summary| (s.executions, s.deadlocked, s.truncated, s.assume_blocked + s.refused);
            if (counts(&assumed), failures(&assumed)) != (counts(&refused), failures(&refused)) {
                return Err(format!("{reduce}, {in_flight} in flight: {assumed:#?}\n{refused:#?}"));
            }
            if refused.refused == 0 || refused.complete {
                return Err(format!("{reduce}: complete in spite of refusals: {refused:#?}"));
            }
            let others = refused.executions + refused.deadlocked;
            is_told |= reduce == Reduce::Sleep && others > 0;
            enumerated.fetch_add(u64::from(reduce == Reduce::None), Relaxed);
        }
    }
    Ok(is_told)
}

/// Three programs in ten at least have executions that are refused, others beside them, and an end with each
/// reduction; without a reduction, one in ten.
#[test]
fn what_is_refused_hides_nothing_else() {
    let enumerated = AtomicU64::new(0);
    let of = each_of(11, generator::assuming, |program| refused(program, &enumerated));
    compared(of, 0.3);
    compared((of.0, enumerated.into_inner() / 2), 0.1);
}
