//! The compiler's access hooks: the ABI of the thread sanitizer, served by this runtime instead
//! of its library. Plain accesses feed race detection (and are schedule points in `access`
//! granularity, or where the variable is promoted). Atomic operations have a room of their own, `access_atomic`.
//!
//! Accesses to `volatile` objects of C and C++ are points at every granularity that has points at operations, and
//! synchronise, as if the object were promoted: programs that use such flags mean them so. That C does not is a
//! warning (`engine/src/analysis/mod.rs`, `volatile`).

use crate::carrier::slot;
use crate::interpose::code_site;
use crate::kernel::here::Here;
use crate::kernel::point::{pass, pass_reading};
use crate::kernel::record::{MAX_EVENTS, detailed};
use crate::kernel::{active, k, spin};
use crate::memory::{freed, imports};
use crate::model::{misuse, stacks, statics};
use crate::{entry, entry_here, entry_reading, facade, promoted, std_locks};
use core::ffi::{CStr, c_int, c_void};
use raddle_schedule::{Event, MANY_ACCESSES, OpKind, Order, Outcome, flags};

/// Has any instrumented code run? Without it, frees need no events.
static mut HOOKS: bool = false;
/// Hooks of accesses of which a Rust program with any asks for one.
const OF_ACCESSES: [&CStr; 13] = [
    c"__tsan_read1",
    c"__tsan_read2",
    c"__tsan_read4",
    c"__tsan_read8",
    c"__tsan_read16",
    c"__tsan_write1",
    c"__tsan_write2",
    c"__tsan_write4",
    c"__tsan_write8",
    c"__tsan_write16",
    c"__tsan_memcpy",
    c"__tsan_memmove",
    c"__tsan_memset",
];

/// Before the first execution: a Rust program with the hooks of atomics alone has no accesses that could race.
pub fn prepare() {
    if facade::is_there() && !OF_ACCESSES.iter().any(|hook| imports::asked_for(hook)) {
        // SAFETY: before threads.
        unsafe { HOOKS = false };
    }
}

/// Are there hooks of accesses in the program?
#[inline]
pub fn are_seen() -> bool {
    // SAFETY: a plain flag, set before threads.
    unsafe { HOOKS }
}

/// One plain access of a power of two of bytes.
#[inline]
fn access(kind: OpKind, at: u64, size: u32, volatile: bool, caller: *const c_void) {
    if std_locks::cover(at) {
        return;
    }
    if kind == OpKind::Write {
        spin::wrote(at);
    }
    if k().quiet {
        return;
    }
    // While T0 is alone nobody can race with it: what came before a spawn happens before all the
    // new thread does, and what it did happens before a join.
    if k().spawned == 1 {
        return look_alone(kind, at, size, volatile, caller);
    }
    promoted::accessed(at, size);
    if kind == OpKind::Write {
        k().stored.forget_range(at, u64::from(size));
    }
    if volatile && synchronises() || is_step(at, size) {
        let e = access_event(kind, at, size, volatile, caller);
        return pass(e, true);
    }
    record(kind, at, size, volatile, caller);
    // What recording it left on the stack is none of the loop's state.
    if k().me().spin.has_read() {
        spin::wipe();
    }
}

/// An access that is not recorded: all that can be wrong with it is where it goes.
#[inline]
fn look_alone(kind: OpKind, at: u64, size: u32, volatile: bool, caller: *const c_void) {
    if kind == OpKind::Write {
        k().stored.forget_range(at, u64::from(size));
    }
    if freed::is(at as usize) || statics::is_gone(at as usize) || stacks::is_own_and_gone(at as usize, caller)
    {
        misuse::look(&access_event(kind, at, size, volatile, caller));
    }
}

/// Is a `volatile` object taken for a synchronisation variable? In Rust such accesses are for devices, and not
/// mistaken for synchronisation.
#[inline]
fn synchronises() -> bool {
    !facade::is_there()
}

/// Is an access to these bytes a point?
#[inline]
fn is_step(at: u64, size: u32) -> bool {
    k().wants_access() || promoted::covers(at, size)
}

