//! Functions of libc that make pipes, pairs of sockets and counters of events, that read from these alone, or that do something
//! beside what [`super::channels`] has as steps.

use super::channels::{self, adds, changes, has_others, made, made_early, receives, sends, takes_more, way};
use super::gate::{self, Registers, of};
use super::{files, loopback, modelled, numbers, order, refused};
use crate::kernel::here::Here;
use crate::kernel::spin;
use crate::memory::snapshot;
use crate::model::misuse;
use crate::{entry, entry_here, gates};
use core::ffi::{c_char, c_int, c_uint, c_void};
use raddle_schedule::OpKind;
use raddle_schedule::world::Channel;

type Ends = unsafe extern "C" fn(*mut c_int) -> c_int;
type EndsWith = unsafe extern "C" fn(*mut c_int, c_int) -> c_int;
type Sockets = unsafe extern "C" fn(c_int, c_int, c_int, *mut c_int) -> c_int;
type Counter = unsafe extern "C" fn(c_uint, c_int) -> c_int;

/// Notes a call that makes `ends`, and what came of it.
fn makes(
    kind: Channel,
    function: &'static str,
    ends: *mut c_int,
    caller: *const c_void,
    call: impl FnOnce() -> c_int,
) -> c_int {
    if !modelled() {
        let result = call();
        if result == 0 {
            // SAFETY: the caller's array, which the call has filled.
            made_early(function, unsafe { core::slice::from_raw_parts(ends, 2) }, caller);
        }
        return result;
    }
    files::touched();
    snapshot::touch(ends as usize, size_of::<[c_int; 2]>());
    let result = call();
    if result == 0 {
        // SAFETY: the caller's array, which the call has filled.
        made(kind, unsafe { core::slice::from_raw_parts(ends, 2) }, caller);
    }
    result
}

entry! {
    /// Makes a pipe.
    fn pipe / pipe_inner(ends: *mut c_int) -> c_int, 1, caller {
        // SAFETY: libc's function of this name has this type; passed on as it came.
        makes(Channel::Pipe, "pipe", ends, caller, || unsafe { of::<Ends>(c"pipe")(ends) })
    }
}

entry! {
    /// The same with flags.
    fn pipe2 / pipe_with(ends: *mut c_int, how: c_int) -> c_int, 2, caller {
        // SAFETY: as above.
        makes(Channel::Pipe, "pipe2", ends, caller, || unsafe { of::<EndsWith>(c"pipe2")(ends, how) })
    }
}

entry! {
    /// Makes two connected sockets.
    fn socketpair / socket_pair(family: c_int, kind: c_int, protocol: c_int, ends: *mut c_int) -> c_int, 4, caller {
        // SAFETY: as above.
        let call = || unsafe { of::<Sockets>(c"socketpair")(family, kind, protocol, ends) };
        makes(Channel::Socket, "socketpair", ends, caller, call)
    }
}

entry! {
    /// Makes a counter of events.
    fn eventfd / event_counter(count: c_uint, how: c_int) -> c_int, 2, caller {
        if modelled() {
            files::touched();
        }
        // SAFETY: as above.
        let fd = unsafe { of::<Counter>(c"eventfd")(count, how) };
        if modelled() && fd >= 0 {
            made(Channel::Counter, &[fd], caller);
        } else if fd >= 0 {
            made_early("eventfd", &[fd], caller);
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
            adds(fd, count, "eventfd_write", caller);
            sends(fd, caller);
            takes_more(fd, "eventfd_write", caller);
            spin::changed();
        }
        // SAFETY: as above.
        unsafe { of::<WriteCount>(c"eventfd_write")(fd, count) }
    }
}

extern "C" fn beside(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    // SAFETY: the gate's own record.
    let ([first, second, third, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    let function = name.to_str().unwrap_or("a function");
    let (fd, command, option) = (first as c_int, second, third as c_int);
    match name.to_bytes() {
        b"ioctl" if modelled() && way(fd).is_none() => numbers::uses(fd, caller),
        b"ioctl" if command == libc::FIONREAD as usize || command == libc::TIOCOUTQ as usize => {
            changes(fd, function, "on what threads read and write", caller);
        }
        b"ioctl" if command == libc::FIONBIO as usize => channels::sets_mode(fd, caller),
        b"ioctl" => {}
        b"shutdown" if modelled() => channels::shuts(fd, second as c_int, caller),
        b"shutdown" => {}
        // SAFETY: the gate's own record.
        b"setsockopt" if let Some(instead) = loopback::sets(unsafe { &*registers }) => return instead,
        b"setsockopt" if command as c_int != libc::SOL_SOCKET => {}
        b"setsockopt" if option != libc::SO_RCVTIMEO && option != libc::SO_SNDTIMEO => {}
        b"setsockopt" => changes(fd, function, "with a limit of time for a socket", caller),
        b"close_range" | b"closefrom" => {
            if modelled() && channels::is_any() && has_others() {
                refused::refuse_on_channel(
                    function,
                    "while other threads run and there are pipes or the like",
                    caller,
                );
            }
            if modelled() {
                let to = if name == c"closefrom" { files::MOST } else { second.min(files::MOST) };
                (first..=to).for_each(|fd| numbers::closes_open(fd as c_int, caller));
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
