//! Functions of stdio for wide characters: on streams they are what their narrow siblings are ([`super::stdio`]).

use super::gate::{self, Registers};
use super::modelled;
use super::stdio::{first, prints, reads_first, reads_from, reads_input, second};
use crate::gates;
use crate::memory::snapshot;
use crate::model::misuse;
use core::ffi::{c_char, c_void};
use raddle_schedule::OpKind;

/// Bytes of a wide character.
const WIDE: usize = 4;

/// `fgetws(buffer, n, stream)`; the one that checks has the buffer's room behind it.
extern "C" fn fills(name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    let ([buffer, second, third, ..], caller) = unsafe { ((*registers).arguments, (*registers).caller) };
    let checks = gate::name(name).to_bytes().ends_with(b"_chk");
    let (n, stream) = if checks { (third as u32, 3) } else { (second as u32, 2) };
    if modelled() {
        let bytes = (n as usize).saturating_mul(WIDE);
        misuse::look_at_buffer(OpKind::Write, buffer, bytes, caller);
        snapshot::touch(buffer, bytes);
    }
    reads_from(name, registers, Some(stream))
}

gates! { prints: wprintf vwprintf __wprintf_chk __vwprintf_chk putwchar putwchar_unlocked }
gates! { first: fwprintf vfwprintf __fwprintf_chk __vfwprintf_chk fwide }
gates! { second: fputws fputwc putwc ungetwc fputws_unlocked fputwc_unlocked putwc_unlocked }
gates! { fills: fgetws fgetws_unlocked __fgetws_chk __fgetws_unlocked_chk }
gates! { reads_first:
    fgetwc getwc fgetwc_unlocked getwc_unlocked fwscanf vfwscanf __isoc99_fwscanf __isoc99_vfwscanf
    __isoc23_fwscanf __isoc23_vfwscanf
}
gates! { reads_input:
    getwchar getwchar_unlocked wscanf vwscanf __isoc99_wscanf __isoc99_vwscanf __isoc23_wscanf __isoc23_vwscanf
}
