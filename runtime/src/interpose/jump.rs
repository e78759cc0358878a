//! Long jumps: the functions that a jump leaves never reach their end, so the shadow call stack
//! drops them here. How deep it was stands with the buffer that setjmp filled; of a buffer that
//! was copied since, the stack pointer in it tells (though not which of the functions that share
//! a stack frame, being inlined, are left).

use super::files::touched_by_system;
use super::gate::Registers;
use super::{modelled, real};
use crate::gates;
use crate::kernel::k;
use crate::model::stacks;
use core::ffi::{CStr, c_char, c_int, c_void};
use raddle_schedule::OpKind;

/// Word of a `jmp_buf` that holds the stack pointer (glibc, sysdeps/x86_64/jmpbuf-offsets.h).
const STACK_POINTER: usize = 6;

/// Bytes of a `jmp_buf` that hold registers.
const BUFFER: usize = 64;

/// The stack pointer that a jump will restore. glibc stores it disguised (PTR_MANGLE): with the
/// thread's guard mixed in and rotated.
///
/// # Safety
/// `buffer` must have been filled by setjmp.
pub(super) unsafe fn target(buffer: *const usize) -> usize {
    let guard: usize;
    // SAFETY: the guard lies in every thread's control block, and the buffer has eight words.
    unsafe {
        core::arch::asm!("mov {}, fs:[0x30]", out(reg) guard, options(nostack, preserves_flags, readonly));
        (*buffer.add(STACK_POINTER)).rotate_right(17) ^ guard
    }
}

extern "C" fn mark(name: *const c_char, registers: *const Registers) -> *mut c_void {
    if modelled() {
        // SAFETY: the gate's own record. Behind its return address lies the caller's frame.
        let (buffer, stack_pointer) =
            unsafe { ((*registers).arguments[0], &raw const (*registers).caller as usize + 8) };
        k().me().frames.mark(buffer, stack_pointer);
        // SAFETY: as above.
        touched_by_system(OpKind::Write, buffer, BUFFER, unsafe { (*registers).caller });
    }
    behind(name)
}

extern "C" fn jump(name: *const c_char, registers: *const Registers) -> *mut c_void {
    if modelled() {
        if k().me().signals.in_handler() {
            super::refused::refuse_with("longjmp", "in a signal handler");
        }
        // SAFETY: the gate's own record; the first argument is the caller's buffer.
        let (buffer, target) = unsafe {
            let buffer = (*registers).arguments[0];
            touched_by_system(OpKind::Read, buffer, BUFFER, (*registers).caller);
            (buffer, target(buffer as *const usize))
        };
        let left = k().me().frames.jump(buffer, target);
        // SAFETY: the gate's own record.
        stacks::jumps(left, unsafe { (*registers).caller });
    }
    behind(name)
}

/// Jumps, and makes setjmp give 1 there.
///
/// # Safety
/// The buffer must have been filled by setjmp on this thread, in a function that has not ended.
pub unsafe fn to(buffer: *mut c_void) -> ! {
    // SAFETY: the caller vouches for the buffer; libc's function takes it and a number, and never comes back.
    unsafe {
        let left = k().me().frames.jump(buffer as usize, target(buffer.cast()));
        stacks::jumps(left, core::ptr::null());
        let jump: unsafe extern "C" fn(*mut c_void, c_int) -> ! =
            core::mem::transmute(real::get().plain_longjmp);
        jump(buffer, 1)
    }
}

/// libc's function of this name.
fn behind(name: *const c_char) -> *mut c_void {
    let real = real::get();
    // SAFETY: one of the names below, of the gate's own text.
    let function = match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"setjmp" => real.setjmp,
        b"_setjmp" => real.plain_setjmp,
        b"__sigsetjmp" => real.sigsetjmp,
        b"longjmp" => real.longjmp,
        b"_longjmp" => real.plain_longjmp,
        b"siglongjmp" => real.siglongjmp,
        _ => real.longjmp_chk,
    };
    function as *mut c_void
}

gates! { mark: setjmp _setjmp __sigsetjmp }
gates! { jump: longjmp _longjmp siglongjmp __longjmp_chk }
