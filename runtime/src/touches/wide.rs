//! Strings and blocks of wide characters (`wchar_t`, four bytes each), and numbers in them.

use super::characters::{from_wide, to_wide};
use super::tokens::wide_token;
use super::{reads, writes};
use crate::interpose::gate::Registers;
use core::ffi::{c_double, c_int, c_long};

/// Bytes of a wide character.
pub(super) const WIDE: usize = size_of::<c_int>();

unsafe extern "C" {
    fn towlower(character: u32) -> u32;
    fn wcstol(from: *const c_int, end: *mut *mut c_int, base: c_int) -> c_long;
    fn wcstod(from: *const c_int, end: *mut *mut c_int) -> c_double;
    fn wcsstr(at: *const c_int, wanted: *const c_int) -> *const c_int;
    fn wcsxfrm(to: *mut c_int, from: *const c_int, most: usize) -> usize;
    fn iswspace(character: u32) -> c_int;
}

/// The wide character with this index.
pub(super) fn unit(at: usize, index: usize) -> c_int {
    // SAFETY: part of the program's memory that the function will read.
    unsafe { *((at + index * WIDE) as *const c_int) }
}

/// Wide characters before the end, if that comes before so many.
fn length(at: usize, most: usize) -> usize {
    (0..most).find(|n| unit(at, *n) == 0).unwrap_or(most)
}

/// Bytes that are read to find a string's end, of so many characters at most.
pub(super) fn text(at: usize, most: usize) -> usize {
    length(at, most).saturating_add(1).min(most).saturating_mul(WIDE)
}

/// Bytes of both that are read to compare them.
fn compared(a: usize, b: usize, most: usize, fold: bool, strings: bool) -> usize {
    // SAFETY: takes a number.
    let of = |at, n| if fold { unsafe { towlower(unit(at, n) as u32) as c_int } } else { unit(at, n) };
    let differ = |n: &usize| of(a, *n) != of(b, *n) || strings && unit(a, *n) == 0;
    (0..most).find(differ).map_or(most, |n| n + 1) * WIDE
}

/// Bytes that are read to find this character, or the end of a string.
fn found(at: usize, wanted: c_int, most: usize, string: bool) -> usize {
    let ends = |n: &usize| unit(at, *n) == wanted || string && unit(at, *n) == 0;
    (0..most).find(ends).map_or(most, |n| n + 1) * WIDE
}

/// Characters at the beginning of a string that are all in this set, or all outside.
pub(super) fn span(at: usize, set: usize, others: bool) -> usize {
    let is_in = |wanted| (0..).map(|n| unit(set, n)).take_while(|c| *c != 0).any(|c| c == wanted);
    (0..).take_while(|n| unit(at, *n) != 0 && is_in(unit(at, *n)) != others).count()
}

/// Bytes that are read of a number: one character past it.
fn number(at: usize, floating: bool, base: c_int) -> usize {
    let mut end = core::ptr::null_mut();
    // SAFETY: the program's string, and a place of ours. What it sets errno to the function itself sets as well.
    unsafe {
        match floating {
            true => {
                wcstod(at as *const c_int, &mut end);
            }
            false => {
                wcstol(at as *const c_int, &mut end, base);
            }
        }
    }
    if end as usize == at {
        // No number: to the first character that is not space.
        // SAFETY: takes a number.
        return ((0..).take_while(|n| unsafe { iswspace(unit(at, *n) as u32) } != 0).count() + 1) * WIDE;
    }
    end as usize - at + WIDE
}

/// Says what this function does to memory; `false` if it is none of these.
pub(super) fn tell(name: &[u8], registers: &Registers) -> bool {
    let ([a, b, c, ..], caller) = (registers.arguments, registers.caller);
    match name {
        b"wcslen" | b"wcsdup" | b"wcsrchr" | b"fputws" | b"fputws_unlocked" => {
            reads(a, text(a, usize::MAX), caller)
        }
        b"wcsnlen" => reads(a, text(a, b), caller),
        b"wcscpy" | b"wcpcpy" => {
            let n = text(b, usize::MAX);
            reads(b, n, caller);
            writes(a, n, caller);
        }
        b"wcsncpy" | b"wcpncpy" => {
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
        b"wcscmp" | b"wcsncmp" | b"wmemcmp" | b"wcscasecmp" | b"wcsncasecmp" => {
            let most = if matches!(name, b"wcscmp" | b"wcscasecmp") { usize::MAX } else { c };
            let n = compared(a, b, most, name.ends_with(b"casecmp"), name != b"wmemcmp");
            reads(a, n, caller);
            reads(b, n, caller);
        }
        b"wcscoll" => {
            reads(a, text(a, usize::MAX), caller);
            reads(b, text(b, usize::MAX), caller);
        }
        b"wcsxfrm" => {
            reads(b, text(b, usize::MAX), caller);
            // SAFETY: the program's string, which the function will read; nothing is written.
            let n = unsafe { wcsxfrm(core::ptr::null_mut(), b as *const c_int, 0) };
            writes(a, n.saturating_add(1).min(c).saturating_mul(WIDE), caller);
        }
        b"wcschr" | b"wcschrnul" => reads(a, found(a, b as c_int, usize::MAX, true), caller),
        b"wcsstr" | b"wcswcs" => {
            // SAFETY: the program's strings, which the function will read.
            let at = unsafe { wcsstr(a as *const c_int, b as *const c_int) } as usize;
            let n = if at == 0 { text(a, usize::MAX) } else { at - a + length(b, usize::MAX) * WIDE };
            reads(a, n, caller);
            reads(b, text(b, usize::MAX), caller);
        }
        b"wcsspn" | b"wcscspn" | b"wcspbrk" => {
            reads(a, (span(a, b, name != b"wcsspn") + 1) * WIDE, caller);
            reads(b, text(b, usize::MAX), caller);
        }
        b"wcstok" => wide_token(a, b, c, caller),
        b"wmemchr" => reads(a, found(a, b as c_int, c, false), caller),
        b"wmemcpy" | b"wmemmove" | b"wmempcpy" => {
            reads(b, c.saturating_mul(WIDE), caller);
            writes(a, c.saturating_mul(WIDE), caller);
        }
        b"wmemset" => writes(a, c.saturating_mul(WIDE), caller),
        b"mbstowcs" => to_wide(a, b, c, caller),
        b"wcstombs" => from_wide(a, b, c, caller),
        b"wcswidth" => reads(a, text(a, b), caller),
        b"wcstod" | b"wcstof" | b"wcstold" => {
            reads(a, number(a, true, 0), caller);
            writes(b, if b == 0 { 0 } else { size_of::<usize>() }, caller);
        }
        b"wcstol" | b"wcstoll" | b"wcstoul" | b"wcstoull" | b"wcstoimax" | b"wcstoumax" | b"wcstoq"
        | b"wcstouq" => {
            reads(a, number(a, false, c as c_int), caller);
            writes(b, if b == 0 { 0 } else { size_of::<usize>() }, caller);
        }
        _ => return false,
    }
    true
}
