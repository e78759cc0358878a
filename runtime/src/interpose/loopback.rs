//! TCP within the process: streams over the loopback address between the program's own sockets. Such a socket is a local one of
//! the system's (`AF_UNIX`) that tells addresses as TCP has them, so that no port, and no other process, tells one execution from
//! another. A listener is a channel ([`super::channels`]): to connect is to write to it, to accept is to read from it. What is
//! listened to is one more object (`ADDRESSES`): who connects before there is a listener, or behind its end, is turned away.
//!
//! Refused by name: addresses elsewhere, and everything else that sockets can be.

use super::addresses::{local, port_within, tell_address};
use super::gate::{Registers, of};
use super::{channels, epoll};
use super::{files, modelled, numbers, order, refused};
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::memory::snapshot;
use crate::model::channel::{self, Beside};
use crate::{entry, entry_here};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicU16, Ordering};
use libc::{AF_INET, AF_INET6, AF_UNIX, sockaddr, socklen_t};
use raddle_schedule::MAX_THREADS;
use raddle_schedule::world::{self, Channel};

/// Stands for which addresses are listened to.
const ADDRESSES: u64 = world::channel(Channel::Socket, 0, world::CHANNELS_EACH as usize - 1);
/// Ports that are given to who asks for none begin here: so many for each thread, since who is given one is no step.
const PORTS: u16 = 32_768;
const EACH: u16 = 256;

/// A socket of the program's, by its file.
struct Socket {
    file: (u64, u64),
    /// `AF_INET` or `AF_INET6`.
    family: c_int,
    /// Its own port; 0 for none.
    port: u16,
    /// That of the other end.
    peer: u16,
    no_delay: c_int,
    /// It listens: its channel, and who is connected and not accepted yet.
    listens: Option<(u64, VecDeque<Waiting>)>,
}

/// A connection that nobody has accepted: where who accepts it reads and writes, and the port of who connected.
struct Waiting {
    reads: u64,
    writes: u64,
    port: u16,
}

struct All(UnsafeCell<Vec<Socket>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for All {}

static ALL: All = All(UnsafeCell::new(Vec::new()));

fn all() -> &'static [Socket] {
    // SAFETY: see `All`; nobody changes them while this is looked at.
    unsafe { &*ALL.0.get() }
}

fn change() -> &'static mut Vec<Socket> {
    // SAFETY: see `All`; the only reference while it is there.
    unsafe { &mut *ALL.0.get() }
}

/// Ports that each thread was given.
static GIVEN: [AtomicU16; MAX_THREADS] = [const { AtomicU16::new(0) }; MAX_THREADS];

/// An execution begins.
pub fn begin() {
    change().clear();
    GIVEN.iter().for_each(|given| given.store(0, Ordering::Relaxed));
}

/// The socket of this descriptor, if it is one of these.
fn socket_of(fd: c_int) -> Option<&'static Socket> {
    if all().is_empty() || !modelled() {
        return None;
    }
    let file = channels::file(fd)?;
    all().iter().find(|socket| socket.file == file)
}

fn change_socket(fd: c_int, change_it: impl FnOnce(&mut Socket)) {
    let Some(file) = channels::file(fd) else { return };
    if let Some(socket) = change().iter_mut().find(|socket| socket.file == file) {
        change_it(socket);
    }
}

fn add(socket: Socket) {
    change().retain(|older| older.file != socket.file);
    change().push(socket);
}

/// What an operation on one of these channels is about beside it: who closes a listener changes what is listened to.
pub(super) fn beside(own: [u64; 2]) -> u64 {
    let is_one = |socket: &Socket| socket.listens.as_ref().is_some_and(|(channel, _)| own.contains(channel));
    if all().iter().any(is_one) { world::bit(ADDRESSES) } else { 0 }
}

/// The running thread closes this descriptor: what `does` is the step. Until that is made others find the socket.
pub(super) fn closes(fd: c_int, caller: *const c_void, does: impl FnOnce()) {
    let file = socket_of(fd).map(|socket| socket.file);
    let is_left =
        |file| (0..files::MOST as c_int).any(|other| other != fd && channels::file(other) == Some(file));
    let file = file.filter(|file| !is_left(*file));
    does();
    let Some(file) = file else { return };
    let waits = |socket: &Socket| socket.listens.as_ref().is_some_and(|(_, waiting)| !waiting.is_empty());
    if all().iter().any(|socket| socket.file == file && waits(socket)) {
        refused::refuse_on_channel(
            "close",
            "of a listener with connections that nobody has accepted",
            caller,
        );
    }
    change().retain(|socket| socket.file != file);
}

