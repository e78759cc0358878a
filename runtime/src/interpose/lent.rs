//! Memory that the program lends to streams: their buffers (`setvbuf`), what `fmemopen` reads and writes, and what
//! `open_memstream` says where it has put what was written. Whoever does something to such a stream touches it, under the
//! stream's lock ([`super::stdio`]).
//!
//! Which bytes a call touches, and whether what it writes stays in the stream for now, only libc knows: it counts as all of them.
//! Functions that only ask something of a stream touch none, and those that have it write what it holds back do where it
//! holds back anything.

use super::files::touched_by_system;
use super::gate::{self, Registers};
use super::streams::{Left, made};
use super::{layout, modelled, order, stdio};
use crate::{entry, gates};
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use libc::FILE;
use raddle_schedule::OpKind;
use raddle_schedule::files::{PENDING, READS, WRITES};

const WORD: usize = size_of::<usize>();
/// The size of a buffer that `setbuf` is given (stdio.h).
const BUFSIZ: usize = 8192;
/// How `setvbuf` is asked for no buffer.
const NONE: usize = libc::_IONBF as usize;

/// `fflush` of all streams: glibc writes what they hold back, and leaves variables of `open_memstream` as they are.
pub(super) const ALL: &CStr = c"fflush of all";

/// What a stream was lent.
#[derive(Clone, Copy)]
enum What {
    /// A buffer: where, and how long.
    Buffer(usize, usize),
    /// Memory that it is about, and whether it reads that, and writes it.
    Memory(usize, usize, [bool; 2]),
    /// The addresses of two variables: where what was written lies, and how long it is; and whether they say so yet.
    Grown(usize, usize, bool),
}

/// What a function does to a stream.
struct Does {
    /// It takes what is there, or stands elsewhere then.
    takes: bool,
    /// It adds something.
    adds: bool,
    /// It has the stream write what it holds back.
    flushes: bool,
    /// It puts a byte back, which it compares with the last one.
    puts_back: bool,
    /// The program is told what was written.
    tells: bool,
}

impl Does {
    fn of(function: &CStr) -> Does {
        let name = function.to_bytes();
        let does = raddle_schedule::files::of(name).map_or(0, |one| one.does);
        let puts_back = matches!(name, b"ungetc" | b"ungetwc");
        let stands = name.starts_with(b"fse") || name == b"rewind";
        let takes = does & READS != 0 || stands;
        Does {
            takes,
            adds: does & WRITES != 0 && !puts_back,
            flushes: does & PENDING != 0 || takes || name.starts_with(b"set") || function == ALL,
            puts_back,
            tells: name.starts_with(b"fflush") && function != ALL || name == b"fclose",
        }
    }
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

unsafe extern "C" {
    /// Bytes that a stream holds back (glibc, stdio_ext.h).
    fn __fpending(stream: *mut FILE) -> usize;
}

/// The function of this name works on this stream.
pub(super) fn used(stream: *mut FILE, function: &CStr, caller: *const c_void) {
    if !is_to(stream) {
        return;
    }
    let does = Does::of(function);
    // SAFETY: a stream of libc's that is open.
    let writes_rest = does.flushes && unsafe { __fpending(stream) } > 0;
    for at in 0..lent().len() {
        let (to, what) = lent()[at];
        match what {
            _ if to != stream as usize => {}
            What::Buffer(begin, len) if does.takes || does.adds => {
                touched_by_system(OpKind::Write, begin, len, caller);
            }
            What::Buffer(begin, len) if does.puts_back || writes_rest => {
                touched_by_system(OpKind::Read, begin, len, caller);
            }
            What::Memory(begin, len, [_, true]) if does.adds || writes_rest => {
                touched_by_system(OpKind::Write, begin, len, caller);
            }
            What::Memory(begin, len, [true, _]) if does.takes => {
                touched_by_system(OpKind::Read, begin, len, caller);
            }
            What::Grown(begin, size, is_told) => {
                if is_told && (does.adds || does.tells) {
                    let (text, len) = layout::written(stream);
                    // What was there is not to be looked at any more.
                    touched_by_system(OpKind::Write, text, len + layout::unit(stream), caller);
                }
                if does.tells {
                    touched_by_system(OpKind::Write, begin, WORD, caller);
                    touched_by_system(OpKind::Write, size, WORD, caller);
                }
            }
            _ => {}
        }
    }
}

/// This stream is flushed or closed: what it has become is told to the program.
pub(super) fn tells(stream: *mut FILE) {
    for (to, what) in lent().iter_mut() {
        if let What::Grown(.., is_told) = what
            && *to == stream as usize
        {
            *is_told = true;
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
    stdio::wait_for(stream, gate::name(name), caller);
    order::lives(stream as usize, true, caller);
    let (buffer, size) = match gate::name(name).to_bytes() {
        b"setvbuf" => (if third & 0xffff_ffff == NONE { 0 } else { buffer }, size),
        b"setbuf" => (buffer, BUFSIZ),
        b"setbuffer" => (buffer, third),
        // It has the buffer that it had.
        _ => return gate::behind(gate::name(name)),
    };
    lent().retain(|(to, what)| *to != stream as usize || !matches!(what, What::Buffer(..)));
    let is_standard = stdio::standard().contains(&stream);
    // Those that there are from the beginning have buffers of ours when executions begin.
    if buffer != 0 && (modelled() || !is_standard) {
        lent().push((stream as usize, What::Buffer(buffer, size)));
    }
    if is_standard {
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
        if modelled() && at != 0 && how.starts_with(b"w+") {
            touched_by_system(OpKind::Write, at, size.min(1), caller);
        } else if modelled() && at != 0 && how.starts_with(b"a") {
            // SAFETY: the program's memory, whose end libc looks for.
            let n = unsafe { libc::strnlen(memory.cast(), size) };
            touched_by_system(OpKind::Read, at, (n + 1).min(size), caller);
        }
        // SAFETY: as above.
        let stream = unsafe { open(memory, size, mode) };
        if !stream.is_null() && at != 0 {
            let both = how.contains(&b'+');
            let reads = how.starts_with(b"r");
            lent().push((stream as usize, What::Memory(at, size, [both || reads, both || !reads])));
        }
        made(stream, Left::Memory)
    }
}

type Grow = unsafe extern "C" fn(*mut c_void, *mut usize) -> *mut FILE;

fn open_growing(function: &CStr, begin: *mut c_void, size: *mut usize) -> *mut FILE {
    // SAFETY: libc's function of this name has this type, whatever it is that lies there.
    let open = unsafe { core::mem::transmute::<*mut c_void, Grow>(gate::behind(function)) };
    // SAFETY: passed on as it came.
    let stream = unsafe { open(begin, size) };
    if !stream.is_null() {
        lent().push((stream as usize, What::Grown(begin as usize, size as usize, false)));
    }
    made(stream, Left::Growing)
}

entry! {
    /// A stream that puts what is written to it into memory as large as that needs.
    fn open_memstream / open_growing_bytes(begin: *mut c_void, size: *mut usize) -> *mut FILE, 2, _caller {
        open_growing(c"open_memstream", begin, size)
    }
}

entry! {
    /// The same of wide characters.
    fn open_wmemstream / open_growing_wide(begin: *mut c_void, size: *mut usize) -> *mut FILE, 2, _caller {
        open_growing(c"open_wmemstream", begin, size)
    }
}
