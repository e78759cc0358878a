//! Analyses: they read traces and nothing else. One pass over the events of each execution feeds
//! the race detector (its happens-before and its shadow memory) and the signature of the
//! execution's class; what the program does not need is skipped.

pub mod classes;
pub mod deadlock;
mod objects;
pub mod shadow;
mod table;
mod weaker;

use crate::happens_before::HappensBefore;
use crate::summary::{Access, Race};
use classes::{Classes, Signature};
use objects::Objects;
use raddle_schedule::{Event, MAX_THREADS, OpKind, Trace};
use shadow::{Now, Shadow};
use weaker::Weaker;

/// Most races of one execution that are reported.
const MOST_RACES: usize = 64;

/// Everything that is computed from every trace, with its reused memory.
pub struct Analyses {
    objects: Objects,
    /// Clocks for executions with few, some and many threads.
    few: HappensBefore<4>,
    some: HappensBefore<8>,
    many: HappensBefore<MAX_THREADS>,
    shadow: Shadow,
    races: Vec<Race>,
    signature: Signature,
    /// `None`: not counted, or no longer.
    classes: Option<Classes>,
    weaker: Weaker,
}

impl Analyses {
    /// `classes`: count happens-before classes.
    pub fn new(classes: bool) -> Self {
        Analyses {
            objects: Objects::default(),
            few: HappensBefore::default(),
            some: HappensBefore::default(),
            many: HappensBefore::default(),
            shadow: Shadow::default(),
            races: Vec::new(),
            signature: Signature::default(),
            classes: classes.then(Classes::default),
            weaker: Weaker::default(),
        }
    }

    /// Reads one trace; `complete` says that its class counts.
    pub fn run(&mut self, trace: &Trace, complete: bool) {
        let signature = self.classes.is_some();
        self.read(trace, true, signature);
        if let Some(classes) = &mut self.classes {
            classes.insert(self.signature.total(), complete);
            if classes.count().is_none() {
                self.classes = None;
            }
        }
    }

    /// Races of the trace read last.
    pub fn races(&self) -> &[Race] {
        &self.races
    }

    /// Distinct classes of complete executions.
    pub fn classes(&self) -> Option<u64> {
        self.classes.as_ref()?.count()
    }

    /// Is this trace of a class that was seen?
    pub fn is_known(&mut self, trace: &Trace) -> bool {
        self.read(trace, false, true);
        self.classes.as_ref().is_some_and(|c| c.contains(self.signature.total()))
    }

    /// The signature of a trace's class.
    pub fn signature(&mut self, trace: &Trace) -> u64 {
        self.read(trace, false, true);
        self.signature.total()
    }

    /// Places of atomic operations weaker than SeqCst.
    pub fn weaker_than_seqcst(&self) -> u64 {
        self.weaker.count()
    }

    fn read(&mut self, trace: &Trace, races: bool, signature: bool) {
        self.races.clear();
        self.objects.clear();
        if signature {
            self.signature.clear();
        }
        let (last, plain) = threads(trace);
        // A race needs a plain access, and two threads.
        if !races || plain == 0 || last == 0 {
            return self.pass::<4, false>(trace, signature, &mut HappensBefore::default());
        }
        self.shadow.clear();
        match last {
            0..4 => self.with_races(trace, signature, |all| &mut all.few),
            4..8 => self.with_races(trace, signature, |all| &mut all.some),
            _ => self.with_races(trace, signature, |all| &mut all.many),
        }
    }

    /// A pass with the race detector, whose clocks have so many lanes.
    fn with_races<const LANES: usize>(
        &mut self,
        trace: &Trace,
        signature: bool,
        clocks: impl Fn(&mut Self) -> &mut HappensBefore<LANES>,
    ) {
        let mut happens_before = std::mem::take(clocks(self));
        happens_before.reset();
        self.pass::<LANES, true>(trace, signature, &mut happens_before);
        *clocks(self) = happens_before;
    }

