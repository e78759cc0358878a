//! Characters of several bytes: turning them into wide ones and back, one by one (`mbrtowc`, `wcrtomb` and their like) and
//! as strings. Whoever gives no state uses the function's own, which all threads share: it is kept here and not in libc,
//! whose memory is not rolled back, and each call reads and writes it.
//!
//! What a call will do is found out beforehand, with a copy of the state.

use super::calls::standing_for;
use super::wide::{WIDE, text, unit};
use super::{reads, real, replaced, whole, writes};
use crate::interpose::gate::{Registers, unchecked};
use crate::kernel::active;
use crate::{calls, gates};
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_void};
use raddle_schedule::world::{self, Kept};

/// `mbstate_t`: how far a character has come (glibc, two words of four bytes).
type State = u64;

const STATE: usize = size_of::<State>();
const WORD: usize = size_of::<usize>();
/// What the functions return of bytes that are no character, and of ones that are a part of one.
const NONE: usize = usize::MAX;
const PART: usize = usize::MAX - 1;
/// A character takes no more bytes (`MB_LEN_MAX`).
const MOST: usize = 16;

unsafe extern "C" {
    fn mbstowcs(to: *mut c_int, from: *const c_char, most: usize) -> usize;
    fn wcstombs(to: *mut c_char, from: *const c_int, most: usize) -> usize;
    fn mbrtowc(to: *mut c_int, from: *const c_char, most: usize, state: *mut State) -> usize;
    fn wcrtomb(to: *mut c_char, from: c_int, state: *mut State) -> usize;
}

/// How many functions keep one.
const KEPT: usize = Kept::Wcsnrtombs as usize + 1;

struct States(UnsafeCell<[[State; KEPT]; 2]>);

// SAFETY: used by the token's holder, or before there are threads.
unsafe impl Sync for States {}

/// The states of functions that are given none, now and as they were before the first execution.
static STATES: States = States(UnsafeCell::new([[0; KEPT]; 2]));

fn states() -> &'static mut [[State; KEPT]; 2] {
    // SAFETY: see `States`; one reference at a time.
    unsafe { &mut *STATES.0.get() }
}

/// An execution begins.
pub fn begin() {
    let [now, before] = states();
    *now = *before;
}

/// The state of a function that is given none.
fn own(what: Kept) -> *mut State {
    let [now, before] = states();
    if active() { &mut now[what as usize] } else { &mut before[what as usize] }
}

/// A call that reads and writes the state that this argument points to, or its own where that is null: told, and the state
/// as it is.
fn used(state: usize, what: Kept, caller: *const c_void) -> State {
    let at = if state == 0 { world::kept(what) as usize } else { state };
    reads(at, STATE, caller);
    writes(at, STATE, caller);
    let from = if state == 0 { own(what) } else { state as *mut State };
    // SAFETY: ours, or the program's, which the function will read.
    unsafe { *from }
}

/// The next character there, of so many bytes at most: what `mbrtowc` will return, and how many bytes it will look at.
fn next(at: usize, most: usize, state: &mut State) -> (usize, usize) {
    for n in 1..=most.min(MOST) {
        let mut copy = *state;
        // SAFETY: the program's bytes, which the function will read so far; nothing is written but the copy.
        let result = unsafe { mbrtowc(core::ptr::null_mut(), at as *const c_char, n, &mut copy) };
        if result != PART || n == most {
            *state = copy;
            return (result, n);
        }
    }
    (PART, 0)
}

/// The bytes of this character; `None` where it has none.
fn bytes(character: c_int, state: &mut State) -> Option<usize> {
    let mut room = [0u8; MOST];
    // SAFETY: room for any character.
    let n = unsafe { wcrtomb(room.as_mut_ptr().cast(), character, state) };
    (n != NONE).then_some(n)
}

/// `mbrtowc(to, from, most, state)`; `mbrlen` is the same that writes nothing.
fn from_bytes(to: usize, from: usize, most: usize, state: usize, what: Kept, caller: *const c_void) {
    let mut state = used(state, what, caller);
    if from == 0 {
        return;
    }
    let (result, read) = next(from, most, &mut state);
    reads(from, read, caller);
    writes(to, if to == 0 || result >= PART { 0 } else { WIDE }, caller);
}

