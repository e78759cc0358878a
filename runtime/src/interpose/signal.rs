//! Signals. Actions are the program's (but those of the kernel's own signals, which it may set and only sends to
//! itself), and are put back after each execution. A signal that a thread sends to itself or to its process is
//! delivered by a call of the handler, on the spot: what the handler does are operations of that thread. Masks are the
//! threads' own and virtual, so a switch between threads inside of a handler leaves no signal blocked.
//!
//! Where the action is set and where it is looked up by a signal are steps once there are several threads, on one
//! object for each signal. What is not modelled is refused by name: signals to other threads and processes, signals
//! that stop the process, jumps out of handlers.

use super::environment::PID;
use super::{modelled, pthread, real, refused, site};
use crate::kernel::point::end_execution;
use crate::kernel::{controlled, fault, k};
use crate::memory::leaks;
use crate::model::atomic::{self, Effect};
use crate::sys::call;
use crate::{entry, facade};
use alloc::format;
use core::ffi::{c_int, c_void};
use libc::{EINVAL, SIG_BLOCK, SIG_DFL, SIG_IGN, SIG_SETMASK, SIG_UNBLOCK, sigset_t};
use raddle_schedule::{OpKind, Order, Outcome, hash, world};

const SIGNALS: usize = 65;

/// Actions that executions have changed: what they were before.
static mut CHANGED: [Option<libc::sigaction>; SIGNALS] = [None; SIGNALS];
/// Actions that the running execution has set for the kernel's own signals.
static mut OURS: [Option<libc::sigaction>; SIGNALS] = [None; SIGNALS];
/// Some of either is set.
static mut ANY: bool = false;

/// What a thread knows of signals.
#[derive(Clone, Copy, Default)]
pub struct Signals {
    /// Blocked ones; bit n - 1 is signal n.
    mask: u64,
    /// Sent to it while they were blocked.
    pending: u64,
    /// Handlers that it is in.
    handling: u32,
    /// Start and length of the stack that it has given them.
    stack: Option<(usize, usize)>,
}

impl Signals {
    /// Of a thread that this one creates.
    pub fn inherited(self) -> Signals {
        Signals { mask: self.mask, ..Signals::default() }
    }

    /// All of it in one word, as good as unique.
    pub fn bits(self) -> u64 {
        hash::mix(hash::mix(self.mask, self.pending), u64::from(self.handling))
    }

    /// Is the thread in a handler?
    pub fn in_handler(self) -> bool {
        self.handling > 0
    }
}

fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

fn is_signal(signal: c_int) -> bool {
    (1..SIGNALS as c_int).contains(&signal)
}

/// The step at which a signal's action is looked at or set, where other threads could do so too.
fn step(signal: c_int, kind: OpKind, site: u32) {
    if k().spawned > 1 {
        atomic::before(kind, world::signal(signal as usize), 8, Order::SeqCst, site);
        atomic::done(0, Effect::Done);
    }
}

