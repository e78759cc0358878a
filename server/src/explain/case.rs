//! One failing execution as the kinds of mistakes look at it.

use crate::annotate::annotated_trace::{AnnotatedOp, AnnotatedTrace, Call};
use crate::annotate::location;
use crate::target::Place;
use raddle_protocol::explanation::{Deciding, Operation};
use raddle_protocol::report::Location;
use raddle_schedule::memory::Meaning;
use raddle_schedule::misuse::What;
use raddle_schedule::{Choice, Delta, OpKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How it ended, beside what the failure itself says.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// Both sides of a race, in the order of this execution; otherwise empty.
    pub race: Vec<Operation>,
    /// The first side's thread tells the second one's of it by these two, a store and the load that takes it, of which one is too weak for that.
    pub too_weak: Option<TooWeak>,
    /// The spawn of the thread that reads, where that is given the address of what its spawner goes on to change.
    pub given: Option<Operation>,
    /// The threads that cannot go on, but for those that only wait for the end of others.
    pub waits: Vec<Wait>,
    /// They wait for what a thread would have done that panicked.
    pub follow_a_panic: bool,
    /// The misuse that ended it.
    pub misuse: Option<Misused>,
    /// It ended in a pure virtual function of C++.
    pub is_pure_call: bool,
    /// It ended since a `std::thread` was destroyed that nobody had joined.
    pub is_unjoined: bool,
}

/// A store and the load that takes its value, which order nothing.
#[derive(Clone, Debug)]
pub struct TooWeak {
    /// The store.
    pub store: Operation,
    /// The load.
    pub load: Operation,
    /// Is it the store, and is it the load?
    pub sides: [bool; 2],
}

/// What a thread did that is undefined.
#[derive(Clone, Debug)]
pub struct Misused {
    /// What.
    pub what: What,
    /// Who else has a part in it, in words (`T1 gave it back in close`), and where.
    pub parts: Vec<(String, Option<Place>)>,
    /// It was used before it was initialised, for the first time as far as this execution tells, and nothing orders
    /// the two: the user comes first among `parts`.
    pub early: bool,
}

/// A thread that cannot go on.
#[derive(Clone, Debug)]
pub struct Wait {
    /// Which.
    pub thread: u8,
    /// What it would do.
    pub kind: OpKind,
    /// How the call of a library says what it would do: `to receive from`.
    pub to: Option<&'static str>,
    /// Any of these would have to change; of one that waits, what it waits for.
    pub objects: Vec<String>,
    /// Where.
    pub place: Option<Place>,
}

/// An execution and what decides about it.
pub struct Case<'a> {
    /// Everything it did.
    pub scene: &'a AnnotatedTrace,
    /// What decides, in the order of the execution.
    pub deciding: &'a [Deciding],
    /// Nothing else does.
    pub enough: bool,
    /// How it ended.
    pub ends: &'a Ends,
    /// Where it failed.
    pub failed: Option<&'a Location>,
    /// The thread that made it fail, as far as one did.
    pub thread: Option<u8>,
    /// The thread whose failure led to that: another one, where it ended by what that had left.
    pub cause: Option<u8>,
    /// Its schedule.
    pub schedule: &'a [Delta],
    /// Runs another one: did it pass? Unknown if it cannot be run.
    pub attempt: &'a Attempt<'a>,
}

/// Runs a schedule: did it pass? Unknown if it cannot be run.
pub type Attempt<'a> = dyn Fn(&[Delta]) -> Option<bool> + 'a;

