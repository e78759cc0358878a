//! A read-write lock without data. Where nobody can tell the difference it is an object of the model
//! (`runtime/src/model/std_rwlock.rs` says when that is), and its word says who has it. Otherwise it is std's own algorithm on
//! two futex words whose operations are steps of the model, so that who has priority, and what a recursive read does while a
//! writer waits, is as on the user's machine. Only the spinning before a sleep is left out.

use crate::rt::{self, Loc, Meaning};
use crate::word::Word;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The lock without its data. What its operations mean is told of its first word.
#[repr(C)]
pub(super) struct Raw {
    /// Bits 0 to 29: 0 unlocked, `WRITE_LOCKED`, or the number of readers; above, who waits.
    state: Word,
    /// What writers sleep on; rises with every wake.
    writer_notify: Word,
}

const READ_LOCKED: u32 = 1;
const MASK: u32 = (1 << 30) - 1;
const WRITE_LOCKED: u32 = MASK;
const DOWNGRADE: u32 = READ_LOCKED.wrapping_sub(WRITE_LOCKED);
const MAX_READERS: u32 = MASK - 1;
const READERS_WAITING: u32 = 1 << 30;
const WRITERS_WAITING: u32 = 1 << 31;

fn is_unlocked(state: u32) -> bool {
    state & MASK == 0
}

/// Readers stand behind any waiter.
fn is_read_lockable(state: u32) -> bool {
    state & MASK < MAX_READERS && state & (READERS_WAITING | WRITERS_WAITING) == 0
}

/// A reader woken by `downgrade` goes before waiting writers.
fn is_read_lockable_after_wakeup(state: u32) -> bool {
    state & MASK < MAX_READERS && state & READERS_WAITING == 0 && !is_unlocked(state)
}

impl Raw {
    pub(super) const fn new() -> Raw {
        Raw { state: Word::new(0), writer_notify: Word::new(0) }
    }

    /// What the last operation on its state means.
    fn means(&self, meaning: Meaning) {
        if rt::active() {
            rt::means(self.name(), meaning);
        }
    }

    /// What the model calls it.
    pub(super) fn name(&self) -> *const () {
        (&raw const *self).cast()
    }

    pub(super) fn try_read(&self, loc: Loc) -> bool {
        if rt::rwlock_is_one() {
            let taken = rt::rwlock_try_read(self.name(), self.state.peek(), loc);
            if taken {
                self.taken(false);
            }
            return taken;
        }
        let mut state = self.state.load(Relaxed, loc);
        while is_read_lockable(state) {
            match self.state.compare_exchange(state, state + READ_LOCKED, Acquire, Relaxed, loc) {
                Ok(_) => {
                    self.means(Meaning::ReadLocks);
                    return true;
                }
                Err(now) => state = now,
            }
        }
        false
    }

    /// Takes it in the model.
    fn take(&self, writes: bool, loc: Loc) {
        rt::rwlock_lock(self.name(), self.state.peek(), writes, loc);
        self.taken(writes);
    }

    /// The model has granted it.
    fn taken(&self, writes: bool) {
        let state = self.state.peek();
        self.state.poke(state + if writes { WRITE_LOCKED } else { READ_LOCKED });
        self.means(if writes { Meaning::WriteLocks } else { Meaning::ReadLocks });
    }

    /// Gives it back in the model.
    fn give_back(&self, writes: bool, loc: Loc) {
        rt::rwlock_unlock(self.name(), writes, loc);
        let state = self.state.peek();
        self.state.poke(state - if writes { WRITE_LOCKED } else { READ_LOCKED });
        self.means(if writes { Meaning::WriteUnlocks } else { Meaning::ReadUnlocks });
    }

    pub(super) fn read(&self, loc: Loc) {
        if rt::rwlock_is_one() {
            return self.take(false, loc);
        }
        let mut has_slept = false;
        let mut state = self.state.load(Relaxed, loc);
        loop {
            if (has_slept && is_read_lockable_after_wakeup(state)) || is_read_lockable(state) {
                match self.state.compare_exchange(state, state + READ_LOCKED, Acquire, Relaxed, loc) {
                    Ok(_) => return self.means(Meaning::ReadLocks),
                    Err(now) => {
                        state = now;
                        continue;
                    }
                }
            }
            assert!(state & MASK != MAX_READERS, "too many active read locks on RwLock");
            if state & READERS_WAITING == 0 {
                let waiting = state | READERS_WAITING;
                if let Err(now) = self.state.compare_exchange(state, waiting, Relaxed, Relaxed, loc) {
                    state = now;
                    continue;
                }
                self.means(Meaning::WaitsToRead);
            }
            self.state.wait(state | READERS_WAITING, loc);
            has_slept = true;
            state = self.state.load(Relaxed, loc);
        }
    }

