//! `std::sync::Condvar`.

use super::mutex::MutexGuard;
use crate::rt::{self, Loc};
use std::fmt;
use std::sync::{self as real, LockResult, PoisonError};
use std::time::{Duration, Instant};

/// std's `Condvar`.
#[derive(Default)]
pub struct Condvar(real::Condvar);

/// std's `WaitTimeoutResult`.
#[derive(Debug, PartialEq, Eq, Copy, Clone)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// std's `timed_out`.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    /// std's `new`.
    #[must_use]
    #[inline]
    pub const fn new() -> Condvar {
        Condvar(real::Condvar::new())
    }

    /// std's `wait`.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let (lock, guard) = guard.into_parts();
        if !rt::active() {
            return lock.guard(self.0.wait(guard));
        }
        drop(guard);
        rt::cond_wait(self.name(), lock.name(), Loc::caller());
        lock.granted()
    }

    /// std's `wait_while`.
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// std's `wait_timeout_ms`.
    #[deprecated(note = "replaced by `std::sync::Condvar::wait_timeout`")]
    #[track_caller]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        match self.wait_timeout(guard, Duration::from_millis(ms.into())) {
            Ok((guard, result)) => Ok((guard, !result.timed_out())),
            Err(poisoned) => {
                let (guard, result) = poisoned.into_inner();
                Err(PoisonError::new((guard, !result.timed_out())))
            }
        }
    }

    /// std's `wait_timeout`.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (lock, guard) = guard.into_parts();
        let (result, timed_out) = if rt::active() {
            drop(guard);
            let timed_out = if rt::is_never(dur) {
                rt::cond_wait(self.name(), lock.name(), Loc::caller());
                false
            } else {
                rt::cond_wait_timeout(self.name(), lock.name(), dur, Loc::caller())
            };
            (lock.granted(), timed_out)
        } else {
            match self.0.wait_timeout(guard, dur) {
                Ok((guard, result)) => (lock.guard(Ok(guard)), result.timed_out()),
                Err(poisoned) => {
                    let (guard, result) = poisoned.into_inner();
                    (lock.guard(Err(PoisonError::new(guard))), result.timed_out())
                }
            }
        };
        match result {
            Ok(guard) => Ok((guard, WaitTimeoutResult(timed_out))),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), WaitTimeoutResult(timed_out)))),
        }
    }

    /// std's `wait_timeout_while`.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        // Raddle looks at no clock, or each call would differ from the one before, and a loop of them could not wait
        // (`runtime/src/kernel/held.rs`): whoever is woken too early waits as long again.
        let start = if rt::active() { None } else { Some(Instant::now()) };
        let mut over = dur.is_zero();
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            // A wait that has timed out has used up the time, whatever the clock says.
            let past = start.map_or(Duration::ZERO, |start| start.elapsed());
            let left = if over { None } else { dur.checked_sub(past) };
            let Some(left) = left else { return Ok((guard, WaitTimeoutResult(true))) };
            let (now, result) = self.wait_timeout(guard, left)?;
            (guard, over) = (now, result.timed_out());
        }
    }

    /// std's `notify_one`.
    #[track_caller]
    pub fn notify_one(&self) {
        if rt::active() { rt::cond_notify_one(self.name(), Loc::caller()) } else { self.0.notify_one() }
    }

    /// std's `notify_all`.
    #[track_caller]
    pub fn notify_all(&self) {
        if rt::active() { rt::cond_notify_all(self.name(), Loc::caller()) } else { self.0.notify_all() }
    }

    /// What the model calls this condition variable.
    fn name(&self) -> *const () {
        (&raw const self.0).cast()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
