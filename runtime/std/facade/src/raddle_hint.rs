//! `std::hint` and `core::hint`: a spinning thread gives way.

use crate::rt::{self, Loc};
pub use std::hint::*;

/// A turn of a loop that waits for another thread.
#[inline]
#[track_caller]
pub fn spin_loop() {
    if rt::active() { rt::yield_now(Loc::caller()) } else { std::hint::spin_loop() }
}
