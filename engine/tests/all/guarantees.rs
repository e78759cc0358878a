//! Compares what guarantees claim about preemptions with brute force, on random programs and wherever a search is cut off: it counts
//! those of the failures that are told, and no failure needs fewer than it says.
//!
//! `RADDLE_PROGRAMS=20000 cargo test -p raddle-engine --release --test all guarantees` tries as many programs.

use crate::common::config;
use crate::common::failing::{all_traces, failures, minimal, simplicity, trace_of};
use crate::common::many::{compared, each_program};
use raddle_engine::minimise::{Limits, TargetFailure};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Program, Simulated};
use raddle_engine::{Config, Failure, Portfolio, Summary};
use raddle_schedule::{Granularity, Trace};

/// Where searches are cut off, by executions.
const LIMITS: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 10_000];
const GRANULARITY: Granularity = Granularity::Sync;

fn search(program: &Program, executions: u64, keep_going: bool) -> Summary {
    let config = Config { executions: Some(executions), keep_going, ..config() };
    let mut search = Portfolio::chosen(config).unwrap();
    let mut executor = Simulated::new(program.clone(), GRANULARITY);
    while search.step(&mut executor).unwrap() != Turn::Done {}
    search.summary()
}

/// The number behind these words of a guarantee.
fn number(guarantee: &str, words: &str) -> Option<u32> {
    let (_, rest) = guarantee.split_once(words)?;
    rest.split(' ').next()?.parse().ok()
}

/// Is every number of preemptions that this claims so?
fn check(program: &Program, traces: &[Trace], s: &Summary) -> Result<(), String> {
    let told = |what: &str| Err(format!("{what}: {}", s.guarantee));
    let is_told = |f: &Failure| s.failures.iter().any(|t| t.kind == f.kind && t.message == f.message);
    let all: Vec<(u32, Failure)> =
        traces.iter().flat_map(|t| failures(t).into_iter().map(|f| (simplicity(t).preemptions, f))).collect();
    for f in &s.failures {
        let own = simplicity(&trace_of(program, GRANULARITY, f.schedule.deltas.clone())).preemptions;
        if own != f.preemptions {
            return told(&format!("{} has {own} preemptions", f.schedule));
        }
    }
    let fewest = s.failures.iter().map(|f| f.preemptions).min();
    for words in ["a failure was found at ", "failures were found, from ", "failures were found, with "] {
        if number(&s.guarantee, words).is_some_and(|n| Some(n) != fewest) {
            return told(&format!("those that are told have {fewest:?}"));
        }
    }
    let least = all.iter().map(|(n, _)| *n).min();
    let none = number(&s.guarantee, "no failure has fewer than ");
    let any = number(&s.guarantee, "any failure needs at least ");
    if [none, any].into_iter().flatten().any(|n| least.is_some_and(|least| least < n)) {
        return told(&format!("one has {least:?}"));
    }
    let remaining = number(&s.guarantee, "any remaining failure needs at least ");
    if let Some((n, other)) = remaining.and_then(|n| all.iter().find(|(m, f)| *m < n && !is_told(f))) {
        return told(&format!("{} {} has {n}", other.kind.name(), other.message));
    }
    // Made as simple as can be in so many executions, what is known to be fewest is.
    for failure in &s.failures {
        let from = trace_of(program, GRANULARITY, failure.schedule.deltas.clone());
        let Some(mut wanted) = TargetFailure::of(failure, &from) else { continue };
        let least = traces.iter().filter(|t| wanted.is_shown(t)).map(|t| simplicity(t).preemptions).min();
        for executions in [3, 30, 3_000] {
            let found = minimal(program, failure, &from, &from, &Limits { executions, ..Limits::default() });
            let own = found.simplicity.preemptions;
            if found.has_fewest_preemptions() && Some(own) != least {
                return told(&format!(
                    "{own} are said to be fewest for {}, and {least:?} are",
                    failure.schedule
                ));
            }
            if none.is_some_and(|n| own < n) {
                return told(&format!("{} was made one with {own}", failure.schedule));
            }
        }
    }
    Ok(())
}

#[test]
fn guarantees_count_the_preemptions_that_there_are() {
    let of = each_program(31, |program| {
        let Some(traces) = all_traces(program, GRANULARITY) else { return Ok(false) };
        for executions in LIMITS {
            for keep_going in [false, true] {
                check(program, &traces, &search(program, executions, keep_going))?;
            }
        }
        Ok(true)
    });
    compared(of, 0.2);
}

/// Claims that are not so are noticed.
#[test]
fn wrong_claims_are_noticed() {
    let program = crate::common::failing::lost_update();
    let traces = all_traces(&program, GRANULARITY).unwrap();
    let found = search(&program, 10_000, false);
    assert_eq!(check(&program, &traces, &found), Ok(()));
    let wrong = |change: &dyn Fn(&mut Summary)| {
        let mut summary = found.clone();
        change(&mut summary);
        assert!(check(&program, &traces, &summary).is_err(), "{}", summary.guarantee);
    };
    wrong(&|s| s.failures[0].preemptions += 1);
    wrong(&|s| s.guarantee = "a failure was found at 2 preemptions".into());
    wrong(&|s| s.guarantee = "no failure has fewer than 2 preemptions".into());
    wrong(&|s| s.guarantee = "not complete; any failure needs at least 2 preemptions".into());
    wrong(&|s| {
        s.guarantee = "any remaining failure needs at least 2 preemptions".into();
        s.failures.clear();
    });
}
