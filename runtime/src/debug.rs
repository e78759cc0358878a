//! What a debugger reads: it runs to an event of the trace by setting one number, and finds the
//! running thread at a function of its own, with the shadow call stack as text.
//!
//! Where the number was asked for from outside (`RADDLE_DEBUG_STOP_AT` of the server), nobody
//! watches yet: the process then stops itself (SIGSTOP), there and at whatever events a debugger
//! that was attached meanwhile asks for.
//!
//! Feasibility, part C ("Run to step N"): a number compared in the program is twenty times as
//! fast as a conditional breakpoint.

use crate::kernel::k;
use crate::sys::call;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU64, Ordering};

/// Longest text of a stack, its end included.
const TEXT: usize = 1 << 16;

/// The event of an execution's trace, counted from 0 without annotations, at which
/// [`raddle_debug_stop`] is called; `u64::MAX` is none. The server hands its own variable
/// `RADDLE_DEBUG_STOP_AT` through the channel, since the program's environment must not differ;
/// a debugger may change the number at any time.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[allow(non_upper_case_globals)]
pub static raddle_debug_stop_at: AtomicU64 = AtomicU64::new(u64::MAX);

/// Text that the running thread writes and a debugger reads.
#[repr(transparent)]
pub struct Text(UnsafeCell<[u8; TEXT]>);

// SAFETY: written by the token's holder only.
unsafe impl Sync for Text {}

/// The shadow call stack of the running thread: names, outermost first, with line feeds between
/// them and a zero at the end. Valid in [`raddle_debug_stop`].
#[cfg_attr(not(test), unsafe(no_mangle))]
#[allow(non_upper_case_globals)]
pub static raddle_debug_stack: Text = Text(UnsafeCell::new([0; TEXT]));

/// Where a debugger puts its breakpoint: called in the running thread as soon as the event is
/// recorded, before it is done.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[inline(never)]
pub extern "C" fn raddle_debug_stop() {
    // SAFETY: nothing; it keeps the call from being optimised away.
    unsafe { core::arch::asm!("", options(nostack, preserves_flags)) };
}

/// What the server asks for: the event, plus one; 0 for none.
pub fn ask(event_plus_one: u64) {
    raddle_debug_stop_at.store(event_plus_one.wrapping_sub(1), Ordering::Relaxed);
}

/// Is this the event at which to stop?
#[inline(always)]
pub fn is_due(event: u64) -> bool {
    raddle_debug_stop_at.load(Ordering::Relaxed) == event
}

/// Stops.
#[cold]
#[inline(never)]
pub fn stop() {
    // SAFETY: the token's holder, alone.
    let text = unsafe { &mut *raddle_debug_stack.0.get() };
    let mut at = 0;
    for (n, name) in k().me().frames.names().enumerate() {
        let feed: &[u8] = if n > 0 { b"\n" } else { b"" };
        for byte in feed.iter().chain(name) {
            if at + 1 < TEXT {
                text[at] = *byte;
                at += 1;
            }
        }
    }
    text[at] = 0;
    raddle_debug_stop();
    // Asked for from outside: nobody may be attached yet, so it waits for somebody.
    if k().setup().channel.header().options.stop_at.load(Ordering::Relaxed) != 0 {
        // Sent to this thread: another one would take it while this one ran on.
        // SAFETY: stops this process until it is continued; takes no memory.
        unsafe { call!(libc::SYS_tgkill, call!(libc::SYS_getpid), call!(libc::SYS_gettid), libc::SIGSTOP) };
    }
}