#[inline]
fn access_event(kind: OpKind, at: u64, size: u32, volatile: bool, caller: *const c_void) -> Event {
    let mut e = Event::new(kind, k().current, at);
    e.set_access(Order::Relaxed, size);
    if volatile && synchronises() {
        e.flags |= flags::VOLATILE | flags::PROMOTED;
    }
    if kind != OpKind::Free && promoted::covers(at, size) {
        e.flags |= flags::PROMOTED;
    }
    e.site = code_site(caller as u64);
    e
}

/// A plain read where reads are steps: in a spin loop it may have to wait.
fn read(at: u64, size: u32, volatile: bool, here: &Here) {
    let kernel = k();
    let is_step = volatile && synchronises() || is_step(at, size);
    if kernel.spawned == 1 || kernel.quiet || !is_step || std_locks::cover(at) {
        access(OpKind::Read, at, size, volatile, here.caller);
        let kernel = k();
        let is_looked_at = kernel.again.is_looked_at() && kernel.spawned > 1 && !kernel.quiet;
        if !is_looked_at || std_locks::cover(at) || !kernel.goes_round(here) {
            return;
        }
    }
    promoted::accessed(at, size);
    pass_reading(access_event(OpKind::Read, at, size, volatile, here.caller), here);
}

/// Records an access that is no schedule point, unless it repeats one since the last step.
#[inline]
fn record(kind: OpKind, at: u64, size: u32, volatile: bool, caller: *const c_void) {
    let kernel = k();
    let identity = Event::new(kind, kernel.current, at).identity();
    // What it does behind something that it has published is ordered otherwise than what it did before.
    let own = kernel.me().slot;
    let is_own = || slot::is_stack(at as usize) && slot::of_address(at as usize) == own;
    if kernel.counts.dropping >> kernel.current & 1 != 0 && kind != OpKind::Free && !is_own() {
        kernel.counts.touches(kind, at, size);
    }
    let released = kernel.asides.releases(is_own);
    let operations = kernel.steps.wrapping_add(kernel.inlined).wrapping_add(released);
    let repeated = kernel.seen.repeated(identity, size, operations);
    // What is wrong is recorded in any case: it ends the execution.
    let is_wrong = || {
        freed::is(at as usize)
            || statics::is_gone(at as usize)
            || stacks::is_own_and_gone(at as usize, caller)
    };
    if repeated && !is_wrong() {
        if detailed() {
            kernel.repeats(identity, size);
        }
        if kind == OpKind::Read {
            kernel.again.repeats()
        } else {
            kernel.again.ends()
        }
        return;
    }
    kernel.again.ends();
    let hidden = kernel.asides.is_hidden() && slot::is_stack(at as usize) && !is_own();
    if hidden || kernel.events.len() >= MAX_EVENTS {
        kernel.me().pending = access_event(kind, at, size, volatile, caller);
        crate::kernel::point::end_execution(Outcome::Truncated, kernel.steps, MANY_ACCESSES);
    }
    let e = access_event(kind, at, size, volatile, caller);
    k().push(e);
    if kind == OpKind::Read && k().me().spin.has_read() {
        k().remember_plain();
    }
}

/// An access of any length.
pub fn range(kind: OpKind, at: u64, len: u64, caller: *const c_void) {
    pieces(at, len, |at, size| access(kind, at, size, false, caller));
}

/// The same of what is no step of its own at any granularity since it belongs to one: whom it races with is found, and that is
/// all.
pub fn along(kind: OpKind, at: u64, len: u64, caller: *const c_void) {
    pieces(at, len, |at, size| {
        if kind == OpKind::Write {
            spin::wrote(at);
        }
        if k().quiet {
            return;
        }
        if k().spawned == 1 {
            return look_alone(kind, at, size, false, caller);
        }
        promoted::accessed(at, size);
        record(kind, at, size, false, caller);
    });
}

/// Cuts a range into aligned powers of two, which is what an event can say exactly.
fn pieces(mut at: u64, mut len: u64, mut each: impl FnMut(u64, u32)) {
    while len > 0 {
        let aligned = if at == 0 { 31 } else { at.trailing_zeros().min(31) };
        let size = 1u64 << aligned.min(63 - len.leading_zeros());
        each(at, size as u32);
        at += size;
        len -= size;
    }
}

