//! What a debugger reads and asks for: a block of the channel (`schedule/src/channel/debug.rs`)
//! says at which event to stop, how far the execution is, and which OS thread carries which
//! thread. It finds the running thread at a function of its own, with the shadow call stack as
//! text.
//!
//! Where the stop was asked for from outside (`RADDLE_DEBUG_STOP_AT` of the server), nobody
//! watches yet: the process then stops itself (SIGSTOP), there and at whatever events a debugger
//! that was attached meanwhile asks for.
//!
//! Feasibility, part C ("Run to step N"): a number compared in the program is twenty times as
//! fast as a conditional breakpoint.

use crate::carrier::slot;
use crate::kernel::k;
use crate::sys::call;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed};
use raddle_schedule::channel::debug::{Debug, Reason, on};

/// Longest text of a stack, its end included.
const TEXT: usize = 1 << 16;

/// Is the block written at all? Searching, nobody looks.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Where the block is, for debuggers without our types: its first word is the event at which to
/// stop, plus one, and may be changed at any time.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[allow(non_upper_case_globals)]
pub static raddle_debug: AtomicPtr<Debug> = AtomicPtr::new(core::ptr::null_mut());

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
/// recorded, before it is done, and for the other reasons of [`Reason`].
#[cfg_attr(not(test), unsafe(no_mangle))]
#[inline(never)]
pub extern "C" fn raddle_debug_stop() {
    // SAFETY: nothing; it keeps the call from being optimised away.
    unsafe { core::arch::asm!("", options(nostack, preserves_flags)) };
}

fn block() -> &'static Debug {
    &k().setup().channel.header().debug
}

/// Before the first execution: will somebody watch?
pub fn prepare() {
    let block = block();
    raddle_debug.store((&raw const *block).cast_mut(), Relaxed);
    WATCHED.store(k().setup().os_threads || block.stop_at.load(Relaxed) != 0, Relaxed);
}

/// Does somebody watch?
#[inline(always)]
pub fn watched() -> bool {
    WATCHED.load(Relaxed)
}

/// An execution begins, with T0.
pub fn begin() {
    if watched() {
        block().events.store(0, Relaxed);
        block().last.store(0, Relaxed);
        block().running.store(0, Relaxed);
        nobody_lives();
        lives(0);
    }
}

/// This thread exists from now on.
pub fn lives(thread: usize) {
    if watched() {
        block().threads[thread].store(slot::get(k().threads[thread].slot).tid, Relaxed);
    }
}

/// This thread has ended.
pub fn ended(thread: u8) {
    if watched() {
        block().threads[usize::from(thread)].store(0, Relaxed);
    }
}

/// This event has been recorded.
#[cold]
#[inline(never)]
pub fn passed(event: u64) {
    let block = block();
    block.events.store(event + 1, Relaxed);
    block.running.store(u32::from(k().current), Relaxed);
    if block.stop_at.load(Relaxed) == event + 1 {
        stop(Reason::Event);
    }
}

/// The running thread panics. Its stack is whole: nothing has been unwound.
pub fn panicked(site: u32) {
    if watched() && block().stop_on.load(Relaxed) & on::PANIC != 0 {
        block().site.store(site, Relaxed);
        stop(Reason::Panic);
    }
}

/// The execution fails, in the running thread, on whose stack this is called.
pub fn failed() {
    if watched() && block().stop_on.load(Relaxed) & on::FAILURE != 0 {
        stop(Reason::Failure);
    }
}

/// The execution is over; its memory is still as it left it. `last`: the process ends with it.
pub fn over(last: bool) {
    if watched() {
        nobody_lives();
        block().last.store(u32::from(last), Relaxed);
        if block().stop_on.load(Relaxed) & on::END != 0 {
            stop(Reason::End);
        }
    }
}

fn nobody_lives() {
    block().threads.iter().for_each(|t| t.store(0, Relaxed));
}

/// Stops.
#[cold]
#[inline(never)]
fn stop(reason: Reason) {
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
    block().running.store(u32::from(k().current), Relaxed);
    block().reason.store(reason as u32, Relaxed);
    raddle_debug_stop();
    // Asked for from outside: nobody may be attached yet, so it waits for somebody.
    if block().by_signal.load(Relaxed) != 0 {
        // Sent to this thread: another one would take it while this one ran on.
        // SAFETY: stops this process until it is continued; takes no memory.
        unsafe { call!(libc::SYS_tgkill, call!(libc::SYS_getpid), call!(libc::SYS_gettid), libc::SIGSTOP) };
    }
}
