//! Strings, blocks of memory, numbers in strings, sorting, and streams that are given a block.

use super::tokens::{option, part, token};
use super::{byte, formats, length, reads, reads_string, real, replaced, span, whole, wide, writes};
use crate::gates;
use crate::interpose::gate::{Registers, unchecked};
use crate::kernel::active;
use core::ffi::{c_char, c_int, c_void};

extern "C" fn touch(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let (function, is_libcs) = real(name);
    if active() && is_libcs {
        // SAFETY: the gate's own record.
        let registers = unsafe { &*registers };
        let name = replaced(name).to_str().unwrap_or_default();
        let plain = unchecked(name);
        tell(plain.as_bytes(), plain != name, registers);
    }
    function
}

/// Bytes of both that are read to compare them: to the first that differ, or the end of both.
fn compared(a: usize, b: usize, most: usize, fold: bool, strings: bool) -> usize {
    let of = |at: usize| if fold { byte(at).to_ascii_lowercase() } else { byte(at) };
    let mut n = 0;
    while n < most {
        let (x, y) = (of(a + n), of(b + n));
        n += 1;
        if x != y || strings && x == 0 {
            break;
        }
    }
    n
}

/// Bytes that are read to find this one, or the end of a string.
fn found(at: usize, wanted: u8, most: usize, string: bool) -> usize {
    let mut n = 0;
    while n < most {
        let here = byte(at + n);
        n += 1;
        if here == wanted || string && here == 0 {
            break;
        }
    }
    n
}

/// Bytes that are read of a number: one past it.
fn number(at: usize, floating: bool, base: c_int) -> usize {
    let mut end = core::ptr::null_mut();
    // SAFETY: the program's string, and a place of ours. What it sets errno to the function itself sets as well.
    unsafe {
        match floating {
            true => {
                libc::strtod(at as *const c_char, &mut end);
            }
            false => {
                libc::strtol(at as *const c_char, &mut end, base);
            }
        }
    }
    if end as usize == at {
        // No number: to the first character that is not space.
        // SAFETY: as above.
        return unsafe { libc::strspn(at as *const c_char, c" \t\n\x0b\x0c\r".as_ptr()) } + 1;
    }
    end as usize - at + 1
}

