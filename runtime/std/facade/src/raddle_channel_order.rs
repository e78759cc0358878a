//! Which accesses a channel orders: exactly those that std's own channels do. Their atomic operations are told to the race
//! detector as they stand in std's `sync/mpmc` (`list.rs`, `array.rs`, `zero.rs`, `waker.rs`), and are no steps. The lock
//! that our channel has instead orders nothing (`raddle_channel_lock.rs`).
//!
//! | from | to | unbounded | bound n | bound 0 |
//! |---|---|---|---|---|
//! | a send | its receive | slot's state | slot's stamp | packet, or `inner` |
//! | a send | later sends | `tail` | `tail` | `inner` |
//! | receive k | send k + n, and those behind it | - | slot's stamp | receive k to the return of send k: packet |
//! | a receive | any other send | - | - | `inner` |
//! | a receiver that waits | the send that finds it waiting | `receivers` | `receivers` | `inner` |
//! | a send that waits for room | the receive that finds it waiting | | `senders` | `inner` |
//! | the last sender's end | the error of a receive | `tail` | `tail` | `inner` |
//! | the receiver's end | the error of a send | `tail` | `tail` | `inner` |
//!
//! Two are more than std's code gives: there a receive (with bound n a send as well) that does not wait finds the end by a
//! relaxed load. They are given all the same, since programs wait for the end of others so.

use crate::rt::{self, Access, Aside};
use std::collections::VecDeque;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

/// A word of std's channel: only its address matters.
type Word = u64;

/// Where std's has a slot for a message. In memory of its own, so that the address stays.
pub(super) struct Slot(Box<Word>);

/// The words of one channel. Everything here is done by who holds the channel's lock.
pub(super) struct Order {
    /// Messages that may be queued.
    bound: Option<usize>,
    /// std's index of the next message to be received.
    head: Word,
    /// std's index of the next message to be sent; with a bound of 0 its mutex.
    tail: Word,
    /// Where a waiting receiver stands in std's list, and whether it does.
    receivers: Word,
    receiver_stands: bool,
    /// The same of senders that wait for room.
    senders: Word,
    senders_stand: usize,
    /// Slots without a message, in the order in which messages were received; and how many slots there are.
    spare: VecDeque<Slot>,
    slots: usize,
}

/// An operation on a word.
fn does(access: Access, word: &Word, order: Ordering) {
    rt::aside(Aside::Access(access), (&raw const *word).cast(), order);
}

fn fence() {
    rt::aside(Aside::Fence, std::ptr::null(), SeqCst);
}

impl Order {
    pub(super) const fn new(bound: Option<usize>) -> Order {
        let (head, tail, receivers, senders) = (0, 0, 0, 0);
        Order {
            bound,
            head,
            tail,
            receivers,
            receiver_stands: false,
            senders,
            senders_stand: 0,
            spare: VecDeque::new(),
            slots: 0,
        }
    }

    fn has_slots(&self) -> bool {
        !matches!(self.bound, None | Some(0))
    }

    /// An operation begins. (With a bound of 0 it takes std's mutex, and gives it back before anything else is done.)
    pub(super) fn begins(&self) {
        if self.bound == Some(0) {
            does(Access::Rmw, &self.tail, AcqRel);
        }
    }

    /// A message goes into this slot.
    pub(super) fn sends(&mut self) -> Slot {
        let again = self.bound.is_none_or(|bound| self.slots >= bound);
        let spare = if again { self.spare.pop_front() } else { None };
        let slot = spare.unwrap_or_else(|| self.another());
        if self.has_slots() {
            does(Access::Load, &slot.0, Acquire);
        }
        if self.bound != Some(0) {
            does(Access::Rmw, &self.tail, SeqCst);
        }
        does(Access::Store, &slot.0, Release);
        if self.bound != Some(0) {
            notifies(&self.receivers, self.receiver_stands);
            self.receiver_stands = false;
        }
        slot
    }

    /// A slot that was in no use yet.
    fn another(&mut self) -> Slot {
        self.slots += 1;
        Slot(Box::new(0))
    }

