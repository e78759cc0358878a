//! What `pthread_exit` does before the thread ends: it leaves the functions that the thread is in, which runs their destructors
//! (of C++, and of C's variables with a cleanup attribute), and runs the cleanup handlers of C (`pthread_cleanup_push`).
//!
//! The macro of libc's header keeps a buffer on the stack, filled by setjmp, for as long as the handler is
//! pushed, and registers it. Who exits jumps to the newest; there the handler is called, and then
//! `__pthread_unwind_next`, which jumps to the one before, or ends the thread where there is none.
//!
//! Functions are left by libgcc's forced unwinding, as libc leaves them: destructors run on the way, and so do the handlers of code
//! that is compiled with `-fexceptions`, which are variables with a cleanup attribute. It ends at the newest handler that
//! stands with a buffer, or where the thread began. It is done in programs that have something to run on that way.
//!
//! And the settings of cancellation: nobody cancels (`pthread_cancel` is refused), so all they do is to be remembered.

use super::{cpp, gate, jump, modelled, real};
use crate::entry;
use crate::kernel::k;
use crate::kernel::point::end_execution;
use crate::memory::imports;
use crate::model::{ended, thread};
use core::ffi::{CStr, c_int, c_void};
use libc::EINVAL;
use raddle_schedule::Outcome;

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

entry! {
    /// A handler was pushed, by the macro of libc's header.
    fn __pthread_register_cancel / push(buffer: *mut Buffer) -> (), {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { behind(c"__pthread_register_cancel")(buffer) };
        }
        // SAFETY: the caller's buffer, which stays until it is taken back.
        unsafe { (*buffer).before = k().me().cleanup };
        k().me().cleanup = buffer;
    }
}

entry! {
    /// It was popped.
    fn __pthread_unregister_cancel / pop(buffer: *mut Buffer) -> (), {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { behind(c"__pthread_unregister_cancel")(buffer) };
        }
        // SAFETY: it was registered.
        k().me().cleanup = unsafe { (*buffer).before };
    }
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

/// What the unwinder keeps of a thread that leaves its functions (Itanium C++ ABI, `_Unwind_Exception`).
#[repr(C, align(16))]
pub struct Leaving {
    class: u64,
    /// Called where somebody caught it and did not throw it again.
    caught: Option<extern "C" fn(c_int, *mut Leaving)>,
    private: [u64; 2],
}

impl Leaving {
    /// Of a thread that does not.
    pub const NOT: Leaving = Leaving { class: 0, caught: None, private: [0; 2] };
}

unsafe extern "C" {
    fn _Unwind_ForcedUnwind(leaving: *mut Leaving, stop: Stop, argument: *mut c_void) -> c_int;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

type Stop = extern "C" fn(c_int, c_int, u64, *mut Leaving, *mut c_void, *mut c_void) -> c_int;

/// Functions by which code goes on leaving what destructors have interrupted: who has none of them has no destructors to run.
const RESUMES: [&CStr; 2] = [c"_Unwind_Resume", c"__gxx_personality_v0"];

/// Before the first execution: has this program something to run where functions are left?
pub fn prepare() {
    k().leaves_functions = RESUMES.iter().any(|name| imports::asked_for(name));
}

/// The unwinder is about to leave a function: goes on (0), or elsewhere.
extern "C" fn stop(
    _: c_int,
    actions: c_int,
    _: u64,
    _: *mut Leaving,
    context: *mut c_void,
    _: *mut c_void,
) -> c_int {
    /// `_UA_END_OF_STACK`: there is nothing known of who called it.
    const END: c_int = 16;
    let me = k().me();
    // SAFETY: the unwinder's own; the buffer is one that was registered.
    let (frame, until) = unsafe {
        let until = if me.cleanup.is_null() { me.spin.top } else { jump::target(me.cleanup.cast()) };
        (_Unwind_GetCFA(context), until)
    };
    if actions & END != 0 || frame >= until {
        go_on()
    }
    cpp::leave_initialisers(frame, 0);
    0
}

/// A function has caught the end of the thread and kept it (libc ends the program then).
extern "C" fn kept(_: c_int, _: *mut Leaving) {
    end_execution(Outcome::Crash, libc::SIGABRT as u32, "FATAL: exception not rethrown");
}

/// Leaves the functions that the running thread is in, runs its handlers, and ends it.
pub fn exit(result: *mut c_void) -> ! {
    let kernel = k();
    kernel.me().result = result;
    if kernel.leaves_functions {
        let leaving = &raw mut kernel.me().leaving;
        // SAFETY: libgcc's unwinder, whose types these are; what it is given stays where it is until the thread is over. It comes
        // back only where it cannot walk the stack.
        unsafe {
            *leaving = Leaving { caught: Some(kept), ..Leaving::NOT };
            _Unwind_ForcedUnwind(leaving, stop, core::ptr::null_mut());
        }
    }
    go_on()
}

/// Goes to the running thread's newest handler; ends it if it has none.
fn go_on() -> ! {
    let buffer = k().me().cleanup;
    if !buffer.is_null() {
        // SAFETY: filled by setjmp in a function that has not ended, since its handler is still pushed.
        unsafe {
            cpp::leave_initialisers(jump::target(buffer.cast()), 0);
            jump::to(buffer.cast())
        };
    }
    cpp::leave_initialisers(usize::MAX, 0);
    ended::tell();
    // The functions it is in never go on: destructors run outside of them, as they do after a
    // return. The exit is what they called.
    let frames = core::mem::take(&mut k().me().frames);
    thread::run_destructors();
    k().me().frames = frames;
    thread::depart(k().me().result)
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
