//! File descriptors: what an execution opens is closed after it; what it prints is captured for
//! the execution that is reported and thrown away otherwise.

pub mod buffers;
mod rollback;

use super::gate::{self, Registers};
use super::{channels, epoll, loopback, modelled, numbers, order, real, refused};
use crate::kernel::here::Here;
use crate::kernel::{k, spin};
use crate::memory::snapshot;
use crate::model::channel::is_ready;
use crate::model::misuse;
use crate::sys::call;
use crate::{entry_here, gates};
use alloc::format;
use buffers::filled;
pub(super) use buffers::{fills, touched_by_system};
use core::ffi::{CStr, c_char, c_int, c_void};
use raddle_schedule::OpKind;
use raddle_schedule::channel::outside::DRAWS_RANDOM;
use rollback::COPIES;
pub use rollback::{
    MOST, begin_capture, discard_output, end_capture, has_touched, is_own, lowest_free, move_back, restore,
    snapshot, touched,
};

extern "C" fn opening(name: *const c_char, registers: *mut Registers) -> *mut c_void {
    touched();
    let name = gate::name(name);
    order::look(name, registers);
    // `openat` has the folder first.
    let plain = name.to_bytes().strip_prefix(b"__").unwrap_or(name.to_bytes());
    let path = if plain.starts_with(b"openat") { 1 } else { 0 };
    if modelled() && plain.starts_with(b"open") && name != c"opendir" {
        // SAFETY: the gate's own record; the argument is the caller's string.
        unsafe {
            let argument = &mut (*registers).arguments[path];
            *argument = served(*argument as *const c_char) as usize;
            look_at_opening(name, &*registers, path);
        }
    }
    if modelled() {
        // SAFETY: the gate's own record.
        let ([first, second, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
        let (first, second) = (first as c_int, second as c_int);
        match name.to_bytes() {
            b"close" => {
                loopback::closes(first, caller, || {
                    channels::closes(first, "close", caller);
                });
                epoll::closed(first);
                numbers::closes(first, caller);
                order::closed(first);
            }
            b"dup" => {
                order::doubled();
                channels::doubles(first, caller);
                channels::gives(0);
                epoll::doubled(first, || lowest_free(0));
                numbers::uses(first, caller);
                numbers::gives(0);
            }
            b"dup2" | b"dup3" => {
                channels::doubles(first, caller);
                if first != second {
                    let function = name.to_str().unwrap_or("dup2");
                    loopback::closes(second, caller, || {
                        channels::closes(second, function, caller);
                    });
                    channels::given(second);
                    epoll::closed(second);
                    epoll::doubled(first, || second);
                    numbers::closes(second, caller);
                    numbers::given(second);
                }
                numbers::uses(first, caller);
                order::doubled();
            }
            b"fcntl" | b"fcntl64" => look_at_fcntl(registers),
            _ => {
                channels::gives(0);
                numbers::gives(0);
            }
        }
        if name != c"close" && !name.to_bytes().starts_with(b"fcntl") {
            order::numbers(true, caller);
            match name.to_bytes() {
                b"dup2" | b"dup3" => {}
                b"dup" => order::lowest_number(channels::way(first).map(|way| way.reads), caller),
                _ => order::lowest_number(None, caller),
            }
        }
    }
    gate::behind(name)
}

/// The running thread is about to be given a descriptor that is no channel.
pub fn opens_one(caller: *const c_void) {
    touched();
    channels::gives(0);
    numbers::gives(0);
    order::numbers(true, caller);
    order::lowest_number(None, caller);
}

/// `open(path, flags)`, with a folder before the path in `openat`.
fn look_at_opening(name: &CStr, registers: &Registers, path: usize) {
    let [first, second, third, ..] = registers.arguments;
    let (folder, flags) = if path == 1 { (first as i32, third) } else { (libc::AT_FDCWD, second) };
    let at = [first, second][path] as *const c_char;
    look_at_fifo(name.to_str().unwrap_or("open"), folder, at, flags as i32, registers.caller);
}

/// `fcntl(fd, command, …)`: a lock that others hold is waited for; asking for one fills the record.
fn look_at_fcntl(registers: *const Registers) {
    // SAFETY: the gate's own record.
    let ([fd, command, third, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    numbers::uses(fd as c_int, caller);
    match command as i32 {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => {
            numbers::gives(third as c_int);
            order::doubled();
            channels::doubles(fd as c_int, caller);
            channels::gives(third as c_int);
            epoll::doubled(fd as c_int, || lowest_free(third as c_int));
            order::numbers(true, caller);
            order::lowest_number(channels::way(fd as c_int).map(|way| way.reads), caller);
        }
        libc::F_SETFL => channels::sets_mode(fd as i32, caller),
        libc::F_GETFL => channels::asks_mode(fd as i32, caller),
        libc::F_SETLKW => refused::refuse_waiting("fcntl", "with F_SETLKW", caller),
        libc::F_OFD_SETLKW => refused::refuse_waiting("fcntl", "with F_OFD_SETLKW", caller),
        libc::F_SETLK | libc::F_OFD_SETLK => {
            touched_by_system(OpKind::Read, third, size_of::<libc::flock>(), caller);
        }
        libc::F_GETLK | libc::F_OFD_GETLK => {
            filled(registers, &[(2, size_of::<libc::flock>())]);
            touched_by_system(OpKind::Write, third, size_of::<libc::flock>(), caller);
        }
        _ => {}
    }
}

/// Random bytes that are the same in every execution, behind the name of a file.
static mut RANDOM: [u8; 32] = [0; 32];

/// Makes the file of served random bytes.
fn make_random() {
    let mut bytes = [0u64; 8192];
    for (n, word) in bytes.iter_mut().enumerate() {
        *word = super::environment::drawn(n as u64, 2);
    }
    // SAFETY: on the only thread; the buffer has the size said.
    unsafe {
        let fd = call!(libc::SYS_memfd_create, c"raddle-random".as_ptr(), libc::MFD_CLOEXEC);
        call!(libc::SYS_write, fd, bytes.as_ptr(), size_of_val(&bytes));
        let copy = call!(libc::SYS_fcntl, fd, libc::F_DUPFD_CLOEXEC, COPIES);
        call!(libc::SYS_close, fd);
        let text = format!("/proc/self/fd/{copy}\0");
        RANDOM[..text.len()].copy_from_slice(text.as_bytes());
    }
}

/// The path to open in place of this one: the random devices are served.
pub(super) fn served(path: *const c_char) -> *const c_char {
    // SAFETY: the caller's string.
    let named = unsafe { CStr::from_ptr(path) };
    if named != c"/dev/urandom" && named != c"/dev/random" {
        return path;
    }
    if modelled() {
        k().asks_for_fixed(DRAWS_RANDOM);
    }
    (&raw const RANDOM).cast()
}

gates! { opening:
    open open64 openat openat64 __open_2 __open64_2 __openat_2 __openat64_2 creat creat64 dup dup2 dup3 close fcntl
    fcntl64 memfd_create opendir inotify_init signalfd
}

/// A function is about to read from a descriptor, for the call that returns to `caller`. One that would wait is refused:
/// who could write is another process, or a thread that does not run meanwhile. Standard input is empty.
pub fn before_reading(fd: i32, function: &str, caller: *const c_void) {
    // The system answers at once where there is no such descriptor; to `poll` a negative one is none that is asked for.
    if fd >= 0 && !is_ready(fd, libc::POLLIN) && !channels::is_at_once(fd) {
        refused::refuse_waiting(function, "of a descriptor that has nothing to read", caller);
    }
    if fd == 0 && is_nothing(fd) {
        k().reads_input(refused::called_at(caller));
    }
}

/// Is it the null device, which the runner was given as its standard input?
fn is_nothing(fd: i32) -> bool {
    // SAFETY: plain data, which the call fills.
    let (status, device) = unsafe {
        let mut about: libc::stat = core::mem::zeroed();
        (call!(libc::SYS_fstat, fd, &raw mut about), about.st_rdev)
    };
    status == 0 && device == libc::makedev(1, 3)
}

/// The FIFO of this path, if it is one. Opening it waits for who opens its other end.
fn fifo(folder: i32, path: *const c_char) -> Option<libc::stat> {
    // SAFETY: plain data, which the call fills; the caller's string.
    let (status, about) = unsafe {
        let mut about: libc::stat = core::mem::zeroed();
        (call!(libc::SYS_newfstatat, folder, path, &raw mut about, 0), about)
    };
    (status == 0 && about.st_mode & libc::S_IFMT == libc::S_IFIFO).then_some(about)
}

/// A call of this name opens a path. Where that would wait it is refused.
pub(super) fn look_at_fifo(name: &str, folder: i32, path: *const c_char, flags: i32, caller: *const c_void) {
    let waits = flags & libc::O_NONBLOCK == 0 && flags & libc::O_ACCMODE != libc::O_RDWR;
    let Some(fifo) = fifo(folder, path) else { return };
    if waits {
        refused::refuse_waiting(name, "of a FIFO", caller);
    }
    channels::opens(&fifo);
}

/// Reads: from a channel what is there, or what comes; from anything else what can be had without waiting.
fn reads(fd: i32, buffer: usize, len: usize, here: &Here, call: impl FnOnce() -> isize) -> isize {
    let caller = here.caller;
    if modelled() {
        // To read nothing waits for nothing.
        let is_channel = channels::receives(fd, len == 0, caller, Some(here));
        if !is_channel || len > 0 {
            before_reading(fd, "read", caller);
        }
        if !is_channel {
            order::did(b"read", [fd as usize, 0, 0, 0, 0, 0], caller);
            spin::changed();
        }
        misuse::look_at_buffer(OpKind::Write, buffer, len, caller);
        snapshot::touch(buffer, len);
    }
    let read = call();
    if modelled() {
        touched_by_system(OpKind::Write, buffer, usize::try_from(read).unwrap_or(0), caller);
    }
    read
}

entry_here! {
    /// Reads.
    fn read / read_inner(fd: i32, buffer: *mut c_void, len: usize) -> isize, 3, here {
        // SAFETY: passed on.
        reads(fd, buffer as usize, len, here, || unsafe { (real::get().read)(fd, buffer, len) })
    }
}

type ReadChecked = unsafe extern "C" fn(i32, *mut c_void, usize, usize) -> isize;

entry_here! {
    /// What `read` is where the compiler has it check how much room there is.
    fn __read_chk / read_checked(fd: i32, buffer: *mut c_void, len: usize, room: usize) -> isize, 4, here {
        // SAFETY: libc's function of this name has this type; passed on, which ends the program where it is too much.
        let call = || unsafe {
            let behind = gate::behind(c"__read_chk");
            core::mem::transmute::<*mut c_void, ReadChecked>(behind)(fd, buffer, len, room)
        };
        if len > room { call() } else { reads(fd, buffer as usize, len, here, call) }
    }
}
