//! Executions that were refused: what the report says of them, and when there is nothing else to be found.

use super::fill_report::calls_at;
use super::{Job, Rest};
use crate::annotate::location;
use crate::runner::{Runner, Settings};
use crate::symbols::Symbols;
use raddle_engine::{Error as SearchError, Progress, Refused, Summary};
use raddle_protocol::report::{Refusal, Report, Warning};
use raddle_schedule::{Outcome, Schedule, Trace};
use std::time::Duration;

/// A search ends after so many executions, or so long, if all of them were refused.
const HOPELESS: (u64, Duration) = (1000, Duration::from_secs(10));
/// Refusals whose execution is made once more, to know who called what was refused.
const LOOKED_AT: usize = 4;

/// Is nothing but refusals to be expected of this search? Its first executions differ much from each other.
pub(super) fn is_hopeless(p: &Progress, elapsed: Duration) -> bool {
    p.only_refused && p.refused > 0 && (p.executions >= HOPELESS.0 || elapsed >= HOPELESS.1)
}

/// Why there is no result where every execution was refused.
pub(super) fn error(refused: &Refused) -> SearchError {
    let Refused { message, site, thread, schedule, .. } = refused.clone();
    SearchError::Unsupported { message, site, thread, schedule: Box::new(schedule) }
}

impl Job<'_> {
    /// The execution that was refused, once more, for who called what was refused; in another process, since others are under
    /// way in the first.
    pub(super) fn refused(&self, e: &SearchError, settings: &Settings, rest: &Rest) -> Option<Trace> {
        let SearchError::Unsupported { schedule, .. } = e else { return None };
        self.refused_by(schedule, settings, rest)
    }

    fn refused_by(&self, schedule: &Schedule, settings: &Settings, rest: &Rest) -> Option<Trace> {
        let mut runner = Runner::new(self.test.launch.clone(), settings.clone()).ok()?;
        let trace = self.recorded(schedule, &|_| Vec::new(), rest, &mut runner).ok()?;
        (trace.outcome == Outcome::Unsupported).then_some(trace)
    }

    /// Says what was refused, where, and in how many executions.
    pub(super) fn tell_of_refusals(
        &self,
        report: &mut Report,
        summary: &Summary,
        runner: &mut Runner,
        (settings, rest): (&Settings, &Rest),
    ) {
        if summary.refusals.is_empty() {
            return;
        }
        let symbols = Symbols::new(runner.maps(), self.own.clone());
        let places = self.places(&symbols, runner);
        for (i, refused) in summary.refusals.iter().enumerate() {
            let again = (i < LOOKED_AT).then(|| self.refused_by(&refused.schedule, settings, rest)).flatten();
            let at = calls_at(&places, refused.site, again.as_ref()).as_ref().map(location);
            let (message, executions) = (refused.message.clone(), refused.count);
            let schedule = refused.schedule.to_string();
            let times = match executions {
                1 => "1 execution was refused, and what follows it was not run".to_string(),
                n => format!("{n} executions were refused, and what follows them was not run"),
            };
            report.warnings.push(Warning {
                kind: "refused".into(),
                message: format!("{times}: {message}; schedule {schedule}"),
                location: at.clone(),
                replay: None,
            });
            report.refusals.push(Refusal { message, executions, location: at, schedule });
        }
    }
}
