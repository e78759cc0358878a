//! `counters`: the One Page Model Checker's table (paper 002, section 6). Its key is the combined execution
//! counter, how many points each thread has passed; it serves twice.
//!
//! 1. A state that is reached again with the same counters and the same shared variables is not explored
//!    again. The paper ignores what threads know for themselves (its section 8): here each thread's place
//!    ([`super::marking`]) is part of the key, with the values it has read, so nothing is lost by it. Places
//!    tell the counters.
//! 2. Reached with the same counters and *other* shared variables, the state depends on the order in which
//!    the threads came there, which is rarely meant: that is reported, with both ways.
//!
//! Shared variables are the memory that was seen to be written while there were several threads, and that two
//! threads at least have worked on by then: what a thread has for itself (a local whose address it takes) may differ
//! without being anybody else's. Two contents are the same if their values are, which the executor tells
//! ([`OpKind::Stored`]).

use super::Matching;
use super::bytes::Bytes;
use super::marking::{Marking, told};
use crate::analysis::classes::AsItIs;
use crate::analysis::signature::mix;
use crate::analysis::{pieces, size_of_access};
use crate::config::Config;
use raddle_schedule::{Delta, Event, MAX_THREADS, OpKind};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// A way to a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// An execution that leads there.
    pub deltas: Vec<Delta>,
}

/// The same counters, and different shared variables.
#[derive(Clone, Debug)]
pub struct Differing {
    /// The way that was found first, and the other.
    pub ways: [Way; 2],
    /// Steps of either way.
    pub steps: u32,
    /// Where memory was last written on the second way.
    pub site: u32,
    /// By which thread that was.
    pub thread: u8,
    /// How many states differ so.
    pub count: u64,
}

/// What was in memory when counters were reached first.
struct First {
    memory: u64,
    /// Which execution that was.
    execution: u32,
    /// A difference was counted.
    differs: bool,
}

/// A state of the execution that is read.
struct Mark {
    combined: u64,
    memory: u64,
    steps: u32,
    /// Where memory was written last, and by whom.
    written: (u32, u8),
}

/// Eight bytes that were worked on.
#[derive(Default)]
struct Granule {
    /// Threads that did, one bit each.
    threads: u64,
    /// What was told of it while there was one.
    told: Vec<Event>,
}

/// See the module's text.
pub struct Counters {
    marking: Marking,
    /// What is seen of memory.
    values: Bytes,
    granules: HashMap<u64, Granule>,
    /// Points passed by each thread.
    passed: [u64; MAX_THREADS],
    /// Over all threads: identity and points passed.
    combined: u64,
    steps: u32,
    /// Where memory was written last.
    written: (u32, u8),
    first: HashMap<u64, First, BuildHasherDefault<AsItIs>>,
    /// What the execution that is read has reached.
    reached: Vec<Mark>,
    /// Executions that came somewhere first.
    executions: Vec<Box<[Delta]>>,
    differing: Option<Differing>,
}

impl Counters {
    /// An empty table.
    pub fn new(config: &Config) -> Counters {
        Counters {
            marking: Marking::new(config, true),
            values: Bytes::default(),
            granules: HashMap::default(),
            passed: [0; MAX_THREADS],
            combined: 0,
            steps: 0,
            written: (0, 0),
            first: HashMap::default(),
            reached: Vec::new(),
            executions: Vec::new(),
            differing: None,
        }
    }

    fn pass(&mut self, thread: u8) {
        let identity = self.marking.identity(thread);
        let passed = &mut self.passed[usize::from(thread) % MAX_THREADS];
        let part = |passed: u64| if passed == 0 { 0 } else { mix(identity, passed) };
        self.combined = self.combined.wrapping_sub(part(*passed)).wrapping_add(part(*passed + 1));
        *passed += 1;
    }

    /// A thread has worked on memory: what was its own until now is shared if it was another's.
    fn worked(&mut self, event: &Event) {
        for (at, _) in pieces(event.object(), size_of_access(event)) {
            let granule = self.granules.entry(at >> 3).or_default();
            granule.threads |= 1 << (event.thread() & 63);
            if granule.threads.count_ones() > 1 {
                for stored in granule.told.drain(..) {
                    self.values.write(stored.object(), u64::from(stored.size()), told(&stored));
                }
            }
        }
    }

    /// This is in memory now.
    fn stored(&mut self, event: &Event) {
        let granule = self.granules.entry(event.object() >> 3).or_default();
        if granule.threads.count_ones() > 1 {
            self.values.write(event.object(), u64::from(event.size()), told(event));
        } else {
            granule.told.push(*event);
        }
    }
}

impl Matching for Counters {
    fn clear(&mut self) {
        self.marking.clear();
        self.values.clear();
        self.granules.clear();
        self.passed = [0; MAX_THREADS];
        (self.combined, self.steps, self.written) = (0, 0, (0, 0));
        self.reached.clear();
    }

    fn take(&mut self, event: &Event) {
        self.marking.take(event);
        match event.kind() {
            OpKind::Stored => self.stored(event),
            kind if kind.is_data() || kind.is_atomic() => self.worked(event),
            _ => {}
        }
        if event.is_step() {
            self.steps += 1;
            self.pass(event.thread());
        }
        if matches!(event.kind(), OpKind::Write | OpKind::AtomicStore | OpKind::AtomicRmw) {
            self.written = (event.site, event.thread());
        }
    }

    fn state(&self, enabled: u64) -> u64 {
        self.marking.state(enabled)
    }

    fn name(&self, thread: u8) -> u64 {
        self.marking.name(thread)
    }

    fn reached(&mut self) {
        let (combined, memory) = (self.combined, self.values.sum());
        self.reached.push(Mark { combined, memory, steps: self.steps, written: self.written });
    }

    fn keep(&mut self, deltas: &[Delta]) {
        let mut is_noted = false;
        for mark in std::mem::take(&mut self.reached) {
            let Some(first) = self.first.get_mut(&mark.combined) else {
                if !std::mem::replace(&mut is_noted, true) {
                    self.executions.push(deltas.into());
                }
                let execution = self.executions.len() as u32 - 1;
                let first = First { memory: mark.memory, execution, differs: false };
                self.first.insert(mark.combined, first);
                continue;
            };
            if first.memory == mark.memory || std::mem::replace(&mut first.differs, true) {
                continue;
            }
            if let Some(differing) = &mut self.differing {
                differing.count += 1;
                continue;
            }
            let way = |deltas: &[Delta]| Way { deltas: deltas.to_vec() };
            let ways = [way(&self.executions[first.execution as usize]), way(deltas)];
            let Mark { steps, written: (site, thread), .. } = mark;
            self.differing = Some(Differing { ways, steps, site, thread, count: 1 });
        }
    }

    fn differing(&self) -> Option<&Differing> {
        self.differing.as_ref()
    }

    // An entry here takes up to twice as much as one there.
    fn share(&self) -> usize {
        3
    }

    fn bytes(&self) -> usize {
        let deltas: usize = self.executions.iter().map(|e| size_of_val::<[Delta]>(e)).sum();
        self.first.capacity() * (size_of::<(u64, First)>() + 1) * 8 / 7
            + self.executions.capacity() * size_of::<Box<[Delta]>>()
            + deltas
    }
}
