//! Questions whether descriptors are ready, as far as they do not wait: those with no time at all, and those of which
//! something is ready already. Every Rust program asks `poll` so before its `main`. (Epolls are [`super::epoll`].) The question is no step, and what makes a descriptor ready is none: where there
//! are several threads, the search is told, and says so. What would wait is refused: nobody here knows when the system ends it.

use super::files::touched_by_system;
use super::gate::{self, Registers};
use super::{modelled, refused};
use crate::gates;
use crate::kernel::{k, spin};
use crate::memory::snapshot;
use crate::sys::call;
use core::ffi::{c_char, c_void};
use raddle_schedule::OpKind;

/// Passes a question on that does not wait: `records` of a size each are filled. One that might is refused.
///
/// # Safety
/// `registers` is the gate's own record, and the arguments are those of the function named.
unsafe fn ask(name: *const c_char, registers: *const Registers, waits: bool, records: (usize, usize, usize)) {
    if modelled() {
        if waits {
            // SAFETY: as above.
            unsafe { refused::at(name, registers) };
        }
        let (address, count, size) = records;
        if count > 0 {
            k().asks_for_ready();
        }
        spin::changed();
        snapshot::touch(address, count.saturating_mul(size));
    }
}

/// Tells what the question does to the program's records: it reads which descriptor each is about, and writes the answer.
fn told(fds: usize, count: usize, caller: *const c_void) {
    let (size, asked) = (size_of::<libc::pollfd>(), core::mem::offset_of!(libc::pollfd, revents));
    for n in 0..if modelled() { count } else { 0 } {
        touched_by_system(OpKind::Read, fds + n * size, asked, caller);
        touched_by_system(OpKind::Write, fds + n * size + asked, size - asked, caller);
    }
}

/// Is one of these descriptors ready? This takes nothing away.
///
/// # Safety
/// `fds` points to as many records.
unsafe fn is_ready(fds: *mut libc::pollfd, count: usize) -> bool {
    // SAFETY: the caller vouches for them; without waiting.
    unsafe { call!(libc::SYS_poll, fds, count, 0) != 0 }
}

extern "C" fn polls(name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: the gate's own record: (descriptors, how many, milliseconds).
    unsafe {
        let [fds, count, limit, ..] = (*registers).arguments;
        let size = count.saturating_mul(size_of::<libc::pollfd>());
        if modelled() {
            // The question fills the records too.
            snapshot::touch(fds, size);
        }
        let waits = modelled() && limit as i32 != 0 && !is_ready(fds as *mut libc::pollfd, count);
        ask(name, registers, waits, (fds, count, size_of::<libc::pollfd>()));
        told(fds, count, (*registers).caller);
    }
    gate::behind(gate::name(name))
}

extern "C" fn polls_for(name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: the gate's own record: (descriptors, how many, the time or null for ever).
    unsafe {
        let [fds, count, limit, mask, ..] = (*registers).arguments;
        if modelled() {
            let caller = (*registers).caller;
            touched_by_system(
                OpKind::Read,
                limit,
                if limit == 0 { 0 } else { size_of::<libc::timespec>() },
                caller,
            );
            touched_by_system(OpKind::Read, mask, if mask == 0 { 0 } else { size_of::<u64>() }, caller);
        }
        let limit = (limit as *const libc::timespec).as_ref();
        let waits = limit.is_none_or(|t| t.tv_sec != 0 || t.tv_nsec != 0);
        ask(name, registers, waits, (fds, count, size_of::<libc::pollfd>()));
        told(fds, count, (*registers).caller);
    }
    gate::behind(gate::name(name))
}

gates! { polls: poll __poll_chk }
gates! { polls_for: ppoll __ppoll_chk }
