//! The C ABI of the Rust facade (`runtime/std`): what its types call before they do the real
//! thing. A place is the address of a `core::panic::Location`, decoded by the facade itself,
//! whose compiler knows its layout; null means that the call stack will tell.

use crate::debug;
use crate::interpose::pthread::number_of;
use crate::interpose::{modelled, refused};
use crate::kernel::outside;
use crate::kernel::record::detailed;
use crate::kernel::session::{self, Entry};
use crate::kernel::sleep::held;
use crate::kernel::{Panic, k};
use crate::model::atomic::{self, Effect};
use crate::model::{by_itself, clock, condvar, ended, mutex, park, std_rwlock};
use crate::{access_atomic, entry, entry_here};
use alloc::string::String;
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;
use raddle_schedule::channel::outside::SCOPE_AND_LOCALS;
use raddle_schedule::memory::Meaning;
use raddle_schedule::{Granularity, OpKind, Order, hash};

/// A decoded place.
#[repr(C)]
pub struct Place {
    file: *const u8,
    file_len: usize,
    line: u32,
    column: u32,
}

type Decoder = extern "C" fn(*const c_void, *mut Place) -> bool;

static mut DECODER: Option<Decoder> = None;

/// The site of a place of the facade.
#[inline]
pub fn site(place: *const c_void) -> u32 {
    if place.is_null() {
        return k().me().site_hint;
    }
    k().setup().channel.sites().intern(place as u64, || decode(place))
}

#[cold]
fn decode(place: *const c_void) -> Option<(&'static [u8], u32, u32)> {
    let mut out = Place { file: core::ptr::null(), file_len: 0, line: 0, column: 0 };
    // SAFETY: registered once, before any execution.
    let decoder = unsafe { DECODER }?;
    if !decoder(place, &mut out) || out.file.is_null() {
        return None;
    }
    // SAFETY: the decoder gives a string of the program's read-only data.
    Some((unsafe { core::slice::from_raw_parts(out.file, out.file_len) }, out.line, out.column))
}

unsafe fn text(start: *const u8, len: usize) -> String {
    // SAFETY: the facade gives a string and its length.
    String::from_utf8_lossy(unsafe { core::slice::from_raw_parts(start, len) }).into_owned()
}

/// Is the caller in a controlled execution?
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_active() -> bool {
    modelled()
}

/// Says how places are read.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_register_decoder(decoder: Decoder) {
    // SAFETY: once, before any execution.
    unsafe { DECODER = Some(decoder) };
}

/// Is the program one of Rust, with the facade?
#[inline]
pub fn is_there() -> bool {
    // SAFETY: written once, before any execution.
    unsafe { DECODER.is_some() }
}

/// Memory of the facade and of std's threads: what is done there is no business of the program's.
pub fn own(start: u64, len: u64) {
    if matches!(k().setup().granularity, Granularity::Access | Granularity::Sync) {
        k().own.push((start, start + len));
    }
}

/// See [`own`].
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_own(start: *const c_void, len: usize) {
    if modelled() {
        own(start as u64, len as u64);
    }
}

entry! {
    /// The operations that reach libc until the site is cleared happen at this place.
    fn raddle_rt_set_site / set_site(place: *const c_void) -> (), {
        if modelled() {
            let site = site(place);
            k().me().site_hint = site;
        }
    }
}

entry! {
    /// See [`raddle_rt_set_site`].
    fn raddle_rt_clear_site / clear_site() -> (), {
        if modelled() {
            k().me().site_hint = 0;
        }
    }
}

entry! {
    /// What the caller accesses from here on is the facade's own, or the program's again.
    fn raddle_rt_quiet / quiet(on: bool) -> (), {
        if modelled() {
            k().quiet = on;
        }
    }
}

/// A mutex that orders nothing for the race detector ([`raddle_schedule::flags::ORDERS_NOTHING`]).
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_orders_nothing(m: *const c_void) {
    if modelled() {
        k().objects.get(m as u64).orders_nothing = true;
    }
}

entry! {
    /// An atomic operation that std's code would do here, on a word of its own, for the race detector alone; `kind` is an
    /// [`OpKind`] number.
    fn raddle_rt_aside / tell_aside(kind: u32, at: *const c_void, order: u32) -> (), {
        if let Some(kind) = OpKind::from_u8(kind as u8).filter(|_| modelled()) {
            access_atomic::tell_aside(kind, at as u64, 8, Order::from_abi(order as i32), false);
        }
    }
}

