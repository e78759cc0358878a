//! Calls that a Rust program makes into libraries which cargo fetched, and into std's channels. What happens inside of them is
//! told at the program's line, and as what the program called: `first.lock()` is a lock though `parking_lot` makes it of
//! atomics and futexes. What a lock is made of is known from the functions that `lock_api` asks of every
//! kind of lock ([`functions::of_lock`]); who holds one at the end is said only where every step of its users is.

mod functions;
mod locks;

use super::places::Places;
use super::sources::Spot;
use crate::symbols::{Frame, is_dependency_of_std};
use functions::Does;
use locks::Locks;
use raddle_instrumenter::index::Reach;
use raddle_schedule::{OpKind, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// The calls of one execution.
#[derive(Default)]
pub struct Outer {
    calls: Vec<Called>,
    /// In which of them an event happened.
    of: BTreeMap<u32, usize>,
    /// What events are to who calls.
    roles: BTreeMap<u32, Role>,
    /// Events that are parts of taking or giving back a lock, and nothing by themselves.
    parts: BTreeSet<u32>,
    /// Events by which threads have locks at the end.
    held: BTreeSet<u32>,
    /// Of parts of taking a lock, what they are parts of.
    wants: BTreeMap<u32, OpKind>,
    /// What variables the words of locks and condition variables are.
    names: BTreeMap<u64, Named>,
    /// Where threads stand that go no further, by thread and site.
    stands: BTreeMap<(u8, u32), Stands>,
}

/// What the program calls a lock or condition variable of a library.
pub struct Named {
    /// So.
    pub name: String,
    /// How it reaches it there.
    pub reach: Reach,
    /// Where.
    pub spot: Spot,
    /// Which thread does.
    thread: u8,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Where.
    pub spot: Spot,
    /// What it is, as people write it: `DashMap::insert`.
    pub function: String,
    /// What is said of it; `None` where only what happens inside can be.
    pub says: Option<Says>,
    /// What it is made on, in the program's words; empty where that is not known.
    pub on: String,
}

/// A call in the words of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Says {
    /// `receives from`.
    pub does: &'static str,
    /// `receiving from`.
    pub doing: &'static str,
    /// `to receive from`.
    pub to: &'static str,
}

/// What an event inside of a call is to who made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// The operation.
    pub kind: OpKind,
    /// The word that its lock or condition variable has in memory.
    pub object: u64,
    /// Of a wait: that of the mutex.
    pub other: u64,
}

/// What a thread waits for inside of a call.
#[derive(Clone, Debug)]
pub struct Stands {
    /// The call.
    pub call: Called,
    /// The lock or condition variable that it waits for.
    pub role: Option<Role>,
    /// It waits for that in the call itself, and not for something that the library keeps.
    pub direct: bool,
    /// Who holds the lock, where that is certain.
    pub holders: Vec<u8>,
    /// It is modelled: what is known of any lock is known of it.
    pub modelled: bool,
}

/// The frames between an operation and the program's code.
pub struct Path {
    /// Innermost first; with each the index of its return address.
    inner: Vec<(usize, Frame)>,
    /// The index of the program's return address.
    at: usize,
    /// The program's line.
    pub spot: Spot,
}

impl Outer {
    /// Of an execution with everything recorded.
    pub fn of(trace: &Trace, places: &Places) -> Outer {
        let mut outer = Outer::default();
        let mut locks = Locks::default();
        let mut known: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        let mut last: BTreeMap<u8, (u32, usize)> = BTreeMap::new();
        for stack in &trace.stacks {
            let Some(e) = trace.events.get(stack.event as usize) else { continue };
            let path = places.library(&stack.frames);
            let pending = e.kind() == OpKind::Pending;
            locks.next(stack.event, e, &stack.frames, path.as_ref());
            let Some(path) = path else { continue };
            let call = *known.entry(stack.frames[path.at..].to_vec()).or_insert_with(|| {
                outer.calls.push(called(&path, places));
                outer.calls.len() - 1
            });
            if !pending {
                outer.of.insert(stack.event, call);
            }
            last.insert(e.thread(), (e.site, call));
            outer.name(locks.word(e.thread()), (e.thread(), call), places);
        }
        let stacked: BTreeSet<u32> = trace.stacks.iter().map(|s| s.event).collect();
        for (i, e) in trace.events.iter().enumerate().filter(|(_, e)| e.kind() == OpKind::Pending) {
            let elsewhere = last.get(&e.thread()).is_none_or(|(site, _)| *site != e.site);
            locks.stops(e.thread(), elsewhere && !stacked.contains(&(i as u32)));
        }
        let pending = trace.events.iter().filter(|e| e.kind() == OpKind::Pending);
        locks.made_last(pending.fold(0, |mask, e| mask | 1 << (e.thread() & 63)));
        let end = locks.end();
        (outer.roles, outer.parts, outer.held) = (end.roles, end.parts, end.held);
        outer.wants = end.wants;
        for e in trace.events.iter().filter(|e| e.kind() == OpKind::Pending) {
            let Some((site, call)) = last.get(&e.thread()).filter(|(site, _)| *site == e.site) else {
                continue;
            };
            let waits = end.waits.get(&e.thread());
            let stands = Stands {
                call: outer.calls[*call].clone(),
                role: waits.map(|w| w.role),
                direct: waits.is_some_and(|w| w.direct),
                holders: waits.map(|w| w.holders.clone()).unwrap_or_default(),
                modelled: waits.is_some_and(|w| w.modelled),
            };
            outer.stands.insert((e.thread(), *site), stands);
        }
        outer
    }

