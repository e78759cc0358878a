//! The compiler's hooks of atomic operations: they stand in place of the operation, which is a
//! schedule point and is then done here, on the real memory, sequentially consistent.
//!
//! In Rust, where the facade has the program's atomics, they are those of std's own code that was compiled
//! into the program (the counts of `Arc`s, words of locks), and of the facade's: no steps. What they
//! publish is told beside the events ([`Aside`]), for the race detector alone. Counts are points where every access is one,
//! and where the order of what is done to them can be noticed ([`crate::kernel::counts`]).

use crate::access;
use crate::carrier::slot;
use crate::interpose::code_site;
use crate::kernel::counts::Role;
use crate::kernel::here::Here;
use crate::kernel::{active, k, spin};
use crate::memory::arena;
use crate::model::atomic::{self, Effect};
use crate::model::by_itself;
use crate::{entry, entry_here, facade, std_locks};
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;
use raddle_schedule::aside::Aside;
use raddle_schedule::channel::outside::COUNTS_ELSEWHERE;
use raddle_schedule::{Event, OpKind, Order, Outcome, flags};

/// The point before an atomic operation of instrumented code.
#[inline]
pub(crate) fn before<T>(kind: OpKind, at: *const T, order: c_int, caller: *const c_void) -> bool {
    if !active() {
        return false;
    }
    if facade::is_there() && !is_count(at) {
        return aside(kind, at as u64, size_of::<T>() as u32, order, false);
    }
    let site = code_site(caller as u64);
    atomic::before(kind, at as u64, size_of::<T>() as u32, Order::from_abi(order), site);
    true
}

/// The point before one that reads.
#[inline]
pub(crate) fn before_reading<T>(kind: OpKind, at: *const T, order: c_int, here: &Here) -> bool {
    before_counting(kind, Role::Test, at, order, here)
}

/// The same before one that may count owners.
#[inline]
fn before_counting<T>(kind: OpKind, role: Role, at: *const T, order: c_int, here: &Here) -> bool {
    if !active() {
        return false;
    }
    let in_rust = facade::is_there();
    let commutes = in_rust
        && role.is_ordered_as_by_std(Order::from_abi(order))
        && k().counts.commutes(role, at as u64)
        && may_be_count(at);
    if in_rust && !is_count(at) {
        if role == Role::Down && role.is_ordered_as_by_std(Order::from_abi(order)) {
            look_for_allocator(at);
        }
        return aside(kind, at as u64, size_of::<T>() as u32, order, commutes);
    }
    let site = code_site(here.caller as u64);
    let order = Order::from_abi(order);
    atomic::before_counting(kind, at as u64, size_of::<T>() as u32, order, site, Some(here), commutes);
    true
}

/// In Rust: is it a count of the program's, in code of std, that is a point?
#[inline]
fn is_count<T>(at: *const T) -> bool {
    (k().wants_access() || k().counts.is_point(at as u64)) && may_be_count(at)
}

/// In Rust: may it be a count of the program's, in code of std? They are of this size, and lie in blocks.
#[inline]
fn may_be_count<T>(at: *const T) -> bool {
    let at = at as u64;
    let own = || k().own.iter().any(|(start, end)| (*start..*end).contains(&at));
    size_of::<T>() == size_of::<usize>() && arena::contains(at as usize) && !k().quiet && !own()
}

/// In Rust: a count goes down. It is none that is looked at if an allocator of the program's own has other memory than malloc's.
#[cold]
fn look_for_allocator<T>(at: *const T) {
    let word = at as u64;
    let kernel = k();
    let own = || kernel.own.iter().any(|(start, end)| (*start..*end).contains(&word));
    let is_alone = kernel.spawned == 1 || kernel.quiet;
    if size_of::<T>() == size_of::<usize>() && !is_alone && !arena::contains(at as usize) && !own() {
        kernel.setup().channel.header().outside.fetch_or(COUNTS_ELSEWHERE, Relaxed);
    }
}

/// In Rust: something was done to what may be a count, which held 1 before if `last`.
#[inline]
fn counted<T>(role: Role, changes: bool, at: *const T, last: bool) {
    let is_count = size_of::<T>() == size_of::<usize>() && active() && facade::is_there() && may_be_count(at);
    if is_count {
        arena::look(at as usize);
    }
    if is_count && let Some((kind, count)) = k().counts.did(role, changes, at as u64, last) {
        tell_of_drop(kind, count);
    }
}

/// A block of a Rust program is given back: the drop of an `Arc` that it was may be over.
pub(crate) fn given_back(block: usize) {
    while let Some(count) = k().counts.given_back(block as u64) {
        tell_of_drop(OpKind::DropEnd, count);
    }
}

