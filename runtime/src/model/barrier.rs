//! Barriers: an arrival is a step; whoever is not the last waits, and goes on in a second step (recorded as the wake of that
//! object) once the last has come.

use super::condvar::note_woken;
use super::event;
use crate::kernel::k;
use crate::kernel::point::{pass, wait_to_be_woken};
use raddle_schedule::OpKind;

/// Arrives at a barrier for so many threads, and waits for the others. `true` in the last one to come.
pub fn wait(address: u64, threads: u32, site: u32) -> bool {
    pass(event(OpKind::Barrier, address, site), true);
    let kernel = k();
    let (bit, clock) = (kernel.my_bit(), kernel.me().clock);
    kernel.me().spin.clear();
    let barrier = kernel.objects.get(address);
    barrier.clock = barrier.clock.max(clock);
    if barrier.waiters.count_ones() + 1 < threads {
        barrier.waiters |= bit;
        kernel.enabled &= !bit;
        wait_to_be_woken(event(OpKind::CondWake, address, site));
        return false;
    }
    let (waiters, clock) = (core::mem::take(&mut barrier.waiters), barrier.clock);
    kernel.enabled |= waiters;
    for t in (0..kernel.spawned).filter(|t| waiters >> t & 1 != 0) {
        kernel.threads[t].not_before(clock);
    }
    kernel.me().not_before(clock);
    note_woken(waiters);
    true
}
