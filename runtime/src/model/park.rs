//! Park tokens: one a thread, taken by `park` and set by `unpark`.

use super::{by_itself, event, semaphore};
use crate::kernel::{here::Here, k};
use raddle_schedule::OpKind;

/// Tokens as objects: beyond all addresses of user space but within 48 bits.
const TOKENS: u64 = 0xffff_0000_0000;
/// Those of threads that nobody has told the id of.
const BY_ID: u64 = 1 << 31;

/// Token of the thread with this id (Rust's `ThreadId`). std gives ids in the order in which threads are created, which is
/// that of no steps, so the token follows from the thread's slot (algorithms, rule 1).
fn token(id: u64) -> u64 {
    let kernel = k();
    match kernel.threads[..kernel.spawned].iter().find(|t| t.id == id) {
        Some(thread) => TOKENS | thread.slot as u64,
        None => TOKENS | BY_ID | (id & (BY_ID - 1)),
    }
}

/// The thread with this number has this id, which is never 0.
pub fn is_called(number: u8, id: u64) {
    if let Some(thread) = k().threads.get_mut(usize::from(number)) {
        thread.id = id;
    }
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
