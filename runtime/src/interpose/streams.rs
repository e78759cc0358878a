//! Streams of stdio: what they are called, who made them, and what becomes of those that an execution leaves open.
//!
//! libc keeps streams in its own heap, which roll-back does not reach: where one lies depends on what other executions have left
//! there. So they are told apart by who made them and as which of its own, and those that are still open when an execution is over
//! are closed, before its memory is rolled back, since they may have a part of that, and without writing to it.

use super::gate;
use super::layout::areas;
use super::{channels, files, lent, malloc, modelled, numbers, order, real, stdio};
use crate::entry;
use crate::kernel::{controlled, k, session};
use crate::sys::call;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::Ordering;
use libc::FILE;
use raddle_schedule::{MAX_THREADS, world};

/// What becomes of a stream that is left open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// It is closed; what it holds back is written first, if that is to a file.
    File,
    /// It is closed, and what it holds back thrown away.
    Memory,
    /// It is taken apart: to close it would write to variables of the program.
    Growing,
    /// Nothing: it is closed already.
    Closed,
    /// It stays: it was there before, or nobody knows what it is.
    Stays,
}

/// A stream.
#[derive(Clone, Copy)]
struct Known {
    at: *mut FILE,
    word: u64,
    left: Left,
}

struct All(UnsafeCell<[Vec<Known>; 2]>);

// SAFETY: used by the token's holder, or before there are threads.
unsafe impl Sync for All {}

/// Streams of this execution, and those from before the first.
static ALL: All = All(UnsafeCell::new([Vec::new(), Vec::new()]));
/// How many each thread has made in this execution.
static mut MADE: [u32; MAX_THREADS] = [0; MAX_THREADS];

fn lists() -> &'static mut [Vec<Known>; 2] {
    // SAFETY: see `All`; one reference at a time.
    unsafe { &mut *ALL.0.get() }
}

/// An execution begins.
pub fn begin() {
    let [now, before] = lists();
    now.clone_from(before);
    // SAFETY: the token's holder.
    unsafe { MADE = [0; MAX_THREADS] };
}

/// Are there streams that the program has opened before its executions, by constructors?
pub fn any_before() -> bool {
    !lists()[1].is_empty()
}

/// A stream was made, unless it is null.
pub(super) fn made(stream: *mut FILE, left: Left) -> *mut FILE {
    if stream.is_null() {
        return stream;
    }
    let [now, before] = lists();
    if modelled() {
        now.retain(|known| known.at != stream);
        let me = usize::from(k().current);
        // SAFETY: the token's holder.
        let number = unsafe {
            MADE[me] = MADE[me].saturating_add(1);
            MADE[me] - 1
        };
        now.push(Known { at: stream, word: world::stream(me, number), left });
    } else if controlled() && k().setup().channel.header().ready.load(Ordering::Acquire) == 0 {
        let word = world::stream(world::BEFORE, before.len() as u32);
        before.push(Known { at: stream, word, left: Left::Stays });
    }
    stream
}

/// A stream is closed.
pub(super) fn closed(stream: *mut FILE) {
    lent::closed(stream);
    let [now, before] = lists();
    if modelled() {
        // Whoever uses it after all is told by its word ([`order::lives`]), until another stream comes to its place.
        now.iter_mut().filter(|known| known.at == stream).for_each(|known| known.left = Left::Closed);
    } else {
        before.retain(|known| known.at != stream);
    }
}

/// They, one by one.
pub(super) fn all() -> Vec<*mut FILE> {
    lists()[0].iter().filter(|known| known.left != Left::Closed).map(|known| known.at).collect()
}

/// The word that stands for a stream.
pub(super) fn word(stream: *mut FILE) -> u64 {
    if let Some(number) = stdio::standard().iter().position(|one| *one == stream) {
        return world::standard_stream(number);
    }
    let known = || lists()[0].iter().find(|known| known.at == stream).map(|known| known.word);
    known().unwrap_or_else(|| {
        // By a function that nobody follows: it is the thread's that uses it first.
        made(stream, Left::Stays);
        known().unwrap_or_default()
    })
}

