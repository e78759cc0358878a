//! The names of SV-COMP, the competition on software verification (its rules, section "Verification tasks"), with their meanings: calls
//! of `reach_error` are failures, `__VERIFIER_assume` gives executions up, `__VERIFIER_nondet_…` gives inputs, and what stands
//! between `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end`, or in a function whose name begins so, is atomic.
//!
//! Programs define some of these themselves (`void reach_error() { assert(0); }`, or with an empty body). What the markers put
//! into such functions calls the runtime, which then does the same.

#![allow(non_snake_case)]

use crate::c_api::{begin_block, choose_input, end_block, raddle_assume};
use crate::entry;
use crate::interpose::{modelled, real, refused, site};
use crate::kernel::k;
use crate::kernel::point::end_execution;
use crate::kernel::record::backtrace;
use alloc::format;
use alloc::string::String;
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;
use raddle_schedule::Outcome;
use raddle_schedule::input::{self, Input};

/// The check that programs write by way of `reach_error`.
const ASSERT: &[u8] = b"__VERIFIER_assert";
/// What stands for `__VERIFIER_assume` since that is no name of the rules any more; it calls `abort`.
const ASSUME: &[u8] = b"assume_abort_if_not";

/// Functions that are atomic by their name.
const ATOMIC: &[u8] = b"__VERIFIER_atomic_";

/// Is the running thread in a function that gives executions up by `abort`? In an atomic one nothing else can be meant: it waits
/// until it can be done.
pub fn assumes() -> bool {
    k().me().frames.innermost().is_some_and(|name| name == ASSUME || name.starts_with(ATOMIC))
}

/// Ends the execution since a check failed that goes on at this address, and says so: `what` happened in a function.
fn fail(within: u64, what: &str, function: Option<&[u8]>) -> ! {
    let site = site(within as *const c_void);
    let end = &mut k().end;
    (end.site, end.pc, end.within) = (site, within, within);
    let message = match function {
        Some(function) => format!("{what} in {}", String::from_utf8_lossy(function)),
        None => what.into(),
    };
    end_execution(Outcome::Assertion, 0, &message)
}

/// What must not be reached is, by a call that goes on at this address; `name` is what it is called, unless its own marker
/// tells of it.
fn reached(caller: *const c_void, name: Option<&str>) -> ! {
    let within = caller as u64;
    let mut names = k().me().frames.names().rev();
    let own = if name.is_none() { names.next() } else { None };
    let name = name.map_or_else(|| String::from_utf8_lossy(own.unwrap_or_default()), Into::into);
    let (function, of) = (names.next(), names.next());
    if function == Some(ASSERT) {
        let frames = backtrace();
        let at = frames.iter().position(|pc| *pc == within);
        if let Some(outer) = at.and_then(|at| frames.get(at + 1)) {
            fail(*outer, "__VERIFIER_assert fails", of);
        }
    }
    fail(within, &format!("{name} is called"), function)
}

/// The begin of a `reach_error` that the program defines, which goes back to this address.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_reached(caller: *const c_void) {
    if modelled() {
        reached(caller, None);
    }
}

fn error(caller: *const c_void, name: &str) {
    if modelled() {
        reached(caller, Some(name));
    }
    // SAFETY: passed on.
    unsafe { (real::get().abort)() }
}

entry! {
    /// What must not be reached is.
    fn reach_error / reach_error_at() -> (), 0, caller {
        error(caller, "reach_error");
    }
}

entry! {
    /// The same by its older name.
    fn __VERIFIER_error / verifier_error() -> (), 0, caller {
        error(caller, "__VERIFIER_error");
    }
}

entry! {
    /// Fails where the condition does not hold.
    fn __VERIFIER_assert / verifier_assert(condition: c_int) -> (), 1, caller {
        if condition == 0 {
            if !modelled() {
                // SAFETY: passed on.
                unsafe { (real::get().abort)() }
            }
            fail(caller as u64, "__VERIFIER_assert fails", k().me().frames.innermost());
        }
    }
}

/// Gives up executions in which the condition does not hold.
#[unsafe(no_mangle)]
pub extern "C" fn __VERIFIER_assume(condition: c_int) {
    raddle_assume(condition);
}

