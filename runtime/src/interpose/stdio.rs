//! The locks of stdio. A thread that holds a stream by `flockfile` may be stopped at a schedule
//! point; another that then prints would wait inside libc, for good. So the lock is modelled,
//! and every function that would take it first waits for the model's.
//!
//! Functions that take no lock (`putc_unlocked`) write to the stream as to a variable. Where a program calls any, all
//! others do so too, with the lock.

use super::gate::{self, Registers};
use super::{files, layout, lent, modelled, order, real, refused, site, streams};
use crate::kernel::k;
use crate::memory::{imports, snapshot};
use crate::model::{misuse, mutex};
use crate::{entry, entry_here, gates};
use core::ffi::{CStr, c_char, c_int, c_void};
use libc::FILE;
use raddle_schedule::OpKind;

entry! {
    /// Takes a stream's (recursive) lock.
    fn flockfile / lock(stream: *mut FILE) -> (), 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().flockfile)(stream) };
        }
        let lock = streams::lock(stream);
        if mutex::mine(lock) {
            mutex::recount(lock, 1);
        } else {
            mutex::lock(lock, site(caller));
        }
    }
}

entry_here! {
    /// Takes it if it is free.
    fn ftrylockfile / try_lock(stream: *mut FILE) -> c_int, 1, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().ftrylockfile)(stream) };
        }
        let lock = streams::lock(stream);
        if mutex::mine(lock) {
            mutex::recount(lock, 1);
            return 0;
        }
        if mutex::try_lock(lock, site(here.caller), here) { 0 } else { 1 }
    }
}

entry! {
    /// Gives it back.
    fn funlockfile / unlock(stream: *mut FILE) -> (), 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().funlockfile)(stream) };
        }
        let lock = streams::lock(stream);
        if mutex::mine(lock) && mutex::recount(lock, -1) == 0 {
            mutex::unlock(lock, site(caller));
        }
    }
}

/// Does the program, or a library of its own, hold streams?
static mut HOLDS: bool = false;
/// Does it work on streams without their locks?
static mut WITHOUT: bool = false;

/// Functions that do.
const UNLOCKED: [&CStr; 24] = [
    c"__overflow",
    c"__uflow",
    c"clearerr_unlocked",
    c"feof_unlocked",
    c"ferror_unlocked",
    c"fflush_unlocked",
    c"fgetc_unlocked",
    c"fgetwc_unlocked",
    c"fgetws_unlocked",
    c"fgets_unlocked",
    c"fputc_unlocked",
    c"fputs_unlocked",
    c"fputwc_unlocked",
    c"fputws_unlocked",
    c"fread_unlocked",
    c"fwrite_unlocked",
    c"getc_unlocked",
    c"getchar_unlocked",
    c"getwc_unlocked",
    c"getwchar_unlocked",
    c"putc_unlocked",
    c"putchar_unlocked",
    c"putwc_unlocked",
    c"putwchar_unlocked",
];

/// Those that programs in C ask for by the names that the linker has given them.
const UNLOCKED_IN_C: [&CStr; 9] = [
    c"__wrap___fgets_unlocked_chk",
    c"__wrap___fgetws_unlocked_chk",
    c"__wrap___fread_unlocked_chk",
    c"__wrap_fgets_unlocked",
    c"__wrap_fgetws_unlocked",
    c"__wrap_fputs_unlocked",
    c"__wrap_fputws_unlocked",
    c"__wrap_fread_unlocked",
    c"__wrap_fwrite_unlocked",
];

/// Looks at what the program asks for. Called once, before executions.
pub fn prepare() {
    // SAFETY: on the only thread.
    unsafe {
        WITHOUT = UNLOCKED.iter().chain(&UNLOCKED_IN_C).any(|name| imports::asked_for(name));
        HOLDS = WITHOUT || [c"flockfile", c"ftrylockfile"].iter().any(|name| imports::asked_for(name));
    }
}

/// Takes the stream's lock for a moment, as every function does that works on a stream, such as the one of this name. Where the
/// program never holds one, nobody can be kept waiting by that; where it does, it is a step even if nobody holds the stream now: in
/// another order somebody does.
pub(super) fn wait_for(stream: *mut FILE, function: &CStr, caller: *const c_void) {
    // SAFETY: written before executions.
    let is_kept = unsafe { HOLDS } || lent::is_to(stream);
    if !modelled() || stream.is_null() || !is_kept || k().spawned < 2 {
        return;
    }
    let lock = streams::lock(stream);
    let holds = mutex::mine(lock);
    let site = k().me().site_hint;
    if !holds {
        mutex::lock(lock, site);
    }
    use_it(stream, function, caller);
    if !holds {
        mutex::unlock(lock, site);
    }
}

