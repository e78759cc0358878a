//! Mappings that an execution makes are gone after it, so that the next one gets the same
//! addresses; those from before the first execution may not be taken away. An address that is unmapped is
//! not given to anybody else in the same execution: nothing that the race detector sees would order the
//! accesses of the two. It stays reserved, and out of reach.

use super::{aliases, modelled, refused};
use crate::kernel::spin;
use crate::sys::call;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Mappings(UnsafeCell<Vec<(usize, usize)>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Mappings {}

/// Start and end of what the running execution has mapped.
static MAPPINGS: Mappings = Mappings(UnsafeCell::new(Vec::new()));

/// Of what it has unmapped again.
static RESERVED: Mappings = Mappings(UnsafeCell::new(Vec::new()));

/// Starts and ends of what the program has mapped before the first execution, as many as there is room for, and how
/// many there were. Constructors do so before there is a heap.
static EARLIER: [[AtomicUsize; 2]; 64] = [const { [const { AtomicUsize::new(0) }; 2] }; 64];
static EARLIER_COUNT: AtomicUsize = AtomicUsize::new(0);

/// Of what was mapped before the first execution so much is read.
const MOST_READ: usize = 16 << 20;
/// In pieces of this size.
const PIECE: usize = 64 << 10;

fn mappings() -> &'static mut Vec<(usize, usize)> {
    // SAFETY: see `Mappings`; one reference at a time.
    unsafe { &mut *MAPPINGS.0.get() }
}

fn reserved() -> &'static mut Vec<(usize, usize)> {
    // SAFETY: as above.
    unsafe { &mut *RESERVED.0.get() }
}

fn pages(len: usize) -> usize {
    len.saturating_add(4095) & !4095
}

/// Takes a range out of a list. `false` when some of it is not in there.
fn forget(list: &mut Vec<(usize, usize)>, start: usize, end: usize) -> bool {
    let mut covered = 0;
    let mut rest = Vec::new();
    for (a, b) in list.drain(..) {
        let (from, to) = (a.max(start), b.min(end));
        if from >= to {
            rest.push((a, b));
            continue;
        }
        covered += to - from;
        rest.extend([(a, from), (to, b)].into_iter().filter(|(a, b)| a < b));
    }
    *list = rest;
    covered == end - start
}

unsafe fn result(value: isize) -> *mut c_void {
    if (-4095..0).contains(&value) {
        // SAFETY: the calling thread's errno.
        unsafe { *libc::__errno_location() = -value as c_int };
        return libc::MAP_FAILED;
    }
    value as *mut c_void
}

/// Maps memory or a file.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mmap(
    at: *mut c_void,
    len: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    if modelled() && flags & libc::MAP_FIXED != 0 && !covers(at as usize, at as usize + pages(len)) {
        refused::refuse("mmap (over memory from before the test)");
    }
    if modelled() && flags & libc::MAP_FIXED != 0 {
        crate::kernel::k().tell_before_it_is_gone();
    }
    if modelled() && flags & libc::MAP_ANONYMOUS == 0 {
        super::numbers::uses(fd, core::ptr::null());
    }
    if modelled() && flags & libc::MAP_SHARED != 0 {
        super::order::mapped(fd);
    }
    if modelled() {
        spin::changed();
    }
    // SAFETY: the program's own call.
    let mapped = unsafe { result(call!(libc::SYS_mmap, at, len, protection, flags, fd, offset)) };
    if modelled() && mapped != libc::MAP_FAILED {
        let (start, end) = (mapped as usize, mapped as usize + pages(len));
        for list in [mappings(), reserved()] {
            forget(list, start, end);
        }
        mappings().push((start, end));
        if flags & libc::MAP_ANONYMOUS == 0 {
            aliases::look(mapped, "mmap");
        }
    } else if mapped != libc::MAP_FAILED && protection & libc::PROT_WRITE != 0 {
        let at = EARLIER_COUNT.fetch_add(1, Relaxed);
        if let Some([start, end]) = EARLIER.get(at) {
            start.store(mapped as usize, Relaxed);
            end.store(mapped as usize + pages(len), Relaxed);
        }
    }
    mapped
}

