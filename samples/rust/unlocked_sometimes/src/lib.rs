//! What a lock guards, read without it in some schedules only.
//!
//! [`Work::report`] is the mistake: where it finds that the work is done it spares itself the lock, and the worker
//! says so before its own last change. Where it comes earlier, it takes the lock. (The total is atomic, or safe
//! Rust would not let it happen.) [`Work::report_locked`] takes the lock in any case.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};

/// Work that is done in two parts.
#[derive(Default)]
pub struct Work {
    lock: Mutex<()>,
    /// Belongs to the lock.
    total: AtomicU32,
    is_done: AtomicBool,
}

impl Work {
    /// Does both.
    pub fn work(&self) {
        let _guard = self.lock();
        self.total.store(5, SeqCst);
        self.is_done.store(true, SeqCst);
        self.total.store(15, SeqCst);
    }

    /// The total before or after; wrong where all seems to be done.
    pub fn report(&self) -> u32 {
        if self.is_done.load(SeqCst) {
            return self.total.load(SeqCst);
        }
        self.report_locked()
    }

    /// The total before or after.
    pub fn report_locked(&self) -> u32 {
        let _guard = self.lock();
        self.total.load(SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().expect("no thread panics at work")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn reported(report: fn(&Work) -> u32) {
        let work = Work::default();
        thread::scope(|s| {
            s.spawn(|| work.work());
            s.spawn(|| {
                let total = report(&work);
                assert!(total == 0 || total == 15, "half of it was reported");
            });
        });
    }

    #[test]
    fn a_report() {
        reported(Work::report);
    }

    #[test]
    fn a_report_with_the_lock() {
        reported(Work::report_locked);
    }
}
