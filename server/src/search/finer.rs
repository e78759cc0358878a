//! Coarse first, then fine: where the default search is complete at its usual points and has found nothing, it goes on with
//! every operation inside dependencies as a point, and with the own code of primitives that are modelled.
//!
//! So a bug inside a crate is found without an option. What was complete stays complete: this part adds a failure or
//! nothing. How far it goes is a number of executions, so that each run is the same; only limits of the whole search end it
//! earlier.

use super::dependency_ops::everywhere;
use super::gaps::{PRIMITIVES, tell, term, without_runtimes};
use super::{Explored, Job, Spent, Watch};
use crate::runner::ALL_DEPENDENCIES as ALL;
use raddle_engine::{Config, FailureKind};
use raddle_protocol::gap::Gap;
use raddle_protocol::report::{Finer, Verdict, Warning};

/// Executions of this part. (The two published bugs of crossbeam-channel that it is for are found after some 190.)
const EXECUTIONS: u64 = 1_000;
/// Kind of the warning that it has found the failure.
const WARNING: &str = "points-in";

/// What coarse points leave out.
const COARSE: [Gap; 3] = [Gap::DependencyPoints, Gap::Primitives, Gap::Runtimes];

/// What was explored, which has ended, with what this part adds.
pub(super) fn after(job: &Job, coarse: Explored, watch: &mut Option<&mut dyn Watch>) -> Explored {
    let is_whole = coarse.report.verdict == Verdict::Passed && coarse.report.complete;
    let is_coarse = COARSE.iter().any(|gap| coarse.report.gaps.contains(gap));
    let may_go_on = job.is_default && job.config.below.is_none() && !job.interrupt.seen();
    if !may_go_on || !is_whole || !is_coarse || job.is_used_up(coarse.ran, coarse.used) {
        return coarse;
    }
    let spent = Spent { time: coarse.used, executions: job.spent.executions + coarse.ran };
    let mut part = everywhere(job);
    let most = spent.executions + EXECUTIONS;
    let executions = Some(job.config.executions.map_or(most, |limit| limit.min(most)));
    part.config = Config { outside: false, executions, ..part.config };
    part.spent = spent;
    let fine = part.attempts(watch);
    match has_failed(&fine) {
        true => found(fine, &coarse),
        false => nothing(coarse, fine),
    }
}

/// Has it failed in a way that says something of the program?
fn has_failed(fine: &Explored) -> bool {
    let is_of_program = |kind: &str| kind != FailureKind::Nondeterminism.name();
    fine.report.verdict == Verdict::Failed && fine.report.failures.iter().any(|f| is_of_program(&f.kind))
}

fn found(mut fine: Explored, coarse: &Explored) -> Explored {
    // (Those of the coarse part are told as executions of a search that began anew.)
    let message = format!(
        "nothing fails at the usual points ({} executions, complete); this was found with every operation inside dependencies as a point (--points-in {ALL})",
        coarse.report.executions
    );
    fine.report.warnings.push(Warning { kind: WARNING.into(), message, location: None, replay: None });
    fine
}

fn nothing(mut coarse: Explored, fine: Explored) -> Explored {
    let report = &mut coarse.report;
    let executions = fine.report.executions;
    let complete =
        fine.report.complete && fine.report.verdict == Verdict::Passed && fine.report.warnings.is_empty();
    if executions > 0 {
        term(
            report,
            &match complete {
                true => format!(
                    "complete with every operation inside dependencies as a point, too: {executions} executions"
                ),
                false => {
                    format!("{executions} executions with every operation inside dependencies as a point")
                }
            },
        );
    }
    if complete {
        report.guarantee = without_runtimes(&report.guarantee).replace(&format!(", {PRIMITIVES}"), "");
        report.gaps.retain(|gap| !COARSE.contains(gap));
        // The crates' own code may do what is not watched or varied.
        let new: Vec<Gap> = fine.report.gaps.difference(&report.gaps).copied().collect();
        for gap in new {
            tell(report, gap, &format!("inside dependencies: {}", gap.words()));
        }
    }
    report.finer = Some(Finer { executions, complete });
    report.seconds = fine.report.seconds;
    report.peak_memory_bytes = report.peak_memory_bytes.max(fine.report.peak_memory_bytes);
    coarse.used = fine.used;
    coarse.ran += fine.ran;
    coarse
}
