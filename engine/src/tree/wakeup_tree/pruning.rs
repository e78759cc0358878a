//! When nodes of the tree begin, end and are forgotten.

use super::{NONE, WakeupTree, is};
use crate::tree::{NodeId, ROOT};

impl WakeupTree {
    /// A node that waited is run now.
    pub fn begin(&mut self, mut id: NodeId) {
        self.at_mut(id).live = 1;
        while id != NONE && !self.has(id, is::BEGUN) {
            let node = self.at_mut(id);
            node.state |= is::BEGUN;
            id = node.parent;
        }
    }

    /// The node that is to be run before this one, which waits, or itself: the first one whose steps
    /// the executions of this one lean on. What it has inserted before it is run by then, so that
    /// it is known what that does.
    pub fn due(&self, id: NodeId) -> NodeId {
        let (mut due, mut at) = (id, id);
        while at != ROOT && !self.has(at, is::BEGUN) {
            let parent = self.at(at).parent;
            if let Some(earlier) =
                self.children(parent).take_while(|s| *s != at).find(|s| !self.has(*s, is::BEGUN))
            {
                due = earlier;
            }
            at = parent;
        }
        while self.at(due).first != NONE {
            due = self.at(due).first;
        }
        due
    }

    /// Lets go of a node that was run or held. One that has nothing left to run below it, and that
    /// is closed, forgets what is below it.
    pub fn release(&mut self, mut id: NodeId) {
        loop {
            let node = self.at_mut(id);
            node.live -= 1;
            if node.live > 0 {
                return;
            }
            node.state |= is::DONE;
            let (parent, next) = (node.parent, node.next);
            if !self.wakeup || self.is_closed(id) {
                self.forget(id);
            }
            if self.has(id, is::LEFTMOST) && next != NONE {
                self.nothing_is_left_of(next);
            }
            if parent == NONE {
                self.live -= 1;
                return;
            }
            id = parent;
        }
    }

    /// Everything left of this node is done.
    fn nothing_is_left_of(&mut self, mut id: NodeId) {
        while id != NONE {
            self.at_mut(id).state |= is::LEFTMOST;
            if self.has(id, is::DONE) {
                self.forget(id);
                id = self.at(id).next;
            } else {
                id = self.at(id).first;
            }
        }
    }

    /// Forgets everything below a node.
    fn forget(&mut self, id: NodeId) {
        let node = self.at_mut(id);
        // The children of each go in front of the list: paths can be long.
        let mut left = std::mem::replace(&mut node.first, NONE);
        node.last = NONE;
        while left != NONE {
            let (next, first, last) = (self.at(left).next, self.at(left).first, self.at(left).last);
            let free = std::mem::replace(&mut self.free, left);
            self.at_mut(left).next = free;
            self.live -= 1;
            left = next;
            if first != NONE {
                self.at_mut(last).next = left;
                left = first;
            }
        }
    }

    /// Something waits again below a node where nothing did.
    pub(super) fn reopen(&mut self, mut id: NodeId) {
        while self.has(id, is::DONE) {
            let node = self.at_mut(id);
            node.state &= !is::DONE;
            id = node.parent;
            self.at_mut(id).live += 1;
        }
    }
}
