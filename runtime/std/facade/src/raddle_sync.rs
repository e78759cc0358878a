//! `std::sync`. What is re-exported with the glob either cannot block (`Arc`, the poison types) or
//! is unstable and blocks through the `syscall` symbol, which the runtime models.

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
