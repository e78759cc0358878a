//! What lies in a stream of glibc's: its headers have fixed that, since programs had its macros compiled into them.

use super::stdio;
use crate::memory::imports;
use core::ffi::{CStr, c_int};
use libc::FILE;

/// What glibc's headers have fixed of `FILE` (struct_FILE.h), and the table of functions behind it.
#[repr(C)]
struct File {
    flags: c_int,
    area: Area,
    saved: [usize; 3],
    others: [usize; 2],
    number: [c_int; 2],
    offsets: [usize; 2],
    lock: usize,
    offset: u64,
    codes: usize,
    wide: *const Area,
    freed: [usize; 3],
    /// Above zero: it has wide characters. Below: it has none. Nobody has decided yet where it is zero.
    mode: c_int,
    rest: [u8; 20],
    functions: usize,
}

/// Where a stream reads next, to where, and where that begins; where what was written begins, goes on and has to end; where its
/// buffer begins and ends.
pub(super) type Area = [usize; 8];

const _: () = assert!(core::mem::offset_of!(File, mode) == 192 && size_of::<File>() == 224);

fn file(stream: *mut FILE) -> &'static mut File {
    // SAFETY: a stream of libc's that is open, which begins so; one reference at a time.
    unsafe { &mut *stream.cast::<File>() }
}

/// What a stream has in memory: of bytes, and of wide characters where it has those.
pub(super) fn areas(stream: *mut FILE) -> (Area, Option<Area>) {
    let file = file(stream);
    // SAFETY: the stream's own, which begins so.
    (file.area, (file.mode > 0).then(|| unsafe { *file.wide }))
}

/// Has the stream read something that nobody has taken yet?
pub(super) fn has_rest(stream: *mut FILE) -> bool {
    let (bytes, wide) = areas(stream);
    [Some(bytes), wide].into_iter().flatten().any(|area| area[0] < area[1])
}

/// Where what a stream of `open_memstream` has been given lies, and how many bytes that is.
pub(super) fn written(stream: *mut FILE) -> (usize, usize) {
    let (bytes, wide) = areas(stream);
    let [_, _, _, begin, end, ..] = wide.unwrap_or(bytes);
    (begin, end.saturating_sub(begin))
}

/// Bytes of a character of this stream.
pub(super) fn unit(stream: *mut FILE) -> usize {
    if file(stream).mode > 0 { 4 } else { 1 }
}

/// What the standard streams were before the first execution: whether they have wide characters, what functions, and flags.
static mut STANDARD: [(c_int, usize, c_int); 3] = [(0, 0, 0); 3];

/// Does the program ask for functions that make a stream one of wide characters?
static mut HAS_WIDE: bool = false;

/// They: what is given no stream comes to the standard ones, and so may what is given one.
const WIDEN: [&CStr; 30] = [
    c"__wrap___fgetws_chk",
    c"__wrap___fwprintf_chk",
    c"__wrap___isoc23_fwscanf",
    c"__wrap___isoc23_wscanf",
    c"__wrap___isoc99_fwscanf",
    c"__wrap___isoc99_wscanf",
    c"__wrap___vfwprintf_chk",
    c"__wrap___vwprintf_chk",
    c"__wrap___wprintf_chk",
    c"__wrap_fgetws",
    c"__wrap_fputws",
    c"__wrap_fputws_unlocked",
    c"__wrap_fwprintf",
    c"__wrap_fwscanf",
    c"__wrap_vfwprintf",
    c"__wrap_vwprintf",
    c"__wrap_wprintf",
    c"__wrap_wscanf",
    c"fgetwc",
    c"fputwc",
    c"fputwc_unlocked",
    c"fwide",
    c"getwc",
    c"getwc_unlocked",
    c"getwchar",
    c"putwc",
    c"putwc_unlocked",
    c"putwchar",
    c"putwchar_unlocked",
    c"ungetwc",
];

/// Called once, before executions.
pub fn prepare() {
    // SAFETY: on the only thread.
    unsafe {
        HAS_WIDE = WIDEN.iter().any(|name| imports::asked_for(name));
        STANDARD =
            stdio::standard().map(|stream| (file(stream).mode, file(stream).functions, file(stream).flags));
    }
}

/// It has a buffer of the kind of characters that it has, to be written.
const WRITING: c_int = 0x800;

/// Its end was met, or something has failed.
const MET: c_int = 0x10 | 0x20;
/// It reads what was put back.
const PUT_BACK: c_int = 0x100;

/// What the standard streams have met, and what was put back into them, is the execution's own.
pub fn forget() {
    for (number, stream) in stdio::standard().into_iter().enumerate() {
        let now = file(stream);
        if now.flags & PUT_BACK != 0 {
            // SAFETY: libc's stream; no thread of the program runs.
            unsafe { __fpurge(stream) };
        }
        // SAFETY: written before executions.
        let before = unsafe { STANDARD[number].2 };
        now.flags = now.flags & !MET | before & MET;
    }
    forget_widths();
}

/// Once printed to, a stream has wide characters or has none: the next execution decides anew.
fn forget_widths() {
    // SAFETY: written before executions.
    if !unsafe { HAS_WIDE } {
        return;
    }
    for (number, stream) in stdio::standard().into_iter().enumerate() {
        let now = file(stream);
        // SAFETY: written before executions.
        let (mode, functions, _) = unsafe { STANDARD[number] };
        if now.mode != mode {
            (now.mode, now.functions) = (mode, functions);
            now.flags &= !WRITING;
            // SAFETY: libc's stream; no thread of the program runs. What it has of bytes only goes now.
            unsafe { __fpurge(stream) };
        }
    }
}

unsafe extern "C" {
    fn __fpurge(stream: *mut FILE);
}
