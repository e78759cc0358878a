//! `method`: switches between selected methods first, those from or to one next (paper 003,
//! section 4.3). Which methods a step is in, its number tells.

use super::{Level, Priority, level};
use crate::order::{Focus, Switch};

/// See the module's text.
pub struct Method;

impl Priority for Method {
    fn level(&self, switch: &Switch, focus: &Focus) -> Level {
        level(focus.method(&switch.preempted), focus.method(&switch.preempting))
    }
}
