//! Functions whose result says what they have written, and where: messages of errors, times in memory of libc's own, arrays
//! that grow. They are called from here.

use super::calls::standing_for;
use super::wide::{WIDE, text};
use super::{length, reads, reads_string, real, replaced, whole, writes};
use crate::calls;
use crate::interpose::gate::Registers;
use crate::kernel::active;
use crate::model::misuse;
use core::ffi::{c_char, c_void};
use raddle_schedule::OpKind;
use raddle_schedule::world::{self, Kept};

const WORD: usize = size_of::<usize>();
/// `struct tm`.
const TIME: usize = size_of::<libc::tm>();

type Six = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize;

/// Calls libc's function of this name, with what came.
fn call(name: *const c_char, registers: &Registers) -> usize {
    let [a, b, c, d, e, f] = registers.arguments;
    // SAFETY: libc's function of this name takes no more than these; passed on as they came.
    let function = unsafe { core::mem::transmute::<*mut c_void, Six>(real(name).0) };
    // SAFETY: as above.
    standing_for(registers.caller, || unsafe { function(a, b, c, d, e, f) })
}

/// Whether somebody is to be told.
fn is_told(name: *const c_char) -> bool {
    active() && real(name).1
}

/// `strerror_r(number, room, size)`: the one of GNU gives back the message, which need not be in the room; POSIX's
/// (`__xpg_strerror_r`) puts it there.
extern "C" fn message(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([_, room, size, ..], caller) = (registers.arguments, registers.caller);
    let told = is_told(name);
    if told && size > 0 {
        misuse::look_at_buffer(OpKind::Write, room, 1, caller);
    }
    let result = call(name, registers);
    let is_there = replaced(name) == c"__xpg_strerror_r" || result == room;
    if told && is_there && size > 0 {
        writes(room, length(room, size).saturating_add(1).min(size), caller);
    }
    result
}

/// `gmtime(time)`, `localtime(time)`, `asctime(time)` and `ctime(time)`: what they give back is libc's own, one for all
/// threads. It has no name there, so a word with one is written before.
extern "C" fn time(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([given, ..], caller) = (registers.arguments, registers.caller);
    let told = is_told(name);
    let name_of = replaced(name).to_bytes();
    if told {
        reads(given, if name_of == b"asctime" { TIME } else { WORD }, caller);
    }
    let is_text = matches!(name_of, b"asctime" | b"ctime");
    if told && name_of != b"asctime" {
        given_back(Kept::Time, caller);
    }
    if told && name_of == b"ctime" {
        // It has the time of `localtime` first.
        // SAFETY: as the function itself does.
        let parts = unsafe { libc::localtime(given as *const libc::time_t) };
        writes(parts as usize, if parts.is_null() { 0 } else { TIME }, caller);
    }
    if told && is_text {
        given_back(Kept::TimeText, caller);
    }
    let result = call(name, registers);
    if told && result != 0 {
        writes(result, if is_text { whole(result) } else { TIME }, caller);
    }
    result
}

/// Writes the word that stands for what a function gives back.
fn given_back(what: Kept, caller: *const c_void) {
    writes(world::kept(what) as usize, WORD, caller);
}

/// `strptime(string, format, time)`: only what the format names is written.
extern "C" fn parsed(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([string, format, time, ..], caller) = (registers.arguments, registers.caller);
    let told = is_told(name);
    // As two times that differ everywhere would be filled: what is the same in both is what is written.
    let mut filled = [[1u32; TIME / 4], [2; TIME / 4]];
    let mut end = 0;
    if told {
        for one in &mut filled {
            let [_, _, _, d, e, f] = registers.arguments;
            // SAFETY: libc's function; a time of ours.
            let function = unsafe { core::mem::transmute::<*mut c_void, Six>(real(name).0) };
            // SAFETY: as above.
            end = unsafe { function(string, format, one.as_mut_ptr() as usize, d, e, f) };
        }
        let read = if end == 0 { whole(string) } else { end - string + 1 };
        reads(string, read.min(whole(string)), caller);
        reads_string(format, caller);
        reads(time, TIME, caller);
    }
    let result = call(name, registers);
    if told {
        let [one, other] = filled;
        for n in (0..TIME / 4).filter(|n| one[*n] == other[*n]) {
            writes(time + n * 4, 4, caller);
        }
    }
    result
}

/// `lfind(key, array, count, size, compare)` and `lsearch`, which adds what it has not found. What the elements hold is for
/// `compare` to read.
extern "C" fn searched(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([key, array, count, size, ..], caller) = (registers.arguments, registers.caller);
    let told = is_told(name);
    if told {
        reads(count, WORD, caller);
    }
    // SAFETY: the program's own word, which the function reads.
    let number = || unsafe { *(count as *const usize) };
    let before = number();
    let result = call(name, registers);
    if told && replaced(name) == c"lsearch" && result == array + before * size && number() == before + 1 {
        reads(key, size, caller);
        writes(result, size, caller);
        writes(count, WORD, caller);
    }
    result
}

/// `wcsftime(to, most, format, time)`.
extern "C" fn wide_time(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([to, _, format, time, ..], caller) = (registers.arguments, registers.caller);
    let told = is_told(name);
    if told {
        reads(format, text(format, usize::MAX), caller);
        reads(time, TIME, caller);
    }
    let result = call(name, registers);
    if told && result != 0 {
        writes(to, (result + 1) * WIDE, caller);
    }
    result
}

/// `insque(element, before)` and `remque(element)`: an element begins with the next and the one before.
extern "C" fn linked(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([element, before, ..], caller) = (registers.arguments, registers.caller);
    if is_told(name) {
        // SAFETY: the program's own elements, which the function reads.
        let next = |at: usize| unsafe { *(at as *const usize) };
        if replaced(name) == c"remque" {
            reads(element, 2 * WORD, caller);
            let (next, last) = (next(element), next(element + WORD));
            writes(next + WORD, if next == 0 { 0 } else { WORD }, caller);
            writes(last, if last == 0 { 0 } else { WORD }, caller);
        } else if before == 0 {
            writes(element, 2 * WORD, caller);
        } else {
            reads(before, WORD, caller);
            let next = next(before);
            writes(before, WORD, caller);
            writes(next + WORD, if next == 0 { 0 } else { WORD }, caller);
            writes(element, 2 * WORD, caller);
        }
    }
    call(name, registers)
}

calls! { message: __wrap_strerror_r __wrap___xpg_strerror_r }
calls! { time: __wrap_gmtime __wrap_localtime __wrap_asctime __wrap_ctime }
calls! { parsed: __wrap_strptime }
calls! { searched: __wrap_lfind __wrap_lsearch }
calls! { wide_time: __wrap_wcsftime }
calls! { linked: __wrap_insque __wrap_remque }
