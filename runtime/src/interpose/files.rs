//! File descriptors: what an execution opens is closed after it; what it prints is captured for
//! the execution that is reported and thrown away otherwise.

use super::{modelled, real};
use crate::memory::snapshot;
use crate::sys::{self, call};
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};

/// Descriptors beyond this are not looked at.
const MOST: usize = 1024;

/// Descriptors open before the first execution, one bit each.
static mut OPEN: [u64; MOST / 64] = [0; MOST / 64];
/// Where captured output goes.
static mut CAPTURE: i32 = -1;
/// Where output goes otherwise.
static mut NOWHERE: i32 = -1;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    static stderr: *mut libc::FILE;
    fn __fpurge(stream: *mut libc::FILE);
    fn __fpending(stream: *mut libc::FILE) -> usize;
    fn setvbuf(stream: *mut libc::FILE, buffer: *mut u8, mode: i32, size: usize) -> i32;
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
        setvbuf(stdout, (&raw mut BUFFER).cast(), libc::_IOFBF, 1 << 16);
        for fd in 0..MOST {
            if call!(libc::SYS_fcntl, fd, libc::F_GETFD, 0) >= 0 {
                OPEN[fd / 64] |= 1 << (fd % 64);
            }
        }
    }
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
}

/// An execution has called something that opens descriptors.
static mut TOUCHED: bool = false;

/// Notes that descriptors may have been opened.
pub fn touched() {
    // SAFETY: the token's holder.
    unsafe { TOUCHED = true };
}

/// Streams that the running execution has opened: libc keeps them, and their buffers, in memory
/// that roll-back does not reach.
struct Streams(UnsafeCell<Vec<*mut libc::FILE>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Streams {}

static STREAMS: Streams = Streams(UnsafeCell::new(Vec::new()));

fn streams() -> &'static mut Vec<*mut libc::FILE> {
    // SAFETY: see `Streams`; one reference at a time.
    unsafe { &mut *STREAMS.0.get() }
}

type Open = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut libc::FILE;
type Close = unsafe extern "C" fn(*mut libc::FILE) -> c_int;

fn open_stream(function: &CStr, path: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    // SAFETY: libc's function of this name has this type; passed on as it came.
    let stream = unsafe { core::mem::transmute::<*mut c_void, Open>(note(function.as_ptr()))(path, mode) };
    if modelled() && !stream.is_null() {
        streams().push(stream);
    }
    stream
}

/// Opens a stream.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    open_stream(c"fopen", path, mode)
}

/// The same by its name for large files.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fopen64(path: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    open_stream(c"fopen64", path, mode)
}

fn close_stream(stream: *mut libc::FILE) -> c_int {
    // SAFETY: as for `open_stream`.
    unsafe {
        let close = libc::dlsym(libc::RTLD_NEXT, c"fclose".as_ptr());
        core::mem::transmute::<*mut c_void, Close>(close)(stream)
    }
}

/// Closes a stream.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fclose(stream: *mut libc::FILE) -> c_int {
    if modelled() {
        streams().retain(|s| *s != stream);
    }
    close_stream(stream)
}

/// Closes what the execution opened.
pub fn restore() {
    for stream in streams().drain(..) {
        close_stream(stream);
    }
    // SAFETY: the token's holder; closing descriptors that only the finished execution knew.
    unsafe {
        let touched = TOUCHED;
        TOUCHED = false;
        if !touched {
            return;
        }
        for fd in 0..MOST {
            if OPEN[fd / 64] >> (fd % 64) & 1 == 0 {
                call!(libc::SYS_close, fd);
            }
        }
    }
}

macro_rules! opening {
    ($($name:ident)*) => { $(
        /// Notes the call, then does what libc does.
        ///
        /// # Safety
        /// As in libc.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rdi", ".cfi_adjust_cfa_offset 8",
                "push rsi", ".cfi_adjust_cfa_offset 8",
                "push rdx", ".cfi_adjust_cfa_offset 8",
                "push rcx", ".cfi_adjust_cfa_offset 8",
                "push r8", ".cfi_adjust_cfa_offset 8",
                "push r9", ".cfi_adjust_cfa_offset 8",
                "push rax", ".cfi_adjust_cfa_offset 8",
                "lea rdi, [rip + 2f]",
                "call {note}",
                "mov r11, rax",
                "pop rax", ".cfi_adjust_cfa_offset -8",
                "pop r9", ".cfi_adjust_cfa_offset -8",
                "pop r8", ".cfi_adjust_cfa_offset -8",
                "pop rcx", ".cfi_adjust_cfa_offset -8",
                "pop rdx", ".cfi_adjust_cfa_offset -8",
                "pop rsi", ".cfi_adjust_cfa_offset -8",
                "pop rdi", ".cfi_adjust_cfa_offset -8",
                "jmp r11",
                "2:",
                concat!(".asciz \"", stringify!($name), "\""),
                ".cfi_endproc",
                note = sym note,
            )
        }
    )* };
}

extern "C" fn note(name: *const core::ffi::c_char) -> *mut c_void {
    touched();
    // SAFETY: one of the names below.
    let at = unsafe { libc::dlsym(libc::RTLD_NEXT, name) };
    if at.is_null() {
        sys::complain("raddle: libc has no such function\n");
        sys::exit(71);
    }
    at
}

opening! { open open64 openat openat64 creat creat64 socket socketpair pipe pipe2 dup
eventfd epoll_create epoll_create1 memfd_create opendir inotify_init signalfd timerfd_create }

/// Reads, where that cannot block. (Waiting for other processes is not modelled.)
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn read(fd: i32, buffer: *mut c_void, len: usize) -> isize {
    if modelled() {
        let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one record, asked about without waiting.
        if unsafe { call!(libc::SYS_poll, &raw mut poll, 1, 0) } == 0 {
            super::refused::refuse("read (of a descriptor that has nothing to read)");
        }
        snapshot::touch(buffer as usize, len);
    }
    // SAFETY: passed on.
    unsafe { (real::get().read)(fd, buffer, len) }
}
