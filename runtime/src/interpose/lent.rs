//! Memory that the program lends to streams: their buffers (`setvbuf`), what `fmemopen` reads and writes, and what
//! `open_memstream` says where it has put what was written. Whoever does something to such a stream touches it, under the
//! stream's lock ([`super::stdio`]).
//!
//! Which bytes of a buffer a call touches only libc knows: it counts as all of them.

use super::files::touched_by_system;
use super::gate::{self, Registers};
use super::{modelled, stdio};
use crate::{entry, gates};
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use libc::FILE;
use raddle_schedule::OpKind;

const WORD: usize = size_of::<usize>();
/// The size of a buffer that `setbuf` is given (stdio.h).
const BUFSIZ: usize = 8192;
/// How `setvbuf` is asked for no buffer.
const NONE: usize = libc::_IONBF as usize;

/// What a stream was lent.
#[derive(Clone, Copy)]
enum What {
    /// A buffer of its own: where, how long, and whether it is only read.
    Buffer(usize, usize, OpKind),
    /// The addresses of two variables: where what was written lies, and how long it is; and whether they say so yet.
    Grown(usize, usize, bool),
}

struct All(UnsafeCell<[Vec<(usize, What)>; 2]>);

// SAFETY: used by the token's holder, or before there are threads.
unsafe impl Sync for All {}

/// What streams were lent, each by its address; and what before the first execution.
static LENT: All = All(UnsafeCell::new([Vec::new(), Vec::new()]));
/// An execution has given one of the standard streams another buffer.
static STANDARD: AtomicBool = AtomicBool::new(false);

fn lent() -> &'static mut Vec<(usize, What)> {
    // SAFETY: see `All`; one reference at a time.
    let [now, before] = unsafe { &mut *LENT.0.get() };
    if modelled() { now } else { before }
}

/// An execution begins.
pub fn begin() {
    // SAFETY: as above.
    let [now, before] = unsafe { &mut *LENT.0.get() };
    now.clone_from(before);
}

/// Has an execution given a standard stream another buffer, since this was asked last?
pub(super) fn has_standard() -> bool {
    STANDARD.swap(false, Relaxed)
}

/// Was this stream lent something?
pub(super) fn is_to(stream: *mut FILE) -> bool {
    lent().iter().any(|(to, _)| *to == stream as usize)
}

/// Streams that were.
pub(super) fn streams() -> Vec<*mut FILE> {
    lent().iter().map(|(to, _)| *to as *mut FILE).collect()
}

/// Something is done to this stream.
pub(super) fn used(stream: *mut FILE, caller: *const c_void) {
    for at in 0..lent().len() {
        match lent()[at] {
            (to, What::Buffer(begin, len, kind)) if to == stream as usize => {
                touched_by_system(kind, begin, len, caller);
            }
            (to, What::Grown(begin, size, true)) if to == stream as usize => {
                // SAFETY: the program's variables, which libc has filled.
                let (begin, size) = unsafe { (*(begin as *const usize), *(size as *const usize)) };
                // What was there is not to be looked at any more.
                touched_by_system(OpKind::Write, begin, size + 1, caller);
            }
            _ => {}
        }
    }
}

/// This stream is flushed or closed, or all are where there is none: what it has become is told to the program.
pub(super) fn flushed(stream: *mut FILE, caller: *const c_void) {
    for at in 0..lent().len() {
        if let (to, What::Grown(begin, size, _)) = lent()[at]
            && (stream.is_null() || to == stream as usize)
        {
            lent()[at].1 = What::Grown(begin, size, true);
            touched_by_system(OpKind::Write, begin, WORD, caller);
            touched_by_system(OpKind::Write, size, WORD, caller);
        }
    }
}

/// A stream is closed.
pub(super) fn closed(stream: *mut FILE) {
    lent().retain(|(to, _)| *to != stream as usize);
}

/// `setvbuf(stream, buffer, mode, size)` and its like.
extern "C" fn given(name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    let ([stream, buffer, third, size, ..], caller) =
        unsafe { ((*registers).arguments, (*registers).caller) };
    let stream = stream as *mut FILE;
    stdio::wait_for(stream, caller);
    let (buffer, size) = match gate::name(name).to_bytes() {
        b"setvbuf" => (if third & 0xffff_ffff == NONE { 0 } else { buffer }, size),
        b"setbuf" => (buffer, BUFSIZ),
        b"setbuffer" => (buffer, third),
        // It has the buffer that it had.
        _ => return gate::behind(gate::name(name)),
    };
    closed(stream);
    // Those that there are from the beginning have buffers of ours when executions begin.
    if buffer != 0 && (modelled() || !stdio::is_standard(stream)) {
        lent().push((stream as usize, What::Buffer(buffer, size, OpKind::Write)));
    }
    if stdio::is_standard(stream) {
        STANDARD.store(true, Relaxed);
    }
    gate::behind(gate::name(name))
}

gates! { given: setvbuf setbuf setbuffer setlinebuf }

entry! {
    /// A stream of the program's memory.
    fn fmemopen / open_memory(memory: *mut c_void, size: usize, mode: *const c_char) -> *mut FILE, 3, caller {
        type Open = unsafe extern "C" fn(*mut c_void, usize, *const c_char) -> *mut FILE;
        // SAFETY: the caller's string.
        let how = unsafe { CStr::from_ptr(mode) }.to_bytes();
        if modelled() {
            touched_by_system(OpKind::Read, mode as usize, how.len() + 1, caller);
        }
        // SAFETY: libc's function of this name has this type; passed on as it came.
        let open = unsafe { core::mem::transmute::<*mut c_void, Open>(gate::behind(c"fmemopen")) };
        let at = memory as usize;
        // glibc makes what it will write over the empty text, and looks for the end of what it will add to; otherwise it only
        // keeps the address.
        let adds_or_empties = if how.contains(&b'+') { how.first() } else { how.first().filter(|how| **how == b'a') };
        if modelled() && at != 0 && adds_or_empties == Some(&b'w') {
            touched_by_system(OpKind::Write, at, size.min(1), caller);
        } else if modelled() && at != 0 && adds_or_empties == Some(&b'a') {
            // SAFETY: the program's memory, whose end libc looks for.
            let n = unsafe { libc::strnlen(memory.cast(), size) };
            touched_by_system(OpKind::Read, at, (n + 1).min(size), caller);
        }
        // SAFETY: as above.
        let stream = unsafe { open(memory, size, mode) };
        if !stream.is_null() && at != 0 {
            let only_reads = how.first() == Some(&b'r') && !how.contains(&b'+');
            let kind = if only_reads { OpKind::Read } else { OpKind::Write };
            lent().push((stream as usize, What::Buffer(at, size, kind)));
        }
        stream
    }
}

entry! {
    /// A stream that puts what is written to it into memory as large as that needs.
    fn open_memstream / open_growing(begin: *mut *mut c_char, size: *mut usize) -> *mut FILE, 2, _caller {
        type Open = unsafe extern "C" fn(*mut *mut c_char, *mut usize) -> *mut FILE;
        // SAFETY: libc's function of this name has this type; passed on as it came.
        let stream = unsafe { core::mem::transmute::<*mut c_void, Open>(gate::behind(c"open_memstream"))(begin, size) };
        if !stream.is_null() {
            lent().push((stream as usize, What::Grown(begin as usize, size as usize, false)));
        }
        stream
    }
}
