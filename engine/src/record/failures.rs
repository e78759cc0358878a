//! Distinct failures: what tells them from each other, and how each is recorded.

use super::witnesses::Witnesses;
use super::{Identity, Record, blank_numbers};
use crate::analysis::misuse::Unordered;
use crate::analysis::{deadlock, livelock, misuse, wait_cycle};
use crate::naming::{self, Name};
use crate::summary::{Access, Blocked, Failure, FailureKind, Race, UsedDestroyed, Wait, WaitCycle};
use raddle_schedule::{OpKind, Outcome, Trace, hash};

impl Record {
    /// Records the failure that the outcome is, under this name or the one read off the trace.
    pub(super) fn outcome_failure(&mut self, trace: &Trace, preemptions: u32, name: Option<Name>) {
        let (identity, message, blocked) = outcome(trace);
        if !self.is_known(&identity, preemptions) {
            let site = blocked.iter().map(|b| b.site).find(|s| *s != 0).unwrap_or(trace.site);
            let thread = blocked.first().map_or(trace.thread, |b| b.thread);
            let name = name.unwrap_or_else(|| naming::name(trace));
            let identity = identity.clone();
            self.failure(identity, trace, name, |f| Failure { message, site, thread, blocked, ..f });
        }
        self.look_for_witnesses(&identity, trace);
    }

    /// Was all that fails in this execution, in which nothing orders these, seen before?
    pub fn knows(&self, trace: &Trace, unordered: &Unordered) -> bool {
        let cycles = wait_cycle::wait_cycles(trace);
        // Where threads wait for each other, that is why a stuck execution ended.
        let stuck = matches!(trace.outcome, Outcome::Deadlock | Outcome::Livelock) && !cycles.is_empty();
        let ended = (trace.outcome.is_failure() && !stuck).then(|| outcome(trace).0);
        let raced = unordered.races.iter().map(of_race);
        let destroyed = unordered.destroyed.iter().map(of_destroyed);
        let mut all = ended.into_iter().chain(cycles.iter().map(of_cycle)).chain(raced).chain(destroyed);
        all.all(|identity| self.identities.contains(&identity))
    }

    /// Keeps an execution that shows a failure, if another cause may be behind it: not of one that has died with its events.
    fn look_for_witnesses(&mut self, identity: &Identity, trace: &Trace) {
        let Some(witnesses) = self.witnesses.as_mut().filter(|_| !trace.lost) else { return };
        let known = self.identities.iter().position(|i| i == identity);
        witnesses.resize_with(self.identities.len(), Witnesses::default);
        if let Some(witnesses) = known.map(|i| &mut witnesses[i]) {
            witnesses.read(trace, &self.blank);
        }
    }

    /// The failures, each with the executions kept of it.
    pub fn told(&self) -> Vec<Failure> {
        let all = self.identities.iter().zip(&self.failures);
        let told = |(identity, failure): (&Identity, &Failure)| Failure {
            witnesses: self.witnesses(identity).schedules(),
            ..failure.clone()
        };
        all.map(told).collect()
    }

    /// The executions kept of a failure.
    pub fn witnesses(&self, identity: &Identity) -> Witnesses {
        let known = self.identities.iter().position(|i| i == identity);
        let kept = known.and_then(|i| self.witnesses.as_ref()?.get(i));
        kept.cloned().unwrap_or_default()
    }

    /// Records that threads wait for each other for ever in this execution, however it ended.
    pub(super) fn deadlock(
        &mut self,
        cycle: &WaitCycle,
        trace: &Trace,
        preemptions: u32,
        name: Option<Name>,
    ) {
        let identity = of_cycle(cycle);
        if self.is_known(&identity, preemptions) {
            return;
        }
        let mut blocked = deadlock::blocked(trace);
        if !matches!(trace.outcome, Outcome::Deadlock | Outcome::Livelock) {
            let stuck = wait_cycle::stuck(cycle, &blocked);
            blocked.retain(|b| stuck >> (b.thread & 63) & 1 != 0);
        }
        let message = deadlock::describe_all(&blocked);
        let site = cycle.waits.iter().map(|w| w.site).find(|s| *s != 0).unwrap_or(0);
        let thread = cycle.waits.first().map_or(trace.thread, |w| w.thread);
        let name = name.unwrap_or_else(|| naming::name(trace));
        let cycle = Some(cycle.clone());
        self.failure(identity, trace, name, |f| Failure { message, site, thread, blocked, cycle, ..f });
    }

    /// Records a data race of this execution.
    pub fn race(&mut self, race: &Race, trace: &Trace, preemptions: u32) {
        let (b, identity) = (&race.second, of_race(race));
        if self.is_known(&identity, preemptions) {
            return;
        }
        let message = describe_race(race);
        let (site, thread, race) = (b.site, b.thread, Some(*race));
        let name = naming::name(trace);
        self.failure(identity, trace, name, |f| Failure { message, site, thread, race, ..f });
    }

