//! The failure that is to be shown again: which one it is, whatever the execution.

use super::Limits;
use crate::analysis::Analyses;
use crate::mutants::Mutant;
use crate::naming;
use crate::record::{Identity, Record, is_complete};
use crate::summary::{Failure, FailureKind};
use raddle_schedule::{Outcome, Schedule, Trace};

/// See the module's text. Two failures are the same if a search would report them once: kind, place or
/// places, and the message with its numbers blanked.
pub struct TargetFailure {
    kind: FailureKind,
    identity: Identity,
    /// Only if it happens in this thread.
    thread: Option<u8>,
    analyses: Analyses,
    mutant: Option<Mutant>,
}

impl TargetFailure {
    /// This failure of the execution with this trace; `None` if the trace does not show it, or is
    /// lost.
    pub fn of(failure: &Failure, trace: &Trace) -> Option<TargetFailure> {
        if trace.lost {
            return None;
        }
        let mut analyses = Analyses::new(false);
        let record = findings(trace, &mut analyses);
        let same = |f: &Failure| (f.kind, f.site, f.thread) == (failure.kind, failure.site, failure.thread);
        let at = record.failures.iter().position(same)?;
        let identity = record.identities[at].clone();
        Some(TargetFailure { kind: failure.kind, identity, thread: None, analyses, mutant: None })
    }

    /// Only in the thread with this number.
    pub fn in_thread(mut self, thread: u8) -> TargetFailure {
        self.thread = Some(thread);
        self
    }

    /// Does this execution show it?
    pub fn is_shown(&mut self, trace: &Trace) -> bool {
        self.shown(trace).is_some()
    }

    /// The failure as this execution shows it, if it does. Its schedule names no more than the differences.
    pub fn shown(&mut self, trace: &Trace) -> Option<Failure> {
        use Outcome::{Diverged, SleepBlocked, Unfollowable, Unsupported};
        // What is not an execution of its own may still have raced.
        let unfinished = matches!(trace.outcome, Diverged | SleepBlocked | Unfollowable | Unsupported);
        // Others may go on, and even pass.
        let beside = matches!(self.kind, FailureKind::DataRace | FailureKind::Deadlock | FailureKind::Crash);
        let may = beside || trace.outcome.is_failure();
        if trace.lost || unfinished || !may {
            return None;
        }
        let record = findings(trace, &mut self.analyses);
        let any = self.mutant == Some(Mutant::AnyFailureWillDo);
        let mut found = record.failures.into_iter().zip(record.identities);
        let same = found.find(|(f, identity)| {
            any || (*identity == self.identity && self.thread.is_none_or(|t| t == f.thread))
        });
        same.map(|(failure, _)| failure)
    }

    pub(super) fn under(&mut self, limits: &Limits) {
        self.mutant = limits.mutant;
    }
}

/// All failures of one execution.
pub(super) fn findings(trace: &Trace, analyses: &mut Analyses) -> Record {
    let mut record = Record::new(Schedule::default(), false);
    let preemptions = naming::name(trace).preemptions;
    analyses.run(trace, is_complete(trace));
    record.execution(trace, preemptions, &analyses.unordered());
    for race in analyses.races() {
        record.race(race, trace, preemptions);
    }
    for found in analyses.unordered().destroyed {
        record.used_destroyed(found, trace, preemptions);
    }
    record
}