/// The lock of a stream.
pub(super) fn lock(stream: *mut FILE) -> u64 {
    match stdio::standard().contains(&stream) {
        true => stream as u64,
        false => world::stream_lock(word(stream)),
    }
}

unsafe extern "C" {
    fn __fpurge(stream: *mut FILE);
    /// Takes a stream out of libc's list of them all.
    fn _IO_un_link(stream: *mut FILE);
}

/// Gets rid of what the execution has left open: the last first, so that libc has the same place for the first one again.
pub fn restore() {
    let open = core::mem::take(&mut lists()[0]);
    for known in open.into_iter().rev().filter(|known| !matches!(known.left, Left::Stays | Left::Closed)) {
        // SAFETY: a stream that nobody has closed.
        unsafe {
            if (real::get().ftrylockfile)(known.at) != 0 {
                // The execution ended within a function of libc's that works on it.
                continue;
            }
            (real::get().funlockfile)(known.at);
            match known.left {
                Left::File if is_file(libc::fileno(known.at)) => {}
                Left::Growing => {
                    take_apart(known.at);
                    continue;
                }
                // Whoever would read it is gone, and the system would wait for that.
                _ => __fpurge(known.at),
            }
        }
        close(known.at);
    }
}

/// Is it a file, which takes whatever is written?
fn is_file(fd: c_int) -> bool {
    // SAFETY: plain data, which the call fills.
    unsafe {
        let mut about: libc::stat = core::mem::zeroed();
        call!(libc::SYS_fstat, fd, &raw mut about) == 0 && about.st_mode & libc::S_IFMT == libc::S_IFREG
    }
}

/// Frees a stream of `open_memstream`, or of its like, and what it has, which it would give to the program.
unsafe fn take_apart(stream: *mut FILE) {
    // SAFETY: a stream that nobody has closed, which begins so; libc's list has it no more when it is freed.
    unsafe {
        let (bytes, wide) = areas(stream);
        _IO_un_link(stream);
        for area in [Some(bytes), wide].into_iter().flatten() {
            malloc::take_back(area[6] as *mut c_void);
        }
        malloc::take_back(stream.cast());
    }
}

type Open = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut FILE;
type OpenFor = unsafe extern "C" fn(c_int, *const c_char) -> *mut FILE;
type OpenNew = unsafe extern "C" fn() -> *mut FILE;
type Close = unsafe extern "C" fn(*mut FILE) -> c_int;

/// A stream was made that has a new descriptor, unless it is null.
fn opened(stream: *mut FILE) -> *mut FILE {
    if modelled() && !stream.is_null() {
        // SAFETY: libc's stream.
        numbers::given(unsafe { libc::fileno(stream) });
    }
    made(stream, Left::File)
}

fn open_path(function: &CStr, path: *const c_char, mode: *const c_char, caller: *const c_void) -> *mut FILE {
    files::touched();
    order::did(function.to_bytes(), [path as usize, mode as usize, 0, 0, 0, 0], caller);
    let path = if modelled() { files::served(path) } else { path };
    // SAFETY: the caller's string.
    if modelled() && !unsafe { CStr::from_ptr(mode) }.to_bytes().contains(&b'+') {
        files::look_at_fifo("fopen", libc::AT_FDCWD, path, libc::O_RDONLY, caller);
    }
    // SAFETY: libc's function of this name has this type; passed on as it came.
    let open = unsafe { core::mem::transmute::<*mut c_void, Open>(gate::behind(function)) };
    // SAFETY: as above.
    opened(unsafe { open(path, mode) })
}

entry! {
    /// Opens a stream.
    fn fopen / open_plain(path: *const c_char, mode: *const c_char) -> *mut FILE, 2, caller {
        open_path(c"fopen", path, mode, caller)
    }
}

