//! Pipes, pairs of sockets and counters of events (`eventfd`) that the program makes: the way from one thread to another
//! is a channel (`model::channel`), whichever of its descriptors is used. They are told apart by who made them and as which of
//! its own, since numbers of descriptors and files depend on what others do.
//!
//! What is opened by a name (a FIFO) is a channel too, but others than this process may have it: who would wait for them is refused,
//! and so is who would wait with a function of stdio, of which nobody knows how much it wants.

use super::gate;
use super::{files, modelled, order, refused};
use crate::kernel::here::Here;
use crate::kernel::{k, spin};
use crate::memory::snapshot;
use crate::model::{channel, misuse};
use crate::sys::call;
use crate::{entry, entry_here};
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_int, c_uint, c_void};
use core::ptr::NonNull;
use raddle_schedule::OpKind;
use raddle_schedule::world::{self, Channel};

/// One of them, or one end of two sockets.
struct Known {
    /// Device and number of its file; of a counter nothing and its own number.
    file: (u64, u64),
    /// What is read from it.
    reads: u64,
    /// What is written to it goes there.
    writes: u64,
    /// The thread that made it, and as which of its own.
    by: (u8, usize),
    /// Others than this process may have it too.
    is_outside: bool,
}

struct All(UnsafeCell<Vec<Known>>);

// SAFETY: used by the token's holder only, and before executions by the only thread.
unsafe impl Sync for All {}

static ALL: All = All(UnsafeCell::new(Vec::new()));

fn all() -> &'static mut Vec<Known> {
    // SAFETY: see `All`; one reference at a time.
    unsafe { &mut *ALL.0.get() }
}

/// An execution begins: none of its own is there yet.
pub fn begin() {
    all().clear();
}

/// How a descriptor lets two threads meet.
#[derive(Clone, Copy)]
pub struct Way {
    reads: u64,
    writes: u64,
    is_outside: bool,
}

/// The file behind a descriptor.
fn about(fd: c_int) -> Option<libc::stat> {
    // SAFETY: plain data, which the call fills.
    unsafe {
        let mut about: libc::stat = core::mem::zeroed();
        (call!(libc::SYS_fstat, fd, &raw mut about) == 0).then_some(about)
    }
}

/// What tells the file behind a descriptor from others, if it can be a channel.
fn file(fd: c_int) -> Option<(u64, u64)> {
    let about = about(fd)?;
    match about.st_mode & libc::S_IFMT {
        libc::S_IFIFO | libc::S_IFSOCK => Some((about.st_dev, about.st_ino)),
        // Files without a kind share one number.
        0 => counter(fd).map(|number| (u64::MAX, number)),
        _ => None,
    }
}

/// The number of a counter of events, as the system tells of this descriptor.
fn counter(fd: c_int) -> Option<u64> {
    let mut path = *b"/proc/self/fdinfo/\0\0\0\0\0\0\0\0\0\0\0\0";
    let digits = decimal(fd)?;
    path[18..18 + digits.1].copy_from_slice(&digits.0[..digits.1]);
    let mut text = [0u8; 512];
    // SAFETY: a string, and a buffer of the size said.
    let read = unsafe {
        let info = call!(libc::SYS_open, path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC, 0);
        if info < 0 {
            return None;
        }
        let read = call!(libc::SYS_read, info, text.as_mut_ptr(), text.len());
        call!(libc::SYS_close, info);
        read
    };
    let text = text.get(..usize::try_from(read).ok()?)?;
    let name = b"eventfd-id:";
    let at = text.windows(name.len()).position(|part| part == name)?;
    let digits = text[at + name.len()..].iter().skip_while(|b| **b == b' ' || **b == b'\t');
    let digits = digits.take_while(|b| b.is_ascii_digit());
    Some(digits.fold(0, |n, digit| n * 10 + u64::from(digit - b'0')))
}

