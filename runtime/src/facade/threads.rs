//! Threads of the facade: parking, waiting, their ids and names, and their panics.

use super::{raddle_rt_detailed, site, text};
use crate::interpose::modelled;
use crate::interpose::pthread::number_of;
use crate::kernel::{Panic, k, outside};
use crate::model::{clock, ended, park};
use crate::{debug, entry_here};
use core::ffi::c_void;
use core::sync::atomic::Ordering;
use raddle_schedule::channel::outside::SCOPE_AND_LOCALS;
use raddle_schedule::hash;

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