/// A block is given back: as good as a write to all of it.
pub fn freed(block: u64, len: u64, caller: *const c_void) {
    if are_seen() && k().spawned > 1 {
        pieces(block, len, |at, size| record(OpKind::Free, at, size, false, caller));
        if k().counts.dropping >> k().current & 1 != 0 {
            k().counts.gives_back(block, len);
        }
    }
}

macro_rules! reads {
    ($($name:ident / $inner:ident / $watched:ident: $size:literal;)*) => { $(
        entry_reading!($name, $inner, $watched);

        unsafe extern "C" fn $inner(at: *mut c_void, caller: *const c_void) {
            if active() {
                access(OpKind::Read, at as u64, $size, false, caller);
            }
        }

        unsafe extern "C" fn $watched(at: *mut c_void, here: &Here) {
            if active() {
                read(at as u64, $size, false, here);
            }
        }
    )* };
}

reads! {
    __tsan_read1 / read1 / read1_here: 1;
    __tsan_read2 / read2 / read2_here: 2;
    __tsan_read4 / read4 / read4_here: 4;
    __tsan_read8 / read8 / read8_here: 8;
    __tsan_read16 / read16 / read16_here: 16;
    __tsan_unaligned_read2 / unaligned_read2 / unaligned_read2_here: 2;
    __tsan_unaligned_read4 / unaligned_read4 / unaligned_read4_here: 4;
    __tsan_unaligned_read8 / unaligned_read8 / unaligned_read8_here: 8;
    __tsan_unaligned_read16 / unaligned_read16 / unaligned_read16_here: 16;
    __tsan_vptr_read / vptr_read / vptr_read_here: 8;
}

macro_rules! volatile_reads {
    ($($name:ident / $inner:ident: $size:literal;)*) => { $( entry_here! {
        /// Hook before a read of a `volatile` object: a loop may spin on it.
        fn $name / $inner(at: *mut c_void) -> (), 1, here {
            if active() {
                read(at as u64, $size, true, here);
            }
        }
    } )* };
}

volatile_reads! {
    __tsan_volatile_read1 / volatile_read1: 1;
    __tsan_volatile_read2 / volatile_read2: 2;
    __tsan_volatile_read4 / volatile_read4: 4;
    __tsan_volatile_read8 / volatile_read8: 8;
    __tsan_volatile_read16 / volatile_read16: 16;
    __tsan_unaligned_volatile_read2 / unaligned_volatile_read2: 2;
    __tsan_unaligned_volatile_read4 / unaligned_volatile_read4: 4;
    __tsan_unaligned_volatile_read8 / unaligned_volatile_read8: 8;
    __tsan_unaligned_volatile_read16 / unaligned_volatile_read16: 16;
}

macro_rules! writes {
    ($($name:ident / $inner:ident: $size:literal, $volatile:literal;)*) => { $( entry! {
        /// Hook before a write.
        fn $name / $inner(at: *mut c_void) -> (), 1, caller {
            if active() {
                access(OpKind::Write, at as u64, $size, $volatile, caller);
            }
        }
    } )* };
}

writes! {
    __tsan_write1 / write1: 1, false;
    __tsan_write2 / write2: 2, false;
    __tsan_write4 / write4: 4, false;
    __tsan_write8 / write8: 8, false;
    __tsan_write16 / write16: 16, false;
    __tsan_unaligned_write2 / unaligned_write2: 2, false;
    __tsan_unaligned_write4 / unaligned_write4: 4, false;
    __tsan_unaligned_write8 / unaligned_write8: 8, false;
    __tsan_unaligned_write16 / unaligned_write16: 16, false;
    __tsan_volatile_write1 / volatile_write1: 1, true;
    __tsan_volatile_write2 / volatile_write2: 2, true;
    __tsan_volatile_write4 / volatile_write4: 4, true;
    __tsan_volatile_write8 / volatile_write8: 8, true;
    __tsan_volatile_write16 / volatile_write16: 16, true;
    __tsan_unaligned_volatile_write2 / unaligned_volatile_write2: 2, true;
    __tsan_unaligned_volatile_write4 / unaligned_volatile_write4: 4, true;
    __tsan_unaligned_volatile_write8 / unaligned_volatile_write8: 8, true;
    __tsan_unaligned_volatile_write16 / unaligned_volatile_write16: 16, true;
}