/// Says what this function does to memory. One that is `checked` is given how much room there is too, behind what others
/// take but for those that print.
fn tell(name: &[u8], checked: bool, registers: &Registers) {
    let ([a, b, c, d, ..], caller) = (registers.arguments, registers.caller);
    match name {
        b"memcmp" | b"bcmp" => {
            let n = compared(a, b, c, false, false);
            reads(a, n, caller);
            reads(b, n, caller);
        }
        b"memchr" => reads(a, found(a, b as u8, c, false), caller),
        b"memset" => writes(a, c, caller),
        b"mempcpy" | b"memcpy" | b"memmove" => {
            reads(b, c, caller);
            writes(a, c, caller);
        }
        b"bcopy" => {
            reads(a, c, caller);
            writes(b, c, caller);
        }
        b"bzero" | b"explicit_bzero" => writes(a, b, caller),
        b"strlen" | b"strdup" | b"puts" | b"fputs" | b"fputs_unlocked" | b"perror" => reads_string(a, caller),
        b"psignal" => reads_string(b, caller),
        b"psiginfo" => {
            // What signal it is and how it came, and from whom.
            [(a, 4), (a + 8, 4), (a + 16, 8)].into_iter().for_each(|(at, len)| reads(at, len, caller));
            reads_string(b, caller);
        }
        b"fmtmsg" => {
            [1, 3, 4, 5].into_iter().for_each(|n: usize| reads_string(registers.arguments[n], caller))
        }
        b"error_at_line" => {
            reads_string(c, caller);
            formats::tell(name, checked, registers);
        }
        b"strnlen" | b"strndup" => reads(a, length(a, b).saturating_add(1).min(b), caller),
        b"strcpy" | b"stpcpy" => {
            let n = whole(b);
            reads(b, n, caller);
            writes(a, n, caller);
        }
        b"strncpy" | b"stpncpy" => {
            reads(b, length(b, c).saturating_add(1).min(c), caller);
            writes(a, c, caller);
        }
        b"strcat" => {
            let (from, n) = (whole(a), whole(b));
            reads(a, from, caller);
            reads(b, n, caller);
            writes(a + from - 1, n, caller);
        }
        b"strncat" => {
            let (from, n) = (whole(a), length(b, c));
            reads(a, from, caller);
            reads(b, (n + 1).min(c), caller);
            writes(a + from - 1, n + 1, caller);
        }
        b"strcmp" | b"strncmp" | b"strcasecmp" | b"strncasecmp" => {
            let most = if name.starts_with(b"strn") { c } else { usize::MAX };
            let n = compared(a, b, most, name.ends_with(b"casecmp"), true);
            reads(a, n, caller);
            reads(b, n, caller);
        }
        b"strchr" | b"strchrnul" => reads(a, found(a, b as u8, usize::MAX, true), caller),
        b"strrchr" => reads_string(a, caller),
        b"strstr" | b"strcasestr" => {
            let find = if name == b"strstr" { libc::strstr } else { libc::strcasestr };
            // SAFETY: the program's strings, which the function will read.
            let at = unsafe { find(a as *const c_char, b as *const c_char) } as usize;
            reads(a, if at == 0 { whole(a) } else { at - a + length(b, usize::MAX) }, caller);
            reads_string(b, caller);
        }
        b"strspn" | b"strcspn" | b"strpbrk" => {
            reads(a, span(a, b, name != b"strspn") + 1, caller);
            reads_string(b, caller);
        }
        b"memmem" => {
            // SAFETY: the program's blocks, which the function will read.
            let at = unsafe { libc::memmem(a as *const c_void, b, c as *const c_void, d) } as usize;
            let (looked_at, wanted) = match at {
                _ if d > b => (0, 0),
                0 => (b, d),
                _ => (at - a + d, d),
            };
            reads(a, looked_at, caller);
            reads(c, wanted, caller);
        }
        b"strverscmp" => {
            let mut n = compared(a, b, usize::MAX, false, true);
            // Which number is longer is looked at behind the first digit that differs, too.
            while byte(a + n - 1).is_ascii_digit() && byte(b + n - 1).is_ascii_digit() {
                n += 1;
            }
            reads(a, n, caller);
            reads(b, n, caller);
        }
        b"memfrob" => {
            reads(a, b, caller);
            writes(a, b, caller);
        }
        b"strtok_r" | b"__strtok_r" => token(a, b, c, caller),
        b"strsep" => part(a, b, caller),
        b"getsubopt" => option(a, b, c, caller),
        b"strcoll" => {
            reads_string(a, caller);
            reads_string(b, caller);
        }
        b"strxfrm" => {
            reads_string(b, caller);
            // SAFETY: the program's string, which the function will read; nothing is written.
            let n = unsafe { libc::strxfrm(core::ptr::null_mut(), b as *const c_char, 0) };
            writes(a, n.saturating_add(1).min(c), caller);
        }
        b"memccpy" => {
            let n = found(b, c as u8, registers.arguments[3], false);
            reads(b, n, caller);
            writes(a, n, caller);
        }
        b"memrchr" => {
            let n = (0..c).rev().find(|n| byte(a + n) == b as u8).unwrap_or(0);
            reads(a + n, c - n, caller);
        }
        b"rawmemchr" => reads(a, found(a, b as u8, usize::MAX, false), caller),
        b"basename" => reads_string(a, caller),
        b"dirname" | b"__xpg_basename" => paths(name, a, caller),
        _ if wide::tell(name, registers) => {}
        b"atoi" | b"atol" | b"atoll" => reads(a, number(a, false, 10), caller),
        b"atof" => reads(a, number(a, true, 0), caller),
        b"strtod" | b"strtof" | b"strtold" => {
            reads(a, number(a, true, 0), caller);
            writes(b, if b == 0 { 0 } else { size_of::<usize>() }, caller);
        }
        b"qsort" | b"qsort_r" => {
            reads(a, b.saturating_mul(c), caller);
            writes(a, b.saturating_mul(c), caller);
        }
        b"rand_r" => {
            reads(a, size_of::<c_int>(), caller);
            writes(a, size_of::<c_int>(), caller);
        }
        b"fwrite" | b"fwrite_unlocked" => reads(a, b.saturating_mul(c), caller),
        _ if name.windows(4).any(|w| w == b"strt") => {
            // strtol, strtoul and their like, by any of their names.
            reads(a, number(a, false, c as c_int), caller);
            writes(b, if b == 0 { 0 } else { size_of::<usize>() }, caller);
        }
        _ => formats::tell(name, checked, registers),
    }
}

/// `dirname(path)` and POSIX's `basename(path)`: both end what they give back, in the path itself.
fn paths(name: &[u8], path: usize, caller: *const c_void) {
    reads_string(path, caller);
    if path == 0 || byte(path) == 0 {
        return;
    }
    // SAFETY: the program's string, which the function will read.
    let text = unsafe { core::ffi::CStr::from_ptr(path as *const c_char) }.to_bytes();
    let trimmed = text.len() - text.iter().rev().take_while(|c| **c == b'/').count();
    let end = match name {
        b"dirname" => ended_folder(text, trimmed),
        // Slashes at the end are cut off.
        _ => (trimmed > 0 && trimmed < text.len()).then_some(trimmed),
    };
    if let Some(end) = end {
        writes(path + end, 1, caller);
    }
}

/// Where `dirname` ends this path, of which so much is left without the slashes at its end.
fn ended_folder(text: &[u8], trimmed: usize) -> Option<usize> {
    if trimmed == 0 {
        // Two slashes alone are kept.
        return Some(if text.len() == 2 { 2 } else { 1 });
    }
    let slash = text[..trimmed].iter().rposition(|c| *c == b'/')?;
    let folder = text[..slash].len() - text[..slash].iter().rev().take_while(|c| **c == b'/').count();
    Some(match folder {
        0 if slash == 1 => 2,
        0 => 1,
        n => n,
    })
}