    /// One pass over the events.
    fn pass<const LANES: usize, const RACES: bool>(
        &mut self,
        trace: &Trace,
        signature: bool,
        happens_before: &mut HappensBefore<LANES>,
    ) {
        use OpKind::*;
        for (index, event) in trace.events.iter().enumerate() {
            let kind = event.kind();
            match kind {
                Read | Write | Free => {
                    if RACES {
                        happens_before.goes_on(event.thread());
                        let epoch = happens_before.epoch(event.thread());
                        self.access(index, event, trace, epoch, happens_before);
                    }
                    if signature && event.is_step() {
                        self.signature.memory(event, size_of_access(event), &mut self.objects, None);
                    }
                }
                AtomicLoad | AtomicStore | AtomicRmw => {
                    self.weaker.note(event);
                    if RACES {
                        // What it acquires is ordered before it, and who acquires from it is
                        // ordered after it: the clock after the operation, the epoch before it.
                        let epoch = happens_before.epoch(event.thread());
                        let cell = self.cell(event);
                        happens_before.step(event, cell);
                        self.access(index, event, trace, epoch, happens_before);
                    }
                    if signature {
                        self.signature.memory(event, size_of_access(event), &mut self.objects, None);
                    }
                }
                Lock | Unlock | TryLock | NotifyOne | NotifyAll | SemWait | SemTryWait | SemPost | Park
                | Unpark | Timeout | FutexWake | ReadLock | WriteLock | Barrier | ChannelSend
                | ChannelRecv | Once | RefDrop | RefUpgrade => {
                    let object = self.objects.object(event.object());
                    if RACES {
                        happens_before.step(event, object);
                    }
                    if signature {
                        self.signature.on(event, object);
                    }
                }
                CondEnqueue | CondWake => {
                    let condvar = self.objects.object(event.object());
                    let mutex = self.objects.object(event.value);
                    if RACES {
                        happens_before.step(event, mutex);
                    }
                    if signature {
                        self.signature.wait(event, condvar, mutex);
                    }
                }
                FutexWait => {
                    let queue = self.objects.object(event.object());
                    if RACES {
                        happens_before.step(event, queue);
                    }
                    if signature {
                        let size = size_of_access(event);
                        self.signature.memory(event, size, &mut self.objects, Some(queue));
                    }
                }
                Fence | Spawn | Join => {
                    if kind == Fence {
                        self.weaker.note(event);
                    }
                    if RACES {
                        happens_before.step(event, 0);
                    }
                    if signature {
                        self.signature.alone(event);
                    }
                }
                ThreadStart | Exit | Yield | Sleep | Statement | Input | Point => {
                    if signature && event.is_step() {
                        self.signature.alone(event);
                    }
                }
                Choice => {
                    if signature {
                        self.signature.choice(event);
                    }
                }
                Timeouts | Pending => {}
            }
        }
    }

    /// The cell that carries an atomic's release clock: that of its first bytes.
    #[inline]
    fn cell(&mut self, event: &Event) -> usize {
        let first = objects::pieces(event.object(), size_of_access(event)).next();
        let (address, len) = first.unwrap_or((event.object(), 1));
        self.objects.cell(address, len).object as usize
    }

    /// An access of memory, for the race detector.
    #[inline]
    fn access<const LANES: usize>(
        &mut self,
        index: usize,
        event: &Event,
        trace: &Trace,
        epoch: u32,
        happens_before: &HappensBefore<LANES>,
    ) {
        let now = Now::new(index, event, epoch, happens_before.clock(event.thread()));
        let races = &mut self.races;
        self.shadow.access(event.object(), size_of_access(event), &now, |earlier| {
            note_race(races, trace, earlier, index as u32);
        });
    }
}

/// Remembers a race unless one between the same two places is known.
#[cold]
fn note_race(races: &mut Vec<Race>, trace: &Trace, first: u32, second: u32) {
    let race = Race { first: side(trace, first), second: side(trace, second) };
    let places = |r: &Race| (r.first.site, r.first.kind, r.second.site, r.second.kind);
    if races.len() < MOST_RACES && !races.iter().any(|r| places(r) == places(&race)) {
        races.push(race);
    }
}

fn side(trace: &Trace, index: u32) -> Access {
    let event = &trace.events[index as usize];
    Access {
        thread: event.thread(),
        kind: event.kind(),
        site: event.site,
        event: index,
        object: event.object(),
        size: size_of_access(event),
    }
}

/// Bytes that an access covers. A free says exactly in its value; its size is rounded up.
#[inline]
fn size_of_access(event: &Event) -> u64 {
    if event.kind() == OpKind::Free && event.value != 0 { event.value } else { u64::from(event.size()) }
}

/// The highest thread of a trace, and the mask of threads with a plain access.
fn threads(trace: &Trace) -> (u8, u64) {
    const READ: u8 = OpKind::Read as u8;
    const FREE: u8 = OpKind::Free as u8;
    let (mut last, mut plain) = (0, 0);
    for event in &trace.events {
        let thread = event.thread() % MAX_THREADS as u8;
        last = last.max(thread);
        plain |= u64::from((READ..=FREE).contains(&event.raw_kind())) << thread;
    }
    (last, plain)
}
