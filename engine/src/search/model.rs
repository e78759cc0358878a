//! The search and a walk through states ([`crate::states::model`]), which keeps one execution waiting at
//! most, and goes on between executions.

use super::Search;
use crate::config::Reduce;
use crate::order::Contexts;
use crate::reduction::{Child, Sink};
use crate::states::{Calls, States};
use crate::tree::{Bin, Fringe, NodeId, ROOT, Tree, Waiting};
use raddle_schedule::hash;

/// Takes the one execution that is asked for.
struct Asked<'a> {
    fringe: &'a mut Fringe,
    contexts: &'a mut Contexts,
}

impl Sink for Asked<'_> {
    fn admits(&mut self, _: &Child) -> bool {
        true
    }

    fn push(&mut self, child: &Child, node: NodeId) {
        let context = self.contexts.hold_plain(child.preemptions);
        self.fringe.push(Bin::new(0, 0), Waiting { prefix_hash: child.prefix_hash, node, context });
    }
}

impl Search {
    /// Is it a walk?
    pub(super) fn is_walk(&self) -> bool {
        self.reversal.is_some() && self.config.reduce == Reduce::None
    }

    /// Is a walk under way between two executions?
    pub(super) fn walks(&self) -> bool {
        self.reversal.as_ref().is_some_and(|r| r.is_underway())
    }

    /// Goes on with it for a while.
    pub(super) fn walk_on(&mut self) {
        let mut sink = Asked { fringe: &mut self.fringe, contexts: &mut self.contexts };
        if let Some(walk) = &mut self.reversal {
            walk.go_on(&mut sink);
        }
        if self.is_beyond_the_model() {
            self.leave_the_model();
            self.begin_anew();
        }
        self.relieve();
    }

    /// The execution asked for ended its process, and its events with it: where is not told.
    pub(super) fn walk_lost(&mut self) {
        if self.is_walk() {
            self.anew = self.leave_the_model();
        }
    }

    /// Does the program do what a model cannot follow?
    pub(super) fn is_beyond_the_model(&self) -> bool {
        self.reversal.as_ref().is_some_and(|r| r.is_beyond())
    }

    /// From now on there is an execution for each step from state to state. The root is being run, or
    /// the search begins anew.
    pub(super) fn leave_the_model(&mut self) -> bool {
        self.reversal = None;
        self.tree.begin(ROOT);
        self.states = States::of(&self.config);
        self.calls = Some(Calls::new(self.config.granularity));
        if let (Some(states), Some(spilling)) = (&mut self.states, &self.spilling) {
            // Half of it is theirs already.
            states.limit(spilling.limit());
        }
        true
    }

    /// From the root.
    pub(super) fn begin_anew(&mut self) {
        self.anew = false;
        self.tree = Tree::new(Vec::new());
        let context = self.contexts.hold_plain(0);
        self.fringe.push(Bin::new(0, 0), Waiting { prefix_hash: hash::EMPTY, node: ROOT, context });
    }
}
