//! Channels: pipes, connected sockets, counters of events, and epolls. What is in them is the system's; here it is only asked
//! whether there is something to read, and who waits until there is stands still meanwhile.
//!
//! An operation may be about several of them: to write to a channel that is registered with an epoll may make that ready, and
//! to close one of two sockets ends the ways in both directions. The others are a set in its value ([`raddle_schedule::world::bit`]), which others
//! depend on for their sake.
//!
//! To write, to read and to close an end are steps on the channel, done right behind them by the system's own call. What
//! was done before a write is known to who reads behind it. Closing an end is a kind of writing: who reads finds the end.

use super::event;
use crate::kernel::here::Here;
use crate::kernel::point::{pass, pass_reading, pass_timed};
use crate::kernel::{Kernel, Receives, k};
use crate::sys::call;
use core::ffi::c_int;
use raddle_schedule::world::{AT_ONCE, CLOSES, found};
use raddle_schedule::{Event, OpKind, Order, flags};

/// What an operation is about beside its channel: which others, and which of those are readable. Asked when the thread comes to
/// the operation, and once more right before the system does it.
pub trait Beside {
    /// A set of channels.
    fn more(&self) -> u64;
    /// Those of them that are readable.
    fn ready(&self) -> u64;
}

/// Nothing.
pub struct Nothing;

impl Beside for Nothing {
    fn more(&self) -> u64 {
        0
    }

    fn ready(&self) -> u64 {
        0
    }
}

/// Does this descriptor let somebody go on now (`POLLIN`: who reads, `POLLOUT`: who writes)?
pub fn is_ready(fd: c_int, events: i16) -> bool {
    let mut poll = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: one record, asked about without waiting.
    unsafe { call!(libc::SYS_poll, &raw mut poll, 1, 0) != 0 }
}

/// An operation on this channel, and on what is beside it.
fn about(kind: OpKind, channel: u64, beside: &impl Beside, site: u32) -> Event {
    let mut event = event(kind, channel, site);
    event.value = found::value(0, beside.more(), 0);
    event
}

/// The point before something is written to the channel, or an end of it is closed.
pub fn send(channel: u64, closes: bool, beside: &impl Beside, is_readable: impl FnOnce() -> bool, site: u32) {
    let mut send = about(OpKind::ChannelSend, channel, beside, site);
    if closes {
        send.set_access(Order::Relaxed, CLOSES);
    }
    pass(send, true);
    note(is_readable(), if closes { found::CLOSED } else { 0 }, beside);
}

/// The point before what an epoll tells of a channel is changed.
pub fn registers(epoll: u64, beside: &impl Beside, is_readable: impl FnOnce() -> bool, site: u32) {
    pass(about(OpKind::ChannelSend, epoll, beside, site), true);
    note(is_readable(), found::REGISTERED, beside);
}

/// The point before something is read from the channel through this descriptor, where there is something: false if a timer that was
/// set meanwhile has ended the wait ([`Kernel::waits_by_timer`]).
pub fn receive(channel: u64, fd: c_int, beside: &impl Beside, site: u32) -> bool {
    let bit = stands_before(fd);
    pass(about(OpKind::ChannelRecv, channel, beside, site), is_ready(fd, libc::POLLIN));
    received(bit, beside)
}

/// The same until a time limit is over, which is the call's own, or a timer's: false if it is.
pub fn receive_within(
    channel: u64,
    fd: c_int,
    beside: &impl Beside,
    is_own: bool,
    site: u32,
    here: &Here,
) -> bool {
    let bit = stands_before(fd);
    k().me().receives.is_limited = is_own;
    let mut wait = about(OpKind::ChannelRecv, channel, beside, site);
    wait.flags = flags::TIMED;
    pass_timed(wait, is_ready(fd, libc::POLLIN), here);
    received(bit, beside)
}

/// The wait of the running thread, which has this bit, is over: false if its time is.
fn received(bit: u64, beside: &impl Beside) -> bool {
    let kernel = k();
    kernel.receiving &= !bit;
    kernel.timeouts &= !bit;
    if core::mem::take(&mut kernel.me().timed_out) {
        return false;
    }
    kernel.me().spin.clear();
    note(true, 0, beside);
    true
}

/// The running thread, which has this bit, comes to a call that waits until something is there.
fn stands_before(fd: c_int) -> u64 {
    let kernel = k();
    kernel.receiving |= kernel.my_bit();
    kernel.me().receives = Receives { from: fd, is_limited: false };
    kernel.me().timed_out = false;
    kernel.my_bit()
}

