//! pthreads: threads, mutexes, condition variables.

use super::files::touched_by_system;
use super::time::{is_clock, is_valid};
use super::{cleanup, modelled, modelled_for, real, refused, site};
use crate::carrier::slot;
use crate::kernel::{Body, k};
use crate::memory::{freed, imports};
use crate::model::atomic::{self, Effect};
use crate::model::destroyed::{self, Class};
use crate::model::robust::{self, Taken};
use crate::model::{clock, condvar, ended, misuse, mutex, thread};
use crate::{entry, entry_here};
use alloc::vec;
use core::ffi::{c_char, c_int, c_void};
use libc::{
    EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ESRCH, ETIMEDOUT, pthread_cond_t,
    pthread_mutex_t, pthread_t,
};
use raddle_schedule::misuse::{Part, What};
use raddle_schedule::{OpKind, Order, world};

/// What a thread runs.
pub type Entry = extern "C" fn(*mut c_void) -> *mut c_void;

/// The thread that a handle names.
pub fn number_of(handle: pthread_t) -> Option<u8> {
    let kernel = k();
    (0..kernel.spawned).rev().find(|t| slot::get(kernel.threads[*t].slot).pthread == handle).map(|t| t as u8)
}

entry! {
    /// Creates a thread.
    fn pthread_create / create(handle: *mut pthread_t, attr: *const libc::pthread_attr_t, function: Entry, argument: *mut c_void) -> c_int, 4, caller {
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
        kernel.main_returned = true;
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

/// The kinds of mutex that matter here, from the word that glibc keeps for it.
#[derive(PartialEq, Eq)]
enum Kind {
    Normal,
    Recursive,
    ErrorChecking,
}

fn kind(m: *const pthread_mutex_t) -> Kind {
    // SAFETY: an initialised mutex: `__kind` is its fifth word (glibc, struct_mutex.h, x86-64).
    let word = unsafe { *m.cast::<c_int>().add(4) };
    match word & 3 {
        libc::PTHREAD_MUTEX_RECURSIVE => Kind::Recursive,
        libc::PTHREAD_MUTEX_ERRORCHECK => Kind::ErrorChecking,
        _ => Kind::Normal,
    }
}

/// Does it pass on when its holder ends? (`PTHREAD_MUTEX_ROBUST_NORMAL_NP`. Who inherits whose priority, in another bit,
/// changes nothing here.)
fn is_robust(m: *const pthread_mutex_t) -> bool {
    // SAFETY: as in `kind`.
    let word = unsafe { *m.cast::<c_int>().add(4) };
    word & 0x10 != 0
}

/// The running thread has the mutex: what its function returns.
fn taken(m: *const pthread_mutex_t) -> c_int {
    /// `PTHREAD_MUTEX_PRIO_PROTECT_NP`: to lock one fails for who has no real-time priority.
    const PROTECTS: c_int = 0x40;
    // SAFETY: as in `kind`.
    let word = unsafe { *m.cast::<c_int>().add(4) };
    if word & PROTECTS != 0 {
        refused::refuse_with("pthread_mutex_lock", "of a mutex with `PTHREAD_PRIO_PROTECT`");
    }
    if !is_robust(m) {
        return 0;
    }
    match robust::taken(m as u64) {
        Taken::Mine => 0,
        Taken::OwnerDied => EOWNERDEAD,
        Taken::Lost => ENOTRECOVERABLE,
    }
}

/// The running thread is about to give the mutex back.
fn give_up(m: *const pthread_mutex_t) {
    if is_robust(m) {
        robust::gives_back(m as u64);
    }
}

/// Does a wait with this mutex, which the caller holds, leave it held? It gives back one hold of a recursive one.
fn is_kept(m: *const pthread_mutex_t) -> bool {
    kind(m) == Kind::Recursive && mutex::holds(m as u64) > 1
}

/// What is done with a mutex that only its holder may do, and the caller is not: an error of mutexes that
/// check for it, misuse of others.
fn not_mine(what: What, m: *const pthread_mutex_t, site: u32) -> c_int {
    let operation = if what == What::Wait { OpKind::CondEnqueue } else { OpKind::Unlock };
    if let Some(by) = destroyed::by_whom(m as u64, Class::Mutex) {
        misuse::of_object(What::UseOfDestroyed, operation, m as u64, vec![by], site);
    }
    if kind(m) != Kind::Normal || is_robust(m) {
        return EPERM;
    }
    let holder = misuse::holder(m as u64).into_iter().collect();
    misuse::of_object(what, OpKind::Unlock, m as u64, holder, site)
}

/// A lock that needs no step: the caller holds the mutex already and it is not a normal one.
fn relock(m: *mut pthread_mutex_t) -> Option<c_int> {
    if !mutex::mine(m as u64) {
        return None;
    }
    match kind(m) {
        Kind::Recursive => {
            mutex::recount(m as u64, 1);
            Some(0)
        }
        Kind::ErrorChecking => Some(EDEADLK),
        Kind::Normal => None,
    }
}

entry! {
    /// Takes a mutex.
    fn pthread_mutex_lock / lock(m: *mut pthread_mutex_t) -> c_int, 1, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_lock)(m) };
        }
        if let Some(result) = relock(m) {
            return result;
        }
        mutex::lock(m as u64, site(caller));
        taken(m)
    }
}

