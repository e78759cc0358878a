//! Virtual time: it never waits, and it is a function of what the execution did.
//!
//! Each thread has a clock. It moves by what the thread sleeps or waits for in vain, and by a
//! microsecond whenever it is read, so that loops that poll it end. Whoever learns of another
//! thread's doings (a join, a lock, a load of what it stored) is not earlier than they were.
//!
//! A loop that reads a clock in every round, to give up at a deadline that nobody here knows, would go round millions of times.
//! So who reads it again, and has done the same steps since that it had done before and changed nothing, finds that more
//! time has passed, each time the fourfold ([`Kernel::reading`]). That too is a function of the thread's own past, and any span
//! may pass between two looks: the loop has some ten rounds, in each of which others may come, and then its time is over. That it
//! might have had more rounds than that is not explored, and the guarantee says so.
//!
//! So no clock is shared, and reading one is no operation: what it shows is a function of the steps
//! that happen before, in the sense of the search. (Clocks travel from one operation to another only
//! where the two depend on each other, or one lets the other be: [`crate::kernel::times`].)

use super::event;
use crate::kernel::Kernel;
use crate::kernel::point::pass;
use crate::kernel::{k, spin};
use core::sync::atomic::Ordering;
use raddle_schedule::channel::outside::HASTENS;
use raddle_schedule::{OpKind, flags, hash};

/// Seconds of the moment at which executions begin, since 1970: 2024-01-01.
const EPOCH: u64 = 1_704_067_200;
const READING: u64 = 1_000;

/// Nanoseconds of the running thread's time since the execution began.
pub fn elapsed() -> u64 {
    now();
    k().me().clock
}

/// The running thread's time, in seconds and nanoseconds since 1970.
pub fn now() -> (u64, u64) {
    spin::changed();
    k().time_moves = true;
    let span = k().reading();
    let me = k().me();
    me.clock = me.clock.saturating_add(span);
    (EPOCH + me.clock / 1_000_000_000, me.clock % 1_000_000_000)
}

/// What a thread has done between two looks at a clock.
#[derive(Clone, Copy, Default)]
pub struct Polls {
    /// Events of the execution before its last look.
    events: usize,
    /// A hash of its steps between the last two.
    round: u64,
    /// How often that was the same again.
    again: u32,
}

/// Rounds in which no more time passes than anybody needs for a look.
const PATIENCE: u32 = 2;
/// How often the time of a round is made the fourfold at most: then it is some 16 seconds.
const LONGEST: u32 = 12;

impl Kernel {
    /// How much time has passed for the running thread when it looks at a clock.
    fn reading(&mut self) -> u64 {
        let me = self.current;
        let Polls { events, round, again } = self.me().polls;
        let own = self.events.get(events..).unwrap_or_default().iter();
        let mut own = own.filter(|e| e.thread() == me && e.is_step()).peekable();
        let has_any = own.peek().is_some();
        let (mut now, mut changes) = (0, false);
        for e in own {
            let in_vain = e.flags & (flags::FAILED | flags::SAME) != 0;
            changes |= spin::always_changes(e.raw_kind())
                || matches!(e.kind(), OpKind::Sleep | OpKind::Write)
                || matches!(e.kind(), OpKind::AtomicRmw | OpKind::TryLock | OpKind::SemTryWait) && !in_vain
                || matches!(e.kind(), OpKind::TryReadLock | OpKind::TryWriteLock | OpKind::ChannelRecv)
                    && !in_vain;
            now = hash::mix(now ^ u64::from(e.raw_kind()) << 56, e.object());
        }
        let again = if has_any && !changes && now == round { again + 1 } else { 0 };
        let events = self.events.len();
        self.me().polls = Polls { events, round: now, again };
        if again > PATIENCE {
            self.setup().channel.header().outside.fetch_or(HASTENS, Ordering::Relaxed);
        }
        READING << (2 * again.saturating_sub(PATIENCE).min(LONGEST))
    }
}

/// So much time has passed for the running thread.
pub fn pass_time(nanos: u64) {
    k().time_moves = true;
    let me = k().me();
    me.clock = me.clock.saturating_add(nanos);
}

/// The running thread has waited until this moment, in seconds and nanoseconds since 1970.
pub fn pass_until(seconds: i64, nanos: i64) {
    let since = (seconds.max(0) as u64).saturating_sub(EPOCH);
    k().time_moves = true;
    k().me().not_before(since.saturating_mul(1_000_000_000).saturating_add(nanos.max(0) as u64));
}

/// Sleeps: a step that gives way, after which the thread's clock has moved on.
pub fn sleep(nanos: u64, site: u32) {
    pass(event(OpKind::Sleep, 0, site), true);
    pass_time(nanos);
}

/// Gives way to the other threads.
pub fn give_way(site: u32) {
    pass(event(OpKind::Yield, 0, site), true);
}
