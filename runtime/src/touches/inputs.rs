//! Functions that fill memory with what they find: only their result tells how much. They are called from here, and
//! what they have written is told then.

use super::calls::standing_for;
use super::formats::{self, Arguments, Saved, cannot_follow};
use super::wide::{self, WIDE};
use super::{length, reads, reads_string, real, replaced, writes};
use crate::interpose::gate::{Registers, unchecked};
use crate::interpose::{stdio, wide_stdio};
use crate::kernel::active;
use crate::memory::snapshot;
use crate::model::misuse;
use core::ffi::{c_char, c_int, c_void};
use raddle_schedule::OpKind;

/// Gates that do not go on in libc's function but call it, and return what that returns. Where the program has a
/// function of its own of that name they go on in it (`theirs`), whatever it takes and gives back.
#[macro_export]
macro_rules! calls {
    ($function:path: $($name:ident)*) => { $(
        /// Calls libc's function, and tells what it did to memory.
        ///
        /// # Safety
        /// As in libc.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov [rip + {entered}], rsp",
                $crate::keeps_arguments!(),
                "lea rdi, [rip + 2f]",
                "call {theirs}",
                "test rax, rax",
                "jz 4f",
                "mov r11, rax",
                $crate::gives_back_vectors!(),
                ".cfi_remember_state",
                $crate::gives_back_arguments!(),
                "jmp r11",
                ".cfi_restore_state",
                "4:",
                "lea rdi, [rip + 2f]",
                "mov rsi, rsp",
                "call {function}",
                "add rsp, 184", ".cfi_adjust_cfa_offset -184",
                $crate::wipes_on_return!(),
                "2:",
                concat!(".asciz \"", stringify!($name), "\""),
                ".cfi_endproc",
                function = sym $function,
                entered = sym $crate::model::stacks::ENTERED,
                theirs = sym $crate::touches::theirs,
                above = sym $crate::kernel::spin::WIPES_ABOVE,
                wipe = sym $crate::kernel::spin::wipe_and_return,
            )
        }
    )* };
}

type Five = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> usize;
type Scan = unsafe extern "C" fn(*const c_char, *const c_char, *mut Arguments) -> c_int;

/// `fread(buffer, size, n, stream)`, `fgets(buffer, size, stream)`, `fgetws(buffer, n, stream)`; those that check have the buffer's room behind it.
extern "C" fn fill(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([a, b, c, d, e, _], caller) = (registers.arguments, registers.caller);
    let name_of = replaced(name).to_str().unwrap_or_default();
    let plain = unchecked(name_of);
    let [size, n, stream] = if plain == name_of { [b, c, d] } else { [c, d, e] };
    let (function, is_libcs) = real(name);
    let is_blocks = plain.starts_with("fread");
    let (one, most, stream) = match is_blocks {
        true => (size, size.saturating_mul(n), stream),
        false if plain.starts_with("fgetws") => (0, size.saturating_mul(WIDE), n),
        false => (0, size, n),
    };
    let told = active() && is_libcs;
    if told {
        stdio::before_reading(stream as *mut libc::FILE, plain, caller);
        misuse::look_at_buffer(OpKind::Write, a, most, caller);
    }
    // SAFETY: libc's function of this name takes no more than these; passed on as they came.
    let call = || unsafe { core::mem::transmute::<*mut c_void, Five>(function)(a, b, c, d, e) };
    let result = standing_for(caller, call);
    if told {
        let written = match one {
            1.. => result.saturating_mul(one),
            _ if result == 0 || is_blocks => 0,
            _ if plain.starts_with("fgetws") => wide::text(a, size),
            _ => length(a, most) + 1,
        };
        writes(a, written.min(most), caller);
    }
    result
}

/// `sscanf(string, format, …)` and `vsscanf`; the same of wide characters: `swscanf`, `vswscanf`.
extern "C" fn scan(name: *const c_char, registers: *const Registers) -> usize {
    unsafe extern "C" {
        #[link_name = "__isoc99_vsscanf"]
        fn vsscanf(string: *const c_char, format: *const c_char, list: *mut Arguments) -> c_int;
        #[link_name = "__isoc99_vswscanf"]
        fn vswscanf(string: *const c_char, format: *const c_char, list: *mut Arguments) -> c_int;
    }
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([string, format, list, ..], caller) = (registers.arguments, registers.caller);
    let name = replaced(name).to_bytes();
    let saved = Saved::new(registers);
    let is_wide = name.ends_with(b"swscanf");
    let arguments = match name.ends_with(b"vsscanf") || name.ends_with(b"vswscanf") {
        // SAFETY: the function's last argument, the program's list.
        true => unsafe { *(list as *const Arguments) },
        false => saved.behind(2, registers),
    };
    if active() {
        told_text(string, is_wide, caller);
        told_text(format, is_wide, caller);
    }
    let (mut used, scan): (_, Scan) = (arguments, if is_wide { vswscanf } else { vsscanf });
    // SAFETY: the program's strings and a copy of its arguments.
    let found = unsafe { scan(string as *const c_char, format as *const c_char, &mut used) };
    if active() {
        assigned(format, arguments, found, is_wide, caller);
    }
    found as isize as usize
}

