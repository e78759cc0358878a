//! A state of the program as the model sees it: its marking, and what decides who can go on.

use super::learned::{Beyond, Learned, Next, names_a_thread};
use crate::points::bits;
use crate::states::Matching;
use crate::states::marking::Marking;
use raddle_schedule::{Event, MAX_THREADS, OpKind, flags};

/// See the module's text.
pub struct State {
    marking: Marking,
    /// Who holds which lock.
    holders: Vec<(u64, u8)>,
    /// What semaphores and park tokens hold that somebody has used.
    counts: Vec<(u64, u64)>,
    /// Threads born; those of them that have ended; waiters that were notified.
    born: u8,
    ended: u64,
    woken: u64,
    /// Steps before it, and who made the last one.
    pub steps: u32,
    pub last: u8,
}

/// Who can go on in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Going {
    /// These; nobody: it is the end.
    On(u64),
    /// The execution is over, whoever could go on.
    Ended,
    /// It is not known what this thread does next.
    Unknown(u8),
}

/// What a thread would do.
pub enum Step {
    /// This. Of a notify that could wake several, which of them is to be chosen.
    Does(Event, u64),
    /// How it turns out is not known.
    Unknown,
}

impl State {
    /// The beginning.
    pub fn new(marking: Marking) -> State {
        let (holders, counts) = (Vec::new(), Vec::new());
        let mut state = State { marking, holders, counts, born: 1, ended: 0, woken: 0, steps: 0, last: 0 };
        state.clear();
        state
    }

    /// Another one, at the beginning.
    pub fn empty(&self) -> State {
        State::new(self.marking.empty())
    }

    /// Is it the same?
    pub fn is_like(&self, other: &State) -> bool {
        self.steps == other.steps && self.key() == other.key()
    }

    /// Has an operation on this semaphore been taken?
    pub fn has_counted(&self, event: &Event) -> bool {
        self.counts.iter().any(|(key, _)| *key == event.object())
    }

    /// Back to the beginning.
    pub fn clear(&mut self) {
        self.marking.clear();
        self.holders.clear();
        self.counts.clear();
        (self.born, self.ended, self.woken, self.steps, self.last) = (1, 0, 0, 0, 0);
    }

    /// Becomes a copy of another, in its own memory.
    pub fn copy_from(&mut self, other: &State) {
        self.marking.copy_from(&other.marking);
        self.holders.clone_from(&other.holders);
        self.counts.clone_from(&other.counts);
        (self.born, self.ended, self.woken) = (other.born, other.ended, other.woken);
        (self.steps, self.last) = (other.steps, other.last);
    }

    /// Its marking.
    pub fn marking(&self) -> &Marking {
        &self.marking
    }

    /// The same for the same markings.
    pub fn key(&self) -> u64 {
        self.marking.state(0)
    }

    /// Threads that have not ended.
    pub fn living(&self) -> u64 {
        (u64::MAX >> (64 - u32::from(self.born))) & !self.ended
    }