entry! {
    /// The same by its name for large files.
    fn fopen64 / open_large(path: *const c_char, mode: *const c_char) -> *mut FILE, 2, caller {
        open_path(c"fopen64", path, mode, caller)
    }
}

entry! {
    /// A stream of a descriptor that there is.
    fn fdopen / open_descriptor(fd: c_int, mode: *const c_char) -> *mut FILE, 2, _caller {
        // SAFETY: libc's function of this name has this type; passed on as it came.
        let open = unsafe { core::mem::transmute::<*mut c_void, OpenFor>(gate::behind(c"fdopen")) };
        // Who closes the stream closes that.
        files::touched();
        // SAFETY: as above.
        made(unsafe { open(fd, mode) }, Left::File)
    }
}

fn open_nameless(function: &CStr) -> *mut FILE {
    files::touched();
    // SAFETY: libc's function of this name has this type.
    opened(unsafe { core::mem::transmute::<*mut c_void, OpenNew>(gate::behind(function))() })
}

entry! {
    /// A stream of a file that has no name.
    fn tmpfile / open_nameless_plain() -> *mut FILE, 0, _caller {
        open_nameless(c"tmpfile")
    }
}

entry! {
    /// The same by its name for large files.
    fn tmpfile64 / open_nameless_large() -> *mut FILE, 0, _caller {
        open_nameless(c"tmpfile64")
    }
}

fn reopen(
    function: &CStr,
    (path, mode, stream): (*const c_char, *const c_char, *mut FILE),
    caller: *const c_void,
) -> *mut FILE {
    files::touched();
    if modelled() && !stream.is_null() {
        stdio::wait_for(stream, function, caller);
        // SAFETY: libc's stream.
        let fd = unsafe { libc::fileno(stream) };
        if !channels::closes(fd, "freopen", caller) {
            order::did(b"fclose", [stream as usize, 0, 0, 0, 0, 0], caller);
        }
        numbers::closes(fd, caller);
        order::closed(fd);
        order::did(function.to_bytes(), [path as usize, mode as usize, 0, 0, 0, 0], caller);
        session::begin_afresh();
    }
    type Reopen = unsafe extern "C" fn(*const c_char, *const c_char, *mut FILE) -> *mut FILE;
    // SAFETY: libc's function of this name has this type; passed on as it came.
    unsafe { core::mem::transmute::<*mut c_void, Reopen>(gate::behind(function))(path, mode, stream) }
}

entry! {
    /// Has a stream begin anew, with another file.
    fn freopen / reopen_plain(path: *const c_char, mode: *const c_char, stream: *mut FILE) -> *mut FILE, 3, caller {
        reopen(c"freopen", (path, mode, stream), caller)
    }
}

entry! {
    /// The same by its name for large files.
    fn freopen64 / reopen_large(path: *const c_char, mode: *const c_char, stream: *mut FILE) -> *mut FILE, 3, caller {
        reopen(c"freopen64", (path, mode, stream), caller)
    }
}

fn close(stream: *mut FILE) -> c_int {
    // SAFETY: libc's function of this name has this type; a stream that is open.
    unsafe { core::mem::transmute::<*mut c_void, Close>(gate::behind(c"fclose"))(stream) }
}

entry! {
    /// Closes a stream.
    fn fclose / close_inner(stream: *mut FILE) -> c_int, 1, caller {
        if modelled() {
            stdio::wait_for(stream, c"fclose", caller);
            // SAFETY: libc's stream.
            let fd = unsafe { libc::fileno(stream) };
            // What it holds back is written, and the end closed, in one step.
            if !channels::closes(fd, "fclose", caller) {
                order::did(b"fclose", [stream as usize, 0, 0, 0, 0, 0], caller);
            }
            numbers::closes(fd, caller);
            order::closed(fd);
            if stdio::standard().contains(&stream) {
                session::begin_afresh();
            }
        }
        closed(stream);
        close(stream)
    }
}