entry! {
    /// No other thread runs until the end of the block, unless this one blocks.
    fn __VERIFIER_atomic_begin / verifier_atomic_begin() -> (), 0, caller {
        begin_block(caller);
    }
}

entry! {
    /// The end of the block.
    fn __VERIFIER_atomic_end / verifier_atomic_end() -> (), 0, caller {
        end_block(caller);
    }
}

entry! {
    /// The begin of a function that is atomic by its name.
    fn raddle_rt_atomic_enter / atomic_enter() -> (), 0, caller {
        begin_block(caller);
    }
}

entry! {
    /// Its end, as the cleanup of a variable.
    fn raddle_rt_atomic_leave / atomic_leave(_variable: *const u32) -> (), 1, caller {
        end_block(caller);
    }
}

/// An input with this number.
fn nondet(number: u64, caller: *const c_void) -> u64 {
    if !modelled() {
        return 0;
    }
    let setup = k().setup();
    let values = &setup.inputs[number as usize - 1];
    if values.is_empty() {
        let name = Input::numbered(number).map_or("?", |input| input.name);
        let message = format!("--inputs has no value that `{name}` could give");
        k().end.site = site(caller);
        end_execution(Outcome::Unsupported, 0, &message);
    }
    setup.channel.header().inputs.fetch_or(1 << number, Ordering::Relaxed);
    choose_input(number, values.len() as u32, site(caller), |choice| values[usize::from(choice)])
}

macro_rules! inputs {
    ($($name:ident / $inner:ident;)*) => {
        $(entry! {
            /// An input.
            fn $name / $inner() -> u64, 0, caller {
                const NUMBER: u64 = input::number(stringify!($name));
                const { assert!(NUMBER != 0) };
                nondet(NUMBER, caller)
            }
        })*
    };
}

inputs! {
    __VERIFIER_nondet_int / nondet_int;
    __VERIFIER_nondet_uint / nondet_uint;
    __VERIFIER_nondet_unsigned / nondet_unsigned;
    __VERIFIER_nondet_bool / nondet_bool;
    __VERIFIER_nondet_char / nondet_char;
    __VERIFIER_nondet_uchar / nondet_uchar;
    __VERIFIER_nondet_short / nondet_short;
    __VERIFIER_nondet_ushort / nondet_ushort;
    __VERIFIER_nondet_long / nondet_long;
    __VERIFIER_nondet_ulong / nondet_ulong;
    __VERIFIER_nondet_longlong / nondet_longlong;
    __VERIFIER_nondet_ulonglong / nondet_ulonglong;
    __VERIFIER_nondet_size_t / nondet_size_t;
    __VERIFIER_nondet_loff_t / nondet_loff_t;
    __VERIFIER_nondet_sector_t / nondet_sector_t;
    __VERIFIER_nondet_pthread_t / nondet_pthread_t;
    __VERIFIER_nondet_u8 / nondet_u8;
    __VERIFIER_nondet_u16 / nondet_u16;
    __VERIFIER_nondet_u32 / nondet_u32;
    __VERIFIER_nondet_pointer / nondet_pointer;
    __VERIFIER_nondet_pchar / nondet_pchar;
    __VERIFIER_nondet_charp / nondet_charp;
}

entry! {
    /// An input in a register for floating-point numbers.
    fn __VERIFIER_nondet_float / nondet_float() -> f32, 0, caller {
        f32::from_bits(nondet(input::number("__VERIFIER_nondet_float"), caller) as u32)
    }
}

entry! {
    /// The same of twice the size.
    fn __VERIFIER_nondet_double / nondet_double() -> f64, 0, caller {
        f64::from_bits(nondet(input::number("__VERIFIER_nondet_double"), caller))
    }
}

macro_rules! refused {
    ($($name:ident / $inner:ident;)*) => {
        $(entry! {
            /// Refused: its values are not those of one register.
            fn $name / $inner() -> u64, 0, caller {
                if modelled() {
                    k().end.site = site(caller);
                    refused::refuse(stringify!($name));
                }
                0
            }
        })*
    };
}

refused! {
    __VERIFIER_nondet_memory / nondet_memory;
    __VERIFIER_nondet_int128 / nondet_int128;
    __VERIFIER_nondet_uint128 / nondet_uint128;
}
