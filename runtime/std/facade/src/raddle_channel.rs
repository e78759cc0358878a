//! The channel behind `mpsc`: a queue under a lock, with one condition variable for the receiver
//! and one for senders that must wait. The lock says who comes when; which accesses a channel orders is told by
//! [`Order`], as std's channels do it.
//!
//! With a bound of n > 0, a sender waits while n messages are queued. With a bound of 0 a sender
//! *offers* its message and waits until the receiver has taken it, unless the receiver is waiting
//! already: then it hands the message over and goes on, as std does. Nobody is notified who does
//! not wait, so that an uncontended send or receive is a lock and an unlock.

#[path = "raddle_channel_lock.rs"]
mod lock;
#[path = "raddle_channel_order.rs"]
mod order;

use crate::rt::{self, Loc};
use crate::word::Word;
use lock::{Bell, Held, Lock};
use order::{Order, Slot};
use std::collections::VecDeque;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::mpsc::{RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

/// One channel, shared by its receiver and its senders.
pub(super) struct Channel<T> {
    state: Lock<State<T>>,
    /// The receiver waits here for a message or the end of the last sender.
    receivable: Bell,
    /// Senders wait here for room, for their offer to be taken, or for the end of the receiver.
    sendable: Bell,
    /// Senders alive. A word of its own, as cloning one takes no lock in std either.
    senders: Word,
    /// Messages that may be queued.
    bound: Option<usize>,
}

struct State<T> {
    /// Sent and not yet received.
    queue: VecDeque<(T, Slot)>,
    /// With a bound of 0: messages of waiting senders, oldest first.
    offers: VecDeque<Offer<T>>,
    /// The next offer's ticket.
    next_ticket: u64,
    /// The receiver waits.
    receiver_waits: bool,
    /// Senders that wait.
    senders_wait: usize,
    /// Every sender is gone.
    no_senders: bool,
    /// The receiver is gone.
    no_receiver: bool,
    /// What it orders.
    order: Order,
}

/// The message of a sender that waits for it to be taken.
struct Offer<T> {
    ticket: u64,
    message: T,
    /// Where the sender sees that.
    taken: *const (),
}

// SAFETY: the pointer is a name; nobody follows it.
unsafe impl<T: Send> Send for Offer<T> {}

type Guard<'a, T> = Held<'a, State<T>>;

impl<T> Channel<T> {
    pub(super) const fn new(bound: Option<usize>) -> Channel<T> {
        let state = State {
            queue: VecDeque::new(),
            offers: VecDeque::new(),
            next_ticket: 0,
            receiver_waits: false,
            senders_wait: 0,
            no_senders: false,
            no_receiver: false,
            order: Order::new(bound),
        };
        Channel {
            state: Lock::new(state),
            receivable: Bell::new(),
            sendable: Bell::new(),
            senders: Word::new(1),
            bound,
        }
    }

    pub(super) fn send(&self, message: T, loc: Loc) -> Result<(), SendError<T>> {
        let mut state = self.begin(loc);
        loop {
            if state.no_receiver {
                state.order.finds_the_end();
                return Err(SendError(message));
            }
            if self.has_room(&state) {
                self.push(state, message, loc);
                return Ok(());
            }
            if self.bound == Some(0) {
                return self.offer(state, message, loc);
            }
            state.finds_no_room();
            state.order.sender_waits();
            state = self.wait_to_send(state, loc);
        }
    }

    pub(super) fn try_send(&self, message: T, loc: Loc) -> Result<(), TrySendError<T>> {
        let state = self.begin(loc);
        if state.no_receiver {
            state.order.finds_the_end();
            Err(TrySendError::Disconnected(message))
        } else if self.has_room(&state) {
            self.push(state, message, loc);
            Ok(())
        } else {
            state.finds_no_room();
            Err(TrySendError::Full(message))
        }
    }

    pub(super) fn try_recv(&self, loc: Loc) -> Result<T, TryRecvError> {
        let mut state = self.begin(loc);
        match self.take(&mut state, loc) {
            Some(message) => Ok(message),
            None if state.no_senders => {
                state.order.finds_the_end();
                Err(TryRecvError::Disconnected)
            }
            None => Err(TryRecvError::Empty),
        }
    }

    /// Receives, within a time if one is given.
    pub(super) fn recv(&self, timeout: Option<Duration>, loc: Loc) -> Result<T, RecvTimeoutError> {
        // Too far away to be reached: as if none were given.
        let mut left = timeout.filter(|timeout| !rt::is_never(*timeout));
        let (mut over, mut again) = (false, false);
        let mut state = self.begin(loc);
        loop {
            if let Some(message) = self.take(&mut state, loc) {
                state.receiver_waits = false;
                return Ok(message);
            }
            if state.no_senders {
                state.order.finds_the_end();
                return Err(RecvTimeoutError::Disconnected);
            }
            if over {
                state.order.receiver_gives_up();
                return Err(RecvTimeoutError::Timeout);
            }
            state.receiver_waits = true;
            state.order.receiver_waits(again);
            match left {
                None => state = self.receivable.wait(state, loc),
                Some(time) => {
                    let rest;
                    (state, rest) = self.receivable.wait_for(state, time, loc);
                    over = rest.is_none_or(|rest| rest.is_zero());
                    left = rest.or(left);
                }
            }
            // Between the rounds of a loop of time-outs it counts as waiting, so that a round changes nothing. Only where it
            // has to be there for a message does that make a difference.
            state.receiver_waits = over && self.bound != Some(0);
            again = true;
        }
    }

    pub(super) fn add_sender(&self, loc: Loc) {
        self.senders.fetch_add(1, Relaxed, loc);
    }

    pub(super) fn drop_sender(&self) {
        if self.senders.fetch_sub(1, AcqRel, Loc::UNKNOWN) == 1 {
            let mut state = self.begin(Loc::UNKNOWN);
            state.no_senders = true;
            state.order.senders_end();
            if state.receiver_waits {
                self.receivable.ring(Loc::UNKNOWN);
            }
        }
    }

    pub(super) fn drop_receiver(&self) {
        let mut state = self.begin(Loc::UNKNOWN);
        state.no_receiver = true;
        state.order.receiver_ends(state.queue.iter().map(|(_, slot)| slot));
        if state.senders_wait > 0 {
            self.sendable.ring(Loc::UNKNOWN);
        }
        let messages = std::mem::take(&mut state.queue);
        drop(state);
        // Their drop may do anything, so not under the lock. Offers go back to their senders.
        drop(messages);
    }

    /// An operation begins.
    fn begin(&self, loc: Loc) -> Guard<'_, T> {
        let state = self.state.lock(loc);
        state.order.begins();
        state
    }

    /// May a message be queued now? With a bound of 0: is the receiver there for it?
    fn has_room(&self, state: &State<T>) -> bool {
        match self.bound {
            None => true,
            Some(0) => state.receiver_waits && state.queue.is_empty(),
            Some(bound) => state.queue.len() < bound,
        }
    }

    fn push(&self, mut state: Guard<'_, T>, message: T, loc: Loc) {
        let slot = state.order.sends();
        state.queue.push_back((message, slot));
        if state.receiver_waits {
            self.receivable.ring_once(loc);
        }
    }

    /// With a bound of 0: waits until the receiver has taken the message.
    fn offer(&self, mut state: Guard<'_, T>, message: T, loc: Loc) -> Result<(), SendError<T>> {
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        let (slot, taken) = state.order.offers();
        state.offers.push_back(Offer { ticket, message, taken });
        loop {
            state = self.wait_to_send(state, loc);
            let Some(position) = state.offers.iter().position(|other| other.ticket == ticket) else {
                state.order.offer_ends(slot, true);
                return Ok(());
            };
            if state.no_receiver {
                state.order.offer_ends(slot, false);
                return match state.offers.remove(position) {
                    Some(offer) => Err(SendError(offer.message)),
                    None => Ok(()),
                };
            }
        }
    }

    fn wait_to_send<'a>(&self, mut state: Guard<'a, T>, loc: Loc) -> Guard<'a, T> {
        state.senders_wait += 1;
        state = self.sendable.wait(state, loc);
        state.senders_wait -= 1;
        state
    }

    /// The next message, if there is one; a sender that waits for this goes on.
    fn take(&self, state: &mut Guard<'_, T>, loc: Loc) -> Option<T> {
        if let Some((message, slot)) = state.queue.pop_front() {
            state.order.receives(slot);
            if state.senders_wait > 0 && self.bound != Some(0) {
                self.sendable.ring_once(loc);
            }
            return Some(message);
        }
        let Some(offer) = state.offers.pop_front() else {
            state.order.finds_nothing();
            return None;
        };
        state.order.takes_offer(offer.taken);
        // All of them, as only the one whose offer it was may go on.
        self.sendable.ring(loc);
        Some(offer.message)
    }
}

impl<T> State<T> {
    fn finds_no_room(&self) {
        self.order.finds_no_room(self.queue.front().map(|(_, slot)| slot));
    }
}
