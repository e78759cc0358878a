//! pthreads: threads, and what is done once.

use super::files::touched_by_system;
use super::time::{is_clock, is_valid};
use super::{cleanup, modelled, modelled_for, real, refused, site};
use crate::carrier::slot;
use crate::kernel::record::detailed;
use crate::kernel::{Body, k};
use crate::memory::{freed, imports};
use crate::model::atomic::{self, Effect};
use crate::model::{clock, ended, misuse, mutex, thread};
use crate::{entry, entry_here};
use alloc::vec;
use core::ffi::{c_char, c_int, c_void};
use libc::{EAGAIN, EBUSY, EDEADLK, EINVAL, ESRCH, ETIMEDOUT, pthread_t};
use raddle_schedule::memory::Meaning;
use raddle_schedule::misuse::{Part, What};
use raddle_schedule::{OpKind, Order, world};

/// What a thread runs.
pub type Entry = extern "C" fn(*mut c_void) -> *mut c_void;

/// The thread that a handle names.
pub fn number_of(handle: pthread_t) -> Option<u8> {
    let kernel = k();
    (0..kernel.spawned).rev().find(|t| slot::get(kernel.threads[*t].slot).pthread == handle).map(|t| t as u8)
}

entry_here! {
    /// Creates a thread.
    fn pthread_create / create(handle: *mut pthread_t, attr: *const libc::pthread_attr_t, function: Entry, argument: *mut c_void) -> c_int, 4, here {
        let caller = here.caller;
        if !modelled() {
            refused::starts_early(caller);
            // SAFETY: passed on as it came.
            return unsafe { (real::get().pthread_create)(handle, attr, function, argument) };
        }
        let (mut state, mut stack): (c_int, usize) = (0, 0);
        if !attr.is_null() {
            // SAFETY: an initialised attribute, by pthread_create's contract.
            unsafe {
                pthread_attr_getdetachstate(attr, &mut state);
                libc::pthread_attr_getstacksize(attr, &mut stack);
            }
        }
        let detached = state == libc::PTHREAD_CREATE_DETACHED;
        if thread::is_refused(site(caller), here) {
            return EAGAIN;
        }
        let let_go = detached.then(|| freed::part(Part::Detached, caller));
        let number = thread::spawn(Body { function, argument }, let_go, site(caller));
        k().threads[usize::from(number)].stack = stack;
        let slot = k().threads[usize::from(number)].slot;
        // SAFETY: the caller's place for the handle.
        unsafe { *handle = slot::get(slot).pthread };
        0
    }
}

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attr: *const libc::pthread_attr_t, state: *mut c_int) -> c_int;
}

entry! {
    /// Waits for a thread's end.
    fn pthread_join / join(handle: pthread_t, result: *mut *mut c_void) -> c_int, 2, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_join)(handle, result) };
        }
        match may_join(handle, caller) {
            Ok(number) => finish_join(number, result, caller),
            Err(error) => error,
        }
    }
}

/// The thread that the caller may join, or what its function returns: to join one twice is misuse.
fn may_join(handle: pthread_t, caller: *const c_void) -> Result<u8, c_int> {
    let number = number_of(handle).ok_or(ESRCH)?;
    if let Some(by) = k().threads[usize::from(number)].let_go {
        let site = freed::part(Part::Joined, caller).site;
        misuse::of_object(What::Join, OpKind::Join, u64::from(number), vec![by], site);
    }
    if number == k().current { Err(EDEADLK) } else { Ok(number) }
}

fn wait_for_end(number: u8, caller: *const c_void) -> *mut c_void {
    k().threads[usize::from(number)].let_go = Some(freed::part(Part::Joined, caller));
    thread::join(number, site(caller))
}

fn finish_join(number: u8, result: *mut *mut c_void, caller: *const c_void) -> c_int {
    let value = wait_for_end(number, caller);
    if !result.is_null() {
        // SAFETY: the caller's place for the result.
        unsafe { *result = value };
        touched_by_system(OpKind::Write, result as usize, size_of::<*mut c_void>(), caller);
    }
    0
}

