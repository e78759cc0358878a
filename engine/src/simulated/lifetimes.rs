//! Lifetimes: blocks that owners count, and objects on threads' stacks. As in the runtime (`runtime/src/kernel/counts.rs`,
//! `runtime/src/model/stacks.rs`), counts are told beside the events where their order is hidden, the end of an object is no event,
//! and a use of what has gone ends the execution.

use super::execution::{Execution, mutex, semaphore, variable};
use super::program::{Given, LastOwner, Local};
use crate::mutants::Mutant;
use raddle_schedule::aside::Aside;
use raddle_schedule::misuse::{Destroyed, Involved, Misuse, Part, What};
use raddle_schedule::{Event, Granularity, OpKind, Order, Outcome, Trace, flags};

/// Bytes of a variable.
const VARIABLE: u32 = 8;

/// Objects that have gone, and threads that drop one.
#[derive(Default)]
pub struct Lifetimes {
    gone: Vec<Gone>,
    /// Threads that drop what another thread could have dropped, and the counts.
    drops: Vec<(u8, u32)>,
    /// Operations to be told behind the event that is being made.
    asides: Vec<Event>,
    /// The misuse by the step that is being made.
    pub misuse: Option<Misuse>,
}

/// Something that has gone.
struct Gone {
    from: u64,
    to: u64,
    what: What,
    by: Involved,
}

/// The event by which a last owner gives this back.
pub fn given_back(t: u8, count: u32, given: Given) -> Event {
    let (first, size) = match given {
        Given::Contents => (count + 1, VARIABLE),
        Given::Block => (count, 2 * VARIABLE),
    };
    let mut event = Event::new(OpKind::Free, t, variable(first));
    event.set_access(Order::Relaxed, size);
    event
}

impl Execution {
    /// The event of an operation on a count, marked if it commutes with its like.
    pub(super) fn counting(&self, last: LastOwner, mut event: Event) -> Event {
        let blind = self.mutant == Some(Mutant::NoticedOwnersCommute);
        let commutes = (last == LastOwner::Hidden || blind) && self.granularity != Granularity::Access;
        event.flags |= if commutes { flags::COUNTS } else { 0 };
        event
    }

    /// A thread has counted one owner less. The last one knows what the others did.
    pub(super) fn disowned(&mut self, t: u8, count: u32, event: &Event) {
        if event.value != 1 || self.mutant == Some(Mutant::LastOwnerKnowsNothing) {
            return;
        }
        let kind = if event.counts() { OpKind::DropBegin } else { OpKind::AtomicLoad };
        self.tells(kind, t, count);
        if event.counts() {
            self.lifetimes.drops.push((t, count));
        }
    }

    /// A block is given back, which is the end of a drop.
    pub(super) fn release(&mut self, t: u8, count: u32, given: Given) -> Event {
        let mut event = given_back(t, count, given);
        event.site = self.site(t);
        let (from, to) = (event.object(), event.object() + u64::from(event.size()));
        let by = Involved { part: Part::Freed, thread: t, method: 0, site: event.site };
        self.lifetimes.gone.push(Gone { from, to, what: What::UseAfterFree, by });
        let drops = &mut self.lifetimes.drops;
        if let Some(at) = drops.iter().position(|d| *d == (t, count)) {
            drops.swap_remove(at);
            if self.mutant != Some(Mutant::DropsNeverEnd) {
                self.tells(OpKind::DropEnd, t, count);
            }
        }
        event
    }

    fn tells(&mut self, kind: OpKind, t: u8, count: u32) {
        let mut event = Event::new(kind, t, variable(count));
        event.set_access(Order::Acquire, VARIABLE);
        self.lifetimes.asides.push(event);
    }

    /// The event that was made is in the trace: what belongs behind it is told.
    pub(super) fn tell_drops(&mut self, trace: &mut Trace) {
        let at = trace.events.len() as u32;
        trace.asides.extend(self.lifetimes.asides.drain(..).map(|event| Aside { at, event }));
    }

    /// The function that has this on its stack returns.
    pub(super) fn returns(&mut self, t: u8, local: Local, site: u32, trace: &mut Trace) {
        let (object, size) = match local {
            Local::Variable(v) => (variable(v), VARIABLE),
            Local::Mutex(m) => (mutex(m), 1),
            Local::Semaphore(s) => (semaphore(s), 1),
        };
        let by = Involved { part: Part::Returned, thread: t, method: 0, site };
        let to = object + u64::from(size);
        self.lifetimes.gone.push(Gone { from: object, to, what: What::UseAfterReturn, by });
        if self.mutant != Some(Mutant::ReturnsUntold) {
            let at = trace.events.len() as u32;
            trace.destroyed.push(Destroyed { at, kind: OpKind::Write, size, object, by });
        }
    }

    /// The misuse by an operation that is about to be made: it uses an object that has gone.
    pub(super) fn misuse(&self, event: &Event) -> Option<Misuse> {
        if self.lifetimes.gone.is_empty() {
            return None;
        }
        let kind = event.kind();
        let bytes = if kind.is_data() || kind.is_atomic() { u64::from(event.size()) } else { 1 };
        let meets = |object: u64| {
            self.lifetimes.gone.iter().find(|g| object < g.to && g.from < object + bytes).map(|g| (object, g))
        };
        let mutex = || (kind == OpKind::CondEnqueue).then_some(event.value);
        let (object, gone) = meets(event.object()).or_else(|| mutex().and_then(meets))?;
        let (block, size) = ((gone.from, gone.to - gone.from), event.size());
        Some(Misuse { what: gone.what, kind, size, object, block, involved: vec![gone.by] })
    }
}

/// An access that is no step is such a misuse: that ends the execution.
pub(super) fn ends_by(misuse: Misuse, event: &Event, trace: &mut Trace) {
    (trace.outcome, trace.code) = (Outcome::Crash, 6);
    (trace.thread, trace.site) = (event.thread(), event.site);
    trace.message = "misuse".into();
    trace.misuse = Some(misuse);
}
