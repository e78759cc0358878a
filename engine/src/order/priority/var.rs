//! `var`: switches between operations on selected variables first, those from or to one next
//! (paper 003, section 4.3). What a thread does together with a step counts: where plain accesses
//! are no schedule points, the switch that keeps two of them apart is the one before their blocks.

use super::{Asks, LEVELS, Level, Priority, level};
use crate::order::{Focus, Known};

/// See the module's text.
pub struct Var;

impl Priority for Var {
    fn values(&self) -> u32 {
        LEVELS
    }

    fn asks(&self) -> Asks {
        Asks { switch: true, within: true, ..Asks::default() }
    }

    fn value(&self, known: &Known, focus: &Focus) -> u32 {
        self.level(known, focus) as u32
    }

    fn level(&self, known: &Known, focus: &Focus) -> Level {
        level(focus.variable(&known.switch.preempted), focus.variable(&known.switch.preempting))
    }
}