macro_rules! both {
    ($($name:ident / $inner:ident: $size:literal;)*) => { $( entry! {
        /// Hook before a read and a write of the same place.
        fn $name / $inner(at: *mut c_void) -> (), 1, caller {
            if active() {
                access(OpKind::Read, at as u64, $size, false, caller);
                access(OpKind::Write, at as u64, $size, false, caller);
            }
        }
    } )* };
}

both! {
    __tsan_read_write1 / read_write1: 1;
    __tsan_read_write2 / read_write2: 2;
    __tsan_read_write4 / read_write4: 4;
    __tsan_read_write8 / read_write8: 8;
    __tsan_read_write16 / read_write16: 16;
    __tsan_unaligned_read_write2 / unaligned_read_write2: 2;
    __tsan_unaligned_read_write4 / unaligned_read_write4: 4;
    __tsan_unaligned_read_write8 / unaligned_read_write8: 8;
    __tsan_unaligned_read_write16 / unaligned_read_write16: 16;
}

entry! {
    /// Hook before a write of a C++ object's table pointer.
    fn __tsan_vptr_update / vptr_update(at: *mut *mut c_void, value: *mut c_void) -> (), 2, caller {
        // Rewriting the same value, as destructors do, changes nothing that anybody could see.
        // SAFETY: the object being constructed or destroyed.
        if active() && unsafe { *at } != value {
            access(OpKind::Write, at as u64, 8, false, caller);
        }
    }
}

entry! {
    /// Hook before a read of any length.
    fn __tsan_read_range / read_range(at: *mut c_void, len: usize) -> (), 2, caller {
        if active() {
            range(OpKind::Read, at as u64, len as u64, caller);
        }
    }
}

entry! {
    /// Hook before a write of any length.
    fn __tsan_write_range / write_range(at: *mut c_void, len: usize) -> (), 2, caller {
        if active() {
            range(OpKind::Write, at as u64, len as u64, caller);
        }
    }
}

/// Called by every instrumented file's constructor.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    // SAFETY: in constructors.
    unsafe { HOOKS = true };
}

/// Hook at a function's entry: not asked for, but files compiled without the option call it.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_entry(_: *const c_void) {}

/// Hook at a function's end.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_exit() {}

macro_rules! memory {
    ($($name:ident / $inner:ident ($to:ident, $from:ident, $len:ident) $how:block)*) => { $( entry! {
        /// Copies, as two accesses.
        fn $name / $inner($to: *mut c_void, $from: *const c_void, $len: usize) -> *mut c_void, 3, caller {
            if active() {
                range(OpKind::Read, $from as u64, $len as u64, caller);
                range(OpKind::Write, $to as u64, $len as u64, caller);
            }
            // SAFETY: the caller's ranges.
            unsafe { $how }
            $to
        }
    } )* };
}

memory! {
    __wrap_memcpy / wrap_memcpy(to, from, len) { core::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast(), len) }
    __wrap_memmove / wrap_memmove(to, from, len) { core::ptr::copy(from.cast::<u8>(), to.cast(), len) }
    __tsan_memcpy / tsan_memcpy(to, from, len) { core::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast(), len) }
    __tsan_memmove / tsan_memmove(to, from, len) { core::ptr::copy(from.cast::<u8>(), to.cast(), len) }
}

entry! {
    /// Fills, as a write.
    fn __wrap_memset / wrap_memset(to: *mut c_void, byte: c_int, len: usize) -> *mut c_void, 3, caller {
        if active() {
            range(OpKind::Write, to as u64, len as u64, caller);
        }
        // SAFETY: the caller's range.
        unsafe { core::ptr::write_bytes(to.cast::<u8>(), byte as u8, len) };
        to
    }
}

entry! {
    /// Fills, as a write.
    fn __tsan_memset / tsan_memset(to: *mut c_void, byte: c_int, len: usize) -> *mut c_void, 3, caller {
        // SAFETY: the same contract.
        unsafe { wrap_memset(to, byte, len, caller) }
    }
}
