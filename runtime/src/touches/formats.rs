//! Formatted output: which memory the arguments of `printf` and its like name, by the format, and how much of a
//! buffer is filled.

use super::wide::{self, WIDE};
use super::{byte, length, reads, reads_string, whole, writes};
use crate::interpose::gate::Registers;
use crate::kernel::k;
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::Ordering;
use raddle_schedule::channel::outside::UNREAD_FORMAT;

/// A list of arguments as the compiler keeps it (System V ABI, `va_list`).
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Arguments {
    /// Where the next one from a general register is kept.
    general: u32,
    /// The same for vector registers.
    vector: u32,
    /// The next one on the stack.
    stack: usize,
    /// Where registers were saved: six words, then the vectors.
    saved: usize,
}

/// The registers of a gate in the order in which the compiler saves them.
#[repr(C, align(16))]
pub struct Saved {
    general: [usize; 6],
    vectors: [u128; 8],
}

impl Saved {
    /// Of a variadic call that a gate has seen.
    pub fn new(registers: &Registers) -> Saved {
        Saved { general: registers.arguments, vectors: registers.vectors() }
    }

    /// Its arguments behind so many named ones.
    pub fn behind(&self, named: usize, registers: &Registers) -> Arguments {
        Arguments {
            general: (named * 8) as u32,
            vector: 48,
            // Above the return address.
            stack: &raw const registers.caller as usize + 8,
            saved: self as *const Saved as usize,
        }
    }
}

impl Arguments {
    /// Where a `va_list` is, which the function that is given it uses up.
    ///
    /// # Safety
    /// The address of one that is in use.
    unsafe fn at(list: usize) -> Arguments {
        // SAFETY: the caller's promise.
        unsafe { *(list as *const Arguments) }
    }

    /// The next number or address.
    pub fn word(&mut self) -> usize {
        let at = match self.general {
            0..48 => {
                self.general += 8;
                self.saved + self.general as usize - 8
            }
            _ => self.next(8),
        };
        // SAFETY: where the caller of the function has put it.
        unsafe { *(at as *const usize) }
    }

    fn next(&mut self, size: usize) -> usize {
        self.stack += size;
        self.stack - size
    }

    /// Passes over a floating-point number.
    fn float(&mut self, long: bool) {
        match self.vector {
            _ if long => {
                self.stack = self.stack.next_multiple_of(16);
                self.next(16);
            }
            0..176 => self.vector += 16,
            _ => {
                self.next(8);
            }
        }
    }
}

unsafe extern "C" {
    fn vsnprintf(buffer: *mut c_char, size: usize, format: *const c_char, list: *mut Arguments) -> c_int;
}

/// Says what one of the functions that print does to memory. One that is `checked` is given a flag before the format, and
/// the room of a buffer.
pub fn tell(name: &[u8], checked: bool, registers: &Registers) {
    let ([a, b, c, ..], caller) = (registers.arguments, registers.caller);
    // Which argument the format is, and the size of the buffer where there is one.
    let (format, size) = match (name.strip_prefix(b"v").unwrap_or(name), checked) {
        (b"printf" | b"wprintf" | b"warn" | b"warnx", false) => (0, None),
        (b"err" | b"errx", false) => (1, None),
        (b"error", false) => (2, None),
        (b"error_at_line", false) => (4, None),
        (b"printf" | b"wprintf", true) => (1, None),
        (b"fprintf" | b"fwprintf" | b"dprintf", false) => (1, None),
        (b"fprintf" | b"fwprintf" | b"dprintf", true) => (2, None),
        (b"asprintf", false) => (1, None),
        (b"asprintf", true) => (2, None),
        (b"sprintf", false) => (1, Some(usize::MAX)),
        (b"sprintf", true) => (3, Some(c)),
        (b"snprintf", false) => (2, Some(b)),
        (b"snprintf", true) => (4, Some(b)),
        _ => return,
    };
    let saved = Saved::new(registers);
    let list = match name.starts_with(b"v") {
        // SAFETY: the function's last argument, the program's list.
        true => unsafe { Arguments::at(registers.arguments[format + 1]) },
        false => saved.behind(format + 1, registers),
    };
    let format = registers.arguments[format];
    arguments(format, list, name.ends_with(b"wprintf"), caller);
    if name.ends_with(b"asprintf") {
        // The block is its own.
        writes(a, size_of::<usize>(), caller);
    }
    if let Some(size) = size {
        let mut list = list;
        // SAFETY: the program's format and a copy of its arguments; nothing is written.
        let n = unsafe { vsnprintf(core::ptr::null_mut(), 0, format as *const c_char, &mut list) };
        if let Ok(n) = usize::try_from(n) {
            writes(a, (n + 1).min(size), caller);
        }
    }
}

