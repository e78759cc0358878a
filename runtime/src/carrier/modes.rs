//! The modes of floating-point arithmetic and the exceptions it has noted, which belong to each thread: the control and
//! status of SSE and of the x87. A new thread has its maker's (POSIX, `fegetenv`).

use core::arch::asm;

/// The bits of the x87's status that note exceptions.
const NOTED: u16 = 0x3f;

/// What one thread has set and noted.
#[derive(Clone, Copy)]
pub struct Modes {
    sse: u32,
    control: u16,
    status: u16,
}

/// The x87's environment, as `fnstenv` writes it.
#[repr(C)]
struct Environment {
    control: u32,
    status: u32,
    others: [u32; 5],
}

impl Modes {
    /// Those of the running thread.
    #[inline(always)]
    pub fn now() -> Modes {
        let mut modes = Modes { sse: 0, control: 0, status: 0 };
        // SAFETY: three stores into the fields that they are given, each of its size.
        unsafe {
            asm!(
                "stmxcsr [{sse}]", "fnstcw [{control}]", "fnstsw [{status}]",
                sse = in(reg) &raw mut modes.sse,
                control = in(reg) &raw mut modes.control,
                status = in(reg) &raw mut modes.status,
                options(nostack, preserves_flags)
            );
        }
        modes
    }

    /// Makes them those of the running thread. Most often they are.
    #[inline(always)]
    pub fn set(self) {
        let other = Modes::now();
        if other.bits() != self.bits() {
            self.load();
        }
    }

    /// All of them in one word.
    pub fn bits(self) -> u64 {
        u64::from(self.sse) | u64::from(self.control) << 32 | u64::from(self.status & NOTED) << 48
    }

    #[cold]
    fn load(self) {
        let mut environment = Environment { control: 0, status: 0, others: [0; 5] };
        // SAFETY: the environment has the 28 bytes that both instructions want, and what is loaded was stored before. An
        // exception that is noted and not masked would come at the next instruction of the x87: so it did in its own thread.
        unsafe {
            asm!("ldmxcsr [{sse}]", "fnstenv [{environment}]", sse = in(reg) &raw const self.sse,
                environment = in(reg) &raw mut environment, options(nostack, preserves_flags));
            environment.control = environment.control & !0xffff | u32::from(self.control);
            environment.status = environment.status & !u32::from(NOTED) | u32::from(self.status & NOTED);
            asm!("fldenv [{environment}]", environment = in(reg) &raw const environment,
                options(nostack, preserves_flags));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_has_set_is_set_again() {
        let before = Modes::now();
        // Round up, and an inexact result noted, in both units.
        let other =
            Modes { sse: before.sse | 0x4020, control: before.control | 0x800, status: before.status | 0x20 };
        other.set();
        let now = Modes::now();
        before.set();
        assert_eq!(now.bits(), other.bits());
        assert_eq!(Modes::now().bits(), before.bits());
    }
}
