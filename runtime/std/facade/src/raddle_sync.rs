//! `std::sync`. What is re-exported with the glob cannot block (`Arc`, the poison types). Unstable items that can
//! stand here with nothing in them: a program that uses one does not compile, and the compiler names it.
//! (`runtime/std/surface.txt` says of every item what becomes of it, and a test holds it to that.)

#[path = "raddle_barrier.rs"]
mod barrier;
#[path = "raddle_condvar.rs"]
mod condvar;
#[path = "raddle_lazy_lock.rs"]
mod lazy_lock;
#[path = "raddle_mpsc.rs"]
pub mod mpsc;
#[path = "raddle_mutex.rs"]
mod mutex;
#[path = "raddle_once.rs"]
mod once;
#[path = "raddle_once_lock.rs"]
mod once_lock;
#[path = "raddle_raw_rwlock.rs"]
mod raw_rwlock;
#[path = "raddle_rwlock.rs"]
mod rwlock;

pub mod mpmc {}
pub mod nonpoison {}
pub mod oneshot {}

/// The names that std has here too, unstable.
pub mod poison {
    pub use super::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
    pub use super::{LockResult, PoisonError, TryLockError, TryLockResult};
}

/// Unstable, and not modelled: nothing makes one.
pub struct ReentrantLock<T: ?Sized>(std::marker::PhantomData<T>);

pub use crate::atomic;
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
#[allow(deprecated)]
pub use once::{ONCE_INIT, Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::*;
