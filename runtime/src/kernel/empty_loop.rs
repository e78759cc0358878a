//! Loops that do nothing: a thread in one never comes to another operation.
//!
//! A compiler reads a plain variable that a loop waits for once, since nobody may change it without synchronisation, and
//! leaves `while (!ready);` as a test of a register and a jump back. The thread that is there goes on for ever, and no
//! operation tells so. So the server asks soon where a thread stands that computes for a while (a signal with the value
//! [`LOOKS`]). If it stands at an instruction that changes nothing but flags, the thread is run on instruction by
//! instruction. When it comes back to the first one, and all in between were such, then it does the same again, and so on.
//!
//! Its fiber is given up: the others go on without it, which shows the race, and the execution ends as a hang when they
//! cannot go on any more. What a thread does in such a loop is nothing, so it is no matter when it is given up.

use super::{Kernel, k};
use crate::carrier::fiber;
use crate::interpose;
use crate::memory::modules;
use raddle_schedule::Outcome;

/// The value of the watchdog's signal that asks for a look.
pub const LOOKS: usize = 1;

/// Instructions of a loop at most.
const MOST: u32 = 32;

/// Bytes below the stack pointer that a function may use (System V ABI).
const RED_ZONE: usize = 128;

/// The processor's trap flag: it signals after each instruction.
const TRAP: i64 = 0x100;

/// A thread that is run on instruction by instruction.
struct Steps {
    /// Where that began, and with which flags; 0 for nobody.
    from: u64,
    flags: i64,
    made: u32,
}

static mut STEPS: Steps = Steps { from: 0, flags: 0, made: 0 };

/// What the signal handler is to do.
pub enum Found {
    /// Nothing: the thread goes on.
    Nothing,
    /// The thread will never come to another operation.
    Forever,
}

/// The signal that asks for a look has found the thread there. `flags` are to be those with which it goes on.
pub fn looks(pc: u64, flags: &mut i64) -> Found {
    let mut own = true;
    modules::each(|m| {
        if m.is_libc() || m.is_runtime() {
            m.code(|start, end| own &= !(start..end).contains(&(pc as usize)));
        }
    });
    if own && changes_only_flags(pc) {
        // SAFETY: the token's holder, in its signal handler.
        unsafe { STEPS = Steps { from: pc, flags: *flags & !TRAP, made: 0 } };
        *flags |= TRAP;
    }
    Found::Nothing
}

/// Nobody is run on so any more.
pub fn stop(flags: &mut i64) {
    // SAFETY: the token's holder, in its signal handler.
    unsafe { STEPS.from = 0 };
    *flags &= !TRAP;
}

/// Is a thread run on so, which this trap is of?
pub fn is_on() -> bool {
    // SAFETY: the token's holder, in its signal handler.
    unsafe { STEPS.from != 0 }
}

/// It has made one instruction more, and comes to this one.
pub fn stepped(pc: u64, flags: &mut i64) -> Found {
    let steps = &raw mut STEPS;
    // SAFETY: as above; nobody else refers to it meanwhile.
    let steps = unsafe { &mut *steps };
    steps.made += 1;
    let now = *flags & !TRAP;
    let found = if pc == steps.from && now == steps.flags {
        Found::Forever
    } else if steps.made < MOST && changes_only_flags(pc) {
        // The first time the flags may still be those of what came before.
        (steps.from, steps.flags) = if pc == steps.from { (pc, now) } else { (steps.from, steps.flags) };
        return Found::Nothing;
    } else {
        Found::Nothing
    };
    (steps.from, *flags) = (0, now);
    found
}

/// Is the instruction there one of those that change nothing but flags and where it goes on?
fn changes_only_flags(pc: u64) -> bool {
    // An instruction that reaches into the next page is none that is known here.
    let left = 4096 - pc as usize % 4096;
    // SAFETY: code that is being executed, up to the end of its page.
    let code = unsafe { core::slice::from_raw_parts(pc as *const u8, left.min(8)) };
    is_without_effect(code)
}

