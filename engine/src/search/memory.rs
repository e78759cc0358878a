//! The search and its limit of memory.

use super::Search;
use crate::config::Reduce;
use crate::summary::{Peaks, StopReason};
use crate::tree::Spilling;

impl Search {
    /// Keeps what waits within a limit of memory from now on.
    pub fn limit_memory(&mut self, mut spilling: Spilling) {
        if let Some(states) = &mut self.states {
            states.limit(spilling.share());
        }
        if self.is_walk()
            && let Some(walk) = &mut self.reversal
        {
            walk.limit(spilling.share());
        }
        self.spilling = Some(spilling);
        self.relieve();
    }

    /// Puts aside what is too much. A reduction's tree is not only what waits: any execution may
    /// insert anywhere in it, so it cannot be put aside, and the search ends.
    pub(super) fn relieve(&mut self) {
        let Some(spilling) = &mut self.spilling else { return };
        if let Some(reversal) = &self.reversal {
            let taken = reversal.bytes() + self.fringe.bytes();
            let is_over = self.fringe.is_empty() && self.flying.is_empty();
            if taken > spilling.limit() && !is_over {
                let reduce = self.config.reduce;
                let less = if reduce == Reduce::Optimal { ", and source keeps less" } else { "" };
                let what = if self.is_walk() { "a walk through states".into() } else { reduce.to_string() };
                self.stop(StopReason::Spill(format!(
                    "what {what} keeps takes {taken} bytes and cannot be put aside; a larger --memory lets it go on{less}"
                )));
            }
            return;
        }
        let done = spilling.relieve(&mut self.fringe, &mut self.tree);
        self.spilled(done);
    }

    /// Has back what goes next; `None` if that cannot be.
    pub(super) fn fetch(&mut self) -> Option<()> {
        if let Some(spilling) = &mut self.spilling {
            let done = spilling.fetch(&mut self.fringe, &mut self.tree);
            return self.spilled(done);
        }
        Some(())
    }

    /// Most nodes of the tree.
    pub(super) fn peak_nodes(&self) -> usize {
        match &self.let_go {
            Some((nodes, _)) => *nodes,
            None => self.reversal.as_ref().map_or(self.tree.peak(), |r| r.peak()),
        }
    }

    /// What was taken at most.
    pub(super) fn peaks(&self) -> Peaks {
        if let Some((_, peaks)) = self.let_go {
            return peaks;
        }
        let spilled = self.spilling.as_ref();
        Peaks {
            tree_bytes: if self.reversal.is_some() { 0 } else { self.tree.bytes() },
            fringe_bytes: self.fringe.peak_bytes(),
            context_bytes: self.contexts.bytes() + self.recent.bytes(),
            reduction_bytes: self.reversal.as_ref().map_or(0, |r| r.bytes()),
            state_bytes: self.remembered().map_or(0, |s| s.bytes),
            spilled: spilled.map_or(0, Spilling::times),
            spilled_bytes: spilled.map_or(0, Spilling::peak_bytes),
        }
    }

    /// Without what was put aside the search cannot go on.
    pub(super) fn spilled(&mut self, done: Result<(), String>) -> Option<()> {
        done.map_err(|why| self.stop(StopReason::Spill(why))).ok()
    }
}
