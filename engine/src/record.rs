//! The record of a search: exact counts, distinct failures and distinct warnings. An execution is
//! named by its deltas; traces are run again, never stored.

use crate::analysis::{deadlock, livelock};
use crate::naming::{self, Name};
use crate::summary::{Failure, FailureKind, Race, Unprotected, Warning, WarningKind};
use crate::unfocused::Unfocused;
use raddle_schedule::{Granularity, OpKind, Outcome, Schedule, Trace};

/// Counts, failures, warnings.
#[derive(Default)]
pub struct Record {
    /// What schedules are named with: a schedule without differences.
    pub blank: Schedule,
    /// Executions of any outcome, probes and audit runs excluded.
    pub runs: u64,
    /// By outcome; see [`crate::Summary`].
    pub passed: u64,
    pub failed: u64,
    pub deadlocked: u64,
    pub sleep_blocked: u64,
    pub assume_blocked: u64,
    pub truncated: u64,
    pub diverged: u64,
    /// Of those that failed: the process died, and the trace with it.
    pub lost: u64,
    /// Executions beside the search, made to confirm a predicted deadlock.
    pub confirmations: u64,
    /// Steps of all of them.
    pub steps: u64,
    /// Most preemptions of any of them.
    pub most_preemptions: u32,
    /// Fewest preemptions of one that was cut off, so that something after it was not run.
    pub cut_off: Option<u32>,
    /// Distinct failures and what makes them distinct, index by index.
    pub failures: Vec<Failure>,
    pub identities: Vec<Identity>,
    /// Distinct warnings.
    pub warnings: Vec<Warning>,
    /// Threads without points, where not every operation is one.
    pub unfocused: Option<Box<Unfocused>>,
}

/// Two failures with the same identity are shown once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    kind: FailureKind,
    /// Place or places.
    places: (u64, u64),
    /// The message with its numbers blanked: they differ from execution to execution.
    text: String,
}

/// Is this the trace of an execution that ran to an end of its own?
pub fn is_complete(trace: &Trace) -> bool {
    trace.outcome == Outcome::Passed || blocked_after_main(trace) || is_failed(trace)
}

/// Threads blocked, or spinning, after main returned are a warning, not a deadlock or a livelock.
fn blocked_after_main(trace: &Trace) -> bool {
    matches!(trace.outcome, Outcome::Deadlock | Outcome::Livelock) && trace.main_returned
}

fn is_failed(trace: &Trace) -> bool {
    trace.outcome.is_failure() && trace.outcome != Outcome::Deadlock
}

impl Record {
    /// Nothing yet. `restricted`: not every operation is a schedule point.
    pub fn new(blank: Schedule, restricted: bool) -> Self {
        Record {
            unfocused: restricted.then(|| Box::new(Unfocused::new(blank.granularity))),
            blank,
            ..Record::default()
        }
    }

    /// Counts one execution of the search. True if it failed.
    pub fn execution(&mut self, trace: &Trace, preemptions: u32) -> bool {
        self.runs += 1;
        self.steps += u64::from(trace.steps);
        self.most_preemptions = self.most_preemptions.max(preemptions);
        if let Some(unfocused) = &mut self.unfocused {
            unfocused.read(trace);
        }
        if trace.outcome == Outcome::Passed && trace.blocked == 0 && trace.thread_panics.is_empty() {
            self.passed += 1;
            return false;
        }
        self.unusual(trace, preemptions)
    }

    /// Counts an execution that ended its process: it failed, and what follows it was not run.
    pub fn lost(&mut self, trace: &Trace, name: Name) {
        self.runs += 1;
        self.failed += 1;
        self.lost += 1;
        self.most_preemptions = self.most_preemptions.max(name.preemptions);
        self.cut(name.preemptions);
        self.outcome_failure(trace, name.preemptions, Some(name));
    }

    /// Everything but a plain pass.
    #[cold]
    fn unusual(&mut self, trace: &Trace, preemptions: u32) -> bool {
        match trace.outcome {
            Outcome::Passed => self.passed += 1,
            _ if blocked_after_main(trace) => self.passed += 1,
            Outcome::Deadlock => self.deadlocked += 1,
            Outcome::AssumeBlocked => self.assume_blocked += 1,
            Outcome::SleepBlocked => self.sleep_blocked += 1,
            Outcome::Truncated => {
                self.truncated += 1;
                self.cut(preemptions);
                self.warn_of_rounds(trace);
            }
            Outcome::Diverged | Outcome::Unfollowable | Outcome::Unsupported => {}
            _ => self.failed += 1,
        }
        if blocked_after_main(trace) {
            self.warn_of_blocked(trace);
        }
        for (thread, panic) in &trace.thread_panics {
            let message = format!("T{thread} panicked, and nobody looked at its result: {panic}");
            self.warn(WarningKind::ThreadPanicked, message, trace, *thread, 0);
        }
        let failed = trace.outcome.is_failure() && !blocked_after_main(trace);
        if failed {
            self.outcome_failure(trace, preemptions, None);
        }
        failed
    }

