//! Pipes, pairs of sockets and counters of events (`eventfd`) that the program makes: the way from one thread to another
//! is a channel (`model::channel`), whichever of its descriptors is used. They are told apart by who made them and as which of
//! its own, since numbers of descriptors and files depend on what others do.
//!
//! What is opened by a name (a FIFO) is a channel too, but others than this process may have it: who would wait for them is refused,
//! and so is who would wait with a function of stdio, of which nobody knows how much it wants. Refused is as well what would change a
//! channel without being a step on it (`shutdown`, `sendmsg`, limits of time, and the like), and closing one of two sockets while there
//! are others to notice: that ends two channels at once.

use super::gate::{self, Registers};
use super::{files, modelled, order, refused};
use crate::kernel::here::Here;
use crate::kernel::{k, spin};
use crate::memory::snapshot;
use crate::model::{channel, misuse};
use crate::sys::call;
use crate::{entry, entry_here, gates};
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};
use raddle_schedule::world::{self, Channel};
use raddle_schedule::{MAX_THREADS, OpKind};

/// One of them, or one end of two sockets.
struct Known {
    /// Device and number of its file; of a counter nothing and its own number.
    file: (u64, u64),
    /// What is read from it.
    reads: u64,
    /// What is written to it goes there.
    writes: u64,
    /// It is one of two sockets.
    is_socket: bool,
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

struct Closed(UnsafeCell<Vec<(c_int, Way)>>);

// SAFETY: as for `All`.
unsafe impl Sync for Closed {}

static CLOSED: Closed = Closed(UnsafeCell::new(Vec::new()));

/// Descriptors of channels that were closed in this execution: who uses one all the same comes behind that, and could have come before.
fn closed() -> &'static mut Vec<(c_int, Way)> {
    // SAFETY: see `All`; one reference at a time.
    unsafe { &mut *CLOSED.0.get() }
}

/// How many of them each thread has made in this execution.
static MADE: [AtomicUsize; MAX_THREADS] = [const { AtomicUsize::new(0) }; MAX_THREADS];

/// An execution begins: none of its own is there yet.
pub fn begin() {
    all().clear();
    closed().clear();
    for made in &MADE {
        made.store(0, Ordering::Relaxed);
    }
}

/// How a descriptor lets two threads meet.
#[derive(Clone, Copy)]
pub struct Way {
    reads: u64,
    writes: u64,
    is_socket: bool,
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
    let Some(file) = file(fd) else {
        let is_gone = about(fd).is_none();
        return closed().iter().rev().find(|(closed, _)| is_gone && *closed == fd).map(|(_, way)| *way);
    };
    let known = all().iter().find(|known| known.file == file)?;
    let Known { reads, writes, is_socket, is_outside, .. } = *known;
    Some(Way { reads, writes, is_socket, is_outside })
}

/// The number of the next one that the running thread makes, of so many at once.
fn next(ways: usize, function: &str) -> usize {
    let me = usize::from(k().current) % MAX_THREADS;
    let number = MADE[me].fetch_add(ways, Ordering::Relaxed);
    if number + ways > world::CHANNELS_EACH as usize {
        refused::refuse_with(
            function,
            "beyond 64 pipes, counters of events and ways between sockets of one thread",
        );
    }
    number
}

fn add(known: Known) {
    // The system gives numbers again, once a file is gone.
    all().retain(|older| older.file != known.file);
    all().push(known);
}

/// The running thread has made this one, with as many descriptors as it has ends.
fn made(kind: Channel, fds: &[c_int]) {
    let me = usize::from(k().current);
    match *fds {
        [first, second] if kind == Channel::Socket => {
            let number = next(2, "socketpair");
            let [one, other] = [number, number + 1].map(|number| world::channel(kind, me, number));
            for (fd, reads, writes) in [(first, one, other), (second, other, one)] {
                if let Some(file) = file(fd) {
                    add(Known { file, reads, writes, is_socket: true, is_outside: false });
                }
            }
        }
        [fd, ..] => {
            let channel =
                world::channel(kind, me, next(1, if kind == Channel::Pipe { "pipe" } else { "eventfd" }));
            if let Some(file) = file(fd) {
                add(Known { file, reads: channel, writes: channel, is_socket: false, is_outside: false });
            }
        }
        [] => {}
    }
}

