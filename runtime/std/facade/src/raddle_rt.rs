//! The kernel's C interface, and safe functions around it.

use crate::marks::Method;
use std::ffi::c_void;
use std::panic::Location;
use std::sync::atomic::Ordering;
use std::thread::ThreadId;
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

// SAFETY (for every call below): the kernel takes addresses as names and never follows them;
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

/// What the race detector is told of beside the steps.
#[derive(Clone, Copy)]
pub enum Aside {
    /// An atomic operation on a word of 8 bytes.
    Access(Access),
    /// A fence.
    Fence,
}

/// Tells the race detector of an operation that std's code would do here: no step, and not really done.
pub fn aside(what: Aside, addr: *const (), order: Ordering) {
    let kind = match what {
        Aside::Access(access) => access as u32,
        Aside::Fence => 23,
    };
    // SAFETY: see below.
    unsafe { raddle_rt_aside(kind, addr.cast(), c11(order)) }
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

/// Does the model hold a thread to have this mutex, and not to be about to give it back?
pub fn mutex_is_kept(mutex: *const ()) -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_mutex_is_kept(mutex.cast()) }
}

/// There is another mutex at this place than the one that the model knows of.
pub fn mutex_replaced(mutex: *const ()) {
    // SAFETY: see above.
    unsafe { raddle_rt_mutex_replaced(mutex.cast()) }
}

/// The attempt to take the mutex that has just succeeded in the model has failed.
pub fn mutex_not_got(mutex: *const ()) {
    // SAFETY: see above.
    unsafe { raddle_rt_mutex_not_got(mutex.cast()) }
}

/// Takes a mutex of the model; the real one is free afterwards. Is the execution recorded in detail?
pub fn mutex_lock(mutex: *const (), loc: Loc) -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_mutex_lock(mutex.cast(), loc.0) }
}

/// Takes a mutex of the model if it is free.
pub fn mutex_try_lock(mutex: *const (), loc: Loc) -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_mutex_try_lock(mutex.cast(), loc.0) }
}

/// Is this thread inside a controlled execution in which a read-write lock is an object of the model, and not the words
/// that it is made of?
pub fn rwlock_is_one() -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_rwlock_is_one() }
}

/// Takes a read-write lock of the model, whose word says this.
pub fn rwlock_lock(lock: *const (), word: u32, writes: bool, loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_rwlock_lock(lock.cast(), word, writes, loc.0) }
}

/// Takes it for writing if nobody has it.
pub fn rwlock_try_write(lock: *const (), word: u32, loc: Loc) -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_rwlock_try_write(lock.cast(), word, loc.0) }
}

/// Takes it for reading if nobody writes.
pub fn rwlock_try_read(lock: *const (), word: u32, loc: Loc) -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_rwlock_try_read(lock.cast(), word, loc.0) }
}

/// Gives it back.
pub fn rwlock_unlock(lock: *const (), writes: bool, loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_rwlock_unlock(lock.cast(), writes, loc.0) }
}

/// The writer becomes a reader.
pub fn rwlock_downgrade(lock: *const (), loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_rwlock_downgrade(lock.cast(), loc.0) }
}

/// A lock's poison flag is about to be read without taking the lock: which is a step, like that of an
/// atomic at the lock's place, as in std.
pub fn poison_is_read(lock: *const (), loc: Loc) {
    if active() {
        atomic(Access::Load, lock, 1, Ordering::Relaxed, loc);
        // What comes behind is not this operation's any more: accesses to plain memory are seen again.
        atomic_done(0, Effect::Done);
        means(lock, Meaning::AsksForPoison);
    }
}

/// A lock's poison flag is about to be changed.
pub fn poison_is_written(lock: *const (), meaning: Meaning, loc: Loc) {
    if active() {
        atomic(Access::Store, lock, 1, Ordering::Relaxed, loc);
        atomic_done(0, Effect::Done);
        means(lock, meaning);
    }
}

/// The poison of a lock is about to be cleared, which whoever takes that lock reads.
pub fn poison_is_cleared(lock: *const (), loc: Loc) {
    if active() {
        atomic_of(Value::ClearedPoison, Access::Store, lock, 1, Ordering::Relaxed, loc);
        atomic_done(0, Effect::Done);
        means(lock, Meaning::ClearsPoison);
    }
}

