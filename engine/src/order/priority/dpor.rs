//! `dpor`: what dynamic partial-order reduction would explore goes first, the rest later (paper
//! 003, section 4.1). [`crate::order::Insight`] says what that is.

use super::{Asks, Priority};
use crate::order::{Focus, Known};

/// See the module's text.
pub struct Dpor;

impl Priority for Dpor {
    fn values(&self) -> u32 {
        2
    }

    fn asks(&self) -> Asks {
        Asks { insight: true, earlier: true, ..Asks::default() }
    }

    fn value(&self, known: &Known, _: &Focus) -> u32 {
        u32::from(!known.marks.backtracks)
    }
}