/// The same of a channel that the descriptor stands for no more: nothing is to be waited for.
pub fn receive_nothing(channel: u64, site: u32) {
    pass(event(OpKind::ChannelRecv, channel, site), true);
}

/// The same where nobody waits: the call says so if nothing is there. A loop of such calls, with its place, waits.
pub fn try_receive(channel: u64, fd: c_int, beside: &impl Beside, site: u32, here: Option<&Here>) {
    let mut receive = about(OpKind::ChannelRecv, channel, beside, site);
    receive.set_access(Order::Relaxed, AT_ONCE);
    match here {
        Some(here) => pass_reading(receive, here),
        None => pass(receive, true),
    }
    let is_there = is_ready(fd, libc::POLLIN);
    note(is_there, 0, beside);
    if is_there || here.is_none() {
        k().me().spin.clear();
    }
    if let Some(event) = k().last_event().filter(|_| !is_there) {
        event.flags |= flags::FAILED;
    }
}

/// The point before another descriptor is made of this channel's: that finds it, or finds it closed.
pub fn double(channel: u64, is_readable: impl FnOnce() -> bool, site: u32) {
    try_receive(channel, -1, &Nothing, site, None);
    note(is_readable(), found::DOUBLED, &Nothing);
    if let Some(event) = k().last_event() {
        event.flags |= flags::FAILED;
    }
}

/// The step just done did not meet its channel: it has found nothing and changed nothing.
pub fn missed(is_readable: bool) {
    k().me().spin.clear();
    if let Some(event) = k().last_event() {
        let more = event.value & !found::READABLE;
        event.value = more | if is_readable { found::READABLE } else { 0 };
        if event.kind() == OpKind::ChannelRecv {
            event.flags |= flags::FAILED;
        }
    }
}

/// What the operation just done found.
fn note(is_readable: bool, more: u64, beside: &impl Beside) {
    let readable = if is_readable { found::READABLE } else { 0 };
    let value = found::value(readable | more, beside.more(), beside.ready());
    if let Some(event) = k().last_event() {
        event.value = value;
    }
}

/// What operations on these channels are about has changed: those that threads stand before say so too.
pub fn beside_has_changed(channels: [u64; 2], epolls: u64, more: impl Fn(u64) -> u64) {
    let kernel = k();
    for thread in &mut kernel.threads[..kernel.spawned] {
        let pending = &mut thread.pending;
        let is_one = matches!(pending.kind(), OpKind::ChannelSend | OpKind::ChannelRecv);
        if is_one && channels.contains(&pending.object()) {
            let others = found::more(pending.value) & !epolls;
            pending.value = found::value(0, others | more(pending.object()), 0);
        }
    }
}

impl Kernel {
    /// Does another thread stand before a call that reads from this descriptor when something is there?
    pub fn waits_to_read_from(&self, fd: c_int) -> bool {
        let others = self.receiving & !(1 << self.current);
        (0..self.spawned).any(|t| others >> t & 1 != 0 && self.threads[t].receives.from == fd)
    }

    /// Does another thread stand before a read from this channel, waiting or not?
    pub fn stands_before_reading(&self, channel: u64) -> bool {
        let is_one = |pending: &Event| pending.kind() == OpKind::ChannelRecv && pending.object() == channel;
        (0..self.spawned).any(|t| t != usize::from(self.current) && is_one(&self.threads[t].pending))
    }

    /// A timer was set, or stopped: whoever waits for this channel without a limit of its own may go on when that is over, or may not.
    pub fn waits_by_timer(&mut self, channel: u64, runs: bool) {
        let waiting = self.receiving & !self.my_bit();
        for (t, thread) in self.threads[..self.spawned].iter_mut().enumerate() {
            if waiting >> t & 1 != 0 && thread.pending.object() == channel && !thread.receives.is_limited {
                thread.pending.flags =
                    thread.pending.flags & !flags::TIMED | if runs { flags::TIMED } else { 0 };
                self.timeouts = self.timeouts & !(1 << t) | u64::from(runs) << t;
            }
        }
    }

    /// Who of those that wait for something to read can go on now?
    #[cold]
    pub fn look_at_channels(&mut self) {
        let mut waiting = self.receiving;
        while waiting != 0 {
            let thread = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            let bit = 1 << thread;
            match is_ready(self.threads[thread].receives.from, libc::POLLIN) {
                true => self.enabled |= bit,
                false => self.enabled &= !bit,
            }
        }
    }
}
