//! Refocusing: other methods and variables are selected while the search runs, and what waits is
//! re-ordered at once (paper 003, section 4.3). Waiting executions are permuted within their
//! rounds and nothing else happens: none is added, left out or run twice (algorithms, rule 5).

use super::{Levels, Purpose, Search};
use crate::focus::Selection;
use crate::order::Level;
use crate::tree::Waiting;

impl Search {
    /// From now on this is selected. Plans in flight stay what they are. Executions are counted
    /// by level anew ([`super::Progress::levels`]), beginning with those that are chosen next.
    pub fn refocus(&mut self, focus: Box<dyn Selection + Send>) {
        self.focus.select(focus);
        self.levels = Levels::default();
        for flying in &mut self.flying {
            if let Purpose::Node(_, _, level) = &mut flying.purpose {
                *level = None;
            }
        }
        if !self.order.looks_ahead() {
            return;
        }
        let (order, focus) = (&self.order, &self.focus);
        self.contexts.weigh(|switch| order.cost(switch, focus));
        let (contexts, tree) = (&self.contexts, &self.tree);
        self.fringe.rearrange(|w| contexts.cost(w.context).rank, |w| tree.age(w.node));
    }

    /// Counts an execution that was run.
    pub(super) fn count_level(&mut self, level: Option<Level>) {
        match level {
            Some(Level::High) => self.levels.high += 1,
            Some(Level::Medium) => self.levels.medium += 1,
            Some(Level::Low) => self.levels.low += 1,
            None => {}
        }
    }

    /// Numbers what waits anew, by age, before ages run out.
    pub(super) fn keep_young(&mut self) {
        if !self.tree.is_aged() {
            return;
        }
        let mut nodes: Vec<_> = self.fringe.iter().map(|w: &Waiting| w.node).collect();
        nodes.sort_unstable_by_key(|node| self.tree.age(*node));
        self.tree.renew_ages(nodes.into_iter());
    }
}
