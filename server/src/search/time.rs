//! The limits of a test's search hold for everything that is done for it: for all searches where one begins anew, and for what
//! follows, which is to make failures simple, to say why they fail and to record them for the report.

use crate::interrupt::Interrupt;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The part of the limits that earlier searches of the test used before the search began anew.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Time.
    pub time: Duration,
    /// Executions of any outcome.
    pub executions: u64,
}

/// When no more is looked into, behind the end of a named time, at the latest.
pub const GRACE: Duration = Duration::from_secs(1);
/// A failure is recorded once more for the report even then, unless that takes longer than this.
const RECORDING: Duration = Duration::from_millis(1500);

/// The time that is left behind a search.
pub struct Rest<'a> {
    /// No more is looked into from here on; `None` where there is no limit.
    pub until: Option<Instant>,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
    /// Since when recording goes on though the time is over.
    over: Cell<Option<Instant>>,
}

impl<'a> Rest<'a> {
    /// Up to this moment.
    pub fn new(until: Option<Instant>, interrupt: &'a Interrupt) -> Self {
        Rest { until, interrupt, over: Cell::new(None) }
    }

    /// As much of a time as is left.
    pub fn of(&self, time: Duration) -> Duration {
        let now = Instant::now();
        self.until.map_or(time, |until| time.min(until.saturating_duration_since(now)))
    }

    /// Is no more to be looked into?
    pub fn is_over(&self) -> bool {
        self.interrupt.seen() || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Is a failure not even to be recorded any more?
    pub fn is_used_up(&self) -> bool {
        if !self.is_over() {
            return false;
        }
        let since = self.over.get().unwrap_or_else(Instant::now);
        self.over.set(Some(since));
        since.elapsed() >= RECORDING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_ends_what_is_looked_into_and_not_the_recording() {
        let interrupt = Interrupt::by_hand();
        let rest = Rest::new(None, &interrupt);
        assert_eq!(rest.of(Duration::from_secs(9)), Duration::from_secs(9));
        assert!(!rest.is_over() && !rest.is_used_up());
        interrupt.raise();
        assert!(rest.is_over() && !rest.is_used_up());
        rest.over.set(Instant::now().checked_sub(RECORDING));
        assert!(rest.is_used_up());
    }

    #[test]
    fn a_moment_that_is_over_leaves_nothing() {
        let interrupt = Interrupt::by_hand();
        let rest = Rest::new(Some(Instant::now()), &interrupt);
        assert_eq!(rest.of(Duration::from_secs(9)), Duration::ZERO);
        assert!(rest.is_over());
    }
}
