//! `std::thread`. Threads are std's own: they reach the kernel through `pthread_create`, `_join` and
//! `_detach`, and so have their natural ids, names, thread-locals and panics. Here they get their
//! places, and what std does without libc: parking, giving way, sleeping.

#[path = "raddle_packet.rs"]
mod packet;
#[path = "raddle_scope.rs"]
mod scope;
#[path = "raddle_spawn.rs"]
mod spawn;

use crate::rt::{self, Loc};
use std::fmt;
use std::num::NonZero;
use std::thread as real;
use std::time::Duration;

pub use scope::{Scope, ScopedJoinHandle, scope};
pub use spawn::{Builder, JoinHandle, spawn};
pub use std::thread::*;

/// std's `Thread`.
#[derive(Clone)]
#[repr(transparent)]
pub struct Thread(real::Thread);

impl Thread {
    /// std's `unpark`.
    #[track_caller]
    pub fn unpark(&self) {
        if rt::active() { rt::unpark(self.0.id(), Loc::caller()) } else { self.0.unpark() }
    }

    /// std's `id`.
    #[must_use]
    pub fn id(&self) -> ThreadId {
        rt::asks_for_id();
        self.0.id()
    }

    /// std's `name`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        crate::test_name::of(self.0.id()).or_else(|| self.0.name())
    }

    /// The same thread, as one of these.
    fn wrap(thread: &real::Thread) -> &Thread {
        // SAFETY: `Thread` is transparent around the real one.
        unsafe { &*(&raw const *thread).cast() }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// std's `current`.
#[must_use]
pub fn current() -> Thread {
    let current = real::current();
    if rt::active() {
        rt::own_id(current.id());
    }
    Thread(current)
}

/// std's `park`.
#[track_caller]
pub fn park() {
    if rt::active() { rt::park(real::current().id(), Loc::caller()) } else { real::park() }
}

/// std's `park_timeout`.
#[track_caller]
pub fn park_timeout(dur: Duration) {
    if rt::active() {
        // A handle that lived until then would be a reference that a loop around this counts.
        let id = real::current().id();
        match rt::is_never(dur) {
            true => rt::park(id, Loc::caller()),
            false => rt::park_timeout(id, dur, Loc::caller()),
        }
    } else {
        real::park_timeout(dur);
    }
}

/// std's `park_timeout_ms`.
#[deprecated(note = "replaced by `std::thread::park_timeout`")]
#[track_caller]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(ms.into()));
}

/// std's `yield_now`.
#[track_caller]
pub fn yield_now() {
    if rt::active() { rt::yield_now(Loc::caller()) } else { real::yield_now() }
}

/// std's `sleep`. Time is virtual.
#[track_caller]
pub fn sleep(dur: Duration) {
    if rt::active() { rt::sleep(dur, Loc::caller()) } else { real::sleep(dur) }
}

/// std's `sleep_ms`.
#[deprecated(note = "replaced by `std::thread::sleep`")]
#[track_caller]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(ms.into()));
}

/// std's `available_parallelism`: two under the model, so that a schedule found on one machine
/// means the same on every other, and pools sized by it stay small enough to explore.
pub fn available_parallelism() -> std::io::Result<NonZero<usize>> {
    if rt::active() { Ok(const { NonZero::new(2).unwrap() }) } else { real::available_parallelism() }
}
