//! The channel behind `mpsc`: a queue under a mutex, with one condition variable for the receiver
//! and one for senders that must wait.
//!
//! With a bound of n > 0, a sender waits while n messages are queued. With a bound of 0 a sender
//! *offers* its message and waits until the receiver has taken it, unless the receiver is waiting
//! already: then it hands the message over and goes on, as std does. Nobody is notified who does
//! not wait, so that an uncontended send or receive is a lock and an unlock.

use crate::rt::Loc;
use crate::sync::{Condvar, Mutex, MutexGuard};
use crate::word::Word;
use std::collections::VecDeque;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::mpsc::{RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::{Duration, Instant};

/// One channel, shared by its receiver and its senders.
pub(super) struct Channel<T> {
    state: Mutex<State<T>>,
    /// The receiver waits here for a message or the end of the last sender.
    receivable: Condvar,
    /// Senders wait here for room, for their offer to be taken, or for the end of the receiver.
    sendable: Condvar,
    /// Senders alive. A word of its own, as cloning one takes no lock in std either.
    senders: Word,
    /// Messages that may be queued.
    bound: Option<usize>,
}

struct State<T> {
    /// Sent and not yet received.
    queue: VecDeque<T>,
    /// With a bound of 0: messages of waiting senders, by ticket, oldest first.
    offers: VecDeque<(u64, T)>,
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
}

type Guard<'a, T> = MutexGuard<'a, State<T>>;

/// Nothing panics while it holds the lock, but an execution may be told to unwind there.
fn unpoison<G>(result: Result<G, PoisonError<G>>) -> G {
    result.unwrap_or_else(PoisonError::into_inner)
}

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
        };
        Channel {
            state: Mutex::new(state),
            receivable: Condvar::new(),
            sendable: Condvar::new(),
            senders: Word::new(1),
            bound,
        }
    }

    #[track_caller]
    pub(super) fn send(&self, message: T) -> Result<(), SendError<T>> {
        let mut state = unpoison(self.state.lock());
        loop {
            if state.no_receiver {
                return Err(SendError(message));
            }
            if self.has_room(&state) {
                self.push(state, message);
                return Ok(());
            }
            if self.bound == Some(0) {
                return self.offer(state, message);
            }
            state = self.wait_to_send(state);
        }
    }

    #[track_caller]
    pub(super) fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let state = unpoison(self.state.lock());
        if state.no_receiver {
            Err(TrySendError::Disconnected(message))
        } else if self.has_room(&state) {
            self.push(state, message);
            Ok(())
        } else {
            Err(TrySendError::Full(message))
        }
    }

    #[track_caller]
    pub(super) fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut state = unpoison(self.state.lock());
        match self.take(&mut state) {
            Some(message) => Ok(message),
            None if state.no_senders => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    /// Receives, within a time if one is given.
    #[track_caller]
    pub(super) fn recv(&self, timeout: Option<Duration>) -> Result<T, RecvTimeoutError> {
        // Too far away to be reached: as if none were given.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut over = false;
        let mut state = unpoison(self.state.lock());
        loop {
            if let Some(message) = self.take(&mut state) {
                return Ok(message);
            }
            if state.no_senders {
                return Err(RecvTimeoutError::Disconnected);
            }
            if over {
                return Err(RecvTimeoutError::Timeout);
            }
            state.receiver_waits = true;
            match deadline {
                None => state = unpoison(self.receivable.wait(state)),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    let (now, result) = unpoison(self.receivable.wait_timeout(state, left));
                    (state, over) = (now, result.timed_out());
                }
            }
            state.receiver_waits = false;
        }
    }

    pub(super) fn add_sender(&self, loc: Loc) {
        self.senders.fetch_add(1, Relaxed, loc);
    }

    pub(super) fn drop_sender(&self) {
        if self.senders.fetch_sub(1, AcqRel, Loc::UNKNOWN) == 1 {
            let mut state = unpoison(self.state.lock_at(Loc::UNKNOWN));
            state.no_senders = true;
            if state.receiver_waits {
                self.receivable.notify_all_at(Loc::UNKNOWN);
            }
        }
    }

    pub(super) fn drop_receiver(&self) {
        let mut state = unpoison(self.state.lock_at(Loc::UNKNOWN));
        state.no_receiver = true;
        if state.senders_wait > 0 {
            self.sendable.notify_all_at(Loc::UNKNOWN);
        }
        let messages = std::mem::take(&mut state.queue);
        drop(state);
        // Their drop may do anything, so not under the lock. Offers go back to their senders.
        drop(messages);
    }

    /// May a message be queued now? With a bound of 0: is the receiver there for it?
    fn has_room(&self, state: &State<T>) -> bool {
        match self.bound {
            None => true,
            Some(0) => state.receiver_waits && state.queue.is_empty(),
            Some(bound) => state.queue.len() < bound,
        }
    }

    #[track_caller]
    fn push(&self, mut state: Guard<'_, T>, message: T) {
        state.queue.push_back(message);
        if state.receiver_waits {
            self.receivable.notify_one();
        }
    }

    /// With a bound of 0: waits until the receiver has taken the message.
    #[track_caller]
    fn offer(&self, mut state: Guard<'_, T>, message: T) -> Result<(), SendError<T>> {
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.offers.push_back((ticket, message));
        loop {
            state = self.wait_to_send(state);
            let Some(position) = state.offers.iter().position(|(other, _)| *other == ticket) else {
                return Ok(());
            };
            if state.no_receiver {
                return match state.offers.remove(position) {
                    Some((_, message)) => Err(SendError(message)),
                    None => Ok(()),
                };
            }
        }
    }

    #[track_caller]
    fn wait_to_send<'a>(&self, mut state: Guard<'a, T>) -> Guard<'a, T> {
        state.senders_wait += 1;
        state = unpoison(self.sendable.wait(state));
        state.senders_wait -= 1;
        state
    }

    /// The next message, if there is one; a sender that waits for this goes on.
    #[track_caller]
    fn take(&self, state: &mut Guard<'_, T>) -> Option<T> {
        if let Some(message) = state.queue.pop_front() {
            if state.senders_wait > 0 && self.bound != Some(0) {
                self.sendable.notify_one();
            }
            return Some(message);
        }
        let (_, message) = state.offers.pop_front()?;
        // All of them, as only the one whose offer it was may go on.
        self.sendable.notify_all();
        Some(message)
    }
}