/// Is this execution recorded in detail?
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_detailed() -> bool {
    modelled() && detailed()
}

/// The lock (of so many bytes) that the caller has just taken guards this.
///
/// # Safety
/// `name` must be `len` bytes of text that stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_rt_guards(
    lock: *const c_void,
    stride: usize,
    data: *const c_void,
    size: usize,
    name: *const u8,
    len: usize,
) {
    if raddle_rt_detailed() {
        // SAFETY: the caller's promise.
        let name = unsafe { core::slice::from_raw_parts(name, len) };
        let name = core::str::from_utf8(name).unwrap_or_default();
        k().guards(lock as u64, stride as u32, (data as u64, size), name);
    }
}

entry! {
    /// What the caller's last operation on this object means; a [`Meaning`]'s number.
    fn raddle_rt_means / means(object: *const c_void, meaning: u32) -> (), {
        if let Some(meaning) = Meaning::from_u8(meaning as u8).filter(|_| raddle_rt_detailed()) {
            k().means(object as u64, meaning);
        }
    }
}

entry_here! {
    /// Takes a mutex in the model. Is this execution recorded in detail?
    fn raddle_rt_mutex_lock / mutex_lock(m: *const c_void, place: *const c_void) -> bool, 2, here {
        mutex::lock_here(m as u64, site(place), here);
        detailed()
    }
}

/// Does a thread have this mutex, as far as is known, and is not about to give it back?
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_mutex_is_kept(m: *const c_void) -> bool {
    mutex::is_kept(m as u64)
}

/// There is another mutex at this place than the one that is known.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_mutex_replaced(m: *const c_void) {
    k().objects.forget(m as u64);
}

/// The attempt to take it that has just succeeded has failed after all: somebody has it of whom nothing is known.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_mutex_not_got(m: *const c_void) {
    mutex::not_got(m as u64);
}

entry_here! {
    /// Takes it if it is free.
    fn raddle_rt_mutex_try_lock / mutex_try_lock(m: *const c_void, place: *const c_void) -> bool, 2, here {
        mutex::try_lock(m as u64, site(place), here)
    }
}

entry! {
    /// Gives it back.
    fn raddle_rt_mutex_unlock / mutex_unlock(m: *const c_void, place: *const c_void) -> (), {
        mutex::unlock(m as u64, site(place));
    }
}

/// Are read-write locks here what [`std_rwlock`] makes of them?
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_rwlock_is_one() -> bool {
    modelled() && !k().rwlocks_are_words
}

entry_here! {
    /// Takes one, whose word says this now.
    fn raddle_rt_rwlock_lock / rwlock_lock(l: *const c_void, word: u32, writes: bool, place: *const c_void) -> (), 4, here {
        std_rwlock::lock(l as u64, word, writes, site(place), here);
    }
}

entry_here! {
    /// Takes it for writing if nobody has it.
    fn raddle_rt_rwlock_try_write / rwlock_try_write(l: *const c_void, word: u32, place: *const c_void) -> bool, 3, here {
        std_rwlock::try_write(l as u64, word, site(place), here)
    }
}

entry_here! {
    /// Takes it for reading if nobody writes.
    fn raddle_rt_rwlock_try_read / rwlock_try_read(l: *const c_void, word: u32, place: *const c_void) -> bool, 3, here {
        std_rwlock::try_read(l as u64, word, site(place), here)
    }
}

entry! {
    /// Gives it back.
    fn raddle_rt_rwlock_unlock / rwlock_unlock(l: *const c_void, writes: bool, place: *const c_void) -> (), {
        std_rwlock::unlock(l as u64, writes, site(place));
    }
}

/// The writer becomes a reader.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_rwlock_downgrade(l: *const c_void, place: *const c_void) {
    std_rwlock::downgrade(l as u64, site(place));
}

/// Waits for a notify.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_cond_wait(c: *const c_void, m: *const c_void, place: *const c_void) {
    condvar::wait(c as u64, m as u64, None, site(place));
}

entry_here! {
    /// Waits for a notify or the end of a time, whichever comes first in this schedule. `true` when
    /// timed out.
    fn raddle_rt_cond_wait_timeout / cond_wait_timeout(c: *const c_void, m: *const c_void, nanos: u64, place: *const c_void) -> u64, 4, here {
        let began = k().me().clock;
        if condvar::wait(c as u64, m as u64, Some(here), site(place)) {
            clock::pass_time(nanos);
            return u64::MAX;
        }
        nanos.saturating_sub(k().me().clock.saturating_sub(began)).min(u64::MAX - 1)
    }
}