/// Tells of the begin or the end of a drop, or that a last decrement reads what the others left.
#[cold]
fn tell_of_drop(kind: OpKind, count: u64) {
    if access::are_seen() {
        // Std's acquire fence comes behind the decrement.
        tell_aside(kind, count, size_of::<usize>() as u32, Order::Relaxed, false);
        if k().me().spin.has_read() {
            spin::wipe();
        }
    }
}

/// Tells of an operation that is no step. Relaxed loads and stores are left out: they make no edge of
/// their own, and std has no fences that would make one of them. Never a point.
#[cold]
#[inline(never)]
fn aside(kind: OpKind, at: u64, size: u32, order: c_int, counts: bool) -> bool {
    let kernel = k();
    let order = Order::from_abi(order);
    // Who asks for a count goes by what others do to it in no step, so it is in no loop that waits for one. (Std asks for
    // other words in each round of many loops, such as how many threads panic.)
    let is_count = || size as usize == size_of::<usize>() && may_be_count(at as *const usize);
    if kind == OpKind::AtomicLoad && is_count() {
        kernel.me().spin.clear();
    }
    let silent = order == Order::Relaxed && kind != OpKind::AtomicRmw;
    // What it orders is accesses.
    if access::are_seen() && !kernel.quiet && !silent && !std_locks::cover(at) {
        tell_aside(kind, at, size, order, counts);
        if kernel.me().spin.has_read() {
            spin::wipe();
        }
    }
    false
}

/// Tells of one, which changes a count that commutes with its like if `counts`.
#[cold]
pub(crate) fn tell_aside(kind: OpKind, at: u64, size: u32, order: Order, counts: bool) {
    let kernel = k();
    // While T0 is alone, what it publishes comes before every spawn.
    if kernel.spawned == 1 {
        return;
    }
    let mut event = Event::new(kind, kernel.current, at);
    event.set_access(order, size);
    if counts {
        event.flags |= flags::COUNTS;
    }
    if !kernel.asides.note(&Aside { at: kernel.events.len() as u32, event }) {
        kernel.me().pending = event;
        crate::kernel::point::end_execution(Outcome::Truncated, kernel.steps, raddle_schedule::MANY_ACCESSES);
    }
}

/// What came of a read-modify-write.
#[inline]
pub(crate) fn effect<T: PartialEq>(old: T, new: T) -> Effect {
    if old == new { Effect::Same } else { Effect::Done }
}

/// What an atomic holds.
pub trait Word: Copy + PartialEq {
    /// # Safety
    /// The program's own aligned atomic.
    unsafe fn load(at: *const Self) -> Self;

    /// What it held, as `Ok` if it was this and now is the other.
    ///
    /// # Safety
    /// The program's own aligned atomic.
    unsafe fn compare_exchange(at: *mut Self, old: Self, new: Self) -> Result<Self, Self>;

    /// What events have room for.
    fn low(self) -> u64;
}

/// Is it on the running thread's stack, as what a compare-exchange expects nearly always is?
fn is_own_stack(at: usize) -> bool {
    slot::is_stack(at) && slot::of_address(at) == k().me().slot
}

/// A compare-exchange with its two orderings; a weak one may fail by itself where that is asked for. gcc has no hooks
/// for what it does to the variable with the expected value: those accesses are told here, but for the thread's own stack.
///
/// # Safety
/// The program's own aligned atomic, and its variable with what it expects.
pub unsafe fn compare_exchange<W: Word>(
    at: *mut W,
    expected: *mut W,
    value: W,
    [order, failure]: [c_int; 2],
    weak: bool,
    here: &Here,
) -> c_int {
    let shared = active() && !is_own_stack(expected as usize);
    if shared {
        access::range(OpKind::Read, expected as u64, size_of::<W>() as u64, here.caller);
    }
    // SAFETY: `expected` is the caller's variable.
    let wanted = unsafe { *expected };
    let stored = if facade::is_there() && !(active() && is_count(at)) {
        // SAFETY: the program's own; a look, to know whether it will store: nobody else runs.
        unsafe { W::load(at) == wanted }
    } else {
        if active() {
            atomic::expecting(wanted.low())
        }
        true
    };
    // One that stores nothing is a load.
    let on = match stored {
        true => before_reading(OpKind::AtomicRmw, at, order, here),
        false => before_reading(OpKind::AtomicLoad, at, failure, here),
    };
    // SAFETY: the program's own; nobody else runs between the two.
    let result = unsafe {
        match on && weak && W::load(at) == wanted && by_itself::weak_fails() {
            true => Err(wanted),
            false => W::compare_exchange(at, wanted, value),
        }
    };
    match result {
        Ok(old) => {
            if on {
                atomic::compared(old.low(), wanted.low(), false)
            }
            counted(Role::Test, true, at, false);
            1
        }
        Err(old) => {
            if on {
                atomic::failed(old.low(), wanted.low(), Order::from_abi(failure))
            }
            counted(Role::Test, false, at, false);
            if shared {
                access::range(OpKind::Write, expected as u64, size_of::<W>() as u64, here.caller);
            }
            // SAFETY: the caller's variable.
            unsafe { *expected = old };
            0
        }
    }
}

