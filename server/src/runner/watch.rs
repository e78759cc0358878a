//! The watchdog: an execution that passes no schedule point for too long is asked to end, then
//! killed with its runner.

use raddle_schedule::channel::Header;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// How long an asked runner may take to end its execution.
const GRACE: Duration = Duration::from_secs(1);

/// What was seen last. Fresh after every trace, so that a busy channel costs no clock.
#[derive(Default)]
pub struct Watch {
    /// The plan being executed, and the count of schedule points.
    seen: (u64, u64),
    /// Since when.
    since: Option<Instant>,
    /// When the runner was asked to end this execution.
    asked: Option<Instant>,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Fine,
    /// Ask the process to end its execution.
    Ask,
    /// It did not answer.
    Kill,
}

impl Watch {
    /// Looks at the channel. Only for when no trace has come for a moment.
    pub fn look(&mut self, header: &Header, hang: Duration) -> Verdict {
        let now = (header.running.load(Relaxed), header.heartbeat.load(Relaxed));
        let since = match self.since {
            Some(since) if now == self.seen && now.0 != 0 => since,
            _ => {
                self.seen = now;
                self.since = Some(Instant::now());
                return Verdict::Fine;
            }
        };
        if since.elapsed() < hang {
            return Verdict::Fine;
        }
        match self.asked {
            None => {
                self.asked = Some(Instant::now());
                Verdict::Ask
            }
            Some(asked) if asked.elapsed() < GRACE => Verdict::Fine,
            Some(_) => Verdict::Kill,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asked_once_after_standing_still() {
        let memory = crate::runner::memory::Memory::new().unwrap();
        let channel = memory.channel();
        let header = channel.header();
        let hang = Duration::from_millis(20);
        let rest = || std::thread::sleep(hang * 2);
        let mut watch = Watch::default();
        // Idle: nothing runs, so nothing hangs.
        assert_eq!(watch.look(header, hang), Verdict::Fine);
        rest();
        assert_eq!(watch.look(header, hang), Verdict::Fine);
        header.running.store(1, Relaxed);
        header.pid.store(7, Relaxed);
        assert_eq!(watch.look(header, hang), Verdict::Fine);
        // A heartbeat in between.
        rest();
        header.heartbeat.store(1, Relaxed);
        assert_eq!(watch.look(header, hang), Verdict::Fine);
        rest();
        assert_eq!(watch.look(header, hang), Verdict::Ask);
        assert_eq!(watch.look(header, hang), Verdict::Fine);
    }
}
