//! Pipes, pairs of sockets and counters of events (`eventfd`) that the program makes: the way from one thread to another
//! is a channel (`model::channel`), whichever of its descriptors is used. They are told apart by who made them and as which of
//! its own, since numbers of descriptors and files depend on what others do.
//!
//! What is opened by a name (a FIFO) is a channel too, but others than this process may have it: who would wait for them is refused,
//! and so is who would wait with a function of stdio, of which nobody knows how much it wants. Refused is as well what would change a
//! channel without being a step on it (`sendmsg`, limits of time, and the like).
//!
//! An epoll is one as well ([`super::epoll`]). What is done to a channel that is registered with it is done to it too.

mod calls;
mod early;

use super::{epoll, files, loopback, numbers, order, refused};
use crate::kernel::k;
use crate::model::channel::{self, Beside};
use crate::sys::call;
use alloc::vec::Vec;
pub(super) use calls::{adds, changes, shuts};
pub use calls::{asks_mode, closes, doubles, receives, sends, sets_mode, takes_more, writes};
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};
pub(super) use early::made_early;
use early::refuse_early;
use raddle_schedule::world::{self, Channel};
use raddle_schedule::{Event, MAX_THREADS, OpKind};

/// One of them, or one end of two sockets.
struct Known {
    /// Device and number of its file; of a counter nothing and its own number.
    file: (u64, u64),
    /// The descriptor that it was made as; of a pipe the one to read from.
    fd: c_int,
    /// What is read from it.
    reads: u64,
    /// What is written to it goes there.
    writes: u64,
    /// Others than this process may have it too.
    is_outside: bool,
    /// Its descriptor is as old as it: events of the execution before that, and the thread that made it.
    born: Option<(usize, u8)>,
}

struct All(UnsafeCell<Vec<Known>>);

// SAFETY: used by the token's holder only, and before executions by the only thread.
unsafe impl Sync for All {}

static ALL: All = All(UnsafeCell::new(Vec::new()));

fn all() -> &'static mut Vec<Known> {
    // SAFETY: see `All`; one reference at a time.
    unsafe { &mut *ALL.0.get() }
}

/// Is there any in this execution?
pub(super) fn is_any() -> bool {
    !all().is_empty() || epoll::is_any()
}

/// A descriptor of a channel that was closed in this execution.
struct Gone {
    fd: c_int,
    way: Way,
    /// Who read from it, or wrote to it, never waited.
    is_at_once: bool,
    /// The thread that closed it.
    by: u8,
    /// Threads that were given its number since.
    given: u64,
}

struct Closed(UnsafeCell<Vec<Gone>>);

// SAFETY: as for `All`.
unsafe impl Sync for Closed {}

static CLOSED: Closed = Closed(UnsafeCell::new(Vec::new()));

/// Descriptors of channels that were closed in this execution: who uses one all the same comes behind that, and could have come before.
fn closed() -> &'static mut Vec<Gone> {
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
    /// The channel that it reads from: that of a pipe's both ends.
    pub reads: u64,
    /// The one that it writes to: the same, but of a socket.
    pub writes: u64,
    /// Others than this process may have it.
    pub is_outside: bool,
}

/// An operation on one way of a descriptor, or on both: `beside` is the other channel that it is about, or 0.
struct OneWay {
    beside: u64,
    channels: [u64; 2],
}

impl OneWay {
    fn of(way: Way) -> OneWay {
        OneWay { beside: 0, channels: [way.reads, way.writes] }
    }

    /// It ends the other way too.
    fn both(way: Way) -> OneWay {
        let beside = if way.reads == way.writes { 0 } else { way.reads };
        OneWay { beside, channels: [way.reads, way.writes] }
    }
}

impl Beside for OneWay {
    fn more(&self) -> u64 {
        world::bit(self.beside) | epoll::watching(self.channels) | loopback::beside(self.channels)
    }

