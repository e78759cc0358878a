//! Strings that are taken apart: `strtok` and its relatives. Where `strtok` goes on is kept here and not in libc, whose
//! memory is not rolled back, so that it begins anew in every execution; whoever calls it reads and writes that.

use super::calls::standing_for;
use super::wide::{self, WIDE};
use super::{byte, length, reads, reads_string, real, span, writes};
use crate::interpose::gate::Registers;
use crate::kernel::active;
use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use raddle_schedule::world::{self, Kept};

const WORD: usize = size_of::<usize>();

/// Where `strtok` goes on, and where it did before the first execution.
static REST: AtomicUsize = AtomicUsize::new(0);
static BEFORE: AtomicUsize = AtomicUsize::new(0);

/// An execution begins.
pub fn begin() {
    REST.store(BEFORE.load(Relaxed), Relaxed);
}

/// The program's own word, which the function will read.
fn word(at: usize) -> usize {
    // SAFETY: as said.
    unsafe { *(at as *const usize) }
}

/// `strsep(rest, set)`: ends the part that it finds, and keeps where the next begins.
pub(super) fn part(rest: usize, set: usize, caller: *const c_void) {
    reads(rest, WORD, caller);
    let begin = word(rest);
    if begin != 0 {
        let end = begin + span(begin, set, true);
        reads_string(set, caller);
        reads(begin, end - begin + 1, caller);
        writes(end, usize::from(byte(end) != 0), caller);
        writes(rest, WORD, caller);
    }
}

/// `strtok_r(string, set, rest)`.
pub(super) fn token(string: usize, set: usize, rest: usize, caller: *const c_void) {
    let begin = match string {
        0 => {
            reads(rest, WORD, caller);
            word(rest)
        }
        given => given,
    };
    ended(begin, set, caller);
    writes(rest, WORD, caller);
}

/// The token that begins there is found, and ended.
fn ended(begin: usize, set: usize, caller: *const c_void) {
    reads_string(set, caller);
    if begin != 0 {
        let first = begin + span(begin, set, false);
        let end = first + span(first, set, true);
        reads(begin, end - begin + 1, caller);
        writes(end, usize::from(byte(end) != 0), caller);
    }
}

/// `wcstok(string, set, rest)`.
pub(super) fn wide_token(string: usize, set: usize, rest: usize, caller: *const c_void) {
    let begin = match string {
        0 => {
            reads(rest, WORD, caller);
            word(rest)
        }
        given => given,
    };
    if begin != 0 {
        reads(set, wide::text(set, usize::MAX), caller);
        let first = begin + wide::span(begin, set, false) * WIDE;
        let end = first + wide::span(first, set, true) * WIDE;
        reads(begin, end - begin + WIDE, caller);
        writes(end, if wide::unit(end, 0) == 0 { 0 } else { WIDE }, caller);
    }
    writes(rest, WORD, caller);
}

/// `getsubopt(rest, names, value)`: ends the option that `*rest` begins with.
pub(super) fn option(rest: usize, names: usize, value: usize, caller: *const c_void) {
    reads(rest, WORD, caller);
    let begin = word(rest);
    reads(begin, 1, caller);
    if byte(begin) == 0 {
        return;
    }
    let end = begin + span(begin, c",".as_ptr() as usize, true);
    reads(begin, end - begin + 1, caller);
    let name = span(begin, c"=,".as_ptr() as usize, true);
    let mut known = 0;
    loop {
        let at = names + known * WORD;
        reads(at, WORD, caller);
        if word(at) == 0 {
            break;
        }
        // Compared as far as the option's name goes.
        let n = length(word(at), name);
        reads(word(at), n + 1, caller);
        // SAFETY: the program's strings, which the function will read so far.
        let is_same = unsafe { libc::memcmp(word(at) as *const c_void, begin as *const c_void, n) } == 0;
        if n == name && is_same && byte(word(at) + n) == 0 {
            break;
        }
        known += 1;
    }
    writes(end, usize::from(byte(end) != 0), caller);
    writes(rest, WORD, caller);
    writes(value, WORD, caller);
}

/// `strtok(string, set)`, as `strtok_r` with a word of our own.
extern "C" fn strtok(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([string, set, ..], caller) = (registers.arguments, registers.caller);
    let (_, is_libcs) = real(name);
    let mut rest = REST.load(Relaxed);
    if active() && is_libcs {
        let kept = world::kept(Kept::Token) as usize;
        if string == 0 {
            reads(kept, WORD, caller);
            // What another has put there while this was about to read.
            rest = REST.load(Relaxed);
        }
        ended(if string == 0 { rest } else { string }, set, caller);
        writes(kept, WORD, caller);
        rest = REST.load(Relaxed);
    }
    let at = &raw mut rest;
    // SAFETY: the program's strings; the word is ours.
    let call = || unsafe { libc::strtok_r(string as *mut c_char, set as *const c_char, at.cast()) } as usize;
    let found = standing_for(caller, call);
    REST.store(rest, Relaxed);
    if !active() {
        BEFORE.store(rest, Relaxed);
    }
    found
}

crate::calls! { strtok: __wrap_strtok }
