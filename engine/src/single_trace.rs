//! What one trace shows by itself, without a search: for replays.

use crate::analysis::Analyses;
use crate::naming;
use crate::record::Record;
use crate::summary::{Failure, Warning};
use raddle_schedule::{Schedule, Trace};

/// The findings of one execution.
#[derive(Clone, Debug, Default)]
pub struct Examination {
    /// Its failures: how it ended, and its data races.
    pub failures: Vec<Failure>,
    /// What is worth knowing beside them.
    pub warnings: Vec<Warning>,
    /// Its preemptions.
    pub preemptions: u32,
}

/// Applies every analysis of a search to one trace.
pub fn examine(trace: &Trace, schedule: &Schedule) -> Examination {
    let mut record = Record::new(Schedule { deltas: Vec::new(), hash: None, ..schedule.clone() }, false);
    let mut analyses = Analyses::new(false);
    let preemptions = naming::name(trace).preemptions;
    analyses.run(trace, crate::record::is_complete(trace));
    record.execution(trace, preemptions, &analyses.unordered());
    for race in analyses.races() {
        record.race(race, trace, preemptions);
    }
    for found in analyses.unordered().destroyed {
        record.used_destroyed(found, trace, preemptions);
    }
    Examination { failures: record.failures, warnings: record.warnings, preemptions }
}
