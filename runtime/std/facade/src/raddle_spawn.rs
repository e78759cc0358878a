//! Starting and joining threads.

use super::packet::Packet;
use super::{Thread, scope};
use crate::rt::{self, Loc};
use std::io;
use std::os::unix::thread::{JoinHandleExt, RawPthread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::{fmt, thread as real};

/// std's `Builder`.
#[must_use = "must eventually spawn the thread"]
pub struct Builder {
    real: real::Builder,
    name: Option<String>,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.real.fmt(f)
    }
}

/// std's `JoinHandle`.
pub struct JoinHandle<T> {
    real: Box<real::JoinHandle<()>>,
    packet: Arc<Packet<T>>,
    /// It is as large as std's: crates assert the sizes of what has one.
    _third: usize,
}

// SAFETY: what the thread left goes to whoever joins it, and was `Send` where the thread was started; std's may go and be shared
// whatever it is.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: as above; a shared one gives access to the thread alone.
unsafe impl<T> Sync for JoinHandle<T> {}

/// std's `spawn`.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("failed to spawn thread")
}

impl Builder {
    /// std's `new`.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Builder {
        Builder { real: real::Builder::new(), name: None }
    }

    /// std's `name`.
    pub fn name(mut self, name: String) -> Builder {
        self.real = self.real.name(name.clone());
        self.name = Some(name);
        self
    }

    /// std's `stack_size`.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.real = self.real.stack_size(size);
        self
    }

    /// std's `spawn`.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        // SAFETY: what the closure holds is static.
        unsafe { self.spawn_unchecked(f) }
    }

    /// std's `spawn_unchecked`.
    ///
    /// # Safety
    /// As in std: the thread must not outlive what the closure borrows.
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        // SAFETY: the caller's promise.
        unsafe { self.start(f, None) }
    }

    /// Starts a thread, of a scope that is to be told of a panic that nobody takes.
    ///
    /// # Safety
    /// As for [`Builder::spawn_unchecked`].
    #[track_caller]
    pub(super) unsafe fn start<F, T>(self, f: F, scope: Option<scope::Unhandled>) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        let packet = Packet::new(scope);
        let theirs = packet.clone();
        let _site = rt::Site::new(Loc::caller());
        let name = self.name;
        let body = move || {
            if let Some(name) = name
                && rt::active()
            {
                rt::thread_name(&name);
            }
            let result = catch_unwind(AssertUnwindSafe(f));
            // SAFETY: by the thread, whose share goes behind it.
            unsafe { theirs.set(result) };
            drop(theirs);
        };
        // SAFETY: the caller's promise.
        let real = unsafe { self.real.spawn_unchecked(body) }?;
        if rt::active() {
            rt::thread_id(real.as_pthread_t(), real.thread().id());
        }
        Ok(JoinHandle { real: Box::new(real), packet, _third: 0 })
    }

    /// std's `spawn_scoped`.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope scope::Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<scope::ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        scope.start(self, f)
    }
}

impl<T> JoinHandle<T> {
    /// std's `thread`.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        Thread::wrap(self.real.thread())
    }

    /// std's `join`.
    #[track_caller]
    pub fn join(self) -> real::Result<T> {
        let JoinHandle { real, packet, .. } = self;
        join(*real, Loc::caller());
        // SAFETY: it was joined just now.
        unsafe { packet.take() }
    }

    /// Gives up what the thread leaves, but not the thread.
    pub(super) fn without_result(self) -> real::JoinHandle<()> {
        *self.real
    }

    /// std's `is_finished`: a step, as it tells of another thread.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        if rt::active() {
            rt::has_ended(self.real.as_pthread_t(), Loc::caller())
        } else {
            self.real.is_finished()
        }
    }
}

/// Waits for the end of a thread, which leaves its panic in its packet.
pub(super) fn join(thread: real::JoinHandle<()>, loc: Loc) {
    let _site = rt::Site::new(loc);
    let ended = thread.join();
    debug_assert!(ended.is_ok(), "nothing panics outside of the thread's function");
}

impl<T> JoinHandleExt for JoinHandle<T> {
    fn as_pthread_t(&self) -> RawPthread {
        self.real.as_pthread_t()
    }

    fn into_pthread_t(self) -> RawPthread {
        (*self.real).into_pthread_t()
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
