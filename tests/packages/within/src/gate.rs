//! A gate that forgets whom to tell: it looks in one section and waits in another.

use std::sync::{Condvar, Mutex};

/// A gate.
#[derive(Default)]
pub struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    /// Waits until it is open.
    pub fn pass(&self) {
        let open = *self.open.lock().unwrap();
        if !open {
            let guard = self.open.lock().unwrap();
            drop(self.opened.wait(guard).unwrap()); // waits
        }
    }

    /// Opens it.
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}
