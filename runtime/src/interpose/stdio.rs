//! The locks of stdio. A thread that holds a stream by `flockfile` may be stopped at a schedule
//! point; another that then prints would wait inside libc, for good. So the lock is modelled,
//! and every function that would take it first waits for the model's.

use super::{modelled, real, site};
use crate::entry;
use crate::kernel::k;
use crate::model::{mutex, objects};
use core::ffi::c_int;
use libc::FILE;

entry! {
    /// Takes a stream's (recursive) lock.
    fn flockfile / lock(stream: *mut FILE) -> (), 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().flockfile)(stream) };
        }
        if mutex::mine(stream as u64) {
            mutex::recount(stream as u64, 1);
        } else {
            mutex::lock(stream as u64, site(caller));
        }
    }
}

entry! {
    /// Takes it if it is free.
    fn ftrylockfile / try_lock(stream: *mut FILE) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().ftrylockfile)(stream) };
        }
        if mutex::mine(stream as u64) {
            mutex::recount(stream as u64, 1);
            return 0;
        }
        if mutex::try_lock(stream as u64, site(caller)) { 0 } else { 1 }
    }
}

entry! {
    /// Gives it back.
    fn funlockfile / unlock(stream: *mut FILE) -> (), 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().funlockfile)(stream) };
        }
        if mutex::mine(stream as u64) && mutex::recount(stream as u64, -1) == 0 {
            mutex::unlock(stream as u64, site(caller));
        }
    }
}

/// Waits while another thread holds the stream.
fn wait_for(stream: *mut FILE) {
    if !modelled() {
        return;
    }
    let (me, owner) = (k().current, k().objects.get(stream as u64).owner);
    if owner != objects::NOBODY && owner != me {
        let site = k().me().site_hint;
        mutex::lock(stream as u64, site);
        mutex::unlock(stream as u64, site);
    }
}

unsafe extern "C" {
    static stdout: *mut FILE;
    static stdin: *mut FILE;
}

/// Waits for the stream and returns libc's function of this name.
extern "C" fn gate(name: *const core::ffi::c_char, stream: *mut FILE) -> *mut core::ffi::c_void {
    let stream = match stream as usize {
        // SAFETY: libc's streams, set up before any program code.
        0 => unsafe { stdout },
        // SAFETY: as above.
        1 => unsafe { stdin },
        _ => stream,
    };
    wait_for(stream);
    // SAFETY: one of the names below.
    let at = unsafe { libc::dlsym(libc::RTLD_NEXT, name) };
    if at.is_null() {
        crate::sys::complain("raddle: libc has no such function\n");
        crate::sys::exit(71);
    }
    at
}

// Each passes its arguments on untouched, vector registers included (printf of a double), after
// the gate has seen the stream: an argument register, 0 for stdout, 1 for stdin.
macro_rules! streams {
    ($($name:ident: $stream:literal,)*) => { $(
        /// Waits for the stream, then does what libc does.
        ///
        /// # Safety
        /// As in libc.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rdi", ".cfi_adjust_cfa_offset 8",
                "push rsi", ".cfi_adjust_cfa_offset 8",
                "push rdx", ".cfi_adjust_cfa_offset 8",
                "push rcx", ".cfi_adjust_cfa_offset 8",
                "push r8", ".cfi_adjust_cfa_offset 8",
                "push r9", ".cfi_adjust_cfa_offset 8",
                "push rax", ".cfi_adjust_cfa_offset 8",
                "sub rsp, 128", ".cfi_adjust_cfa_offset 128",
                "movaps [rsp], xmm0", "movaps [rsp + 16], xmm1",
                "movaps [rsp + 32], xmm2", "movaps [rsp + 48], xmm3",
                "movaps [rsp + 64], xmm4", "movaps [rsp + 80], xmm5",
                "movaps [rsp + 96], xmm6", "movaps [rsp + 112], xmm7",
                concat!("mov rsi, ", $stream),
                "lea rdi, [rip + 2f]",
                "call {gate}",
                "mov r11, rax",
                "movaps xmm0, [rsp]", "movaps xmm1, [rsp + 16]",
                "movaps xmm2, [rsp + 32]", "movaps xmm3, [rsp + 48]",
                "movaps xmm4, [rsp + 64]", "movaps xmm5, [rsp + 80]",
                "movaps xmm6, [rsp + 96]", "movaps xmm7, [rsp + 112]",
                "add rsp, 128", ".cfi_adjust_cfa_offset -128",
                "pop rax", ".cfi_adjust_cfa_offset -8",
                "pop r9", ".cfi_adjust_cfa_offset -8",
                "pop r8", ".cfi_adjust_cfa_offset -8",
                "pop rcx", ".cfi_adjust_cfa_offset -8",
                "pop rdx", ".cfi_adjust_cfa_offset -8",
                "pop rsi", ".cfi_adjust_cfa_offset -8",
                "pop rdi", ".cfi_adjust_cfa_offset -8",
                "jmp r11",
                "2:",
                concat!(".asciz \"", stringify!($name), "\""),
                ".cfi_endproc",
                gate = sym gate,
            )
        }
    )* };
}

streams! {
    printf: "0", vprintf: "0", puts: "0", putchar: "0", __printf_chk: "0",
    fprintf: "rdi", vfprintf: "rdi", __fprintf_chk: "rdi", fflush: "rdi", fgetc: "rdi", getc: "rdi",
    fputs: "rsi", fputc: "rsi", putc: "rsi", ungetc: "rsi",
    fgets: "rdx", fwrite: "rcx", fread: "rcx",
}