    pub(super) fn read_unlock(&self, loc: Loc) {
        if rt::rwlock_is_one() {
            return self.give_back(false, loc);
        }
        let state = self.state.fetch_sub(READ_LOCKED, Release, loc) - READ_LOCKED;
        self.means(Meaning::ReadUnlocks);
        if is_unlocked(state) && state & WRITERS_WAITING != 0 {
            self.wake_writer_or_readers(state, loc);
        }
    }

    pub(super) fn try_write(&self, loc: Loc) -> bool {
        if rt::rwlock_is_one() {
            let taken = rt::rwlock_try_write(self.name(), self.state.peek(), loc);
            if taken {
                self.taken(true);
            }
            return taken;
        }
        let mut state = self.state.load(Relaxed, loc);
        while is_unlocked(state) {
            match self.state.compare_exchange(state, state + WRITE_LOCKED, Acquire, Relaxed, loc) {
                Ok(_) => {
                    self.means(Meaning::WriteLocks);
                    return true;
                }
                Err(now) => state = now,
            }
        }
        false
    }

    pub(super) fn write(&self, loc: Loc) {
        if rt::rwlock_is_one() {
            return self.take(true, loc);
        }
        let Err(mut state) = self.state.compare_exchange(0, WRITE_LOCKED, Acquire, Relaxed, loc) else {
            return self.means(Meaning::WriteLocks);
        };
        // Kept set once this writer has waited: others may be waiting too.
        let mut other_writers_waiting = 0;
        loop {
            if is_unlocked(state) {
                let locked = state | WRITE_LOCKED | other_writers_waiting;
                match self.state.compare_exchange(state, locked, Acquire, Relaxed, loc) {
                    Ok(_) => return self.means(Meaning::WriteLocks),
                    Err(now) => {
                        state = now;
                        continue;
                    }
                }
            }
            if state & WRITERS_WAITING == 0 {
                let waiting = state | WRITERS_WAITING;
                if let Err(now) = self.state.compare_exchange(state, waiting, Relaxed, Relaxed, loc) {
                    state = now;
                    continue;
                }
                self.means(Meaning::WaitsToWrite);
            }
            other_writers_waiting = WRITERS_WAITING;
            // The counter first, then the state once more: a wake between the two is not missed.
            let seq = self.writer_notify.load(Acquire, loc);
            state = self.state.load(Relaxed, loc);
            if is_unlocked(state) || state & WRITERS_WAITING == 0 {
                continue;
            }
            self.writer_notify.wait(seq, loc);
            state = self.state.load(Relaxed, loc);
        }
    }

    pub(super) fn write_unlock(&self, loc: Loc) {
        if rt::rwlock_is_one() {
            return self.give_back(true, loc);
        }
        let state = self.state.fetch_sub(WRITE_LOCKED, Release, loc) - WRITE_LOCKED;
        self.means(Meaning::WriteUnlocks);
        if state & (WRITERS_WAITING | READERS_WAITING) != 0 {
            self.wake_writer_or_readers(state, loc);
        }
    }

    pub(super) fn downgrade(&self, loc: Loc) {
        if rt::rwlock_is_one() {
            rt::rwlock_downgrade(self.name(), loc);
            self.means(Meaning::Downgrades);
            return self.state.poke(self.state.peek().wrapping_add(DOWNGRADE));
        }
        let state = self.state.fetch_add(DOWNGRADE, Release, loc);
        self.means(Meaning::Downgrades);
        if state & READERS_WAITING != 0 {
            self.state.fetch_sub(READERS_WAITING, Relaxed, loc);
            self.state.wake_all(loc);
        }
    }

    /// After an unlock that somebody waits for. If the lock is taken meanwhile, its new holder
    /// takes care of them.
    fn wake_writer_or_readers(&self, mut state: u32, loc: Loc) {
        if state == WRITERS_WAITING {
            match self.state.compare_exchange(state, 0, Relaxed, Relaxed, loc) {
                Ok(_) => {
                    self.wake_writer(loc);
                    return;
                }
                Err(now) => state = now,
            }
        }
        if state == READERS_WAITING | WRITERS_WAITING {
            if self.state.compare_exchange(state, READERS_WAITING, Relaxed, Relaxed, loc).is_err()
                || self.wake_writer(loc)
            {
                return;
            }
            state = READERS_WAITING;
        }
        if state == READERS_WAITING && self.state.compare_exchange(state, 0, Relaxed, Relaxed, loc).is_ok() {
            self.state.wake_all(loc);
        }
    }

    fn wake_writer(&self, loc: Loc) -> bool {
        self.writer_notify.fetch_add(1, Release, loc);
        self.writer_notify.wake_one(loc)
    }
}