entry! {
    /// Sets or asks for a signal's action.
    fn sigaction / set_action(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int, 3, caller {
        if modelled() && is_signal(signal) {
            step(signal, if new.is_null() { OpKind::AtomicLoad } else { OpKind::AtomicStore }, site(caller));
        }
        // SAFETY: the same contract.
        unsafe { act(signal, new, old) }
    }
}

/// Sets or asks for a signal's action, without a step. What is set for one of the kernel's signals holds for those
/// that the program sends to itself.
///
/// # Safety
/// As for `sigaction` of libc.
unsafe fn act(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    let known = is_signal(signal);
    let ours = known && controlled() && fault::is_ours(signal);
    // Rust's std looks for a handler of faults, and would put its own there, for stacks that are not ours: it finds the
    // runtime's. What a crate has set is its own.
    // SAFETY: the token's holder.
    let by_std = || facade::is_there() && new.is_null() && unsafe { OURS[signal as usize].is_none() };
    if ours && modelled() && !by_std() {
        // SAFETY: the token's holder; the caller's records.
        unsafe {
            if let Some(old) = old.as_mut() {
                *old = action(signal);
            }
            if let Some(new) = new.as_ref() {
                OURS[signal as usize] = Some(*new);
                ANY = true;
            }
        }
        return 0;
    }
    // Before the first execution it has no effect.
    let new = if ours { core::ptr::null() } else { new };
    if modelled() && !new.is_null() && known {
        // SAFETY: the token's holder; an action is plain data.
        unsafe {
            let mut before: libc::sigaction = core::mem::zeroed();
            let slot = &mut CHANGED[signal as usize];
            if slot.is_none() && (real::get().sigaction)(signal, core::ptr::null(), &mut before) == 0 {
                *slot = Some(before);
                ANY = true;
            }
        }
    }
    // SAFETY: passed on.
    unsafe { (real::get().sigaction)(signal, new, old) }
}

/// Has the running execution set a handler for this one of the kernel's own signals?
pub fn has_handler(signal: c_int) -> bool {
    // SAFETY: the token's holder.
    let ours = unsafe { OURS[signal as usize % SIGNALS] };
    ours.is_some_and(|action| action.sa_sigaction != SIG_DFL && action.sa_sigaction != SIG_IGN)
}

/// A signal's action as the program sees it.
fn action(signal: c_int) -> libc::sigaction {
    // SAFETY: the token's holder; an action is plain data, and all zero is the default.
    unsafe {
        let mut now: libc::sigaction = core::mem::zeroed();
        match fault::is_ours(signal) {
            true => OURS[signal as usize].unwrap_or(now),
            false => {
                (real::get().sigaction)(signal, core::ptr::null(), &mut now);
                now
            }
        }
    }
}

entry! {
    /// The simple form.
    fn signal / set_handler(number: c_int, handler: libc::sighandler_t) -> libc::sighandler_t, 2, caller {
        // SAFETY: an action is plain data.
        unsafe {
            let mut new: libc::sigaction = core::mem::zeroed();
            let mut old: libc::sigaction = core::mem::zeroed();
            new.sa_sigaction = handler;
            new.sa_flags = libc::SA_RESTART;
            if set_action(number, &new, &mut old, caller) == 0 { old.sa_sigaction } else { libc::SIG_ERR }
        }
    }
}

entry! {
    /// Sends a signal to the calling thread.
    fn raise / raise_own(signal: c_int) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().raise)(signal) };
        }
        if is_signal(signal) || signal == 0 {
            send(signal, site(caller));
            return 0;
        }
        // SAFETY: the calling thread's errno.
        unsafe { *libc::__errno_location() = EINVAL };
        -1
    }
}

entry! {
    /// Sends a signal to a thread: here only to the calling one.
    fn pthread_kill / kill_thread(thread: libc::pthread_t, signal: c_int) -> c_int, 2, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_kill)(thread, signal) };
        }
        // Nothing is sent: the question is whether there is such a thread.
        if signal == 0 {
            return if pthread::number_of(thread).is_some() { 0 } else { libc::ESRCH };
        }
        // SAFETY: no arguments.
        if thread != unsafe { libc::pthread_self() } {
            k().end.site = site(caller);
            refused::refuse_with("pthread_kill", "of another thread");
        }
        if !is_signal(signal) && signal != 0 {
            return EINVAL;
        }
        send(signal, site(caller));
        0
    }
}

entry! {
    /// Sends a signal to a process: here only to its own, and then to the calling thread, unless that blocks it and
    /// another one does not.
    fn kill / kill_process(pid: libc::pid_t, signal: c_int) -> c_int, 2, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().kill)(pid, signal) };
        }
        if pid != PID && pid != 0 {
            k().end.site = site(caller);
            refused::refuse_with("kill", "of another process");
        }
        if is_signal(signal) && k().me().signals.mask & bit(signal) != 0 {
            let kernel = k();
            let takes = |t: usize| kernel.finished >> t & 1 == 0 && kernel.threads[t].signals.mask & bit(signal) == 0;
            if (0..kernel.spawned).any(takes) {
                k().end.site = site(caller);
                refused::refuse_with("kill", "of a signal that the calling thread blocks and another does not");
            }
        }
        // SAFETY: the same convention.
        unsafe { raise_own(signal, caller) }
    }
}

