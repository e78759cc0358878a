//! `method`: switches between selected methods first, those from or to one next (paper 003,
//! section 4.3). Which methods a step is in, its number tells.

use super::{Asks, LEVELS, Level, Priority, level};
use crate::order::{Focus, Known};

/// See the module's text.
pub struct Method;

impl Priority for Method {
    fn values(&self) -> u32 {
        LEVELS
    }

    fn asks(&self) -> Asks {
        Asks { switch: true, ..Asks::default() }
    }

    fn value(&self, known: &Known, focus: &Focus) -> u32 {
        self.level(known, focus) as u32
    }

    fn level(&self, known: &Known, focus: &Focus) -> Level {
        level(focus.method(&known.switch.preempted), focus.method(&known.switch.preempting))
    }
}
