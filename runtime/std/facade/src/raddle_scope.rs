//! `std::thread::scope`. The end of a scope *joins* its threads, as the kernel models it: std
//! counts them in an atomic of its own, which no model could see.
//!
//! A handle that is dropped leaves its thread to the scope, which joins it at its end. A thread
//! whose handle is elsewhere then (held by another scoped thread, or leaked) is waited for by
//! count: [`Data::running`] falls when its closure is through.

use super::{Builder, JoinHandle, Thread};
use crate::rt::Loc;
use crate::word::Word;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::{Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, io, thread as real};

/// std's `Scope`.
pub struct Scope<'scope, 'env: 'scope> {
    data: Arc<Data>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// std's `ScopedJoinHandle`.
pub struct ScopedJoinHandle<'scope, T> {
    /// There until it is joined or dropped.
    handle: Option<JoinHandle<T>>,
    data: Arc<Data>,
    scope: PhantomData<&'scope mut &'scope ()>,
}

/// Joins a thread whose handle was dropped; true if its panic went unhandled.
type Join<'a> = Box<dyn FnOnce(Loc) -> bool + 'a>;

/// What a scope shares with its threads and handles. The real mutex is never held over a schedule
/// point.
struct Data {
    /// Threads that are left to the scope.
    dropped: Mutex<Vec<Sendable>>,
    /// Threads whose closure is not through.
    running: AtomicUsize,
    /// The scope's end waits on `finished`.
    waits: AtomicBool,
    /// 1 when the last closure is through.
    finished: Word,
}

/// std's `scope`.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let data = Data {
        dropped: Mutex::new(Vec::new()),
        running: AtomicUsize::new(0),
        waits: AtomicBool::new(false),
        finished: Word::new(0),
    };
    let scope = Scope { data: Arc::new(data), scope: PhantomData, env: PhantomData };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    let a_thread_panicked = scope.data.join_all(Loc::caller());
    match result {
        Err(e) => resume_unwind(e),
        Ok(_) if a_thread_panicked => panic!("a scoped thread panicked"),
        Ok(result) => result,
    }
}

impl Data {
    /// Waits for every thread of the scope; true if one's panic went unhandled.
    fn join_all(&self, loc: Loc) -> bool {
        let mut a_thread_panicked = self.join_dropped(loc);
        // With the flag up, the thread that ends last says so, or has ended by now.
        self.waits.store(true, SeqCst);
        while self.running.load(SeqCst) != 0 {
            self.finished.wait(0, loc);
        }
        a_thread_panicked |= self.join_dropped(loc);
        a_thread_panicked
    }

    fn join_dropped(&self, loc: Loc) -> bool {
        let mut a_thread_panicked = false;
        loop {
            let joins = std::mem::take(&mut *self.dropped.lock().unwrap_or_else(PoisonError::into_inner));
            if joins.is_empty() {
                return a_thread_panicked;
            }
            for Sendable(join) in joins {
                a_thread_panicked |= join(loc);
            }
        }
    }
}

/// Counts a closure that is through, also when it panicked.
struct Through(Arc<Data>);

impl Drop for Through {
    fn drop(&mut self) {
        let data = &self.0;
        if data.running.fetch_sub(1, SeqCst) == 1 && data.waits.load(SeqCst) {
            data.finished.store(1, Release, Loc::UNKNOWN);
            data.finished.wake_all(Loc::UNKNOWN);
        }
    }
}

impl<'scope> Scope<'scope, '_> {
    /// std's `spawn`.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.start(Builder::new(), f).expect("failed to spawn thread")
    }

    #[track_caller]
    pub(super) fn start<F, T>(&'scope self, builder: Builder, f: F) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.data.running.fetch_add(1, SeqCst);
        let through = Through(self.data.clone());
        let body = move || {
            let _through = through;
            f()
        };
        // SAFETY: the scope ends only after `body` is through (`join_all`), so what it borrows for
        // `'scope` is there. Its result is taken by the handle, which lives no longer than `'scope`,
        // or by the join at the end of the scope.
        let handle = unsafe { builder.spawn_unchecked(body) }?;
        Ok(ScopedJoinHandle { handle: Some(handle), data: self.data.clone(), scope: PhantomData })
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// std's `thread`.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.handle {
            Some(handle) => handle.thread(),
            None => unreachable!("only join and drop take the handle"),
        }
    }

    /// std's `join`.
    #[track_caller]
    pub fn join(mut self) -> real::Result<T> {
        match self.handle.take() {
            Some(handle) => handle.join(),
            None => unreachable!("only join and drop take the handle"),
        }
    }

    /// std's `is_finished`.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.handle.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

/// A [`Join`] that may go to another thread, as a handle may whatever its thread's result is (and
/// that result was `Send` where the thread was started).
struct Sendable(Join<'static>);

// SAFETY: as said there.
unsafe impl Send for Sendable {}

impl<T> Drop for ScopedJoinHandle<'_, T> {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        let join: Join<'_> = Box::new(move |loc| {
            let result = handle.join_at(loc);
            let panicked = result.is_err();
            // A panic here would leave the scope with threads running; std ends the process too.
            if catch_unwind(AssertUnwindSafe(|| drop(result))).is_err() {
                eprintln!("fatal runtime error: thread result panicked on drop, aborting");
                std::process::abort();
            }
            panicked
        });
        // SAFETY: the scope calls it, and so uses it up, before it ends; what is in it is a handle
        // whose result may borrow for `'scope`, and is valid until then.
        let join = unsafe { std::mem::transmute::<Join<'_>, Join<'static>>(join) };
        self.data.dropped.lock().unwrap_or_else(PoisonError::into_inner).push(Sendable(join));
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let running = self.data.running.load(SeqCst);
        f.debug_struct("Scope").field("num_running_threads", &running).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
