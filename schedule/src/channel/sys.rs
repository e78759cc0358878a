//! The one system call of the channel, made directly: inside a test program the `syscall`
//! symbol belongs to the runtime, which would take the channel's own waiting for the program's.

use core::sync::atomic::AtomicU32;

const SYS_FUTEX: usize = 202;
const FUTEX_WAIT: usize = 0;
const FUTEX_WAKE: usize = 1;

unsafe fn futex(word: &AtomicU32, op: usize, value: u32, timeout: *const [i64; 2]) -> isize {
    let result: isize;
    // SAFETY: the kernel reads the word (valid: it is a reference) and, for a wait, the timeout
    // (valid or null, by this function's callers); it writes no memory of ours. The clobbered
    // registers are those of the x86-64 system-call convention.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") SYS_FUTEX => result,
            in("rdi") word.as_ptr(),
            in("rsi") op,
            in("rdx") value as usize,
            in("r10") timeout,
            in("r8") 0usize,
            in("r9") 0usize,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    result
}

/// Sleeps while the word has this value, at most so many nanoseconds. May wake for no reason.
pub fn wait(word: &AtomicU32, value: u32, nanos: u64) {
    let timeout = [(nanos / 1_000_000_000) as i64, (nanos % 1_000_000_000) as i64];
    // SAFETY: `timeout` lives across the call.
    unsafe { futex(word, FUTEX_WAIT, value, &timeout) };
}

/// Wakes every sleeper on the word, in all processes.
pub fn wake(word: &AtomicU32) {
    // SAFETY: no timeout is passed.
    unsafe { futex(word, FUTEX_WAKE, i32::MAX as u32, core::ptr::null()) };
}