    /// Takes note of what the program calls the word that a thread works with. Of several names the one that lives longest
    /// wins, then that of the first thread: others have clones.
    fn name(&mut self, word: Option<(u64, bool)>, (thread, call): (u8, usize), places: &Places) {
        let Some((word, direct)) = word else { return };
        let call = &self.calls[call];
        let Some((name, reach)) = places.sources.called_on(&call.spot) else { return };
        let (name, reach) = if direct { (name, reach) } else { (format!("a lock of {name}"), Reach::Other) };
        if self.names.get(&word).is_none_or(|known| (reach, thread) < (known.reach, known.thread)) {
            self.names.insert(word, Named { name, reach, spot: call.spot.clone(), thread });
        }
    }

    /// The call that an event is in.
    pub fn call(&self, event: usize) -> Option<&Called> {
        self.of.get(&(event as u32)).map(|call| &self.calls[*call])
    }

    /// What it is to who made that call.
    pub fn role(&self, event: usize) -> Option<Role> {
        self.roles.get(&(event as u32)).copied()
    }

    /// Is it only a part of taking or giving back a lock?
    pub fn is_part(&self, event: usize) -> bool {
        self.parts.contains(&(event as u32))
    }

    /// Of a part of taking a lock, how it would be taken.
    pub fn wants(&self, event: usize) -> Option<OpKind> {
        self.wants.get(&(event as u32)).copied()
    }

    /// Does a thread have a lock by it at the end?
    pub fn is_held(&self, event: usize) -> bool {
        self.held.contains(&(event as u32))
    }

    /// What the program calls a lock or condition variable of a library.
    pub fn named(&self, word: u64) -> Option<&Named> {
        self.names.get(&word)
    }

    /// What a thread waits for that stands at this site and goes no further.
    pub fn stands(&self, thread: u8, site: u32) -> Option<&Stands> {
        self.stands.get(&(thread, site))
    }
}

/// What the program called.
fn called(path: &Path, places: &Places) -> Called {
    let from_outside = || path.inner.iter().rev().map(|(_, f)| f);
    let of_library =
        |f: &&Frame| places.is_library(&f.line.file) || functions::is_channel_of_std(&f.function);
    let outermost = from_outside().find(of_library);
    let known =
        from_outside().filter(of_library).map(|f| functions::does(&f.function)).find(|d| *d != Does::Other);
    let on = places.sources.called_on(&path.spot).map(|(name, _)| name).unwrap_or_default();
    let says = match known {
        Some(Does::Receives) => {
            Some(Says { does: "receives from", doing: "receiving from", to: "to receive from" })
        }
        Some(Does::Sends) => Some(Says { does: "sends on", doing: "sending on", to: "to send on" }),
        Some(Does::Initialises) => Some(Says {
            does: "asks for the value of",
            doing: "asking for the value of",
            to: "for the initialisation of",
        }),
        _ => None,
    };
    let function = outermost.map(|f| functions::short(&f.function)).unwrap_or_default();
    Called { spot: path.spot.clone(), function, says: says.filter(|_| !on.is_empty()), on }
}

impl Places<'_> {
    /// Is it code of a library whose operations are told as the call that the program makes of it? Not where points inside were
    /// asked for.
    pub fn is_library(&self, file: &std::path::Path) -> bool {
        let file = file.to_str().unwrap_or_default();
        let of = raddle_schedule::dependency::of(file);
        is_dependency_of_std(file)
            || of.is_some_and(|name| {
                !self.wanted.iter().any(|w| raddle_schedule::dependency::is_same(w, name))
            })
    }

    /// What lies between an operation inside of a library and the program's code.
    pub fn library(&self, stack: &[u64]) -> Option<Path> {
        let mut inner = Vec::new();
        for (at, address) in stack.iter().enumerate() {
            for frame in self.symbols.frames(address.wrapping_sub(1)).iter() {
                let file = &frame.line.file;
                if frame.is_users && !self.is_library(file) {
                    let told = |(_, f): &(usize, Frame)| {
                        self.is_library(&f.line.file) || functions::is_channel_of_std(&f.function)
                    };
                    let spot = self.of_frame(frame);
                    return inner.iter().any(told).then_some(Path { inner, at, spot });
                }
                inner.push((at, frame.clone()));
            }
        }
        None
    }
}
