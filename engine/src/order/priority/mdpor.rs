//! `mdpor`: as `dpor`, less what is explored for want of better knowledge (the conservative points)
//! and what lies right before an operation that lets others go on (paper 003, section 4.1).

use super::{Asks, Priority};
use crate::order::{Focus, Known};

/// See the module's text.
pub struct Mdpor;

impl Priority for Mdpor {
    fn values(&self) -> u32 {
        2
    }

    fn asks(&self) -> Asks {
        Asks { insight: true, earlier: true, ..Asks::default() }
    }

    fn value(&self, known: &Known, _: &Focus) -> u32 {
        u32::from(!known.marks.reverses)
    }
}
