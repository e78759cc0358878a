//! Read-write locks that are made of futex words, in an execution: what is done to them are the words' operations, and what these
//! mean for the lock is told beside them (`Meaning`), and read here. One of Rust is made of two words, one of C that lets
//! writers go first of one.

use raddle_schedule::memory::Meaning;
use raddle_schedule::{Event, OpKind, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// From the lock's state to the word that writers sleep on.
const SECOND: u64 = 4;

/// The locks of one execution, each by its first word.
#[derive(Default)]
pub struct RwLocks {
    locks: BTreeSet<u64>,
    /// Who has which at the end.
    held: BTreeMap<u64, Vec<u8>>,
    /// Who wants to write at the end, as far as the last thing that it did says so.
    writers: BTreeSet<(u8, u64)>,
}

impl RwLocks {
    /// Of an execution that is recorded in detail.
    pub fn of(trace: &Trace) -> Self {
        let mut found = RwLocks::default();
        for (event, meaning) in &trace.memory.meanings {
            // One of std's may be one object, and no words.
            let is_of_words = |e: &&Event| is_of_lock(*meaning) && e.kind().is_atomic();
            let Some(e) = trace.events.get(*event as usize).filter(is_of_words) else {
                continue;
            };
            found.locks.insert(e.object());
            match meaning {
                Meaning::WaitsToWrite | Meaning::BeginsToWait | Meaning::CannotWrite => {
                    found.writers.insert((e.thread(), e.object()));
                }
                _ => drop(found.writers.remove(&(e.thread(), e.object()))),
            }
            let held = found.held.entry(e.object()).or_default();
            match meaning {
                Meaning::ReadLocks | Meaning::WriteLocks => held.push(e.thread()),
                Meaning::ReadUnlocks | Meaning::WriteUnlocks => {
                    let at = held.iter().rposition(|thread| *thread == e.thread());
                    at.map(|at| held.remove(at));
                }
                _ => {}
            }
        }
        found
    }

    /// The lock that a word is of, and whether writers sleep on it.
    pub fn of_word(&self, word: u64) -> Option<(u64, bool)> {
        let second = || word.checked_sub(SECOND).filter(|lock| self.locks.contains(lock));
        self.locks.get(&word).map(|lock| (*lock, false)).or_else(|| second().map(|lock| (lock, true)))
    }

    /// The lock that a thread waits for that sleeps on this word at the end, and whether it is to write.
    pub fn wanted(&self, thread: u8, word: u64) -> Option<(u64, bool)> {
        let (lock, is_second) = self.of_word(word)?;
        Some((lock, is_second || self.writers.contains(&(thread, lock))))
    }

    /// Who has a lock at the end.
    pub fn holders(&self, lock: u64) -> &[u8] {
        self.held.get(&lock).map(Vec::as_slice).unwrap_or_default()
    }

    /// What looks that take nothing are done for: to have the lock for reading, or for writing. By the events.
    pub fn asks(&self, trace: &Trace) -> BTreeMap<u32, Meaning> {
        let meanings: BTreeMap<u32, Meaning> = trace.memory.meanings.iter().copied().collect();
        let mut wants: BTreeMap<u8, (u64, Meaning)> = BTreeMap::new();
        let mut asks = BTreeMap::new();
        for (at, e) in trace.events.iter().enumerate().rev() {
            let (at, thread) = (at as u32, e.thread());
            let waits = e.pending_op().filter(|op| op.kind == OpKind::FutexWait).map(|op| op.object);
            let of = self.of_word(waits.unwrap_or(e.object()));
            let Some((lock, is_second)) = of else { continue };
            let wanted = match meanings.get(&at) {
                Some(Meaning::ReadLocks | Meaning::WaitsToRead) => Some(Meaning::WaitsToRead),
                Some(Meaning::WriteLocks | Meaning::WaitsToWrite) => Some(Meaning::WaitsToWrite),
                _ if waits.is_some() && is_second => Some(Meaning::WaitsToWrite),
                _ if waits.is_some() => Some(Meaning::WaitsToRead),
                Some(_) => {
                    wants.remove(&thread);
                    continue;
                }
                None => None,
            };
            if let Some(wanted) = wanted {
                wants.insert(thread, (lock, wanted));
            } else if let Some((_, wanted)) = wants.get(&thread).filter(|w| w.0 == lock && only_looks(e)) {
                asks.insert(at, *wanted);
            }
        }
        asks
    }
}

fn is_of_lock(meaning: Meaning) -> bool {
    use Meaning::*;
    let has = matches!(meaning, ReadLocks | WriteLocks | ReadUnlocks | WriteUnlocks | Downgrades);
    let wants = matches!(meaning, WaitsToRead | WaitsToWrite | BeginsToWait | StopsWaiting);
    has || wants || matches!(meaning, CannotRead | CannotWrite)
}

fn only_looks(e: &Event) -> bool {
    e.kind() == OpKind::AtomicLoad || e.kind() == OpKind::AtomicRmw && e.failed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::flags;

    const LOCK: u64 = 0x40;

    /// Each with what it means, if it means something.
    fn trace(events: &[(u8, OpKind, u64, Option<Meaning>)]) -> Trace {
        let mut trace = Trace::default();
        for (at, (thread, kind, object, meaning)) in events.iter().enumerate() {
            let mut e = Event::new(*kind, *thread, *object);
            e.flags |= if meaning.is_none() && *kind == OpKind::AtomicRmw { flags::FAILED } else { 0 };
            trace.events.push(e);
            trace.memory.meanings.extend(meaning.map(|m| (at as u32, m)));
        }
        trace
    }

    #[test]
    fn two_words_are_one_lock() {
        use Meaning::*;
        use OpKind::{AtomicLoad, AtomicRmw};
        let trace = trace(&[
            (1, AtomicLoad, LOCK, None),
            (1, AtomicRmw, LOCK, Some(ReadLocks)),
            (2, AtomicRmw, LOCK, None),
            (2, AtomicRmw, LOCK, Some(WaitsToWrite)),
            (2, AtomicLoad, LOCK + 4, None),
            (1, AtomicRmw, LOCK, Some(ReadLocks)),
            (1, AtomicRmw, LOCK, Some(ReadUnlocks)),
            (1, AtomicLoad, 0x80, None),
        ]);
        let locks = RwLocks::of(&trace);
        assert_eq!(
            [LOCK, LOCK + 4, 0x80].map(|w| locks.of_word(w)),
            [Some((LOCK, false)), Some((LOCK, true)), None]
        );
        assert_eq!(locks.holders(LOCK), [1]);
        assert_eq!([1, 2].map(|t| locks.wanted(t, LOCK)), [Some((LOCK, false)), Some((LOCK, true))]);
        assert_eq!(locks.asks(&trace), BTreeMap::from([(0, WaitsToRead), (2, WaitsToWrite)]));
    }
}
