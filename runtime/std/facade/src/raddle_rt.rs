//! The kernel's C interface, and safe functions around it. Those of locks, atomics and threads are in files beside this one.

#[path = "raddle_rt_atomics.rs"]
mod atomics;
#[path = "raddle_rt_locks.rs"]
mod locks;
#[path = "raddle_rt_threads.rs"]
mod threads;

pub use atomics::{
    Access, Aside, Effect, Known, Value, aside, atomic, atomic_compared, atomic_done, atomic_expecting,
    atomic_of, fence, weak_fails,
};
pub use locks::{
    cond_notify_all, cond_notify_one, cond_wait, cond_wait_timeout, may_poison, mutex_is_kept, mutex_lock,
    mutex_not_got, mutex_replaced, mutex_try_lock, mutex_unlock, poison_is_cleared, poison_is_read,
    poison_is_written, rwlock_downgrade, rwlock_is_one, rwlock_lock, rwlock_try_read, rwlock_try_write,
    rwlock_unlock,
};
pub use threads::{
    asks_for_id, has_ended, own_id, park, park_timeout, scope_waited, sleep, thread_id, thread_name,
    thread_panicked, unpark, yield_now,
};

use crate::marks::Method;
use std::ffi::c_void;
use std::panic::Location;
use std::time::Duration;

/// Where an operation stands in the user's source.
#[derive(Clone, Copy)]
pub struct Loc(*const c_void);

impl Loc {
    /// No place is known here; the kernel unwinds to the nearest frame of the user.
    pub const UNKNOWN: Loc = Loc(std::ptr::null());