    fn ready(&self) -> u64 {
        let beside = if self.beside != 0 && is_readable(self.beside) { world::bit(self.beside) } else { 0 };
        beside | epoll::ready(self.channels)
    }
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
pub(super) fn file(fd: c_int) -> Option<(u64, u64)> {
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

/// Has the running thread made the file behind this descriptor, and done nothing since by which others learn what was done before?
/// Then nobody else can know of it.
fn is_new(fd: c_int) -> bool {
    let file = file(fd);
    let known = all().iter().find(|known| Some(known.file) == file);
    let Some((at, by)) = known.and_then(|known| known.born) else { return false };
    let since = k().events.get(at..).unwrap_or_default();
    let tells = |event: &Event| event.thread() == by && (is_told(event.kind()) || event.is_promoted());
    by == k().current && !since.iter().any(tells) && gone_from_others(fd).is_none()
}

/// May others learn by such an operation what was done before it?
fn is_told(kind: OpKind) -> bool {
    use OpKind::*;
    let is_lock = matches!(kind, Lock | ReadLock | WriteLock);
    !is_lock
        && !matches!(
            kind,
            AtomicLoad | Read | Write | Join | Point | Statement | Choice | Expected | Timeouts
        )
}

/// The channel behind a descriptor, if it is one that is known.
pub fn way(fd: c_int) -> Option<Way> {
    if !is_any() {
        return None;
    }
    if let Some(epoll) = epoll::object(fd) {
        return Some(Way { reads: epoll, writes: epoll, is_outside: false });
    }
    let Some(file) = file(fd) else {
        return gone(fd).filter(|_| about(fd).is_none()).map(|gone| gone.way);
    };
    let known = all().iter().find(|known| known.file == file)?;
    let Known { reads, writes, is_outside, .. } = *known;
    Some(Way { reads, writes, is_outside })
}

/// Why a close and what another thread does with the number are told apart by nobody.
const WAITED: &str = "of a descriptor that another thread reads from, waiting";

/// What a descriptor of this number was that was closed last.
fn gone(fd: c_int) -> Option<&'static Gone> {
    closed().iter().rev().find(|gone| gone.fd == fd)
}

/// Another thread has closed a channel's descriptor of this number, and it is given to another file now, by somebody else than the
/// running thread: its call could have come before that and met the channel.
fn gone_from_others(fd: c_int) -> Option<&'static Gone> {
    let me = k().current;
    let gone = gone(fd).filter(|gone| gone.by != me && gone.given >> (me & 63) & 1 == 0)?;
    about(fd).is_some().then_some(gone)
}

/// The running thread is given this number of a descriptor, or is about to be.
pub fn given(fd: c_int) {
    let me = k().current;
    for gone in closed().iter_mut().filter(|gone| gone.fd == fd) {
        gone.given |= 1 << (me & 63);
    }
}

/// It is about to be given the lowest number from this one on that is free.
pub fn gives(from: c_int) {
    if !closed().is_empty() {
        given(files::lowest_free(from));
    }
}

/// The running thread sets whether those wait that read from this descriptor or write to it, or asks. That is no step, so it is refused
/// where another thread does so too. The two ends of a pipe differ in that.
fn mode(fd: c_int, sets: bool, caller: *const c_void) {
    let Some((device, number)) = file(fd) else { return };
    if order::mode((device, number, reads(fd)), sets) {
        refused::refuse_on_channel("O_NONBLOCK", MODES, caller);
    }
}

/// The calls on a channel that [`mode`] refuses.
const MODES: &str = "of what another thread reads from or writes to";

