//! Cleanup handlers of C (`pthread_cleanup_push`): what `pthread_exit` runs before the thread ends.
//!
//! The macro of libc's header keeps a buffer on the stack, filled by setjmp, for as long as the handler is
//! pushed, and registers it. Who exits jumps to the newest; there the handler is called, and then
//! `__pthread_unwind_next`, which jumps to the one before, or ends the thread where there is none.
//!
//! Code that is compiled with `-fexceptions` has a function with a cleanup attribute instead, which only unwinding
//! would call: its handlers are not run, nor are destructors of C++.
//!
//! And the settings of cancellation: nobody cancels (`pthread_cancel` is refused), so all they do is to be remembered.

use super::{gate, jump, modelled, real};
use crate::kernel::k;
use crate::model::thread;
use core::ffi::{CStr, c_int, c_void};
use libc::EINVAL;

/// glibc's `__pthread_unwind_buf_t`.
#[repr(C)]
pub struct Buffer {
    /// As setjmp fills it.
    registers: [usize; 8],
    mask_was_saved: c_int,
    /// The buffer that was registered before; libc keeps the same here.
    before: *mut Buffer,
    reserved: [*mut c_void; 3],
}

/// libc's function of this name.
fn behind(name: &CStr) -> unsafe extern "C" fn(*mut Buffer) {
    // SAFETY: the three functions below, which all take the buffer and nothing else.
    unsafe { core::mem::transmute(gate::behind(name)) }
}

/// A handler was pushed.
///
/// # Safety
/// As in libc: called by its header's macro.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __pthread_register_cancel(buffer: *mut Buffer) {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { behind(c"__pthread_register_cancel")(buffer) };
    }
    // SAFETY: the caller's buffer, which stays until it is taken back.
    unsafe { (*buffer).before = k().me().cleanup };
    k().me().cleanup = buffer;
}

/// It was popped.
///
/// # Safety
/// As in libc: called by its header's macro.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __pthread_unregister_cancel(buffer: *mut Buffer) {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { behind(c"__pthread_unregister_cancel")(buffer) };
    }
    // SAFETY: it was registered.
    k().me().cleanup = unsafe { (*buffer).before };
}

/// The handler has run, on the thread's way to its end.
///
/// # Safety
/// As in libc: called by its header's macro.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __pthread_unwind_next(buffer: *mut Buffer) {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { behind(c"__pthread_unwind_next")(buffer) };
    }
    // SAFETY: it was registered, and its function is still there.
    k().me().cleanup = unsafe { (*buffer).before };
    let result = k().me().result;
    exit(result)
}

/// Runs the running thread's handlers, newest first, and ends it.
pub fn exit(result: *mut c_void) -> ! {
    let me = k().me();
    me.result = result;
    if !me.cleanup.is_null() {
        // SAFETY: filled by setjmp in a function that has not ended, since its handler is still pushed.
        unsafe { jump::to(me.cleanup.cast()) };
    }
    // The functions it is in never go on: destructors run outside of them, as they do after a
    // return. The exit is what they called.
    let frames = core::mem::take(&mut me.frames);
    thread::run_destructors();
    k().me().frames = frames;
    thread::exit(result)
}

/// Sets one of the two settings to 0 or 1, and tells what it was.
fn set(which: fn(&mut (c_int, c_int)) -> &mut c_int, to: c_int, old: *mut c_int) -> c_int {
    if !(0..=1).contains(&to) {
        return EINVAL;
    }
    let before = core::mem::replace(which(&mut k().me().cancellation), to);
    if !old.is_null() {
        // SAFETY: the caller's place.
        unsafe { *old = before };
    }
    0
}

/// Says whether the thread can be cancelled. (`pthread_cancel` is refused.)
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setcancelstate(to: c_int, old: *mut c_int) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().pthread_setcancelstate)(to, old) };
    }
    set(|c| &mut c.0, to, old)
}

/// Says how the thread can be cancelled.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setcanceltype(to: c_int, old: *mut c_int) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().pthread_setcanceltype)(to, old) };
    }
    set(|c| &mut c.1, to, old)
}
