//! Who does what to which files, while there are several threads. It is no step, so a reduction does not turn it around:
//! where the order of two threads could be found out by one of them, or by whoever looks later, the search is told, and the
//! guarantee says so. Output that nobody looks at again (a log) tells nobody anything.
//!
//! What is in a file goes by the file, the place at which a descriptor stands by its number too, until descriptors are
//! doubled: from then on all that stands in a file is one. Paths go by their folder and their name in it, folders by the
//! names in them. Standard output and error cannot be read back, unless they were
//! put somewhere else in the execution.

pub mod calls;

use super::{channels, files, layout, modelled, refused, streams};
use crate::kernel::{k, point, spin};
use crate::sys::call;
use alloc::vec::Vec;
pub use calls::did;
pub(super) use calls::look;
use calls::number_of;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};
use raddle_schedule::files::{FOLDERS, MOVES, NAMES, PENDING, READS, STANDS, TAKES, WRITES};
use raddle_schedule::hash;

/// One thing of which an order could be told.
struct Thing {
    /// What it is.
    key: u64,
    /// What it is once descriptors are doubled.
    doubled: u64,
    /// Threads that changed it while others were there that it had not joined.
    changed: u64,
    /// Threads that looked at it while others were there that it had not joined.
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

unsafe extern "C" {
    /// Bytes that a stream holds back (glibc, stdio_ext.h).
    fn __fpending(stream: *mut libc::FILE) -> usize;
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
    Process,
    Memory,
    Stream,
    Numbers,
    Mode,
}

fn key(kind: Kind, a: u64, b: u64) -> u64 {
    hash::mix(hash::mix(a, kind as u64 + 1), b)
}

/// An execution begins.
pub fn begin() {
    things().clear();
    // SAFETY: the token's holder.
    unsafe {
        DOUBLED = false;
        GIVEN = 0;
        MEETS = 0;
    }
}

/// A descriptor is closed: nobody finds out any more where it stood, and its number may be given to another.
pub fn closed(fd: c_int) {
    // SAFETY: the token's holder.
    if k().spawned < 2 || unsafe { DOUBLED } {
        return;
    }
    if let Some(about) = about(fd, c"".as_ptr(), libc::AT_EMPTY_PATH) {
        let (gone, _) = place(&about, fd);
        things().retain(|thing| thing.key != gone);
    }
}

/// Where a descriptor of this file stands, and where all of them do once they are doubled.
fn place(about: &libc::stat, fd: c_int) -> (u64, u64) {
    let of = |which| key(Kind::Place, hash::mix(about.st_dev, file_number(about)), which);
    // SAFETY: the token's holder.
    let which = if unsafe { DOUBLED } { 0 } else { fd as u64 + 1 };
    (of(which), of(0))
}

/// The file's number. The two ends of a pair of sockets are two files.
fn file_number(about: &libc::stat) -> u64 {
    if about.st_mode & libc::S_IFMT == libc::S_IFSOCK { 0 } else { about.st_ino }
}

/// Descriptors are doubled: two may stand at the same place.
pub fn doubled() {
    if modelled() {
        spin::changed();
    }
    // SAFETY: the token's holder.
    unsafe { DOUBLED = true };
    // What was done by one of them counts for all.
    let mut all: Vec<Thing> = Vec::new();
    for thing in core::mem::take(things()) {
        match all.iter_mut().find(|one| one.key == thing.doubled) {
            Some(one) => {
                one.changed |= thing.changed;
                one.seen |= thing.seen;
                one.is_seen |= thing.is_seen;
            }
            None => all.push(Thing { key: thing.doubled, ..thing }),
        }
    }
    *things() = all;
}

/// Somebody changes something, or looks at it.
fn note(key: u64, changes: bool, looks: bool, caller: *const c_void) {
    note_both((key, key), changes, looks, caller);
}

/// The same of what is another thing once descriptors are doubled.
fn note_both(keys: (u64, u64), changes: bool, looks: bool, caller: *const c_void) {
    if meets(keys, changes, looks) {
        k().orders_files(refused::called_at(caller));
    }
}

/// Notes it. Says whether threads could find out by it in which order they came.
fn meets((key, doubled): (u64, u64), changes: bool, looks: bool) -> bool {
    if changes {
        point::notice();
    }
    let kernel = k();
    let me = 1u64 << kernel.current;
    // One that has ended may have come before or behind this, unless somebody has waited for its end.
    let several = (0..kernel.spawned).any(|t| t != usize::from(kernel.current) && !kernel.is_behind(t));
    let things = things();
    let at = things.iter().position(|thing| thing.key == key).unwrap_or_else(|| {
        things.push(Thing { key, doubled, changed: 0, seen: 0, is_seen: false });
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
    by_others || of_others
}

/// A number of a descriptor is given, or one is used that was given up.
pub fn numbers(gives: bool, caller: *const c_void) {
    if modelled() && k().spawned > 1 {
        note(key(Kind::Numbers, 0, 0), gives, !gives, caller);
    }
}

/// Whether reads and writes of this file wait is set, or asked by one: its device and number, and which end of a pipe it is. Says
/// whether threads could find out by it in which order they came.
pub fn mode((device, number, reads): (u64, u64, bool), sets: bool) -> bool {
    let key = key(Kind::Mode, hash::mix(device, u64::from(reads)), number);
    modelled() && k().spawned > 1 && meets((key, key), sets, !sets)
}

/// The lowest number that is free is given, when others are there: at a step on this channel, or at none.
pub fn lowest_number(at: Option<u64>, caller: *const c_void) {
    if modelled() && k().spawned > 1 {
        // SAFETY: the token's holder.
        unsafe { GIVEN = one_or_any(GIVEN, at.unwrap_or(ANY)) };
        look_at_numbers(caller);
    }
}

/// The descriptor of a channel is used, or closed.
pub fn number(fd: c_int, channel: u64, closes: bool, caller: *const c_void) {
    let key = key(Kind::Numbers, fd as u64 + 1, 0);
    if meets((key, key), closes, !closes) {
        // SAFETY: the token's holder.
        unsafe { MEETS = one_or_any(MEETS, channel) };
        look_at_numbers(caller);
    }
}

/// A number that one thread closes and another uses may be given to a file between the two: when numbers are given is a step
/// only where it is one on the same channel.
fn look_at_numbers(caller: *const c_void) {
    // SAFETY: the token's holder.
    let (given, meets) = unsafe { (GIVEN, MEETS) };
    if given != 0 && meets != 0 && (given == ANY || given != meets) {
        k().orders_files(refused::called_at(caller));
    }
}

/// Stands for several channels, and for what is none.
const ANY: u64 = u64::MAX;

fn one_or_any(before: u64, now: u64) -> u64 {
    if before == 0 || before == now { now } else { ANY }
}

/// The channel at a step on which numbers were given, and the one of which a thread has closed a number that another uses; 0 for none.
static mut GIVEN: u64 = 0;
static mut MEETS: u64 = 0;

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
    if channels::way(fd).is_some() {
        // What goes through it is a step.
        if does & WRITES != 0 {
            channels::sends(fd, caller);
        } else if does == TAKES {
            channels::receives(fd, true, caller, None);
        }
        return;
    }
    if let Some(about) = about(fd, c"".as_ptr(), libc::AT_EMPTY_PATH) {
        file(&about, Some(fd), does, caller);
    }
    if does & FOLDERS != 0 {
        note(key(Kind::Folders, 0, 0), true, false, caller);
    }
}

/// A file is mapped for all: what is written to that memory is in the file, where the descriptor lets it be (the memory may
/// be made writable later).
pub fn mapped(fd: c_int) {
    if k().spawned > 1 && fd >= 0 {
        // SAFETY: takes numbers; where it fails nothing is known.
        let how = unsafe { call!(libc::SYS_fcntl, fd, libc::F_GETFL) };
        let only_reads = how >= 0 && how as c_int & libc::O_ACCMODE == libc::O_RDONLY;
        descriptor(fd, if only_reads { READS } else { WRITES | READS }, core::ptr::null());
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
        note(key(Kind::Content, about.st_dev, file_number(about)), writes, reads, caller);
    }
    let (moves, stands) = (does & MOVES != 0, does & STANDS != 0);
    if let Some(fd) = fd.filter(|_| moves || stands) {
        note_both(place(about, fd), moves, stands, caller);
    }
}

fn stream(stream: usize, does: u8, caller: *const c_void) {
    if stream == 0 {
        return;
    }
    let fd = number_of(stream);
    // SAFETY: as above.
    let holds_back = does & PENDING != 0 && unsafe { __fpending(stream as *mut libc::FILE) } > 0;
    let does = does & !PENDING | if holds_back { WRITES | MOVES } else { 0 };
    match fd {
        // It takes what it has read before.
        0.. if does == TAKES
            && layout::has_rest(stream as *mut libc::FILE)
            && channels::way(fd).is_some() => {}
        0.. => descriptor(fd, does, caller),
        // One in memory.
        _ => {
            let (changes, looks) = (does & (WRITES | MOVES) != 0, does & (READS | STANDS) != 0);
            let of = streams::word(stream as *mut libc::FILE);
            note(key(Kind::Memory, of, 0), changes, looks || changes, caller);
        }
    }
}

/// A stream is used, or becomes another: it is closed, or is given another buffer. Whoever uses it could do so before or behind that.
pub(super) fn lives(stream: usize, changes: bool, caller: *const c_void) {
    if modelled() && k().spawned > 1 && stream != 0 {
        let of = streams::word(stream as *mut libc::FILE);
        note(key(Kind::Stream, of, 0), changes, true, caller);
    }
}

fn path(folder: c_int, at: usize, does: u8, caller: *const c_void) {
    if at == 0 {
        // The descriptor itself.
        if folder >= 0 {
            descriptor(folder, does, caller);
        }
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
    let makes = does & (NAMES | FOLDERS) != 0;
    if makes || !text.starts_with(b"/") && folder == libc::AT_FDCWD {
        note(key(Kind::Process, 0, 0), false, true, caller);
    }
    let text = text.strip_suffix(b"/").unwrap_or(text);
    let (parent, name) = match text.iter().rposition(|b| *b == b'/') {
        Some(end) => text.split_at(end + 1),
        None => (&b"."[..], text),
    };
    let parent: Vec<u8> = parent.iter().copied().chain([0]).collect();
    let parent = about(folder, parent.as_ptr().cast(), 0);
    // Who reads the folder finds its names.
    if let Some(parent) = parent.as_ref().filter(|_| makes) {
        note(key(Kind::Content, parent.st_dev, parent.st_ino), true, false, caller);
    }
    let place = parent.map_or(0, |p| hash::mix(p.st_dev, p.st_ino));
    let named = name.iter().fold(place, |h, byte| hash::mix(h, u64::from(*byte)));
    note(key(Kind::Path, named, 0), makes, true, caller);
}
