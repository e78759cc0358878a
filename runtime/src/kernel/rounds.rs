//! Loops that only read plain memory: `while (!ready);`, where `ready` is no atomic.
//!
//! At `sync` such a read is no step, so nobody else would ever run, and the loop would not end. Where a thread reads the
//! same over and over, and comes back to a read with the same stack and registers, it has gone round: what it does next
//! is what it did last. There the read is a step like one of `access` ([`crate::kernel::point::pass_reading`]): others can
//! run, and it waits in time ([`super::spin`]). What they write and it reads is a data race, which is what is wrong
//! with the loop.
//!
//! A loop that gets on has changed a register or its stack, and takes no step. One that gets on in memory that has no hooks
//! takes a step too many, and no other harm comes of that.

use super::here::{Here, READS_ARE_STEPS};
use super::{Kernel, k};
use raddle_schedule::{Granularity, hash};

/// So many reads that only repeat others are looked at more closely.
const MANY: u32 = 1000;
/// Looks at the state in the place of the first one.
const LOOKS: u32 = 16;
/// Reads among which that place must come again.
const FAR: u32 = 4096;
/// The bit of [`READS_ARE_STEPS`] for this.
const LOOKED_AT: u8 = 2;

/// What the running thread has read again since its last step, and since it did anything else to memory.
#[derive(Default)]
pub struct Again {
    /// Reads.
    count: u32,
    /// The place of the first that was looked at, and the thread's state there; 0 for none.
    site: u64,
    state: u64,
    /// Looks there.
    looks: u32,
}

impl Again {
    /// Nothing yet.
    pub const fn new() -> Self {
        Again { count: 0, site: 0, state: 0, looks: 0 }
    }

    /// A read repeats one that was recorded.
    #[inline]
    pub fn repeats(&mut self) {
        self.count += 1;
        if self.count == MANY {
            begin();
        }
    }

    /// Something else was done.
    #[inline]
    pub fn ends(&mut self) {
        if self.count >= MANY {
            self.reset();
        }
        self.count = 0;
    }

    /// Begins anew.
    #[cold]
    pub fn reset(&mut self) {
        *self = Again::new();
        // SAFETY: written by the token's holder only.
        unsafe { READS_ARE_STEPS &= !LOOKED_AT };
    }

    /// Are its reads looked at?
    #[inline]
    pub fn is_looked_at(&self) -> bool {
        self.count >= MANY
    }
}

/// Where every operation is a point, and plain accesses are none.
#[cold]
fn begin() {
    if !k().restricted && k().setup().granularity == Granularity::Sync {
        // SAFETY: as above.
        unsafe { READS_ARE_STEPS |= LOOKED_AT };
    }
}

impl Kernel {
    /// The running thread's read has repeated another one. Has it gone round?
    #[cold]
    pub fn goes_round(&mut self, here: &Here) -> bool {
        let stack_pointer = here.stack_pointer();
        let site = hash::mix(here.caller as u64, stack_pointer as u64) | 1;
        let is_own = self.me().spin.is_own(stack_pointer);
        let (first, count) = (self.again.site, self.again.count);
        if !is_own || count > MANY + FAR || self.again.looks > LOOKS {
            self.again.reset();
            return false;
        }
        if first != 0 && first != site {
            return false;
        }
        let state = self.state_of(here);
        if first == site && state == self.again.state {
            self.again.reset();
            return true;
        }
        (self.again.site, self.again.state) = (site, state);
        self.again.looks += 1;
        false
    }
}
