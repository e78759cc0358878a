//! Calls of the system by what they do to files.

use super::{Kind, closed, descriptor, key, lives, note, path, stream};
use crate::gates;
use crate::interpose::gate::{Registers, unchecked};
use crate::interpose::{channels, files, modelled, numbers, stdio};
use crate::kernel::{k, spin};
use core::ffi::{CStr, c_char, c_int, c_void};
use raddle_schedule::files::{FOLDERS, MOVES, NAMES, On, PENDING, PROCESS, READS, STANDS, WRITES, of, seeks};

/// What the call of this name does that a gate has seen.
pub(in crate::interpose) fn look(name: &CStr, registers: *const Registers) {
    if modelled() && k().spawned > 1 {
        // SAFETY: the gate's own record.
        let registers = unsafe { &*registers };
        did(name.to_bytes(), registers.arguments, registers.caller);
    }
}

/// Is it about standard output or error, as long as they are where they were? Nobody looks at that again, so a loop that
/// only says that it waits still waits.
fn is_said(on: On, at: impl Fn(u8) -> usize) -> bool {
    let fd = match on {
        On::Descriptor(n) => at(n) as c_int,
        On::Stream(n) if at(n) != 0 => number_of(at(n)),
        On::Output => 1,
        On::Error => 2,
        _ => return false,
    };
    (1..=2).contains(&fd) && !files::has_touched()
}

/// The descriptor of a stream; negative where it has none.
pub(super) fn number_of(stream: usize) -> c_int {
    // SAFETY: a stream of libc's; the calling thread's errno, which stays as it is.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let fd = libc::fileno(stream as *mut libc::FILE);
        *errno = before;
        fd
    }
}

/// What a call of this function with these arguments does.
pub fn did(name: &[u8], arguments: [usize; 6], caller: *const c_void) {
    if !modelled() || k().spawned < 2 {
        return;
    }
    let Some(does) = of(name) else { return };
    let at = |n: u8| arguments[usize::from(n)];
    // Where it is to stand says what it goes by.
    let seek = |does: u8| does & !(MOVES | STANDS | READS) | seeks(at(1) as i64, at(2) as c_int);
    let is_seek = name.starts_with(b"lseek") || name.starts_with(b"fseek");
    let what = if is_seek { seek(does.does) } else { does.does };
    if !is_said(does.on, at) {
        // Another process may change what it finds.
        k().alone.reset();
    }
    // A loop that reads on, or writes, is getting somewhere.
    let opens = name.windows(4).any(|part| part == b"open");
    if !is_said(does.on, at) && (opens || what & (WRITES | MOVES | NAMES | FOLDERS | PROCESS | PENDING) != 0)
    {
        spin::changed();
    }
    if what & PROCESS != 0 || does.on == On::Process {
        note(key(Kind::Process, 0, 0), what & PROCESS != 0, true, caller);
    }
    if let Some(fd) = number_in(name, does.on, at) {
        numbers::uses(fd, caller);
    }
    match does.on {
        On::Descriptor(n) => descriptor(at(n) as c_int, what, caller),
        On::Stream(n) => {
            stream(at(n), what, caller);
            lives(at(n), name == b"fclose", caller);
        }
        On::Input => descriptor(0, what, caller),
        On::Output => descriptor(1, what, caller),
        On::Error => descriptor(2, what, caller),
        On::Path(n) => {
            let opens = opening(name, arguments, usize::from(n));
            path(libc::AT_FDCWD, at(n), what | opens, caller);
            // The other name of a call that has two.
            if n == 1 {
                path(libc::AT_FDCWD, at(0), what, caller);
            }
        }
        On::PathIn(n) => {
            let opens = opening(name, arguments, usize::from(n));
            path(at(n - 1) as c_int, at(n), what | opens, caller);
            if n == 3 {
                path(at(0) as c_int, at(1), what, caller);
            }
        }
        On::Folder(n) if at(n) != 0 => {
            // SAFETY: the caller's folder, which it has opened.
            let fd = unsafe { libc::dirfd(at(n) as *mut libc::DIR) };
            descriptor(fd, what, caller);
        }
        On::Folder(_) | On::Process => {}
    }
}

/// The descriptor that this is done with, or from whose folder a path goes, unless the call closes it.
fn number_in(name: &[u8], on: On, at: impl Fn(u8) -> usize) -> Option<c_int> {
    match on {
        On::Descriptor(n) => Some(at(n) as c_int),
        On::Stream(n) if at(n) != 0 && name != b"fclose" => Some(number_of(at(n))),
        On::PathIn(n) => Some(at(n - 1) as c_int),
        // SAFETY: the caller's folder, which it has opened.
        On::Folder(n) if at(n) != 0 => Some(unsafe { libc::dirfd(at(n) as *mut libc::DIR) }),
        On::Input => Some(0),
        On::Output => Some(1),
        On::Error => Some(2),
        _ => None,
    }
}

/// What comes of how a path is opened.
fn opening(name: &[u8], arguments: [usize; 6], path: usize) -> u8 {
    let how = arguments[path + 1];
    let plain = name.strip_prefix(b"__").unwrap_or(name);
    if name.starts_with(b"fopen") || name.starts_with(b"freopen") {
        // SAFETY: the caller's string.
        let mode = unsafe { CStr::from_ptr(how as *const c_char) }.to_bytes();
        return match mode.first() {
            Some(b'w') => NAMES | WRITES,
            Some(b'a') => NAMES,
            _ => 0,
        };
    }
    if !plain.starts_with(b"open") || name == b"opendir" {
        return 0;
    }
    let has = |flag: c_int| how as c_int & flag != 0;
    (if has(libc::O_CREAT) { NAMES } else { 0 }) | if has(libc::O_TRUNC) { WRITES } else { 0 }
}

extern "C" fn looked_at(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = crate::interpose::gate::name(name);
    // SAFETY: the gate's own record.
    let (arguments, caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    if let Some(On::Stream(n)) = of(name.to_bytes()).map(|does| does.on) {
        stdio::wait_for(arguments[usize::from(n)] as *mut libc::FILE, name, caller);
    }
    look(name, registers);
    let folder = arguments[0];
    let writes = [c"writev", c"dprintf", c"vdprintf", c"__dprintf_chk", c"__vdprintf_chk"];
    if modelled() && folder as c_int > 2 && writes.contains(&name) {
        channels::takes_more(folder as c_int, unchecked(name.to_str().unwrap_or("writev")), caller);
    }
    if name == c"closedir" && modelled() && folder != 0 {
        // SAFETY: the caller's folder, which it has opened.
        let fd = unsafe { libc::dirfd(folder as *mut libc::DIR) };
        numbers::closes(fd, caller);
        closed(fd);
    }
    crate::interpose::gate::behind(name)
}

gates! { looked_at:
    __dprintf_chk __vdprintf_chk
    access chdir chmod closedir dprintf faccessat fchdir fchmod fchmodat feof futimens fgetpos fgetpos64 fseek fseeko fseeko64 fsetpos fsetpos64 ftell ftello ftello64 ftruncate ftruncate64 fsync fdatasync
    link linkat lseek lseek64 mkdir mkdirat mkfifo readdir readdir64 remove rename renameat rewind rewinddir
    rmdir statx symlink symlinkat truncate truncate64 umask unlink unlinkat utimensat
    vdprintf writev
}
