//! ExitBlock (paper 004, section 4.4): the plain enumeration at lock-exit granularity. Every order of
//! atomic blocks is an execution, less those that only move a block which says nothing
//! ([`blocks`](super::blocks)).

use super::blocks::{self, Block};
use super::none::Everything;
use super::{Astray, Backtracking, Child, Parent};
use raddle_schedule::{Choice, Trace};

/// See the module's text.
#[derive(Default)]
pub struct ExitBlock {
    everything: Everything,
    blocks: Vec<Block>,
}

impl Backtracking for ExitBlock {
    fn left_out(&self) -> bool {
        self.everything.left_out()
    }

    fn expand(&mut self, parent: &Parent, trace: &Trace, found: &mut dyn FnMut(Child)) -> Result<(), Astray> {
        blocks::read(trace, &mut self.blocks);
        let blocks = &self.blocks;
        let torn = blocks.iter().position(|b| b.in_vain).unwrap_or(usize::MAX);
        self.everything.expand(parent, trace, &mut |child| {
            let number = child.step as usize;
            let silent = blocks.get(number).is_some_and(|b| b.silent);
            let branches = !silent || !matches!(child.choice, Choice::Thread(_));
            if branches && number <= torn {
                found(child);
            }
        })
    }
}