/// The guard of a lock is dropped, and may poison the lock: then that is a step. Will the lock be poisoned by that, as far
/// as is known?
pub fn may_poison(lock: *const (), will: impl FnOnce() -> bool) {
    if std::thread::panicking() {
        let meaning = if will() { Meaning::PoisonsLock } else { Meaning::KeepsPoison };
        poison_is_written(lock, meaning, Loc::UNKNOWN);
    }
}

/// Gives a mutex of the model back, if the kernel is in charge. The real one is free already.
pub fn mutex_unlock(mutex: *const (), loc: Loc) {
    if active() {
        // SAFETY: see above.
        unsafe { raddle_rt_mutex_unlock(mutex.cast(), loc.0) }
    }
}

/// Waits for a notification; the mutex is given back for as long as the wait lasts.
pub fn cond_wait(condvar: *const (), mutex: *const (), loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_cond_wait(condvar.cast(), mutex.cast(), loc.0) }
}

/// As [`cond_wait`]: what is left of the time, or `None` if it ran out. (The runtime looks at the clock, since a thread that
/// does so itself makes progress, and a loop of such waits could not wait: `runtime/src/kernel/held.rs`.)
pub fn cond_wait_timeout(condvar: *const (), mutex: *const (), time: Duration, loc: Loc) -> Option<Duration> {
    // SAFETY: see above.
    let left = unsafe { raddle_rt_cond_wait_timeout(condvar.cast(), mutex.cast(), nanos(time), loc.0) };
    (left != u64::MAX).then(|| Duration::from_nanos(left))
}

/// Wakes one waiter.
pub fn cond_notify_one(condvar: *const (), loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_cond_notify_one(condvar.cast(), loc.0) }
}

/// Wakes every waiter.
pub fn cond_notify_all(condvar: *const (), loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_cond_notify_all(condvar.cast(), loc.0) }
}

/// What an atomic operation does; the numbers are those of the kernel's operations.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Access {
    /// Reads.
    Load = 20,
    /// Writes.
    Store = 21,
    /// Reads and writes in one step.
    Rmw = 22,
}

/// The schedule point of an atomic operation. The caller then performs it, with nothing in
/// between, and reports it by [`atomic_done`].
#[inline]
pub fn atomic(access: Access, addr: *const (), size: usize, order: Ordering, loc: Loc) {
    atomic_of(Value::Unknown, access, addr, size, order, loc);
}

/// What an atomic's value is, for reports; the numbers are the kernel's.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Value {
    /// None of the program's business.
    Unknown = 0,
    /// A number without a sign.
    Unsigned = 1,
    /// A number with one.
    Signed = 2,
    /// A truth value.
    Bool = 3,
    /// An address.
    Pointer = 4,
    /// A lock's poison, which is cleared.
    ClearedPoison = 5,
}

/// A type of atomics' values.
pub trait Known {
    /// What they are.
    const VALUE: Value;
}

macro_rules! known {
    ($($value:ident: $($t:ty)*;)*) => { $($(
        impl Known for $t {
            const VALUE: Value = Value::$value;
        }
    )*)* };
}

known! {
    Unsigned: u8 u16 u32 u64 usize;
    Signed: i8 i16 i32 i64 isize;
    Bool: bool;
}

impl<T> Known for *mut T {
    const VALUE: Value = Value::Pointer;
}

/// The same where it is said what the value is.
#[inline]
pub fn atomic_of(value: Value, access: Access, addr: *const (), size: usize, order: Ordering, loc: Loc) {
    let kind = access as u32 | (value as u32) << 8;
    // SAFETY: see above.
    unsafe { raddle_rt_atomic(kind, addr.cast(), size as u32, c11(order), loc.0) }
}

/// What came of an atomic operation; the numbers are the kernel's.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Effect {
    /// It did what it was to do.
    Done = 0,
    /// A read-modify-write that stored what was there: a thread that does nothing else only waits.
    Same = 1,
}

impl Effect {
    /// Of a read-modify-write that found the one value and left the other.
    #[inline]
    pub fn of<T: PartialEq>(old: T, new: T) -> Effect {
        if old == new { Effect::Same } else { Effect::Done }
    }
}

/// The value loaded, stored, or replaced, and what came of it.
#[inline]
pub fn atomic_done(value: u64, effect: Effect) {
    // SAFETY: see above.
    unsafe { raddle_rt_atomic_done(value, effect as u32) }
}