    /// Records that an object is destroyed or initialised in this execution and used, in no order.
    pub fn used_destroyed(&mut self, found: &UsedDestroyed, trace: &Trace, preemptions: u32) {
        let (user, identity) = (&found.user, of_destroyed(found));
        if self.is_known(&identity, preemptions) {
            return;
        }
        let message = misuse::describe_destroyed(found, "", &mut |_, object| format!("{object:#x}"));
        let (site, thread, found) = (user.site, user.thread, Some(*found));
        let name = naming::name(trace);
        self.failure(identity, trace, name, |f| Failure {
            message,
            site,
            thread,
            used_destroyed: found,
            ..f
        });
    }

    /// Records that the program is not a function of the schedule.
    pub fn nondeterminism(&mut self, trace: &Trace, step: u32, message: String) {
        let identity = Identity { kind: FailureKind::Nondeterminism, places: (0, 0), text: String::new() };
        let event = trace.events.iter().filter(|e| e.is_step()).nth(step as usize);
        let (site, thread) = event.map_or((0, trace.thread), |e| (e.site, e.thread()));
        let name = naming::name(trace);
        self.failure(identity, trace, name, |f| Failure { message, site, thread, code: step, ..f });
    }

    /// Executions that went astray were the reduction's mistake, and count for nothing.
    pub fn forget_strays(&mut self) {
        self.runs -= self.diverged;
        self.diverged = 0;
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
            used_destroyed: None,
            blocked: Vec::new(),
            cycle: None,
            witnesses: Vec::new(),
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

/// The failure that an outcome is, what it says, and who waits.
fn outcome(trace: &Trace) -> (Identity, String, Vec<Blocked>) {
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
        FailureKind::Crash if let Some(misuse) = &trace.misuse => {
            misuse::describe(misuse, trace.thread, "", &mut |_, object| format!("{object:#x}"))
        }
        _ if !trace.message.is_empty() => trace.message.clone(),
        FailureKind::Crash => format!("fatal signal {}", trace.code),
        FailureKind::Exit => format!("exit status {}", trace.code),
        FailureKind::Hang => format!("T{} ran too long without a schedule point", trace.thread),
        _ => "it failed without a message".into(),
    };
    let place = match (kind, trace.site) {
        (FailureKind::Deadlock | FailureKind::Livelock, _) => {
            // In any order, and no two sets of places alike: their numbers' sums could be.
            let place = |b: &Blocked| hash::mix(hash::EMPTY, u64::from(b.site));
            blocked.iter().map(place).fold(0, u64::wrapping_add)
        }
        (_, 0) => trace.pc,
        (_, site) => u64::from(site),
    };
    let text = match &trace.misuse {
        // Addresses, and who came first, differ from execution to execution.
        Some(misuse) => misuse::head(misuse.what).into(),
        None => blank_numbers(&message),
    };
    (Identity { kind, places: (place, u64::from(trace.code)), text }, message, blocked)
}

/// What tells threads that wait for each other from others.
fn of_cycle(cycle: &WaitCycle) -> Identity {
    let place = |w: &Wait| hash::mix(hash::EMPTY, u64::from(w.site));
    let places = (cycle.waits.iter().map(place).fold(0, u64::wrapping_add), 0);
    let text = blank_numbers(&wait_cycle::describe(cycle));
    Identity { kind: FailureKind::Deadlock, places, text }
}

/// What tells a data race from others.
fn of_race(race: &Race) -> Identity {
    let (a, b) = (&race.first, &race.second);
    // Without sites the objects tell races apart.
    let places = match (a.site.min(b.site), a.site.max(b.site)) {
        (0, 0) => (a.object, u64::MAX),
        (low, high) => (u64::from(low), u64::from(high)),
    };
    Identity { kind: FailureKind::DataRace, places, text: String::new() }
}

/// What tells the use of a destroyed object from others.
fn of_destroyed(found: &UsedDestroyed) -> Identity {
    let places = (u64::from(found.destroyed.by.site), u64::from(found.user.site));
    let text = misuse::head(found.destroyed.misuse()).into();
    Identity { kind: FailureKind::Crash, places, text }
}

/// A race in words; the places are the server's to name.
fn describe_race(race: &Race) -> String {
    let side = |a: &Access| {
        let atomic = if a.kind.is_atomic() { "atomic " } else { "" };
        let kind = match a.kind {
            OpKind::Write | OpKind::AtomicStore => "write",
            OpKind::AtomicRmw => "read-modify-write",
            OpKind::Read | OpKind::AtomicLoad => "read",
            kind => kind.name(),
        };
        format!("{atomic}{kind} of {} bytes at {:#x} by T{}", a.size, a.object, a.thread)
    };
    format!("data race: {} and {}, without happens-before order", side(&race.first), side(&race.second))
}
