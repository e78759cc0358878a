//! Where a thread stands when it calls the runtime: what a spin loop is recognised by.
//!
//! At a call boundary the callee-saved registers and the stack from the caller's frame up are all
//! that a thread still needs of its own past (System V ABI): every other register may be lost in
//! the call, so the compiler keeps nothing in it. (The control words of the floating-point units
//! are callee-saved too and are left out: nobody loops by changing the rounding mode.)
//!
//! So entry points of operations that a loop may spin on save those registers: `entry_here!` is
//! `entry!` with a [`Here`] in the place of the return address.

use super::overwritten::Overwritten;
use core::ffi::c_void;

/// Saved by an entry point, in the order in which it pushes.
#[repr(C)]
pub struct Here {
    /// rbx, rbp, r12, r13, r14, r15.
    registers: [u64; 6],
    /// Return address.
    pub caller: *const c_void,
}

impl Here {
    /// Where the caller's frame begins: above the return address.
    #[inline]
    pub fn stack_pointer(&self) -> usize {
        &raw const self.caller as usize + size_of::<usize>()
    }

    /// Hash of the registers.
    #[inline]
    fn registers(&self) -> u64 {
        self.registers.iter().fold(self.caller as u64, |h, r| mix(h, *r)) | 1
    }

    /// The caller's rbp.
    pub fn frame_pointer(&self) -> usize {
        self.registers[1] as usize
    }

    /// Hash of the registers and of the live stack.
    pub fn state(&self, top: usize) -> u64 {
        // SAFETY: the caller's live stack, below its top.
        unsafe { digest(self.registers(), self.stack_pointer(), top) }
    }

    /// The same but for this, if it is of that stack.
    pub fn state_without(&self, top: usize, left_out: &Overwritten) -> u64 {
        let (from, word) = (self.stack_pointer(), &left_out.word);
        if word.start < from || top < word.end {
            return self.state(top);
        }
        let others = &self.registers[usize::from(left_out.rbx)..];
        let registers = others.iter().fold(self.caller as u64, |h, r| mix(h, *r)) | 1;
        // SAFETY: two parts of the caller's live stack, below its top.
        unsafe { digest(digest(registers, from, word.start), word.end, top) }
    }
}

/// Takes one word into a hash.
#[inline(always)]
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// Hash of a range of memory: four lanes, so that the multiplications overlap.
///
/// # Safety
/// The range must be readable.
pub unsafe fn digest(seed: u64, from: usize, to: usize) -> u64 {
    let (mut at, mut lanes) = (from, [seed, !seed, seed.rotate_left(17), seed.rotate_left(41)]);
    // SAFETY: below `to`; the program's memory may have any alignment.
    let word = |at: usize| unsafe { (at as *const u64).read_unaligned() };
    while at + 32 <= to {
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = mix(*lane, word(at + 8 * i));
        }
        at += 32;
    }
    while at + 8 <= to {
        lanes[0] = mix(lanes[0], word(at));
        at += 8;
    }
    while at < to {
        // SAFETY: as above.
        lanes[1] = mix(lanes[1], u64::from(unsafe { (at as *const u8).read() }));
        at += 1;
    }
    let ends = mix(from as u64, to as u64);
    lanes.iter().fold(ends, |h, lane| mix(h, *lane)) | 1
}

