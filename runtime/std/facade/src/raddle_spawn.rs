//! Starting and joining threads.

use super::{Thread, scope};
use crate::rt::{self, Loc};
use std::io;
use std::os::unix::thread::{JoinHandleExt, RawPthread};
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
pub struct JoinHandle<T>(real::JoinHandle<T>);

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
        let _site = rt::Site::new(Loc::caller());
        let name = self.name;
        let body = move || {
            if let Some(name) = name
                && rt::active()
            {
                rt::thread_name(&name);
            }
            f()
        };
        // SAFETY: the caller's promise.
        let handle = unsafe { self.real.spawn_unchecked(body) }?;
        if rt::active() {
            rt::thread_id(handle.as_pthread_t(), handle.thread().id());
        }
        Ok(JoinHandle(handle))
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
        Thread::wrap(self.0.thread())
    }

    /// std's `join`.
    #[track_caller]
    pub fn join(self) -> real::Result<T> {
        self.join_at(Loc::caller())
    }

    pub(super) fn join_at(self, loc: Loc) -> real::Result<T> {
        let _site = rt::Site::new(loc);
        self.0.join()
    }

    /// std's `is_finished`: a step, as it tells of another thread.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        if rt::active() { rt::has_ended(self.0.as_pthread_t(), Loc::caller()) } else { self.0.is_finished() }
    }
}

impl<T> JoinHandleExt for JoinHandle<T> {
    fn as_pthread_t(&self) -> RawPthread {
        self.0.as_pthread_t()
    }

    fn into_pthread_t(self) -> RawPthread {
        self.0.into_pthread_t()
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
