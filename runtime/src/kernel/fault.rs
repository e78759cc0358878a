//! Faults: fatal signals end the execution they happen in, not the process.
//!
//! The handlers run on a stack of their own. One of a controlled thread notes what happened and
//! returns to whoever resumed the fiber (corosensei's trap handler), which abandons it. A write
//! to a page that roll-back has protected is let through instead. A signal from the server's
//! watchdog ends an execution that does not reach a schedule point any more.

use super::empty_loop::{self, Found};
use super::{End, active, k};
use crate::carrier::{fiber, os_thread, slot};
use crate::debug;
use crate::interpose::{self, real};
use crate::memory::{freed, modules, snapshot};
use crate::model::misuse;
use crate::sys::{self, call};
use alloc::format;
use alloc::string::String;
use core::ffi::{c_int, c_void};
use raddle_schedule::misuse::What;
use raddle_schedule::{OpKind, Outcome, system_call};

/// The watchdog's signal: the first real-time one that glibc leaves to programs, plus one.
pub const WATCHDOG: c_int = 35;
const FATAL: [c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT, libc::SIGTRAP, libc::SIGSYS];
const ALTERNATE: usize = 128 << 10;

/// Is this signal the kernel's?
pub fn is_ours(signal: c_int) -> bool {
    signal == WATCHDOG || FATAL.contains(&signal)
}

/// The process must not execute another plan: libc was interrupted in the middle of something.
static mut TAINTED: bool = false;

/// Must the runner end after this execution?
pub fn tainted() -> bool {
    // SAFETY: the token's holder.
    unsafe { TAINTED }
}

/// Puts the handlers in place, before Rust's runtime would install its own for stack overflow.
pub fn install() {
    use_alternate_stack();
    // SAFETY: an action is plain data; the handler has the three-argument form that is asked for.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        for signal in FATAL.into_iter().chain([WATCHDOG]) {
            (real::get().sigaction)(signal, &action, core::ptr::null_mut());
        }
    }
}

/// Gives the calling OS thread a stack for signal handlers.
pub fn use_alternate_stack() {
    let stack = libc::stack_t { ss_sp: sys::map(ALTERNATE).cast(), ss_flags: 0, ss_size: ALTERNATE };
    // SAFETY: fresh memory of that size, kept for ever.
    unsafe { call!(libc::SYS_sigaltstack, &raw const stack, 0) };
}

unsafe extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel's records of the signal.
    let (info, context) = unsafe { (&*info, &mut *context.cast::<libc::ucontext_t>()) };
    // SAFETY: for a memory fault the record has an address.
    let address = unsafe { info.si_addr() } as usize;
    if signal == libc::SIGSEGV && snapshot::on_write_fault(address) {
        return;
    }
    if !active() {
        if signal != WATCHDOG {
            // Not under control: die as if there were no handler.
            // SAFETY: an action is plain data.
            unsafe {
                let action: libc::sigaction = core::mem::zeroed();
                (real::get().sigaction)(signal, &action, core::ptr::null_mut());
                if info.si_code <= 0 {
                    libc::raise(signal);
                }
            }
        }
        return;
    }
    let kernel = k();
    let looks = signal == WATCHDOG && asks_for_a_look(info);
    if looks && kernel.setup().os_threads {
        return;
    }
    let running = kernel.threads[kernel.current as usize].slot;
    if signal == WATCHDOG && kernel.setup().os_threads && os_thread::tid() != slot::get(running).tid {
        // Sent to the process: hand it to the thread that runs.
        // SAFETY: takes numbers only.
        unsafe { call!(libc::SYS_tgkill, call!(libc::SYS_getpid), slot::get(running).tid, signal) };
        return;
    }
    let registers = &mut context.uc_mcontext.gregs;
    if looks || signal == libc::SIGTRAP && empty_loop::is_on() {
        return look(looks, registers);
    }
    empty_loop::stop(&mut registers[libc::REG_EFL as usize]);
    let pc = place(signal, registers[libc::REG_RIP as usize] as u64);
    let stack_pointer = registers[libc::REG_RSP as usize] as usize;
    let index =
        if slot::is_stack(stack_pointer) { slot::of_address(stack_pointer) } else { fiber::running() };
    let Some(regs) = fiber::escape(index) else { return };
    // Bit 1 of the error code: it was a write.
    let writes = registers[libc::REG_ERR as usize] & 2 != 0;
    note(signal, address, pc, index, writes);
    go_to(registers, regs);
}

/// Does the server only ask whether the thread is in a loop that does nothing?
fn asks_for_a_look(info: &libc::siginfo_t) -> bool {
    // SAFETY: a signal that was queued has a value.
    info.si_code == libc::SI_QUEUE && unsafe { info.si_value() }.sival_ptr as usize == empty_loop::LOOKS
}

