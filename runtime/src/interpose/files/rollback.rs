//! Descriptors between executions: those from before the first one are put back, those of the execution are closed, and its
//! output is captured or thrown away.

use super::make_random;
use crate::interpose::gate;
use crate::interpose::{layout, lent};
use crate::sys::call;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};

/// Their copies lie from here on.
pub(super) const COPIES: usize = 512;

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

/// Descriptors from before the first execution that are put back are below this.
pub const MOST: usize = 256;
