//! File descriptors: what an execution opens is closed after it; what it prints is captured for
//! the execution that is reported and thrown away otherwise.

use super::gate::{self, Registers};
use super::{channels, epoll, futex, layout, lent, loopback, modelled, numbers, order, real, refused};
use crate::kernel::here::Here;
use crate::kernel::{k, spin};
use crate::memory::snapshot;
use crate::model::channel::is_ready;
use crate::model::misuse;
use crate::sys::call;
use crate::{access, entry_here, facade, gates};
use alloc::format;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};
use raddle_schedule::OpKind;
use raddle_schedule::channel::outside::DRAWS_RANDOM;

/// Descriptors from before the first execution that are put back are below this.
pub const MOST: usize = 256;
/// Their copies lie from here on.
const COPIES: usize = 512;

/// Copies of the descriptors open before the first execution; -1 where there was none.
static mut COPY: [i32; MOST] = [-1; MOST];
/// Where captured output goes.
static mut CAPTURE: i32 = -1;
/// Where output goes otherwise.
static mut NOWHERE: i32 = -1;

struct Places(UnsafeCell<Vec<(usize, i64)>>);

// SAFETY: written before executions.
unsafe impl Sync for Places {}

impl Places {
    fn get(&self) -> *mut Vec<(usize, i64)> {
        self.0.get()
    }
}

/// Those of them that are files, and where they stood.
static PLACES: Places = Places(UnsafeCell::new(Vec::new()));

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    static stderr: *mut libc::FILE;
    fn __fpurge(stream: *mut libc::FILE);
    fn __fpending(stream: *mut libc::FILE) -> usize;
}

/// Buffer of standard output, so that libc never allocates one in an execution.
static mut BUFFER: [u8; 1 << 16] = [0; 1 << 16];

/// Notes what is open, and opens the two sinks.
pub fn snapshot() {
    // SAFETY: on the only thread; descriptors are plain numbers, the names are strings, and the
    // stream's buffer is static.
    unsafe {
        CAPTURE = call!(libc::SYS_memfd_create, c"raddle-output".as_ptr(), libc::MFD_CLOEXEC) as i32;
        NOWHERE = call!(libc::SYS_open, c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC, 0) as i32;
        give_buffer();
        make_random();
        let mut about: libc::stat = core::mem::zeroed();
        call!(libc::SYS_fstat, CAPTURE, &raw mut about);
        OWN = (about.st_dev, about.st_ino);
        for (fd, copy) in COPY.iter_mut().enumerate() {
            *copy = call!(libc::SYS_fcntl, fd, libc::F_DUPFD_CLOEXEC, COPIES) as i32;
        }
        for (fd, copy) in COPY.iter().enumerate().skip(3).filter(|(_, copy)| **copy >= 0) {
            call!(libc::SYS_fstat, *copy, &raw mut about);
            let place = call!(libc::SYS_lseek, *copy, 0, libc::SEEK_CUR);
            if about.st_mode & libc::S_IFMT == libc::S_IFREG && place >= 0 {
                (*PLACES.get()).push((fd, place as i64));
            }
        }
    }
}

type Set = unsafe extern "C" fn(*mut libc::FILE, *mut u8, c_int, usize) -> c_int;

/// libc's `setvbuf`, and not the one of ours that looks at the program's calls.
fn set() -> Set {
    // SAFETY: libc's function of this name has this type.
    unsafe { core::mem::transmute::<*mut c_void, Set>(gate::behind(c"setvbuf")) }
}

/// Gives standard output its buffer.
fn give_buffer() {
    // SAFETY: libc's own stream; the buffer is static.
    unsafe { set()(stdout, (&raw mut BUFFER).cast(), libc::_IOFBF, 1 << 16) };
}

/// Gives the standard streams back the buffers that they had, which an execution has changed.
fn set_buffers() {
    give_buffer();
    // SAFETY: libc's own stream.
    unsafe { set()(stderr, core::ptr::null_mut(), libc::_IONBF, 0) };
}

/// Sends output to the capture for this execution.
pub fn begin_capture() {
    // SAFETY: plain descriptors.
    unsafe {
        call!(libc::SYS_dup3, CAPTURE, 1, 0);
        call!(libc::SYS_dup3, CAPTURE, 2, 0);
    }
}

