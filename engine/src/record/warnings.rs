//! Distinct warnings of single executions.

use super::{Record, blank_numbers};
use crate::analysis::{deadlock, livelock, wait_cycle};
use crate::naming;
use crate::summary::{Race, Unprotected, WaitCycle, Warning, WarningKind};
use raddle_schedule::trace::ThreadPanic;
use raddle_schedule::{Event, OpKind, Trace, flags};

impl Record {
    /// Warns of the threads that are blocked after main has returned, but for those that these cycles block and those that
    /// could go on.
    pub(super) fn warn_of_blocked(&mut self, trace: &Trace, cycles: &[WaitCycle]) {
        let blocked = deadlock::blocked(trace);
        let stuck = cycles.iter().fold(0, |mask, c| mask | wait_cycle::stuck(c, &blocked));
        let pending =
            trace.events.iter().filter(|e| e.kind() == OpKind::Pending && e.flags & flags::ENABLED != 0);
        let stuck = pending.fold(stuck, |mask, e| mask | 1 << (e.thread() & 63));
        for b in blocked.into_iter().filter(|b| stuck >> (b.thread & 63) & 1 == 0) {
            let message = format!("still blocked after main returned: {}", deadlock::describe(&b));
            let warning = self.warn(WarningKind::BlockedAfterMain, message, trace, b.thread, b.site);
            if let Some(warning) = warning {
                warning.blocked = Some(Box::new(b));
            }
        }
    }

    /// Warns of a violation of the locking discipline in this execution.
    pub fn unprotected(&mut self, found: &Unprotected, trace: &Trace) {
        let (thread, site) = (found.second.thread, found.second.site);
        let message = "no lock is held at all accesses".to_string();
        if let Some(warning) = self.warn(WarningKind::Lockset, message, trace, thread, site) {
            warning.unprotected = Some(Box::new(found.clone()));
        }
    }

    /// Warns once of a variable that this execution uses as if `volatile` synchronised.
    pub fn volatile(&mut self, found: &Race, trace: &Trace) {
        let Race { first, second } = found;
        let is_of = |w: &Unprotected| w.first.object == first.object;
        let mut known = self.warnings.iter().filter(|w| w.kind == WarningKind::Volatile);
        if known.any(|w| w.unprotected.as_deref().is_some_and(is_of)) {
            return;
        }
        let message = "volatile is no synchronisation in C and C++".to_string();
        if let Some(warning) = self.warn(WarningKind::Volatile, message, trace, second.thread, second.site) {
            let (first, second) = (*first, *second);
            let none = Vec::new;
            let sides = Unprotected {
                first,
                first_holds: none(),
                second,
                second_holds: none(),
                only_read: [none(), none()],
            };
            warning.unprotected = Some(Box::new(sides));
        }
    }

    /// The execution was cut off: where did it go round?
    pub(super) fn warn_of_rounds(&mut self, trace: &Trace) {
        let rounds = livelock::rounds(trace);
        let last = trace.events.iter().rev().find(|e| e.is_step()).map(|e| (e.thread(), e.site));
        // The loop's first place in the table is the same wherever in its round it was cut off.
        let first = rounds.iter().filter(|r| r.site != 0).min_by_key(|r| r.site).map(|r| (r.thread, r.site));
        let (thread, site) = first.or(last).unwrap_or((trace.thread, 0));
        let message = match trace.message.as_str() {
            "" => "cut off at the step bound",
            limit => limit,
        };
        let message = message.to_string();
        if let Some(warning) = self.warn(WarningKind::Truncated, message, trace, thread, site) {
            warning.rounds = rounds;
        }
    }

    /// Warns of a thread's panic. A thread that joins it is told of that, and may throw it away: the source says so.
    pub(super) fn warn_of_panic(&mut self, panic: &ThreadPanic, trace: &Trace) {
        let ThreadPanic { thread, site, message, .. } = panic;
        let joins = |e: &&Event| e.kind() == OpKind::Join && e.object() == u64::from(*thread);
        let join = trace.events.iter().rev().find(joins).filter(|_| panic.is_joined);
        let message = format!("T{thread} panicked, and nobody looked at its result: {message}");
        if let Some(warning) = self.warn(WarningKind::ThreadPanicked, message, trace, *thread, *site) {
            warning.join = join.map(|e| e.site);
        }
    }

    /// Adds a warning, and gives it back, unless it is known.
    pub(super) fn warn(
        &mut self,
        kind: WarningKind,
        message: String,
        trace: &Trace,
        thread: u8,
        site: u32,
    ) -> Option<&mut Warning> {
        let text = blank_numbers(&message);
        let same = |w: &Warning| w.kind == kind && w.site == site && blank_numbers(&w.message) == text;
        let known = self.warnings.iter().position(same);
        let execution = self.runs + self.confirmations;
        if self.counted.0 != execution {
            self.counted = (execution, Vec::new());
        }
        let at = known.unwrap_or(self.warnings.len());
        let is_counted = self.counted.1.contains(&at);
        if !is_counted {
            self.counted.1.push(at);
        }
        if let Some(known) = known {
            self.warnings[known].count += u64::from(!is_counted);
            return None;
        }
        let schedule = self.schedule(naming::name(trace));
        self.warnings.push(Warning {
            kind,
            message,
            thread,
            site,
            count: 1,
            schedule,
            rounds: Vec::new(),
            wanted: Vec::new(),
            unprotected: None,
            blocked: None,
            ways: None,
            join: None,
        });
        self.warnings.last_mut()
    }
}
