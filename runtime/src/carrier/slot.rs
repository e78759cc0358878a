//! Slots: the fixed places of threads in memory.
//!
//! A thread's slot is a function of its identity, (parent, n-th child), never of the order in
//! which a schedule happens to create threads (algorithms, rule 1): its stack and its heap have
//! the same addresses in every execution and in every process.

use super::fiber::Fiber;
use super::{os_thread, tls};
use crate::interpose::real;
use crate::memory::modules;
use crate::sys;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};

/// Slots there are. More than threads, so that identities rarely meet.
pub const SLOTS: usize = 1024;
/// Children of T0 with slots of their own number; all other identities share the rest by hash.
const DIRECT: usize = 64;
const STACKS: usize = 0x3000_0000_0000;
const STRIDE: usize = 16 << 20;
/// Size of a stack: what Linux gives a main thread.
pub const STACK: usize = 8 << 20;
/// Unreachable memory below a stack.
const GUARD: usize = 64 << 10;
/// Left to the parked pthread's own frames above the fiber (feasibility, part A, section C).
const LENDER: usize = 16 << 10;

/// One carrier.
pub struct Slot {
    /// Its stack has been mapped.
    mapped: bool,
    /// Its pthread has been created.
    ready: bool,
    /// Which identity it belongs to: parent slot and child number, plus one; 0 is nobody yet.
    identity: u64,
    /// Lowest usable address of the stack.
    pub low: usize,
    /// Where the fiber's stack begins (its highest address).
    pub base: usize,
    /// FS base.
    pub fs: usize,
    /// The pthread that lends stack and FS base.
    pub pthread: libc::pthread_t,
    /// The OS thread's number, where it resumes the fiber itself.
    pub tid: u32,
    /// The token: 1 when this carrier may run.
    pub token: AtomicU32,
    /// Its OS thread waits for the token on the fiber.
    pub waiting: bool,
    /// The fiber.
    pub fiber: Fiber,
}

struct Table(UnsafeCell<[Slot; SLOTS]>);

// SAFETY: entered by the token's holder only; the fields a parking carrier writes (`create`) are
// waited for before anybody else looks.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new(
    [const {
        Slot {
            mapped: false,
            ready: false,
            identity: 0,
            low: 0,
            base: 0,
            fs: 0,
            pthread: 0,
            tid: 0,
            token: AtomicU32::new(0),
            waiting: false,
            fiber: Fiber::none(),
        }
    }; SLOTS],
));

/// A slot. The reference must not be kept across a switch.
pub fn get(slot: usize) -> &'static mut Slot {
    // SAFETY: see `Table`; callers use one reference at a time.
    unsafe { &mut (*TABLE.0.get())[slot] }
}

/// The slot whose stack an address lies on.
#[inline]
pub fn of_address(address: usize) -> usize {
    address.wrapping_sub(STACKS) / STRIDE % SLOTS
}

/// Is the address on some slot's stack?
#[inline]
pub fn is_stack(address: usize) -> bool {
    address.wrapping_sub(STACKS) < SLOTS * STRIDE
}

/// The stack of a slot: its lowest usable address, and the one behind its highest.
pub fn stack(slot: usize) -> (usize, usize) {
    (STACKS + slot * STRIDE + GUARD, STACKS + slot * STRIDE + STACK)
}

/// The slot of the n-th child (from 0) of the thread in slot `parent`.
pub fn of_child(parent: usize, n: u32) -> usize {
    if parent == 0 && (n as usize) < DIRECT - 1 {
        return n as usize + 1;
    }
    let identity = (parent as u64) << 32 | (u64::from(n) + 1);
    let hash = raddle_schedule::hash::mix(identity, 0) as usize;
    let shared = SLOTS - DIRECT;
    // The table is sixteen times as large as an execution may have threads, so a place is
    // found; identities that collide get theirs in the order in which they are first seen.
    let mut slot = DIRECT;
    for probe in 0..shared {
        slot = DIRECT + (hash + probe) % shared;
        let entry = get(slot);
        if entry.identity == 0 || entry.identity == identity {
            entry.identity = identity;
            break;
        }
    }
    slot
}

