//! What operations mean: each passes its schedule point, then changes the modelled state.
//!
//! One invariant holds between steps: a thread's bit in `Kernel::enabled` is set exactly when
//! its pending operation can be done. Objects keep the mask of threads pending on them, so that
//! taking and releasing keep it up without looking at threads.

pub mod atomic;
pub mod barrier;
pub mod by_itself;
pub mod channel;
pub mod clock;
pub mod condvar;
pub mod destroyed;
pub mod ended;
pub mod futex;
pub mod misuse;
pub mod mutex;
pub mod named;
pub mod objects;
pub mod park;
pub mod robust;
pub mod rwlock;
pub mod semaphore;
pub mod set_once;
pub mod stacks;
pub mod statics;
pub mod std_rwlock;
pub mod thread;
pub mod uninitialised;
pub mod writers_first;

use crate::kernel::k;
use raddle_schedule::{Event, OpKind};

/// An event of the running thread about to happen.
#[inline]
pub fn event(kind: OpKind, object: u64, site: u32) -> Event {
    let mut event = Event::new(kind, k().current, object);
    event.site = site;
    event
}
