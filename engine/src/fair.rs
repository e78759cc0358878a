//! Fairness (Musuvathi and Qadeer, PLDI 2008): which threads could be taken at a step only at the
//! expense of others that they had given way to.
//!
//! # The meaning
//!
//! A thread *visits* a place of the program where it yields or sleeps, where a try fails (`try_lock`
//! and the like), or where a wait runs into its time limit. When it comes back to the same place
//! without progress, it does not run again until each thread that was enabled throughout, or that it
//! disabled itself, has made a step or is blocked. A yield, a sleep and a time-out say by themselves that
//! there was no progress: the thread has let time pass. A try in vain does so only if the thread has done
//! nothing in between that others could notice.
//!
//! A first pass is always explored: one visit restricts nothing, so code without loops loses nothing.
//! (The paper's windows reach from any yield of a thread to its next; here they are those of one
//! place.)
//!
//! An execution is *fair* if every step is. A happens-before class is fair if one of its
//! interleavings is ([`class`]). A failure counts if its class is fair, within the bound on
//! preemptions if there is one, and the search reports it with a fair schedule. That holds for every
//! reduction, order, bound and sampler, so all of them find the same failures:
//!
//! * Without a reduction nothing that begins unfairly is explored ([`crate::reduction`]). Where the
//!   default behaviour goes on unfairly, a failure does not count. Every fair execution is found,
//!   since all its beginnings are fair.
//! * A reduction runs some execution of each class. If that fails and is unfair, another interleaving of its
//!   class is looked for that is fair. It is run beside the search, and its failure counts.
//! * A sampler does the same with what it draws.
//!
//! An unfair execution that passes is counted as one that passed, in every search.
//!
//! All this is read off a trace.

pub mod class;
mod enabled;
pub(crate) mod hopeless;

use crate::points::{Point, ThreadPoint, points};
use raddle_schedule::{Event, MAX_THREADS, OpKind, Trace, flags, hash};

/// The priorities in an execution, step by step.
#[derive(Clone, Default)]
pub struct Fairness {
    windows: Vec<Window>,
    /// For each thread those it gave way to, which have not run since; empty while nobody has.
    gave_way_to: Vec<u64>,
    /// The step before, and the threads among which it was chosen.
    last: Option<(Taken, u64)>,
}

/// A step as far as fairness is concerned.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// Whose.
    pub thread: u8,
    /// What it visits.
    pub visit: Option<Visit>,
    /// Others could notice it.
    pub noticed: bool,
}

/// A thread comes to a place at which it gets nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The place.
    pub site: u32,
    /// It gives way: no progress, whatever it did since its last visit.
    pub gives_way: bool,
}

/// From a thread's visit of a place to its next.
#[derive(Clone)]
struct Window {
    thread: u8,
    site: u32,
    /// Threads that were enabled all the time.
    enabled: u64,
    /// Threads that this thread has disabled.
    disabled: u64,
    /// Threads that have made a step.
    scheduled: u64,
    /// The thread has done something that others could notice.
    noticed: bool,
}

impl Fairness {
    /// Of an execution that has not begun.
    pub fn new() -> Self {
        Fairness::default()
    }

    /// Of the next execution.
    pub fn clear(&mut self) {
        self.windows.clear();
        self.gave_way_to.clear();
        self.last = None;
    }

    /// Takes in the next step; gives back the threads among its alternatives that it would be unfair
    /// to take.
    #[inline]
    pub fn unfair(&mut self, p: &ThreadPoint) -> u64 {
        let alternatives = p.alternatives();
        if let Some((mut taken, before)) = self.last {
            taken.noticed |= p.wrote >> taken.thread & 1 != 0;
            self.step(&taken, before, alternatives);
        }
        let taken = Taken::of(p.event);
        // Before the first visit there is nothing to remember.
        if taken.visit.is_some() || !self.windows.is_empty() {
            self.last = Some((taken, alternatives));
        }
        self.behind(alternatives)
    }

    /// What decides which threads will be unfair to take: 0 before the first visit. To be asked
    /// behind [`Fairness::unfair`], of the state before that step.
    pub fn state(&self) -> u64 {
        let words = |words: &[u64]| words.iter().fold(hash::EMPTY, |h, w| hash::mix(h, *w));
        // In any order: that of the first visits does not matter.
        let window = |w: &Window| {
            let whose = u64::from(w.thread) << 32 | u64::from(w.site) | u64::from(w.noticed) << 63;
            words(&[whose, w.enabled, w.disabled, w.scheduled])
        };
        let windows = self.windows.iter().fold(0, |sum: u64, w| sum.wrapping_add(window(w)));
        let gave_way = self.gave_way_to.iter().enumerate().filter(|(_, others)| **others != 0);
        let gave_way =
            gave_way.fold(0, |sum: u64, (t, others)| sum.wrapping_add(words(&[t as u64, *others])));
        if windows == 0 { 0 } else { words(&[windows, gave_way]) }
    }