gates! { touch:
    __wrap_fputs_unlocked __wrap_fwrite_unlocked __wrap_fputws __wrap_fputws_unlocked
    __wrap_wprintf __wrap_fwprintf __wrap_vwprintf __wrap_vfwprintf
    __wrap___wprintf_chk __wrap___fwprintf_chk __wrap___vwprintf_chk __wrap___vfwprintf_chk
    __wrap_strcasestr __wrap_memmem __wrap_strverscmp __wrap_memfrob __wrap___strtok_r
    __wrap_getsubopt __wrap_explicit_bzero __wrap___explicit_bzero_chk __wrap_dirname __wrap___xpg_basename
    __wrap_strtold __wrap_strtoimax __wrap_strtoumax __wrap_strtoq __wrap_strtouq
    __wrap_wcsdup __wrap_wcsrchr __wrap_wcsnlen __wrap_wcpcpy __wrap_wcpncpy __wrap_wcscasecmp __wrap_wcsncasecmp
    __wrap_wcscoll __wrap_wcsxfrm __wrap_wcschrnul __wrap_wcsstr __wrap_wcswcs __wrap_wcsspn __wrap_wcscspn
    __wrap_wcspbrk __wrap_wcstok __wrap_wmempcpy __wrap_wcswidth __wrap_wcstod __wrap_wcstof __wrap_wcstold
    __wrap_wcstol __wrap_wcstoll __wrap_wcstoul __wrap_wcstoull __wrap_wcstoimax __wrap_wcstoumax __wrap_wcstoq
    __wrap_wcstouq __wrap___wcpcpy_chk __wrap___wcpncpy_chk __wrap___wmempcpy_chk
    __wrap_memcmp __wrap_bcmp __wrap_memchr __wrap_mempcpy __wrap_bcopy __wrap_bzero
    __wrap_strlen __wrap_strnlen __wrap_strdup __wrap_strndup __wrap_strcpy __wrap_stpcpy __wrap_strncpy
    __wrap_stpncpy __wrap_strcat __wrap_strncat __wrap_strcmp __wrap_strncmp __wrap_strcasecmp
    __wrap_strncasecmp __wrap_strchr __wrap_strchrnul __wrap_strrchr __wrap_strstr
    __wrap_strspn __wrap_strcspn __wrap_strpbrk __wrap_strtok_r __wrap_strsep __wrap_strcoll __wrap_strxfrm
    __wrap_memccpy __wrap_memrchr __wrap_rawmemchr __wrap_basename
    __wrap_wcslen __wrap_wcscpy __wrap_wcsncpy __wrap_wcscat __wrap_wcsncat __wrap_wcscmp __wrap_wcsncmp
    __wrap_wcschr __wrap_wmemchr __wrap_wmemcmp __wrap_wmemcpy __wrap_wmemmove __wrap_wmemset __wrap_mbstowcs
    __wrap_wcstombs __wrap___wcscpy_chk __wrap___wcsncpy_chk __wrap___wcscat_chk __wrap___wcsncat_chk
    __wrap___wmemcpy_chk __wrap___wmemmove_chk __wrap___wmemset_chk __wrap___mbstowcs_chk __wrap___wcstombs_chk
    __wrap_atoi __wrap_atol __wrap_atoll __wrap_atof __wrap_strtod __wrap_strtof
    __wrap_strtol __wrap_strtoll __wrap_strtoul __wrap_strtoull
    __wrap___isoc23_strtol __wrap___isoc23_strtoll __wrap___isoc23_strtoul __wrap___isoc23_strtoull
    __wrap_qsort __wrap_qsort_r __wrap_rand_r
    __wrap_puts __wrap_fputs __wrap_perror __wrap_fwrite __wrap_psignal __wrap_psiginfo __wrap_fmtmsg
    __wrap_warn __wrap_vwarn __wrap_warnx __wrap_vwarnx __wrap_err __wrap_verr __wrap_errx __wrap_verrx
    __wrap_error __wrap_error_at_line
    __wrap_printf __wrap_fprintf __wrap_dprintf __wrap_sprintf __wrap_snprintf
    __wrap_asprintf __wrap_vasprintf __wrap___asprintf_chk __wrap___vasprintf_chk
    __wrap_vprintf __wrap_vfprintf __wrap_vdprintf __wrap_vsprintf __wrap_vsnprintf
    __wrap___memcpy_chk __wrap___memmove_chk __wrap___mempcpy_chk __wrap___memset_chk
    __wrap___strcpy_chk __wrap___stpcpy_chk __wrap___strncpy_chk __wrap___stpncpy_chk
    __wrap___strcat_chk __wrap___strncat_chk
    __wrap___printf_chk __wrap___fprintf_chk __wrap___dprintf_chk __wrap___sprintf_chk __wrap___snprintf_chk
    __wrap___vprintf_chk __wrap___vfprintf_chk __wrap___vdprintf_chk __wrap___vsprintf_chk
    __wrap___vsnprintf_chk
}
