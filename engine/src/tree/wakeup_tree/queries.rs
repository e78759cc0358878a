//! Questions to the tree: the steps of a node, the way to it, and its state.

use super::{Label, NONE, Node, WakeupTree, is};
use crate::tree::NodeId;
use raddle_schedule::{Choice, Delta};

impl WakeupTree {
    /// Has more been asked for than the outcome of the choice at this node?
    pub fn is_wanted(&self, id: NodeId) -> bool {
        self.has(id, is::WANTED)
    }

    /// Is only the outcome of the choice at this node asked for?
    pub fn is_one_outcome(&self, id: NodeId) -> bool {
        self.has(id, is::ONE_OUTCOME)
    }

    /// The state before a step.
    pub fn parent(&self, id: NodeId) -> NodeId {
        self.at(id).parent
    }

    /// The first step that is explored from a node.
    pub fn first(&self, id: NodeId) -> Option<NodeId> {
        Some(self.at(id).first).filter(|id| *id != NONE)
    }

    /// The one that was inserted after this one.
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        Some(self.at(id).next).filter(|id| *id != NONE)
    }

    /// The steps that are explored from a node, in the order in which they were found.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let mut at = self.at(id).first;
        std::iter::from_fn(move || {
            let id = (at != NONE).then_some(at)?;
            at = self.at(id).next;
            Some(id)
        })
    }

    /// The step of a node.
    pub fn label(&self, id: NodeId) -> Label {
        let node = self.at(id);
        Label { thread: node.thread, op_id: node.op_id, choice: Choice::decode(node.choice) }
    }

    /// What is explored by this node and its later outcomes: a step, with only one outcome of its choice
    /// or, without one, with all.
    pub fn explored(&self, id: NodeId) -> Label {
        let label = self.label(id);
        if self.has(id, is::ONE_OUTCOME) { label } else { Label { choice: None, ..label } }
    }

    /// Is everything that follows it explored, or nothing more to come that would lead there?
    pub fn is_closed(&self, id: NodeId) -> bool {
        self.at(id).state & (is::AWAKE | is::LEFTMOST) != 0
    }

    /// Does it end a sequence, and was not run yet?
    pub fn is_open_end(&self, id: NodeId) -> bool {
        self.at(id).first == NONE && !self.has(id, is::RUN)
    }

    /// Does nobody sleep behind it?
    pub fn is_awake(&self, id: NodeId) -> bool {
        self.has(id, is::AWAKE)
    }

    /// Was something left out before it was run?
    pub fn is_relied(&self, id: NodeId) -> bool {
        self.has(id, is::RELIED)
    }

    /// Was an execution through it chosen?
    pub fn is_begun(&self, id: NodeId) -> bool {
        self.has(id, is::BEGUN)
    }

    /// Was its step made?
    pub fn was_run(&self, id: NodeId) -> bool {
        self.has(id, is::RUN)
    }

    /// Threads asleep before the step of a node that waits or runs.
    pub fn sleep(&self, id: NodeId) -> u64 {
        self.at(id).sleep
    }

    /// Steps that the prefix hash of one that waits covers.
    pub fn checked(&self, id: NodeId) -> u32 {
        self.at(id).checked
    }

    /// The nodes from the root to this one, both included.
    pub fn path(&self, mut id: NodeId, out: &mut Vec<NodeId>) {
        out.clear();
        while id != NONE {
            out.push(id);
            id = self.at(id).parent;
        }
        out.reverse();
    }

    /// The differences from the default behaviour that lead to a node. Where it is not known what
    /// the default behaviour would do, everything is one.
    pub fn deltas(&self, mut id: NodeId, out: &mut Vec<Delta>) {
        out.clear();
        out.extend_from_slice(&self.root);
        let own = out.len();
        loop {
            let node = self.at(id);
            if node.parent == NONE {
                break;
            }
            if node.state & is::CHOICE != 0
                && let Some(choice) = Choice::decode(node.choice)
            {
                out.push(Delta { step: node.step, choice });
            }
            if node.state & is::THREAD != 0 {
                out.push(Delta { step: node.step, choice: Choice::Thread(node.thread) });
            }
            id = node.parent;
        }
        out[own..].reverse();
    }

    /// Most live nodes so far.
    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Live nodes.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }
}
