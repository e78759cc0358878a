//! Who does what to which files, while there are several threads. It is no step, so a reduction does not turn it around:
//! where the order of two threads could be found out by one of them, or by whoever looks later, the search is told, and the
//! guarantee says so. Output that nobody looks at again (a log) tells nobody anything.
//!
//! What is in a file goes by the file, the place at which a descriptor stands by its number too, until descriptors are
//! doubled. Paths go by their folder and their name in it. Standard output and error cannot be read back, unless they were
//! put somewhere else in the execution.

use super::gate::Registers;
use super::{files, modelled, refused};
use crate::gates;
use crate::kernel::{k, spin};
use crate::sys::call;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};
use raddle_schedule::files::{FOLDERS, MOVES, NAMES, On, READS, STANDS, WRITES, of};
use raddle_schedule::hash;

/// One thing of which an order could be told.
struct Thing {
    /// What it is.
    key: u64,
    /// Threads that changed it while others were there that nobody had joined.
    changed: u64,
    /// Threads that looked at it while others were there that nobody had joined.
    seen: u64,
    /// It was looked at, by whoever.
    is_seen: bool,
}

struct Things(UnsafeCell<Vec<Thing>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Things {}

static THINGS: Things = Things(UnsafeCell::new(Vec::new()));

fn things() -> &'static mut Vec<Thing> {
    // SAFETY: see `Things`; one reference at a time.
    unsafe { &mut *THINGS.0.get() }
}

/// Descriptors were doubled in this execution.
static mut DOUBLED: bool = false;

/// What keys are made of.
#[derive(Clone, Copy)]
enum Kind {
    Content,
    Place,
    Path,
    Folders,
    Memory,
}

fn key(kind: Kind, a: u64, b: u64) -> u64 {
    hash::mix(hash::mix(a, kind as u64 + 1), b)
}

/// An execution begins.
pub fn begin() {
    things().clear();
    // SAFETY: the token's holder.
    unsafe { DOUBLED = false };
}

/// A descriptor is closed: nobody finds out any more where it stood, and its number may be given to another.
pub fn closed(fd: c_int) {
    // SAFETY: the token's holder.
    if k().spawned < 2 || unsafe { DOUBLED } {
        return;
    }
    if let Some(about) = about(fd, c"".as_ptr(), libc::AT_EMPTY_PATH) {
        let gone = place(&about, fd);
        things().retain(|thing| thing.key != gone);
    }
}

/// Where a descriptor of this file stands.
fn place(about: &libc::stat, fd: c_int) -> u64 {
    // SAFETY: the token's holder.
    let which = if unsafe { DOUBLED } { 0 } else { fd as u64 + 1 };
    key(Kind::Place, hash::mix(about.st_dev, number(about)), which)
}

/// The file's number. The two ends of a pair of sockets are two files.
fn number(about: &libc::stat) -> u64 {
    if about.st_mode & libc::S_IFMT == libc::S_IFSOCK { 0 } else { about.st_ino }
}

/// Descriptors are doubled: two may stand at the same place.
pub fn doubled() {
    if modelled() {
        spin::changed();
    }
    // SAFETY: the token's holder.
    unsafe { DOUBLED = true };
}

/// Somebody changes something, or looks at it.
fn note(key: u64, changes: bool, looks: bool, caller: *const c_void) {
    let kernel = k();
    let me = 1u64 << kernel.current;
    // One that has ended may have come before or behind this, unless somebody has waited for its end.
    let several = (0..kernel.spawned).any(|t| t != usize::from(kernel.current) && !kernel.threads[t].joined);
    let things = things();
    let at = things.iter().position(|thing| thing.key == key).unwrap_or_else(|| {
        things.push(Thing { key, changed: 0, seen: 0, is_seen: false });
        things.len() - 1
    });
    let thing = &mut things[at];
    if several && changes {
        thing.changed |= me;
    }
    if several && looks {
        thing.seen |= me;
    }
    thing.is_seen |= looks;
    let by_others = thing.changed.count_ones() > 1 && thing.is_seen;
    let of_others = thing.changed != 0 && thing.seen & !thing.changed != 0;
    if by_others || of_others {
        kernel.orders_files(refused::called_at(caller));
    }
}

/// What the call of this name does that a gate has seen.
pub(super) fn look(name: &CStr, registers: *const Registers) {
    if modelled() && k().spawned > 1 {
        // SAFETY: the gate's own record.
        let registers = unsafe { &*registers };
        did(name.to_bytes(), registers.arguments, registers.caller);
    }
}

/// What a call of this function with these arguments does.
pub fn did(name: &[u8], arguments: [usize; 6], caller: *const c_void) {
    if !modelled() || k().spawned < 2 {
        return;
    }
    let Some(does) = of(name) else { return };
    // A loop that reads on, or writes, is getting somewhere.
    let opens = name.windows(4).any(|part| part == b"open");
    if opens || does.does & (WRITES | MOVES | NAMES | FOLDERS) != 0 {
        spin::changed();
    }
    let at = |n: u8| arguments[usize::from(n)];
    match does.on {
        On::Descriptor(n) => descriptor(at(n) as c_int, does.does, caller),
        On::Stream(n) => stream(at(n), does.does, caller),
        On::Input => descriptor(0, does.does, caller),
        On::Output => descriptor(1, does.does, caller),
        On::Path(n) => {
            let opens = opening(name, arguments, usize::from(n));
            path(libc::AT_FDCWD, at(n), does.does | opens, caller);
            // The other name of a call that has two.
            if n == 1 {
                path(libc::AT_FDCWD, at(0), does.does, caller);
            }
        }
        On::PathIn(n) => {
            let opens = opening(name, arguments, usize::from(n));
            path(at(n - 1) as c_int, at(n), does.does | opens, caller);
            if n == 3 {
                path(at(0) as c_int, at(1), does.does, caller);
            }
        }
    }
}

