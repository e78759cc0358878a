//! What may happen by itself where that is asked for: the wait of a condition variable or for a park token ends without a
//! notify or token, a weak compare-exchange fails though it has found what it expects.
//!
//! Each is one more choice of a step. A thread does each of the two at most once in an execution: loops that wait or
//! try again could otherwise go round for ever. That depends on nothing but the thread's own past, so steps of
//! different threads commute as before.
//!
//! A wait that will end by itself never enters the queue. That loses nothing: from the moment on at which it ends, a
//! thread only waits to be chosen, and until then no notify may have woken it.

use crate::kernel::follow::choose_among;
use crate::kernel::inline::pass_choosing;
use crate::kernel::{k, spin};
use raddle_schedule::channel::outside::{EXCHANGES_WEAKLY, WAITS_FOR_WAKEUPS};
use raddle_schedule::{Choice, Event, flags};

/// May the running thread's next such thing happen by itself? A bit of [`Choice::by_itself`]. Where nobody asked for it, the
/// guarantee says so.
fn may(bit: u8) -> bool {
    let kernel = k();
    let is_wanted = kernel.setup().by_itself >> bit & 1 != 0;
    if !is_wanted {
        let met = if bit == Choice::SPURIOUS { WAITS_FOR_WAKEUPS } else { EXCHANGES_WEAKLY };
        kernel.asks_for_fixed(met);
    }
    is_wanted && kernel.me().by_itself >> bit & 1 == 0
}

/// At the step just made: does it happen?
fn happens(bit: u8) -> bool {
    let happens = choose_among(1 | 1 << bit, Choice::by_itself) == bit;
    k().me().by_itself |= u8::from(happens) << bit;
    happens
}

/// Passes the point before a wait, which may end by itself. `true` if it does.
pub fn pass_wait(event: Event) -> bool {
    let may = may(Choice::SPURIOUS);
    pass_choosing(event, may);
    may && happens(Choice::SPURIOUS)
}

/// May waits of the running thread end by themselves?
pub fn may_wake() -> bool {
    may(Choice::SPURIOUS)
}

/// Does the weak compare-exchange fail that was just passed, and that would store?
pub fn weak_fails() -> bool {
    // Where it is no point there is no choice.
    if !k().last_event().is_some_and(|e| e.is_step()) || !may(Choice::FAIL) || !happens(Choice::FAIL) {
        return false;
    }
    if let Some(event) = k().last_event() {
        event.flags |= flags::WEAK;
    }
    // It goes round its loop again, and that is no waiting.
    spin::changed();
    true
}
