//! Where a new sequence stands among its siblings: behind all of them as a rule, so that they are run before it
//! ([`crate::tree::WakeupTree::due`]). Where many threads do the same, most siblings only exchange some of these; a
//! sequence that does something else need not wait for them.
//!
//! The order of siblings of which nothing has begun is free as long as the first step of an earlier one is no
//! weak initial of what is inserted below a later one (the property of wakeup trees; Abdulla et al. 2014, section
//! 5, Definition 5.1). Then something in each later sequence depends on that step, and wakes its thread.

use super::reversal::{Move, Run};
use crate::order::Symmetry;
use crate::tree::NodeId;
use raddle_schedule::Op;

impl Run<'_> {
    /// The first of the siblings that this sequence may go ahead of, if it is inserted behind this node: those at the
    /// end that only exchange symmetric threads, if it does not itself.
    pub fn ahead_of(&self, at: NodeId, moves: &[Move], symmetry: &Symmetry) -> Option<NodeId> {
        let step = *moves.first()?;
        let mut place = None;
        for sibling in self.tree.children(at) {
            let is_passed = !self.tree.is_begun(sibling)
                && self.tree.label(sibling).choice.is_none()
                && !self.may_begin(sibling, &mut Vec::new(), step);
            place = if is_passed { place.or(Some(sibling)) } else { None };
        }
        let mut nodes = Vec::new();
        self.tree.path(at, &mut nodes);
        let path: Vec<Move> = nodes.iter().skip(1).map(|node| self.tree.label(*node)).collect();
        let is_later = |rest: &[Move]| {
            let steps = path.iter().chain(rest).map(|step| (step.thread, *self.op(step)));
            symmetry.is_later(steps)
        };
        if place.is_none() || is_later(moves) {
            return None;
        }
        let mut sibling = place;
        while let Some(node) = sibling {
            let mut rest = vec![self.tree.label(node)];
            let mut below = self.tree.first(node);
            while let Some(next) = below {
                rest.push(self.tree.label(next));
                below = self.tree.first(next);
            }
            sibling = self.tree.next(node);
            if !is_later(&rest) {
                place = sibling;
            }
        }
        place
    }

    /// May a sequence that is inserted below this node begin with that step? `path`: the steps between, which are reused.
    fn may_begin(&self, node: NodeId, path: &mut Vec<Move>, step: Move) -> bool {
        path.push(self.tree.label(node));
        let may = match self.tree.first(node) {
            None => self.take_initial(path, step).is_some(),
            Some(_) => self.tree.children(node).any(|child| self.may_begin(child, path, step)),
        };
        path.pop();
        may
    }

    fn op(&self, step: &Move) -> &Op {
        self.op_table.op(step.op_id)
    }
}
