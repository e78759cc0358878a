//! Timers with descriptors (`timerfd`). One is a channel ([`super::channels`]): to set it is to write to it, and so it is when it
//! runs out. Its time is virtual: who waits for it may find it over at any time, as with any limit of time, and whose own clock has
//! come so far does when it asks.
//!
//! Behind the descriptor is a counter of events of the system's, to which each end of the time adds one.

use super::channels::{is_at_once, made, sends, way};
use super::gate::of;
use super::{epoll, files, modelled, refused};
use crate::entry;
use crate::kernel::{k, spin};
use crate::memory::snapshot;
use crate::model::channel;
use crate::model::clock;
use crate::sys::call;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use libc::{EBADF, EFAULT, EINVAL, itimerspec, timespec};
use raddle_schedule::world::{self, Channel};

/// A timer that runs.
struct Timer {
    /// Its channel.
    object: u64,
    /// Nanoseconds of virtual time at which it runs out.
    due: u64,
    /// Nanoseconds after which it does again; 0 for never.
    every: u64,
}

struct Running(UnsafeCell<Vec<Timer>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Running {}

static RUNNING: Running = Running(UnsafeCell::new(Vec::new()));

fn running() -> &'static mut Vec<Timer> {
    // SAFETY: see `Running`; one reference at a time.
    unsafe { &mut *RUNNING.0.get() }
}

/// An execution begins.
pub fn begin() {
    running().clear();
}

/// The channel of the timer behind this descriptor.
fn timer(fd: c_int) -> Option<u64> {
    way(fd).map(|way| way.reads).filter(|channel| world::is_timer(*channel))
}

/// When the timer behind this descriptor runs out, if it has this channel and runs.
pub(super) fn due_behind(fd: c_int, channel: u64) -> Option<u64> {
    due(channel).filter(|_| timer(fd) == Some(channel))
}

/// When the timer with this channel runs out, in nanoseconds of virtual time, if it runs.
pub(super) fn due(channel: u64) -> Option<u64> {
    running().iter().find(|timer| timer.object == channel).map(|timer| timer.due)
}

/// Has the time of this timer come, by the running thread's clock?
pub(super) fn is_over(channel: u64) -> bool {
    due(channel).is_some_and(|due| due <= k().me().clock)
}

/// The running thread finds that the timer behind this descriptor runs out: a step, unless it was set again until then.
pub(super) fn runs_out(fd: c_int, caller: *const c_void) {
    let Some(object) = timer(fd) else { return };
    let Some(due) = due(object) else { return };
    clock::pass_to(due);
    sends(fd, caller);
    let Some(at) = running().iter().position(|timer| timer.object == object && timer.due == due) else {
        return;
    };
    // SAFETY: a counter of the system's, to which one is added.
    unsafe { call!(libc::SYS_write, fd, &raw const ONE, size_of::<u64>()) };
    spin::changed();
    match running()[at].every {
        0 => drop(running().swap_remove(at)),
        every => running()[at].due = due.saturating_add(every),
    }
    epoll::timer_changed(object);
}

static ONE: u64 = 1;

/// Before the running thread reads from this descriptor, alone or without waiting: a timer whose time has come has run out, and one
/// that nobody else could set runs out.
pub(super) fn before_reading(fd: c_int, at_once: bool, caller: *const c_void) {
    let Some(object) = timer(fd) else { return };
    let waits_alone = k().spawned <= 1 && !at_once && !is_at_once(fd) && !channel::is_ready(fd, libc::POLLIN);
    if is_over(object) || waits_alone {
        runs_out(fd, caller);
    }
}

type Create = unsafe extern "C" fn(c_int, c_int) -> c_int;
type Counter = unsafe extern "C" fn(u32, c_int) -> c_int;
type Set = unsafe extern "C" fn(c_int, c_int, *const itimerspec, *mut itimerspec) -> c_int;
type Get = unsafe extern "C" fn(c_int, *mut itimerspec) -> c_int;

fn fails(error: c_int) -> c_int {
    // SAFETY: the calling thread's errno.
    unsafe { *libc::__errno_location() = error };
    -1
}

entry! {
    /// Makes a timer.
    fn timerfd_create / timer_with(clock: c_int, how: c_int) -> c_int, 2, caller {
        if !modelled() {
            // SAFETY: libc's function of this name has this type; passed on as it came.
            return unsafe { of::<Create>(c"timerfd_create")(clock, how) };
        }
        let is_known = matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC | libc::CLOCK_BOOTTIME);
        if !is_known || how & !(libc::TFD_NONBLOCK | libc::TFD_CLOEXEC) != 0 {
            return fails(EINVAL);
        }
        files::touched();
        // SAFETY: as above; the flags of both are the same.
        let fd = unsafe { of::<Counter>(c"eventfd")(0, how) };
        if fd >= 0 {
            made(Channel::Timer, &[fd], caller);
        }
        fd
    }
}