/// The running thread opens a FIFO.
pub fn opens(fifo: &libc::stat) {
    let file = (fifo.st_dev, fifo.st_ino);
    if all().iter().all(|known| known.file != file) {
        let channel = world::channel(Channel::Pipe, usize::from(k().current), next(1, "open"));
        add(Known { file, reads: channel, writes: channel, is_socket: false, is_outside: true });
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

/// Is there another thread that has not ended?
fn has_others() -> bool {
    let kernel = k();
    let own = 1u64 << (kernel.current & 63);
    let all = if kernel.spawned >= 64 { u64::MAX } else { (1 << kernel.spawned) - 1 };
    all & !kernel.finished & !own != 0
}

/// The running thread is about to write to this descriptor.
pub fn sends(fd: c_int, caller: *const c_void) {
    if let Some(way) = way(fd).filter(|_| k().spawned > 1) {
        channel::send(way.writes, false, || has_unread(fd), refused::called_at(caller));
    }
}

/// It may not wait until there is room for what it writes by this function.
pub fn takes_more(fd: c_int, function: &str, caller: *const c_void) {
    if !channel::is_ready(fd, libc::POLLOUT) && !is_at_once(fd) {
        refused::refuse_waiting(function, "to a descriptor that takes nothing more", caller);
    }
}

/// It is about to close it by this function, or its number is given to another. Says whether it is a channel and that was a step.
pub fn closes(fd: c_int, function: &str, caller: *const c_void) -> bool {
    let Some(way) = way(fd).filter(|_| k().spawned > 1) else { return false };
    if way.is_socket {
        // Both ways end at once, and one step is on one of them.
        if has_others() {
            refused::refuse_on_channel(
                function,
                "of one of two connected sockets while other threads run",
                caller,
            );
        }
        return false;
    }
    closed().push((fd, way));
    channel::send(way.writes, true, || has_unread(fd), refused::called_at(caller));
    true
}

/// A function is called with this descriptor that changes what a channel is like, or tells what is in it, and is no step on it.
fn changes(fd: c_int, function: &str, what: &str, caller: *const c_void) {
    if modelled() && way(fd).is_some() {
        refused::refuse_on_channel(function, what, caller);
    }
}

/// How a descriptor does what it does is about to be changed (`fcntl` with `F_SETFL`).
pub fn is_set(fd: c_int, caller: *const c_void) {
    if has_others() {
        changes(fd, "fcntl", "with F_SETFL on what threads read and write while others run", caller);
    }
}

extern "C" fn beside(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    // SAFETY: the gate's own record.
    let ([first, second, third, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    let function = name.to_str().unwrap_or("a function");
    let (fd, command, option) = (first as c_int, second, third as c_int);
    match name.to_bytes() {
        b"ioctl" if command == libc::FIONREAD as usize || command == libc::TIOCOUTQ as usize => {
            changes(fd, function, "on what threads read and write", caller);
        }
        b"ioctl" if command == libc::FIONBIO as usize => {
            changes(fd, function, "with FIONBIO on what threads read and write", caller);
        }
        b"ioctl" => {}
        b"setsockopt" if command as c_int != libc::SOL_SOCKET => {}
        b"setsockopt" if option != libc::SO_RCVTIMEO && option != libc::SO_SNDTIMEO => {}
        b"setsockopt" => changes(fd, function, "with a limit of time for a socket", caller),
        b"close_range" | b"closefrom" => {
            if modelled() && !all().is_empty() && has_others() {
                refused::refuse_on_channel(
                    function,
                    "while other threads run and there are pipes or the like",
                    caller,
                );
            }
        }
        b"tee" => {
            changes(fd, function, "of what threads read and write", caller);
            changes(second as c_int, function, "of what threads read and write", caller);
        }
        _ => changes(fd, function, "of what threads read and write", caller),
    }
    gate::behind(name)
}

gates! { beside: shutdown sendmsg vmsplice tee ioctl setsockopt close_range closefrom }

/// It is about to read from it, and waits until something is there unless the call says so `at_once`; with the place of the
/// call where that is known. Says whether it is a channel and that was a step.
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
    receives(fd, at_once, here.caller, Some(here));
    if !at_once {
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
            before("recv", fd, len == 0 || how & libc::MSG_DONTWAIT != 0, here);
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
        // What the system only refuses is not looked at.
        let all = match places.is_null() || n > libc::UIO_MAXIOV as usize || !modelled() {
            true => &[],
            // SAFETY: the caller's array, of so many.
            false => unsafe { core::slice::from_raw_parts(places, n) },
        };
        let is_nothing = all.iter().all(|place| place.iov_len == 0);
        if modelled() {
            files::touched_by_system(OpKind::Read, places as usize, size_of_val(all), here.caller);
            if way(fd).is_none() {
                order::did(b"readv", [fd as usize, 0, 0, 0, 0, 0], here.caller);
                spin::changed();
            }
            before("readv", fd, is_nothing, here);
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
            takes_more(fd, "eventfd_write", caller);
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