/// The thread is looked at, or has made one instruction more since: one that goes on for ever gives way to the others.
fn look(begins: bool, registers: &mut [libc::greg_t]) {
    let pc = registers[libc::REG_RIP as usize] as u64;
    let stack_pointer = registers[libc::REG_RSP as usize] as usize;
    let flags = &mut registers[libc::REG_EFL as usize];
    let found = if begins { empty_loop::looks(pc, flags) } else { empty_loop::stepped(pc, flags) };
    if let Found::Forever = found
        && let Some(regs) = empty_loop::leaves(fiber::running(), pc, stack_pointer)
    {
        go_to(registers, regs);
    }
}

/// The handler's return goes on there.
fn go_to(registers: &mut [libc::greg_t], to: [u64; 5]) {
    let at = [libc::REG_RIP, libc::REG_RSP, libc::REG_RBP, libc::REG_RDI, libc::REG_RSI];
    for (register, value) in at.into_iter().zip(to) {
        registers[register as usize] = value as i64;
    }
}

/// Where a signal has found the thread: of one that is woken in a system call, the call.
fn place(signal: c_int, pc: u64) -> u64 {
    let before = pc.wrapping_sub(CALL.len() as u64);
    if signal == WATCHDOG && pc % 4096 >= CALL.len() as u64 && is_call(before) { before } else { pc }
}

/// What is said of a fault that the program has a handler for.
const HANDLED: &str =
    "the program's own handler of this signal is not called: Raddle ends the execution here";

/// The instruction of a system call.
const CALL: [u8; 2] = [0x0f, 0x05];

/// Is it one? The address is in a page of code that is being executed.
fn is_call(pc: u64) -> bool {
    // SAFETY: both bytes are in that page.
    pc % 4096 <= 4096 - CALL.len() as u64 && unsafe { *(pc as *const [u8; 2]) } == CALL
}

/// Records the end of the execution.
fn note(signal: c_int, address: usize, pc: u64, index: usize, writes: bool) {
    let kernel = k();
    if kernel.end.done {
        return;
    }
    let overflow = signal == libc::SIGSEGV && {
        let low = slot::get(index).low;
        (low - (64 << 10)..low).contains(&address)
    };
    // A thread that was to have more than it has here may be right.
    let wanted = kernel.me().stack;
    let too_small = overflow && wanted > slot::STACK;
    let mut in_libc = false;
    let mut in_runtime = false;
    modules::each(|m| {
        if m.is_libc() || m.is_runtime() {
            let of = if m.is_libc() { &mut in_libc } else { &mut in_runtime };
            m.code(|start, end| *of |= (start..end).contains(&(pc as usize)));
        }
    });
    // Of what goes through libc, calls that may wait were refused.
    let own_call = signal == WATCHDOG && !in_libc && !in_runtime && is_call(pc);
    let message = match signal {
        _ if too_small => {
            "a thread needs more than 8 MB of stack, which `pthread_attr_setstacksize` asked for and Raddle has not"
        }
        _ if overflow => "stack overflow",
        libc::SIGSEGV if address < 4096 => "segmentation fault (null pointer)",
        libc::SIGSEGV => "segmentation fault",
        libc::SIGBUS => "bus error",
        libc::SIGFPE => "arithmetic fault",
        libc::SIGILL => "illegal instruction",
        libc::SIGABRT => "aborted",
        WATCHDOG if own_call => system_call::PAST_LIBC,
        WATCHDOG => "no schedule point was reached any more",
        _ => "fatal signal",
    };
    let outcome = match signal {
        WATCHDOG if own_call => Outcome::Unsupported,
        WATCHDOG => Outcome::Hang,
        _ if too_small => Outcome::Unsupported,
        _ => Outcome::Crash,
    };
    let detailed = super::record::detailed();
    // What it would do (recover by a jump, or end well) is not known.
    let handled = outcome == Outcome::Crash && interpose::signal::has_handler(signal);
    // Out of reach since it was given back (`memory::arena`).
    let gone = signal == libc::SIGSEGV && freed::is(address);
    let kind = if writes { OpKind::Write } else { OpKind::Read };
    let misuse = gone.then(|| misuse::told(What::UseAfterFree, kind, address as u64, 0));
    kernel.end = End {
        outcome,
        done: true,
        thread: None,
        code: if gone { 0 } else { signal as u32 },
        // One past, like a return address: the reader looks at the instruction before.
        site: interpose::code_site(pc + 1),
        pc,
        within: 0,
        message: match (gone, handled) {
            (true, _) => String::new(),
            (false, true) => format!("{message} ({HANDLED})"),
            (false, false) => message.into(),
        },
        misuse,
        stack: if detailed { super::record::backtrace() } else { Default::default() },
    };
    debug::failed();
    // SAFETY: the token's holder.
    unsafe { TAINTED = in_libc || signal == WATCHDOG };
}
