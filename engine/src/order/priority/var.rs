//! `var`: switches between operations on selected variables first, those from or to one next
//! (paper 003, section 4.3). What a thread does together with a step counts: where plain accesses
//! are no schedule points, the switch that keeps two of them apart is the one before their blocks.

use super::{Level, Priority, level};
use crate::order::{Focus, Switch};

/// See the module's text.
pub struct Var;

impl Priority for Var {
    fn level(&self, switch: &Switch, focus: &Focus) -> Level {
        level(focus.variable(&switch.preempted), focus.variable(&switch.preempting))
    }

    fn looks_within(&self) -> bool {
        true
    }
}
