//! Virtual time: it never waits, and it is a function of what the execution did.
//!
//! Each thread's clock starts at a fixed moment and moves by what the thread slept, plus a
//! microsecond a step, so that loops that poll a clock end.

use super::event;
use crate::kernel::k;
use crate::kernel::point::pass;
use raddle_schedule::OpKind;

/// Seconds of the moment at which executions begin, since 1970: 2024-01-01.
const EPOCH: u64 = 1_704_067_200;
const STEP_NANOS: u64 = 1_000;

/// The running thread's time, in seconds and nanoseconds since 1970.
pub fn now() -> (u64, u64) {
    let kernel = k();
    let reads = {
        let me = kernel.me();
        me.slept += STEP_NANOS;
        me.slept
    };
    (EPOCH + reads / 1_000_000_000, reads % 1_000_000_000)
}

/// Sleeps: a step that gives way, after which the thread's clock has moved on.
pub fn sleep(nanos: u64, site: u32) {
    pass(event(OpKind::Sleep, 0, site), true);
    let me = k().me();
    me.slept = me.slept.saturating_add(nanos);
}

/// Gives way to the other threads.
pub fn give_way(site: u32) {
    pass(event(OpKind::Yield, 0, site), true);
}
