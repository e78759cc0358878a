//! System calls made through libc's `syscall`: futexes (Rust's std, parking_lot, libstdc++) are
//! modelled, what blocks otherwise is refused, the rest is passed on.

use super::files::touched_by_system;
use super::{modelled, site};
use crate::kernel::k;
use crate::model::{clock, futex};
use crate::sys;
use crate::wipes_on_return;
use alloc::format;
use alloc::string::String;
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use libc::{EAGAIN, ETIMEDOUT};
use raddle_schedule::{OpKind, system_call};

const OP_MASK: usize = 127;
const WAIT: usize = 0;
const WAKE: usize = 1;
const WAIT_BITSET: usize = 9;
const WAKE_BITSET: usize = 10;

fn fail(error: c_int) -> c_long {
    // SAFETY: the calling thread's errno.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// A system call: its number, then up to six arguments, the last one on the stack.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn syscall() -> c_long {
    // Hands the arguments on as they came, with the return address as one more: seven of them
    // fill the registers and one stack slot, so it goes behind that, in the second one. One
    // word more keeps the stack aligned (it is off by 8 at a function's first instruction).
    core::arch::naked_asm!(
        ".cfi_startproc",
        "mov [rip + {entered}], rsp",
        "mov rax, [rsp]",
        "mov r10, [rsp + 8]",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "push rax",
        ".cfi_adjust_cfa_offset 8",
        "push r10",
        ".cfi_adjust_cfa_offset 8",
        "call {inner}",
        "add rsp, 24",
        ".cfi_adjust_cfa_offset -24",
        wipes_on_return!(),
        ".cfi_endproc",
        inner = sym syscall_inner,
        entered = sym crate::model::stacks::ENTERED,
        above = sym crate::kernel::spin::WIPES_ABOVE,
        wipe = sym crate::kernel::spin::wipe_and_return,
    )
}

#[allow(clippy::too_many_arguments)]
extern "C" fn syscall_inner(
    n: c_long,
    mut a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    caller: *const c_void,
) -> c_long {
    if n == libc::SYS_eventfd2 {
        // SAFETY: it takes no pointers.
        return unsafe { super::channel_calls::event_counter(a as c_uint, b as c_int, caller) }.into();
    }
    if modelled() {
        tell(n, [a, b, c, d, e], caller);
        match n {
            libc::SYS_futex => return futex_call(a, b, c, d, caller),
            libc::SYS_getrandom => {
                // SAFETY: the caller's buffer.
                unsafe { super::environment::fill(a as *mut u8, b) };
                return b as c_long;
            }
            libc::SYS_gettid => {
                // SAFETY: takes nothing.
                return unsafe { super::environment::gettid() } as c_long;
            }
            libc::SYS_getpid => {
                // SAFETY: takes nothing.
                return unsafe { super::environment::getpid() } as c_long;
            }
            libc::SYS_sched_yield => {
                clock::give_way(site(caller), None);
                return 0;
            }
            // What asks for something and comes back at once.
            libc::SYS_getcpu
            | libc::SYS_sched_getaffinity
            | libc::SYS_getuid
            | libc::SYS_geteuid
            | libc::SYS_getgid
            | libc::SYS_getegid
            | libc::SYS_uname
            | libc::SYS_sysinfo
            | libc::SYS_membarrier
            | libc::SYS_madvise
            | libc::SYS_getrlimit
            | libc::SYS_prlimit64
            | libc::SYS_personality
            | libc::SYS_get_mempolicy => {}
            libc::SYS_prctl if PRCTL.contains(&(a as c_int)) => {}
            libc::SYS_memfd_create => super::files::opens_one(caller),
            // The program's own process, which nobody learns anything of as long as it runs.
            libc::SYS_pidfd_open if a as c_int == super::environment::PID => {
                super::files::opens_one(caller);
                // SAFETY: takes nothing.
                a = unsafe { sys::raw(libc::SYS_getpid as usize, 0, 0, 0, 0, 0, 0) } as usize;
            }
            libc::SYS_statx => {}
            _ => {
                k().end.site = site(caller);
                super::refused::refuse(&format!("syscall({})", system_call::name(n)))
            }
        }
    }
    // SAFETY: the program's own system call.
    let result = unsafe { sys::raw(n as usize, a, b, c, d, e, f) };
    if (-4095..0).contains(&result) { fail(-result as c_int) } else { result as c_long }
}

