//! The operators `new` and `delete` of C++: served from the program's heap like `malloc`, with a note which of them
//! gave a block, so that one that another family gives back is told.
//!
//! Programs may replace them by their own, each alone or all. What libstdc++'s others do then hangs on which: they call
//! each other. So where any is replaced, all are left to libstdc++ and the program, and nothing is said of families.

// The names that compilers give them.
#![allow(non_snake_case)]

use super::gate::{self, Registers};
use super::malloc;
use crate::gates;
use crate::memory::modules;
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicU8, Ordering};
use raddle_schedule::misuse::Family;

/// The operators that others come down to, and that are replaced.
const PLAIN: [&CStr; 14] = [
    c"_Znwm",
    c"_Znam",
    c"_ZdlPv",
    c"_ZdaPv",
    c"_ZdlPvm",
    c"_ZdaPvm",
    c"_ZnwmRKSt9nothrow_t",
    c"_ZnamRKSt9nothrow_t",
    c"_ZnwmSt11align_val_t",
    c"_ZnamSt11align_val_t",
    c"_ZdlPvSt11align_val_t",
    c"_ZdaPvSt11align_val_t",
    c"_ZdlPvRKSt9nothrow_t",
    c"_ZdaPvRKSt9nothrow_t",
];

/// Whether the program has the operators of this library: not asked yet, it does, it does not.
static KNOWN: AtomicU8 = AtomicU8::new(0);

/// Are all operators of the program ours?
pub fn are_known() -> bool {
    match KNOWN.load(Ordering::Relaxed) {
        0 => {
            let ours = PLAIN.into_iter().all(is_ours);
            KNOWN.store(if ours { 1 } else { 2 }, Ordering::Relaxed);
            ours
        }
        known => known == 1,
    }
}

/// Is the first definition of this name, the one that counts, in this library?
fn is_ours(name: &CStr) -> bool {
    // SAFETY: a valid name.
    let at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as usize;
    let mut ours = false;
    modules::each(|m| {
        if m.is_runtime() {
            m.code(|start, end| ours |= (start..end).contains(&at));
        }
    });
    ours
}

/// Gives back its argument: where a gate has done all there is to do.
#[unsafe(naked)]
extern "C" fn itself(_: usize) -> usize {
    core::arch::naked_asm!("mov rax, rdi", "ret")
}

/// Allocates by a family, with an alignment. Where that fails, libstdc++'s operator fails as it should.
fn give(family: Family, align: usize, name: *const c_char, registers: *mut Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    let registers = unsafe { &mut *registers };
    let size = registers.arguments[0];
    if are_known() {
        let block = malloc::allocate_by(family, size, align.max(16), registers.caller);
        if block != 0 {
            registers.arguments[0] = block;
            return itself as *mut c_void;
        }
    }
    gate::behind(gate::name(name))
}

fn take(family: Family, name: *const c_char, registers: *const Registers) -> *mut c_void {
    // SAFETY: as above.
    let registers = unsafe { &*registers };
    let block = registers.arguments[0];
    if block == 0 || are_known() && malloc::release_by(family, block, registers.caller) {
        return itself as *mut c_void;
    }
    gate::behind(gate::name(name))
}

extern "C" fn new(name: *const c_char, registers: *mut Registers) -> *mut c_void {
    give(Family::New, 16, name, registers)
}

extern "C" fn new_array(name: *const c_char, registers: *mut Registers) -> *mut c_void {
    give(Family::NewArray, 16, name, registers)
}

extern "C" fn new_aligned(name: *const c_char, registers: *mut Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    give(Family::New, unsafe { (*registers).arguments[1] }, name, registers)
}

extern "C" fn new_array_aligned(name: *const c_char, registers: *mut Registers) -> *mut c_void {
    // SAFETY: the gate's own record.
    give(Family::NewArray, unsafe { (*registers).arguments[1] }, name, registers)
}

extern "C" fn delete(name: *const c_char, registers: *const Registers) -> *mut c_void {
    take(Family::New, name, registers)
}

extern "C" fn delete_array(name: *const c_char, registers: *const Registers) -> *mut c_void {
    take(Family::NewArray, name, registers)
}

gates! { new: _Znwm _ZnwmRKSt9nothrow_t }
gates! { new_array: _Znam _ZnamRKSt9nothrow_t }
gates! { new_aligned: _ZnwmSt11align_val_t _ZnwmSt11align_val_tRKSt9nothrow_t }
gates! { new_array_aligned: _ZnamSt11align_val_t _ZnamSt11align_val_tRKSt9nothrow_t }
gates! { delete:
    _ZdlPv _ZdlPvm _ZdlPvRKSt9nothrow_t _ZdlPvSt11align_val_t _ZdlPvmSt11align_val_t
    _ZdlPvSt11align_val_tRKSt9nothrow_t
}
gates! { delete_array:
    _ZdaPv _ZdaPvm _ZdaPvRKSt9nothrow_t _ZdaPvSt11align_val_t _ZdaPvmSt11align_val_t
    _ZdaPvSt11align_val_tRKSt9nothrow_t
}
