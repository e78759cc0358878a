//! What our headers before those of C++'s library say (`runtime/include/first`): how a thread waits for an atomic of C++20 and
//! is notified, and that a loop only reads something again.

use super::{modelled, site};
use crate::entry;
use crate::kernel::{k, spin};
use crate::model::futex;
use core::ffi::{c_int, c_void};
use raddle_schedule::OpKind;

/// Is an execution running?
#[cfg_attr(not(test), unsafe(no_mangle))]
pub extern "C" fn __raddle_is_modelled() -> c_int {
    modelled().into()
}

entry! {
    /// Sleeps while the atomic of 1, 2, 4 or 8 bytes holds what lies at `old`; where that is null, what the thread has read
    /// there last.
    fn __raddle_atomic_wait / atomic_wait(at: *const c_void, size: u32, old: *const c_void) -> (), 3, caller {
        let (object, bytes) = (at as u64, size as usize);
        let mut expected = 0u64;
        if old.is_null() {
            expected = last_read(object);
        } else {
            // SAFETY: the header's own copy, of at most 8 bytes.
            unsafe { core::ptr::copy_nonoverlapping(old.cast::<u8>(), (&raw mut expected).cast(), bytes.min(8)) };
        }
        // SAFETY: the program's own atomic.
        unsafe { futex::wait_sized(object, size, expected, false, site(caller)) };
    }
}

entry! {
    /// Wakes one of those who sleep, or all.
    fn __raddle_atomic_notify / atomic_notify(at: *const c_void, all: c_int) -> (), 2, caller {
        let most = if all == 0 { 1 } else { i32::MAX as u32 };
        futex::wake(at.cast(), most, site(caller));
    }
}

/// Was the last operation of this thread a compare-exchange that found another value than the one that it had read?
#[cfg_attr(not(test), unsafe(no_mangle))]
pub extern "C" fn __raddle_lost_exchange() -> c_int {
    let is_lost = modelled() && k().last_event().is_some_and(|e| e.kind() == OpKind::AtomicRmw && e.failed());
    is_lost.into()
}

/// The next read of this atomic is in a loop that does nothing else, and goes by nothing else than what it reads.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub extern "C" fn __raddle_reads_again(at: *const c_void) {
    if modelled() {
        spin::reads_again(at as u64);
    }
}

/// The same of the lock of a `std::atomic<std::shared_ptr>`. A name of its own, since programs that import it have such locks, and
/// the guarantee says what they hide (`server/src/target/uninstrumented_calls.rs`).
#[cfg_attr(not(test), unsafe(no_mangle))]
pub extern "C" fn __raddle_pointer_lock(at: *const c_void) {
    __raddle_reads_again(at);
}

/// What the running thread read here last. (The header calls with an atomic that the thread has just read.)
fn last_read(object: u64) -> u64 {
    let (kernel, kind) = (k(), OpKind::AtomicLoad);
    let own = |e: &&raddle_schedule::Event| {
        e.thread() == kernel.current && e.kind() == kind && e.object() == object
    };
    kernel.events.iter().rev().find(own).map_or(0, |e| e.value)
}
