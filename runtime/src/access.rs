//! The compiler's access hooks: the ABI of the thread sanitizer, served by this runtime instead
//! of its library. Plain accesses feed race detection (and are schedule points in `access`
//! granularity); atomic operations are schedule points always.

use crate::entry;
use crate::interpose::code_site;
use crate::kernel::point::pass;
use crate::kernel::record::MAX_EVENTS;
use crate::kernel::{active, k};
use crate::model::atomic;
use core::ffi::{c_int, c_void};
use raddle_schedule::{Event, OpKind, Order, Outcome, flags};

/// Has any instrumented code run? Without it, frees need no events.
static mut HOOKS: bool = false;

/// One plain access of a power of two of bytes.
#[inline]
fn access(kind: OpKind, at: u64, size: u32, volatile: bool, caller: *const c_void) {
    // While T0 is alone nobody can race with it: what came before a spawn happens before all the
    // new thread does, and what it did happens before a join.
    if k().spawned == 1 {
        return;
    }
    if k().setup().access_points {
        let e = access_event(kind, at, size, volatile, caller);
        return pass(e, true);
    }
    record(kind, at, size, volatile, caller);
}

#[inline]
fn access_event(kind: OpKind, at: u64, size: u32, volatile: bool, caller: *const c_void) -> Event {
    let mut e = Event::new(kind, k().current, at);
    e.set_access(Order::Relaxed, size);
    if volatile {
        e.flags |= flags::VOLATILE;
    }
    e.site = code_site(caller as u64);
    e
}

/// Records an access that is no schedule point, unless it repeats one since the last step.
#[inline]
fn record(kind: OpKind, at: u64, size: u32, volatile: bool, caller: *const c_void) {
    let kernel = k();
    let identity = Event::new(kind, kernel.current, at).identity();
    if kernel.seen.repeated(identity, size, kernel.steps) {
        return;
    }
    if kernel.events.len() >= MAX_EVENTS {
        crate::kernel::point::end_execution(Outcome::Truncated, kernel.steps, "");
    }
    let e = access_event(kind, at, size, volatile, caller);
    k().push(e);
}

/// An access of any length.
fn range(kind: OpKind, at: u64, len: u64, caller: *const c_void) {
    pieces(at, len, |at, size| access(kind, at, size, false, caller));
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
    // SAFETY: a plain flag, set before threads.
    if unsafe { HOOKS } && k().spawned > 1 {
        pieces(block, len, |at, size| record(OpKind::Free, at, size, false, caller));
    }
}

macro_rules! plain {
    ($($name:ident / $inner:ident: $kind:ident, $size:literal, $volatile:literal;)*) => { $( entry! {
        /// Hook before an access.
        fn $name / $inner(at: *mut c_void) -> (), 1, caller {
            if active() {
                access(OpKind::$kind, at as u64, $size, $volatile, caller);
            }
        }
    } )* };
}