/// The running thread gets a signal: at once, unless it blocks it.
fn send(signal: c_int, site: u32) {
    if signal == 0 {
        return;
    }
    let me = &mut k().me().signals;
    if me.mask & bit(signal) != 0 {
        me.pending |= bit(signal);
        return;
    }
    deliver(signal, site);
}

/// Does what the signal's action says, here and now.
pub(super) fn deliver(signal: c_int, site: u32) {
    step(signal, OpKind::AtomicLoad, site);
    let action = action(signal);
    match action.sa_sigaction {
        SIG_IGN => {}
        SIG_DFL => by_default(signal, site),
        _ => handle(signal, &action),
    }
}

/// What signals do for which the program has no handler.
fn by_default(signal: c_int, site: u32) {
    match signal {
        libc::SIGCHLD | libc::SIGCONT | libc::SIGURG | libc::SIGWINCH => {}
        libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => {
            k().end.site = site;
            refused::refuse_with("raise", "of a signal that stops the process")
        }
        // As a fault of the kind would end it.
        // SAFETY: sends to this thread.
        _ if fault::is_ours(signal) => unsafe {
            (real::get().raise)(signal);
        },
        _ => {
            k().end.site = site;
            end_execution(
                Outcome::Crash,
                signal as u32,
                &format!("ended by signal {signal} ({})", name(signal)),
            )
        }
    }
}

/// A signal's name.
fn name(signal: c_int) -> &'static str {
    match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        _ => "no handler",
    }
}

/// Calls the program's handler, with the signals blocked that it is to run without.
fn handle(signal: c_int, action: &libc::sigaction) {
    // SAFETY: a set of signals is its bits, sixteen words of which the first has all that there are.
    let more = unsafe { *(&raw const action.sa_mask).cast::<u64>() };
    if action.sa_flags & libc::SA_RESETHAND != 0 {
        // SAFETY: an action is plain data, and all zero is the default.
        unsafe { act(signal, &core::mem::zeroed(), core::ptr::null_mut()) };
    }
    let me = &mut k().me().signals;
    let before = me.mask;
    me.mask |= more;
    if action.sa_flags & libc::SA_NODEFER == 0 {
        me.mask |= bit(signal);
    }
    me.handling += 1;
    // SAFETY: the program's handler, of the form that its flags say; the records live while it runs.
    unsafe {
        if action.sa_flags & libc::SA_SIGINFO != 0 {
            let mut info: libc::siginfo_t = core::mem::zeroed();
            info.si_signo = signal;
            info.si_code = libc::SI_TKILL;
            let mut context: libc::ucontext_t = core::mem::zeroed();
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                core::mem::transmute(action.sa_sigaction);
            handler(signal, &mut info, (&raw mut context).cast());
        } else {
            let handler: extern "C" fn(c_int) = core::mem::transmute(action.sa_sigaction);
            handler(signal);
        }
    }
    let me = &mut k().me().signals;
    me.handling -= 1;
    me.mask = before;
    take_pending();
}

/// Delivers what was sent while it was blocked and is not any more, the lowest number first.
fn take_pending() {
    loop {
        let me = &mut k().me().signals;
        let due = me.pending & !me.mask;
        if due == 0 {
            return;
        }
        let signal = due.trailing_zeros() as c_int + 1;
        me.pending &= !bit(signal);
        deliver(signal, 0);
    }
}