    /// What a thread does next, as far as it is known.
    #[inline]
    fn next<'a>(&self, learned: &'a Learned, thread: u8) -> Option<&'a Next> {
        learned.next(self.marking.place(thread))
    }

    /// Who can go on?
    pub fn going(&self, learned: &Learned) -> Going {
        let mut enabled = 0;
        for thread in bits(self.living()) {
            match self.next(learned, thread) {
                None => return Going::Unknown(thread),
                Some(Next::Ended) => return Going::Ended,
                Some(Next::Does(event)) => enabled |= u64::from(self.can(thread, event, learned)) << thread,
            }
        }
        Going::On(enabled)
    }

    fn can(&self, thread: u8, event: &Event, learned: &Learned) -> bool {
        match event.kind() {
            OpKind::Lock => self.is_free(event.object()),
            OpKind::CondWake => self.woken >> thread & 1 != 0 && self.is_free(event.value),
            OpKind::Join => self.named(event).is_none_or(|t| self.ended >> t & 1 != 0),
            OpKind::SemWait | OpKind::Park => {
                self.count(self.counted(event), event.kind(), learned) != Some(0)
            }
            _ => true,
        }
    }

    fn is_free(&self, lock: u64) -> bool {
        self.holders.iter().all(|(held, _)| *held != lock)
    }

    /// The thread that the operation names.
    fn named(&self, template: &Event) -> Option<u8> {
        (0..self.born).find(|t| self.marking.identity(*t) == template.value)
    }

    /// The semaphore or park token that the operation is on.
    fn counted(&self, template: &Event) -> u64 {
        if names_a_thread(template) { template.value } else { template.object() }
    }

    fn count(&self, key: u64, kind: OpKind, learned: &Learned) -> Option<u64> {
        let known = self.counts.iter().find(|(k, _)| *k == key).map(|(_, count)| *count);
        known.or_else(|| match kind {
            // Nobody's token is set at first.
            OpKind::Park | OpKind::Unpark => Some(0),
            _ => learned.count(key),
        })
    }

    /// Waiters of a condition variable that nobody has notified.
    fn waiters(&self, condvar: u64, learned: &Learned) -> u64 {
        let waits = |t: &u8| match self.next(learned, *t) {
            Some(Next::Does(e)) => e.kind() == OpKind::CondWake && e.object() == condvar,
            _ => false,
        };
        bits(self.living() & !self.woken).filter(waits).fold(0, |mask, t| mask | 1 << t)
    }

    /// What a thread that can go on would do. A notify wakes the one chosen, or the lowest.
    pub fn step(&self, thread: u8, waiter: Option<u8>, learned: &Learned) -> Result<Step, Beyond> {
        let Some(Next::Does(template)) = self.next(learned, thread) else { return Err(Beyond) };
        let object = match template.kind() {
            OpKind::ThreadStart | OpKind::Exit => u64::from(thread),
            _ if names_a_thread(template) => u64::from(self.named(template).ok_or(Beyond)?),
            _ => template.object(),
        };
        let mut event = Event::new(template.kind(), thread, object);
        event.set_access(template.order(), template.size());
        (event.site, event.flags) = (template.site, flags::STEP);
        let mut several = 0;
        match event.kind() {
            OpKind::Spawn if usize::from(self.born) == MAX_THREADS => return Err(Beyond),
            OpKind::Spawn => event.value = u64::from(self.born),
            OpKind::TryLock if !self.is_free(object) => event.flags |= flags::FAILED,
            OpKind::Free if template.value == 0 => return Ok(Step::Unknown),
            OpKind::CondEnqueue | OpKind::CondWake | OpKind::Free => event.value = template.value,
            OpKind::SemWait | OpKind::SemTryWait | OpKind::SemPost | OpKind::Park | OpKind::Unpark => {
                let Some(count) = self.count(self.counted(template), event.kind(), learned) else {
                    return Ok(Step::Unknown);
                };
                event.value = count;
                let fails = event.kind() == OpKind::SemTryWait && count == 0;
                event.flags |= if fails { flags::FAILED } else { 0 };
            }
            OpKind::NotifyAll => event.value = self.waiters(object, learned),
            OpKind::NotifyOne => {
                let waiters = self.waiters(object, learned);
                let woken = waiter.unwrap_or(waiters.trailing_zeros() as u8);
                event.value = waiters & 1u64.checked_shl(u32::from(woken)).unwrap_or(0);
                several = if waiters.count_ones() > 1 { waiters } else { 0 };
            }
            OpKind::AtomicRmw => {
                let found = self.marking.found(&event);
                match learned.has_failed(self.marking.place(thread), found) {
                    None => return Ok(Step::Unknown),
                    Some(failed) => event.flags |= if failed { flags::FAILED } else { 0 },
                }
            }
            _ => {}
        }
        Ok(Step::Does(event, several))
    }

    /// A thread makes this step.
    pub fn take(&mut self, event: &Event) {
        let thread = event.thread();
        let own = 1u64 << (thread & 63);
        match event.kind() {
            OpKind::Lock => self.holders.push((event.object(), thread)),
            OpKind::TryLock if !event.failed() => self.holders.push((event.object(), thread)),
            OpKind::Unlock => self.give_back(event.object()),
            OpKind::CondEnqueue => {
                self.give_back(event.value);
                self.woken &= !own;
            }
            OpKind::CondWake => {
                self.holders.push((event.value, thread));
                self.woken &= !own;
            }
            OpKind::NotifyOne | OpKind::NotifyAll => self.woken |= event.value,
            OpKind::SemWait => self.set_count(event, event.value.wrapping_sub(1)),
            OpKind::SemTryWait if !event.failed() => self.set_count(event, event.value.wrapping_sub(1)),
            OpKind::SemPost => self.set_count(event, event.value.wrapping_add(1)),
            OpKind::Park => self.set_count(event, 0),
            OpKind::Unpark => self.set_count(event, 1),
            OpKind::Exit => self.ended |= own,
            OpKind::Spawn => self.born += 1,
            _ => {}
        }
        self.marking.take(event);
        self.steps += 1;
        self.last = thread;
    }

    fn give_back(&mut self, lock: u64) {
        self.holders.retain(|(held, _)| *held != lock);
    }

    fn set_count(&mut self, event: &Event, count: u64) {
        let key =
            if names_a_thread(event) { self.marking.identity(event.object() as u8) } else { event.object() };
        match self.counts.iter_mut().find(|(k, _)| *k == key) {
            Some(known) => known.1 = count,
            None => self.counts.push((key, count)),
        }
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        let lists = (self.holders.capacity() + self.counts.capacity()) * 16;
        size_of::<State>() + lists + self.marking.bytes()
    }
}