/// What comes of how a path is opened.
fn opening(name: &[u8], arguments: [usize; 6], path: usize) -> u8 {
    let how = arguments[path + 1];
    let plain = name.strip_prefix(b"__").unwrap_or(name);
    if name.starts_with(b"fopen") {
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

/// What the system says of a descriptor or a path.
fn about(folder: c_int, path: *const c_char, flags: c_int) -> Option<libc::stat> {
    // SAFETY: plain data, which the call fills; the caller's string, or an empty one.
    unsafe {
        let mut about: libc::stat = core::mem::zeroed();
        (call!(libc::SYS_newfstatat, folder, path, &raw mut about, flags) == 0).then_some(about)
    }
}

fn descriptor(fd: c_int, does: u8, caller: *const c_void) {
    if (0..=2).contains(&fd) && !files::has_touched() {
        return;
    }
    if let Some(about) = about(fd, c"".as_ptr(), libc::AT_EMPTY_PATH) {
        file(&about, Some(fd), does, caller);
    }
}

/// A file is mapped for all: what is written to that memory is in the file.
pub fn mapped(fd: c_int) {
    if k().spawned > 1 && fd >= 0 {
        descriptor(fd, WRITES | READS, core::ptr::null());
    }
}

fn file(about: &libc::stat, fd: Option<c_int>, does: u8, caller: *const c_void) {
    let kind = about.st_mode & libc::S_IFMT;
    // Devices: the null device, served random bytes, terminals; and where output goes.
    if kind == libc::S_IFCHR || files::is_own(about) {
        return;
    }
    let (writes, reads) = (does & WRITES != 0, does & READS != 0);
    if writes || reads {
        note(key(Kind::Content, about.st_dev, number(about)), writes, reads, caller);
    }
    let (moves, stands) = (does & MOVES != 0, does & STANDS != 0);
    if let Some(fd) = fd.filter(|_| moves || stands) {
        note(place(about, fd), moves, stands, caller);
    }
}

fn stream(stream: usize, does: u8, caller: *const c_void) {
    if stream == 0 {
        return;
    }
    // SAFETY: a stream of libc's; the calling thread's errno, which stays as it is.
    let fd = unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let fd = libc::fileno(stream as *mut libc::FILE);
        *errno = before;
        fd
    };
    match fd {
        0.. => descriptor(fd, does, caller),
        // One in memory.
        _ => {
            let (changes, looks) = (does & (WRITES | MOVES) != 0, does & (READS | STANDS) != 0);
            note(key(Kind::Memory, stream as u64, 0), changes, looks || changes, caller);
        }
    }
}

fn path(folder: c_int, at: usize, does: u8, caller: *const c_void) {
    if at == 0 {
        return;
    }
    // SAFETY: the caller's string.
    let text = unsafe { CStr::from_ptr(at as *const c_char) }.to_bytes();
    let before = about(folder, at as *const c_char, if text.is_empty() { libc::AT_EMPTY_PATH } else { 0 });
    if let Some(before) = before.filter(|_| does & (WRITES | READS) != 0) {
        file(&before, None, does, caller);
    }
    if text.is_empty() {
        return;
    }
    // Served random bytes, the system's own files.
    if [&b"/dev/"[..], b"/proc/", b"/sys/"].iter().any(|system| text.starts_with(system))
        && !text.starts_with(b"/dev/shm/")
    {
        return;
    }
    note(key(Kind::Folders, 0, 0), does & FOLDERS != 0, true, caller);
    let text = text.strip_suffix(b"/").unwrap_or(text);
    let (parent, name) = match text.iter().rposition(|b| *b == b'/') {
        Some(end) => text.split_at(end + 1),
        None => (&b"."[..], text),
    };
    let parent: Vec<u8> = parent.iter().copied().chain([0]).collect();
    let place = about(folder, parent.as_ptr().cast(), 0).map_or(0, |p| hash::mix(p.st_dev, p.st_ino));
    let named = name.iter().fold(place, |h, byte| hash::mix(h, u64::from(*byte)));
    note(key(Kind::Path, named, 0), does & (NAMES | FOLDERS) != 0, true, caller);
}

extern "C" fn looked_at(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = super::gate::name(name);
    look(name, registers);
    super::gate::behind(name)
}

gates! { looked_at:
    __dprintf_chk __vdprintf_chk
    access dprintf faccessat feof fgetpos fseek fseeko fseeko64 fsetpos ftell ftello ftello64 ftruncate ftruncate64
    link lseek lseek64 mkdir remove rename renameat rewind rmdir statx symlink truncate truncate64 unlink unlinkat
    vdprintf writev
}