/// A string is read, of bytes or of wide characters.
fn told_text(at: usize, is_wide: bool, caller: *const c_void) {
    match is_wide {
        true => reads(at, wide::text(at, usize::MAX), caller),
        false => reads_string(at, caller),
    }
}

/// `swprintf(buffer, n, format, …)` and `vswprintf`; those that check have a flag and the buffer's room behind the second. How
/// much they write only their result tells.
extern "C" fn print_wide(name: *const c_char, registers: *const Registers) -> usize {
    unsafe extern "C" {
        fn vswprintf(buffer: usize, n: usize, format: usize, list: *mut Arguments) -> c_int;
        fn __vswprintf_chk(
            buffer: usize,
            n: usize,
            flag: usize,
            room: usize,
            format: usize,
            list: *mut Arguments,
        ) -> c_int;
    }
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([buffer, n, third, fourth, fifth, sixth], caller) = (registers.arguments, registers.caller);
    let name = replaced(name).to_bytes();
    let checks = name.ends_with(b"_chk");
    let (format, list, named) = if checks { (fifth, sixth, 5) } else { (third, fourth, 3) };
    let saved = Saved::new(registers);
    let arguments = match name.windows(2).any(|part| part == b"vs") {
        // SAFETY: the function's last argument, the program's list.
        true => unsafe { *(list as *const Arguments) },
        false => saved.behind(named, registers),
    };
    if active() {
        formats::arguments(format, arguments, true, caller);
        misuse::look_at_buffer(OpKind::Write, buffer, n.saturating_mul(WIDE), caller);
    }
    let mut used = arguments;
    // SAFETY: the program's buffer and format, and a copy of its arguments.
    let printed = unsafe {
        match checks {
            true => __vswprintf_chk(buffer, n, third, fourth, format, &mut used),
            false => vswprintf(buffer, n, format, &mut used),
        }
    };
    if active() {
        // Where there is no room for all of it, it has filled what there was.
        let written = usize::try_from(printed).map_or(n, |printed| printed + 1);
        writes(buffer, written.min(n).saturating_mul(WIDE), caller);
    }
    printed as isize as usize
}

/// `getline(line, size, stream)` and `getdelim(line, size, end, stream)`: a line that has no room gets another block.
extern "C" fn line(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([a, b, c, d, ..], caller) = (registers.arguments, registers.caller);
    let (function, is_libcs) = real(name);
    let told = active() && is_libcs && a != 0 && b != 0;
    // SAFETY: the program's own words, which the function reads and writes.
    let words = || unsafe { [*(a as *const usize), *(b as *const usize)] };
    let word = size_of::<usize>();
    let before = told.then(|| {
        reads(a, word, caller);
        reads(b, word, caller);
        let [block, room] = words();
        misuse::look_at_buffer(OpKind::Write, block, room, caller);
        snapshot::touch(block, if block == 0 { 0 } else { room });
        [block, room]
    });
    // SAFETY: libc's function of this name takes no more than these; passed on as they came.
    let call = || unsafe { core::mem::transmute::<*mut c_void, Five>(function)(a, b, c, d, 0) };
    let result = standing_for(caller, call);
    if let Some(before) = before {
        let after = words();
        for (at, (old, new)) in [a, b].into_iter().zip(before.into_iter().zip(after)) {
            writes(at, if old == new { 0 } else { word }, caller);
        }
        writes(after[0], usize::try_from(result as isize).map_or(0, |n| n + 1), caller);
    }
    result
}

/// `fscanf(stream, format, …)`, `vfscanf`, and the same from standard input: `scanf(format, …)`, `vscanf`; all of them of wide
/// characters, too.
extern "C" fn scan_stream(name: *const c_char, registers: *const Registers) -> usize {
    unsafe extern "C" {
        static stdin: *mut libc::FILE;
    }
    type ScanStream = unsafe extern "C" fn(*mut libc::FILE, *const c_char, *mut Arguments) -> c_int;
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([a, b, c, ..], caller) = (registers.arguments, registers.caller);
    let name = replaced(name).to_bytes();
    // SAFETY: libc's stream, set up before any program code.
    let input = unsafe { stdin };
    let is_wide = name.ends_with(b"wscanf");
    let has_stream = name.ends_with(b"fscanf") || name.ends_with(b"fwscanf");
    let (stream, format, list) = if has_stream { (a as *mut libc::FILE, b, c) } else { (input, a, b) };
    let takes_list =
        [&b"vscanf"[..], b"vfscanf", b"vwscanf", b"vfwscanf"].iter().any(|end| name.ends_with(end));
    let saved = Saved::new(registers);
    let arguments = match takes_list {
        // SAFETY: the function's last argument, the program's list.
        true => unsafe { *(list as *const Arguments) },
        false => saved.behind(if has_stream { 2 } else { 1 }, registers),
    };
    if active() {
        told_text(format, is_wide, caller);
        let function = core::str::from_utf8(name).unwrap_or("fscanf");
        stdio::before_reading(stream, stdio::plain(function), caller);
    }
    let mut used = arguments;
    let gate = match is_wide {
        true => wide_stdio::__isoc99_vfwscanf as *const (),
        false => stdio::__isoc99_vfscanf as *const (),
    };
    // SAFETY: the gate of this name, which takes what libc's function takes.
    let scan = unsafe { core::mem::transmute::<*const (), ScanStream>(gate) };
    // SAFETY: the program's stream and format, and a copy of its arguments.
    let call = || unsafe { scan(stream, format as *const c_char, &mut used) } as isize as usize;
    let found = standing_for(caller, call);
    if active() {
        assigned(format, arguments, found as c_int, is_wide, caller);
    }
    found
}