macro_rules! atomics {
    ($($bits:literal $t:ty, $atomic:ident: $load:ident $load_inner:ident, $store:ident $store_inner:ident,
       $exchange:ident $exchange_inner:ident, $strong:ident $strong_inner:ident, $weak:ident $weak_inner:ident,
       $val:ident $val_inner:ident, [$($rmw:ident $rmw_inner:ident $method:ident),*];)*) => { $(
        entry_here! {
            /// Atomic load.
            fn $load / $load_inner(at: *const $t, order: c_int) -> $t, 2, here {
                let on = before_reading(OpKind::AtomicLoad, at, order, here);
                // SAFETY: the program's own aligned atomic, here and below.
                let value = unsafe { (*at.cast::<core::sync::atomic::$atomic>()).load(SeqCst) };
                if on { atomic::done(value as u64, Effect::Done) }
                counted(Role::Test, false, at, false);
                value
            }
        }
        entry! {
            /// Atomic store.
            fn $store / $store_inner(at: *mut $t, value: $t, order: c_int) -> (), 3, caller {
                let on = before(OpKind::AtomicStore, at, order, caller);
                // SAFETY: as above.
                let old = unsafe { (*at.cast::<core::sync::atomic::$atomic>()).swap(value, SeqCst) };
                if on {
                    atomic::overwrites(old as u64);
                    atomic::done(value as u64, Effect::Done)
                }
                counted(Role::Test, true, at, false);
            }
        }
        entry_here! {
            /// Atomic exchange.
            fn $exchange / $exchange_inner(at: *mut $t, value: $t, order: c_int) -> $t, 3, here {
                let on = before_reading(OpKind::AtomicRmw, at, order, here);
                // SAFETY: as above.
                let old = unsafe { (*at.cast::<core::sync::atomic::$atomic>()).swap(value, SeqCst) };
                if on { atomic::done(old as u64, effect(old, value)) }
                counted(Role::Test, true, at, false);
                old
            }
        }
        entry_here! {
            /// Compare-exchange.
            fn $strong / $strong_inner(at: *mut $t, expected: *mut $t, value: $t, order: c_int, failure: c_int) -> c_int, 5, here {
                // SAFETY: the same contract, here and below.
                unsafe { compare_exchange(at, expected, value, [order, failure], false, here) }
            }
        }
        entry_here! {
            /// Compare-exchange that may fail by itself, where that is asked for.
            fn $weak / $weak_inner(at: *mut $t, expected: *mut $t, value: $t, order: c_int, failure: c_int) -> c_int, 5, here {
                // SAFETY: see above.
                unsafe { compare_exchange(at, expected, value, [order, failure], true, here) }
            }
        }
        entry_here! {
            /// Compare-exchange by value, as LLVM has it: it does not say which are weak.
            fn $val / $val_inner(at: *mut $t, expected: $t, value: $t, order: c_int, failure: c_int) -> $t, 5, here {
                let mut expected = expected;
                // SAFETY: see above; with a variable of ours.
                unsafe { compare_exchange(at, &mut expected, value, [order, failure], false, here) };
                expected
            }
        }
        impl Word for $t {
            unsafe fn load(at: *const $t) -> $t {
                // SAFETY: the caller's aligned atomic, here and below.
                unsafe { (*at.cast::<core::sync::atomic::$atomic>()).load(SeqCst) }
            }

            unsafe fn compare_exchange(at: *mut $t, old: $t, new: $t) -> Result<$t, $t> {
                // SAFETY: see above.
                unsafe { (*at.cast::<core::sync::atomic::$atomic>()).compare_exchange(old, new, SeqCst, SeqCst) }
            }

            fn low(self) -> u64 {
                self as u64
            }
        }
        $( entry_here! {
            /// Atomic read-modify-write.
            fn $rmw / $rmw_inner(at: *mut $t, value: $t, order: c_int) -> $t, 3, here {
                const ROLE: Role = Role::of(stringify!($method));
                let on = before_counting(OpKind::AtomicRmw, ROLE, at, order, here);
                // SAFETY: as above.
                let atomic = unsafe { &*at.cast::<core::sync::atomic::$atomic>() };
                let old = atomic.$method(value, SeqCst);
                // Nobody else runs, so this is what it stored.
                if on { atomic::done(old as u64, effect(old, atomic.load(SeqCst))) }
                counted(ROLE, true, at, old == 1);
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
        if active() && facade::is_there() {
            aside(OpKind::Fence, 0, 1, order, false);
        } else if active() {
            atomic::fence(Order::from_abi(order), code_site(caller as u64));
        }
    }
}

/// Fence against signal handlers of the same thread: nothing to order here.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: c_int) {}
