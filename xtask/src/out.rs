//! Where the output of a step goes: to standard output at once, or kept until the step beside which it runs is over.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The way of a step's output.
#[derive(Clone, Debug)]
pub struct Out {
    /// The output that is kept; `None` once everything goes to standard output.
    kept: Arc<Mutex<Option<Vec<u8>>>>,
}

impl Out {
    /// To standard output at once.
    pub fn direct() -> Out {
        Out { kept: Arc::default() }
    }

    /// Kept until [`Out::release`].
    pub fn kept() -> Out {
        Out { kept: Arc::new(Mutex::new(Some(Vec::new()))) }
    }

    /// Is the output kept for now?
    pub fn is_kept(&self) -> bool {
        self.lock().is_some()
    }

    /// Passes bytes on, or keeps them.
    pub fn write(&self, bytes: &[u8]) {
        match &mut *self.lock() {
            Some(kept) => kept.extend_from_slice(bytes),
            None => print(bytes),
        }
    }

    /// The same for a line.
    pub fn line(&self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    /// Writes out what is kept; from now on everything goes to standard output at once.
    pub fn release(&self) {
        if let Some(kept) = self.lock().take() {
            print(&kept);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn print(bytes: &[u8]) {
    let mut out = std::io::stdout();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_kept_in_order_until_it_is_released() {
        let out = Out::kept();
        let also = out.clone();
        out.line("one");
        also.write(b"two");
        assert_eq!(out.lock().as_deref(), Some(&b"one\ntwo"[..]));
        out.release();
        also.line("three");
        assert_eq!(*out.lock(), None);
        assert_eq!(*Out::direct().lock(), None);
    }
}
