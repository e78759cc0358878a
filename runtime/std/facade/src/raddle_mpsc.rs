//! `std::sync::mpsc`: the interface of std's channels on `Channel`, which is built from a lock
//! and condition variables of the model.

#[path = "raddle_channel.rs"]
mod channel;

use crate::rt::{self, Loc};
use channel::Channel;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::time::Duration;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// std's `Receiver`.
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
    /// std's is not `Sync` either.
    _not_sync: PhantomData<Cell<()>>,
}

/// std's `Sender`.
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
}

/// std's `SyncSender`.
pub struct SyncSender<T> {
    channel: Arc<Channel<T>>,
}

impl<T> UnwindSafe for Receiver<T> {}
impl<T> RefUnwindSafe for Receiver<T> {}
impl<T> UnwindSafe for Sender<T> {}
impl<T> RefUnwindSafe for Sender<T> {}
impl<T> UnwindSafe for SyncSender<T> {}
impl<T> RefUnwindSafe for SyncSender<T> {}

/// std's `Iter`.
#[derive(Debug)]
pub struct Iter<'a, T: 'a> {
    rx: &'a Receiver<T>,
}

/// std's `TryIter`.
#[derive(Debug)]
pub struct TryIter<'a, T: 'a> {
    rx: &'a Receiver<T>,
}

/// std's `IntoIter`.
#[derive(Debug)]
pub struct IntoIter<T> {
    rx: Receiver<T>,
}

/// std's `channel`.
#[must_use]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Arc::new(Channel::new(None));
    rt::own_counts(&channel);
    (Sender { channel: channel.clone() }, Receiver { channel, _not_sync: PhantomData })
}

/// std's `sync_channel`.
#[must_use]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let channel = Arc::new(Channel::new(Some(bound)));
    rt::own_counts(&channel);
    (SyncSender { channel: channel.clone() }, Receiver { channel, _not_sync: PhantomData })
}

impl<T> Sender<T> {
    /// std's `send`.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        self.channel.send(t, Loc::caller())
    }
}

impl<T> SyncSender<T> {
    /// std's `send`.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        self.channel.send(t, Loc::caller())
    }

    /// std's `try_send`.
    #[track_caller]
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>> {
        self.channel.try_send(t, Loc::caller())
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Sender<T> {
        self.channel.add_sender(Loc::caller());
        Sender { channel: self.channel.clone() }
    }
}

impl<T> Clone for SyncSender<T> {
    #[track_caller]
    fn clone(&self) -> SyncSender<T> {
        self.channel.add_sender(Loc::caller());
        SyncSender { channel: self.channel.clone() }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.channel.drop_sender();
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        self.channel.drop_sender();
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.channel.drop_receiver();
    }
}

impl<T> Receiver<T> {
    /// std's `try_recv`.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.channel.try_recv(Loc::caller())
    }

    /// std's `recv`.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.channel.recv(None, Loc::caller()).map_err(|_| RecvError)
    }

    /// std's `recv_timeout`.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.channel.recv(Some(timeout), Loc::caller())
    }

    /// std's `iter`.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { rx: self }
    }

    /// std's `try_iter`.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { rx: self }
    }
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { rx: self }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