/// Tells what a system call that is let pass does to the program's memory, futex words apart.
fn tell(n: c_long, [a, b, c, d, e]: [usize; 5], caller: *const c_void) {
    use OpKind::{Read, Write};
    let text = |at: usize| {
        if at == 0 {
            0
        } else {
            // SAFETY: the program's string, which the call will read.
            unsafe { libc::strlen(at as *const c_char) + 1 }
        }
    };
    let name = |code: i32| if a == code as usize { 16 } else { 0 };
    let waits = matches!(b & OP_MASK, WAIT | WAIT_BITSET);
    let touches: &[(OpKind, usize, usize)] = match n {
        libc::SYS_futex if waits => &[(Read, d, size_of::<libc::timespec>())],
        libc::SYS_getrandom => &[(Write, a, b)],
        libc::SYS_getcpu => &[(Write, a, 4), (Write, b, 4)],
        libc::SYS_sched_getaffinity => &[(Write, c, b)],
        libc::SYS_uname => &[(Write, a, size_of::<libc::utsname>())],
        libc::SYS_sysinfo => &[(Write, a, size_of::<libc::sysinfo>())],
        libc::SYS_prctl => &[(Read, b, name(libc::PR_SET_NAME)), (Write, b, asked_for(a as c_int))],
        // Of what it drops the next read finds zeros, or what is in the file.
        libc::SYS_madvise if DROPS.contains(&(c as c_int)) => &[(Write, a, b)],
        libc::SYS_get_mempolicy => &[(Write, a, 4), (Write, b, c.div_ceil(64) * 8)],
        libc::SYS_getrlimit => &[(Write, b, 16)],
        libc::SYS_prlimit64 => &[(Read, c, 16), (Write, d, 16)],
        libc::SYS_memfd_create => &[(Read, a, text(a))],
        libc::SYS_statx => &[(Read, b, text(b)), (Write, e, size_of::<libc::statx>())],
        _ => &[],
    };
    for (kind, at, len) in touches.iter().filter(|(_, at, _)| *at != 0) {
        touched_by_system(*kind, *at, *len, caller);
        if *kind == Write {
            crate::memory::snapshot::touch(*at, *len);
        }
    }
}

/// What `prctl` may be asked for or told: of the others it is not known what they do to memory.
const PRCTL: [c_int; 8] = [
    libc::PR_SET_NAME,
    libc::PR_GET_NAME,
    libc::PR_SET_PDEATHSIG,
    libc::PR_GET_PDEATHSIG,
    libc::PR_SET_DUMPABLE,
    libc::PR_GET_DUMPABLE,
    libc::PR_SET_TIMERSLACK,
    libc::PR_GET_TIMERSLACK,
];

/// Bytes that this question to `prctl` is answered in.
pub(super) fn asked_for(question: c_int) -> usize {
    match question {
        libc::PR_GET_NAME => 16,
        libc::PR_GET_PDEATHSIG => 4,
        _ => 0,
    }
}

/// Advice on memory by which its contents are lost.
const DROPS: [c_int; 3] = [libc::MADV_DONTNEED, libc::MADV_FREE, libc::MADV_REMOVE];

fn futex_call(word: usize, op: usize, value: usize, timeout: usize, caller: *const c_void) -> c_long {
    let site = site(caller);
    match op & OP_MASK {
        WAIT | WAIT_BITSET => {
            // SAFETY: the program's own futex word.
            match unsafe { futex::wait(word as *const u32, value as u32, timeout != 0, site) } {
                futex::Waited::Woken => 0,
                futex::Waited::Changed => fail(EAGAIN),
                futex::Waited::TimedOut => {
                    // SAFETY: the program's own span (or moment, for the bitset form).
                    let span = unsafe { &*(timeout as *const libc::timespec) };
                    if op & OP_MASK == WAIT {
                        clock::pass_time((span.tv_sec as u64) * 1_000_000_000 + span.tv_nsec as u64);
                    } else {
                        clock::pass_until(span.tv_sec, span.tv_nsec);
                    }
                    fail(ETIMEDOUT)
                }
            }
        }
        WAKE | WAKE_BITSET => {
            let most = (value as u32).min(i32::MAX as u32);
            c_long::from(futex::wake(word as *const u32, most, site))
        }
        operation => {
            k().end.site = site;
            super::refused::refuse(&format!("syscall(SYS_futex, {})", operation_name(operation)))
        }
    }
}

/// A futex operation's name.
fn operation_name(operation: usize) -> String {
    let name = match operation {
        2 => "FUTEX_FD",
        3 => "FUTEX_REQUEUE",
        4 => "FUTEX_CMP_REQUEUE",
        5 => "FUTEX_WAKE_OP",
        6 => "FUTEX_LOCK_PI",
        7 => "FUTEX_UNLOCK_PI",
        8 => "FUTEX_TRYLOCK_PI",
        11 => "FUTEX_WAIT_REQUEUE_PI",
        12 => "FUTEX_CMP_REQUEUE_PI",
        13 => "FUTEX_LOCK_PI2",
        _ => return format!("operation {operation}"),
    };
    name.into()
}