    /// Looks at the end of an execution beside the search, made to confirm a predicted deadlock, which
    /// counts as none of its executions. True if it failed.
    pub fn confirmation(&mut self, trace: &Trace) -> bool {
        if blocked_after_main(trace) {
            self.warn_of_blocked(trace);
        }
        let failed = trace.outcome.is_failure() && !blocked_after_main(trace);
        if failed {
            let name = naming::name(trace);
            self.outcome_failure(trace, name.preemptions, Some(name));
        }
        failed
    }

    /// The same of one that ended its process.
    pub fn confirmation_lost(&mut self, trace: &Trace, name: Name) {
        self.outcome_failure(trace, name.preemptions, Some(name));
    }

    /// From now on schedules have these points; those that they had before.
    pub fn name_at(&mut self, granularity: Granularity) -> Granularity {
        std::mem::replace(&mut self.blank.granularity, granularity)
    }

    /// Something that follows an execution with so many preemptions was not run.
    pub fn cut(&mut self, preemptions: u32) {
        self.cut_off = Some(self.cut_off.map_or(preemptions, |c| c.min(preemptions)));
    }

    fn warn_of_blocked(&mut self, trace: &Trace) {
        for b in deadlock::blocked(trace) {
            let message = format!("still blocked after main returned: {}", deadlock::describe(&b));
            self.warn(WarningKind::BlockedAfterMain, message, trace, b.thread, b.site);
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

    /// Is the locking discipline known to be violated?
    pub fn is_undisciplined(&self) -> bool {
        self.warnings.iter().any(|w| w.kind == WarningKind::Lockset)
    }

    /// The execution was cut off: where did it go round?
    fn warn_of_rounds(&mut self, trace: &Trace) {
        let rounds = livelock::rounds(trace);
        let last = trace.events.iter().rev().find(|e| e.is_step()).map(|e| (e.thread(), e.site));
        // The loop's first place in the table is the same wherever in its round it was cut off.
        let first = rounds.iter().filter(|r| r.site != 0).min_by_key(|r| r.site).map(|r| (r.thread, r.site));
        let (thread, site) = first.or(last).unwrap_or((trace.thread, 0));
        let message = "cut off at the step bound".to_string();
        if let Some(warning) = self.warn(WarningKind::Truncated, message, trace, thread, site) {
            warning.rounds = rounds;
        }
    }

    /// Adds a warning, and gives it back, unless it is known.
    fn warn(
        &mut self,
        kind: WarningKind,
        message: String,
        trace: &Trace,
        thread: u8,
        site: u32,
    ) -> Option<&mut Warning> {
        let text = blank_numbers(&message);
        let same = |w: &&mut Warning| w.kind == kind && w.site == site && blank_numbers(&w.message) == text;
        if let Some(known) = self.warnings.iter_mut().find(same) {
            known.count += 1;
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
        });
        self.warnings.last_mut()
    }

    fn schedule(&self, name: Name) -> Schedule {
        Schedule { deltas: name.deltas, ..self.blank.clone() }
    }

    /// Records the failure that the outcome is, under this name or the one read off the trace.
    fn outcome_failure(&mut self, trace: &Trace, preemptions: u32, name: Option<Name>) {
        let kind = match trace.outcome {
            Outcome::Assertion => FailureKind::Assertion,
            Outcome::Crash => FailureKind::Crash,
            Outcome::Exit => FailureKind::Exit,
            Outcome::Deadlock => FailureKind::Deadlock,
            Outcome::Livelock => FailureKind::Livelock,
            Outcome::Hang => FailureKind::Hang,
            _ => FailureKind::Panic,
        };
        let blocked = match kind {
            FailureKind::Deadlock | FailureKind::Livelock => deadlock::blocked(trace),
            _ => Vec::new(),
        };
        let message = match kind {
            FailureKind::Deadlock => deadlock::describe_all(&blocked),
            FailureKind::Livelock => livelock::describe_all(&blocked),
            _ if !trace.message.is_empty() => trace.message.clone(),
            FailureKind::Crash => format!("fatal signal {}", trace.code),
            FailureKind::Exit => format!("exit status {}", trace.code),
            FailureKind::Hang => format!("T{} ran too long without a schedule point", trace.thread),
            _ => "it failed without a message".into(),
        };
        let place = match (kind, trace.site) {
            (FailureKind::Deadlock | FailureKind::Livelock, _) => {
                blocked.iter().map(|b| u64::from(b.site)).sum()
            }
            (_, 0) => trace.pc,
            (_, site) => u64::from(site),
        };
        let identity =
            Identity { kind, places: (place, u64::from(trace.code)), text: blank_numbers(&message) };
        if self.is_known(&identity, preemptions) {
            return;
        }
        let site = blocked.iter().map(|b| b.site).find(|s| *s != 0).unwrap_or(trace.site);
        let thread = blocked.first().map_or(trace.thread, |b| b.thread);
        let name = name.unwrap_or_else(|| naming::name(trace));
        self.failure(identity, trace, name, |f| Failure { message, site, thread, blocked, ..f });
    }

    /// Records a data race of this execution.
    pub fn race(&mut self, race: &Race, trace: &Trace, preemptions: u32) {
        let (a, b) = (&race.first, &race.second);
        // Without sites the objects tell races apart.
        let places = match (a.site.min(b.site), a.site.max(b.site)) {
            (0, 0) => (a.object, u64::MAX),
            (low, high) => (u64::from(low), u64::from(high)),
        };
        let identity = Identity { kind: FailureKind::DataRace, places, text: String::new() };
        if self.is_known(&identity, preemptions) {
            return;
        }
        let message = describe_race(race);
        let (site, thread, race) = (b.site, b.thread, Some(*race));
        let name = naming::name(trace);
        self.failure(identity, trace, name, |f| Failure { message, site, thread, race, ..f });
    }

    /// Records that the program is not a function of the schedule.
    pub fn nondeterminism(&mut self, trace: &Trace, step: u32, message: String) {
        let identity = Identity { kind: FailureKind::Nondeterminism, places: (0, 0), text: String::new() };
        let event = trace.events.iter().filter(|e| e.is_step()).nth(step as usize);
        let (site, thread) = event.map_or((0, trace.thread), |e| (e.site, e.thread()));
        let name = naming::name(trace);
        self.failure(identity, trace, name, |f| Failure { message, site, thread, code: step, ..f });
    }

    /// Has nondeterminism been seen?
    pub fn is_nondeterministic(&self) -> bool {
        self.failures.iter().any(|f| f.kind == FailureKind::Nondeterminism)
    }

    /// Counts a failure that is known with as few preemptions.
    fn is_known(&mut self, identity: &Identity, preemptions: u32) -> bool {
        let known = self.identities.iter().position(|i| i == identity);
        let Some(failure) = known.map(|i| &mut self.failures[i]) else { return false };
        let simpler = failure.preemptions <= preemptions;
        failure.count += u64::from(simpler);
        simpler
    }

    /// Adds a failure, or puts it in the place of the same with more preemptions.
    fn failure(
        &mut self,
        identity: Identity,
        trace: &Trace,
        name: Name,
        fill: impl FnOnce(Failure) -> Failure,
    ) {
        if self.is_known(&identity, name.preemptions) {
            return;
        }
        let known = self.identities.iter().position(|i| *i == identity);
        let kind = identity.kind;
        let (preemptions, switches) = (name.preemptions, name.switches);
        let failure = fill(Failure {
            kind,
            message: String::new(),
            schedule: self.schedule(name),
            preemptions,
            switches,
            found_after: self.runs + self.confirmations,
            count: 1,
            outcome: trace.outcome,
            code: trace.code,
            thread: trace.thread,
            site: trace.site,
            pc: trace.pc,
            steps: trace.steps,
            race: None,
            blocked: Vec::new(),
        });
        match known {
            Some(known) => {
                self.failures[known] = Failure { count: self.failures[known].count + 1, ..failure }
            }
            None => {
                self.failures.push(failure);
                self.identities.push(identity);
            }
        }
    }
}

/// A race in words; the places are the server's to name.
fn describe_race(race: &Race) -> String {
    let side = |a: &crate::summary::Access| {
        let atomic = if a.kind.is_atomic() { "atomic " } else { "" };
        let kind = match a.kind {
            OpKind::Write | OpKind::AtomicStore => "write",
            OpKind::AtomicRmw => "read-modify-write",
            OpKind::Free => "free",
            _ => "read",
        };
        format!("{atomic}{kind} of {} bytes at {:#x} by T{}", a.size, a.object, a.thread)
    };
    format!("data race: {} and {}, which nothing orders", side(&race.first), side(&race.second))
}

/// The text with every run of digits replaced by one `#`.
fn blank_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            c => out.push(c),
        }
    }
    out
}
