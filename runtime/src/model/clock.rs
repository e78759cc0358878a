//! Virtual time: it never waits, and it is a function of what the execution did.
//!
//! Each thread has a clock. It moves by what the thread sleeps or waits for in vain, and by a
//! microsecond whenever it is read, so that loops that poll it end. Whoever learns of another
//! thread's doings (a join, a lock, a load of what it stored) is not earlier than they were.
//!
//! So no clock is shared, and reading one is no operation: what it shows is a function of the steps
//! that happen before, in the sense of the search. (Clocks travel from one operation to another only
//! where the two depend on each other, or one lets the other be: [`crate::kernel::times`].)

use super::event;
use crate::interpose::environment;
use crate::kernel::here::Here;
use crate::kernel::point::{pass, pass_giving_way};
use crate::kernel::{k, spin};
use raddle_schedule::OpKind;

/// Seconds of the moment at which executions begin, since 1970: 2024-01-01, with seed 0.
const EPOCH: u64 = 1_704_067_200;
/// So many seeds begin at moments of their own.
const MOMENTS: u64 = 1 << 20;
const READING: u64 = 1_000;

/// The moment at which executions begin: programs draw random numbers from it (`srand(time(NULL))`), so each seed has another.
fn epoch() -> u64 {
    EPOCH + environment::seed() % MOMENTS
}

/// Nanoseconds of the running thread's time since the execution began.
pub fn elapsed() -> u64 {
    now();
    k().me().clock
}

/// The running thread's time, in seconds and nanoseconds since 1970.
pub fn now() -> (u64, u64) {
    spin::changed();
    k().time_moves = true;
    let me = k().me();
    me.clock = me.clock.saturating_add(READING);
    (epoch() + me.clock / 1_000_000_000, me.clock % 1_000_000_000)
}

/// So much time has passed for the running thread.
pub fn pass_time(nanos: u64) {
    k().time_moves = true;
    let me = k().me();
    me.clock = me.clock.saturating_add(nanos);
}

/// The running thread has waited until its clock shows this, in nanoseconds since the execution began.
pub fn pass_to(elapsed: u64) {
    k().time_moves = true;
    k().me().not_before(elapsed);
}

/// Nanoseconds since the execution began of a moment in nanoseconds since 1970.
pub fn since_begin(moment: u64) -> u64 {
    moment.saturating_sub(epoch().saturating_mul(1_000_000_000))
}

/// The running thread has waited until this moment, in seconds and nanoseconds since 1970.
pub fn pass_until(seconds: i64, nanos: i64) {
    let since = (seconds.max(0) as u64).saturating_sub(epoch());
    k().time_moves = true;
    k().me().not_before(since.saturating_mul(1_000_000_000).saturating_add(nanos.max(0) as u64));
}

/// Sleeps: a step that gives way, after which the thread's clock has moved on.
pub fn sleep(nanos: u64, site: u32, here: &Here) {
    pass_giving_way(event(OpKind::Sleep, 0, site), here);
    pass_time(nanos);
}

/// Gives way to the other threads; `here` is where its loop stands, if the caller knows.
pub fn give_way(site: u32, here: Option<&Here>) {
    let event = event(OpKind::Yield, 0, site);
    match here {
        Some(here) => pass_giving_way(event, here),
        None => pass(event, true),
    }
}