/// What is listened to, and the epolls that watch this listener.
struct Addresses(u64);

impl Beside for Addresses {
    fn more(&self) -> u64 {
        world::bit(ADDRESSES) | epoll::watching([self.0; 2])
    }

    fn ready(&self) -> u64 {
        epoll::ready([self.0; 2])
    }
}

/// The point before the running thread asks for what is listened to, or changes that.
fn at_addresses(listener: u64, caller: *const c_void) {
    if k().spawned > 1 {
        let site = refused::called_at(caller);
        channel::send(listener, false, &Addresses(listener), || channels::is_readable(listener), site);
    }
}

/// A port that nobody has: of the running thread's own.
fn fresh_port(function: &str, caller: *const c_void) -> u16 {
    let me = usize::from(k().current) % MAX_THREADS;
    let number = GIVEN[me].fetch_add(1, Ordering::Relaxed);
    if number >= EACH {
        refused::refuse_waiting(function, "beyond 256 ports of one thread", caller);
    }
    PORTS + me as u16 * EACH + number
}

fn fail(error: c_int) -> c_int {
    // SAFETY: the calling thread's errno.
    unsafe { *libc::__errno_location() = error };
    -1
}

type Make = unsafe extern "C" fn(c_int, c_int, c_int) -> c_int;
type Named = unsafe extern "C" fn(c_int, *const sockaddr, socklen_t) -> c_int;
type Listen = unsafe extern "C" fn(c_int, c_int) -> c_int;
type Accept = unsafe extern "C" fn(c_int, *mut sockaddr, *mut socklen_t, c_int) -> c_int;
type Tell = unsafe extern "C" fn(c_int, *mut sockaddr, *mut socklen_t) -> c_int;

entry! {
    /// Makes a socket.
    fn socket / make(family: c_int, kind: c_int, protocol: c_int) -> c_int, 3, caller {
        let is_stream = kind & !(libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC) == libc::SOCK_STREAM;
        let is_tcp = is_stream && matches!(family, AF_INET | AF_INET6) && matches!(protocol, 0 | libc::IPPROTO_TCP);
        let within = modelled() && is_tcp;
        let (other, protocol) = if within { (AF_UNIX, 0) } else { (family, protocol) };
        if modelled() {
            files::touched();
            channels::gives(0);
            numbers::gives(0);
        }
        // SAFETY: libc's function of this name has this type; takes numbers.
        let fd = unsafe { of::<Make>(c"socket")(other, kind, protocol) };
        if modelled() && fd >= 0 {
            order::numbers(true, caller);
            order::lowest_number(None, caller);
        }
        if let Some(file) = channels::file(fd).filter(|_| within && fd >= 0) {
            add(Socket { file, family, port: 0, peer: 0, no_delay: 0, listens: None });
        }
        fd
    }
}

entry! {
    /// Gives a socket an address.
    fn bind / name_it(fd: c_int, at: *const sockaddr, len: socklen_t) -> c_int, 3, caller {
        let Some(socket) = socket_of(fd) else {
            // SAFETY: libc's function of this name has this type; passed on as it came.
            return unsafe { of::<Named>(c"bind")(fd, at, len) };
        };
        // SAFETY: the caller's address.
        let Some((_, wanted)) = (unsafe { port_within(at, len) }).filter(|(family, _)| *family == socket.family)
        else {
            refused::refuse_waiting("bind", "to an address outside of the process", caller);
        };
        at_addresses(ADDRESSES, caller);
        let family = socket.family;
        if wanted != 0 && all().iter().any(|other| other.family == family && other.port == wanted && other.peer == 0) {
            return fail(libc::EADDRINUSE);
        }
        let port = if wanted == 0 { fresh_port("bind", caller) } else { wanted };
        change_socket(fd, |socket| socket.port = port);
        0
    }
}

