//! OS threads as carriers: the token that says which of them may run, and parking.

use super::{fiber, slot};
use crate::kernel::k;
use crate::sys::{self, call};
use core::sync::atomic::{AtomicU32, Ordering};

/// The calling OS thread's number.
pub fn tid() -> u32 {
    // SAFETY: takes no memory.
    unsafe { call!(libc::SYS_gettid) as u32 }
}

/// Keeps every signal away from a thread that only lends its stack.
pub fn block_signals() {
    let all = u64::MAX;
    // SAFETY: the set is 8 bytes, as said. The raw call also blocks the signals that glibc keeps
    // to itself, which must not run on a lent FS base.
    unsafe { call!(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const all, 0, 8) };
}

/// Waits for ever, resuming the slot's fiber whenever the token comes, where carriers are real.
pub fn park(index: usize, os_threads: bool) -> ! {
    static NEVER: AtomicU32 = AtomicU32::new(0);
    loop {
        if !os_threads {
            sys::futex_wait(&NEVER, 0);
            continue;
        }
        wait(index);
        fiber::resume(index, false);
        let kernel = k();
        let next = kernel.threads[kernel.current as usize].slot;
        pass(if kernel.end.done { 0 } else { next });
    }
}

fn wait(index: usize) {
    let token = &raw const slot::get(index).token;
    // SAFETY: slots live for ever, and the token is an atomic.
    let token = unsafe { &*token };
    while token.swap(0, Ordering::Acquire) == 0 {
        sys::futex_wait(token, 0);
    }
}

fn pass(index: usize) {
    let token = &raw const slot::get(index).token;
    // SAFETY: as above.
    let token = unsafe { &*token };
    token.store(1, Ordering::Release);
    sys::futex_wake(token);
}

/// On a fiber: passes the token on and waits for it to come back. Where the execution is over by
/// then, it leaves the fiber for good.
pub fn hand_over(to: usize) {
    let index = fiber::note_depth();
    slot::get(index).waiting = true;
    pass(to);
    wait(index);
    fiber::runs(index);
    slot::get(index).waiting = false;
    while k().end.done {
        fiber::suspend();
    }
}

/// On the main thread, when an execution is over: takes every other carrier off the fiber that it
/// waits on.
pub fn gather() {
    for t in 1..k().spawned {
        let index = k().threads[t].slot;
        if slot::get(index).waiting {
            delegate(index);
        }
    }
}

/// On the main thread: lets the carrier of `slot` run until the token comes back here.
pub fn delegate(slot: usize) {
    pass(slot);
    wait(0);
}

/// Binds the process to one CPU: handing the token across two costs four times as much.
pub fn stay_on_one_cpu() {
    let mut set = [0u64; 16];
    let mut cpu = 0u32;
    // SAFETY: the kernel writes one word and reads the set, of the size said.
    unsafe {
        call!(libc::SYS_getcpu, &raw mut cpu, 0, 0);
        set[cpu as usize / 64 % 16] = 1 << (cpu % 64);
        call!(libc::SYS_sched_setaffinity, 0, core::mem::size_of_val(&set), set.as_ptr());
    }
}