/// Wakes one waiter.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_cond_notify_one(c: *const c_void, place: *const c_void) {
    condvar::notify_one(c as u64, site(place));
}

/// Wakes all waiters.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_cond_notify_all(c: *const c_void, place: *const c_void) {
    let _ = condvar::notify_all(c as u64, site(place));
}

entry_here! {
    /// The schedule point before an atomic operation; `kind` is an [`OpKind`] number, and above it what
    /// the value is ([`value_type`]).
    fn raddle_rt_atomic / atomic_point(kind: u32, at: *const c_void, size: u32, order: u32, place: *const c_void) -> (), 5, here {
        let value = kind >> 8;
        let clears_poison = value == CLEARS_POISON;
        let value = if clears_poison { NOBODYS } else { value };
        let of_type = value_type(value, size);
        let kind = OpKind::from_u8(kind as u8).unwrap_or(OpKind::AtomicRmw);
        let (at, order, site) = (at as u64, Order::from_abi(order as i32), site(place));
        let is_the_programs = value != NOBODYS;
        if clears_poison {
            atomic::before_clearing_poison(at, order, site);
        } else if is_the_programs && k().goes_along(site) {
            atomic::along(kind, at, size, order, site);
        } else if kind == OpKind::AtomicStore {
            atomic::before(kind, at, size, order, site);
            if is_the_programs {
                // SAFETY: it is behind the caller's reference to an atomic of this size.
                atomic::overwrites(unsafe { held(at, size) });
            }
        } else {
            atomic::before_reading(kind, at, size, order, site, here);
        }
        if is_the_programs {
            k().visit_goes_on(site);
        }
        if detailed() && !of_type.is_empty() {
            k().is_of(of_type);
        }
        k().quiet = true;
    }
}

/// What the value of a word is that the facade's own locks are made of.
const NOBODYS: u32 = 0;

/// What is stored where a mutex's poison is cleared.
const CLEARS_POISON: u32 = 5;

/// The type of an atomic's value.
fn value_type(class: u32, size: u32) -> &'static str {
    match (class, size) {
        (1, 1) => "u8",
        (1, 2) => "u16",
        (1, 4) => "u32",
        (1, 8) => "u64",
        (2, 1) => "i8",
        (2, 2) => "i16",
        (2, 4) => "i32",
        (2, 8) => "i64",
        (3, 1) => "bool",
        (4, 8) => "*mut ()",
        _ => "",
    }
}

entry! {
    /// What the atomic operation did; `effect` is 1 where a read-modify-write stored what was there.
    fn raddle_rt_atomic_done / atomic_done(value: u64, effect: u32) -> (), {
        atomic::done(value, if effect == 1 { Effect::Same } else { Effect::Done });
    }
}

entry! {
    /// The next atomic operation is a compare-exchange that expects this.
    fn raddle_rt_atomic_expecting / atomic_expecting(value: u64) -> (), {
        atomic::expecting(value);
    }
}

entry! {
    /// What a compare-exchange found, and what it expected. One that failed was a load, with this ordering.
    fn raddle_rt_atomic_compared / atomic_compared(value: u64, expected: u64, failed: bool, failure: u32) -> (), {
        match failed {
            true => atomic::failed(value, expected, Order::from_abi(failure as i32)),
            false => atomic::compared(value, expected, false),
        }
    }
}

entry! {
    /// Does the weak compare-exchange fail that the caller has announced, and that has found what it expects?
    fn raddle_rt_weak_fails / weak_fails() -> bool, {
        by_itself::weak_fails()
    }
}

entry! {
    /// A fence.
    fn raddle_rt_fence / fence(order: u32, place: *const c_void) -> (), {
        let (order, site) = (Order::from_abi(order as i32), site(place));
        if k().goes_along(site) {
            atomic::along(OpKind::Fence, 0, 1, order, site);
        } else {
            atomic::fence(order, site);
        }
        k().visit_goes_on(site);
    }
}

/// Waits for the calling thread's token.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_park(thread: u64, place: *const c_void) {
    park::park(thread, None, site(place));
}

