//! `var`: switches between operations on selected variables first, those from or to one next
//! (paper 003, section 4.3).

use super::{Level, Priority, level};
use crate::focus::Selection;
use crate::order::Switch;

/// See the module's text.
pub struct Var;

impl Priority for Var {
    fn level(&self, switch: &Switch, selection: &dyn Selection) -> Level {
        level(selection.variable(&switch.preempted), selection.variable(&switch.preempting))
    }
}
