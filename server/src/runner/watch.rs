//! The watchdog: an execution that passes no schedule point for too long is asked to end, then
//! killed with its runner. So is one that waits too long in all, in system calls of its own which come back each time: a timer
//! of the system's gets a program no further whose clock is ours.

use raddle_schedule::channel::Header;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// How long an asked runner may take to end its execution.
const GRACE: Duration = Duration::from_secs(1);
/// What one look stands for at most: between two of them this side may have had other things to do.
const MOST: Duration = Duration::from_millis(10);

/// An execution that computes for so long is looked at, and again after the second time: it may be in a loop that does nothing.
const LOOKS: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];

/// What was seen last. Fresh after every trace, so that a busy channel costs no clock.
#[derive(Default)]
pub struct Watch {
    /// The plan being executed, and the count of schedule points.
    seen: (u64, u64),
    /// Since when.
    since: Option<Instant>,
    /// How often it was looked at since.
    looks: usize,
    /// When the runner was asked to end this execution.
    asked: Option<Instant>,
    /// The plan that was being executed at the last look, and when that was.
    looked: Option<(u64, Instant)>,
    /// How long it was seen to wait in system calls of its own.
    waited: Duration,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Fine,
    /// Ask the process whether it is in a loop that does nothing.
    Look,
    /// Ask the process to end its execution.
    Ask,
    /// It did not answer.
    Kill,
}

impl Watch {
    /// Looks at the channel. Only for when no trace has come for a moment. `waits`: does the process wait in a system call
    /// of its own?
    pub fn look(&mut self, header: &Header, hang: Duration, waits: impl FnOnce() -> bool) -> Verdict {
        let now = (header.running.load(Relaxed), header.heartbeat.load(Relaxed));
        if self.has_waited(now.0, waits) && self.waited >= hang && self.asked.is_none() {
            self.asked = Some(Instant::now());
            return Verdict::Ask;
        }
        let since = match self.since {
            Some(since) if now == self.seen && now.0 != 0 => since,
            _ => {
                self.seen = now;
                self.since = Some(Instant::now());
                self.looks = 0;
                return Verdict::Fine;
            }
        };
        if since.elapsed() < hang {
            let is_due = LOOKS.get(self.looks).is_some_and(|after| since.elapsed() >= *after);
            self.looks += usize::from(is_due);
            return if is_due { Verdict::Look } else { Verdict::Fine };
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

    /// Counts the time since the last look where this execution waits by itself now.
    fn has_waited(&mut self, running: u64, waits: impl FnOnce() -> bool) -> bool {
        let now = Instant::now();
        match self.looked.replace((running, now)) {
            Some((before, looked)) if before == running && running != 0 => {
                let waits = waits();
                self.waited += if waits { (now - looked).min(MOST) } else { Duration::ZERO };
                waits
            }
            _ => {
                self.waited = Duration::ZERO;
                false
            }
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
        assert_eq!(watch.look(header, hang, || false), Verdict::Fine);
        rest();
        assert_eq!(watch.look(header, hang, || false), Verdict::Fine);
        header.running.store(1, Relaxed);
        header.pid.store(7, Relaxed);
        assert_eq!(watch.look(header, hang, || false), Verdict::Fine);
        // A heartbeat in between.
        rest();
        header.heartbeat.store(1, Relaxed);
        assert_eq!(watch.look(header, hang, || false), Verdict::Fine);
        rest();
        assert_eq!(watch.look(header, hang, || false), Verdict::Ask);
        assert_eq!(watch.look(header, hang, || false), Verdict::Fine);
    }

    /// Schedule points in between change nothing about waits that add up, but another execution does.
    #[test]
    fn asked_once_after_waiting_often() {
        let memory = crate::runner::memory::Memory::new().unwrap();
        let channel = memory.channel();
        let header = channel.header();
        let hang = MOST * 3;
        let mut watch = Watch::default();
        let mut looks = |running: u64, waits: bool, times: u64| {
            let look = |n| {
                header.running.store(running, Relaxed);
                header.heartbeat.store(n, Relaxed);
                std::thread::sleep(MOST);
                watch.look(header, hang, || waits)
            };
            (0..times).map(look).filter(|verdict| *verdict == Verdict::Ask).count()
        };
        assert_eq!(looks(1, false, 6), 0);
        assert_eq!(looks(1, true, 2), 0);
        assert_eq!(looks(2, true, 3), 0);
        assert_eq!(looks(2, true, 3), 1);
    }
}
