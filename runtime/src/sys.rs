//! System calls, made directly. The program's own calls go through libc symbols that this
//! library replaces; the kernel's must not meet themselves there.

use core::arch::asm;
use core::sync::atomic::AtomicU32;

/// A system call with up to six arguments; negative results are error numbers.
///
/// # Safety
/// As for the call that is named.
pub unsafe fn raw(n: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
    let result: isize;
    // SAFETY: the register convention of x86-64 Linux; the rest is the caller's promise.
    unsafe {
        asm!("syscall", inlateout("rax") n => result, in("rdi") a, in("rsi") b, in("rdx") c,
             in("r10") d, in("r8") e, in("r9") f, out("rcx") _, out("r11") _, options(nostack));
    }
    result
}

macro_rules! call {
    ($n:expr $(, $a:expr)*) => { call!(@ $n, [$($a as usize,)*] 0, 0, 0, 0, 0, 0) };
    (@ $n:expr, [$a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr,] $($z:tt)*) =>
        { $crate::sys::raw($n as usize, $a, $b, $c, $d, $e, $f) };
    (@ $n:expr, [$($a:expr,)*] 0 $(, $z:tt)*) => { call!(@ $n, [$($a,)* 0,] $($z),*) };
}
pub(crate) use call;

const FUTEX_WAIT_PRIVATE: usize = 128;
const FUTEX_WAKE_PRIVATE: usize = 129;

/// Sleeps while the word has this value. May wake for no reason.
pub fn futex_wait(word: &AtomicU32, value: u32) {
    // SAFETY: the word is valid; without a timeout nothing else is read.
    unsafe { call!(libc::SYS_futex, word.as_ptr(), FUTEX_WAIT_PRIVATE, value, 0) };
}

/// Wakes every sleeper of this process on the word.
pub fn futex_wake(word: &AtomicU32) {
    // SAFETY: as above.
    unsafe { call!(libc::SYS_futex, word.as_ptr(), FUTEX_WAKE_PRIVATE, i32::MAX) };
}

/// Maps fresh zeroed memory at exactly this address, without reserving swap for it.
/// Null when the address is taken or memory is short.
pub fn map_fixed(address: usize, len: usize) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: NOREPLACE never touches an existing mapping.
    let at = unsafe {
        call!(libc::SYS_mmap, address, len, libc::PROT_READ | libc::PROT_WRITE, flags, usize::MAX, 0)
    };
    if at as usize == address { at as *mut u8 } else { core::ptr::null_mut() }
}

/// Maps fresh zeroed memory anywhere; null when memory is short.
pub fn map(len: usize) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping.
    let at =
        unsafe { call!(libc::SYS_mmap, 0, len, libc::PROT_READ | libc::PROT_WRITE, flags, usize::MAX, 0) };
    if at < 0 { core::ptr::null_mut() } else { at as *mut u8 }
}

/// Would the system give so much memory to somebody who means to use it?
pub fn would_map(len: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, which nobody has seen when it goes.
    unsafe {
        let at = call!(libc::SYS_mmap, 0, len, libc::PROT_READ | libc::PROT_WRITE, flags, usize::MAX, 0);
        at >= 0 && call!(libc::SYS_munmap, at as usize, len, 0, 0, 0, 0) == 0
    }
}

/// Changes the protection of whole pages.
///
/// # Safety
/// Nobody may rely on the old protection of these pages.
pub unsafe fn protect(address: usize, len: usize, writable: bool) {
    let flags = libc::PROT_READ | if writable { libc::PROT_WRITE } else { 0 };
    // SAFETY: the caller's promise.
    unsafe { call!(libc::SYS_mprotect, address, len, flags) };
}

/// Lets code run in whole pages that can be written to.
///
/// # Safety
/// Nobody may rely on that no code runs there.
pub unsafe fn permit_code(address: usize, len: usize) {
    let flags = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: the caller's promise.
    unsafe { call!(libc::SYS_mprotect, address, len, flags) };
}

/// Makes whole pages unreachable (guards).
///
/// # Safety
/// Nobody may use these pages.
pub unsafe fn forbid(address: usize, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { call!(libc::SYS_mprotect, address, len, libc::PROT_NONE) };
}

/// Gives whole pages back: they read as zero afterwards.
///
/// # Safety
/// The pages must be private anonymous memory whose contents nobody needs.
pub unsafe fn discard(address: usize, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { call!(libc::SYS_madvise, address, len, libc::MADV_DONTNEED) };
}

/// Ends the process at once.
pub fn exit(status: i32) -> ! {
    loop {
        // SAFETY: takes no memory.
        unsafe { call!(libc::SYS_exit_group, status) };
    }
}

/// Writes to standard error of the runner, for the kernel's own bugs only.
pub fn complain(text: &str) {
    // SAFETY: the text is valid.
    unsafe { call!(libc::SYS_write, 2, text.as_ptr(), text.len()) };
}
