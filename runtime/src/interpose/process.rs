//! Ends of the process: each ends the execution instead.

use super::{at_exit, gate, modelled, real, signal, site};
use crate::entry;
use crate::kernel::point::end_execution;
use crate::kernel::process_end::{Ends, end_process};
use crate::kernel::{active, controlled, k};
use crate::model::atomic::{self, Effect};
use crate::model::{statics, thread};
use crate::svcomp;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};
use raddle_schedule::{OpKind, Order, Outcome, world};

/// A function, and what it is called with.
pub type Handler = (unsafe extern "C" fn(*mut c_void), *mut c_void);

type QuickHandler = unsafe extern "C" fn(*mut c_void);

struct Handlers<T>(UnsafeCell<Vec<T>>);

// SAFETY: used by the token's holder only.
unsafe impl<T> Sync for Handlers<T> {}

/// What the program registered with `atexit` during the execution, oldest first.
static HANDLERS: Handlers<Handler> = Handlers(UnsafeCell::new(Vec::new()));

/// The same with `at_quick_exit`.
static QUICK_HANDLERS: Handlers<QuickHandler> = Handlers(UnsafeCell::new(Vec::new()));

fn handlers() -> &'static mut Vec<Handler> {
    // SAFETY: see `Handlers`; one reference at a time.
    unsafe { &mut *HANDLERS.0.get() }
}

fn quick_handlers() -> &'static mut Vec<QuickHandler> {
    // SAFETY: see `Handlers`; one reference at a time.
    unsafe { &mut *QUICK_HANDLERS.0.get() }
}

/// A new execution: nothing registered.
pub fn forget_handlers() {
    handlers().clear();
    quick_handlers().clear();
    at_exit::begin();
}

/// Does what is to be done at exit: what was registered, newest first, and what the program ends with.
pub fn run_handlers() {
    statics::leaves(true);
    while let Some((handler, argument)) = handlers().pop().or_else(at_exit::next_handler) {
        // SAFETY: registered by the program for this.
        unsafe { handler(argument) };
        if !argument.is_null() {
            statics::destroyed(handler as usize, argument as usize);
        }
    }
    while let Some(last) = at_exit::next_function() {
        // SAFETY: compiled to be called here.
        unsafe { last() };
    }
    statics::leaves(false);
}

entry! {
    /// Registers something to be done at exit (`atexit` comes down to this). What is registered later is done
    /// earlier, so of two threads the order shows in the end.
    fn __cxa_atexit / at_exit(handler: unsafe extern "C" fn(*mut c_void), argument: *mut c_void, object: *mut c_void) -> c_int, 3, caller {
        if !active() {
            if controlled() {
                at_exit::note((handler, argument), caller);
            }
            // SAFETY: passed on.
            return unsafe { (real::get().cxa_atexit)(handler, argument, object) };
        }
        if k().spawned > 1 {
            atomic::before(OpKind::AtomicRmw, world::AT_EXIT, 8, Order::Relaxed, site(caller));
            atomic::done(0, Effect::Done);
        }
        handlers().push((handler, argument));
        0
    }
}

entry! {
    /// Registers something to be done at `quick_exit`.
    fn __cxa_at_quick_exit / at_quick_exit_of(handler: unsafe extern "C" fn(*mut c_void), object: *mut c_void) -> c_int, 2, caller {
        if !active() {
            // SAFETY: libc's function of this name has this type; passed on as it came.
            return unsafe {
                core::mem::transmute::<*mut c_void, AtQuickExit>(gate::behind(c"__cxa_at_quick_exit"))(handler, object)
            };
        }
        if k().spawned > 1 {
            atomic::before(OpKind::AtomicRmw, world::AT_EXIT, 8, Order::Relaxed, site(caller));
            atomic::done(0, Effect::Done);
        }
        quick_handlers().push(handler);
        0
    }
}

entry! {
    /// The same by its name in ISO C.
    fn at_quick_exit / at_quick_exit_inner(handler: unsafe extern "C" fn(*mut c_void)) -> c_int, 1, caller {
        // SAFETY: the same contract; what takes no argument does not look for one.
        unsafe { at_quick_exit_of(handler, core::ptr::null_mut(), caller) }
    }
}

entry! {
    /// Runs what one library has registered, which a function that compilers put into it calls at the end. In an execution all
    /// of it is done elsewhere.
    fn __cxa_finalize / finalize(object: *mut c_void) -> (), 1, _caller {
        if active() {
            return;
        }
        // SAFETY: libc's function of this name has this type; passed on as it came.
        unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(gate::behind(c"__cxa_finalize"))(object) }
    }
}

type AtQuickExit = unsafe extern "C" fn(unsafe extern "C" fn(*mut c_void), *mut c_void) -> c_int;
type AtFork = extern "C" fn();
type Register = unsafe extern "C" fn(Option<AtFork>, Option<AtFork>, Option<AtFork>, *mut c_void) -> c_int;