/// Waits for a thread's end, and tells what it came to.
pub(super) fn joined(handle: pthread_t, caller: *const c_void) -> Result<*mut c_void, c_int> {
    Ok(wait_for_end(may_join(handle, caller)?, caller))
}

/// The end of the main thread is no word that can be asked for.
fn look_at_joined(number: u8) {
    if number == 0 {
        refused::refuse_with("pthread_tryjoin_np", "(or a join with a time limit) of the main thread");
    }
    if !ended::can_be_asked() {
        refused::refuse_with("pthread_tryjoin_np", "(or a join with a time limit) found by `dlsym`");
    }
}

entry_here! {
    /// Joins a thread if it has ended.
    fn pthread_tryjoin_np / try_join(handle: pthread_t, result: *mut *mut c_void) -> c_int, 2, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_tryjoin_np)(handle, result) };
        }
        let number = match may_join(handle, here.caller) {
            Ok(number) => number,
            // It has not ended.
            Err(EDEADLK) => return EBUSY,
            Err(error) => return error,
        };
        look_at_joined(number);
        if ended::is_gone(number, site(here.caller), here) { finish_join(number, result, here.caller) } else { EBUSY }
    }
}

entry! {
    /// Joins a thread, within a time limit.
    fn pthread_timedjoin_np / timed_join(handle: pthread_t, result: *mut *mut c_void, at: *const libc::timespec) -> c_int, 3, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_timedjoin_np)(handle, result, at) };
        }
        join_within(handle, result, at, caller)
    }
}

entry! {
    /// The same with a clock named.
    fn pthread_clockjoin_np / clock_join(handle: pthread_t, result: *mut *mut c_void, clock: libc::clockid_t, at: *const libc::timespec) -> c_int, 4, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_clockjoin_np)(handle, result, clock, at) };
        }
        if !is_clock(clock) {
            return EINVAL;
        }
        join_within(handle, result, at, caller)
    }
}

fn join_within(
    handle: pthread_t,
    result: *mut *mut c_void,
    at: *const libc::timespec,
    caller: *const c_void,
) -> c_int {
    let number = match may_join(handle, caller) {
        Ok(number) => number,
        Err(error) => return error,
    };
    if !at.is_null() {
        look_at_joined(number);
        // SAFETY: the caller's moment.
        let at = unsafe { &*at };
        if !is_valid(at) {
            return EINVAL;
        }
        if !ended::wait_gone(number, site(caller)) {
            clock::pass_until(at.tv_sec, at.tv_nsec);
            return ETIMEDOUT;
        }
    }
    finish_join(number, result, caller)
}

entry! {
    /// Lets a thread end unnoticed.
    fn pthread_detach / detach(handle: pthread_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_detach)(handle) };
        }
        let Some(number) = number_of(handle) else { return ESRCH };
        let detaches = freed::part(Part::Detached, caller);
        let target = &mut k().threads[usize::from(number)];
        if let Some(by) = target.let_go {
            misuse::of_object(What::Detach, OpKind::Join, u64::from(number), vec![by], detaches.site);
        }
        target.let_go = Some(detaches);
        0
    }
}

/// Ends the calling thread.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_exit(result: *mut c_void) -> ! {
    if !modelled() {
        // SAFETY: passed on.
        unsafe { (real::get().pthread_exit)(result) }
    }
    let kernel = k();
    if kernel.current == 0 {
        kernel.main_left = true;
    }
    cleanup::exit(result)
}