/// The running thread does this step on the channel behind a descriptor, which is told whether it never waits there, if it is one.
/// Where the number was another's before, until it was this thread's turn or until its call, it is a step on that one as well, which
/// finds nothing. Says whether it is a channel and that was a step.
pub(super) fn step(fd: c_int, caller: *const c_void, does: impl Fn(Way, bool)) -> bool {
    refuse_early(fd);
    if k().spawned <= 1 {
        return false;
    }
    if let Some(way) = way(fd).or_else(|| gone(fd).map(|gone| gone.way)) {
        order::number(fd, way.reads, false, caller);
    }
    mode(fd, false, caller);
    if let Some(gone) = gone_from_others(fd) {
        does(gone.way, gone.is_at_once);
        channel::missed(is_readable(gone.way.reads));
    }
    let me = k().current;
    // Its number may be given to another file before that, or not: who is given which is no step.
    if gone(fd).is_some_and(|gone| gone.given >> (me & 63) & 1 == 0 && (gone.by == me || about(fd).is_none()))
    {
        order::numbers(false, caller);
    }
    let Some(mut way) = way(fd) else { return false };
    loop {
        does(way, is_at_once(fd));
        if closed().is_empty() {
            return true;
        }
        if about(fd).is_none() {
            channel::missed(is_readable(way.reads));
            return true;
        }
        let now = self::way(fd);
        if now.is_some_and(|now| (now.reads, now.writes) == (way.reads, way.writes)) {
            return true;
        }
        channel::missed(is_readable(way.reads));
        match now {
            Some(now) => way = now,
            None => return false,
        }
    }
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

/// The birth of a descriptor that the running thread makes now ([`Known::born`]).
fn now() -> Option<(usize, u8)> {
    Some((k().events.len(), k().current))
}

fn add(known: Known) {
    // The system gives numbers again, once a file is gone.
    all().retain(|older| older.file != known.file);
    all().push(known);
}

/// The running thread has made this one, with as many descriptors as it has ends.
pub(super) fn made(kind: Channel, fds: &[c_int], caller: *const c_void) {
    let me = usize::from(k().current);
    fds.iter().for_each(|fd| {
        given(*fd);
        numbers::given(*fd);
    });
    order::numbers(true, caller);
    order::lowest_number(None, caller);
    match *fds {
        [first, second] if kind == Channel::Socket => {
            let number = next(2, "socketpair");
            let [one, other] = [number, number + 1].map(|number| world::channel(kind, me, number));
            for (fd, reads, writes) in [(first, one, other), (second, other, one)] {
                if let Some(file) = file(fd) {
                    add(Known { file, fd, reads, writes, is_outside: false, born: now() });
                }
            }
        }
        [fd] if kind == Channel::Epoll => {
            epoll::add(fd, world::channel(kind, me, next(1, "epoll_create1")));
        }
        [fd, ..] => {
            let channel = world::channel(kind, me, next(1, world::channel_name(world::channel(kind, 0, 0))));
            if let Some(file) = file(fd) {
                add(Known { file, fd, reads: channel, writes: channel, is_outside: false, born: now() });
            }
        }
        [] => {}
    }
}

/// The running thread makes this socket one that takes connections: its channel.
pub(super) fn opens_socket(fd: c_int) -> u64 {
    let listener = world::channel(Channel::Socket, usize::from(k().current), next(1, "listen"));
    if let Some(file) = file(fd) {
        add(Known { file, fd, reads: listener, writes: listener, is_outside: false, born: None });
    }
    listener
}

/// It has connected this socket: where that reads and writes.
pub(super) fn connects(fd: c_int) -> [u64; 2] {
    let (me, number) = (usize::from(k().current), next(2, "connect"));
    let [reads, writes] = [number, number + 1].map(|number| world::channel(Channel::Socket, me, number));
    is_end(fd, [reads, writes], None);
    [reads, writes]
}

/// It has accepted a connection, of which this socket is one end: where it reads and writes.
pub(super) fn accepted(fd: c_int, reads: u64, writes: u64) {
    is_end(fd, [reads, writes], now());
}

/// This socket is one end of a connection.
fn is_end(fd: c_int, [reads, writes]: [u64; 2], born: Option<(usize, u8)>) {
    given(fd);
    numbers::given(fd);
    if let Some(file) = file(fd) {
        add(Known { file, fd, reads, writes, is_outside: false, born });
    }
}

/// The running thread opens a FIFO.
pub fn opens(fifo: &libc::stat) {
    let file = (fifo.st_dev, fifo.st_ino);
    if all().iter().all(|known| known.file != file) {
        let channel = world::channel(Channel::Pipe, usize::from(k().current), next(1, "open"));
        add(Known { file, fd: -1, reads: channel, writes: channel, is_outside: true, born: None });
    }
}

/// Does who reads from this descriptor, or writes to it, never wait? (Did it, where it is closed.)
pub fn is_at_once(fd: c_int) -> bool {
    // SAFETY: takes numbers; where it fails there is none.
    let how = unsafe { call!(libc::SYS_fcntl, fd, libc::F_GETFL) };
    match how < 0 {
        true => gone(fd).is_some_and(|gone| gone.is_at_once),
        false => how as c_int & libc::O_NONBLOCK != 0,
    }
}

/// Would somebody who reads from this channel now find something, or its end?
pub(super) fn is_readable(channel: u64) -> bool {
    if world::is_epoll(channel) {
        return epoll::is_ready(channel);
    }
    let Some(known) = all().iter().find(|known| known.reads == channel) else { return false };
    let is_reader = |fd: &c_int| file(*fd) == Some(known.file) && reads(*fd);
    let mut fds = core::iter::once(known.fd).chain(0..files::MOST as c_int);
    fds.find(is_reader).is_some_and(|fd| channel::is_ready(fd, libc::POLLIN))
}

/// Is this descriptor one to read from?
fn reads(fd: c_int) -> bool {
    // SAFETY: takes numbers; where it fails there is none.
    let how = unsafe { call!(libc::SYS_fcntl, fd, libc::F_GETFL) };
    how >= 0 && how as c_int & libc::O_ACCMODE != libc::O_WRONLY
}

/// Is there another thread that has not ended?
pub(super) fn has_others() -> bool {
    let kernel = k();
    let own = 1u64 << (kernel.current & 63);
    let all = if kernel.spawned >= 64 { u64::MAX } else { (1 << kernel.spawned) - 1 };
    all & !kernel.finished & !own != 0
}
