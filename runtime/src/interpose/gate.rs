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

/// libc's function of this name.
///
/// # Safety
/// It has this type.
pub unsafe fn of<F: Copy>(name: &CStr) -> F {
    let function = behind(name);
    // SAFETY: the caller's promise; both are the size of an address.
    unsafe { core::mem::transmute_copy::<*mut c_void, F>(&function) }
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

/// Saves every argument register as [`Registers`] has them: seven words and the return address leave the stack aligned for the
/// vectors.
#[macro_export]
macro_rules! keeps_arguments {
    () => {
        concat!(
            "push rax\n.cfi_adjust_cfa_offset 8\n",
            "push r9\n.cfi_adjust_cfa_offset 8\n",
            "push r8\n.cfi_adjust_cfa_offset 8\n",
            "push rcx\n.cfi_adjust_cfa_offset 8\n",
            "push rdx\n.cfi_adjust_cfa_offset 8\n",
            "push rsi\n.cfi_adjust_cfa_offset 8\n",
            "push rdi\n.cfi_adjust_cfa_offset 8\n",
            "sub rsp, 128\n.cfi_adjust_cfa_offset 128\n",
            "movaps [rsp], xmm0\nmovaps [rsp + 16], xmm1\n",
            "movaps [rsp + 32], xmm2\nmovaps [rsp + 48], xmm3\n",
            "movaps [rsp + 64], xmm4\nmovaps [rsp + 80], xmm5\n",
            "movaps [rsp + 96], xmm6\nmovaps [rsp + 112], xmm7\n",
        )
    };
}

/// The vectors as [`keeps_arguments`] saved them.
#[macro_export]
macro_rules! gives_back_vectors {
    () => {
        concat!(
            "movaps xmm0, [rsp]\nmovaps xmm1, [rsp + 16]\n",
            "movaps xmm2, [rsp + 32]\nmovaps xmm3, [rsp + 48]\n",
            "movaps xmm4, [rsp + 64]\nmovaps xmm5, [rsp + 80]\n",
            "movaps xmm6, [rsp + 96]\nmovaps xmm7, [rsp + 112]\n",
        )
    };
}

/// The other registers as [`keeps_arguments`] saved them, and the stack.
#[macro_export]
macro_rules! gives_back_arguments {
    () => {
        concat!(
            "add rsp, 128\n.cfi_adjust_cfa_offset -128\n",
            "pop rdi\n.cfi_adjust_cfa_offset -8\n",
            "pop rsi\n.cfi_adjust_cfa_offset -8\n",
            "pop rdx\n.cfi_adjust_cfa_offset -8\n",
            "pop rcx\n.cfi_adjust_cfa_offset -8\n",
            "pop r8\n.cfi_adjust_cfa_offset -8\n",
            "pop r9\n.cfi_adjust_cfa_offset -8\n",
            "pop rax\n.cfi_adjust_cfa_offset -8\n",
        )
    };
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
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov [rip + {entered}], rsp",
                $crate::keeps_arguments!(),
                "lea rdi, [rip + 2f]",
                "mov rsi, rsp",
                "call {function}",
                "mov r11, rax",
                $crate::gives_back_vectors!(),
                $crate::gives_back_arguments!(),
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
                entered = sym $crate::model::stacks::ENTERED,
                above = sym $crate::kernel::spin::WIPES_ABOVE,
                wipe = sym $crate::kernel::spin::wipe_and_return,
            )
        }
    )* };
}
