//! Locks and condition variables of libraries: which event of a call takes one, and who holds it at the end.
//!
//! A thread's operations inside of one of `lock_api`'s functions, one behind the other by the same calls, are a *stay*. Its first
//! operation is on the word of the lock. A stay that the thread has left took the lock, unless it only tries:
//! then it did so where its last change of the word did not fail.
//!
//! Where the lock is modelled (`runtime/src/modelled.rs`), its operation is one event, and that is told as it is.

use super::functions::{self, Does, OfLock};
use super::{Path, Role};
use crate::symbols::Frame;
use raddle_schedule::{Event, OpKind};
use std::collections::{BTreeMap, BTreeSet};

/// What threads do with locks of libraries, event by event.
#[derive(Default)]
pub struct Locks {
    /// What each thread is in.
    stays: BTreeMap<u8, Stay>,
    /// The condition variable's call that each is in.
    waits: BTreeMap<u8, Waiting>,
    /// The modelled one that each works with.
    modelled: BTreeMap<u8, (Role, bool)>,
    roles: BTreeMap<u32, Role>,
    /// The events by which each thread has each word.
    held: BTreeMap<(u8, u64), Vec<u32>>,
    /// Of events inside of functions that take locks, which.
    wants: BTreeMap<u32, OpKind>,
    /// Events inside of functions of locks and condition variables, with the word.
    inside: BTreeMap<u32, u64>,
    /// Words of which it is not certain who has them.
    unclear: BTreeSet<u64>,
}

/// What comes of it.
pub struct End {
    /// What events are to who calls.
    pub roles: BTreeMap<u32, Role>,
    /// What threads wait for.
    pub waits: BTreeMap<u8, Waits>,
    /// Events that are parts of taking or giving back a lock, and nothing by themselves.
    pub parts: BTreeSet<u32>,
    /// Events by which threads have locks at the end.
    pub held: BTreeSet<u32>,
    /// Of parts of taking a lock, what they are parts of.
    pub wants: BTreeMap<u32, OpKind>,
}

/// What a thread waits for.
pub struct Waits {
    /// The operation that it would make.
    pub role: Role,
    /// The program called for that.
    pub direct: bool,
    /// Who holds it.
    pub holders: Vec<u8>,
    /// See [`super::Stands::modelled`].
    pub modelled: bool,
}

struct Stay {
    key: Vec<u64>,
    of: OfLock,
    word: u64,
    /// The program has called that lock itself.
    direct: bool,
    /// The event that takes it, as far as is known: the last change of the word that did not fail, or what comes behind a wait.
    takes: Option<u32>,
    /// It has waited since.
    waited: bool,
    last: u32,
}

struct Waiting {
    key: Vec<u64>,
    word: u64,
    direct: bool,
    mutex: u64,
    /// The last event on its word before the mutex was given back.
    begins: u32,
    last: u32,
    /// It has given the mutex back.
    enqueued: bool,
    /// The event by which it has the mutex again.
    relocks: Option<u32>,
    /// Its time was over.
    timed: bool,
}

/// Is it code that cargo fetched?
fn is_library(frame: &Frame) -> bool {
    raddle_schedule::dependency::of(&frame.line.file.to_string_lossy()).is_some()
}

/// What an operation on a modelled lock or condition variable is, made or about to be, behind the one `before` of the same thread.
fn role_of_model(e: &Event, before: Option<Role>) -> Option<Role> {
    use OpKind::*;
    let kind = if e.kind() == Pending { OpKind::from_u8(e.value as u8)? } else { e.kind() };
    let object = e.object();
    let other = match (kind, e.kind()) {
        (CondEnqueue, CondEnqueue) | (CondWake, CondWake) => e.value,
        // Of its wait.
        (CondWake, _) => {
            before.filter(|b| b.kind == CondEnqueue && b.object == object).map_or(0, |b| b.other)
        }
        _ => 0,
    };
    match kind {
        Lock | TryLock | Unlock | NotifyOne | NotifyAll => {}
        // Without a mutex, it waits for a futex.
        CondEnqueue | CondWake if other != 0 => {}
        _ => return None,
    }
    Some(Role { kind, object, other })
}