/// The characters of a format, of which only those of ASCII say anything.
pub fn characters(format: usize, is_wide: bool) -> impl Iterator<Item = u8> {
    let narrowed = |c: c_int| u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(b'?');
    let at = move |n| if is_wide { narrowed(wide::unit(format, n)) } else { byte(format + n) };
    (0..).map(at).take_while(|c| *c != 0)
}

/// What the arguments of this format name. Of formats with numbered arguments (`%1$s`) nothing is told but that.
pub fn arguments(format: usize, mut list: Arguments, is_wide: bool, caller: *const c_void) {
    match is_wide {
        true => reads(format, wide::text(format, usize::MAX), caller),
        false => reads_string(format, caller),
    }
    let mut rest = characters(format, is_wide).peekable();
    while let Some(c) = rest.next() {
        if c != b'%' {
            continue;
        }
        while rest.next_if(|c| b"-+ #0'I".contains(c)).is_some() {}
        if rest.next_if_eq(&b'*').is_some() {
            list.word();
        }
        while rest.next_if(u8::is_ascii_digit).is_some() {}
        let mut precision = None;
        if rest.next_if_eq(&b'.').is_some() {
            let mut n = 0usize;
            if rest.next_if_eq(&b'*').is_some() {
                precision = usize::try_from(list.word() as c_int).ok();
            } else {
                while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
                    n = n.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                }
                precision = Some(n);
            }
        }
        let (mut size, mut long_double) = (4, false);
        while let Some(c) = rest.next_if(|c| b"hlqLjzt".contains(c)) {
            size = match (c, size) {
                (b'h', 4) => 2,
                (b'h', _) => 1,
                _ => 8,
            };
            long_double |= c == b'L';
        }
        match rest.next() {
            Some(b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'C' | b'p') => {
                list.word();
            }
            Some(b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G') => list.float(long_double),
            Some(b's') if size == 4 => {
                let at = list.word();
                if is_wide && is_multibyte(at, precision) {
                    cannot_follow();
                }
                string(at, precision, caller);
            }
            Some(b's' | b'S') => wide_string(list.word(), precision, caller),
            Some(b'n') => {
                let at = list.word();
                writes(at, size, caller);
            }
            Some(b'%' | b'm') => {}
            _ => return cannot_follow(),
        }
    }
}

/// A format, or what it has filled, cannot be followed to its end: the guarantee says so.
pub fn cannot_follow() {
    k().setup().channel.header().outside.fetch_or(UNREAD_FORMAT, Ordering::Relaxed);
}

/// Does the precision count characters of this string that may have several bytes?
fn is_multibyte(at: usize, precision: Option<usize>) -> bool {
    at != 0 && precision.is_some_and(|most| (0..length(at, most)).any(|n| !byte(at + n).is_ascii()))
}

/// A string, of which no more than the precision is read.
fn string(at: usize, precision: Option<usize>, caller: *const c_void) {
    if at != 0 {
        reads(
            at,
            precision.map_or_else(|| whole(at), |most| length(at, most).saturating_add(1).min(most)),
            caller,
        );
    }
}

/// A string of wide characters. The precision counts bytes of what is printed, each of which is at least one of these.
fn wide_string(at: usize, precision: Option<usize>, caller: *const c_void) {
    let most = precision.unwrap_or(usize::MAX);
    let mut n = 0;
    // SAFETY: the program's string, which the function will read.
    while at != 0 && n < most && unsafe { *(at as *const u32).add(n) } != 0 {
        n += 1;
    }
    if at != 0 {
        reads(at, n.saturating_add(1).min(most) * WIDE, caller);
    }
}
