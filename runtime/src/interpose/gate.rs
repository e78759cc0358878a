//! Gates: libc functions that are looked at on their way and otherwise passed on as they are,
//! whatever their arguments.
//!
//! A gate saves every argument register, calls a function of ours with the libc function's name
//! and the saved registers, and jumps to the address that it returns, with the registers as they
//! were. That function may also never come back (a refusal).

use core::ffi::{CStr, c_char, c_void};

/// What a gate has saved.
#[repr(C)]
pub struct Registers {
    /// Vector arguments.
    vectors: [u128; 8],
    /// rdi, rsi, rdx, rcx, r8, r9: the first six arguments.
    pub arguments: [usize; 6],
    /// al: how many vector registers a variadic call uses.
    rax: usize,
    /// Where the call came from.
    pub caller: *const c_void,
}

impl Registers {
    /// Vector arguments.
    pub fn vectors(&self) -> [u128; 8] {
        self.vectors
    }
}

/// libc's function behind this library. Looked up each time: gates are for rare calls.
pub(crate) fn behind(name: &CStr) -> *mut c_void {
    // SAFETY: a valid name.
    let at = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if at.is_null() {
        crate::sys::complain("raddle: this libc lacks ");
        crate::sys::complain(name.to_str().unwrap_or("a function"));
        crate::sys::complain("\n");
        crate::sys::exit(71);
    }
    at
}

/// The name that a gate hands on.
pub(super) fn name(text: *const c_char) -> &'static CStr {
    // SAFETY: one of the strings below, which live in the library's code.
    unsafe { CStr::from_ptr(text) }
}

/// A function's name as programs write it: the compiler calls `__poll_chk` where it was asked to check sizes
/// (`_FORTIFY_SOURCE`).
pub(crate) fn unchecked(name: &str) -> &str {
    match name.strip_suffix("_chk") {
        Some(rest) => rest.trim_start_matches('_'),
        None => name,
    }
}

/// Defines gates: `gates! { function: name name … }`, where the function is an
/// `extern "C" fn(*const c_char, *mut Registers) -> *mut c_void` (or `*const`). It may change
/// the arguments.
#[macro_export]
macro_rules! gates {
    ($function:path: $($name:ident)*) => { $(
        /// Looked at, then as in libc.
        ///
        /// # Safety
        /// As in libc.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            // Seven words and the return address leave the stack aligned for the vectors.
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rax", ".cfi_adjust_cfa_offset 8",
                "push r9", ".cfi_adjust_cfa_offset 8",
                "push r8", ".cfi_adjust_cfa_offset 8",
                "push rcx", ".cfi_adjust_cfa_offset 8",
                "push rdx", ".cfi_adjust_cfa_offset 8",
                "push rsi", ".cfi_adjust_cfa_offset 8",
                "push rdi", ".cfi_adjust_cfa_offset 8",
                "sub rsp, 128", ".cfi_adjust_cfa_offset 128",
                "movaps [rsp], xmm0", "movaps [rsp + 16], xmm1",
                "movaps [rsp + 32], xmm2", "movaps [rsp + 48], xmm3",
                "movaps [rsp + 64], xmm4", "movaps [rsp + 80], xmm5",
                "movaps [rsp + 96], xmm6", "movaps [rsp + 112], xmm7",
                "lea rdi, [rip + 2f]",
                "mov rsi, rsp",
                "call {function}",
                "mov r11, rax",
                "movaps xmm0, [rsp]", "movaps xmm1, [rsp + 16]",
                "movaps xmm2, [rsp + 32]", "movaps xmm3, [rsp + 48]",
                "movaps xmm4, [rsp + 64]", "movaps xmm5, [rsp + 80]",
                "movaps xmm6, [rsp + 96]", "movaps xmm7, [rsp + 112]",
                "add rsp, 128", ".cfi_adjust_cfa_offset -128",
                "pop rdi", ".cfi_adjust_cfa_offset -8",
                "pop rsi", ".cfi_adjust_cfa_offset -8",
                "pop rdx", ".cfi_adjust_cfa_offset -8",
                "pop rcx", ".cfi_adjust_cfa_offset -8",
                "pop r8", ".cfi_adjust_cfa_offset -8",
                "pop r9", ".cfi_adjust_cfa_offset -8",
                "pop rax", ".cfi_adjust_cfa_offset -8",
                // In a loop: as the entry points wipe as they return, which keeps r11.
                "cmp rsp, [rip + {above}]",
                "jbe 3f",
                "call {wipe}",
                "3:",
                "jmp r11",
                "2:",
                concat!(".asciz \"", stringify!($name), "\""),
                ".cfi_endproc",
                function = sym $function,
                above = sym $crate::kernel::spin::WIPES_ABOVE,
                wipe = sym $crate::kernel::spin::wipe_and_return,
            )
        }
    )* };
}
