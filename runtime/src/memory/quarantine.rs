//! Executions in which no block of the heap is given out twice ([`raddle_schedule::plan::flags::QUARANTINE`]). Each block has
//! pages of its own, which nobody can reach once it is given back, so that any use of it faults ([`super::arena`]).
//!
//! That takes more memory than the program's own: a page for each block, and two mappings of the system's, which has
//! some 65,000 for a process. No program may fail because of it. So an execution that allocates more blocks than
//! `MOST_BLOCKS`, or more bytes than an arena has, ends there, and counts as none.

use crate::kernel::point::end_execution;
use crate::kernel::{active, k};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use raddle_schedule::Outcome;
use raddle_schedule::plan::flags::QUARANTINE;

/// Blocks that an execution may allocate.
const MOST_BLOCKS: usize = 8192;

/// Blocks that the running execution has allocated.
static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// An execution begins.
pub fn begin() {
    BLOCKS.store(0, Relaxed);
}

/// Does no block come twice in this execution?
#[inline]
pub fn is_on() -> bool {
    active() && k().plan.flags & QUARANTINE != 0
}

/// One block more.
pub(super) fn admit() {
    if BLOCKS.fetch_add(1, Relaxed) >= MOST_BLOCKS {
        is_full();
    }
}

/// There is no room any more.
pub(super) fn is_full() -> ! {
    let why =
        "the test allocates more than fits where no block is given out twice: 8192 blocks, 4 GiB in a thread";
    end_execution(Outcome::Unsupported, 0, why)
}
