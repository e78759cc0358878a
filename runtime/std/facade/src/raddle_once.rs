//! `std::sync::Once`: std's own algorithm on a futex word whose operations are steps of the model.

use crate::rt::{self, Loc, Meaning};
use crate::word::Word;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

const COMPLETE: u32 = 0;
const RUNNING: u32 = 1;
const POISONED: u32 = 2;
const INCOMPLETE: u32 = 3;
const STATE_MASK: u32 = 0b11;
/// Threads sleep on the word.
const QUEUED: u32 = 4;

/// std's `Once`.
pub struct Once {
    /// A state, and whether threads wait for its end.
    word: Word,
}

/// std's `OnceState`.
pub struct OnceState {
    poisoned: bool,
    /// std's is not `Sync` either.
    _not_sync: PhantomData<Cell<u32>>,
}

/// std's `ONCE_INIT`.
#[deprecated(note = "the `Once::new()` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ONCE_INIT: Once = Once::new();

impl UnwindSafe for Once {}
impl RefUnwindSafe for Once {}

/// Ends the running state, also when the function panics.
struct Completion<'a> {
    word: &'a Word,
    after: u32,
    loc: Loc,
}

impl Drop for Completion<'_> {
    fn drop(&mut self) {
        let before = self.word.swap(self.after, Release, self.loc);
        means(self.word, if self.after == COMPLETE { Meaning::Completes } else { Meaning::Poisons });
        if before & QUEUED != 0 {
            self.word.wake_all(self.loc);
        }
    }
}

/// What the last operation on a word means.
fn means(word: &Word, meaning: Meaning) {
    if rt::active() {
        rt::means(word.address(), meaning);
    }
}

impl Once {
    /// std's `new`.
    #[allow(clippy::new_without_default)] // std's has none
    #[must_use]
    #[inline]
    pub const fn new() -> Once {
        Once { word: Word::new(INCOMPLETE) }
    }

    /// std's `call_once`.
    #[track_caller]
    pub fn call_once<F>(&self, f: F)
    where
        F: FnOnce(),
    {
        self.call(false, Loc::caller(), |_| f());
    }

    /// std's `call_once_force`.
    #[track_caller]
    pub fn call_once_force<F>(&self, f: F)
    where
        F: FnOnce(&OnceState),
    {
        self.call(true, Loc::caller(), f);
    }

    /// std's `is_completed`.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        self.is_completed_at(Loc::caller())
    }

    /// std's `wait`.
    #[track_caller]
    pub fn wait(&self) {
        self.wait_at(false, Loc::caller());
    }

    /// std's `wait_force`.
    #[track_caller]
    pub fn wait_force(&self) {
        self.wait_at(true, Loc::caller());
    }

    /// One that has been called.
    pub(super) const fn completed() -> Once {
        Once { word: Word::new(COMPLETE) }
    }

    pub(super) fn is_completed_at(&self, loc: Loc) -> bool {
        let completed = self.word.load(Acquire, loc) == COMPLETE;
        if completed {
            means(&self.word, Meaning::FindsDone);
        }
        completed
    }

    fn wait_at(&self, ignore_poison: bool, loc: Loc) {
        let mut word = self.word.load(Acquire, loc);
        loop {
            match word & STATE_MASK {
                COMPLETE => return means(&self.word, Meaning::FindsDone),
                POISONED if !ignore_poison => poisoned(),
                _ => word = self.sleep(word, loc),
            }
        }
    }

    /// The one function behind all initialisations.
    pub(super) fn call(&self, ignore_poison: bool, loc: Loc, f: impl FnOnce(&OnceState)) {
        let mut word = self.word.load(Acquire, loc);
        loop {
            let state = word & STATE_MASK;
            match state {
                COMPLETE => return means(&self.word, Meaning::FindsDone),
                POISONED if !ignore_poison => poisoned(),
                INCOMPLETE | POISONED => {
                    let running = RUNNING | word & QUEUED;
                    if let Err(now) = self.word.compare_exchange(word, running, Acquire, Acquire, loc) {
                        word = now;
                        continue;
                    }
                    means(&self.word, Meaning::Runs);
                    let mut completion = Completion { word: &self.word, after: POISONED, loc };
                    let once = OnceState { poisoned: state == POISONED, _not_sync: PhantomData };
                    f(&once);
                    completion.after = COMPLETE;
                    return;
                }
                _ => word = self.sleep(word, loc),
            }
        }
    }

    /// Sleeps until the running function is through, and reads the word again.
    fn sleep(&self, word: u32, loc: Loc) -> u32 {
        if word & QUEUED == 0
            && let Err(now) = self.word.compare_exchange(word, word | QUEUED, Relaxed, Acquire, loc)
        {
            return now;
        }
        self.word.wait(word | QUEUED, loc);
        self.word.load(Acquire, loc)
    }
}

#[cold]
#[track_caller]
fn poisoned() -> ! {
    panic!("Once instance has previously been poisoned");
}

impl OnceState {
    /// std's `is_poisoned`.
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState").field("poisoned", &self.is_poisoned()).finish()
    }
}