    /// The message in this slot is taken.
    pub(super) fn receives(&mut self, slot: Slot) {
        if self.bound.is_none() {
            self.looks_at_tail();
        }
        does(Access::Load, &slot.0, Acquire);
        if self.has_slots() {
            does(Access::Rmw, &self.head, SeqCst);
            does(Access::Store, &slot.0, Release);
            notifies(&self.senders, self.senders_stand > 0);
            self.senders_stand = self.senders_stand.saturating_sub(1);
        }
        self.spare.push_back(slot);
    }

    /// There is no message.
    pub(super) fn finds_nothing(&self) {
        if self.bound != Some(0) {
            self.looks_at_tail();
        }
    }

    fn looks_at_tail(&self) {
        fence();
        does(Access::Load, &self.tail, Relaxed);
    }

    /// There is no room, and this is the oldest message.
    pub(super) fn finds_no_room(&self, oldest: Option<&Slot>) {
        if let Some(slot) = oldest.filter(|_| self.has_slots()) {
            does(Access::Load, &self.tail, Relaxed);
            does(Access::Load, &slot.0, Acquire);
            fence();
            does(Access::Load, &self.head, Relaxed);
        }
    }

    /// The other side is gone.
    pub(super) fn finds_the_end(&self) {
        does(Access::Load, &self.tail, Acquire);
    }

    /// The receiver is going to wait, `again` in the same call.
    pub(super) fn receiver_waits(&mut self, again: bool) {
        if !(self.receiver_stands && again) && self.bound != Some(0) {
            self.receiver_stands = true;
            does(Access::Rmw, &self.receivers, SeqCst);
            does(Access::Load, &self.head, SeqCst);
            does(Access::Load, &self.tail, SeqCst);
        }
    }

    /// It has waited, in vain.
    pub(super) fn receiver_gives_up(&mut self) {
        self.begins();
        // It goes on to count as waiting ([`super::Channel::recv`]).
        if self.receiver_stands {
            does(Access::Rmw, &self.receivers, SeqCst);
        }
    }

    /// A sender is going to wait for room.
    pub(super) fn sender_waits(&mut self) {
        self.senders_stand += 1;
        does(Access::Rmw, &self.senders, SeqCst);
        does(Access::Load, &self.tail, SeqCst);
        does(Access::Load, &self.head, SeqCst);
    }

    /// With a bound of 0: a slot for an offer, and where the receiver says that it has the message.
    pub(super) fn offers(&mut self) -> (Slot, *const ()) {
        let spare = self.spare.pop_front();
        let slot = spare.unwrap_or_else(|| self.another());
        let at = (&raw const *slot.0).cast();
        (slot, at)
    }

    /// The receiver has taken an offer.
    pub(super) fn takes_offer(&self, at: *const ()) {
        rt::aside(Aside::Access(Access::Store), at, Release);
    }

    /// The sender's offer was taken; or, if not, it takes it back.
    pub(super) fn offer_ends(&mut self, slot: Slot, taken: bool) {
        if taken {
            does(Access::Load, &slot.0, Acquire);
        } else {
            self.begins();
        }
        self.spare.push_back(slot);
    }

    /// The last sender is gone.
    pub(super) fn senders_end(&self) {
        does(Access::Rmw, &self.tail, SeqCst);
        does(Access::Rmw, &self.receivers, SeqCst);
    }

    /// The receiver is gone, and drops what is left.
    pub(super) fn receiver_ends<'a>(&self, left: impl Iterator<Item = &'a Slot>) {
        does(Access::Rmw, &self.tail, SeqCst);
        does(Access::Rmw, &self.senders, SeqCst);
        left.for_each(|slot| does(Access::Load, &slot.0, Acquire));
    }
}

/// Who waits there is woken, if anybody does.
fn notifies(waiting: &Word, somebody_stands: bool) {
    does(if somebody_stands { Access::Rmw } else { Access::Load }, waiting, SeqCst);
}