entry! {
    /// Begins to take connections.
    fn listen / listens(fd: c_int, most: c_int) -> c_int, 2, caller {
        let Some(socket) = socket_of(fd).filter(|socket| socket.listens.is_none()) else {
            // SAFETY: libc's function of this name has this type; takes numbers.
            return unsafe { of::<Listen>(c"listen")(fd, most) };
        };
        let (family, own) = (socket.family, socket.port);
        let port = if own == 0 { fresh_port("listen", caller) } else { own };
        let listener = channels::opens_socket(fd);
        at_addresses(ADDRESSES, caller);
        let (at, len) = local(family, port);
        // SAFETY: libc's functions of these names have these types; the address is ours.
        let status = unsafe {
            match of::<Named>(c"bind")(fd, (&raw const at).cast(), len) {
                // Nobody may wait for room among those that wait: that would be no step.
                0 => of::<Listen>(c"listen")(fd, most.max(MOST as c_int + 1)),
                status => status,
            }
        };
        if status == 0 {
            change_socket(fd, |socket| {
                (socket.port, socket.listens) = (port, Some((listener, VecDeque::new())));
            });
        }
        status
    }
}

/// The channel of who listens to this, and how many wait there.
fn listener(family: c_int, port: u16) -> Option<(u64, usize)> {
    let found = all()
        .iter()
        .find(|socket| socket.listens.is_some() && socket.family == family && socket.port == port)?;
    found.listens.as_ref().map(|(channel, waiting)| (*channel, waiting.len()))
}

/// Connections that wait at one listener at most, however many the program wants.
const MOST: usize = 64;

entry! {
    /// Connects a socket.
    fn connect / connects(fd: c_int, at: *const sockaddr, len: socklen_t) -> c_int, 3, caller {
        if !modelled() {
            // SAFETY: libc's function of this name has this type; passed on as it came.
            return unsafe { of::<Named>(c"connect")(fd, at, len) };
        }
        let Some(socket) = socket_of(fd) else {
            refused::refuse_waiting("connect", "of such a socket", caller);
        };
        // SAFETY: the caller's address.
        let Some((family, port)) = (unsafe { port_within(at, len) }).filter(|(family, _)| *family == socket.family)
        else {
            refused::refuse_waiting("connect", "to an address outside of the process", caller);
        };
        let (own, is_connected) = (socket.port, socket.peer != 0);
        if is_connected {
            return fail(libc::EISCONN);
        }
        let asks = || listener(family, port).map_or(ADDRESSES, |(channel, _)| channel);
        let mut asked = asks();
        at_addresses(asked, caller);
        // Meanwhile another thread may have begun to listen, or have ended that.
        while asks() != asked {
            asked = asks();
            at_addresses(asked, caller);
        }
        let Some((_, waiting)) = listener(family, port) else { return fail(libc::ECONNREFUSED) };
        if waiting >= MOST {
            refused::refuse_waiting("connect", "to a listener with 64 connections that nobody has accepted", caller);
        }
        let own = if own == 0 { fresh_port("connect", caller) } else { own };
        let (to, len) = local(family, port);
        // SAFETY: as above; the address is ours.
        let status = unsafe { of::<Named>(c"connect")(fd, (&raw const to).cast(), len) };
        if status == 0 {
            let [reads, writes] = channels::connects(fd);
            change_socket(fd, |socket| (socket.port, socket.peer) = (own, port));
            let found = change().iter_mut().find(|socket| socket.family == family && socket.port == port && socket.listens.is_some());
            if let Some((_, waiting)) = found.and_then(|socket| socket.listens.as_mut()) {
                waiting.push_back(Waiting { reads: writes, writes: reads, port: own });
            }
        }
        status
    }
}

entry_here! {
    /// Takes a connection.
    fn accept / accepts(fd: c_int, at: *mut sockaddr, len: *mut socklen_t) -> c_int, 3, here {
        take("accept", fd, at, len, 0, here)
    }
}

entry_here! {
    /// The same with flags.
    fn accept4 / accepts_with(fd: c_int, at: *mut sockaddr, len: *mut socklen_t, how: c_int) -> c_int, 4, here {
        take("accept4", fd, at, len, how, here)
    }
}