    /// The place of the nearest caller that is not `#[track_caller]`.
    #[inline]
    #[track_caller]
    pub fn caller() -> Loc {
        Loc((Location::caller() as *const Location<'static>).cast())
    }

    /// As the kernel takes it.
    pub fn address(self) -> *const c_void {
        self.0
    }
}

/// A [`Location`] taken apart; the kernel knows no Rust types.
#[repr(C)]
pub struct Place {
    file: *const u8,
    file_len: usize,
    line: u32,
    column: u32,
}

#[link(name = "raddle_rt", kind = "dylib")]
unsafe extern "C" {
    fn raddle_rt_active() -> bool;
    fn raddle_rt_register_decoder(decode: unsafe extern "C" fn(*const c_void, *mut Place) -> bool);
    fn raddle_rt_set_site(loc: *const c_void);
    fn raddle_rt_clear_site();
    fn raddle_rt_detailed() -> bool;
    fn raddle_rt_quiet(on: bool);
    fn raddle_rt_orders_nothing(mutex: *const c_void);
    fn raddle_rt_aside(kind: u32, addr: *const c_void, order: u32);
    fn raddle_rt_std_lock(start: *const c_void, len: usize);
    fn raddle_rt_own(start: *const c_void, len: usize);
    fn raddle_rt_guards(
        lock: *const c_void,
        stride: usize,
        data: *const c_void,
        size: usize,
        name: *const u8,
        len: usize,
    );
    fn raddle_rt_means(object: *const c_void, meaning: u32);
    fn raddle_rt_mutex_is_kept(mutex: *const c_void) -> bool;
    fn raddle_rt_mutex_replaced(mutex: *const c_void);
    fn raddle_rt_mutex_not_got(mutex: *const c_void);
    fn raddle_rt_mutex_lock(mutex: *const c_void, loc: *const c_void) -> bool;
    fn raddle_rt_mutex_try_lock(mutex: *const c_void, loc: *const c_void) -> bool;
    fn raddle_rt_mutex_unlock(mutex: *const c_void, loc: *const c_void);
    fn raddle_rt_rwlock_is_one() -> bool;
    fn raddle_rt_rwlock_lock(lock: *const c_void, word: u32, writes: bool, loc: *const c_void);
    fn raddle_rt_rwlock_try_write(lock: *const c_void, word: u32, loc: *const c_void) -> bool;
    fn raddle_rt_rwlock_try_read(lock: *const c_void, word: u32, loc: *const c_void) -> bool;
    fn raddle_rt_rwlock_unlock(lock: *const c_void, writes: bool, loc: *const c_void);
    fn raddle_rt_rwlock_downgrade(lock: *const c_void, loc: *const c_void);
    fn raddle_rt_cond_wait(condvar: *const c_void, mutex: *const c_void, loc: *const c_void);
    fn raddle_rt_cond_wait_timeout(
        condvar: *const c_void,
        mutex: *const c_void,
        nanos: u64,
        loc: *const c_void,
    ) -> u64;
    fn raddle_rt_cond_notify_one(condvar: *const c_void, loc: *const c_void);
    fn raddle_rt_cond_notify_all(condvar: *const c_void, loc: *const c_void);
    fn raddle_rt_atomic(kind: u32, addr: *const c_void, size: u32, order: u32, loc: *const c_void);
    fn raddle_rt_atomic_done(value: u64, effect: u32);
    fn raddle_rt_atomic_expecting(value: u64);
    fn raddle_rt_atomic_compared(value: u64, expected: u64, failed: bool, failure: u32);
    fn raddle_rt_weak_fails() -> bool;
    fn raddle_rt_fence(order: u32, loc: *const c_void);
    fn raddle_rt_park(thread_id: u64, loc: *const c_void);
    fn raddle_rt_park_timeout(thread_id: u64, nanos: u64, loc: *const c_void) -> bool;
    fn raddle_rt_unpark(thread_id: u64, loc: *const c_void);
    fn raddle_rt_has_ended(handle: std::os::unix::thread::RawPthread, loc: *const c_void) -> bool;
    fn raddle_rt_scope_waited(handle: std::os::unix::thread::RawPthread);
    fn raddle_rt_yield(loc: *const c_void);
    fn raddle_rt_sleep(nanos: u64, loc: *const c_void);
    fn raddle_rt_asks_for_id();
    fn raddle_rt_thread_id(handle: std::os::unix::thread::RawPthread, id: u64);
    fn raddle_rt_thread_name(name: *const u8, len: usize);
    fn raddle_rt_thread_panicked(
        message: *const u8,
        len: usize,
        file: *const u8,
        file_len: usize,
        line: u32,
        column: u32,
    );
    fn raddle_rt_unmodelled(name: *const u8, len: usize, loc: *const c_void) -> !;
    fn raddle_rt_run(body: extern "C" fn(*mut c_void) -> i32, ctx: *mut c_void);
    fn raddle_rt_failed(message: *const u8, len: usize);
    fn raddle_rt_enter(method: *const Method) -> u32;
    fn raddle_rt_leave(token: u32);
    fn raddle_rt_suspend(method: *const Method);
    fn raddle_rt_statement_at(loc: *const c_void);
}

/// Tells the kernel how to read a [`Loc`], before `main`, and of panics where nothing else does. It also makes every program that links
/// this crate need `libraddle_rt.so`, used or not.
#[used]
#[unsafe(link_section = ".init_array")]
static REGISTER: extern "C" fn() = {
    extern "C" fn register() {
        // SAFETY: `decode` fits the signature and is part of the program for as long as it runs.
        unsafe { raddle_rt_register_decoder(decode) }
        crate::std_locks::tell();
        crate::panics::install_for_main();
    }
    register
};

/// # Safety
/// `loc` is null or comes from [`Loc::caller`]; `out` points to a `Place` to be written.
unsafe extern "C" fn decode(loc: *const c_void, out: *mut Place) -> bool {
    // SAFETY: promised above; a `Location` made by the compiler lives as long as the program.
    let Some(location) = (unsafe { loc.cast::<Location<'static>>().as_ref() }) else { return false };
    let file = location.file();
    let place =
        Place { file: file.as_ptr(), file_len: file.len(), line: location.line(), column: location.column() };
    // SAFETY: promised above.
    unsafe { out.write(place) };
    true
}

// SAFETY (for every call, below and in the files beside this one): the kernel takes addresses as names and never follows them;
// strings are read during the call only; a `Loc` is null or a static `Location`.

/// Is this thread inside a controlled execution? If not, the real thing must be done.
#[inline]
pub fn active() -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_active() }
}

/// For as long as it lives, what this thread does through libc (creating or joining a thread,
/// waiting on a futex) belongs to a place of the user.
pub struct Site(());

impl Site {
    /// Begins.
    pub fn new(loc: Loc) -> Site {
        // SAFETY: see above.
        unsafe { raddle_rt_set_site(loc.0) };
        Site(())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // SAFETY: see above.
        unsafe { raddle_rt_clear_site() }
    }
}

/// The counts of an `Arc` that is the facade's own: they are not the program's.
pub fn own_counts<T>(arc: &std::sync::Arc<T>) {
    // Two words, in front of the value.
    let before = align_of::<T>().max(2 * size_of::<usize>());
    let start = std::sync::Arc::as_ptr(arc).cast::<u8>().wrapping_sub(before);
    // SAFETY: see below.
    unsafe { raddle_rt_own(start.cast(), before) }
}

/// A lock of std itself, with what it guards: what is done there is no access.
pub fn std_lock(lock: *const (), len: usize) {
    // SAFETY: see below; of this one the words are read, which lie in a static.
    unsafe { raddle_rt_std_lock(lock.cast(), len) }
}

/// What this thread accesses from here on is the facade's own, or is the program's again. There must be no operation of the
/// model in between: others would be meant too.
pub fn quiet(on: bool) {
    // SAFETY: see below.
    unsafe { raddle_rt_quiet(on) }
}

/// A mutex of the model that decides who comes when, and orders nothing for the race detector. To be said whenever it is
/// about to be taken.
pub fn orders_nothing(mutex: *const ()) {
    // SAFETY: see below.
    unsafe { raddle_rt_orders_nothing(mutex.cast()) }
}

/// Is this an execution that is recorded in detail, for a report?
pub fn detailed() -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_detailed() }
}