/// Calls back with copies of what the program has mapped before the first execution and can still be read. False where
/// that is not known, or too much.
pub fn read_earlier(each: &mut impl FnMut(usize, usize)) -> bool {
    let count = EARLIER_COUNT.load(Relaxed);
    let Some(known) = EARLIER.get(..count) else { return false };
    let range = |[start, end]: &[AtomicUsize; 2]| (start.load(Relaxed), end.load(Relaxed));
    let size: usize = known.iter().map(range).map(|(start, end)| end - start).sum();
    if size > MOST_READ {
        return false;
    }
    let mut copy: Vec<u64> = core::iter::repeat_n(0, (PIECE + 8) / 8).collect();
    known.iter().map(range).all(|(start, end)| {
        // A pointer may lie across the end of a piece.
        let mut pieces = (start..end).step_by(PIECE).map(|at| (at, (at + PIECE + 8).min(end)));
        pieces.all(|(at, to)| read(at, to, copy.as_mut_ptr().cast(), each))
    })
}

/// Calls back with a copy of a range, page by page where some cannot be read. False if nothing is known of it.
fn read(start: usize, end: usize, copy: *mut u8, each: &mut impl FnMut(usize, usize)) -> bool {
    let mut at = start;
    while at < end {
        let own = libc::iovec { iov_base: copy.cast(), iov_len: end - at };
        let theirs = libc::iovec { iov_base: at as *mut c_void, iov_len: end - at };
        // SAFETY: the copy has room for it; what cannot be read is told by the number of bytes, or an error.
        let n = unsafe {
            let me = call!(libc::SYS_getpid);
            call!(libc::SYS_process_vm_readv, me, &raw const own, 1, &raw const theirs, 1, 0)
        };
        match n {
            1.. => {
                each(copy as usize, copy as usize + n as usize);
                at += n as usize;
            }
            // Unmapped or out of reach since: nobody finds a pointer there.
            _ if n == -(libc::EFAULT as isize) => at = (at & !4095) + 4096,
            _ => return false,
        }
    }
    true
}

/// Has the execution mapped memory of its own?
pub fn any() -> bool {
    !mappings().is_empty()
}

/// Is all of the range the execution's?
fn covers(start: usize, end: usize) -> bool {
    let own = mappings().iter().chain(reserved().iter());
    let inside: usize = own.map(|(a, b)| (*b).min(end).saturating_sub((*a).max(start))).sum();
    inside == end - start
}

/// The same by its name for large files.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mmap64(
    at: *mut c_void,
    len: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    // SAFETY: the same contract.
    unsafe { mmap(at, len, protection, flags, fd, offset) }
}

/// Unmaps.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn munmap(at: *mut c_void, len: usize) -> c_int {
    if !modelled() || len == 0 {
        // SAFETY: the program's own call.
        let value = unsafe { call!(libc::SYS_munmap, at, len) };
        // SAFETY: as above.
        return if unsafe { result(value) } == libc::MAP_FAILED { -1 } else { 0 };
    }
    let (start, end) = (at as usize, at as usize + pages(len));
    if !covers(start, end) {
        refused::refuse("munmap (of memory from before the test)");
    }
    crate::kernel::k().tell_before_it_is_gone();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
    // SAFETY: nobody may use it any more, and it is the execution's own.
    let value = unsafe { call!(libc::SYS_mmap, at, len, libc::PROT_NONE, flags, usize::MAX, 0) };
    // SAFETY: as above.
    if unsafe { result(value) } == libc::MAP_FAILED {
        return -1;
    }
    for list in [mappings(), reserved()] {
        forget(list, start, end);
    }
    reserved().push((start, end));
    spin::changed();
    0
}

/// Changes what may be done with memory.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mprotect(at: *mut c_void, len: usize, protection: c_int) -> c_int {
    // What cannot be read any more has to be told before.
    if modelled() && protection & libc::PROT_READ == 0 {
        crate::kernel::k().tell_before_it_is_gone();
    }
    if modelled() {
        spin::changed();
    }
    // SAFETY: the program's own call.
    let value = unsafe { call!(libc::SYS_mprotect, at, len, protection) };
    // Of what the system lists, and so of a file.
    if modelled() && value == 0 && protection & libc::PROT_WRITE != 0 {
        aliases::look(at, "mprotect");
    }
    // SAFETY: as above.
    if unsafe { result(value) } == libc::MAP_FAILED { -1 } else { 0 }
}

/// Unmaps what the execution has left.
pub fn restore() {
    for (start, end) in mappings().drain(..).chain(reserved().drain(..)) {
        // SAFETY: mapped by the finished execution and known to nobody else.
        unsafe { call!(libc::SYS_munmap, start, end - start) };
    }
}