impl<'a> Case<'a> {
    /// Both operations of each deciding order.
    pub fn orders(&self) -> impl Iterator<Item = (&'a Operation, &'a Operation)> + use<'a> {
        self.deciding.iter().filter_map(|d| d.order.as_ref()).map(|o| (&o.first, &o.then))
    }

    /// Does the execution pass that is like this one up to a step and then goes on without preemptions, but for that one
    /// thread comes at such a step?
    pub fn passes_with(&self, until: u32, then: Option<(u32, u8)>) -> Option<bool> {
        self.passes_through(until, then.as_slice())
    }

    /// The same with threads that come at so many steps, in their order.
    pub fn passes_through(&self, until: u32, then: &[(u32, u8)]) -> Option<bool> {
        let mut deltas: Vec<Delta> = self.schedule.iter().filter(|d| d.step < until).copied().collect();
        deltas.extend(then.iter().map(|&(step, thread)| Delta { step, choice: Choice::Thread(thread) }));
        (self.attempt)(&deltas)
    }

    /// What a thread looked at right before this wait of its own, under the lock that it gave up, and decided by: reads that are no part
    /// of a change of its own, and all in one line. With several it is not known which of them is the condition.
    pub fn looks_before(&self, waits: usize) -> Vec<usize> {
        let events = &self.scene.events;
        let Some(thread) = events.get(waits).map(|e| e.thread) else { return Vec::new() };
        let lock = given_back(&events[waits]);
        let own = events[..waits].iter().enumerate().rev().filter(|(_, e)| e.thread == thread);
        let begins = |e: &AnnotatedOp| given_back(e).is_some() || lock.is_some() && taken(e) == lock;
        let own: Vec<(usize, &AnnotatedOp)> = own.take_while(|(_, e)| !begins(e)).collect();
        let is_changed = |object: &str| own.iter().any(|(_, e)| e.writes() && e.object == object);
        // What a library looks at for itself, and what has no name, is no condition of the program's.
        let is_inner = |e: &AnnotatedOp| {
            e.told.part || e.told.call.is_some() || e.within_std || e.object.starts_with("memory ")
        };
        let looks = own.iter().filter(|(_, e)| e.reads() && !is_inner(e) && !is_changed(&e.object));
        let looks: Vec<(usize, &AnnotatedOp)> = looks.copied().collect();
        let line = |e: &AnnotatedOp| e.place.as_ref().map(|p| (p.file.clone(), p.line));
        let of_one_line = looks.windows(2).all(|pair| line(pair[0].1) == line(pair[1].1));
        if of_one_line { looks.into_iter().map(|(i, _)| i).collect() } else { Vec::new() }
    }

    /// Its operation, if it was made.
    pub fn shown(&self, op: &Operation) -> Option<&'a AnnotatedOp> {
        self.scene.events.get(op.event?)
    }

    /// The locks that a thread holds when the event comes, by name, each with the event that took it.
    /// At the end: the number of events.
    pub fn held(&self, thread: u8, event: usize) -> Vec<(String, usize)> {
        let mut held: Vec<(String, usize)> = Vec::new();
        let before = self.scene.events.iter().enumerate().take(event);
        for (i, e) in before.filter(|(_, e)| e.thread == thread) {
            if let Some(lock) = taken(e) {
                held.push((lock.to_string(), i));
            } else if let Some(lock) = given_back(e)
                && let Some(at) = held.iter().rposition(|(name, _)| name == lock)
            {
                held.remove(at);
            }
        }
        held
    }

    /// Of a look at a lock, behind which its thread has the lock at once: that. It says more.
    pub fn had(&self, at: usize) -> usize {
        let events = &self.scene.events;
        let Some(asks) = events.get(at).filter(|e| e.kind == OpKind::AtomicLoad) else { return at };
        let meaning = match asks.told.meaning {
            Some(Meaning::WaitsToRead) => Some(Meaning::ReadLocks),
            Some(Meaning::WaitsToWrite) => Some(Meaning::WriteLocks),
            _ => None,
        };
        let own = |e: &AnnotatedOp| e.thread == asks.thread && e.object == asks.object;
        let has = |e: &AnnotatedOp| match (meaning, asks.told.wants) {
            (None, None) => false,
            (None, Some(kind)) => e.kind == kind && e.told.wants.is_none(),
            (meaning, _) => e.told.meaning == meaning,
        };
        let next = events[at + 1..].iter().position(own).map(|n| at + 1 + n);
        next.filter(|next| has(&events[*next])).unwrap_or(at)
    }

    /// What each thread holds at the end.
    pub fn holders(&self) -> BTreeMap<String, Vec<u8>> {
        let mut holders: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut threads: Vec<u8> = self.scene.threads.keys().copied().collect();
        threads.sort_unstable();
        for thread in threads {
            for (lock, _) in self.held(thread, self.scene.events.len()) {
                holders.entry(lock).or_default().push(thread);
            }
        }
        holders
    }

    /// From the function it is in outwards, as far as the test's own sources go.
    pub fn calls(&self, op: &Operation) -> Vec<Call> {
        if let Some(shown) = self.shown(op).filter(|s| !s.calls.is_empty()) {
            return shown.calls.to_vec();
        }
        let call = |function: &str, l: &Location| Call {
            function: function.to_string(),
            place: Place { file: l.file.clone(), line: l.line, column: l.column },
            in_library: raddle_schedule::dependency::of(&l.file).is_some(),
            loops: Rc::default(),
        };
        let innermost = op.location.iter().map(|l| call(&op.method, l));
        innermost.chain(op.called_on.iter().map(|l| call("", l))).collect()
    }
}