entry_here! {
    /// Takes a mutex if it is free.
    fn pthread_mutex_trylock / try_lock(m: *mut pthread_mutex_t) -> c_int, 1, here {
        if !modelled_for(here.caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_trylock)(m) };
        }
        if mutex::mine(m as u64) {
            match kind(m) {
                Kind::Recursive => {
                    mutex::recount(m as u64, 1);
                    return 0;
                }
                // glibc says so of robust ones alone.
                Kind::ErrorChecking if is_robust(m) => return EDEADLK,
                _ => {}
            }
        }
        if mutex::try_lock(m as u64, site(here.caller), here) { taken(m) } else { EBUSY }
    }
}

entry! {
    /// Takes a mutex, within a time limit.
    fn pthread_mutex_timedlock / timed_lock(m: *mut pthread_mutex_t, at: *const libc::timespec) -> c_int, 2, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_timedlock)(m, at) };
        }
        lock_within(m, at, site(caller))
    }
}

entry! {
    /// The same with a clock named.
    fn pthread_mutex_clocklock / clock_lock(m: *mut pthread_mutex_t, clock: libc::clockid_t, at: *const libc::timespec) -> c_int, 3, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_clocklock)(m, clock, at) };
        }
        if !is_clock(clock) {
            return EINVAL;
        }
        lock_within(m, at, site(caller))
    }
}

fn lock_within(m: *mut pthread_mutex_t, at: *const libc::timespec, site: u32) -> c_int {
    if let Some(result) = relock(m) {
        return result;
    }
    if mutex::lock_timed(m as u64, site) {
        return taken(m);
    }
    // SAFETY: the caller's moment. Only who has to wait looks at it.
    let at = unsafe { &*at };
    if !is_valid(at) {
        return EINVAL;
    }
    clock::pass_until(at.tv_sec, at.tv_nsec);
    ETIMEDOUT
}

entry! {
    /// Gives a mutex back.
    fn pthread_mutex_unlock / unlock(m: *mut pthread_mutex_t) -> c_int, 1, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_unlock)(m) };
        }
        if !mutex::mine(m as u64) {
            return not_mine(What::Unlock, m, site(caller));
        } else if kind(m) == Kind::Recursive && mutex::recount(m as u64, -1) > 0 {
            return 0;
        }
        give_up(m);
        mutex::unlock(m as u64, site(caller));
        0
    }
}

/// Says that what a robust mutex guards is as it should be again.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_consistent(m: *mut pthread_mutex_t) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().pthread_mutex_consistent)(m) };
    }
    if is_robust(m) && robust::consistent(m as u64) { 0 } else { EINVAL }
}

entry! {
    /// Waits for a signal.
    fn pthread_cond_wait / wait(c: *mut pthread_cond_t, m: *mut pthread_mutex_t) -> c_int, 2, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_wait)(c, m) };
        }
        if !mutex::mine(m as u64) {
            return not_mine(What::Wait, m, site(caller));
        }
        let kept = is_kept(m);
        if !kept {
            give_up(m);
        }
        condvar::wait(c as u64, if kept { condvar::KEPT } else { m as u64 }, false, site(caller));
        if kept { 0 } else { taken(m) }
    }
}

entry! {
    /// Waits for a signal or a moment. Any order of the two is possible, whatever the moment.
    fn pthread_cond_timedwait / timed_wait(c: *mut pthread_cond_t, m: *mut pthread_mutex_t, at: *const libc::timespec) -> c_int, 3, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_timedwait)(c, m, at) };
        }
        timed(c, m, at, site(caller))
    }
}

entry! {
    /// The same with a clock named.
    fn pthread_cond_clockwait / clock_wait(c: *mut pthread_cond_t, m: *mut pthread_mutex_t, clock: libc::clockid_t, at: *const libc::timespec) -> c_int, 4, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_clockwait)(c, m, clock, at) };
        }
        if !is_clock(clock) {
            return EINVAL;
        }
        timed(c, m, at, site(caller))
    }
}

fn timed(c: *mut pthread_cond_t, m: *mut pthread_mutex_t, at: *const libc::timespec, site: u32) -> c_int {
    if !mutex::mine(m as u64) {
        return not_mine(What::Wait, m, site);
    }
    // SAFETY: the caller's moment.
    let at = unsafe { &*at };
    if !is_valid(at) {
        return EINVAL;
    }
    let kept = is_kept(m);
    if !kept {
        give_up(m);
    }
    let timed_out = condvar::wait(c as u64, if kept { condvar::KEPT } else { m as u64 }, true, site);
    if timed_out {
        clock::pass_until(at.tv_sec, at.tv_nsec);
    }
    match if kept { 0 } else { taken(m) } {
        0 if timed_out => ETIMEDOUT,
        result => result,
    }
}

entry! {
    /// Wakes one waiter.
    fn pthread_cond_signal / signal(c: *mut pthread_cond_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_signal)(c) };
        }
        condvar::notify_one(c as u64, site(caller));
        0
    }
}

entry! {
    /// Wakes all waiters.
    fn pthread_cond_broadcast / broadcast(c: *mut pthread_cond_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_broadcast)(c) };
        }
        condvar::notify_all(c as u64, site(caller));
        0
    }
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
                mutex::unlock_untold(control as u64, site);
                return 0;
            }
            k().me().initialising.push((control as u64, here.stack_pointer()));
            initialise();
            k().me().initialising.pop();
            *control = DONE;
        }
        mutex::unlock(control as u64, site);
        0
    }
}