/// What lies under a lock that this thread has just taken. To be said where [`detailed`].
pub fn guards<L: ?Sized, T: ?Sized>(name: *const (), lock: &L, data: &T) {
    let of_type = std::any::type_name::<T>();
    let at = (&raw const *data).cast::<c_void>();
    let (stride, size) = (size_of_val(lock), size_of_val(data));
    // SAFETY: see above; the name of a type is static.
    unsafe { raddle_rt_guards(name.cast(), stride, at, size, of_type.as_ptr(), of_type.len()) }
}

/// What an operation is that consists of several; the numbers are the kernel's.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Meaning {
    /// A read-write lock is taken for reading.
    ReadLocks = 1,
    /// A read-write lock is taken for writing.
    WriteLocks = 2,
    /// A reader gives it back.
    ReadUnlocks = 3,
    /// The writer gives it back.
    WriteUnlocks = 4,
    /// The writer becomes a reader.
    Downgrades = 5,
    /// A one-time initialisation begins.
    Runs = 6,
    /// It is done.
    Completes = 7,
    /// It was found done.
    FindsDone = 8,
    /// It panicked.
    Poisons = 9,
    /// A lock is poisoned.
    PoisonsLock = 14,
    /// It was left in a panic, which changes nothing about its poison.
    KeepsPoison = 15,
    /// It is asked whether a lock is poisoned.
    AsksForPoison = 16,
    /// A lock's poison is cleared.
    ClearsPoison = 17,
    /// A reader has to wait for a read-write lock, and says so in its state.
    WaitsToRead = 18,
    /// So does a writer.
    WaitsToWrite = 19,
}

/// What this thread's last operation on an object means.
pub fn means(object: *const (), meaning: Meaning) {
    // SAFETY: see above.
    unsafe { raddle_rt_means(object.cast(), meaning as u32) }
}

/// Ends the execution: it was about to enter something that the model does not know.
pub fn unmodelled(what: &str, loc: Loc) -> ! {
    // SAFETY: see above.
    unsafe { raddle_rt_unmodelled(what.as_ptr(), what.len(), loc.0) }
}

/// Hands the process over to the kernel, which runs `body` once for every plan and never comes
/// back; without a channel it returns at once.
///
/// # Safety
/// `body` must be sound to call with `ctx`, any number of times.
pub unsafe fn run(body: extern "C" fn(*mut c_void) -> i32, ctx: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { raddle_rt_run(body, ctx) }
}

/// Why the body fails, where no panic says it.
pub fn failed(message: &str) {
    // SAFETY: see above.
    unsafe { raddle_rt_failed(message.as_ptr(), message.len()) }
}

/// The running thread enters a function; the token is for [`leave`].
#[inline(always)]
pub fn enter(method: &'static Method) -> u32 {
    // SAFETY: see above; the method is static.
    unsafe { raddle_rt_enter(method) }
}

/// It leaves the function, and all that were entered since.
#[inline]
pub fn leave(token: u32) {
    // SAFETY: see above.
    unsafe { raddle_rt_leave(token) }
}

/// It leaves the async code that it polls, and all functions that were entered since.
#[inline]
pub fn suspend(method: &'static Method) {
    // SAFETY: see above; the method is static.
    unsafe { raddle_rt_suspend(method) }
}

/// The schedule point before a statement.
#[inline]
pub fn statement(loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_statement_at(loc.0) }
}

/// Is the end of a wait of that length a moment that no clock can show? Then std waits without a limit. (A clock's
/// seconds are an `i64`, and it shows less than so many.)
pub fn is_never(time: Duration) -> bool {
    time.as_secs() > i64::MAX as u64 - (1 << 32)
}

/// Whole nanoseconds, as many as fit (584 years).
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
