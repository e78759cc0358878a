//! Mappings that an execution makes are gone after it, so that the next one gets the same
//! addresses; those from before the first execution may not be taken away. An address that is unmapped is
//! not given to anybody else in the same execution: nothing that the race detector sees would order the
//! accesses of the two. It stays reserved, and out of reach.

use super::{modelled, refused};
use crate::sys::call;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};

struct Mappings(UnsafeCell<Vec<(usize, usize)>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Mappings {}

/// Start and end of what the running execution has mapped.
static MAPPINGS: Mappings = Mappings(UnsafeCell::new(Vec::new()));

/// Of what it has unmapped again.
static RESERVED: Mappings = Mappings(UnsafeCell::new(Vec::new()));

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
    // SAFETY: the program's own call.
    let mapped = unsafe { result(call!(libc::SYS_mmap, at, len, protection, flags, fd, offset)) };
    if modelled() && mapped != libc::MAP_FAILED {
        let (start, end) = (mapped as usize, mapped as usize + pages(len));
        for list in [mappings(), reserved()] {
            forget(list, start, end);
        }
        mappings().push((start, end));
    }
    mapped
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
    // SAFETY: the program's own call.
    let value = unsafe { call!(libc::SYS_mprotect, at, len, protection) };
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
