//! Atomic operations of sixteen bytes, which compilers make hooks of or calls of libatomic, and libatomic's
//! functions for objects of any size, in whose place linking puts ours (instrumenter/src/c/driver.rs). Those of one,
//! two, four, eight and sixteen bytes are steps like all atomics (`access_atomic`); others would be locks inside of
//! libatomic, and are refused by name.

// The names are those that the linker's `--wrap` looks for.
#![allow(non_snake_case)]

use crate::access_atomic::{Word, before, before_reading, compare_exchange, effect};
use crate::interpose::{gate, modelled, refused, site};
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::model::atomic::{self, Effect};
use crate::{entry, entry_here, wipes_on_return};
use core::arch::naked_asm;
use core::ffi::{CStr, c_int, c_void};
use raddle_schedule::OpKind;

/// Compares and exchanges sixteen bytes; what was there.
///
/// # Safety
/// The program's own aligned atomic, on a processor that has the instruction (all of x86-64 but the first do).
unsafe fn exchange_if(at: *mut u128, old: u128, new: u128) -> u128 {
    let (mut low, mut high) = (old as u64, (old >> 64) as u64);
    // SAFETY: the caller's promise. The compiler keeps rbx for itself, so it is put back.
    unsafe {
        core::arch::asm!(
            "xchg rsi, rbx",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") at,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    u128::from(low) | u128::from(high) << 64
}

impl Word for u128 {
    unsafe fn load(at: *const u128) -> u128 {
        // SAFETY: the caller's promise. Where it holds zero, zero is stored.
        unsafe { exchange_if(at.cast_mut(), 0, 0) }
    }

    unsafe fn compare_exchange(at: *mut u128, old: u128, new: u128) -> Result<u128, u128> {
        // SAFETY: the caller's promise.
        let found = unsafe { exchange_if(at, old, new) };
        if found == old { Ok(found) } else { Err(found) }
    }

    fn low(self) -> u64 {
        self as u64
    }
}

/// Puts a value in the place of another; what it was.
///
/// # Safety
/// The program's own aligned atomic.
unsafe fn swap<W: Word>(at: *mut W, value: W) -> W {
    // SAFETY: the caller's promise.
    unsafe { update(at, |_| value) }
}

/// Changes an atomic to what a function makes of it; what it was.
///
/// # Safety
/// The program's own aligned atomic.
unsafe fn update<W: Word>(at: *mut W, to: impl Fn(W) -> W) -> W {
    // SAFETY: the caller's promise, here and below.
    let mut old = unsafe { W::load(at) };
    loop {
        // SAFETY: see above.
        match unsafe { W::compare_exchange(at, old, to(old)) } {
            Ok(old) => return old,
            Err(other) => old = other,
        }
    }
}

macro_rules! wide {
    ($($name:ident $other:ident / $inner:ident: |$old:ident, $value:ident| $to:expr;)*) => { $(
        entry_here! {
            /// Atomic read-modify-write of sixteen bytes.
            fn $name / $inner(at: *mut u128, $value: u128, order: c_int) -> u128, 4, here {
                let on = before_reading(OpKind::AtomicRmw, at, order, here);
                // SAFETY: the program's own aligned atomic.
                let $old = unsafe { update(at, |#[allow(unused_variables)] $old| $to) };
                if on { atomic::done($old.low(), effect($old, $to)) }
                $old
            }
        }

        /// The same by libatomic's name, which linking leads here as the functions below.
        ///
        /// # Safety
        /// As there.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $other(_: *mut u128, _: u128, _: c_int) -> u128 {
            naked_asm!("jmp {}", sym $name)
        }
    )* };
}

wide! {
    __tsan_atomic128_exchange __wrap___atomic_exchange_16 / exchange128: |old, value| value;
    __tsan_atomic128_fetch_add __wrap___atomic_fetch_add_16 / add128: |old, value| old.wrapping_add(value);
    __tsan_atomic128_fetch_sub __wrap___atomic_fetch_sub_16 / sub128: |old, value| old.wrapping_sub(value);
    __tsan_atomic128_fetch_and __wrap___atomic_fetch_and_16 / and128: |old, value| old & value;
    __tsan_atomic128_fetch_or __wrap___atomic_fetch_or_16 / or128: |old, value| old | value;
    __tsan_atomic128_fetch_xor __wrap___atomic_fetch_xor_16 / xor128: |old, value| old ^ value;
    __tsan_atomic128_fetch_nand __wrap___atomic_fetch_nand_16 / nand128: |old, value| !(old & value);
}

entry_here! {
    /// Atomic load of sixteen bytes.
    fn __tsan_atomic128_load / load128(at: *const u128, order: c_int) -> u128, 2, here {
        let on = before_reading(OpKind::AtomicLoad, at, order, here);
        // SAFETY: the program's own aligned atomic.
        let value = unsafe { u128::load(at) };
        if on { atomic::done(value.low(), Effect::Done) }
        value
    }
}

entry! {
    /// Atomic store of sixteen bytes.
    fn __tsan_atomic128_store / store128(at: *mut u128, value: u128, order: c_int) -> (), 4, caller {
        let on = before(OpKind::AtomicStore, at, order, caller);
        // SAFETY: the program's own aligned atomic.
        unsafe { swap(at, value) };
        if on { atomic::done(value.low(), Effect::Done) }
    }
}

/// Where a function with six words of arguments stands: as `entry_here!`, with the `&Here` on the stack.
macro_rules! six {
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, $here:ident $body:block) => {
        $(#[$meta])*
        ///
        /// # Safety
        /// As for the function of this name in the compiler's ABI.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($(_: $ty),*) -> $ret {
            // Seven words leave the stack aligned.
            naked_asm!(
                ".cfi_startproc",
                "mov [rip + {entered}], rsp",
                "push r15", ".cfi_adjust_cfa_offset 8",
                "push r14", ".cfi_adjust_cfa_offset 8",
                "push r13", ".cfi_adjust_cfa_offset 8",
                "push r12", ".cfi_adjust_cfa_offset 8",
                "push rbp", ".cfi_adjust_cfa_offset 8",
                "push rbx", ".cfi_adjust_cfa_offset 8",
                "mov rax, rsp",
                "push rax", ".cfi_adjust_cfa_offset 8",
                "call {inner}",
                "add rsp, 56", ".cfi_adjust_cfa_offset -56",
                wipes_on_return!(),
                ".cfi_endproc",
                inner = sym $inner,
                entered = sym crate::model::stacks::ENTERED,
                above = sym crate::kernel::spin::WIPES_ABOVE,
                wipe = sym crate::kernel::spin::wipe_and_return,
            )
        }

        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $inner($($arg: $ty,)* $here: &Here) -> $ret $body
    };
}

six! {
    /// Compare-exchange of sixteen bytes.
    fn __tsan_atomic128_compare_exchange_strong / strong128(at: *mut u128, expected: *mut u128, value: u128, order: c_int, failure: c_int) -> c_int, here {
        // SAFETY: the same contract, here and below.
        unsafe { compare_exchange(at, expected, value, [order, failure], false, here) }
    }
}

six! {
    /// The weak one.
    fn __tsan_atomic128_compare_exchange_weak / weak128(at: *mut u128, expected: *mut u128, value: u128, order: c_int, failure: c_int) -> c_int, here {
        // SAFETY: see above.
        unsafe { compare_exchange(at, expected, value, [order, failure], true, here) }
    }
}

/// Compare-exchange of sixteen bytes by value, as LLVM has it.
///
/// # Safety
/// As in the compiler's ABI.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn __tsan_atomic128_compare_exchange_val(
    _: *mut u128,
    _: u128,
    _: u128,
    _: c_int,
    _: c_int,
) -> u128 {
    // The last argument is on the stack already; nine words leave it aligned.
    naked_asm!(
        ".cfi_startproc",
        "mov eax, [rsp + 8]",
        "mov [rip + {entered}], rsp",
        "push r15", ".cfi_adjust_cfa_offset 8",
        "push r14", ".cfi_adjust_cfa_offset 8",
        "push r13", ".cfi_adjust_cfa_offset 8",
        "push r12", ".cfi_adjust_cfa_offset 8",
        "push rbp", ".cfi_adjust_cfa_offset 8",
        "push rbx", ".cfi_adjust_cfa_offset 8",
        "mov r11, rsp",
        "sub rsp, 8", ".cfi_adjust_cfa_offset 8",
        "push r11", ".cfi_adjust_cfa_offset 8",
        "push rax", ".cfi_adjust_cfa_offset 8",
        "call {inner}",
        "add rsp, 72", ".cfi_adjust_cfa_offset -72",
        wipes_on_return!(),
        ".cfi_endproc",
        inner = sym val128,
        entered = sym crate::model::stacks::ENTERED,
        above = sym crate::kernel::spin::WIPES_ABOVE,
        wipe = sym crate::kernel::spin::wipe_and_return,
    )
}

unsafe extern "C" fn val128(
    at: *mut u128,
    expected: u128,
    value: u128,
    order: c_int,
    failure: c_int,
    here: &Here,
) -> u128 {
    let mut expected = expected;
    // SAFETY: the compiler's call; with a variable of ours.
    unsafe { compare_exchange(at, &mut expected, value, [order, failure], false, here) };
    expected
}

/// Does it with the type of so many bytes, if there is one and the object lies as that must.
macro_rules! by_size {
    ($size:expr, $at:expr, $t:ident => $body:expr, else $other:expr) => {
        match $size {
            size if size == 0 || !($at as usize).is_multiple_of(size) => $other,
            1 => {
                type $t = u8;
                $body
            }
            2 => {
                type $t = u16;
                $body
            }
            4 => {
                type $t = u32;
                $body
            }
            8 => {
                type $t = u64;
                $body
            }
            16 => {
                type $t = u128;
                $body
            }
            _ => $other,
        }
    };
}

/// libatomic's own function of this name: only where no execution runs, since it takes a lock.
fn libatomics(name: &CStr, caller: *const c_void) -> *mut c_void {
    if modelled() {
        k().end.site = site(caller);
        let name = name.to_str().unwrap_or("?");
        refused::refuse_with(
            name,
            "of an object that has not 1, 2, 4, 8 or 16 bytes, or is not aligned as these are",
        );
    }
    // SAFETY: a valid name. libatomic may come before this library, so it is not looked for behind it.
    let at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if at.is_null() { gate::behind(name) } else { at }
}

type Four = unsafe extern "C" fn(usize, *mut c_void, *mut c_void, c_int);
type Five = unsafe extern "C" fn(usize, *mut c_void, *mut c_void, *mut c_void, c_int);
type Six = unsafe extern "C" fn(usize, *mut c_void, *mut c_void, *mut c_void, c_int, c_int) -> bool;

entry_here! {
    /// Loads an object of any size.
    fn __wrap___atomic_load / load_any(size: usize, at: *mut c_void, to: *mut c_void, order: c_int) -> (), 4, here {
        by_size!(size, at, T => {
            let at = at.cast::<T>();
            let on = before_reading(OpKind::AtomicLoad, at, order, here);
            // SAFETY: the program's own aligned atomic, and its place for the value.
            let value = unsafe { T::load(at) };
            if on { atomic::done(value.low(), Effect::Done) }
            // SAFETY: see above; that place may lie anywhere.
            unsafe { to.cast::<T>().write_unaligned(value) };
        }, else {
            // SAFETY: libatomic's function of this name has this type; passed on as it came.
            unsafe { core::mem::transmute::<*mut c_void, Four>(libatomics(c"__atomic_load", here.caller))(size, at, to, order) }
        })
    }
}

entry! {
    /// Stores an object of any size.
    fn __wrap___atomic_store / store_any(size: usize, at: *mut c_void, from: *mut c_void, order: c_int) -> (), 4, caller {
        by_size!(size, at, T => {
            let at = at.cast::<T>();
            // SAFETY: the program's own value.
            let value = unsafe { from.cast::<T>().read_unaligned() };
            let on = before(OpKind::AtomicStore, at, order, caller);
            // SAFETY: the program's own aligned atomic.
            unsafe { swap(at, value) };
            if on { atomic::done(value.low(), Effect::Done) }
        }, else {
            // SAFETY: as for the load.
            unsafe { core::mem::transmute::<*mut c_void, Four>(libatomics(c"__atomic_store", caller))(size, at, from, order) }
        })
    }
}

entry_here! {
    /// Exchanges an object of any size.
    fn __wrap___atomic_exchange / exchange_any(size: usize, at: *mut c_void, from: *mut c_void, to: *mut c_void, order: c_int) -> (), 5, here {
        by_size!(size, at, T => {
            let at = at.cast::<T>();
            // SAFETY: the program's own value.
            let value = unsafe { from.cast::<T>().read_unaligned() };
            let on = before_reading(OpKind::AtomicRmw, at, order, here);
            // SAFETY: the program's own aligned atomic.
            let old = unsafe { swap(at, value) };
            if on { atomic::done(old.low(), effect(old, value)) }
            // SAFETY: the program's place for the value.
            unsafe { to.cast::<T>().write_unaligned(old) };
        }, else {
            // SAFETY: as for the load.
            unsafe { core::mem::transmute::<*mut c_void, Five>(libatomics(c"__atomic_exchange", here.caller))(size, at, from, to, order) }
        })
    }
}

six! {
    /// Compares and exchanges an object of any size. It does not say whether it is weak.
    fn __wrap___atomic_compare_exchange / compare_any(size: usize, at: *mut c_void, expected: *mut c_void, value: *mut c_void, order: c_int, failure: c_int) -> bool, here {
        by_size!(size, at, T => {
            // SAFETY: the program's own values and its own aligned atomic.
            unsafe {
                let mut wanted = expected.cast::<T>().read_unaligned();
                let value = value.cast::<T>().read_unaligned();
                let stored = compare_exchange(at.cast::<T>(), &mut wanted, value, [order, failure], false, here) != 0;
                if !stored { expected.cast::<T>().write_unaligned(wanted) }
                stored
            }
        }, else {
            // SAFETY: as for the load.
            unsafe { core::mem::transmute::<*mut c_void, Six>(libatomics(c"__atomic_compare_exchange", here.caller))(size, at, expected, value, order, failure) }
        })
    }
}
