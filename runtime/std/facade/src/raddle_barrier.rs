//! `std::sync::Barrier`, on a mutex and a condition variable of the model as std builds it.

use super::condvar::Condvar;
use super::mutex::Mutex;
use std::fmt;
use std::sync::PoisonError;

/// std's `Barrier`.
pub struct Barrier {
    lock: Mutex<State>,
    cvar: Condvar,
    num_threads: usize,
}

struct State {
    /// Threads that have arrived at this generation.
    count: usize,
    /// Rises when the barrier opens.
    generation_id: usize,
}

/// std's `BarrierWaitResult`.
pub struct BarrierWaitResult(bool);

impl Barrier {
    /// std's `new`.
    #[must_use]
    #[inline]
    pub const fn new(n: usize) -> Barrier {
        let lock = Mutex::new(State { count: 0, generation_id: 0 });
        Barrier { lock, cvar: Condvar::new(), num_threads: n }
    }

    /// std's `wait`.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let local_gen = lock.generation_id;
        lock.count += 1;
        if lock.count < self.num_threads {
            while lock.generation_id == local_gen {
                lock = self.cvar.wait(lock).unwrap_or_else(PoisonError::into_inner);
            }
            BarrierWaitResult(false)
        } else {
            lock.count = 0;
            lock.generation_id = lock.generation_id.wrapping_add(1);
            self.cvar.notify_all();
            BarrierWaitResult(true)
        }
    }
}

impl BarrierWaitResult {
    /// std's `is_leader`.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult").field("is_leader", &self.is_leader()).finish()
    }
}