/// An entry point that knows where its caller stands: as `entry!`, with a `&Here` as the last
/// argument of the body in the place of the return address.
#[macro_export]
macro_rules! entry_here {
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 0, $here:ident $body:block) => {
        $crate::entry_here!(@ "lea rdi, [rsp + 8]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, $here, $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 1, $here:ident $body:block) => {
        $crate::entry_here!(@ "lea rsi, [rsp + 8]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, $here, $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 2, $here:ident $body:block) => {
        $crate::entry_here!(@ "lea rdx, [rsp + 8]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, $here, $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 3, $here:ident $body:block) => {
        $crate::entry_here!(@ "lea rcx, [rsp + 8]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, $here, $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 4, $here:ident $body:block) => {
        $crate::entry_here!(@ "lea r8, [rsp + 8]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, $here, $body);
    };
    ($(#[$meta:meta])* fn $name:ident / $inner:ident ($($arg:ident : $ty:ty),*) -> $ret:ty, 5, $here:ident $body:block) => {
        $crate::entry_here!(@ "lea r9, [rsp + 8]", $(#[$meta])* $name, $inner, ($($arg: $ty),*), $ret, $here, $body);
    };
    (@ $load:literal, $(#[$meta:meta])* $name:ident, $inner:ident, ($($arg:ident : $ty:ty),*), $ret:ty, $here:ident, $body:block) => {
        $(#[$meta])*
        ///
        /// # Safety
        /// As for the function of this name in libc (or the compiler's ABI).
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($(_: $ty),*) -> $ret {
            // Six registers and a word more leave the stack aligned.
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov [rip + {entered}], rsp",
                "push r15", ".cfi_adjust_cfa_offset 8",
                "push r14", ".cfi_adjust_cfa_offset 8",
                "push r13", ".cfi_adjust_cfa_offset 8",
                "push r12", ".cfi_adjust_cfa_offset 8",
                "push rbp", ".cfi_adjust_cfa_offset 8",
                "push rbx", ".cfi_adjust_cfa_offset 8",
                "sub rsp, 8", ".cfi_adjust_cfa_offset 8",
                $load,
                "call {inner}",
                "add rsp, 56", ".cfi_adjust_cfa_offset -56",
                $crate::wipes_on_return!(),
                ".cfi_endproc",
                inner = sym $inner,
                entered = sym $crate::model::stacks::ENTERED,
                above = sym $crate::kernel::spin::WIPES_ABOVE,
                wipe = sym $crate::kernel::spin::wipe_and_return,
            )
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe extern "C" fn $inner($($arg: $ty,)* $here: &$crate::kernel::here::Here) -> $ret $body
    };
}

/// Plain reads are steps: their entry points save registers as well. A word that the entry points
/// read themselves, since most of the time it is 0 and they are the hottest there are.
pub static mut READS_ARE_STEPS: u8 = 0;

/// An entry point of a plain read: `$inner(at, caller)`, or `$here(at, here)` where reads are steps.
#[macro_export]
macro_rules! entry_reading {
    ($name:ident, $inner:ident, $watched:ident) => {
        /// Hook before a read.
        ///
        /// # Safety
        /// As for the function of this name in the compiler's ABI.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name(_: *mut core::ffi::c_void) {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov [rip + {entered}], rsp",
                "cmp byte ptr [rip + {flag}], 0",
                "jne 2f",
                "mov rsi, [rsp]",
                "cmp rsp, [rip + {above}]",
                "ja 3f",
                "jmp {inner}",
                "3:",
                "sub rsp, 8", ".cfi_adjust_cfa_offset 8",
                "call {inner}",
                "add rsp, 8", ".cfi_adjust_cfa_offset -8",
                "jmp {wipe}",
                "2:",
                "push r15", ".cfi_adjust_cfa_offset 8",
                "push r14", ".cfi_adjust_cfa_offset 8",
                "push r13", ".cfi_adjust_cfa_offset 8",
                "push r12", ".cfi_adjust_cfa_offset 8",
                "push rbp", ".cfi_adjust_cfa_offset 8",
                "push rbx", ".cfi_adjust_cfa_offset 8",
                "sub rsp, 8", ".cfi_adjust_cfa_offset 8",
                "lea rsi, [rsp + 8]",
                "call {watched}",
                "add rsp, 56", ".cfi_adjust_cfa_offset -56",
                $crate::wipes_on_return!(),
                ".cfi_endproc",
                flag = sym $crate::kernel::here::READS_ARE_STEPS,
                inner = sym $inner,
                entered = sym $crate::model::stacks::ENTERED,
                watched = sym $watched,
                above = sym $crate::kernel::spin::WIPES_ABOVE,
                wipe = sym $crate::kernel::spin::wipe_and_return,
            )
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn every_byte_and_both_ends_count() {
        let mut bytes: Vec<u8> = (0..100).collect();
        let at = bytes.as_mut_ptr();
        // SAFETY: parts of the buffer, which does not move.
        let of = |from: usize, to: usize| unsafe { digest(7, at as usize + from, at as usize + to) };
        let whole = of(0, 100);
        assert_eq!(whole, of(0, 100));
        assert_ne!(whole, of(0, 99));
        assert_ne!(of(8, 40), of(16, 48));
        for i in 0..100 {
            // SAFETY: a byte of the buffer.
            let flip = || unsafe { *at.add(i) ^= 0x80 };
            flip();
            assert_ne!(whole, of(0, 100), "byte {i}");
            flip();
        }
    }
}
