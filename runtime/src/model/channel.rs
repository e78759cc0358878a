//! Channels: pipes, connected sockets and counters of events. What is in them is the system's; here it is only asked
//! whether there is something to read, and who waits until there is stands still meanwhile.
//!
//! To write, to read and to close an end are steps on the channel, done right behind them by the system's own call. What
//! was done before a write is known to who reads behind it. Closing an end is a kind of writing: who reads finds the end.

use super::event;
use crate::kernel::here::Here;
use crate::kernel::point::{pass, pass_reading};
use crate::kernel::{Kernel, k};
use crate::sys::call;
use core::ffi::c_int;
use raddle_schedule::world::{AT_ONCE, CLOSES, found};
use raddle_schedule::{OpKind, Order, flags};

/// Does this descriptor let somebody go on now (`POLLIN`: who reads, `POLLOUT`: who writes)?
pub fn is_ready(fd: c_int, events: i16) -> bool {
    let mut poll = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: one record, asked about without waiting.
    unsafe { call!(libc::SYS_poll, &raw mut poll, 1, 0) != 0 }
}

/// The point before something is written to the channel, or an end of it is closed.
pub fn send(channel: u64, closes: bool, is_readable: impl FnOnce() -> bool, site: u32) {
    let mut send = event(OpKind::ChannelSend, channel, site);
    if closes {
        send.set_access(Order::Relaxed, CLOSES);
    }
    pass(send, true);
    note(is_readable(), if closes { found::CLOSED } else { 0 });
}

/// The point before something is read from the channel through this descriptor, where there is something.
pub fn receive(channel: u64, fd: c_int, site: u32) {
    let kernel = k();
    let bit = kernel.my_bit();
    kernel.receiving |= bit;
    kernel.me().receives_from = fd;
    pass(event(OpKind::ChannelRecv, channel, site), is_ready(fd, libc::POLLIN));
    k().receiving &= !bit;
    k().me().spin.clear();
    note(true, 0);
}

/// The same of a channel that the descriptor stands for no more: nothing is to be waited for.
pub fn receive_nothing(channel: u64, site: u32) {
    pass(event(OpKind::ChannelRecv, channel, site), true);
}

/// The same where nobody waits: the call says so if nothing is there. A loop of such calls, with its place, waits.
pub fn try_receive(channel: u64, fd: c_int, site: u32, here: Option<&Here>) {
    let mut receive = event(OpKind::ChannelRecv, channel, site);
    receive.set_access(Order::Relaxed, AT_ONCE);
    match here {
        Some(here) => pass_reading(receive, here),
        None => pass(receive, true),
    }
    let is_there = is_ready(fd, libc::POLLIN);
    note(is_there, 0);
    if is_there || here.is_none() {
        k().me().spin.clear();
    }
    if let Some(event) = k().last_event().filter(|_| !is_there) {
        event.flags |= flags::FAILED;
    }
}

/// The point before another descriptor is made of this channel's: that finds it, or finds it closed.
pub fn double(channel: u64, is_readable: impl FnOnce() -> bool, site: u32) {
    try_receive(channel, -1, site, None);
    note(is_readable(), found::DOUBLED);
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
fn note(is_readable: bool, more: u64) {
    if let Some(event) = k().last_event() {
        event.value = if is_readable { found::READABLE } else { 0 } | more;
    }
}

impl Kernel {
    /// Does another thread stand before a call that reads from this descriptor when something is there?
    pub fn waits_to_read_from(&self, fd: c_int) -> bool {
        let others = self.receiving & !(1 << self.current);
        (0..self.spawned).any(|t| others >> t & 1 != 0 && self.threads[t].receives_from == fd)
    }

    /// Who of those that wait for something to read can go on now?
    #[cold]
    pub fn look_at_channels(&mut self) {
        let mut waiting = self.receiving;
        while waiting != 0 {
            let thread = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            let bit = 1 << thread;
            match is_ready(self.threads[thread].receives_from, libc::POLLIN) {
                true => self.enabled |= bit,
                false => self.enabled &= !bit,
            }
        }
    }
}