/// The same of these bytes (Intel's manual, volume 2): jumps, pauses, no-operations, and comparisons of registers.
fn is_without_effect(code: &[u8]) -> bool {
    // A prefix for wide registers, or for 16 bits.
    let code = match code {
        // With another prefix it exchanges two registers.
        [0x41..=0x47 | 0x49..=0x4f, 0x90, ..] => return false,
        [0x40..=0x4f | 0x66, rest @ ..] => rest,
        _ => code,
    };
    let is_of_registers = |operands: &u8| operands >> 6 == 3;
    let number = |operands: &u8| operands >> 3 & 7;
    match code {
        // Jumps, with and without a condition.
        [0xeb | 0xe9 | 0x70..=0x7f, ..] | [0x0f, 0x80..=0x8f, ..] => true,
        // nop and pause; nop with operands, which does not access them.
        [0x90, ..] | [0xf3, 0x90, ..] | [0x0f, 0x1f, ..] => true,
        // test and cmp of two registers.
        [0x84 | 0x85 | 0x38..=0x3b, operands, ..] => is_of_registers(operands),
        // test and cmp of rax and a number.
        [0xa8 | 0xa9 | 0x3c | 0x3d, ..] => true,
        // cmp and test of a register and a number.
        [0x80 | 0x81 | 0x83, operands, ..] => is_of_registers(operands) && number(operands) == 7,
        [0xf6 | 0xf7, operands, ..] => is_of_registers(operands) && number(operands) == 0,
        _ => false,
    }
}

impl Kernel {
    /// The running thread never comes to another operation. Whoever is next goes on when its fiber has been left.
    pub(super) fn runs_for_ever(&mut self, pc: u64, stack_pointer: usize) {
        self.for_ever |= self.my_bit();
        self.enabled &= !self.my_bit();
        self.timeouts &= !self.my_bit();
        self.loop_at.get_or_insert((self.current, pc));
        // Below the red zone nothing lives.
        let below = stack_pointer.saturating_sub(RED_ZONE);
        let me = self.me();
        me.spin.stack_pointer = below;
        me.own_stack.stands_elsewhere();
        if let Some(next) = self.next() {
            self.current = next;
        }
    }

    /// Nobody can go on, and a thread runs for ever.
    pub(super) fn ends_beside_loop(&mut self) {
        if let Some((thread, pc)) = self.loop_at {
            // One past, like a return address.
            (self.end.thread, self.end.site, self.end.pc) = (Some(thread), interpose::code_site(pc + 1), pc);
        }
        self.finish(Outcome::Hang, 0, "a loop that does nothing goes on for ever");
    }
}

/// Leaves the running thread's fiber when the handler returns, with the registers to be set; `None` where it cannot be left.
pub fn leaves(index: usize, pc: u64, stack_pointer: usize) -> Option<[u64; 5]> {
    let registers = fiber::escape(index)?;
    k().runs_for_ever(pc, stack_pointer);
    Some(registers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_waiting_loop_is_made_of_has_no_effect() {
        let without: [&[u8]; 9] = [
            &[0xeb, 0xfe],
            &[0x85, 0xc0, 0x74, 0xfc],
            &[0x48, 0x85, 0xc0],
            &[0x84, 0xc0],
            &[0xf3, 0x90, 0xeb, 0xfc],
            &[0x83, 0xf8, 0x01],
            &[0x0f, 0x84, 0, 0, 0, 0],
            &[0x66, 0x90],
            &[0xf6, 0xc2, 0x01],
        ];
        assert!(without.iter().all(|code| is_without_effect(code)));
    }

    #[test]
    fn what_counts_or_touches_memory_has_one() {
        // inc eax; add eax, 1; cmp [rip], 0; test [rax], eax; mov eax, [rip]; call; dec; ret; nothing.
        let with: [&[u8]; 11] = [
            // xchg r8, rax, and the same of 32 bits.
            &[0x49, 0x90],
            &[0x41, 0x90],
            &[0xff, 0xc0],
            &[0x83, 0xc0, 0x01],
            &[0x83, 0x3d, 0, 0, 0, 0, 0],
            &[0x85, 0x00],
            &[0x8b, 0x05, 0, 0, 0, 0],
            &[0xe8, 0, 0, 0, 0],
            &[0x48, 0xff, 0xc9],
            &[0xc3],
            &[],
        ];
        assert!(!with.iter().any(|code| is_without_effect(code)));
    }
}
