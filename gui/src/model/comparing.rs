//! The failing execution beside the one that passes and is nearest to it.

use super::{Connection, Model};
use crate::messages::Command;
use raddle_protocol::session::NearestPassing;

/// What passes and is nearest to an execution that was shown.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Its session.
    session: u32,
    /// The failing schedule, as it was shown.
    pub failing: String,
    /// What was found.
    pub found: NearestPassing,
}

impl Model {
    /// What is known of the nearest that passes, where one of the two is shown.
    pub fn compared(&self) -> Option<&Compared> {
        let (trace, known) = (self.trace()?, self.compared.as_ref()?);
        let sides = [Some(&known.failing), known.found.passing.as_ref()];
        let is_side = sides.into_iter().flatten().any(|side| *side == trace.schedule);
        (known.session == trace.session && is_side).then_some(known)
    }

    /// It is being looked for.
    pub fn is_comparing(&self) -> bool {
        self.comparing.is_some()
    }

    /// What is shown fails: something else may pass.
    pub fn can_compare(&self) -> bool {
        self.trace().is_some_and(|t| super::words::fails(&t.interleaving.outcome))
    }

    /// Shows the other side; looks for it first.
    pub(super) fn compare(&mut self) -> Vec<Command> {
        let Some((session, shown)) = self.trace().map(|t| (t.session, t.schedule.clone())) else {
            return Vec::new();
        };
        if let Some(known) = self.compared() {
            let passing = known.found.passing.clone();
            let other = if shown == known.failing { passing } else { Some(known.failing.clone()) };
            return other.map(|schedule| self.show_schedule(schedule)).unwrap_or_default();
        }
        if !self.can_compare() || self.is_comparing() || self.connection != Connection::Connected {
            return Vec::new();
        }
        self.comparing = Some((session, shown.clone()));
        vec![Command::NearestPassing { session, schedule: shown }]
    }

    /// It was found, or not.
    pub(super) fn nearest_news(
        &mut self,
        (session, failing): (u32, String),
        answer: Result<NearestPassing, String>,
    ) -> Vec<Command> {
        if self.comparing.as_ref() == Some(&(session, failing.clone())) {
            self.comparing = None;
        }
        let found = match answer {
            Ok(found) => found,
            Err(why) => {
                self.complain(why);
                return Vec::new();
            }
        };
        // Somebody may have turned to another execution meanwhile.
        let is_shown = self.trace().is_some_and(|t| (t.session, &t.schedule) == (session, &failing));
        self.compared = Some(Compared { session, failing, found });
        if is_shown { self.compare() } else { Vec::new() }
    }
}
