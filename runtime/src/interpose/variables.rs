//! The environment's variables. libc keeps the list that it has made, and what it frees later, in memory that is not
//! rolled back: after another execution it would give back blocks of one that is gone. So the functions that change
//! the environment are served here; the strings lie in the program's heap and stay, as libc's do.
//!
//! In C programs that change it, asking is a read of `environ` and changing it a write: they race unless something orders
//! them (POSIX: `setenv` need not be safe for threads). In Rust, std has a lock around all of them, so that they cannot
//! race; no point lies before that lock, and the guarantee says that their order is not explored.

use super::environment::environ;
use super::{modelled, real};
use crate::kernel::{k, record};
use crate::memory::{arena, imports};
use crate::{access, entry, facade};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::{null, null_mut};
use libc::{EINVAL, ENOMEM};
use raddle_schedule::OpKind;

/// The list that this execution has made, if it is the one in use; and how many entries have room in it.
static mut OWN: (*mut *const c_char, usize) = (null_mut(), 0);
/// Does the program, or a library of its own, change the environment?
static mut CHANGES: bool = false;

/// Looks at what the program asks for. Called once, before executions.
pub fn prepare() {
    const NAMES: [&CStr; 4] = [c"setenv", c"unsetenv", c"putenv", c"clearenv"];
    // SAFETY: on the only thread.
    unsafe { CHANGES = NAMES.iter().any(|name| imports::asked_for(name)) };
}

/// The list of the execution that has ended is gone.
pub fn restore() {
    // SAFETY: between executions.
    unsafe { OWN = (null_mut(), 0) };
}

/// The access of a call that returns to `caller`.
fn tell(changes: bool, caller: *const c_void) {
    // SAFETY: written before executions.
    if unsafe { CHANGES } && !facade::is_there() {
        let kind = if changes { OpKind::Write } else { OpKind::Read };
        access::range(kind, &raw const environ as u64, size_of::<usize>() as u64, caller);
    }
}

/// The entries, with their places in the list.
fn entries() -> impl Iterator<Item = (*mut *const c_char, &'static CStr)> {
    // SAFETY: libc's variable, read by the token's holder.
    let mut at = unsafe { environ }.cast_mut();
    core::iter::from_fn(move || {
        // SAFETY: libc's list, or ours: pointers to strings, and a null pointer behind them.
        unsafe {
            if at.is_null() || (*at).is_null() {
                return None;
            }
            let entry = (at, CStr::from_ptr(*at));
            at = at.add(1);
            Some(entry)
        }
    })
}

fn find(name: &[u8]) -> Option<*mut *const c_char> {
    let is_it = |text: &CStr| text.to_bytes().strip_prefix(name).is_some_and(|rest| rest.starts_with(b"="));
    entries().find(|(_, text)| is_it(text)).map(|(at, _)| at)
}

/// So many bytes of the program's heap, which stay.
fn room(bytes: usize) -> *mut u8 {
    arena::allocate(k().me().slot, bytes, align_of::<usize>()) as *mut u8
}

/// Puts an entry into the list, in the place of one of the same name. The error, or 0.
fn put(name: &[u8], text: *const c_char) -> c_int {
    if let Some(at) = find(name) {
        // SAFETY: a place in the list.
        unsafe { *at = text };
        return 0;
    }
    let count = entries().count();
    // SAFETY: the token's holder; the new list has room for the old entries, one more and the end.
    unsafe {
        if OWN.0.cast_const() != environ || OWN.1 < count + 2 {
            let room_for = (count + 2) * 2;
            let list = room(room_for * size_of::<usize>()).cast::<*const c_char>();
            if list.is_null() {
                return ENOMEM;
            }
            if count > 0 {
                core::ptr::copy_nonoverlapping(environ, list, count);
            }
            OWN = (list, room_for);
            environ = list;
        }
        *OWN.0.add(count) = text;
        *OWN.0.add(count + 1) = null();
    }
    0
}

