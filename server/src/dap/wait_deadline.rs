//! How long the program may run: for ever, unless somebody has set a limit, or its execution is
//! known to hang where it is. Only what was seen to hang without a debugger counts: a condition of a
//! breakpoint may well take longer than a search waits.

use super::launch::HANG;
use super::program::Program;
use std::time::{Duration, Instant};

/// From asking for the execution's end to taking it.
const GRACE: Duration = Duration::from_secs(1);

/// What to do with a program that runs.
#[derive(Debug, PartialEq, Eq)]
pub enum Patience {
    /// Wait on.
    Lasts,
    /// Ask it to end its execution.
    AsksToEnd,
    /// Stop it where it is.
    Interrupts,
}

/// One wait for a stop.
pub struct Wait {
    begun: Instant,
    /// It is stopped then; nobody looks at what it does until then.
    limit: Option<Duration>,
    /// Since when it is where it hangs.
    hangs: Option<Instant>,
    asked: bool,
}

impl Wait {
    /// Begins now.
    pub fn new(limit: Option<Duration>) -> Wait {
        Wait { begun: Instant::now(), limit, hangs: None, asked: false }
    }

    /// Looks at the program, of which nothing has been heard for a moment.
    pub fn look(&mut self, program: &Program) -> Patience {
        self.judge(program.hangs())
    }

    fn judge(&mut self, hangs: bool) -> Patience {
        if hangs && !self.asked {
            let since = *self.hangs.get_or_insert_with(Instant::now);
            // Unseen, it need not be shown first what a search has seen before.
            let patience = if self.limit.is_some() { Duration::ZERO } else { HANG };
            if since.elapsed() >= patience {
                self.asked = true;
                self.limit.get_or_insert(self.begun.elapsed() + GRACE);
                return Patience::AsksToEnd;
            }
        }
        match self.limit {
            Some(limit) if self.begun.elapsed() > limit => {
                self.limit = None;
                Patience::Interrupts
            }
            _ => Patience::Lasts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_to_hang_is_asked_and_only_once() {
        let mut wait = Wait::new(Some(HANG));
        assert_eq!(wait.judge(false), Patience::Lasts);
        assert_eq!(wait.judge(true), Patience::AsksToEnd);
        assert_eq!(wait.judge(true), Patience::Lasts);
        let mut seen = Wait::new(None);
        assert_eq!(seen.judge(true), Patience::Lasts);
        let mut late = Wait { begun: Instant::now() - HANG, ..Wait::new(Some(HANG)) };
        assert_eq!(late.judge(false), Patience::Interrupts);
        assert_eq!(late.judge(false), Patience::Lasts);
    }
}
