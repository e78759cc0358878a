//! The result that a thread leaves for its join. As in std, the thread and its handle share it, and the one of the two that goes last
//! drops what nobody took: the thread at its end, or whoever drops the handle of a thread that has ended. The program's own code
//! runs in that drop, so its count is one of the program's (that of std's own packet is not seen).

use super::real;
use super::scope::Unhandled;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// std's `Packet`.
pub struct Packet<T> {
    /// There from the end of the thread's function until somebody takes it.
    result: UnsafeCell<Option<real::Result<T>>>,
    /// To be told of a panic that nobody took.
    scope: Option<Unhandled>,
}

// SAFETY: the thread alone uses the result as long as it runs, and its handle's owner behind the join; both change it, and
// neither looks at what the other may change ([`Packet::set`], [`Packet::take`]).
unsafe impl<T: Send> Sync for Packet<T> {}

impl<T> Packet<T> {
    /// Of a thread that is about to start.
    pub fn new(scope: Option<Unhandled>) -> Arc<Packet<T>> {
        Arc::new(Packet { result: UnsafeCell::new(None), scope })
    }

    /// The thread's function has ended so.
    ///
    /// # Safety
    /// To be called by the thread, before it drops its share.
    pub unsafe fn set(&self, result: real::Result<T>) {
        // SAFETY: as promised: whoever has the handle waits for the thread's end before it takes.
        unsafe { *self.result.get() = Some(result) }
    }

    /// Takes the thread's result.
    ///
    /// # Safety
    /// The thread has been joined.
    pub unsafe fn take(&self) -> real::Result<T> {
        // SAFETY: as promised: the thread has dropped its share.
        match unsafe { (*self.result.get()).take() } {
            Some(result) => result,
            None => unreachable!("a thread leaves a result, which only its join takes"),
        }
    }
}

impl<T> Drop for Packet<T> {
    fn drop(&mut self) {
        let result = self.result.get_mut();
        let is_unhandled = matches!(result, Some(Err(_)));
        // A panic here would leave a scope with threads running; std ends the process too.
        if catch_unwind(AssertUnwindSafe(|| *result = None)).is_err() {
            eprintln!("fatal runtime error: thread result panicked on drop, aborting");
            std::process::abort();
        }
        if let (true, Some(scope)) = (is_unhandled, &self.scope) {
            scope.tell();
        }
    }
}