impl Locks {
    /// The next event of some thread.
    pub fn next(&mut self, event: u32, e: &Event, stack: &[u64], path: Option<&Path>) {
        let pending = e.kind() == OpKind::Pending;
        let frames = path.map(|p| &p.inner[..]).unwrap_or_default();
        let from_outside = || frames.iter().rev();
        let direct = |name: &str| functions::is_lock(name) || functions::is_condvar(name);
        let outermost = from_outside().next().is_some_and(|(_, f)| direct(&f.function));
        let thread = e.thread();
        let cond = from_outside().find_map(|(at, f)| match functions::does(&f.function) {
            does @ (Does::Waits | Does::Notifies(_)) => Some((*at, does)),
            _ => None,
        });
        let lock = from_outside().find_map(|(at, f)| Some((*at, functions::of_lock(&f.function)?)));
        let before = self.modelled.remove(&thread).map(|(role, _)| role);
        let of_primitive = lock.is_some() || cond.is_some();
        if let Some(role) = role_of_model(e, before).filter(|_| of_primitive) {
            self.modelled.insert(thread, (role, outermost));
            if !pending {
                self.roles.insert(event, role);
            }
            self.stops(thread, true);
            return;
        }
        // The address that the function returns to, and those of its callers.
        let key = |at: usize| stack.get(at + 1..).unwrap_or_default().to_vec();
        // What it has left.
        let stays_in = lock.as_ref().map(|(at, of)| (key(*at), *of));
        if let Some(stay) = self.stays.get(&thread)
            && stays_in.as_ref().is_none_or(|(key, of)| *key != stay.key || *of != stay.of)
            && let Some(stay) = self.stays.remove(&thread)
        {
            self.leave(thread, stay);
        }
        let waits_in = cond.map(|(at, does)| (key(at), does));
        if let Some(waiting) = self.waits.get(&thread)
            && waits_in.as_ref().is_none_or(|(key, _)| *key != waiting.key)
            && let Some(waiting) = self.waits.remove(&thread)
        {
            self.wakes(thread, &waiting);
        }
        // Words are atomics. Beside them it works with memory of its own, as with its arguments.
        if e.kind().is_data() {
            return;
        }
        if let Some((key, does)) = waits_in {
            // Its threads' own data are made ready there too.
            let innermost = frames.iter().map(|(_, f)| f).find(|f| is_library(f));
            let own = innermost.is_some_and(|f| functions::is_condvar(&f.function));
            self.in_condvar(event, e, key, (does, own), outermost);
        }
        let Some((key, of)) = stays_in else { return };
        let stay = self.stays.entry(thread).or_insert_with(|| Stay {
            key,
            of,
            word: e.object(),
            direct: outermost,
            takes: None,
            waited: false,
            last: event,
        });
        if pending {
            return;
        }
        stay.last = event;
        self.inside.insert(event, stay.word);
        if e.object() == stay.word
            && matches!(stay.of.kind, OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock)
        {
            self.wants.insert(event, stay.of.kind);
        }
        match e.kind() {
            OpKind::FutexWait | OpKind::CondEnqueue | OpKind::Park => stay.waited = true,
            OpKind::AtomicRmw if e.object() == stay.word && !e.failed() => {
                (stay.takes, stay.waited) = (Some(event), false);
            }
            _ => {}
        }
    }

    /// What a thread is about to do at the end, where it has not come there: whether it is still in what it was in.
    pub fn stops(&mut self, thread: u8, goes_on: bool) {
        if !goes_on {
            return;
        }
        if let Some(stay) = self.stays.remove(&thread) {
            self.leave(thread, stay);
        }
        if let Some(waiting) = self.waits.remove(&thread) {
            self.wakes(thread, &waiting);
        }
    }

    /// The execution has ended. Who is about to do nothing, these threads apart, has made what it was in: it gave a lock back, or
    /// had taken it.
    pub fn made_last(&mut self, pending: u64) {
        use OpKind::{ReadUnlock, Unlock, WriteUnlock};
        let is_made = |stay: &Stay| {
            matches!(stay.of.kind, Unlock | ReadUnlock | WriteUnlock) || stay.takes.is_some() && !stay.waited
        };
        let made = |(thread, stay): (&u8, &Stay)| {
            (pending >> (thread & 63) & 1 == 0 && is_made(stay)).then_some(*thread)
        };
        for thread in self.stays.iter().filter_map(made).collect::<Vec<_>>() {
            if let Some(stay) = self.stays.remove(&thread) {
                self.leave(thread, stay);
            }
        }
    }

    /// The word of the lock or condition variable that a thread is in a call of, and whether the program called that itself.
    pub fn word(&self, thread: u8) -> Option<(u64, bool)> {
        if let Some((role, direct)) = self.modelled.get(&thread) {
            return Some((role.object, *direct));
        }
        match self.waits.get(&thread) {
            Some(w) => (w.direct && w.word != 0).then_some((w.word, true)),
            None => self.stays.get(&thread).map(|s| (s.word, s.direct)),
        }
    }

