//! Functions that say something on standard error, in words of their own: they take its lock as those do that print
//! ([`super::stdio`]). Some of them then end the process, from within libc; here they end the execution instead, as `exit` does.

use super::gate::{self, Registers};
use super::stdio::{standard, wait_for};
use super::{modelled, order, process, refused, site};
use crate::gates;
use crate::touches::formats::{Arguments, Saved};
use core::ffi::{CStr, c_char, c_int, c_void};
use libc::FILE;

/// How what says something works on standard error, where it has a stream or says it by the way.
const SAYS: &CStr = c"perror";

/// A function that says something by the way does so, for the call that returns to `caller`.
pub(super) fn said(caller: *const c_void) {
    wait_for(standard()[2], SAYS, caller);
}

/// Takes the locks that the function of this name takes.
fn takes_locks(name: &CStr, registers: *const Registers) {
    // SAFETY: the gate's own record.
    let caller = unsafe { (*registers).caller };
    if name.to_bytes().starts_with(b"error") {
        wait_for(standard()[1], c"fflush", caller);
    }
    wait_for(standard()[2], name, caller);
    order::look(name, registers);
}

extern "C" fn says(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    takes_locks(name, registers);
    gate::behind(name)
}

/// Ends the execution as a call of `exit` would that returns to `caller`.
fn leave(status: usize, caller: *const c_void) -> ! {
    process::exit_execution(status as c_int, site(caller))
}

/// `err(status, format, …)`, `verr(status, format, list)` and the same without the error's text.
extern "C" fn says_and_leaves(name: *const c_char, registers: *const Registers) -> *mut c_void {
    type Warn = unsafe extern "C" fn(*const c_char, *mut Arguments);
    let name = gate::name(name);
    if !modelled() {
        return gate::behind(name);
    }
    // SAFETY: the calling thread's own.
    let errno = unsafe { *libc::__errno_location() };
    takes_locks(name, registers);
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let [status, format, list, ..] = registers.arguments;
    let saved = Saved::new(registers);
    let mut arguments = match name.to_bytes().starts_with(b"v") {
        // SAFETY: the function's last argument, the program's list.
        true => unsafe { *(list as *const Arguments) },
        false => saved.behind(2, registers),
    };
    let same = if name.to_bytes().ends_with(b"x") { c"vwarnx" } else { c"vwarn" };
    // SAFETY: libc's function of this name has this type; the program's format, and a copy of its arguments.
    unsafe {
        let warn = core::mem::transmute::<*mut c_void, Warn>(gate::behind(same));
        *libc::__errno_location() = errno;
        warn(format as *const c_char, &mut arguments);
    }
    leave(status, registers.caller)
}

unsafe extern "C" {
    static stdout: *mut FILE;
    static stderr: *mut FILE;
    static program_invocation_name: *const c_char;
    static mut error_message_count: u32;
    static error_one_per_line: c_int;
    static error_print_progname: Option<unsafe extern "C" fn()>;
}

/// `error(status, number, format, …)` and `error_at_line(status, number, file, line, format, …)`, which leave where the status
/// is not zero.
extern "C" fn says_and_may_leave(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    // SAFETY: the gate's own record.
    let record = unsafe { &*registers };
    let [status, number, third, line, fifth, _] = record.arguments;
    let at_line = name == c"error_at_line";
    // SAFETY: libc's variable.
    if modelled() && at_line && unsafe { error_one_per_line } != 0 {
        // Which line was told last is in libc's own memory, from the execution before.
        refused::refuse_with("error_at_line", "with `error_one_per_line`");
    }
    takes_locks(name, registers);
    if !modelled() || status as c_int == 0 {
        return gate::behind(name);
    }
    let saved = Saved::new(record);
    let (format, mut list) =
        if at_line { (fifth, saved.behind(5, record)) } else { (third, saved.behind(3, record)) };
    // SAFETY: what libc's function does with the program's strings and a copy of its arguments, on libc's streams, by functions
    // of libc's own (those of these names here would be steps).
    unsafe {
        let print = core::mem::transmute::<*mut c_void, Print>(gate::behind(c"fprintf"));
        let print_list = core::mem::transmute::<*mut c_void, PrintList>(gate::behind(c"vfprintf"));
        let flush = core::mem::transmute::<*mut c_void, Flush>(gate::behind(c"fflush"));
        flush(stdout);
        match error_print_progname {
            Some(own) => own(),
            None if at_line => drop(print(stderr, c"%s:".as_ptr(), program_invocation_name)),
            None => drop(print(stderr, c"%s: ".as_ptr(), program_invocation_name)),
        }
        match third {
            _ if !at_line => {}
            0 => drop(print(stderr, c" ".as_ptr())),
            file => drop(print(stderr, c"%s:%u: ".as_ptr(), file as *const c_char, line as u32)),
        }
        print_list(stderr, format as *const c_char, &mut list);
        error_message_count += 1;
        if number as c_int != 0 {
            print(stderr, c": %s".as_ptr(), libc::strerror(number as c_int));
        }
        print(stderr, c"\n".as_ptr());
        flush(stderr);
    }
    leave(status, record.caller)
}

type Print = unsafe extern "C" fn(*mut FILE, *const c_char, ...) -> c_int;
type PrintList = unsafe extern "C" fn(*mut FILE, *const c_char, *mut Arguments) -> c_int;
type Flush = unsafe extern "C" fn(*mut FILE) -> c_int;

gates! { says: perror warn vwarn warnx vwarnx psignal psiginfo fmtmsg malloc_stats }
gates! { says_and_leaves: err verr errx verrx }
gates! { says_and_may_leave: error error_at_line }
