//! Strings and blocks of wide characters (`wchar_t`, four bytes each), and turning strings of bytes into them and back.

use super::{reads, whole, writes};
use crate::interpose::gate::Registers;
use core::ffi::{c_char, c_int, c_void};

/// Bytes of a wide character.
const WIDE: usize = size_of::<c_int>();

unsafe extern "C" {
    fn mbstowcs(to: *mut c_int, from: *const c_char, most: usize) -> usize;
    fn wcstombs(to: *mut c_char, from: *const c_int, most: usize) -> usize;
    fn mbrlen(from: *const c_char, most: usize, state: *mut c_void) -> usize;
    fn wcrtomb(to: *mut c_char, from: c_int, state: *mut c_void) -> usize;
}

/// Room for what libc keeps between the bytes of one character.
type State = [u64; 2];

/// The wide character with this index.
fn unit(at: usize, index: usize) -> c_int {
    // SAFETY: part of the program's memory that the function will read.
    unsafe { *((at + index * WIDE) as *const c_int) }
}

/// Wide characters before the end, if that comes before so many.
fn length(at: usize, most: usize) -> usize {
    (0..most).find(|n| unit(at, *n) == 0).unwrap_or(most)
}

/// Bytes that are read to find a string's end, of so many characters at most.
fn text(at: usize, most: usize) -> usize {
    length(at, most).saturating_add(1).min(most).saturating_mul(WIDE)
}

/// Bytes of both that are read to compare them.
fn compared(a: usize, b: usize, most: usize, strings: bool) -> usize {
    let differ = |n: &usize| unit(a, *n) != unit(b, *n) || strings && unit(a, *n) == 0;
    (0..most).find(differ).map_or(most, |n| n + 1) * WIDE
}

/// Bytes that are read to find this character, or the end of a string.
fn found(at: usize, wanted: c_int, most: usize, string: bool) -> usize {
    let ends = |n: &usize| unit(at, *n) == wanted || string && unit(at, *n) == 0;
    (0..most).find(ends).map_or(most, |n| n + 1) * WIDE
}

/// Says what this function does to memory; `false` if it is none of these.
pub(super) fn tell(name: &[u8], registers: &Registers) -> bool {
    let ([a, b, c, ..], caller) = (registers.arguments, registers.caller);
    match name {
        b"wcslen" => reads(a, text(a, usize::MAX), caller),
        b"wcscpy" => {
            let n = text(b, usize::MAX);
            reads(b, n, caller);
            writes(a, n, caller);
        }
        b"wcsncpy" => {
            reads(b, text(b, c), caller);
            writes(a, c.saturating_mul(WIDE), caller);
        }
        b"wcscat" | b"wcsncat" => {
            let most = if name == b"wcscat" { usize::MAX } else { c };
            let (from, n) = (length(a, usize::MAX), length(b, most));
            reads(a, (from + 1) * WIDE, caller);
            reads(b, text(b, most), caller);
            writes(a + from * WIDE, (n + 1) * WIDE, caller);
        }
        b"wcscmp" | b"wcsncmp" | b"wmemcmp" => {
            let most = if name == b"wcscmp" { usize::MAX } else { c };
            let n = compared(a, b, most, name != b"wmemcmp");
            reads(a, n, caller);
            reads(b, n, caller);
        }
        b"wcschr" => reads(a, found(a, b as c_int, usize::MAX, true), caller),
        b"wmemchr" => reads(a, found(a, b as c_int, c, false), caller),
        b"wmemcpy" | b"wmemmove" => {
            reads(b, c.saturating_mul(WIDE), caller);
            writes(a, c.saturating_mul(WIDE), caller);
        }
        b"wmemset" => writes(a, c.saturating_mul(WIDE), caller),
        b"mbstowcs" => to_wide(a, b, c, caller),
        b"wcstombs" => from_wide(a, b, c, caller),
        _ => return false,
    }
    true
}

/// `mbstowcs(to, from, most)`: a string of bytes as so many wide characters at most.
fn to_wide(to: usize, from: usize, most: usize, caller: *const c_void) {
    // SAFETY: the program's string, which the function will read.
    let all = unsafe { mbstowcs(core::ptr::null_mut(), from as *const c_char, 0) };
    if to == 0 || all == usize::MAX || all < most {
        reads(from, whole(from), caller);
    } else {
        let (mut at, mut state) = (from, State::default());
        for _ in 0..most {
            // SAFETY: a valid character is there, as was found.
            at += unsafe { mbrlen(at as *const c_char, usize::MAX, (&raw mut state).cast()) };
        }
        reads(from, at - from, caller);
    }
    // Of one that cannot be turned into characters what was written before is not known.
    if to != 0 && all != usize::MAX {
        writes(to, all.saturating_add(1).min(most).saturating_mul(WIDE), caller);
    }
}

/// `wcstombs(to, from, most)`: a string of wide characters as so many bytes at most, and none in part.
fn from_wide(to: usize, from: usize, most: usize, caller: *const c_void) {
    // SAFETY: the program's string, which the function will read.
    let all = unsafe { wcstombs(core::ptr::null_mut(), from as *const c_int, 0) };
    if to == 0 || all == usize::MAX || all < most {
        reads(from, text(from, usize::MAX), caller);
        if to != 0 && all != usize::MAX {
            writes(to, all + 1, caller);
        }
        return;
    }
    let (mut bytes, mut read, mut state, mut room) = (0, 0, State::default(), [0u8; 16]);
    while bytes < most {
        // SAFETY: a valid character is there, as was found, and takes no more than the room.
        let n = unsafe { wcrtomb(room.as_mut_ptr().cast(), unit(from, read), (&raw mut state).cast()) };
        read += 1;
        if bytes + n > most {
            break;
        }
        bytes += n;
    }
    reads(from, read * WIDE, caller);
    writes(to, bytes, caller);
}