impl AnnotatedOp {
    /// Does it only look at a variable?
    pub fn reads(&self) -> bool {
        matches!(self.kind, OpKind::Read | OpKind::AtomicLoad)
    }

    /// Does it change a variable, or may it?
    pub fn writes(&self) -> bool {
        matches!(self.kind, OpKind::Write | OpKind::AtomicStore | OpKind::AtomicRmw)
    }
}

/// The lock that an operation takes.
pub fn taken(e: &AnnotatedOp) -> Option<&str> {
    use OpKind::*;
    if let Some(Meaning::ReadLocks | Meaning::WriteLocks) = e.told.meaning {
        return Some(&e.object);
    }
    match e.kind {
        Lock | TryLock | ReadLock | WriteLock | TryReadLock | TryWriteLock if !e.failed => Some(&e.object),
        CondWake | Timeout if !e.other.is_empty() => Some(&e.other),
        _ => None,
    }
}

/// Does it take a read-write lock for reading?
pub fn takes_for_reading(e: &AnnotatedOp) -> bool {
    match e.told.meaning {
        Some(meaning) => meaning == Meaning::ReadLocks,
        None => matches!(e.kind, OpKind::ReadLock | OpKind::TryReadLock) && !e.failed,
    }
}

/// The lock that an operation gives back.
pub fn given_back(e: &AnnotatedOp) -> Option<&str> {
    if let Some(Meaning::ReadUnlocks | Meaning::WriteUnlocks) = e.told.meaning {
        return Some(&e.object);
    }
    match e.kind {
        OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock => Some(&e.object),
        OpKind::CondEnqueue => Some(&e.other),
        _ => None,
    }
}

/// `T1` to 1.
pub fn number(thread: &str) -> Option<u8> {
    thread.strip_prefix('T')?.parse().ok()
}

/// An operation of the execution as programs get it. `event`: its index among the scene's.
pub fn operation(scene: &AnnotatedTrace, event: usize) -> Operation {
    let Some(e) = scene.events.get(event) else { return Operation::default() };
    Operation {
        event: Some(event),
        step: e.step,
        thread: format!("T{}", e.thread),
        role: scene.threads.get(&e.thread).map(|t| t.name.clone()).unwrap_or_default(),
        operation: e.kind.name().to_string(),
        object: e.object.clone(),
        value: e.told.shown.clone(),
        method: e.method.clone(),
        location: e.place.as_ref().map(location),
        called_on: e.calls.iter().skip(1).map(|c| location(&c.place)).collect(),
        holding: Some(e.holding.to_vec()),
        time: Some(e.time).filter(|n| *n > 1),
    }
}
