//! `pb`: executions with fewer preemptions first (paper 003, section 4.1). Without a bound this is
//! an order and no more: an execution with few of them may be found late, below one with many.

use super::{Asks, Priority};
use crate::order::{Focus, Known};

/// More are not told apart.
const MOST: u32 = 1023;

/// See the module's text.
pub struct Pb;

impl Priority for Pb {
    fn values(&self) -> u32 {
        MOST + 1
    }

    fn asks(&self) -> Asks {
        Asks::default()
    }

    fn value(&self, known: &Known, _: &Focus) -> u32 {
        known.preemptions.min(MOST)
    }
}