/// Changes the calling thread's mask.
fn change_mask(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int {
    let me = &mut k().me().signals;
    // SAFETY: the caller's sets, of which the first word has all signals that there are.
    unsafe {
        let new = new.cast::<u64>().as_ref().copied();
        if let Some(old) = old.cast::<u64>().as_mut() {
            *old = me.mask;
        }
        let Some(new) = new else { return 0 };
        me.mask = match how {
            SIG_BLOCK => me.mask | new,
            SIG_UNBLOCK => me.mask & !new,
            SIG_SETMASK => new,
            _ => return EINVAL,
        };
    }
    me.mask &= !(bit(libc::SIGKILL) | bit(libc::SIGSTOP));
    take_pending();
    0
}

entry! {
    /// The calling thread's mask.
    fn pthread_sigmask / set_mask(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int, {
        if modelled() {
            return change_mask(how, new, old);
        }
        // SAFETY: passed on.
        unsafe { (real::get().pthread_sigmask)(how, new, old) }
    }
}

entry! {
    /// The same by its older name.
    fn sigprocmask / set_process_mask(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int, {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sigprocmask)(how, new, old) };
        }
        match change_mask(how, new, old) {
            0 => 0,
            error => {
                // SAFETY: the calling thread's errno.
                unsafe { *libc::__errno_location() = error };
                -1
            }
        }
    }
}

entry! {
    /// The stack for the calling thread's handlers. They run on its own all the same: the one that this OS thread has is for
    /// faults, of which most are Raddle's (`memory::snapshot`), and on the program's the handler of those could fault itself.
    fn sigaltstack / set_stack(new: *const libc::stack_t, old: *mut libc::stack_t) -> c_int, {
        if !modelled() {
            // SAFETY: passed on.
            return answer(unsafe { call!(libc::SYS_sigaltstack, new, old) });
        }
        let before = k().me().signals.stack;
        // SAFETY: the caller's records, if there are any.
        let (new, old) = unsafe { (new.as_ref().copied(), old.as_mut()) };
        if let Some(new) = new {
            let flags = new.ss_flags & !(libc::SS_ONSTACK | AUTODISARM);
            let stack = match flags {
                0 if new.ss_size < libc::MINSIGSTKSZ => return answer(-(libc::ENOMEM as isize)),
                0 => Some((new.ss_sp as usize, new.ss_size)),
                libc::SS_DISABLE => None,
                _ => return answer(-(EINVAL as isize)),
            };
            k().me().signals.stack = stack;
            leaks::handed_over(new.ss_sp as usize);
        }
        match (old, before) {
            (Some(old), Some((start, len))) => {
                *old = libc::stack_t { ss_sp: start as *mut c_void, ss_flags: 0, ss_size: len };
                0
            }
            (Some(old), None) if !facade::is_there() => {
                *old = libc::stack_t { ss_sp: core::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
                0
            }
            (Some(old), None) => {
                // Rust's std gives each thread one of its own where there is none.
                let mut real = libc::stack_t { ss_sp: core::ptr::null_mut(), ss_flags: 0, ss_size: 0 };
                // SAFETY: asks alone; the record is the runtime's own.
                let value = unsafe { call!(libc::SYS_sigaltstack, 0, &raw mut real) };
                *old = real;
                answer(value)
            }
            (None, _) => 0,
        }
    }
}

/// Flag of a stack that is none while a handler runs on it.
const AUTODISARM: c_int = i32::MIN;

/// What a function of libc makes of the system's answer.
fn answer(value: isize) -> c_int {
    if (-4095..0).contains(&value) {
        // SAFETY: the calling thread's errno.
        unsafe { *libc::__errno_location() = -value as c_int };
        return -1;
    }
    value as c_int
}

entry! {
    /// What was sent to the calling thread while it was blocked.
    fn sigpending / get_pending(set: *mut sigset_t) -> c_int, {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sigpending)(set) };
        }
        // SAFETY: the caller's set.
        unsafe {
            libc::sigemptyset(set);
            *set.cast::<u64>() = k().me().signals.pending;
        }
        0
    }
}

/// Puts back what the execution changed.
pub fn restore() {
    // SAFETY: the token's holder.
    unsafe {
        if !ANY {
            return;
        }
        ANY = false;
        OURS = [None; SIGNALS];
        for (signal, before) in CHANGED.iter_mut().enumerate() {
            if let Some(before) = before.take() {
                (real::get().sigaction)(signal as c_int, &before, core::ptr::null_mut());
            }
        }
    }
}