entry! {
    /// Registers what is to be done around a `fork` (`pthread_atfork` comes down to this). In an execution nobody forks, since
    /// that is refused; and libc's list, which grows in a heap that is rolled back, would not be.
    fn __register_atfork / at_fork(prepare: Option<AtFork>, parent: Option<AtFork>, child: Option<AtFork>, object: *mut c_void) -> c_int, 4, _caller {
        if active() {
            return 0;
        }
        // SAFETY: libc's function of this name has this type; passed on as it came.
        unsafe {
            core::mem::transmute::<*mut c_void, Register>(gate::behind(c"__register_atfork"))(prepare, parent, child, object)
        }
    }
}

/// Registers a native thread-local's destructor.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __cxa_thread_atexit_impl(
    destructor: unsafe extern "C" fn(*mut c_void),
    object: *mut c_void,
    module: *mut c_void,
) -> c_int {
    if active() {
        k().me().destructors.push((destructor, object));
        return 0;
    }
    if controlled() && k().end.done {
        // A stray registration while an execution is being torn down: its memory is rolled back.
        return 0;
    }
    // SAFETY: passed on.
    unsafe { (real::get().cxa_thread_atexit_impl)(destructor, object, module) }
}

/// Ends the execution as `exit(status)`, called here by the running thread.
pub fn exit_execution(status: c_int, site: u32) -> ! {
    thread::run_native_destructors();
    run_handlers();
    exit_at_once(status, site)
}

/// The process ends with this status, and runs nothing more.
fn exit_at_once(status: c_int, site: u32) -> ! {
    let outcome = if status == 0 { Outcome::Passed } else { Outcome::Exit };
    end_process(Ends { outcome, code: status as u32, site, pc: 0, message: String::new() })
}

/// The process ends with main.
pub fn end_well() -> ! {
    exit_at_once(0, 0)
}

entry! {
    /// Ends the process in order.
    fn exit / exit_inner(status: c_int) -> (), 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            unsafe { (real::get().exit)(status) }
        }
        exit_execution(status, site(caller))
    }
}

entry! {
    /// Ends the process with nothing but what was registered for this.
    fn quick_exit / quick_exit_inner(status: c_int) -> (), 1, caller {
        if !modelled() {
            // SAFETY: libc's function of this name has this type; passed on as it came.
            unsafe { core::mem::transmute::<*mut c_void, extern "C" fn(c_int) -> !>(gate::behind(c"quick_exit"))(status) }
        }
        while let Some(handler) = quick_handlers().pop() {
            // SAFETY: registered by the program for this.
            unsafe { handler(core::ptr::null_mut()) };
        }
        exit_at_once(status, site(caller))
    }
}

entry! {
    /// Ends the process at once.
    fn _exit / immediate_exit(status: c_int) -> (), 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            unsafe { (real::get()._exit)(status) }
        }
        exit_at_once(status, site(caller))
    }
}

entry! {
    /// The same by its name in ISO C.
    #[allow(non_snake_case)]
    fn _Exit / immediate_iso_exit(status: c_int) -> (), 1, caller {
        // SAFETY: the same contract.
        unsafe { immediate_exit(status, caller) }
    }
}

entry! {
    /// Ends the process as broken.
    fn abort / abort_inner() -> (), 0, caller {
        if !modelled() {
            // SAFETY: passed on.
            unsafe { (real::get().abort)() }
        }
        if svcomp::assumes() {
            end_execution(Outcome::AssumeBlocked, 0, "");
        }
        // The program's handler may end it otherwise; if it comes back the process is aborted all the same.
        let me = k().me();
        if me.panic.is_none() && !me.signals.in_handler() && signal::has_handler(libc::SIGABRT) {
            signal::deliver(libc::SIGABRT, site(caller));
        }
        let message = k().me().panic.as_ref().map_or_else(|| "aborted".into(), |panic| panic.message.clone());
        end_process(Ends {
            outcome: Outcome::Crash,
            code: libc::SIGABRT as u32,
            site: site(caller),
            pc: caller as u64,
            message,
        })
    }
}

entry! {
    /// A failed `assert` of C.
    fn __assert_fail / assert_fail(claim: *const c_char, file: *const c_char, line: u32, function: *const c_char) -> (), 4, caller {
        if !modelled() {
            // SAFETY: passed on.
            unsafe { (real::get().assert_fail)(claim, file, line, function) }
        }
        let text = |s: *const c_char| {
            // SAFETY: the compiler's strings.
            if s.is_null() { "?".into() } else { unsafe { CStr::from_ptr(s) }.to_string_lossy() }
        };
        k().end.site = site(caller);
        k().end.pc = caller as u64;
        end_execution(Outcome::Assertion, line, &format!("assertion `{}` failed in {}", text(claim), name_of(&text(function))))
    }
}

/// The name of a function of C in what clang and g++ say of it: `int main(void)`. Of others all of it.
fn name_of(function: &str) -> &str {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let Some((before, _)) = function.split_once('(') else { return function };
    let name = before.trim_end_matches(word).len();
    let plain = before.chars().all(|c| word(c) || c == ' ' || c == '*') && name < before.len();
    if plain { &before[name..] } else { function }
}