/// The digits of a number, and how many.
fn decimal(number: c_int) -> Option<([u8; 10], usize)> {
    let mut rest = u32::try_from(number).ok()?;
    let (mut digits, mut n) = ([0; 10], 0);
    loop {
        digits[n] = b'0' + (rest % 10) as u8;
        n += 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    digits[..n].reverse();
    Some((digits, n))
}

/// The channel behind a descriptor, if it is one that is known.
pub fn way(fd: c_int) -> Option<Way> {
    if all().is_empty() {
        return None;
    }
    let file = file(fd)?;
    let known = all().iter().find(|known| known.file == file)?;
    Some(Way { reads: known.reads, writes: known.writes, is_outside: known.is_outside })
}

/// The number of the next one that the running thread makes.
fn next() -> usize {
    let me = k().current;
    all().iter().filter(|known| known.by.0 == me).map(|known| known.by.1 + 1).max().unwrap_or(0)
}

fn add(file: (u64, u64), reads: u64, writes: u64, number: usize, is_outside: bool) {
    // The system gives numbers again, once a file is gone.
    all().retain(|known| known.file != file);
    all().push(Known { file, reads, writes, by: (k().current, number), is_outside });
}

/// The running thread has made this one, with as many descriptors as it has ends.
fn made(kind: Channel, fds: &[c_int]) {
    let me = usize::from(k().current);
    match *fds {
        [first, second] if kind == Channel::Socket => {
            let (number, files) = (next(), (file(first), file(second)));
            let channel = |number| world::channel(kind, me, number);
            if let (Some(one), Some(other)) = files {
                add(one, channel(number), channel(number + 1), number, false);
                add(other, channel(number + 1), channel(number), number + 1, false);
            }
        }
        [fd, ..] => {
            let number = next();
            let channel = world::channel(kind, me, number);
            if let Some(file) = file(fd) {
                add(file, channel, channel, number, false);
            }
        }
        [] => {}
    }
}

/// The running thread opens a FIFO.
pub fn opens(fifo: &libc::stat) {
    let file = (fifo.st_dev, fifo.st_ino);
    if all().iter().all(|known| known.file != file) {
        let number = next();
        let channel = world::channel(Channel::Pipe, usize::from(k().current), number);
        add(file, channel, channel, number, true);
    }
}

/// Does who reads from this descriptor, or writes to it, never wait?
pub fn is_at_once(fd: c_int) -> bool {
    // SAFETY: takes numbers; where it fails nothing is known.
    let how = unsafe { call!(libc::SYS_fcntl, fd, libc::F_GETFL) };
    how >= 0 && how as c_int & libc::O_NONBLOCK != 0
}

/// Is there something to read at the other end of what is written to this descriptor?
fn has_unread(fd: c_int) -> bool {
    let mut count: c_int = 0;
    // SAFETY: both fill a number; those that a descriptor does not know fail.
    let asked = unsafe {
        match about(fd).map(|about| about.st_mode & libc::S_IFMT) {
            Some(libc::S_IFIFO) => call!(libc::SYS_ioctl, fd, libc::FIONREAD, &raw mut count),
            Some(libc::S_IFSOCK) => call!(libc::SYS_ioctl, fd, libc::TIOCOUTQ, &raw mut count),
            _ => return channel::is_ready(fd, libc::POLLIN),
        }
    };
    asked == 0 && count > 0
}

/// The running thread is about to write to this descriptor.
pub fn sends(fd: c_int, caller: *const c_void) {
    if let Some(way) = way(fd).filter(|_| k().spawned > 1) {
        channel::send(way.writes, false, || has_unread(fd), refused::called_at(caller));
    }
}

/// It is about to close it, or its number is given to another: of a socket both ways end.
/// Says whether it is a channel that others may use too.
pub fn closes(fd: c_int, caller: *const c_void) -> bool {
    let Some(way) = way(fd).filter(|_| k().spawned > 1) else { return false };
    let site = refused::called_at(caller);
    channel::send(way.writes, true, || has_unread(fd), site);
    if way.reads != way.writes {
        channel::send(way.reads, true, || channel::is_ready(fd, libc::POLLIN), site);
    }
    true
}

/// It is about to read from it, and waits until something is there unless the call says so `at_once`; with the place of the
/// call where that is known. Says whether it is a channel that others may use too.
pub fn receives(fd: c_int, at_once: bool, caller: *const c_void, here: Option<&Here>) -> bool {
    let Some(way) = way(fd).filter(|_| k().spawned > 1) else { return false };
    let site = refused::called_at(caller);
    match at_once || way.is_outside || is_at_once(fd) {
        true => channel::try_receive(way.reads, fd, site, here),
        false => channel::receive(way.reads, fd, site),
    }
    true
}

type Ends = unsafe extern "C" fn(*mut c_int) -> c_int;
type EndsWith = unsafe extern "C" fn(*mut c_int, c_int) -> c_int;
type Sockets = unsafe extern "C" fn(c_int, c_int, c_int, *mut c_int) -> c_int;
type Counter = unsafe extern "C" fn(c_uint, c_int) -> c_int;

/// Notes a call that makes `ends`, and what came of it.
fn makes(kind: Channel, ends: *mut c_int, call: impl FnOnce() -> c_int) -> c_int {
    if !modelled() {
        return call();
    }
    files::touched();
    snapshot::touch(ends as usize, size_of::<[c_int; 2]>());
    let result = call();
    if result == 0 {
        // SAFETY: the caller's array, which the call has filled.
        made(kind, unsafe { core::slice::from_raw_parts(ends, 2) });
    }
    result
}

entry! {
    /// Makes a pipe.
    fn pipe / pipe_inner(ends: *mut c_int) -> c_int, {
        // SAFETY: libc's function of this name has this type; passed on as it came.
        makes(Channel::Pipe, ends, || unsafe { of::<Ends>(c"pipe")(ends) })
    }
}

entry! {
    /// The same with flags.
    fn pipe2 / pipe_with(ends: *mut c_int, how: c_int) -> c_int, {
        // SAFETY: as above.
        makes(Channel::Pipe, ends, || unsafe { of::<EndsWith>(c"pipe2")(ends, how) })
    }
}

entry! {
    /// Makes two connected sockets.
    fn socketpair / socket_pair(family: c_int, kind: c_int, protocol: c_int, ends: *mut c_int) -> c_int, {
        // SAFETY: as above.
        makes(Channel::Socket, ends, || unsafe { of::<Sockets>(c"socketpair")(family, kind, protocol, ends) })
    }
}

entry! {
    /// Makes a counter of events.
    fn eventfd / event_counter(count: c_uint, how: c_int) -> c_int, {
        if modelled() {
            files::touched();
        }
        // SAFETY: as above.
        let fd = unsafe { of::<Counter>(c"eventfd")(count, how) };
        if modelled() && fd >= 0 {
            made(Channel::Counter, &[fd]);
        }
        fd
    }
}

/// The running thread is about to have this much read into its memory, for a call of this function.
fn before(function: &str, fd: c_int, at_once: bool, here: &Here) {
    if !receives(fd, at_once, here.caller, Some(here)) && !at_once {
        files::before_reading(fd, function, here.caller);
    }
}

/// What was read has been written to here.
fn fill(at: usize, len: usize, caller: *const c_void) {
    files::touched_by_system(OpKind::Write, at, len, caller);
}

type Receive = unsafe extern "C" fn(c_int, *mut c_void, usize, c_int) -> isize;
type ReadInto = unsafe extern "C" fn(c_int, *const libc::iovec, c_int) -> isize;
type ReadCount = unsafe extern "C" fn(c_int, *mut u64) -> c_int;
type WriteCount = unsafe extern "C" fn(c_int, u64) -> c_int;

entry_here! {
    /// Reads from one of two connected sockets. Other sockets are connected with other processes.
    fn recv / receive(fd: c_int, buffer: *mut c_void, len: usize, how: c_int) -> isize, 4, here {
        if modelled() {
            if way(fd).is_none() || how & !(libc::MSG_DONTWAIT | libc::MSG_PEEK | libc::MSG_NOSIGNAL) != 0 {
                refused::refuse_waiting("recv", "of such a socket", here.caller);
            }
            before("recv", fd, how & libc::MSG_DONTWAIT != 0, here);
            misuse::look_at_buffer(OpKind::Write, buffer as usize, len, here.caller);
            snapshot::touch(buffer as usize, len);
        }
        // SAFETY: libc's function of this name has this type; passed on as it came.
        let read = unsafe { of::<Receive>(c"recv")(fd, buffer, len, how) };
        if modelled() {
            fill(buffer as usize, usize::try_from(read).unwrap_or(0), here.caller);
        }
        read
    }
}

entry_here! {
    /// Reads into several places.
    fn readv / read_into(fd: c_int, places: *const libc::iovec, count: c_int) -> isize, 3, here {
        let n = usize::try_from(count).unwrap_or(0);
        // SAFETY: the caller's array, of so many.
        let all = unsafe { core::slice::from_raw_parts(if n == 0 { NonNull::dangling().as_ptr() } else { places.cast_mut() }, n) };
        if modelled() {
            files::touched_by_system(OpKind::Read, places as usize, size_of_val(all), here.caller);
            if way(fd).is_none() {
                order::did(b"readv", [fd as usize, 0, 0, 0, 0, 0], here.caller);
                spin::changed();
            }
            before("readv", fd, false, here);
            for place in all {
                misuse::look_at_buffer(OpKind::Write, place.iov_base as usize, place.iov_len, here.caller);
                snapshot::touch(place.iov_base as usize, place.iov_len);
            }
        }
        // SAFETY: as above.
        let read = unsafe { of::<ReadInto>(c"readv")(fd, places, count) };
        let mut rest = usize::try_from(read).unwrap_or(0);
        for place in all.iter().take_while(|_| modelled()) {
            let len = place.iov_len.min(rest);
            fill(place.iov_base as usize, len, here.caller);
            rest -= len;
        }
        read
    }
}

entry_here! {
    /// Reads a counter of events.
    fn eventfd_read / read_count(fd: c_int, count: *mut u64) -> c_int, 2, here {
        if modelled() {
            before("eventfd_read", fd, false, here);
            snapshot::touch(count as usize, size_of::<u64>());
        }
        // SAFETY: as above.
        let status = unsafe { of::<ReadCount>(c"eventfd_read")(fd, count) };
        if modelled() && status == 0 {
            fill(count as usize, size_of::<u64>(), here.caller);
        }
        status
    }
}

entry! {
    /// Adds to a counter of events.
    fn eventfd_write / write_count(fd: c_int, count: u64) -> c_int, 2, caller {
        if modelled() {
            sends(fd, caller);
            spin::changed();
        }
        // SAFETY: as above.
        unsafe { of::<WriteCount>(c"eventfd_write")(fd, count) }
    }
}

/// libc's function of this name.
///
/// # Safety
/// It has this type.
unsafe fn of<F: Copy>(name: &CStr) -> F {
    let function = gate::behind(name);
    // SAFETY: the caller's promise; both are the size of an address.
    unsafe { core::mem::transmute_copy::<*mut c_void, F>(&function) }
}