entry_here! {
    /// The same with an end; `true` when timed out.
    fn raddle_rt_park_timeout / park_timeout(thread: u64, nanos: u64, place: *const c_void) -> bool, 3, here {
        let timed_out = !park::park(thread, Some(here), site(place));
        if timed_out {
            clock::pass_time(nanos);
        }
        timed_out
    }
}

/// Sets a thread's token.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_unpark(thread: u64, place: *const c_void) {
    park::unpark(thread, site(place));
}

entry_here! {
    /// Has the thread of this handle ended? Called by the bodies of generic functions only; see [`ended`].
    fn raddle_rt_has_ended / has_ended(handle: libc::pthread_t, place: *const c_void) -> bool, 2, here {
        // A handle of a thread that never was is of one that is gone.
        number_of(handle).is_none_or(|number| ended::has_ended(number, site(place), here))
    }
}

/// The end of a scope has waited for this thread until nothing of it was left, for which std would not wait.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_scope_waited(handle: libc::pthread_t) {
    if modelled() && number_of(handle).is_some_and(|number| k().threads[usize::from(number)].does_behind) {
        k().setup().channel.header().outside.fetch_or(SCOPE_AND_LOCALS, Ordering::Relaxed);
    }
}

entry_here! {
    /// Gives way.
    fn raddle_rt_yield / give_way(place: *const c_void) -> (), 1, here {
        clock::give_way(site(place), Some(here));
    }
}

entry_here! {
    /// Sleeps in virtual time.
    fn raddle_rt_sleep / sleep(nanos: u64, place: *const c_void) -> (), 2, here {
        clock::sleep(nanos, site(place), here);
    }
}

/// The thread with this handle has this id (Rust's `ThreadId`); without a handle the calling one has. Told before anybody can name
/// the thread by it.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_thread_id(handle: libc::pthread_t, id: u64) {
    if modelled()
        && let Some(number) = if handle == 0 { Some(k().current) } else { number_of(handle) }
    {
        park::is_called(number, id);
    }
}

/// The number of a thread is asked for, which the program can tell from others.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_asks_for_id() {
    if modelled() {
        k().numbers_threads(outside::ASKED);
    }
}

/// Names the calling thread.
///
/// # Safety
/// `name` must be `len` bytes of text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_rt_thread_name(name: *const u8, len: usize) {
    if modelled() {
        // SAFETY: the caller's promise.
        k().me().name = unsafe { text(name, len) };
    }
}

/// The calling thread panicked.
///
/// # Safety
/// `message` and `file` must be text of these lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_rt_thread_panicked(
    message: *const u8,
    len: usize,
    file: *const u8,
    file_len: usize,
    line: u32,
    column: u32,
) {
    if !modelled() {
        return;
    }
    // SAFETY: the caller's promise.
    let (said, name) = unsafe { (text(message, len), core::slice::from_raw_parts(file, file_len)) };
    // A key for the table of sites that no address has.
    let mut key = hash::mix(u64::from(line) << 32 | u64::from(column), 0);
    for b in name {
        key = hash::mix(key, u64::from(*b));
    }
    let kernel = k();
    let site = kernel.setup().channel.sites().intern(key | 1 << 63, || Some((name, line, column)));
    if kernel.first_panic.is_none() {
        kernel.first_panic = Some(kernel.current);
    }
    if kernel.current == 0 {
        kernel.end.site = site;
    }
    if raddle_rt_detailed() {
        kernel.panicked(site, &said);
    }
    kernel.me().panic = Some(Panic { site, message: said });
    debug::panicked(site);
}

/// The test's body failed without a panic of its own.
///
/// # Safety
/// `message` must be text of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_rt_failed(message: *const u8, len: usize) {
    if modelled() {
        // SAFETY: the caller's promise.
        let said = unsafe { text(message, len) };
        k().first_panic = None;
        k().judged = true;
        let site = k().end.site;
        k().threads[0].panic = Some(Panic { site, message: said });
    }
}

/// Ends the execution: something is used that the facade does not model.
///
/// # Safety
/// `name` must be text of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_rt_unmodelled(name: *const u8, len: usize, place: *const c_void) -> ! {
    let site = site(place);
    k().end.site = site;
    // SAFETY: the caller's promise.
    refused::refuse(&unsafe { text(name, len) })
}

/// Runs a test's body once a plan. Comes back only where there is no control.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_run(body: extern "C" fn(*mut c_void) -> c_int, context: *mut c_void) {
    if crate::kernel::controlled() {
        session::serve(Entry { body, context, whole_program: false });
    }
}