/// Tells the attributes of a thread. Its stack is as large as it asked for, which libc's threads' are too: where that is more
/// than there is here, only who needs it finds out (`kernel/fault.rs`).
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_getattr_np(handle: pthread_t, attr: *mut libc::pthread_attr_t) -> c_int {
    // SAFETY: passed on.
    let error = unsafe { (real::get().pthread_getattr_np)(handle, attr) };
    let number = if error == 0 && modelled() { number_of(handle) } else { None };
    let Some(number) = number else { return error };
    let thread = &k().threads[usize::from(number)];
    let asked = if thread.stack == 0 { slot::STACK } else { thread.stack.next_multiple_of(4096) };
    let (low, top) = slot::stack(thread.slot);
    let size = asked.max(top - low);
    // SAFETY: an attribute that libc has just filled in.
    unsafe { libc::pthread_attr_setstack(attr, (top - size) as *mut c_void, size) }
}

/// Names a thread.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setname_np(handle: pthread_t, name: *const c_char) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().pthread_setname_np)(handle, name) };
    }
    let Some(number) = number_of(handle) else { return ESRCH };
    // SAFETY: a string, by the contract.
    let text = unsafe { core::ffi::CStr::from_ptr(name) };
    if text.count_bytes() > 15 {
        return libc::ERANGE;
    }
    name_step(number, OpKind::AtomicStore);
    k().threads[usize::from(number)].name = text.to_string_lossy().into_owned();
    0
}

/// Tells a thread's name: one that it was not given is that of the program.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_getname_np(handle: pthread_t, name: *mut c_char, len: usize) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().pthread_getname_np)(handle, name, len) };
    }
    let Some(number) = number_of(handle) else { return ESRCH };
    if len < 16 {
        return libc::ERANGE;
    }
    name_step(number, OpKind::AtomicLoad);
    let given = &k().threads[usize::from(number)].name;
    if given.is_empty() {
        // SAFETY: passed on, about a thread that all threads of the program are named like.
        return unsafe { (real::get().pthread_getname_np)(libc::pthread_self(), name, len) };
    }
    // SAFETY: the caller's place, which is long enough.
    unsafe {
        core::ptr::copy_nonoverlapping(given.as_ptr(), name.cast(), given.len());
        *name.add(given.len()) = 0;
    }
    0
}

/// A thread's name is set or asked for, which is a step where the program asks for names and other threads could set it.
fn name_step(number: u8, kind: OpKind) {
    if k().asks_for_names && k().spawned > 1 {
        atomic::before(kind, world::thread_name(usize::from(number)), 1, Order::SeqCst, 0);
        atomic::done(0, Effect::Done);
    }
}

/// Before the first execution: does the program ask for names?
pub fn prepare() {
    k().asks_for_names = imports::asked_for(c"pthread_getname_np");
}

entry_here! {
    /// Runs an initialiser once: a mutex of the control word, held while it runs.
    fn pthread_once / once(control: *mut c_int, initialise: extern "C" fn()) -> c_int, 2, here {
        let caller = here.caller;
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_once)(control, initialise) };
        }
        /// What glibc leaves in the word of a finished initialisation.
        const DONE: c_int = 2;
        let site = site(caller);
        mutex::lock(control as u64, site);
        // SAFETY: the caller's control word; no other thread runs. An exception of C++ may leave the initialiser and this
        // frame, which has nothing to clean up and an entry for the unwinder; `cpp.rs` gives the lock back then.
        unsafe {
            if *control == DONE {
                // Whoever comes later is behind the initialiser, and not behind those who came for nothing.
                means(control as u64, Meaning::FindsDone);
                mutex::unlock_untold(control as u64, site);
                return 0;
            }
            means(control as u64, Meaning::Runs);
            k().me().initialising.push((control as u64, here.stack_pointer()));
            initialise();
            k().me().initialising.pop();
            *control = DONE;
        }
        mutex::unlock(control as u64, site);
        means(control as u64, Meaning::Completes);
        0
    }
}

/// What the running thread's last operation on the lock of an initialiser means.
pub(super) fn means(lock: u64, meaning: Meaning) {
    if detailed() {
        k().means(lock, meaning);
    }
}
