//! `method`: switches between selected methods first, those from or to one next (paper 003,
//! section 4.3).

use super::{Level, Priority, level};
use crate::focus::Selection;
use crate::order::Switch;

/// See the module's text.
pub struct Method;

impl Priority for Method {
    fn level(&self, switch: &Switch, selection: &dyn Selection) -> Level {
        level(selection.method(switch.preempted.method), selection.method(switch.preempting.method))
    }
}
