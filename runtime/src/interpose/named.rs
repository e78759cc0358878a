//! POSIX semaphores with names (`model::named`). Other processes could post and wait for them; none does here.

use super::semaphore::fail;
use super::{modelled, real, refused};
use crate::entry;
use crate::memory::freed;
use crate::model::named::{self, Trouble};
use crate::sys::call;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char, c_int};
use core::ptr::null_mut;
use libc::{EEXIST, EINVAL, ENAMETOOLONG, ENOENT, O_CREAT, O_EXCL, mode_t, sem_t};
use raddle_schedule::misuse::Part;

/// Where glibc keeps them.
const FOLDER: &[u8] = b"/dev/shm/sem.";
/// Bytes of a file's name.
const LONGEST: usize = 255;

/// The name without what leads it, as glibc has it, or the error for one that cannot be.
fn proper<'a>(name: *const c_char) -> Result<&'a [u8], c_int> {
    // SAFETY: a string, by the contract.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let name = &name[name.iter().take_while(|b| **b == b'/').count()..];
    if name.is_empty() || name.contains(&b'/') {
        return Err(EINVAL);
    }
    if name.len() + b"sem.".len() > LONGEST { Err(ENAMETOOLONG) } else { Ok(name) }
}

/// Refuses a name that somebody else has given a semaphore: what becomes of that is nothing that this process decides.
fn look_outside(name: &[u8], function: &str) {
    let path: Vec<u8> = FOLDER.iter().chain(name).copied().chain([0]).collect();
    // SAFETY: a string; the call only looks.
    if unsafe { call!(libc::SYS_access, path.as_ptr(), libc::F_OK) } == 0 {
        refused::refuse_with(function, "of a semaphore that is there before the execution");
    }
}

entry! {
    /// Opens a semaphore by its name.
    fn sem_open / open(name: *const c_char, how: c_int, mode: mode_t, count: u32) -> *mut sem_t, 4, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sem_open)(name, how, mode, count) };
        }
        let name = match proper(name) {
            Ok(name) => name,
            Err(error) => {
                fail(error);
                return null_mut();
            }
        };
        if !named::prepare() {
            refused::refuse("sem_open");
        }
        let (new, only) = ((how & O_CREAT != 0).then_some(count), how & O_CREAT != 0 && how & O_EXCL != 0);
        let by = freed::part(Part::Initialised, caller);
        let error = match named::open(name, new, only, || look_outside(name, "sem_open"), by) {
            Ok(address) => return address as *mut sem_t,
            Err(Trouble::Exists) => EEXIST,
            Err(Trouble::Missing) => ENOENT,
            Err(Trouble::Count) => EINVAL,
            Err(Trouble::Many) => refused::refuse_with("sem_open", "of so many semaphores"),
        };
        fail(error);
        null_mut()
    }
}

entry! {
    /// Closes one.
    fn sem_close / close(s: *mut sem_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sem_close)(s) };
        }
        if named::close(s as u64, freed::part(Part::Destroyed, caller)) { 0 } else { fail(EINVAL) }
    }
}

entry! {
    /// Takes its name away.
    fn sem_unlink / unlink(name: *const c_char) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sem_unlink)(name) };
        }
        let name = match proper(name) {
            Ok(name) => name,
            Err(EINVAL) => return fail(ENOENT),
            Err(error) => return fail(error),
        };
        let site = super::site(caller);
        if named::unlink(name, || look_outside(name, "sem_unlink"), site) { 0 } else { fail(ENOENT) }
    }
}
