//! Waiting for the other side of a ring: spin for a moment when there is a second CPU to make
//! progress meanwhile, then sleep on a futex.

use super::sys;
use core::sync::atomic::{AtomicU32, Ordering};

/// Looks this often before it sleeps: some 15 µs, several executions of a small test. Longer
/// would only take the CPU away from a partner that has lost its own.
const SPINS: u32 = 500;

/// Somebody may be asleep, waiting for a ring to change.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Sleeper(AtomicU32);

impl Sleeper {
    /// Waits until `ready` says so; `false` when it did not within so many nanoseconds.
    ///
    /// `ready` must read with at least acquire ordering what the other side publishes before it
    /// calls [`Sleeper::wake`].
    pub fn wait(&self, spin: bool, nanos: u64, ready: impl Fn() -> bool) -> bool {
        let spins = if spin { SPINS } else { 1 };
        for _ in 0..spins {
            if ready() {
                return true;
            }
            core::hint::spin_loop();
        }
        // Announce, look again, sleep: the waker publishes first and then looks for the
        // announcement, so one of the two sees the other (both sides are SeqCst).
        self.0.store(1, Ordering::SeqCst);
        core::sync::atomic::fence(Ordering::SeqCst);
        if ready() {
            return true;
        }
        sys::wait(&self.0, 1, nanos);
        ready()
    }

    /// Wakes the other side if it sleeps. Call after publishing.
    pub fn wake(&self) {
        core::sync::atomic::fence(Ordering::SeqCst);
        if self.0.load(Ordering::Relaxed) != 0 {
            self.0.store(0, Ordering::SeqCst);
            sys::wake(&self.0);
        }
    }
}
