//! Calls that do something to channels: what each sends, takes, closes or changes.

use super::{
    Gone, MODES, OneWay, WAITED, about, closed, gone, has_others, is_at_once, is_new, is_readable, mode,
    reads, step, way,
};
use crate::interpose::{modelled, order, refused, timers};
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::model::channel;
use crate::sys::call;
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use raddle_schedule::world;

/// The running thread is about to write to this descriptor.
pub fn sends(fd: c_int, caller: *const c_void) {
    let site = refused::called_at(caller);
    step(fd, caller, |way, _| {
        channel::send(way.writes, false, &OneWay::of(way), || is_readable(way.writes), site);
    });
}

/// It is about to end a way of this socket by this function, or both.
pub(in crate::interpose) fn shuts(fd: c_int, how: c_int, caller: *const c_void) {
    let site = refused::called_at(caller);
    step(fd, caller, |way, _| {
        let (ended, beside) = match how {
            libc::SHUT_RD => (way.reads, OneWay::of(way)),
            libc::SHUT_WR => (way.writes, OneWay::of(way)),
            _ => (way.writes, OneWay::both(way)),
        };
        channel::send(ended, true, &beside, || is_readable(ended), site);
    });
}

/// A count of this size is added to a counter. As long as none is large none is ever full, and it does not matter in which order
/// they are added.
pub(in crate::interpose) fn adds(fd: c_int, count: u64, function: &str, caller: *const c_void) {
    if count > u64::from(u32::MAX) && way(fd).is_some_and(|way| world::adds(way.writes)) {
        refused::refuse_waiting(function, "of a count above 2^32 - 1", caller);
    }
}

/// The number that is there, by the system: 0 where nothing is, which whoever means to write it will be told.
fn number_at(bytes: usize) -> u64 {
    let mut number = 0u64;
    let own = libc::iovec { iov_base: (&raw mut number).cast(), iov_len: size_of::<u64>() };
    let theirs = libc::iovec { iov_base: bytes as *mut c_void, iov_len: size_of::<u64>() };
    // SAFETY: the number has room for it; what cannot be read is told by an error.
    unsafe {
        let me = call!(libc::SYS_getpid);
        call!(libc::SYS_process_vm_readv, me, &raw const own, 1, &raw const theirs, 1, 0);
    }
    number
}

/// These bytes are about to be written by this function.
pub fn writes(fd: c_int, bytes: usize, len: usize, function: &str, caller: *const c_void) {
    if len == size_of::<u64>() && way(fd).is_some_and(|way| world::adds(way.writes)) {
        adds(fd, number_at(bytes), function, caller);
    }
    takes_more(fd, function, caller);
}

/// It may not wait until there is room for what it writes by this function.
pub fn takes_more(fd: c_int, function: &str, caller: *const c_void) {
    timers::takes_nothing(fd, function, caller);
    if !channel::is_ready(fd, libc::POLLOUT) && !is_at_once(fd) {
        refused::refuse_waiting(function, "to a descriptor that takes nothing more", caller);
    }
}

/// It is about to close it by this function, or its number is given to another. Says whether it is a channel and that was a step.
pub fn closes(fd: c_int, function: &str, caller: *const c_void) -> bool {
    let Some(way) = way(fd).filter(|_| k().spawned > 1) else { return false };
    let site = refused::called_at(caller);
    let is_step = step(fd, caller, |way, _| {
        channel::send(way.writes, true, &OneWay::both(way), || is_readable(way.writes), site);
    });
    let kernel = k();
    // Who is in a call that reads has the file until that comes back; who only stands before it has not. Both look alike here.
    if !channel::is_ready(fd, libc::POLLIN) && kernel.waits_to_read_from(fd) {
        refused::refuse_on_channel(function, WAITED, caller);
    }
    if is_step {
        order::number(fd, way.reads, true, caller);
        closed().push(Gone { fd, way, is_at_once: is_at_once(fd), by: kernel.current, given: 0 });
    }
    is_step
}

/// It is about to make another descriptor of this one.
pub fn doubles(fd: c_int, caller: *const c_void) {
    if way(fd).is_some() || gone(fd).is_some() {
        let site = refused::called_at(caller);
        step(fd, caller, |way, _| channel::double(way.reads, || is_readable(way.reads), site));
    }
}

/// A function is called with this descriptor that changes what a channel is like, or tells what is in it, and is no step on it.
pub(in crate::interpose) fn changes(fd: c_int, function: &str, what: &str, caller: *const c_void) {
    if modelled() && way(fd).is_some() {
        refused::refuse_on_channel(function, what, caller);
    }
}

/// Whether those wait that read from this descriptor or write to it is about to be set.
pub fn sets_mode(fd: c_int, caller: *const c_void) {
    let Some(way) = way(fd).filter(|_| has_others() && !is_new(fd)) else { return };
    if reads(fd) && k().stands_before_reading(way.reads) {
        refused::refuse_on_channel("O_NONBLOCK", MODES, caller);
    }
    mode(fd, true, caller);
}

/// Whether they wait is about to be asked.
pub fn asks_mode(fd: c_int, caller: *const c_void) {
    if way(fd).is_some() {
        mode(fd, false, caller);
    }
}

/// It is about to read from it, and waits until something is there unless the call says so `at_once`; with the place of the
/// call where that is known. Says whether it is a channel and that was a step.
pub fn receives(fd: c_int, at_once: bool, caller: *const c_void, here: Option<&Here>) -> bool {
    let site = refused::called_at(caller);
    timers::before_reading(fd, at_once, caller);
    let is_over = Cell::new(false);
    let is_step = step(fd, caller, |way, never_waits| match at_once || way.is_outside || never_waits {
        true => channel::try_receive(way.reads, fd, &OneWay::of(way), site, here),
        false => {
            // It could have been in this call before, and would have what comes.
            if gone(fd).is_some_and(|gone| gone.by != k().current) && about(fd).is_none() {
                refused::refuse_on_channel("close", WAITED, caller);
            }
            match self::way(fd).is_some_and(|now| now.reads == way.reads) {
                true if let (Some(_), Some(here)) = (timers::due(way.reads), here) => {
                    let told = channel::receive_within(way.reads, fd, &OneWay::of(way), false, site, here);
                    is_over.set(!told);
                }
                true => is_over.set(!channel::receive(way.reads, fd, &OneWay::of(way), site)),
                false => channel::receive_nothing(way.reads, site),
            }
        }
    });
    if is_over.get() {
        timers::runs_out(fd, caller);
        return receives(fd, at_once, caller, here);
    }
    is_step
}
