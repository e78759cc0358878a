//! The options that a program finds in its arguments: `getopt` and its relatives. libc keeps what it has read of them in
//! memory that is not rolled back, so that a second execution would go on where the first ended: each execution's
//! first call begins anew, as a process's does.
//!
//! What the functions do to the program's memory are accesses of the call: to the arguments, which they may put into
//! another order, to `optarg`, `optind` and `optopt`, and to where long options have their answers.

use super::{gate, messages, modelled};
use crate::entry;
use crate::kernel::spin;
use crate::touches::{reads, reads_string, writes};
use alloc::vec::Vec;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null_mut;

/// `struct option` (getopt.h).
#[repr(C)]
pub struct Long {
    name: *const c_char,
    has_argument: c_int,
    flag: *mut c_int,
    value: c_int,
}

unsafe extern "C" {
    static mut optarg: *mut c_char;
    static mut optind: c_int;
    static mut opterr: c_int;
    static mut optopt: c_int;
}

type Short = unsafe extern "C" fn(c_int, *const *mut c_char, *const c_char) -> c_int;
type WithLong =
    unsafe extern "C" fn(c_int, *const *mut c_char, *const c_char, *const Long, *mut c_int) -> c_int;

/// The variables as the program has them before its executions: `optarg`, `optind`, `opterr`, `optopt`.
static mut BEFORE: (*mut c_char, c_int, c_int, c_int) = (null_mut(), 1, 1, 0);
/// A call has been made since the process began; one has been made in this execution.
static mut CALLED: (bool, bool) = (false, false);

/// Looks at the variables. Called once, before executions.
pub fn prepare() {
    // SAFETY: on the only thread.
    unsafe { BEFORE = (optarg, optind, opterr, optopt) };
}

/// An execution begins. Where the variables are libc's own, nothing has rolled them back.
pub fn begin() {
    // SAFETY: the token's holder.
    unsafe {
        if CALLED.0 {
            (optarg, optind, opterr, optopt) = BEFORE;
        }
        CALLED.1 = false;
    }
}

/// libc's state as in a process that has not called any of them, at the first call of an execution.
fn begin_anew() {
    // SAFETY: the token's holder; libc's function with one argument, which is no option.
    unsafe {
        let (called, here) = CALLED;
        CALLED = (true, true);
        if !called || here {
            return;
        }
        if optind <= 1 {
            // libc's sign to begin with the first argument and to forget what it knew.
            optind = 0;
            return;
        }
        // The program begins further behind.
        let (argument, index, errors, option) = (optarg, optind, opterr, optopt);
        optind = 0;
        let alone = [c"raddle".as_ptr().cast_mut(), null_mut()];
        let real = core::mem::transmute::<*mut c_void, Short>(gate::behind(c"getopt"));
        real(1, alone.as_ptr(), c"".as_ptr());
        (optarg, optind, opterr, optopt) = (argument, index, errors, option);
    }
}

/// Do these options ask for no message, by the colon that they begin with?
///
/// # Safety
/// A string.
unsafe fn is_silent(options: *const c_char) -> bool {
    // SAFETY: the caller vouches for it.
    let text = unsafe { CStr::from_ptr(options) }.to_bytes();
    text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-")).unwrap_or(text).starts_with(b":")
}

/// Calls one of the functions for the program's call that returns to `caller`, and tells what it did.
///
/// # Safety
/// The arguments are those of a call of it.
unsafe fn told(
    count: c_int,
    arguments: *const *mut c_char,
    options: *const c_char,
    caller: *const c_void,
    call: impl FnOnce() -> c_int,
) -> c_int {
    // A loop over the options gets on.
    spin::changed();
    begin_anew();
    // SAFETY: as many arguments.
    let list = || (0..count as usize).map(|n| unsafe { *arguments.add(n) } as usize);
    let before: Vec<usize> = list().collect();
    reads(arguments as usize, before.len() * size_of::<usize>(), caller);
    before.iter().for_each(|text| reads_string(*text, caller));
    reads_string(options as usize, caller);
    // SAFETY: libc's variable, or the program's copy; the caller's string.
    let may_say = unsafe { opterr != 0 && !is_silent(options) };
    let result = call();
    if may_say && result == c_int::from(b'?') {
        // The message is out, but nobody has seen anything of it that could not have come later.
        messages::said(caller);
    }
    for (n, _) in list().enumerate().filter(|(n, text)| before[*n] != *text) {
        // SAFETY: one of the arguments.
        writes(unsafe { arguments.add(n) } as usize, size_of::<usize>(), caller);
    }
    writes(&raw const optarg as usize, size_of::<usize>(), caller);
    writes(&raw const optind as usize, size_of::<c_int>(), caller);
    if result == c_int::from(b'?') || result == c_int::from(b':') {
        writes(&raw const optopt as usize, size_of::<c_int>(), caller);
    }
    result
}

/// The same of one that knows long options.
///
/// # Safety
/// The arguments are those of a call of the function of this name.
unsafe fn told_of_long(
    name: &CStr,
    (count, arguments, options): (c_int, *const *mut c_char, *const c_char),
    long: *const Long,
    index: *mut c_int,
    caller: *const c_void,
) -> c_int {
    // SAFETY: libc's function of this name; the caller's arguments. The list ends with a nameless entry.
    unsafe {
        let real = core::mem::transmute::<*mut c_void, WithLong>(gate::behind(name));
        if !modelled() {
            CALLED.0 = true;
            return real(count, arguments, options, long, index);
        }
        let mut known = 0;
        while !long.is_null() && !(*long.add(known)).name.is_null() {
            reads_string((*long.add(known)).name as usize, caller);
            known += 1;
        }
        reads(long as usize, if long.is_null() { 0 } else { (known + 1) * size_of::<Long>() }, caller);
        let mut found = -1;
        let result =
            told(count, arguments, options, caller, || real(count, arguments, options, long, &mut found));
        if let Ok(at) = usize::try_from(found) {
            if !index.is_null() {
                *index = found;
                writes(index as usize, size_of::<c_int>(), caller);
            }
            let flag = (*long.add(at)).flag;
            if result == 0 && !flag.is_null() {
                writes(flag as usize, size_of::<c_int>(), caller);
            }
        }
        result
    }
}

entry! {
    /// The next option of one letter.
    fn getopt / short(count: c_int, arguments: *const *mut c_char, options: *const c_char) -> c_int, 3, caller {
        // SAFETY: passed on.
        unsafe {
            let real = core::mem::transmute::<*mut c_void, Short>(gate::behind(c"getopt"));
            if !modelled() {
                CALLED.0 = true;
                return real(count, arguments, options);
            }
            told(count, arguments, options, caller, || real(count, arguments, options))
        }
    }
}

entry! {
    /// The next option of one letter, or of a word behind `--`.
    fn getopt_long / long(count: c_int, arguments: *const *mut c_char, options: *const c_char, words: *const Long, index: *mut c_int) -> c_int, 5, caller {
        // SAFETY: passed on.
        unsafe { told_of_long(c"getopt_long", (count, arguments, options), words, index, caller) }
    }
}

entry! {
    /// The same, with words behind `-` too.
    fn getopt_long_only / long_only(count: c_int, arguments: *const *mut c_char, options: *const c_char, words: *const Long, index: *mut c_int) -> c_int, 5, caller {
        // SAFETY: passed on.
        unsafe { told_of_long(c"getopt_long_only", (count, arguments, options), words, index, caller) }
    }
}