/// Makes slot 0, which belongs to T0: the stack is ours, the FS base is the main thread's.
pub fn create_main() -> bool {
    let slot = get(0);
    let Some(low) = map_stack(0) else { return false };
    slot.low = low;
    slot.base = STACKS + STACK - LENDER;
    slot.fs = tls::current_fs();
    slot.tid = os_thread::tid();
    // SAFETY: the calling thread is the main thread, whose handle this is.
    slot.pthread = unsafe { libc::pthread_self() };
    slot.ready = true;
    true
}

/// Makes sure that a slot's carrier exists. `false` when memory or threads are short.
pub fn ensure(index: usize) -> bool {
    if get(index).ready {
        return true;
    }
    if !get(index).mapped {
        let Some(low) = map_stack(index) else { return false };
        get(index).low = low;
        get(index).mapped = true;
    }
    let low = get(index).low;
    // SAFETY: the attribute is initialised before use; the stack is freshly mapped and stays.
    let failed = unsafe {
        let mut attr: libc::pthread_attr_t = core::mem::zeroed();
        libc::pthread_attr_init(&mut attr);
        libc::pthread_attr_setstack(&mut attr, low as *mut c_void, STACK - GUARD);
        let mut thread = 0;
        let failed = (real::get().pthread_create)(&mut thread, &attr, lender, index as *mut c_void) != 0;
        get(index).pthread = thread;
        failed
    };
    if failed {
        return false;
    }
    // The new thread parks itself; until then its registers are not known.
    while PARKED.swap(0, Ordering::Acquire) != index as u32 {
        sys::futex_wait(&PARKED, 0);
    }
    get(index).ready = true;
    true
}

/// The slot that has just parked.
static PARKED: AtomicU32 = AtomicU32::new(0);

/// In a forked child: the pthreads of the parent are not there. On fibers only their stacks and
/// thread control blocks are needed, which are; where they run themselves they are made anew, on
/// the same stacks and so at the same addresses.
pub fn after_fork() {
    for index in 1..SLOTS {
        get(index).ready = false;
        get(index).token.store(0, Ordering::Relaxed);
        get(index).waiting = false;
    }
    get(0).tid = os_thread::tid();
}

fn map_stack(index: usize) -> Option<usize> {
    let at = STACKS + index * STRIDE;
    if sys::map_fixed(at, STACK).is_null() {
        return None;
    }
    let mut runs_code = false;
    modules::each(|m| runs_code |= m.has_code_on_stacks());
    if runs_code {
        // SAFETY: the fresh mapping, used by nobody.
        unsafe { sys::permit_code(at, STACK) };
    }
    // SAFETY: the lowest pages of the fresh mapping, used by nobody.
    unsafe { sys::forbid(at, GUARD) };
    Some(at + GUARD)
}

/// Body of the pthread that lends its stack and FS base.
extern "C" fn lender(index: *mut c_void) -> *mut c_void {
    let index = index as usize;
    let here = 0u8;
    let slot = get(index);
    slot.base = ((&raw const here as usize) - LENDER) & !63;
    slot.fs = tls::current_fs();
    slot.tid = os_thread::tid();
    let os_threads = crate::kernel::k().setup().os_threads;
    if os_threads {
        crate::kernel::fault::use_alternate_stack();
    } else {
        os_thread::block_signals();
    }
    PARKED.store(index as u32, Ordering::Release);
    sys::futex_wake(&PARKED);
    os_thread::park(index, os_threads)
}

#[cfg(test)]
mod tests {
    use super::of_child;
    use std::vec::Vec;

    /// Rule 1: a thread's place follows from who spawned it and as which child, not from what
    /// other threads happened to spawn before.
    #[test]
    fn slots_follow_from_identity() {
        assert_eq!(of_child(0, 0), 1);
        assert_eq!(of_child(0, 62), 63);
        let forward: Vec<usize> = (1..20).map(|parent| of_child(parent, 0)).collect();
        let backward: Vec<usize> = (1..20).rev().map(|parent| of_child(parent, 0)).collect();
        assert_eq!(forward, backward.into_iter().rev().collect::<Vec<_>>());
        let mut all = forward;
        all.extend((0..20).map(|n| of_child(7, n)));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 19 + 20 - 1, "only (7, 0) is asked for twice");
        assert!(all.iter().all(|slot| *slot >= 64), "nested threads stay clear of T0's children");
    }
}
