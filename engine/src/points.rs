//! Reading a trace as its decisions: which thread was taken at each step and why others could
//! have been, and every other choice. Everything that expands, names or compares executions
//! reads traces through here.

use raddle_schedule::{
    Choice, Event, OpKind, Trace,
    decision::{gives_way, is_preemption},
    default_thread, hash,
};

/// One decision of an execution.
#[derive(Clone, Copy)]
pub enum Point<'a> {
    /// Which thread makes the next step.
    Thread(ThreadPoint<'a>),
    /// One more choice at the step before.
    Choice(ChoicePoint),
}

/// The choice of a thread.
#[derive(Clone, Copy)]
pub struct ThreadPoint<'a> {
    /// Number of the step.
    pub step: u32,
    /// Thread of the step before; T0 at first.
    pub previous: u8,
    /// The step before was a yield or a sleep.
    pub gave_way: bool,
    /// Threads whose wait could have timed out.
    pub timeouts: u64,
    /// The step.
    pub event: &'a Event,
    /// Hash of all steps before.
    pub hash: u64,
    /// Threads that have changed something since the step before, in what is no step.
    pub wrote: u64,
}

/// A choice that is not that of a thread.
#[derive(Clone, Copy)]
pub struct ChoicePoint {
    /// Number of the step.
    pub step: u32,
    /// What was chosen.
    pub chosen: Choice,
    /// The alternatives, the chosen one included, one bit each.
    pub mask: u64,
    /// Hash of all steps before this one.
    pub hash: u64,
}

impl ThreadPoint<'_> {
    /// Threads that could have been taken, the one that was included.
    pub fn alternatives(&self) -> u64 {
        self.event.enabled | self.timeouts | 1 << (self.event.thread() & 63)
    }

    /// Would taking this thread have been a preemption?
    pub fn preempts(&self, thread: u8) -> bool {
        is_preemption(self.previous, self.gave_way, self.event.enabled, thread)
    }

    /// What the default behaviour takes.
    pub fn default(&self) -> Option<u8> {
        default_thread(self.previous, self.gave_way, self.event.enabled, self.timeouts)
    }
}

/// The alternative with this number to a choice, of the same kind; `None` for kinds whose alternatives
/// are not numbered.
pub fn alternative(chosen: Choice, number: u8) -> Option<Choice> {
    match chosen {
        Choice::Waiter(_) => Some(Choice::Waiter(number)),
        Choice::Input(_) => Some(Choice::Input(u16::from(number))),
        Choice::Usual | Choice::Fail | Choice::Spurious => Some(Choice::by_itself(number)),
        _ => None,
    }
}

impl ChoicePoint {
    /// See [`alternative`].
    pub fn alternative(&self, number: u8) -> Option<Choice> {
        alternative(self.chosen, number)
    }

    /// What the default behaviour chooses.
    pub fn default(&self) -> Option<Choice> {
        self.alternative(self.mask.trailing_zeros() as u8)
    }
}

/// Iterates over the decisions of a trace.
pub struct Points<'a> {
    events: core::slice::Iter<'a, Event>,
    /// Steps so far.
    step: u32,
    /// See [`ThreadPoint`].
    previous: u8,
    gave_way: bool,
    timeouts: u64,
    wrote: u64,
    /// Hash of everything before the current step, and of everything read.
    before: u64,
    hash: u64,
}

/// Where an execution stands before a step.
#[derive(Clone, Copy)]
pub struct Place {
    /// Events before it.
    pub events: usize,
    /// Steps before it.
    pub steps: u32,
    /// Thread of the step before, and whether that gave way.
    pub previous: u8,
    /// See there.
    pub gave_way: bool,
    /// Hash of all steps before.
    pub hash: u64,
}

impl Place {
    /// Before the first step.
    pub const BEGIN: Place = Place { events: 0, steps: 0, previous: 0, gave_way: false, hash: hash::EMPTY };
}

/// The decisions of this execution, in order.
pub fn points(trace: &Trace) -> Points<'_> {
    points_from(trace, Place::BEGIN)
}

/// The decisions of this execution from a step on.
pub fn points_from(trace: &Trace, place: Place) -> Points<'_> {
    let Place { events, steps, previous, gave_way, hash } = place;
    let events = trace.events.get(events..).unwrap_or_default().iter();
    Points { events, step: steps, previous, gave_way, timeouts: 0, wrote: 0, before: hash, hash }
}

impl<'a> Iterator for Points<'a> {
    type Item = Point<'a>;

    #[inline]
    fn next(&mut self) -> Option<Point<'a>> {
        const CHOICE: u8 = OpKind::Choice as u8;
        const TIMEOUTS: u8 = OpKind::Timeouts as u8;
        const READ: u8 = OpKind::Read as u8;
        const LOAD: u8 = OpKind::AtomicLoad as u8;
        for event in self.events.by_ref() {
            if event.is_step() {
                self.before = self.hash;
                self.hash = hash::step(self.hash, event);
                let point = ThreadPoint {
                    step: self.step,
                    previous: self.previous,
                    gave_way: self.gave_way,
                    timeouts: core::mem::take(&mut self.timeouts),
                    event,
                    hash: self.before,
                    wrote: core::mem::take(&mut self.wrote),
                };
                self.step += 1;
                let alone =
                    self.previous == event.thread() && point.alternatives() == 1 << (self.previous & 63);
                self.previous = event.thread();
                self.gave_way = gives_way(event.kind(), self.gave_way, alone);
                return Some(Point::Thread(point));
            }
            match event.raw_kind() {
                TIMEOUTS => self.timeouts = event.enabled,
                READ | LOAD => {}
                kind if kind < CHOICE => self.wrote |= 1 << (event.thread() & 63),
                CHOICE => {
                    self.hash = hash::step(self.hash, event);
                    let Some(chosen) = event.chosen() else { continue };
                    return Some(Point::Choice(ChoicePoint {
                        step: self.step.saturating_sub(1),
                        chosen,
                        mask: event.enabled,
                        hash: self.before,
                    }));
                }
                _ => {}
            }
        }
        None
    }
}

/// The numbers of the bits that are set, lowest first.
pub fn bits(mut mask: u64) -> impl Iterator<Item = u8> {
    core::iter::from_fn(move || {
        let bit = mask.checked_ilog2().map(|_| mask.trailing_zeros() as u8)?;
        mask &= mask - 1;
        Some(bit)
    })
}