/// `mbsrtowcs(to, from, most, state)`, of so many bytes.
fn strings_from_bytes([to, from, most, state]: [usize; 4], bytes: usize, what: Kept, caller: *const c_void) {
    let mut state = used(state, what, caller);
    reads(from, WORD, caller);
    // SAFETY: the program's own word, which the function will read.
    let begin = unsafe { *(from as *const usize) };
    let (mut at, mut written) = (begin, 0);
    while to == 0 || written < most {
        let (result, read) = next(at, bytes - (at - begin), &mut state);
        at += read;
        if result >= PART {
            break;
        }
        written += 1;
        if result == 0 {
            break;
        }
    }
    reads(begin, at - begin, caller);
    if to != 0 {
        writes(to, written * WIDE, caller);
        writes(from, WORD, caller);
    }
}

/// `wcsrtombs(to, from, most, state)`, of so many characters.
fn strings_to_bytes([to, from, most, state]: [usize; 4], of: usize, what: Kept, caller: *const c_void) {
    let mut state = used(state, what, caller);
    reads(from, WORD, caller);
    // SAFETY: the program's own word, which the function will read.
    let begin = unsafe { *(from as *const usize) };
    let (mut read, mut written) = (0, 0);
    while read < of && (to == 0 || written < most) {
        let character = unit(begin, read);
        read += 1;
        match bytes(character, &mut state) {
            Some(n) if to == 0 || written + n <= most => written += n,
            _ => break,
        }
        if character == 0 {
            break;
        }
    }
    reads(begin, read * WIDE, caller);
    if to != 0 {
        writes(to, written, caller);
        writes(from, WORD, caller);
    }
}

/// `wcrtomb(to, character, state)`.
fn to_bytes(to: usize, character: usize, state: usize, what: Kept, caller: *const c_void) {
    let mut state = used(state, what, caller);
    writes(to, if to == 0 { 0 } else { bytes(character as c_int, &mut state).unwrap_or(0) }, caller);
}

/// Says what this function does to memory, with its own state where it is given none.
fn tell(what: Kept, arguments: &[usize; 6], caller: *const c_void) {
    let [a, b, c, d, e, _] = *arguments;
    match what {
        Kept::Mbrtowc => from_bytes(a, b, c, d, what, caller),
        Kept::Mbrlen => from_bytes(0, a, b, c, what, caller),
        Kept::Wcrtomb => to_bytes(a, b, c, what, caller),
        Kept::Mbsrtowcs => strings_from_bytes([a, b, c, d], usize::MAX, what, caller),
        Kept::Mbsnrtowcs => strings_from_bytes([a, b, d, e], c, what, caller),
        Kept::Wcsrtombs => strings_to_bytes([a, b, c, d], usize::MAX, what, caller),
        Kept::Wcsnrtombs => strings_to_bytes([a, b, d, e], c, what, caller),
        Kept::Mblen => from_bytes(0, a, b, 0, what, caller),
        Kept::Mbtowc => from_bytes(a, b, c, 0, what, caller),
        Kept::Wctomb => to_bytes(a, b, 0, what, caller),
        Kept::Token | Kept::Time | Kept::TimeText => {}
    }
}

/// Which argument is the state, and whose it is where it is null.
fn state_of(name: &[u8]) -> (usize, Kept) {
    match name {
        b"mbrtowc" => (3, Kept::Mbrtowc),
        b"wcrtomb" => (2, Kept::Wcrtomb),
        b"mbsrtowcs" => (3, Kept::Mbsrtowcs),
        b"mbsnrtowcs" => (4, Kept::Mbsnrtowcs),
        b"wcsrtombs" => (3, Kept::Wcsrtombs),
        b"wcsnrtombs" => (4, Kept::Wcsnrtombs),
        _ => (2, Kept::Mbrlen),
    }
}

