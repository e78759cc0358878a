//! What functions of libc do to the program's memory. They have no hooks, so C programs are linked with ours in their
//! place (`--wrap`, instrumenter/src/c/driver.rs): each says which bytes libc's function reads and writes, as accesses
//! at the place of the call, and goes on in libc's. Functions that other libraries call are left as they are.
//!
//! Most are gates that say it beforehand ([`strings`], [`formats`]); how much input there is only the call itself
//! tells, so those functions are called from here ([`inputs`]).
//!
//! A function reads no more than it must: comparing strings stops at the first difference, and what it did not look
//! at does not race.

// The names are those that the linker's `--wrap` looks for.
#![allow(non_snake_case)]

pub mod calls;
pub mod characters;
pub mod formats;
pub mod found;
pub mod inputs;
pub mod strings;
pub mod tokens;
pub mod wide;

use crate::access::range;
use crate::memory::modules;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};
use raddle_schedule::OpKind;

/// What the linker puts before the names of functions that are replaced.
const PREFIX: usize = "__wrap_".len();

/// The name of the function that a gate stands for.
fn replaced(name: *const c_char) -> &'static CStr {
    // SAFETY: a gate's own text, which begins with the prefix.
    unsafe { CStr::from_ptr(name.add(PREFIX)) }
}

/// Gates with the functions that they stand for: the addresses of both, those of functions that are libc's or ours
/// with the lowest bit set in the gate's. Filled as they are needed, by any thread; an entry never changes.
static KNOWN: [[AtomicUsize; 2]; 256] = [const { [const { AtomicUsize::new(0) }; 2] }; 256];

/// The function that a gate stands for, and whether it is libc's or what this library puts in its place for everybody: a
/// program may have its own function of the name, and what that does is known from its hooks.
fn real(name: *const c_char) -> (*mut c_void, bool) {
    let key = name as usize;
    let first = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
    for n in 0..KNOWN.len() {
        let [gate, function] = &KNOWN[(first + n) % KNOWN.len()];
        let at = function.load(Ordering::Acquire);
        if at == 0 {
            break;
        }
        let known = gate.load(Ordering::Acquire);
        if known >> 1 == key {
            return (at as *mut c_void, known & 1 != 0);
        }
    }
    look(name, first)
}

/// The program's own function that a gate stands for; null where it is libc's or this library's.
pub(crate) extern "C" fn theirs(name: *const c_char) -> *mut c_void {
    let (function, is_ours) = real(name);
    if is_ours { core::ptr::null_mut() } else { function }
}

/// What [`real`] says, looked up.
#[cold]
fn look(name: *const c_char, first: usize) -> (*mut c_void, bool) {
    // SAFETY: a valid name.
    let mut at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, replaced(name).as_ptr()) };
    if at.is_null() {
        at = crate::interpose::gate::behind(replaced(name));
    }
    let mut is_libcs = false;
    modules::each(|m| {
        if m.is_libc() || m.is_runtime() {
            m.code(|start, end| is_libcs |= (start..end).contains(&(at as usize)));
        }
    });
    let known = (name as usize) << 1 | usize::from(is_libcs);
    for n in 0..KNOWN.len() {
        let [gate, function] = &KNOWN[(first + n) % KNOWN.len()];
        // The gate is claimed first; an entry counts once its function is there.
        if gate.compare_exchange(0, known, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            function.store(at as usize, Ordering::Release);
            break;
        }
    }
    (at, is_libcs)
}

struct Constants(UnsafeCell<Vec<(usize, usize)>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Constants {}

static CONSTANTS: Constants = Constants(UnsafeCell::new(Vec::new()));

/// Is it a constant of the program: in memory that nobody can write to?
fn is_constant(at: usize) -> bool {
    // SAFETY: see `Constants`; one reference at a time.
    let ranges = unsafe { &mut *CONSTANTS.0.get() };
    if ranges.is_empty() {
        modules::each(|m| m.constants(|start, end| ranges.push((start, end))));
    }
    ranges.iter().any(|(start, end)| (*start..*end).contains(&at))
}

/// The function reads these bytes.
pub(crate) fn reads(at: usize, len: usize, caller: *const c_void) {
    if len > 0 && !is_constant(at) {
        range(OpKind::Read, at as u64, len as u64, caller);
    }
}

/// The function writes these bytes.
pub(crate) fn writes(at: usize, len: usize, caller: *const c_void) {
    if len > 0 {
        range(OpKind::Write, at as u64, len as u64, caller);
    }
}

/// Bytes of a string before its end, if that comes before so many.
fn length(at: usize, most: usize) -> usize {
    // SAFETY: the program's string, which the function will read so far.
    unsafe { libc::strnlen(at as *const c_char, most) }
}

/// Bytes that are read to find a string's end.
fn whole(at: usize) -> usize {
    length(at, usize::MAX).saturating_add(1)
}

/// The function reads a string.
pub(crate) fn reads_string(at: usize, caller: *const c_void) {
    if at != 0 {
        reads(at, whole(at), caller);
    }
}

/// The byte there.
fn byte(at: usize) -> u8 {
    // SAFETY: part of the program's memory that the function will read.
    unsafe { *(at as *const u8) }
}

/// How far a string has only characters of this set, or only others.
fn span(at: usize, set: usize, others: bool) -> usize {
    // SAFETY: the program's strings, which the function will read.
    unsafe {
        match others {
            true => libc::strcspn(at as *const c_char, set as *const c_char),
            false => libc::strspn(at as *const c_char, set as *const c_char),
        }
    }
}
