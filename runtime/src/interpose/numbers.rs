//! Who closes a descriptor that another thread uses. Neither is a step where it is a file's (those of channels are,
//! [`super::channels`]), so where the two could come in another order the guarantee names it, as it does other orders of what
//! is done to files ([`super::order`]).
//!
//! What a thread does to a descriptor that it has opened itself is its own affair, as long as nobody else does something to that
//! number: two threads that each open a file, and close it, may be given one number after another.

use super::{channels, files, refused};
use crate::kernel::k;
use crate::sys::call;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};

/// Threads that have done something, while others were there that they had not joined.
#[derive(Clone, Copy, Default)]
struct Threads {
    /// To a descriptor of their own.
    own: u64,
    /// To one that another thread has opened, or nobody.
    shared: u64,
}

/// A number that descriptors have had in this execution.
struct Number {
    fd: c_int,
    /// The thread that opened what has it now, as far as that is known, or else was the first to do something to it.
    opener: Option<u8>,
    closes: Threads,
    uses: Threads,
}

struct Numbers(UnsafeCell<Vec<Number>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Numbers {}

static NUMBERS: Numbers = Numbers(UnsafeCell::new(Vec::new()));

fn numbers() -> &'static mut Vec<Number> {
    // SAFETY: see `Numbers`; one reference at a time.
    unsafe { &mut *NUMBERS.0.get() }
}

/// An execution begins.
pub fn begin() {
    numbers().clear();
}

fn number(fd: c_int) -> &'static mut Number {
    let known = numbers().iter().position(|number| number.fd == fd);
    let at = known.unwrap_or_else(|| {
        let none = Threads::default();
        numbers().push(Number { fd, opener: None, closes: none, uses: none });
        numbers().len() - 1
    });
    &mut numbers()[at]
}

/// The running thread is given this number, or is about to be.
pub fn given(fd: c_int) {
    if fd >= 0 {
        number(fd).opener = Some(k().current);
    }
}

/// It is about to be given the lowest one from this on that is free.
pub fn gives(from: c_int) {
    given(files::lowest_free(from));
}

/// It does something with this descriptor.
pub fn uses(fd: c_int, caller: *const c_void) {
    if fd >= 0 && k().spawned > 1 && channels::way(fd).is_none() {
        note(number(fd), false, caller);
    }
}

/// It closes this descriptor.
pub fn closes(fd: c_int, caller: *const c_void) {
    if fd < 0 {
        return;
    }
    if k().spawned > 1 && channels::way(fd).is_none() {
        note(number(fd), true, caller);
    }
    number(fd).opener = None;
}

/// The same if it is one.
pub fn closes_open(fd: c_int, caller: *const c_void) {
    if is_open(fd) {
        closes(fd, caller);
    }
}

fn note(number: &mut Number, closes: bool, caller: *const c_void) {
    let kernel = k();
    let me = kernel.current;
    // What those did that it has joined came before.
    let others = (0..kernel.spawned).filter(|t| *t != usize::from(me) && !kernel.is_behind(*t));
    let others = others.fold(0u64, |all, t| all | 1 << (t & 63));
    if others == 0 {
        return;
    }
    if number.opener.is_none() && is_open(number.fd) {
        number.opener = Some(me);
    }
    let done = if closes { &mut number.closes } else { &mut number.uses };
    *(if number.opener == Some(me) { &mut done.own } else { &mut done.shared }) |= 1 << (me & 63);
    let still = others | 1 << (me & 63);
    let [closes, uses] =
        [number.closes, number.uses].map(|by| Threads { own: by.own & still, shared: by.shared & still });
    let shared = uses.shared | closes.shared;
    if meet(closes.shared, shared | uses.own | closes.own) || meet(closes.own, shared) {
        kernel.orders_files(refused::called_at(caller));
    }
}

/// Is there a thread of the first and another one of the second?
fn meet(some: u64, others: u64) -> bool {
    some != 0 && others != 0 && (some | others).count_ones() > 1
}

fn is_open(fd: c_int) -> bool {
    // SAFETY: takes numbers.
    unsafe { call!(libc::SYS_fcntl, fd, libc::F_GETFD) >= 0 }
}

#[cfg(test)]
mod tests {
    use super::meet;

    #[test]
    fn two_threads_meet_and_one_does_not() {
        assert!(meet(1, 2) && meet(1, 3) && meet(3, 1) && meet(3, 3));
        assert!(!meet(1, 1) && !meet(0, 3) && !meet(2, 0) && !meet(0, 0));
    }
}
