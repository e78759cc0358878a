//! Park tokens: one a thread, taken by `park` and set by `unpark`.

use super::{by_itself, event, semaphore};
use crate::kernel::here::Here;
use raddle_schedule::OpKind;

/// Token of the thread with this number (Rust's `ThreadId`), as an object: beyond all addresses
/// of user space but within 48 bits.
fn token(id: u64) -> u64 {
    0xffff_0000_0000 | (id & 0xffff_ffff)
}

/// Waits for the token; with `timed`, or until the time is over. `false` when timed out.
pub fn park(id: u64, timed: Option<&Here>, site: u32) -> bool {
    // One that ends by itself leaves the token where it is.
    if by_itself::may_wake() && by_itself::pass_wait(event(OpKind::Point, 0, site)) {
        return true;
    }
    semaphore::wait(OpKind::Park, token(id), timed, site)
}

/// Sets the token.
pub fn unpark(id: u64, site: u32) {
    semaphore::post(OpKind::Unpark, token(id), 1, site);
}