    /// An event in a call of a condition variable's; `own`: it is one of that itself, on its word.
    fn in_condvar(&mut self, event: u32, e: &Event, key: Vec<u64>, (does, own): (Does, bool), direct: bool) {
        let thread = e.thread();
        // The next one, in a loop.
        if own
            && self.waits.get(&thread).is_some_and(|w| w.relocks.is_some())
            && let Some(before) = self.waits.remove(&thread)
        {
            self.wakes(thread, &before);
        }
        let waiting = self.waits.entry(thread).or_insert_with(|| Waiting {
            key,
            word: 0,
            direct,
            mutex: 0,
            begins: event,
            last: event,
            enqueued: false,
            relocks: None,
            timed: false,
        });
        if e.kind() == OpKind::Pending {
            return;
        }
        waiting.last = event;
        waiting.timed |= e.kind() == OpKind::Timeout;
        self.inside.insert(event, waiting.word);
        let is_first = own && waiting.word == 0;
        if is_first {
            waiting.word = e.object();
        }
        match does {
            // It is no wait.
            Does::Notifies(kind) if is_first => {
                self.roles.insert(event, Role { kind, object: waiting.word, other: 0 });
            }
            Does::Notifies(_) => {}
            _ if own && !waiting.enqueued => waiting.begins = event,
            _ => {}
        }
    }

    /// A thread has left a lock's function.
    fn leave(&mut self, thread: u8, stay: Stay) {
        use OpKind::*;
        let Stay { of, word, .. } = stay;
        if of.unclear {
            self.unclear.insert(word);
            return;
        }
        let has = self.held.entry((thread, word)).or_default();
        let waiting = self.waits.get_mut(&thread);
        match of.kind {
            Unlock | ReadUnlock | WriteUnlock => {
                if has.pop().is_none() {
                    self.unclear.insert(word);
                }
                match waiting {
                    Some(w) if !w.enqueued => {
                        (w.mutex, w.enqueued) = (word, true);
                        let role = Role { kind: CondEnqueue, object: w.word, other: word };
                        self.roles.insert(w.begins, role);
                    }
                    _ => drop(self.roles.insert(stay.last, Role { kind: of.kind, object: word, other: 0 })),
                }
            }
            kind => {
                let at = match stay.takes {
                    Some(at) if !stay.waited => at,
                    None if of.tries && !stay.waited => return,
                    // Its time is over, or it was given to it without a step of its own.
                    _ if of.tries => {
                        self.unclear.insert(word);
                        return;
                    }
                    // Who gave it back gave it to this thread.
                    _ => stay.last,
                };
                has.push(at);
                match waiting {
                    Some(w) if w.enqueued => w.relocks = Some(at),
                    _ => drop(self.roles.insert(at, Role { kind, object: word, other: 0 })),
                }
            }
        }
    }

    /// A thread has left a condition variable's function, which gave it its mutex again.
    fn wakes(&mut self, thread: u8, w: &Waiting) {
        if w.enqueued {
            let at = w.relocks.unwrap_or(w.last);
            let has = self.held.entry((thread, w.mutex)).or_default();
            // It was given to it without a step of its own.
            if has.is_empty() {
                has.push(at);
            }
            let kind = if w.timed { OpKind::Timeout } else { OpKind::CondWake };
            self.roles.insert(at, Role { kind, object: w.word, other: w.mutex });
        }
    }

    /// The execution has ended: threads wait for what they are in.
    pub fn end(mut self) -> End {
        let mut waits = BTreeMap::new();
        for (thread, stay) in std::mem::take(&mut self.stays) {
            let Stay { of, word, direct, .. } = stay;
            if !matches!(of.kind, OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock)
                || self.waits.contains_key(&thread)
            {
                continue;
            }
            let mut holders: Vec<u8> = match self.unclear.contains(&word) {
                true => Vec::new(),
                false => {
                    let of_it = self.held.iter().filter(|((_, w), by)| *w == word && !by.is_empty());
                    of_it.map(|((thread, _), _)| *thread).collect()
                }
            };
            holders.sort_unstable();
            waits.insert(
                thread,
                Waits {
                    role: Role { kind: of.kind, object: word, other: 0 },
                    direct,
                    holders,
                    modelled: false,
                },
            );
        }
        for (thread, w) in &self.waits {
            let role = Role { kind: OpKind::CondWake, object: w.word, other: w.mutex };
            if w.enqueued {
                waits.insert(*thread, Waits { role, direct: w.direct, holders: Vec::new(), modelled: false });
            }
        }
        for (thread, (role, direct)) in self.modelled {
            waits.insert(thread, Waits { role, direct, holders: Vec::new(), modelled: true });
        }
        // Of these nothing is told as an operation of a lock.
        self.roles
            .retain(|_, role| !self.unclear.contains(&role.object) && !self.unclear.contains(&role.other));
        let told = |event: &u32, word: &u64| !self.unclear.contains(word) && !self.roles.contains_key(event);
        let parts =
            self.inside.iter().filter(|(event, word)| told(event, word)).map(|(event, _)| *event).collect();
        let held = self.held.values().flatten().copied().collect();
        End { roles: self.roles, waits, parts, held, wants: self.wants }
    }
}
