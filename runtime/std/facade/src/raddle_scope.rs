//! `std::thread::scope`. The end of a scope *joins* its threads, as the kernel models it: std
//! counts them in an atomic of its own, which no model could see. A join waits for the destructors of
//! the thread's thread-locals too, and std's scopes do not: where these do something that others could
//! notice, the guarantee says that it was waited for ([`rt::scope_waited`]).
//!
//! A handle that is dropped leaves its thread to the scope, which joins it at its end. While a
//! handle is elsewhere then (another scoped thread holds it), the scope waits for that, too; for
//! one that was leaked it waits for ever, as std does.
//!
//! What the thread that opened the scope, its *owner*, does with handles is told to nobody else. What
//! other threads do with them are steps on a word: two executions with the same order of steps must
//! do the same. Only the question whether others have anything to do with the scope at all is asked
//! without a step ([`Data::is_shared`]), or every scope would end with one.

use super::{Builder, JoinHandle, Thread, spawn};
use crate::rt::{self, Loc};
use crate::word::Word;
use std::marker::PhantomData;
use std::os::unix::thread::JoinHandleExt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU32};
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
    /// std's may go to another thread where its result may, and stand for one of a shorter scope.
    result: PhantomData<(&'scope (), Arc<Mutex<T>>)>,
}

/// Tells a scope that a panic of one of its threads went unhandled.
pub struct Unhandled(Arc<Data>);

impl Unhandled {
    /// Nobody has joined the thread that panicked.
    pub fn tell(&self) {
        self.0.has_unhandled.store(true, Relaxed);
    }
}

/// What a scope shares with its threads and handles. The real mutexes are never held over a schedule
/// point.
struct Data {
    /// Who opened the scope and ends it.
    owner: real::ThreadId,
    /// Threads that were left to the scope, by the owner and by others.
    dropped: Mutex<Vec<real::JoinHandle<()>>>,
    dropped_by_others: Mutex<Vec<real::JoinHandle<()>>>,
    /// Handles that the owner got, less those that it joined or dropped (wrapping: others may have
    /// got them). Only the owner uses it.
    open: AtomicU32,
    /// The same of all other threads. The scope's end waits on it.
    open_to_others: Word,
    /// The panic of a thread went unhandled. Read behind the joins.
    has_unhandled: AtomicBool,
}

/// std's `scope`.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let data = Data {
        owner: real::current().id(),
        dropped: Mutex::new(Vec::new()),
        dropped_by_others: Mutex::new(Vec::new()),
        open: AtomicU32::new(0),
        open_to_others: Word::new(0),
        has_unhandled: AtomicBool::new(false),
    };
    let scope = Scope { data: Arc::new(data), scope: PhantomData, env: PhantomData };
    rt::own_counts(&scope.data);
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    scope.data.join_all(Loc::caller());
    match result {
        Err(e) => resume_unwind(e),
        Ok(_) if scope.data.has_unhandled.load(Relaxed) => panic!("a scoped thread panicked"),
        Ok(result) => result,
    }
}

impl Data {
    /// Waits for every thread of the scope.
    fn join_all(&self, loc: Loc) {
        join_dropped(&self.dropped, loc);
        while self.is_shared() {
            let theirs = self.open_to_others.load(Acquire, loc);
            if !lock(&self.dropped_by_others).is_empty() {
                join_dropped(&self.dropped_by_others, loc);
                join_dropped(&self.dropped, loc);
            } else if self.open.load(Relaxed).wrapping_add(theirs) == 0 {
                break;
            } else {
                self.open_to_others.wait(theirs, loc);
            }
        }
    }

    /// The owner has joined what it dropped. Is anything left that others have, had or dropped?
    ///
    /// This asks without a step, and the answer is the same whatever others are doing just now: a
    /// thread of the scope that is not joined yet has a handle that somebody holds, which counts in
    /// one of the two numbers, or that another thread has dropped, which then stands in its list. (In
    /// both for a moment, and never in neither.) Where there is no such thread, all that others
    /// ever did is known by the joins.
    fn is_shared(&self) -> bool {
        let open = self.open.load(Relaxed) != 0 || self.open_to_others.peek() != 0;
        // In this order, since a handle comes into the list before it is counted out.
        open || !lock(&self.dropped_by_others).is_empty()
    }

    fn is_owner(&self) -> bool {
        real::current().id() == self.owner
    }

    /// There is another handle.
    fn open(&self, loc: Loc) {
        if self.is_owner() {
            self.open.fetch_add(1, Relaxed);
        } else {
            self.open_to_others.fetch_add(1, AcqRel, loc);
        }
    }

    /// A handle has been joined, or dropped with this left to do.
    fn close(&self, join: Option<real::JoinHandle<()>>, loc: Loc) {
        if self.is_owner() {
            self.open.fetch_sub(1, Relaxed);
            lock(&self.dropped).extend(join);
        } else {
            // Where threads really run at once, the list comes first: the owner must not find the
            // handle in neither. Under the model it comes within the step, for the order of the steps.
            let mut join = join;
            if !rt::active() {
                lock(&self.dropped_by_others).extend(join.take());
            }
            self.open_to_others.fetch_sub(1, AcqRel, loc);
            lock(&self.dropped_by_others).extend(join);
            self.open_to_others.wake_all(loc);
        }
    }
}

/// Joins what is left to the scope, and what these threads leave to it meanwhile.
fn join_dropped(dropped: &Mutex<Vec<real::JoinHandle<()>>>, loc: Loc) {
    loop {
        let handles = std::mem::take(&mut *lock(dropped));
        if handles.is_empty() {
            return;
        }
        for handle in handles {
            let thread = handle.as_pthread_t();
            spawn::join(handle, loc);
            rt::scope_waited(thread);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        // SAFETY: every thread is joined before the scope ends (`join_all`), by its handle or by the
        // scope, so what it borrows for `'scope` is there as long as it runs.
        let handle = unsafe { builder.start(f, Some(Unhandled(self.data.clone()))) }?;
        self.data.open(Loc::caller());
        Ok(ScopedJoinHandle { handle: Some(handle), data: self.data.clone(), result: PhantomData })
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
            Some(handle) => {
                let result = handle.join();
                self.data.close(None, Loc::caller());
                result
            }
            None => unreachable!("only join and drop take the handle"),
        }
    }

    /// std's `is_finished`.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.handle.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl<T> Drop for ScopedJoinHandle<'_, T> {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        // Of a thread that has ended, the result goes here.
        let thread = handle.without_result();
        self.data.close(Some(thread), Loc::UNKNOWN);
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
