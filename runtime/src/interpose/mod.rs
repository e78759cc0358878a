//! The libc symbols that this library puts its own in place of. Each asks first whether an
//! execution is running; where none is, it does what libc does.

mod addresses;
mod aliases;
pub mod at_exit;
pub mod atomic_wait;
pub mod barrier;
pub mod channel_calls;
pub mod channels;
pub mod cleanup;
pub mod condvars;
pub mod contexts;
pub mod cpp;
pub mod destroy;
pub mod environment;
pub mod epoll;
pub mod files;
pub mod futex;
pub mod futures;
pub mod gate;
pub mod jump;
pub mod keys;
pub mod layout;
pub mod lent;
pub mod loopback;
pub mod malloc;
pub mod mappings;
pub mod messages;
pub mod mutexes;
pub mod named;
pub mod numbers;
pub mod operators;
pub mod options;
pub mod order;
pub mod process;
pub mod pthread;
pub mod random;
pub mod random_choices;
pub mod ready;
pub mod ready_at_exit;
pub mod real;
pub mod refused;
pub mod rwlock;
pub mod semaphore;
pub mod signal;
pub mod start;
pub mod stdio;
pub mod streams;
pub mod threads;
pub mod time;
pub mod timers;
pub mod variables;
pub mod wide_stdio;

use crate::kernel::{active, k};
use core::ffi::c_void;

/// Under control?
#[inline(always)]
pub fn modelled() -> bool {
    active()
}

/// Code of the unwinder. Its locks are none of the program's: nothing can stop a thread between
/// them, so they are taken for real, without a step.
static mut UNWINDER: (usize, usize) = (0, 0);

/// Finds the unwinder's code. Called once.
pub fn init() {
    crate::memory::modules::each(|m| {
        if m.is_unwinder() {
            // SAFETY: in a constructor, on the only thread.
            m.code(|start, end| unsafe { UNWINDER = (start, end) });
        }
    });
}

/// Under control, and called by the program rather than by the unwinder?
#[inline(always)]
pub fn modelled_for(caller: *const c_void) -> bool {
    // SAFETY: written once by `init`.
    let (start, end) = unsafe { UNWINDER };
    active() && !(start..end).contains(&(caller as usize))
}

/// Site of the operation being done: the facade's, if it has given one, otherwise the caller.
#[inline]
pub fn site(return_address: *const c_void) -> u32 {
    match k().me().site_hint {
        0 => code_site(return_address as u64),
        hint => hint,
    }
}

/// The site of a code address.
#[inline]
pub fn code_site(return_address: u64) -> u32 {
    k().setup().channel.sites().intern(return_address, || None)
}

/// The address that the function it stands in returns to. Only for functions that are never
/// inlined and keep their frame: `extern "C"` entry points, through the naked shims of `entry!`.
#[macro_export]
macro_rules! entry {
    // fn name(args…) -> ret => body, where `caller` is the return address, given as one more
    // (last) argument. At most five arguments. Without `caller`: six.
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 0, $caller:ident $body:block) => {
        $crate::entry!(@ "mov rdi, [rsp]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, ($caller: *const core::ffi::c_void), $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 1, $caller:ident $body:block) => {
        $crate::entry!(@ "mov rsi, [rsp]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, ($caller: *const core::ffi::c_void), $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 2, $caller:ident $body:block) => {
        $crate::entry!(@ "mov rdx, [rsp]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, ($caller: *const core::ffi::c_void), $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 3, $caller:ident $body:block) => {
        $crate::entry!(@ "mov rcx, [rsp]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, ($caller: *const core::ffi::c_void), $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 4, $caller:ident $body:block) => {
        $crate::entry!(@ "mov r8, [rsp]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, ($caller: *const core::ffi::c_void), $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 5, $caller:ident $body:block) => {
        $crate::entry!(@ "mov r9, [rsp]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, ($caller: *const core::ffi::c_void), $body);
    };
    // With the address of the caller's frame, which lies behind the return address.
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, at $load:literal, $frame:ident $body:block) => {
        $crate::entry!(@ $load, $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, ($frame: usize), $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, $body:block) => {
        $crate::entry!(@ "", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, (), $body);
    };
    (@ $load:literal, $(#[$meta:meta])* $name:ident, $inner:ident, ($($arg:ident : $ty:ty),*), $ret:ty, ($($caller:ident : $address:ty)?), $body:block) => {
        $(#[$meta])*
        ///
        /// # Safety
        /// As for the function of this name in libc (or the compiler's ABI).
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($(_: $ty),*) -> $ret {
            core::arch::naked_asm!(
                ".cfi_startproc",
                $load,
                "mov [rip + {entered}], rsp",
                "cmp rsp, [rip + {above}]",
                "ja 2f",
                "jmp {inner}",
                // A loop's next round is to find nothing of this one's on the stack. (A thread that was in none
                // is in none at the end: only the entry points of reads begin one, which are `entry_here!`.)
                "2:",
                "sub rsp, 8", ".cfi_adjust_cfa_offset 8",
                "call {inner}",
                "add rsp, 8", ".cfi_adjust_cfa_offset -8",
                "jmp {wipe}",
                ".cfi_endproc",
                inner = sym $inner,
                entered = sym $crate::model::stacks::ENTERED,
                above = sym $crate::kernel::spin::WIPES_ABOVE,
                wipe = sym $crate::kernel::spin::wipe_and_return,
            )
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $inner($($arg: $ty,)* $($caller: $address)?) -> $ret $body
    };
}