/// What was captured; output goes nowhere again.
pub fn end_capture() -> Vec<u8> {
    let mut output = Vec::new();
    // SAFETY: plain descriptors; the buffer has the size said.
    unsafe {
        libc::fflush(stdout);
        libc::fflush(stderr);
        call!(libc::SYS_dup3, NOWHERE, 1, 0);
        call!(libc::SYS_dup3, NOWHERE, 2, 0);
        call!(libc::SYS_lseek, CAPTURE, 0, libc::SEEK_SET);
        let mut part = [0u8; 4096];
        loop {
            let n = call!(libc::SYS_read, CAPTURE, part.as_mut_ptr(), part.len());
            if n <= 0 {
                break;
            }
            output.extend_from_slice(&part[..n as usize]);
        }
        call!(libc::SYS_ftruncate, CAPTURE, 0);
        call!(libc::SYS_lseek, CAPTURE, 0, libc::SEEK_SET);
    }
    output
}

/// Throws away what is still in the streams' buffers.
pub fn discard_output() {
    // SAFETY: libc's streams; no thread of the program runs.
    unsafe {
        if __fpending(stdout) > 0 {
            __fpurge(stdout);
        }
        if __fpending(stderr) > 0 {
            __fpurge(stderr);
        }
    }
    layout::forget();
    if lent::has_standard() {
        set_buffers();
    }
}

/// An execution has called something that opens descriptors.
static mut TOUCHED: bool = false;

/// Notes that descriptors may have been opened.
pub fn touched() {
    // SAFETY: the token's holder.
    unsafe { TOUCHED = true };
}

/// Has the execution called something that opens or closes descriptors?
pub fn has_touched() -> bool {
    // SAFETY: the token's holder.
    unsafe { TOUCHED }
}

/// The lowest number of a descriptor from this one on that is free; -1 if none is.
pub fn lowest_free(from: c_int) -> c_int {
    // SAFETY: takes numbers, and closes what it has opened.
    unsafe {
        let fd = call!(libc::SYS_fcntl, CAPTURE, libc::F_DUPFD_CLOEXEC, from) as c_int;
        if fd < 0 {
            return -1;
        }
        call!(libc::SYS_close, fd);
        fd
    }
}

/// Device and number of where output goes.
static mut OWN: (u64, u64) = (0, 0);

/// Is it where output goes?
pub fn is_own(about: &libc::stat) -> bool {
    // SAFETY: written once, before any execution.
    unsafe { OWN == (about.st_dev, about.st_ino) }
}

/// Closes the descriptors from `first` to before `end`.
fn close_range(first: usize, end: usize) {
    if first < end {
        // SAFETY: descriptors that only the finished execution knew.
        unsafe { call!(libc::SYS_close_range, first, end - 1, 0) };
    }
}

/// Moves descriptors of files that were open before the first execution back to where they stood.
pub fn move_back() {
    // SAFETY: written before executions; the copies stand where they do.
    unsafe {
        for (fd, place) in &*PLACES.get() {
            call!(libc::SYS_lseek, COPY[*fd], *place, libc::SEEK_SET);
        }
    }
}

/// Closes what the execution opened.
pub fn restore() {
    move_back();
    // SAFETY: the token's holder; closing descriptors that only the finished execution knew.
    unsafe {
        let touched = TOUCHED;
        TOUCHED = false;
        if !touched {
            return;
        }
        // What the program has closed or replaced comes back; everything else below and above
        // the copies is closed.
        for (fd, copy) in COPY.iter().enumerate().filter(|(_, copy)| **copy >= 0) {
            call!(libc::SYS_dup3, *copy, fd, 0);
        }
        let mut free = 0;
        for (fd, copy) in COPY.iter().enumerate() {
            if *copy >= 0 {
                close_range(free, fd);
                free = fd + 1;
            }
        }
        close_range(free, COPIES);
        // One more than the copies: the served random bytes.
        close_range(COPIES + 1 + COPY.iter().filter(|copy| **copy >= 0).count(), u32::MAX as usize + 1);
    }
}

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
        libc::F_SETFL => channels::is_set(fd as i32, caller),
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
    timerfd_create
}

/// Makes what a call will fill writable for the system, where that is the argument with this
/// index, of this size.
fn filling(registers: *const Registers, argument: usize, size: usize) {
    if modelled() {
        // SAFETY: the gate's own record.
        let (address, caller) = unsafe { ((*registers).arguments[argument], (*registers).caller) };
        fills(address, size, caller);
    }
}

/// The same of a call that returns to `caller` and will fill this.
pub(super) fn fills(address: usize, size: usize, caller: *const c_void) {
    spin::changed();
    misuse::look_at_buffer(OpKind::Write, address, size, caller);
    snapshot::touch(address, size);
}