extern "C" fn with_state(name: *const c_char, registers: *mut Registers) -> *mut c_void {
    let (function, is_libcs) = real(name);
    if !is_libcs {
        return function;
    }
    // SAFETY: the gate's own record.
    let registers = unsafe { &mut *registers };
    let name = unchecked(replaced(name).to_str().unwrap_or_default()).as_bytes();
    let (at, what) = state_of(name);
    if active() {
        tell(what, &registers.arguments, registers.caller);
    }
    if registers.arguments[at] == 0 {
        registers.arguments[at] = own(what) as usize;
    }
    function
}

/// `mblen(from, most)`, `mbtowc(to, from, most)`, `wctomb(to, character)`: as libc's, with states of our own.
extern "C" fn stateless(name: *const c_char, registers: *const Registers) -> usize {
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let ([a, b, c, ..], caller) = (registers.arguments, registers.caller);
    let name = unchecked(replaced(name).to_str().unwrap_or_default());
    let (what, from) = match name {
        "mblen" => (Kept::Mblen, a),
        "mbtowc" => (Kept::Mbtowc, b),
        _ => (Kept::Wctomb, a),
    };
    if active() {
        tell(what, &registers.arguments, caller);
    }
    let state = own(what);
    if from == 0 {
        // SAFETY: ours. None of libc's encodings depends on what came before.
        unsafe { *state = 0 };
        return 0;
    }
    // SAFETY: the program's bytes and its room for a character; the state is ours.
    let call = || unsafe {
        match what {
            Kept::Mblen => mbrtowc(core::ptr::null_mut(), a as *const c_char, b, state),
            Kept::Mbtowc => mbrtowc(a as *mut c_int, b as *const c_char, c, state),
            _ => wcrtomb(a as *mut c_char, b as c_int, state),
        }
    };
    let result = standing_for(caller, call);
    if what == Kept::Mblen {
        // SAFETY: as above. It begins each time anew.
        unsafe { *state = 0 };
    }
    // An `int`: -1 for what is none, or a part of one.
    if result >= PART { c_int::from(-1i8) as isize as usize } else { result }
}

/// `mbstowcs(to, from, most)`: a string of bytes as so many wide characters at most.
pub(super) fn to_wide(to: usize, from: usize, most: usize, caller: *const c_void) {
    // SAFETY: the program's string, which the function will read.
    let all = unsafe { mbstowcs(core::ptr::null_mut(), from as *const c_char, 0) };
    if to == 0 || all == NONE || all < most {
        reads(from, whole(from), caller);
    } else {
        let (mut at, mut state) = (from, 0);
        for _ in 0..most {
            at += next(at, usize::MAX, &mut state).1;
        }
        reads(from, at - from, caller);
    }
    // Of one that cannot be turned into characters what was written before is not known.
    if to != 0 && all != NONE {
        writes(to, all.saturating_add(1).min(most).saturating_mul(WIDE), caller);
    }
}

/// `wcstombs(to, from, most)`: a string of wide characters as so many bytes at most, and none in part.
pub(super) fn from_wide(to: usize, from: usize, most: usize, caller: *const c_void) {
    // SAFETY: the program's string, which the function will read.
    let all = unsafe { wcstombs(core::ptr::null_mut(), from as *const c_int, 0) };
    if to == 0 || all == NONE || all < most {
        reads(from, text(from, usize::MAX), caller);
        if to != 0 && all != NONE {
            writes(to, all + 1, caller);
        }
        return;
    }
    let (mut written, mut read, mut state) = (0, 0, 0);
    while written < most {
        let n = bytes(unit(from, read), &mut state).unwrap_or(0);
        read += 1;
        if written + n > most {
            break;
        }
        written += n;
    }
    reads(from, read * WIDE, caller);
    writes(to, written, caller);
}

gates! { with_state:
    __wrap_mbrlen __wrap___mbrlen __wrap_mbrtowc __wrap_wcrtomb __wrap_mbsrtowcs __wrap_mbsnrtowcs __wrap_wcsrtombs
    __wrap_wcsnrtombs __wrap___wcrtomb_chk __wrap___mbsrtowcs_chk __wrap___mbsnrtowcs_chk __wrap___wcsrtombs_chk
    __wrap___wcsnrtombs_chk
}
calls! { stateless: __wrap_mblen __wrap_mbtowc __wrap_wctomb __wrap___wctomb_chk }