/// Takes all entries of this name out.
fn remove(name: &[u8]) {
    while let Some(mut at) = find(name) {
        // SAFETY: the entries behind it, up to the end, each one place further to the front.
        unsafe {
            while !(*at).is_null() {
                *at = *at.add(1);
                at = at.add(1);
            }
        }
    }
}

/// The bytes of a name that an entry may have.
///
/// # Safety
/// A string, or null.
unsafe fn checked<'a>(name: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: by contract.
    let name = if name.is_null() { return None } else { unsafe { CStr::from_ptr(name) } };
    let bytes = name.to_bytes();
    (!bytes.is_empty() && !bytes.contains(&b'=')).then_some(bytes)
}

fn failed(error: c_int) -> c_int {
    // SAFETY: the calling thread's errno.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// What the call reads of the program's strings.
fn reads(text: *const c_char, caller: *const c_void) {
    if !text.is_null() && !facade::is_there() {
        // SAFETY: a string, by the functions' contract.
        let len = unsafe { libc::strlen(text) } + 1;
        access::range(OpKind::Read, text as u64, len as u64, caller);
    }
}

entry! {
    /// Gives a variable a value.
    fn setenv / set(name: *const c_char, value: *const c_char, replaces: c_int) -> c_int, 3, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().setenv)(name, value, replaces) };
        }
        // SAFETY: the caller's strings.
        let Some(bytes) = (unsafe { checked(name) }) else { return failed(EINVAL) };
        reads(name, caller);
        reads(value, caller);
        tell(true, caller);
        if replaces == 0 && find(bytes).is_some() {
            return 0;
        }
        // SAFETY: as above.
        let value = unsafe { CStr::from_ptr(value) }.to_bytes_with_nul();
        let text = room(bytes.len() + 1 + value.len());
        if text.is_null() {
            return failed(ENOMEM);
        }
        // SAFETY: room for the name, `=` and the value with its end.
        unsafe {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), text, bytes.len());
            *text.add(bytes.len()) = b'=';
            core::ptr::copy_nonoverlapping(value.as_ptr(), text.add(bytes.len() + 1), value.len());
        }
        match put(bytes, text.cast()) {
            0 => 0,
            error => failed(error),
        }
    }
}

entry! {
    /// Makes the caller's own string an entry, or takes one out where it has no `=`.
    fn putenv / put_string(text: *mut c_char) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().putenv)(text) };
        }
        reads(text, caller);
        tell(true, caller);
        // SAFETY: the caller's string.
        let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
        let error = match bytes.iter().position(|b| *b == b'=') {
            Some(at) => put(&bytes[..at], text),
            None => {
                remove(bytes);
                0
            }
        };
        if error == 0 { 0 } else { failed(error) }
    }
}

entry! {
    /// Takes a variable out.
    fn unsetenv / unset(name: *const c_char) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().unsetenv)(name) };
        }
        // SAFETY: the caller's string.
        let Some(bytes) = (unsafe { checked(name) }) else { return failed(EINVAL) };
        reads(name, caller);
        tell(true, caller);
        remove(bytes);
        0
    }
}

entry! {
    /// Takes all out.
    fn clearenv / clear() -> c_int, 0, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().clearenv)() };
        }
        tell(true, caller);
        // SAFETY: the list is put back between executions.
        unsafe { environ = null() };
        0
    }
}

entry! {
    /// A variable's value.
    fn getenv / get(name: *const c_char) -> *mut c_char, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().getenv)(name) };
        }
        reads(name, caller);
        tell(false, caller);
        // SAFETY: the caller's string.
        let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
        let Some(at) = find(bytes) else {
            if let (true, Ok(name)) = (record::detailed(), str::from_utf8(bytes)) {
                k().asked_for_unset(name);
            }
            return null_mut();
        };
        // SAFETY: behind the name of an entry of this name.
        unsafe { (*at).add(bytes.len() + 1).cast_mut() }
    }
}