    /// Threads among these that gave way to another of them.
    pub fn behind(&self, alternatives: u64) -> u64 {
        let gave_way = |t: &u8| self.gave_way_to[usize::from(*t)] & alternatives != 0;
        if self.gave_way_to.is_empty() {
            return 0;
        }
        crate::points::bits(alternatives).filter(gave_way).fold(0, |mask, t| mask | 1 << t)
    }

    /// A step was made: these threads could be taken before, and those can be now.
    pub fn step(&mut self, taken: &Taken, before: u64, after: u64) {
        let &Taken { thread, visit, noticed } = taken;
        let own = 1 << thread;
        for others in &mut self.gave_way_to {
            *others &= !own;
        }
        for w in &mut self.windows {
            w.enabled &= after;
            w.scheduled |= own;
            if w.thread == thread {
                w.disabled |= before & !after;
                w.noticed |= noticed;
            }
        }
        let Some(Visit { site, gives_way }) = visit else { return };
        let fresh = Window { thread, site, enabled: after, disabled: 0, scheduled: 0, noticed: false };
        match self.windows.iter_mut().find(|w| (w.thread, w.site) == (thread, site)) {
            None => self.windows.push(fresh),
            Some(w) => {
                let kept_waiting = (w.enabled | w.disabled) & !w.scheduled & !own;
                let progress = w.noticed && !gives_way;
                *w = fresh;
                if progress {
                    return;
                }
                if self.gave_way_to.is_empty() {
                    self.gave_way_to.resize(MAX_THREADS, 0);
                }
                self.gave_way_to[usize::from(thread)] |= kept_waiting;
            }
        }
    }
}

impl Taken {
    /// Of a step.
    #[inline]
    pub fn of(event: &Event) -> Taken {
        let kind = event.kind();
        let visit = match kind {
            OpKind::Yield | OpKind::Sleep => Some(Visit { site: event.site, gives_way: true }),
            // Without a place it could be anywhere.
            _ if event.site != 0 && is_in_vain(event) => {
                Some(Visit { site: event.site, gives_way: kind == OpKind::Timeout })
            }
            _ => None,
        };
        let thread = event.thread() % MAX_THREADS as u8;
        Taken { thread, visit, noticed: !is_unnoticed(event, kind) }
    }
}

/// Did a try fail, or a wait run into its time limit?
fn is_in_vain(event: &Event) -> bool {
    match event.kind() {
        OpKind::TryLock | OpKind::SemTryWait | OpKind::TryReadLock | OpKind::TryWriteLock => event.failed(),
        OpKind::Timeout => true,
        _ => false,
    }
}

/// Does a step change nothing that others see? Locks count as changes, since nobody tells what was done under
/// them.
fn is_unnoticed(event: &Event, kind: OpKind) -> bool {
    match kind {
        OpKind::AtomicRmw => event.flags & (flags::FAILED | flags::SAME) != 0,
        OpKind::AtomicLoad | OpKind::Read | OpKind::Fence | OpKind::Yield | OpKind::Sleep => true,
        OpKind::Statement | OpKind::Point | OpKind::LockExit => true,
        _ => is_in_vain(event),
    }
}

/// What each step of an execution is.
fn taken(trace: &Trace) -> Vec<Taken> {
    let mut all: Vec<Taken> = Vec::new();
    for point in points(trace) {
        let Point::Thread(p) = point else { continue };
        if let Some(last) = all.last_mut() {
            last.noticed |= p.wrote >> last.thread & 1 != 0;
        }
        all.push(Taken::of(p.event));
    }
    all
}

/// Does a thread make a step behind its second visit of a place? Otherwise no step can be unfair.
pub fn may_tell(trace: &Trace) -> bool {
    let (mut places, mut again): (Vec<(u8, u32)>, u64) = (Vec::new(), 0);
    trace.events.iter().filter(|e| e.is_step()).any(|event| {
        let Taken { thread, visit, .. } = Taken::of(event);
        let goes_on = again >> thread & 1 != 0;
        if let Some(Visit { site, .. }) = visit {
            again |= u64::from(places.contains(&(thread, site))) << thread;
            places.push((thread, site));
        }
        goes_on
    })
}

/// Was a thread taken at the expense of one that it had given way to?
pub fn is_unfair(trace: &Trace) -> bool {
    let mut fairness = Fairness::new();
    points(trace).any(|point| match point {
        Point::Thread(p) => fairness.unfair(&p) >> (p.event.thread() & 63) & 1 != 0,
        Point::Choice(_) => false,
    })
}
