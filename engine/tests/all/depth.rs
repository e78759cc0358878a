//! The depth bound against brute force: every beginning of so many steps, each with its default
//! continuation, and nothing else.

use crate::common::{Run, beginning, brute, config, differs_within, explore, programs, promises};
use proptest::prelude::*;
use raddle_engine::simulated::{Instr, Program};
use raddle_engine::{Bound, Config};
use raddle_schedule::Granularity;
use std::collections::BTreeSet;

/// Most executions of a random program that is tried.
const MOST: usize = 1_000;

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_beginning_runs_once_and_goes_on_by_default(
        program in programs::random(), depth in 0u32..12, w in 1usize..40,
    ) {
        let Some(all) = brute::enumerate(&program, false, MOST) else { return Ok(()) };
        let bound = Bound::Depth(depth);
        let (summary, executor) = explore(Config { bound, in_flight: w, ..config() }, &program);
        let wanted: BTreeSet<_> = all.iter().map(|r| beginning(r, depth)).collect();
        let got: BTreeSet<_> = executor.runs.iter().map(|r| beginning(r, depth)).collect();
        prop_assert_eq!(&got, &wanted);
        prop_assert_eq!(executor.runs.len(), wanted.len());
        prop_assert!(executor.runs.iter().all(|r| all.contains(r)));
        prop_assert!(executor.plans.iter().all(|p| differs_within(p, depth)), "{:?}", executor.plans);
        prop_assert_eq!(summary.complete, promises(Granularity::Sync, &summary));
        prop_assert_eq!(summary.beyond_bound, wanted.len() < all.len());
    }

    /// What is said of preemptions holds all the same.
    #[test]
    fn a_bound_that_counts_as_completed_is(program in programs::random(), depth in 0u32..12) {
        let Some(all) = brute::enumerate(&program, false, MOST) else { return Ok(()) };
        let (summary, executor) = explore(Config { bound: Bound::Depth(depth), ..config() }, &program);
        let within = |runs: &[Run], c| runs.iter().filter(|r| r.preemptions <= c).count();
        if let Some(c) = summary.bound_completed {
            prop_assert_eq!(within(&executor.runs, c), within(&all, c));
        }
    }

    /// Random runs within the bound land in explored classes; others are not counted against it.
    #[test]
    fn an_audit_knows_what_lies_within(program in programs::random(), depth in 0u32..12, seed in any::<u64>()) {
        let Some(_) = brute::enumerate(&program, false, MOST) else { return Ok(()) };
        let (summary, _) = explore(Config { bound: Bound::Depth(depth), audit: 50, seed, ..config() }, &program);
        let audit = summary.audit.unwrap();
        prop_assert!(audit.outside.is_empty() && audit.checked <= audit.runs);
        prop_assert!(audit.refused.is_some() || depth == 0 || summary.beyond_bound || audit.checked == 50);
    }
}

/// Two threads of two points, and none of T0's: with k of the four steps open there are 1, 2, 4
/// and 6 executions (the first two steps are free, the third is where one side has run out in two
/// of the four, the last is never a choice).
#[test]
fn executions_of_two_threads_by_depth() {
    let points = || vec![Instr::Statement, Instr::Statement];
    let program = Program::fork_join(vec![points(), points()]);
    for (depth, executions) in [(0, 1), (1, 2), (2, 4), (3, 6), (4, 6), (9, 6)] {
        let (granularity, bound) = (Granularity::Statement, Bound::Depth(depth));
        let (summary, _) = explore(Config { granularity, bound, ..config() }, &program);
        assert_eq!((summary.executions, summary.complete), (executions, true), "depth {depth}");
        assert_eq!(summary.beyond_bound, depth < 3);
        let says = match depth {
            0 => "no step was varied".to_string(),
            1 => "nothing after the first step of each was varied".to_string(),
            2 => format!("nothing after the first {depth} steps of each was varied"),
            _ => format!("none with a choice after its first {depth} steps"),
        };
        assert!(summary.guarantee.contains(&says), "{}", summary.guarantee);
    }
}