fn take(name: &str, fd: c_int, at: *mut sockaddr, len: *mut socklen_t, how: c_int, here: &Here) -> c_int {
    if !modelled() {
        // SAFETY: libc's function of this name has this type; passed on as it came.
        return unsafe { of::<Accept>(c"accept4")(fd, at, len, how) };
    }
    let Some(socket) = socket_of(fd).filter(|socket| socket.listens.is_some()) else {
        refused::refuse_waiting(name, "of such a socket", here.caller);
    };
    let (family, port) = (socket.family, socket.port);
    channels::receives(fd, false, here.caller, Some(here));
    files::before_reading(fd, name, here.caller);
    files::touched();
    channels::gives(0);
    numbers::gives(0);
    // SAFETY: as above; no address is asked for.
    let taken = unsafe { of::<Accept>(c"accept4")(fd, core::ptr::null_mut(), core::ptr::null_mut(), how) };
    if taken < 0 {
        return taken;
    }
    let mut first = None;
    change_socket(fd, |socket| first = socket.listens.as_mut().and_then(|(_, waiting)| waiting.pop_front()));
    let Some(Waiting { reads, writes, port: peer }) = first else { return taken };
    channels::accepted(taken, reads, writes);
    if let Some(file) = channels::file(taken) {
        add(Socket { file, family, port, peer, no_delay: 0, listens: None });
    }
    // SAFETY: the caller's places.
    unsafe { tell_address(family, peer, at, len) };
    taken
}

entry! {
    /// Tells a socket's own address.
    fn getsockname / own_name(fd: c_int, at: *mut sockaddr, len: *mut socklen_t) -> c_int, 3, caller {
        let Some(socket) = socket_of(fd) else { return passed(c"getsockname", fd, at, len, caller) };
        // SAFETY: the caller's places.
        unsafe { tell_address(socket.family, socket.port, at, len) };
        0
    }
}

entry! {
    /// Tells the address of the other end.
    fn getpeername / other_name(fd: c_int, at: *mut sockaddr, len: *mut socklen_t) -> c_int, 3, caller {
        let Some(socket) = socket_of(fd) else { return passed(c"getpeername", fd, at, len, caller) };
        if socket.peer == 0 {
            return fail(libc::ENOTCONN);
        }
        // SAFETY: the caller's places.
        unsafe { tell_address(socket.family, socket.peer, at, len) };
        0
    }
}

/// The same of another socket.
fn passed(name: &CStr, fd: c_int, at: *mut sockaddr, len: *mut socklen_t, caller: *const c_void) -> c_int {
    // SAFETY: the caller's length, if there is one.
    if let Some(room) = unsafe { len.as_ref() }.filter(|_| modelled()) {
        files::fills(at as usize, *room as usize, caller);
        snapshot::touch(len as usize, size_of::<socklen_t>());
    }
    // SAFETY: libc's functions of these names have this type; passed on as it came.
    unsafe { of::<Tell>(name)(fd, at, len) }
}

/// Options of TCP, which no local socket has: `setsockopt(fd, level, option, value, size)`. What is to be called in its place, if
/// it is one of these.
pub(super) fn sets(registers: &Registers) -> Option<*mut c_void> {
    let [fd, level, option, value, ..] = registers.arguments;
    socket_of(fd as c_int).filter(|_| is_of_tcp(level as c_int))?;
    if (level as c_int, option as c_int) == (libc::IPPROTO_TCP, libc::TCP_NODELAY) {
        // SAFETY: the caller's value.
        let value = unsafe { (value as *const c_int).as_ref() }.copied().unwrap_or(0);
        change_socket(fd as c_int, |socket| socket.no_delay = value);
    }
    Some(done as *mut c_void)
}

/// The same of `getsockopt(fd, level, option, value, size)`.
pub(super) fn gets(registers: &Registers) -> Option<*mut c_void> {
    let [fd, level, option, value, ..] = registers.arguments;
    let socket = socket_of(fd as c_int).filter(|_| is_of_tcp(level as c_int))?;
    if (level as c_int, option as c_int) != (libc::IPPROTO_TCP, libc::TCP_NODELAY) || value == 0 {
        return None;
    }
    snapshot::touch(value, size_of::<c_int>());
    // SAFETY: the caller's place.
    unsafe { *(value as *mut c_int) = socket.no_delay };
    Some(done as *mut c_void)
}

fn is_of_tcp(level: c_int) -> bool {
    matches!(level, libc::IPPROTO_TCP | libc::IPPROTO_IP | libc::IPPROTO_IPV6)
}

/// Called in the place of what there is nothing to do for.
extern "C" fn done() -> c_int {
    0
}