/// Where streams are used without their locks, who does something to one writes to it, or reads it: a word that stands for it.
fn use_it(stream: *mut FILE, function: &CStr, caller: *const c_void) {
    const WORD: usize = size_of::<usize>();
    if !modelled() || stream.is_null() {
        return;
    }
    // SAFETY: written before executions.
    if unsafe { WITHOUT } {
        let asks = [c"feof", c"ferror", c"feof_unlocked", c"ferror_unlocked"].contains(&function);
        let kind = if asks { OpKind::Read } else { OpKind::Write };
        files::touched_by_system(kind, streams::word(stream) as usize, WORD, caller);
    }
    lent::used(stream, function, caller);
}

/// The function of this name works on the stream that is this argument, with its lock if it is one that takes it.
fn enter(name: &CStr, stream: *mut FILE, caller: *const c_void) {
    if UNLOCKED.contains(&name) || name.to_bytes().ends_with(b"_unlocked_chk") {
        use_it(stream, name, caller);
    } else {
        wait_for(stream, name, caller);
    }
}

unsafe extern "C" {
    static stdin: *mut FILE;
    static stdout: *mut FILE;
    static stderr: *mut FILE;
}

/// Those that there are from the beginning: standard input, output and error.
pub(super) fn standard() -> [*mut FILE; 3] {
    // SAFETY: libc's streams, set up before any program code.
    unsafe { [stdin, stdout, stderr] }
}

/// A function is about to read from a stream, for the call that returns to `caller`: what it has not read before comes
/// from a descriptor, and may not be there.
pub(crate) fn before_reading(stream: *mut FILE, function: &str, caller: *const c_void) {
    if !modelled() || stream.is_null() {
        return;
    }
    // SAFETY: a stream of libc's; the calling thread's errno, which stays as it is.
    let fd = unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let fd = libc::fileno(stream);
        *errno = before;
        fd
    };
    if !layout::has_rest(stream) && fd >= 0 {
        files::before_reading(fd, function, caller);
    }
}

/// Names of functions as programs write them: fortified and versioned ones have others.
pub(crate) fn plain(name: &str) -> &str {
    let name = name.trim_start_matches("__isoc99_").trim_start_matches("__isoc23_");
    gate::unchecked(name.strip_prefix("__").unwrap_or(name))
}