/// `write(fd, buffer, size)` and its like: the system reads the buffer. The step comes last: nobody else runs between it and
/// the call.
extern "C" fn writing(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    if !modelled() {
        return gate::behind(name);
    }
    // SAFETY: the gate's own record.
    let ([fd, buffer, size, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    misuse::look_at_buffer(OpKind::Read, buffer, size, caller);
    touched_by_system(OpKind::Read, buffer, size, caller);
    order::look(name, registers);
    if fd as i32 > 2 {
        channels::writes(fd as i32, buffer, size, name.to_str().unwrap_or("write"), caller);
    }
    gate::behind(name)
}

/// In C: what the system reads or writes of a buffer is an access. (Rust has hooks for the accesses of a part of its
/// code only.)
pub(super) fn touched_by_system(kind: OpKind, at: usize, len: usize, caller: *const c_void) {
    if len > 0 && !facade::is_there() {
        access::range(kind, at as u64, len as u64, caller);
    }
}

extern "C" fn second_argument(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    filling(registers, 1, size_of::<libc::stat>());
    gate::behind(gate::name(name))
}

extern "C" fn third_argument(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    filling(registers, 2, size_of::<libc::stat>());
    gate::behind(gate::name(name))
}

extern "C" fn sized_second(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    // SAFETY: the gate's own record.
    filling(registers, 1, unsafe { (*registers).arguments[2] });
    gate::behind(gate::name(name))
}

extern "C" fn sized_third(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    // SAFETY: as above.
    filling(registers, 2, unsafe { (*registers).arguments[3] });
    gate::behind(gate::name(name))
}

extern "C" fn sized_first(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    // SAFETY: as above.
    filling(registers, 0, unsafe { (*registers).arguments[1] });
    gate::behind(gate::name(name))
}

/// Answers of other sizes.
extern "C" fn answered(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    // SAFETY: the gate's own record.
    let [first, second, ..] = unsafe { (*registers).arguments };
    let answers: &[(usize, usize)] = &match name.to_bytes() {
        b"prctl" => [(1, futex::asked_for(first as c_int))],
        b"mincore" => [(2, second.div_ceil(4096))],
        b"getitimer" => [(1, size_of::<libc::itimerval>())],
        b"getgroups" | b"__getgroups_chk" => [(1, first * size_of::<libc::gid_t>())],
        b"sched_getparam" => [(1, size_of::<libc::sched_param>())],
        b"sched_rr_get_interval" => [(1, size_of::<libc::timespec>())],
        b"adjtimex" | b"ntp_adjtime" => [(0, size_of::<libc::timex>())],
        _ => [(3, size_of::<libc::rlimit>())],
    };
    for (argument, size) in answers {
        // SAFETY: as above.
        if *size > 0 && unsafe { (*registers).arguments[*argument] } != 0 {
            filling(registers, *argument, *size);
        }
    }
    gate::behind(name)
}

/// Three of one size.
extern "C" fn three_numbers(name: *const c_char, registers: *const Registers) -> *mut c_void {
    for argument in 0..3 {
        filling(registers, argument, size_of::<libc::uid_t>());
    }
    gate::behind(gate::name(name))
}

extern "C" fn first_argument(name: *const c_char, registers: *const Registers) -> *mut c_void {
    filling(registers, 0, size_of::<libc::utsname>());
    gate::behind(gate::name(name))
}

gates! { second_argument: stat stat64 lstat lstat64 fstat fstat64 statfs fstatfs getrlimit }
gates! { third_argument: fstatat fstatat64 }
gates! { sized_second: pread pread64 __pread_chk __pread64_chk readlink __readlink_chk }
gates! { sized_third: readlinkat __readlinkat_chk }
gates! { sized_first: getcwd __getcwd_chk }
gates! { first_argument: uname sysinfo }
gates! { three_numbers: getresuid getresgid }
gates! { answered:
    prctl mincore getitimer getgroups __getgroups_chk sched_getparam sched_rr_get_interval adjtimex ntp_adjtime prlimit prlimit64
}
gates! { writing: write pwrite pwrite64 send sendto }

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

/// The system fills the places that arguments with these indices name, of these sizes.
fn filled(registers: *const Registers, places: &[(usize, usize)]) {
    for (argument, size) in places {
        // SAFETY: the gate's own record.
        snapshot::touch(unsafe { (*registers).arguments[*argument] }, *size);
    }
}

/// `getsockopt(fd, level, option, value, length)`: the length is also how much room there is.
extern "C" fn sized_behind(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    // SAFETY: the gate's own record.
    if let Some(instead) = loopback::gets(unsafe { &*registers }) {
        return instead;
    }
    // SAFETY: the gate's own record, and the caller's length if there is one.
    let room = unsafe { ((*registers).arguments[4] as *const u32).as_ref() };
    if let Some(room) = room.filter(|_| modelled()) {
        filling(registers, 3, *room as usize);
        filled(registers, &[(4, size_of::<u32>())]);
    }
    gate::behind(name)
}

gates! { sized_behind: getsockopt }

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