plain! {
    __tsan_read1 / read1: Read, 1, false;
    __tsan_read2 / read2: Read, 2, false;
    __tsan_read4 / read4: Read, 4, false;
    __tsan_read8 / read8: Read, 8, false;
    __tsan_read16 / read16: Read, 16, false;
    __tsan_write1 / write1: Write, 1, false;
    __tsan_write2 / write2: Write, 2, false;
    __tsan_write4 / write4: Write, 4, false;
    __tsan_write8 / write8: Write, 8, false;
    __tsan_write16 / write16: Write, 16, false;
    __tsan_unaligned_read2 / unaligned_read2: Read, 2, false;
    __tsan_unaligned_read4 / unaligned_read4: Read, 4, false;
    __tsan_unaligned_read8 / unaligned_read8: Read, 8, false;
    __tsan_unaligned_read16 / unaligned_read16: Read, 16, false;
    __tsan_unaligned_write2 / unaligned_write2: Write, 2, false;
    __tsan_unaligned_write4 / unaligned_write4: Write, 4, false;
    __tsan_unaligned_write8 / unaligned_write8: Write, 8, false;
    __tsan_unaligned_write16 / unaligned_write16: Write, 16, false;
    __tsan_volatile_read1 / volatile_read1: Read, 1, true;
    __tsan_volatile_read2 / volatile_read2: Read, 2, true;
    __tsan_volatile_read4 / volatile_read4: Read, 4, true;
    __tsan_volatile_read8 / volatile_read8: Read, 8, true;
    __tsan_volatile_read16 / volatile_read16: Read, 16, true;
    __tsan_volatile_write1 / volatile_write1: Write, 1, true;
    __tsan_volatile_write2 / volatile_write2: Write, 2, true;
    __tsan_volatile_write4 / volatile_write4: Write, 4, true;
    __tsan_volatile_write8 / volatile_write8: Write, 8, true;
    __tsan_volatile_write16 / volatile_write16: Write, 16, true;
    __tsan_vptr_read / vptr_read: Read, 8, false;
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

/// The point before an atomic operation of instrumented code.
#[inline]
fn before<T>(kind: OpKind, at: *const T, order: c_int, caller: *const c_void) -> bool {
    if !active() {
        return false;
    }
    let site = code_site(caller as u64);
    atomic::before(kind, at as u64, size_of::<T>() as u32, Order::from_abi(order), site);
    true
}

macro_rules! atomics {
    ($($bits:literal $t:ty, $atomic:ident: $load:ident $load_inner:ident, $store:ident $store_inner:ident,
       $exchange:ident $exchange_inner:ident, $strong:ident $strong_inner:ident, $weak:ident $weak_inner:ident,
       $val:ident $val_inner:ident, [$($rmw:ident $rmw_inner:ident $method:ident),*];)*) => { $(
        entry! {
            /// Atomic load.
            fn $load / $load_inner(at: *const $t, order: c_int) -> $t, 2, caller {
                let on = before(OpKind::AtomicLoad, at, order, caller);
                // SAFETY: the program's own aligned atomic, here and below.
                let value = unsafe { (*at.cast::<core::sync::atomic::$atomic>()).load(SeqCst) };
                if on { atomic::done(value as u64, false) }
                value
            }
        }
        entry! {
            /// Atomic store.
            fn $store / $store_inner(at: *mut $t, value: $t, order: c_int) -> (), 3, caller {
                let on = before(OpKind::AtomicStore, at, order, caller);
                // SAFETY: as above.
                unsafe { (*at.cast::<core::sync::atomic::$atomic>()).store(value, SeqCst) };
                if on { atomic::done(value as u64, false) }
            }
        }
        entry! {
            /// Atomic exchange.
            fn $exchange / $exchange_inner(at: *mut $t, value: $t, order: c_int) -> $t, 3, caller {
                let on = before(OpKind::AtomicRmw, at, order, caller);
                // SAFETY: as above.
                let old = unsafe { (*at.cast::<core::sync::atomic::$atomic>()).swap(value, SeqCst) };
                if on { atomic::done(old as u64, false) }
                old
            }
        }
        entry! {
            /// Compare-exchange.
            fn $strong / $strong_inner(at: *mut $t, expected: *mut $t, value: $t, order: c_int, failure: c_int) -> c_int, 5, caller {
                let on = before(OpKind::AtomicRmw, at, order, caller);
                // SAFETY: as above; `expected` is the caller's variable.
                let result = unsafe { (*at.cast::<core::sync::atomic::$atomic>()).compare_exchange(*expected, value, SeqCst, SeqCst) };
                match result {
                    Ok(old) => {
                        if on { atomic::done(old as u64, false) }
                        1
                    }
                    Err(old) => {
                        if on { atomic::failed(old as u64, Order::from_abi(failure)) }
                        // SAFETY: the caller's variable.
                        unsafe { *expected = old };
                        0
                    }
                }
            }
        }
        entry! {
            /// Compare-exchange that could fail spuriously; it does not.
            fn $weak / $weak_inner(at: *mut $t, expected: *mut $t, value: $t, order: c_int, failure: c_int) -> c_int, 5, caller {
                // SAFETY: the same contract.
                unsafe { $strong_inner(at, expected, value, order, failure, caller) }
            }
        }
        entry! {
            /// Compare-exchange by value, as LLVM has it.
            fn $val / $val_inner(at: *mut $t, expected: $t, value: $t, order: c_int, failure: c_int) -> $t, 5, caller {
                let mut expected = expected;
                // SAFETY: the same contract, with a variable of ours.
                unsafe { $strong_inner(at, &mut expected, value, order, failure, caller) };
                expected
            }
        }
        $( entry! {
            /// Atomic read-modify-write.
            fn $rmw / $rmw_inner(at: *mut $t, value: $t, order: c_int) -> $t, 3, caller {
                let on = before(OpKind::AtomicRmw, at, order, caller);
                // SAFETY: as above.
                let old = unsafe { (*at.cast::<core::sync::atomic::$atomic>()).$method(value, SeqCst) };
                if on { atomic::done(old as u64, false) }
                old
            }
        } )*
    )* };
}

use core::sync::atomic::Ordering::SeqCst;

atomics! {
    8 u8, AtomicU8: __tsan_atomic8_load load8, __tsan_atomic8_store store8, __tsan_atomic8_exchange exchange8,
        __tsan_atomic8_compare_exchange_strong strong8, __tsan_atomic8_compare_exchange_weak weak8,
        __tsan_atomic8_compare_exchange_val val8,
        [__tsan_atomic8_fetch_add add8 fetch_add, __tsan_atomic8_fetch_sub sub8 fetch_sub,
         __tsan_atomic8_fetch_and and8 fetch_and, __tsan_atomic8_fetch_or or8 fetch_or,
         __tsan_atomic8_fetch_xor xor8 fetch_xor, __tsan_atomic8_fetch_nand nand8 fetch_nand];
    16 u16, AtomicU16: __tsan_atomic16_load load16, __tsan_atomic16_store store16, __tsan_atomic16_exchange exchange16,
        __tsan_atomic16_compare_exchange_strong strong16, __tsan_atomic16_compare_exchange_weak weak16,
        __tsan_atomic16_compare_exchange_val val16,
        [__tsan_atomic16_fetch_add add16 fetch_add, __tsan_atomic16_fetch_sub sub16 fetch_sub,
         __tsan_atomic16_fetch_and and16 fetch_and, __tsan_atomic16_fetch_or or16 fetch_or,
         __tsan_atomic16_fetch_xor xor16 fetch_xor, __tsan_atomic16_fetch_nand nand16 fetch_nand];
    32 u32, AtomicU32: __tsan_atomic32_load load32, __tsan_atomic32_store store32, __tsan_atomic32_exchange exchange32,
        __tsan_atomic32_compare_exchange_strong strong32, __tsan_atomic32_compare_exchange_weak weak32,
        __tsan_atomic32_compare_exchange_val val32,
        [__tsan_atomic32_fetch_add add32 fetch_add, __tsan_atomic32_fetch_sub sub32 fetch_sub,
         __tsan_atomic32_fetch_and and32 fetch_and, __tsan_atomic32_fetch_or or32 fetch_or,
         __tsan_atomic32_fetch_xor xor32 fetch_xor, __tsan_atomic32_fetch_nand nand32 fetch_nand];
    64 u64, AtomicU64: __tsan_atomic64_load load64, __tsan_atomic64_store store64, __tsan_atomic64_exchange exchange64,
        __tsan_atomic64_compare_exchange_strong strong64, __tsan_atomic64_compare_exchange_weak weak64,
        __tsan_atomic64_compare_exchange_val val64,
        [__tsan_atomic64_fetch_add add64 fetch_add, __tsan_atomic64_fetch_sub sub64 fetch_sub,
         __tsan_atomic64_fetch_and and64 fetch_and, __tsan_atomic64_fetch_or or64 fetch_or,
         __tsan_atomic64_fetch_xor xor64 fetch_xor, __tsan_atomic64_fetch_nand nand64 fetch_nand];
}

entry! {
    /// Fence between threads.
    fn __tsan_atomic_thread_fence / thread_fence(order: c_int) -> (), 1, caller {
        if active() {
            atomic::fence(Order::from_abi(order), code_site(caller as u64));
        }
    }
}

/// Fence against signal handlers of the same thread: nothing to order here.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: c_int) {}