/// The channel of the timer that this call is about, or the error that it ends with.
fn asked_about(fd: c_int) -> Result<u64, c_int> {
    let is_there = || {
        // SAFETY: takes numbers.
        unsafe { call!(libc::SYS_fcntl, fd, libc::F_GETFD) >= 0 }
    };
    timer(fd).ok_or_else(|| if is_there() { EINVAL } else { EBADF })
}

/// Nanoseconds of a moment or a length of time; `None` of what is neither.
fn nanos(time: timespec) -> Option<u64> {
    let is_one = time.tv_sec >= 0 && (0..1_000_000_000).contains(&time.tv_nsec);
    is_one.then(|| (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64))
}

fn time(nanos: u64) -> timespec {
    timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 }
}

/// The time that the timer with this channel has left for the running thread, and how often it runs out.
fn left(channel: u64) -> itimerspec {
    let now = k().me().clock;
    let running = running().iter().find(|timer| timer.object == channel);
    let (value, every) = running.map_or((0, 0), |timer| (timer.due.saturating_sub(now).max(1), timer.every));
    itimerspec { it_interval: time(every), it_value: time(value) }
}

/// A timer is set to this: with it goes what it has told until now.
fn set(fd: c_int, channel: u64, due: Option<u64>, every: u64) {
    running().retain(|timer| timer.object != channel);
    if channel::is_ready(fd, libc::POLLIN) {
        let mut told = 0u64;
        // SAFETY: a counter that is above zero: this takes it, and does not wait.
        unsafe { call!(libc::SYS_read, fd, &raw mut told, size_of::<u64>()) };
    }
    if let Some(due) = due {
        running().push(Timer { object: channel, due, every });
    }
    epoll::timer_changed(channel);
}

entry! {
    /// Sets a timer, or stops it.
    fn timerfd_settime / set_timer(fd: c_int, how: c_int, new: *const itimerspec, old: *mut itimerspec) -> c_int, 4, caller {
        if !modelled() {
            // SAFETY: libc's function of this name has this type; passed on as it came.
            return unsafe { of::<Set>(c"timerfd_settime")(fd, how, new, old) };
        }
        let channel = match asked_about(fd) {
            Ok(channel) => channel,
            Err(error) => return fails(error),
        };
        // SAFETY: the caller's, if there is one.
        let Some(new) = (unsafe { new.as_ref() }) else { return fails(EFAULT) };
        let (Some(value), Some(every)) = (nanos(new.it_value), nanos(new.it_interval)) else { return fails(EINVAL) };
        if how & !(libc::TFD_TIMER_ABSTIME | libc::TFD_TIMER_CANCEL_ON_SET) != 0 {
            return fails(EINVAL);
        }
        sends(fd, caller);
        spin::changed();
        if !old.is_null() {
            snapshot::touch(old as usize, size_of::<itimerspec>());
            // SAFETY: the caller's place.
            unsafe { *old = left(channel) };
        }
        let due = match how & libc::TFD_TIMER_ABSTIME {
            0 => k().me().clock.saturating_add(value),
            _ => clock::since_begin(value),
        };
        set(fd, channel, (value > 0).then_some(due), every);
        0
    }
}

entry! {
    /// How much is left of a timer's time. As a step it is one that sets the timer to what it is.
    fn timerfd_gettime / timer_left(fd: c_int, now: *mut itimerspec) -> c_int, 2, caller {
        if !modelled() {
            // SAFETY: as above.
            return unsafe { of::<Get>(c"timerfd_gettime")(fd, now) };
        }
        let channel = match asked_about(fd) {
            Ok(channel) => channel,
            Err(error) => return fails(error),
        };
        sends(fd, caller);
        snapshot::touch(now as usize, size_of::<itimerspec>());
        // SAFETY: the caller's place.
        unsafe { *now = left(channel) };
        0
    }
}

/// Something is about to be written to this descriptor by this function: to a timer nothing can be.
pub(super) fn takes_nothing(fd: c_int, function: &str, caller: *const c_void) {
    if timer(fd).is_some() {
        refused::refuse_on_channel(function, "to a timer", caller);
    }
}
