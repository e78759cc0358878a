//! What counts as passing where it is asked what decides about a failure: an execution that comes to its end, and does not
//! fail. Races do not count where it goes on behind them and passes, or in a program that races in every execution nothing
//! else could be explained. Of a race those on the same memory count, since which of its two sides comes first is nothing
//! that decides.

use super::TargetFailure;
use super::target_failure::findings;
use crate::analysis::Analyses;
use crate::record::{self, is_complete};
use crate::summary::{Access, Failure, FailureKind, Race};
use raddle_schedule::{Event, OpKind, Outcome, Trace};

/// Beside which failure, and how it is seen.
pub struct Passing {
    beside: Beside,
    analyses: Analyses,
    /// The failure, if what fails so is counted.
    same: Option<TargetFailure>,
    /// Executions that came to an end, and those of them that failed the same way.
    counted: (u64, u64),
    /// Executions that were read and came to no end, or failed where the process might have ended first: what they would
    /// have come to is not known.
    given_up: u64,
}

/// Which races do not count.
enum Beside {
    /// Each counts.
    Nothing,
    /// None counts.
    Failure,
    /// This one counts, and what is on the same memory or in the same place.
    Race(Box<Race>),
}

/// Did it end before it could pass or fail: by a false assumption, a limit or a refusal?
fn is_given_up(trace: &Trace) -> bool {
    matches!(trace.outcome, Outcome::AssumeBlocked | Outcome::Truncated | Outcome::Unsupported)
}

/// Could another thread have ended the process before it failed? An end that is no failure is explored last
/// ([`raddle_schedule::ending`]), so no execution shows that.
fn might_have_ended(trace: &Trace) -> bool {
    let mut pending = trace.events.iter().filter_map(Event::pending_op);
    trace.outcome.is_failure() && pending.any(|op| op.kind == OpKind::End && op.other == 0)
}

impl Passing {
    /// Nothing at all fails.
    pub fn strictly() -> Passing {
        Passing {
            beside: Beside::Nothing,
            analyses: Analyses::new(false),
            same: None,
            counted: (0, 0),
            given_up: 0,
        }
    }

    /// Beside this failure of the execution with this trace.
    pub fn beside(failure: &Failure, trace: &Trace) -> Passing {
        let beside = match &failure.race {
            Some(race) => Beside::Race(Box::new(*race)),
            None => Beside::Failure,
        };
        let same = TargetFailure::of(failure, trace);
        Passing { beside, same, ..Passing::strictly() }
    }

    /// Does this execution pass?
    pub fn is_passed(&mut self, trace: &Trace) -> bool {
        // A misuse that ends it may be told as a race alone, behind which it did not go on.
        if trace.lost || !record::is_passed(trace) {
            return false;
        }
        let found = findings(trace, &mut self.analyses);
        found.failures.iter().all(|failure| failure.race.is_some_and(|race| !self.counts(&race)))
    }

    /// The same, and counts those that fail the same way as long as all do.
    pub(super) fn read(&mut self, trace: &Trace) -> bool {
        let is_passed = self.is_passed(trace);
        let (all, same) = self.counted;
        self.given_up += u64::from(is_given_up(trace) || might_have_ended(trace));
        if all == same && !trace.lost && (is_passed || is_complete(trace) || trace.outcome.is_failure()) {
            let is_same = !is_passed && self.fails_the_same_way(trace);
            self.counted = (all + 1, same + u64::from(is_same));
        }
        is_passed
    }

    /// Does it fail as that one does? Of a race: is there one on the same memory?
    pub(super) fn fails_the_same_way(&mut self, trace: &Trace) -> bool {
        if let Beside::Race(_) = self.beside {
            let found = findings(trace, &mut self.analyses);
            return found.failures.iter().any(|f| f.race.is_some_and(|race| self.counts(&race)));
        }
        self.same.as_mut().is_some_and(|wanted| wanted.is_shown(trace))
    }

    /// Were some of them given up before their end?
    pub(super) fn has_given_up(&self) -> bool {
        self.given_up > 0
    }

    /// Executions that were read and came to an end, and those of them that failed the same way.
    pub(super) fn counted(&self) -> (u64, u64) {
        self.counted
    }

    fn counts(&self, race: &Race) -> bool {
        let meets = |a: &Access, b: &Access| {
            let overlaps = a.object < b.object + b.size.max(1) && b.object < a.object + a.size.max(1);
            overlaps || a.site != 0 && a.site == b.site
        };
        match &self.beside {
            Beside::Nothing => true,
            Beside::Failure => false,
            Beside::Race(own) => {
                let sides = |r: &Race| [r.first, r.second];
                sides(own).iter().any(|a| sides(race).iter().any(|b| meets(a, b)))
            }
        }
    }
}

/// Races that count for nothing beside the failure which an execution shows, where it is compared with others.
pub fn races_beside(trace: &Trace) -> Vec<Race> {
    let found = findings(trace, &mut Analyses::new(false));
    let races = found.failures.into_iter().filter(|f| f.kind == FailureKind::DataRace);
    races.filter_map(|f| f.race).collect()
}
