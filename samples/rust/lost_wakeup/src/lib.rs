//! Something that is waited for: a condition deadlock by a wake-up that is lost.
//!
//! [`Gate::pass`] is the mistake: it looks whether the gate is open, and only then takes the lock and waits.
//! Opened and notified in between, it waits for ever. [`Gate::pass_looking_again`] looks with the lock held.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard};

/// Closed at first.
#[derive(Default)]
pub struct Gate {
    is_open: AtomicBool,
    lock: Mutex<()>,
    opened: Condvar,
}

impl Gate {
    /// Waits until it is open; wrong when it is opened between the look and the wait.
    pub fn pass(&self) {
        if !self.is_open.load(SeqCst) {
            let guard = self.lock();
            drop(self.opened.wait(guard).expect("no thread panics at the gate"));
        }
    }

    /// Waits until it is open.
    pub fn pass_looking_again(&self) {
        let mut guard = self.lock();
        while !self.is_open.load(SeqCst) {
            guard = self.opened.wait(guard).expect("no thread panics at the gate");
        }
    }

    /// Opens it.
    pub fn open(&self) {
        self.is_open.store(true, SeqCst);
        let _guard = self.lock();
        self.opened.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().expect("no thread panics at the gate")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn opened_while(pass: fn(&Gate)) {
        let gate = Gate::default();
        thread::scope(|s| {
            s.spawn(|| pass(&gate));
            s.spawn(|| gate.open());
        });
    }

    #[test]
    fn somebody_passes() {
        opened_while(Gate::pass);
    }

    #[test]
    fn somebody_passes_looking_again() {
        opened_while(Gate::pass_looking_again);
    }
}
