//! Channels that a constructor has made: the execution ends where one is used.

use super::file;
use crate::interpose::{modelled, refused};
use crate::kernel::{controlled, k};
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;

/// What was made before the executions began, and by a call of which function where: what is in it stays there from one to the next.
struct Before {
    file: (u64, u64),
    function: &'static str,
    site: u32,
}

struct Early(UnsafeCell<Vec<Before>>);

// SAFETY: as for `All`.
unsafe impl Sync for Early {}

static EARLY: Early = Early(UnsafeCell::new(Vec::new()));

fn early() -> &'static mut Vec<Before> {
    // SAFETY: see `All`; one reference at a time.
    unsafe { &mut *EARLY.0.get() }
}

/// A constructor has made these with this function.
pub(in crate::interpose) fn made_early(function: &'static str, fds: &[c_int], caller: *const c_void) {
    if !controlled() || k().setup().channel.header().ready.load(Ordering::Acquire) != 0 {
        return;
    }
    for file in fds.iter().filter_map(|fd| file(*fd)) {
        early().push(Before { file, function, site: crate::interpose::code_site(caller as u64) });
    }
}

/// Ends the execution if this descriptor is one of those.
pub(super) fn refuse_early(fd: c_int) {
    if early().is_empty() || !modelled() {
        return;
    }
    let Some(file) = file(fd) else { return };
    if let Some(made) = early().iter().find(|made| made.file == file) {
        k().end.site = made.site;
        refused::refuse_with(made.function, "before `main` (by a constructor)");
    }
}
