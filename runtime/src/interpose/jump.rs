//! Long jumps: the functions that a jump leaves never reach their end, so the shadow call stack
//! drops them here.

use super::gate::{self, Registers};
use super::modelled;
use crate::gates;
use crate::kernel::k;
use core::ffi::{c_char, c_void};

/// Word of a `jmp_buf` that holds the stack pointer (glibc, sysdeps/x86_64/jmpbuf-offsets.h).
const STACK_POINTER: usize = 6;

/// The stack pointer that a jump will restore. glibc stores it disguised (PTR_MANGLE): with the
/// thread's guard mixed in and rotated.
///
/// # Safety
/// `buffer` must have been filled by setjmp.
unsafe fn target(buffer: *const usize) -> usize {
    let guard: usize;
    // SAFETY: the guard lies in every thread's control block, and the buffer has eight words.
    unsafe {
        core::arch::asm!("mov {}, fs:[0x30]", out(reg) guard, options(nostack, preserves_flags, readonly));
        (*buffer.add(STACK_POINTER)).rotate_right(17) ^ guard
    }
}

extern "C" fn jump(name: *const c_char, registers: *const Registers) -> *mut c_void {
    if modelled() {
        // SAFETY: the gate's own record; the first argument is the caller's buffer.
        let target = unsafe { target((*registers).arguments[0] as *const usize) };
        k().me().frames.jump(target);
    }
    gate::behind(gate::name(name))
}

gates! { jump: longjmp _longjmp siglongjmp __longjmp_chk }
