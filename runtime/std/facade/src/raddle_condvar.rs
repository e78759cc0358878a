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
        let timed_out = |left: Option<Duration>| WaitTimeoutResult(left.is_none());
        match self.wait_for(guard, dur) {
            Ok((guard, left)) => Ok((guard, timed_out(left))),
            Err(poisoned) => {
                let (guard, left) = poisoned.into_inner();
                Err(PoisonError::new((guard, timed_out(left))))
            }
        }
    }

    /// The same, with what is left of the time; `None` if it ran out.
    #[track_caller]
    fn wait_for<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, Option<Duration>)> {
        let (lock, guard) = guard.into_parts();
        let (result, left) = if rt::active() {
            drop(guard);
            let left = if rt::is_never(dur) {
                rt::cond_wait(self.name(), lock.name(), Loc::caller());
                Some(dur)
            } else {
                rt::cond_wait_timeout(self.name(), lock.name(), dur, Loc::caller())
            };
            (lock.granted(), left)
        } else {
            let start = Instant::now();
            let left = |result: real::WaitTimeoutResult| {
                (!result.timed_out()).then(|| dur.saturating_sub(start.elapsed()))
            };
            match self.0.wait_timeout(guard, dur) {
                Ok((guard, result)) => (lock.guard(Ok(guard)), left(result)),
                Err(poisoned) => {
                    let (guard, result) = poisoned.into_inner();
                    (lock.guard(Err(PoisonError::new(guard))), left(result))
                }
            }
        };
        match result {
            Ok(guard) => Ok((guard, left)),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), left))),
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
        let mut left = Some(dur);
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let Some(time) = left.filter(|left| !left.is_zero()) else {
                return Ok((guard, WaitTimeoutResult(true)));
            };
            (guard, left) = match self.wait_for(guard, time) {
                Ok(waited) => waited,
                Err(poisoned) => {
                    let (guard, left) = poisoned.into_inner();
                    return Err(PoisonError::new((guard, WaitTimeoutResult(left.is_none()))));
                }
            };
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
