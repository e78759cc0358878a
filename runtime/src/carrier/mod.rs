//! Carriers: what threads of the program run on.
//!
//! A thread is a stackful fiber (corosensei). Its stack and its thread-locals are those of a
//! real pthread, created once for its identity and parked: the fiber runs on that pthread's own
//! stack, below its frame, and with its FS base, so that native thread-locals, errno,
//! `pthread_self` and `std::thread::current()` are right (feasibility, part A, section C).
//!
//! Exploring, one OS thread resumes all fibers in turn. Debugging (`os_threads`), each fiber is
//! resumed by the pthread that lends its stack, once, and waits for a token where it stands
//! whenever another has its turn, so that a debugger finds the program's own frames below. Both
//! run the same code between schedule points, on the same addresses: same decisions, same trace.
//!
//! A fiber is abandoned wherever it stands when the execution ends; nothing unwinds, memory is
//! rolled back under it.

pub mod fiber;
pub mod modes;
pub mod os_thread;
pub mod slot;
pub mod tls;

use crate::kernel::k;
use crate::memory::leaks;
use modes::Modes;

/// Gives the token to `next`; returns when this thread has it again.
#[inline]
pub fn switch_to(next: u8) {
    let (kernel, modes) = (k(), Modes::now());
    if kernel.setup().os_threads {
        os_thread::hand_over(kernel.threads[usize::from(next)].slot);
    } else {
        fiber::suspend();
    }
    modes.set();
}

/// Leaves the running thread for good: the execution is over for it.
pub fn leave() -> ! {
    loop {
        // Nobody resumes a thread after this: it has ended, or the execution has.
        fiber::suspend();
    }
}

/// Runs one execution from T0's first instruction to its end.
pub fn run() {
    let (os_threads, modes) = (k().setup().os_threads, Modes::now());
    while !k().end.done {
        let kernel = k();
        let slot = kernel.threads[kernel.current as usize].slot;
        if os_threads && slot != 0 {
            os_thread::delegate(slot);
        } else {
            fiber::resume(slot, !os_threads);
        }
    }
    tls::set_fs(slot::get(0).fs);
    modes.set();
    if os_threads {
        os_thread::gather();
    }
    k().leaked = leaks::look();
    for t in 0..k().spawned {
        fiber::abandon(k().threads[t].slot);
    }
}
