//! The C ABI of the Rust facade (`runtime/std`): what its types call before they do the real
//! thing. A place is the address of a `core::panic::Location`, decoded by the facade itself,
//! whose compiler knows its layout; null means that the call stack will tell.

pub mod atomics;
pub mod locks;
pub mod threads;

use crate::entry;
use crate::interpose::{modelled, refused};
use crate::kernel::record::detailed;
use crate::kernel::session::{self, Entry};
use crate::kernel::{Panic, k};
use alloc::string::String;
use core::ffi::{c_int, c_void};
use raddle_schedule::Granularity;
use raddle_schedule::memory::Meaning;

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