/// To be said before the point of a compare-exchange: what it expects.
#[inline]
pub fn atomic_expecting(value: u64) {
    // SAFETY: see above.
    unsafe { raddle_rt_atomic_expecting(value) }
}

/// What a compare-exchange found, what it expected, and whether it stored nothing.
#[inline]
pub fn atomic_compared(value: u64, expected: u64, failed: bool, failure: Ordering) {
    // SAFETY: see above.
    unsafe { raddle_rt_atomic_compared(value, expected, failed, c11(failure)) }
}

/// Does the weak compare-exchange fail that has passed its point, and that has found what it expects?
#[inline]
pub fn weak_fails() -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_weak_fails() }
}

/// A memory fence.
pub fn fence(order: Ordering, loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_fence(c11(order), loc.0) }
}

/// Waits for the calling thread's token and takes it; this is its id.
pub fn park(thread: ThreadId, loc: Loc) {
    own_id(thread);
    // SAFETY: see above.
    unsafe { raddle_rt_park(number(thread), loc.0) }
}

/// As [`park`], for a time.
pub fn park_timeout(thread: ThreadId, time: Duration, loc: Loc) {
    own_id(thread);
    // SAFETY: see above.
    unsafe { raddle_rt_park_timeout(number(thread), nanos(time), loc.0) };
}

/// Sets a thread's token.
pub fn unpark(thread: ThreadId, loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_unpark(number(thread), loc.0) }
}

/// Has a thread ended? To be called by generic functions only: the kernel asks the program whether it contains
/// this call, and nothing but what the program uses may contain it.
#[inline(always)]
pub fn has_ended(handle: std::os::unix::thread::RawPthread, loc: Loc) -> bool {
    // SAFETY: see above.
    unsafe { raddle_rt_has_ended(handle, loc.0) }
}

/// The end of a scope has joined this thread.
pub fn scope_waited(handle: std::os::unix::thread::RawPthread) {
    // SAFETY: see above.
    unsafe { raddle_rt_scope_waited(handle) }
}

/// Gives way to the other threads.
pub fn yield_now(loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_yield(loc.0) }
}

/// Lets virtual time pass.
pub fn sleep(time: Duration, loc: Loc) {
    // SAFETY: see above.
    unsafe { raddle_rt_sleep(nanos(time), loc.0) }
}

/// This thread has this id: to be told before anybody is given its `Thread`.
pub fn thread_id(handle: std::os::unix::thread::RawPthread, id: ThreadId) {
    // SAFETY: see above.
    unsafe { raddle_rt_thread_id(handle, number(id)) }
}

/// The same of the calling thread.
pub fn own_id(id: ThreadId) {
    // SAFETY: see above; 0 is no thread's handle.
    unsafe { raddle_rt_thread_id(0, number(id)) }
}

/// The program asks for the id of a thread.
pub fn asks_for_id() {
    // SAFETY: see above.
    unsafe { raddle_rt_asks_for_id() }
}

/// Names the calling thread.
pub fn thread_name(name: &str) {
    // SAFETY: see above.
    unsafe { raddle_rt_thread_name(name.as_ptr(), name.len()) }
}

/// The calling thread panics.
pub fn thread_panicked(message: &str, file: &str, line: u32, column: u32) {
    // SAFETY: see above.
    unsafe {
        raddle_rt_thread_panicked(message.as_ptr(), message.len(), file.as_ptr(), file.len(), line, column)
    }
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

/// A memory ordering's number in C11.
#[inline]
fn c11(order: Ordering) -> u32 {
    match order {
        Ordering::Relaxed => 0,
        Ordering::Acquire => 2,
        Ordering::Release => 3,
        Ordering::AcqRel => 4,
        _ => 5,
    }
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

/// The number in a thread id: what it hashes.
fn number(thread: ThreadId) -> u64 {
    struct Last(u64);
    impl std::hash::Hasher for Last {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for &byte in bytes {
                self.0 = self.0 << 8 | u64::from(byte);
            }
        }
        fn write_u64(&mut self, n: u64) {
            self.0 = n;
        }
    }
    let mut last = Last(0);
    std::hash::Hash::hash(&thread, &mut last);
    std::hash::Hasher::finish(&last)
}