/// What the first so many conversions of this format have filled.
fn assigned(format: usize, mut list: Arguments, found: c_int, is_wide: bool, caller: *const c_void) {
    let (mut rest, mut left) = (formats::characters(format, is_wide).peekable(), found);
    while let Some(c) = rest.next() {
        if c != b'%' {
            continue;
        }
        let skipped = rest.next_if_eq(&b'*').is_some();
        let mut width = 0usize;
        while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
            width = width.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        }
        let (mut size, mut long_double, mut allocates) = (4, false, false);
        while let Some(c) = rest.next_if(|c| b"hlqLjztm".contains(c)) {
            size = match (c, size) {
                (b'h', 4) => 2,
                (b'h', _) => 1,
                (b'm', size) => size,
                _ => 8,
            };
            long_double |= c == b'L';
            allocates |= c == b'm';
        }
        let conversion = rest.next();
        if conversion == Some(b'[') {
            let _ = rest.next_if_eq(&b'^');
            let _ = rest.next_if_eq(&b']');
            while rest.next().is_some_and(|c| c != b']') {}
        }
        if conversion == Some(b'%') || skipped {
            continue;
        }
        if conversion != Some(b'n') {
            if left <= 0 {
                return;
            }
            left -= 1;
        }
        let at = list.word();
        let bytes = match conversion {
            _ if allocates => size_of::<usize>(),
            Some(b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n') => size,
            Some(b'p') => size_of::<usize>(),
            Some(b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G') if long_double => 16,
            Some(b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G') => size,
            Some(b'c') if size == 4 && !is_wide => width.max(1),
            Some(b's' | b'[') if size == 4 => length(at, usize::MAX) + 1,
            Some(b'c') if size == 8 => width.max(1) * WIDE,
            Some(b'C') => width.max(1) * WIDE,
            Some(b's' | b'[') if size == 8 => wide::text(at, usize::MAX),
            Some(b'S') => wide::text(at, usize::MAX),
            // Numbered arguments, and bytes of a character.
            _ => return cannot_follow(),
        };
        writes(at, bytes, caller);
    }
}

calls! { fill:
    __wrap_fread __wrap_fgets __wrap___fread_chk __wrap___fgets_chk __wrap_fread_unlocked __wrap_fgets_unlocked
    __wrap___fread_unlocked_chk __wrap___fgets_unlocked_chk __wrap_fgetws __wrap_fgetws_unlocked __wrap___fgetws_chk
    __wrap___fgetws_unlocked_chk
}
calls! { scan:
    __wrap_sscanf __wrap_vsscanf __wrap___isoc99_sscanf __wrap___isoc99_vsscanf __wrap___isoc23_sscanf
    __wrap___isoc23_vsscanf __wrap_swscanf __wrap_vswscanf __wrap___isoc99_swscanf __wrap___isoc99_vswscanf
    __wrap___isoc23_swscanf __wrap___isoc23_vswscanf
}
calls! { print_wide: __wrap_swprintf __wrap_vswprintf __wrap___swprintf_chk __wrap___vswprintf_chk }
calls! { line: __wrap_getline __wrap_getdelim __wrap___getdelim }
calls! { scan_stream:
    __wrap_fscanf __wrap_vfscanf __wrap___isoc99_fscanf __wrap___isoc99_vfscanf __wrap___isoc23_fscanf
    __wrap___isoc23_vfscanf __wrap_scanf __wrap_vscanf __wrap___isoc99_scanf __wrap___isoc99_vscanf
    __wrap___isoc23_scanf __wrap___isoc23_vscanf __wrap_fwscanf __wrap_vfwscanf __wrap___isoc99_fwscanf
    __wrap___isoc99_vfwscanf __wrap_wscanf __wrap_vwscanf __wrap___isoc99_wscanf __wrap___isoc99_vwscanf
    __wrap___isoc23_fwscanf __wrap___isoc23_vfwscanf __wrap___isoc23_wscanf __wrap___isoc23_vwscanf
}