/// The same of a gate, with the stream as its argument with this index; `None`: standard input.
pub(super) fn reads_from(
    name: *const c_char,
    registers: *const Registers,
    argument: Option<usize>,
) -> *mut c_void {
    // SAFETY: the gate's own record.
    let (arguments, caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    let stream = argument.map_or(standard()[0], |n| arguments[n] as *mut FILE);
    enter(gate::name(name), stream, caller);
    order::look(gate::name(name), registers);
    before_reading(stream, plain(gate::name(name).to_str().unwrap_or("?")), caller);
    gate::behind(gate::name(name))
}

pub(super) extern "C" fn reads_input(name: *const c_char, registers: *const Registers) -> *mut c_void {
    reads_from(name, registers, None)
}

pub(super) extern "C" fn reads_first(name: *const c_char, registers: *const Registers) -> *mut c_void {
    reads_from(name, registers, Some(0))
}

extern "C" fn reads_third(name: *const c_char, registers: *const Registers) -> *mut c_void {
    reads_from(name, registers, Some(2))
}

extern "C" fn reads_fourth(name: *const c_char, registers: *const Registers) -> *mut c_void {
    reads_from(name, registers, Some(3))
}

/// Waits for the stream, which is the argument with this index.
pub(super) fn stream_at(name: *const c_char, registers: *const Registers, argument: usize) -> *mut c_void {
    // SAFETY: the gate's own record.
    let (stream, caller) = unsafe { ((*registers).arguments[argument] as *mut FILE, (*registers).caller) };
    enter(gate::name(name), stream, caller);
    order::look(gate::name(name), registers);
    gate::behind(gate::name(name))
}

pub(super) extern "C" fn prints(name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    enter(gate::name(name), standard()[1], unsafe { (*registers).caller });
    order::look(gate::name(name), registers);
    gate::behind(gate::name(name))
}

pub(super) extern "C" fn first(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let function = stream_at(name, registers, 0);
    if modelled() && gate::name(name).to_bytes().starts_with(b"fflush") {
        // SAFETY: the gate's own record.
        let (stream, caller) = unsafe { ((*registers).arguments[0] as *mut FILE, (*registers).caller) };
        if stream.is_null() {
            wait_for_all(caller);
        }
        lent::tells(stream);
    }
    function
}

/// All streams that there are are flushed, one after the other.
fn wait_for_all(caller: *const c_void) {
    let all = standard().into_iter().chain(streams::all());
    all.for_each(|stream| wait_for(stream, lent::ALL, caller));
}

/// `_flushlbf()`: those whose lines are flushed, which only libc tells from others.
extern "C" fn flushes_lines(name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    wait_for_all(unsafe { (*registers).caller });
    gate::behind(gate::name(name))
}

/// `__fsetlocking(stream, how)`: without its lock from then on, whatever function it is (stdio_ext.h).
extern "C" fn set_locking(name: *const c_char, registers: *const Registers) -> *mut c_void {
    const BY_CALLER: c_int = 2;
    // SAFETY: the gate's own record.
    if modelled() && unsafe { (*registers).arguments[1] } as c_int == BY_CALLER {
        refused::refuse_with("__fsetlocking", "with `FSETLOCKING_BYCALLER`");
    }
    gate::behind(gate::name(name))
}

pub(super) extern "C" fn second(name: *const c_char, registers: *const Registers) -> *mut c_void {
    stream_at(name, registers, 1)
}

/// `fgets(buffer, size, stream)`: the system may fill the buffer itself.
extern "C" fn third(name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    let ([buffer, size, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    if modelled() {
        misuse::look_at_buffer(OpKind::Write, buffer, size, caller);
        snapshot::touch(buffer, size);
    }
    reads_from(name, registers, Some(2))
}

/// `fread(buffer, size, n, stream)` and `fwrite`.
extern "C" fn fourth(name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    let ([buffer, size, n, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    if modelled() {
        let reads = gate::name(name).to_bytes().starts_with(b"fwrite");
        let kind = if reads { OpKind::Read } else { OpKind::Write };
        misuse::look_at_buffer(kind, buffer, size.saturating_mul(n), caller);
        snapshot::touch(buffer, size.saturating_mul(n));
        if !reads {
            return reads_from(name, registers, Some(3));
        }
    }
    stream_at(name, registers, 3)
}

/// `__fgets_chk(buffer, room, size, stream)`, `__fread_chk(buffer, room, size, n, stream)`, and those without locks.
extern "C" fn checked(name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    let ([buffer, _, size, n, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    let (bytes, stream) = match gate::name(name).to_bytes().starts_with(b"__fread") {
        true => (size.saturating_mul(n), 4),
        false => (size, 3),
    };
    if modelled() {
        misuse::look_at_buffer(OpKind::Write, buffer, bytes, caller);
        snapshot::touch(buffer, bytes);
    }
    reads_from(name, registers, Some(stream))
}

gates! { prints: printf vprintf puts putchar putchar_unlocked __printf_chk __vprintf_chk }
gates! { first:
    fprintf vfprintf __fprintf_chk __vfprintf_chk fflush fflush_unlocked __overflow clearerr clearerr_unlocked ferror
    ferror_unlocked feof_unlocked addmntent
}
gates! { flushes_lines: _flushlbf }
gates! { set_locking: __fsetlocking }
gates! { checked: __fgets_chk __fread_chk __fgets_unlocked_chk __fread_unlocked_chk }
gates! { second:
    fputs fputc putc ungetc putw fputs_unlocked fputc_unlocked putc_unlocked putpwent putspent putgrent putsgent malloc_info
}
gates! { third: fgets fgets_unlocked }
gates! { fourth: fwrite fread fwrite_unlocked fread_unlocked }
gates! { reads_first:
    getw fgetc getc getc_unlocked fgetc_unlocked fscanf vfscanf __isoc99_fscanf __isoc99_vfscanf __isoc23_fscanf
    __isoc23_vfscanf __uflow fgetpwent fgetpwent_r fgetspent fgetspent_r fgetgrent fgetgrent_r fgetsgent fgetsgent_r getmntent
    getmntent_r
}
gates! { reads_third: getline }
gates! { reads_fourth: getdelim __getdelim }
gates! { reads_input:
    getchar getchar_unlocked gets __gets_chk scanf vscanf __isoc99_scanf __isoc99_vscanf __isoc23_scanf __isoc23_vscanf
}
