//! Calls of the system that read or fill the program's buffers.

use crate::interpose::gate::{self, Registers};
use crate::interpose::{channels, futex, loopback, modelled, order};
use crate::kernel::spin;
use crate::memory::snapshot;
use crate::model::misuse;
use crate::{access, facade, gates};
use core::ffi::{c_char, c_int, c_void};
use raddle_schedule::OpKind;

/// Makes what a call will fill writable for the system, where that is the argument with this
/// index, of this size.
fn filling(registers: *const Registers, argument: usize, size: usize) {
    if modelled() {
        // SAFETY: the gate's own record.
        let (address, caller) = unsafe { ((*registers).arguments[argument], (*registers).caller) };
        fills(address, size, caller);
    }
}

/// The same of a call that returns to `caller` and will fill this.
pub(in crate::interpose) fn fills(address: usize, size: usize, caller: *const c_void) {
    spin::changed();
    misuse::look_at_buffer(OpKind::Write, address, size, caller);
    snapshot::touch(address, size);
}

/// `write(fd, buffer, size)` and its like: the system reads the buffer. The step comes last: nobody else runs between it and
/// the call.
extern "C" fn writing(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    if !modelled() {
        return gate::behind(name);
    }
    // SAFETY: the gate's own record.
    let ([fd, buffer, size, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    misuse::look_at_buffer(OpKind::Read, buffer, size, caller);
    touched_by_system(OpKind::Read, buffer, size, caller);
    order::look(name, registers);
    if fd as i32 > 2 {
        channels::writes(fd as i32, buffer, size, name.to_str().unwrap_or("write"), caller);
    }
    gate::behind(name)
}

/// In C: what the system reads or writes of a buffer is an access. (Rust has hooks for the accesses of a part of its
/// code only.)
pub(in crate::interpose) fn touched_by_system(kind: OpKind, at: usize, len: usize, caller: *const c_void) {
    if len > 0 && !facade::is_there() {
        access::range(kind, at as u64, len as u64, caller);
    }
}

extern "C" fn second_argument(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    filling(registers, 1, size_of::<libc::stat>());
    gate::behind(gate::name(name))
}

extern "C" fn third_argument(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    filling(registers, 2, size_of::<libc::stat>());
    gate::behind(gate::name(name))
}

extern "C" fn sized_second(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    // SAFETY: the gate's own record.
    filling(registers, 1, unsafe { (*registers).arguments[2] });
    gate::behind(gate::name(name))
}

extern "C" fn sized_third(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    // SAFETY: as above.
    filling(registers, 2, unsafe { (*registers).arguments[3] });
    gate::behind(gate::name(name))
}

extern "C" fn sized_first(name: *const c_char, registers: *const Registers) -> *mut c_void {
    order::look(gate::name(name), registers);
    // SAFETY: as above.
    filling(registers, 0, unsafe { (*registers).arguments[1] });
    gate::behind(gate::name(name))
}

/// Answers of other sizes.
extern "C" fn answered(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    // SAFETY: the gate's own record.
    let [first, second, ..] = unsafe { (*registers).arguments };
    let answers: &[(usize, usize)] = &match name.to_bytes() {
        b"prctl" => [(1, futex::asked_for(first as c_int))],
        b"mincore" => [(2, second.div_ceil(4096))],
        b"getitimer" => [(1, size_of::<libc::itimerval>())],
        b"getgroups" | b"__getgroups_chk" => [(1, first * size_of::<libc::gid_t>())],
        b"sched_getparam" => [(1, size_of::<libc::sched_param>())],
        b"sched_rr_get_interval" => [(1, size_of::<libc::timespec>())],
        b"adjtimex" | b"ntp_adjtime" => [(0, size_of::<libc::timex>())],
        _ => [(3, size_of::<libc::rlimit>())],
    };
    for (argument, size) in answers {
        // SAFETY: as above.
        if *size > 0 && unsafe { (*registers).arguments[*argument] } != 0 {
            filling(registers, *argument, *size);
        }
    }
    gate::behind(name)
}

/// Three of one size.
extern "C" fn three_numbers(name: *const c_char, registers: *const Registers) -> *mut c_void {
    for argument in 0..3 {
        filling(registers, argument, size_of::<libc::uid_t>());
    }
    gate::behind(gate::name(name))
}

extern "C" fn first_argument(name: *const c_char, registers: *const Registers) -> *mut c_void {
    filling(registers, 0, size_of::<libc::utsname>());
    gate::behind(gate::name(name))
}

gates! { second_argument: stat stat64 lstat lstat64 fstat fstat64 statfs fstatfs getrlimit }

gates! { third_argument: fstatat fstatat64 }

gates! { sized_second: pread pread64 __pread_chk __pread64_chk readlink __readlink_chk }

gates! { sized_third: readlinkat __readlinkat_chk }

gates! { sized_first: getcwd __getcwd_chk }

gates! { first_argument: uname sysinfo }

gates! { three_numbers: getresuid getresgid }

gates! { answered:
    prctl mincore getitimer getgroups __getgroups_chk sched_getparam sched_rr_get_interval adjtimex ntp_adjtime prlimit prlimit64
}

gates! { writing: write pwrite pwrite64 send sendto }

/// The system fills the places that arguments with these indices name, of these sizes.
pub(super) fn filled(registers: *const Registers, places: &[(usize, usize)]) {
    for (argument, size) in places {
        // SAFETY: the gate's own record.
        snapshot::touch(unsafe { (*registers).arguments[*argument] }, *size);
    }
}

/// `getsockopt(fd, level, option, value, length)`: the length is also how much room there is.
extern "C" fn sized_behind(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let name = gate::name(name);
    // SAFETY: the gate's own record.
    if let Some(instead) = loopback::gets(unsafe { &*registers }) {
        return instead;
    }
    // SAFETY: the gate's own record, and the caller's length if there is one.
    let room = unsafe { ((*registers).arguments[4] as *const u32).as_ref() };
    if let Some(room) = room.filter(|_| modelled()) {
        filling(registers, 3, *room as usize);
        filled(registers, &[(4, size_of::<u32>())]);
    }
    gate::behind(name)
}

gates! { sized_behind: getsockopt }
