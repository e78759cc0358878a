//! Nodes: one delta from the parent's execution each. A node whose execution was run and that
//! has no live child deletes itself, then its parent if that has none left, and so on, so that
//! only paths to executions still to be run are kept (paper 003, section 3.4).

use raddle_schedule::{Choice, Delta};

/// Index of a node in the slab.
pub type NodeId = u32;

/// The default behaviour: no delta.
pub const ROOT: NodeId = 0;

/// Ends the chain to the root, and the list of free nodes.
const NONE: NodeId = NodeId::MAX;

/// A node: 16 bytes.
struct Node {
    /// The execution this one differs from; for a free node the next free one.
    parent: NodeId,
    /// Step of the difference.
    step: u32,
    /// What is chosen there ([`Choice::encode`]).
    choice: u32,
    /// Live children, and 1 while the node itself waits or runs.
    live: u32,
}

const _: () = assert!(size_of::<Node>() == 16);

/// All live nodes.
pub struct Tree {
    nodes: Vec<Node>,
    /// First of the free nodes.
    free: NodeId,
    /// Live nodes now, and most so far.
    live: usize,
    peak: usize,
}

impl Default for Tree {
    fn default() -> Self {
        Tree::new()
    }
}

impl Tree {
    /// The tree of the root alone, which is held.
    pub fn new() -> Self {
        let root = Node { parent: NONE, step: 0, choice: 0, live: 1 };
        Tree { nodes: vec![root], free: NONE, live: 1, peak: 1 }
    }

    /// Adds an execution that differs from `parent`'s by one delta. It is held.
    pub fn insert(&mut self, parent: NodeId, step: u32, choice: Choice) -> NodeId {
        let node = Node { parent, step, choice: choice.encode(), live: 1 };
        self.nodes[parent as usize].live += 1;
        self.live += 1;
        self.peak = self.peak.max(self.live);
        if self.free == NONE {
            // NodeId::MAX nodes would be 64 GiB; memory ends before the numbers do.
            self.nodes.push(node);
            return (self.nodes.len() - 1) as NodeId;
        }
        let id = self.free;
        self.free = self.nodes[id as usize].parent;
        self.nodes[id as usize] = node;
        id
    }

    /// Lets go of a node whose execution was run and whose children are inserted.
    pub fn release(&mut self, mut id: NodeId) {
        loop {
            let node = &mut self.nodes[id as usize];
            node.live -= 1;
            if node.live > 0 {
                return;
            }
            self.live -= 1;
            let parent = std::mem::replace(&mut node.parent, self.free);
            self.free = id;
            if parent == NONE {
                return;
            }
            id = parent;
        }
    }

    /// The differences of a node's execution from the default behaviour, by step.
    pub fn deltas(&self, mut id: NodeId, out: &mut Vec<Delta>) {
        out.clear();
        loop {
            let node = &self.nodes[id as usize];
            if node.parent == NONE {
                break;
            }
            if let Some(choice) = Choice::decode(node.choice) {
                out.push(Delta { step: node.step, choice });
            }
            id = node.parent;
        }
        out.reverse();
    }

    /// Live nodes.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Most live nodes so far.
    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_delete_themselves_upwards() {
        let mut tree = Tree::new();
        let a = tree.insert(ROOT, 1, Choice::Thread(2));
        let b = tree.insert(ROOT, 2, Choice::Thread(1));
        tree.release(ROOT);
        assert_eq!(tree.live(), 3);
        let c = tree.insert(a, 4, Choice::Waiter(3));
        tree.release(a);
        let mut deltas = Vec::new();
        tree.deltas(c, &mut deltas);
        let texts: Vec<_> = deltas.iter().map(|d| format!("{}:{}", d.step, d.choice)).collect();
        assert_eq!(texts, ["1:T2", "4:w3"]);
        tree.release(c);
        // With c its parent a went too; the root lives on for b.
        assert_eq!(tree.live(), 2);
        tree.release(b);
        assert_eq!((tree.live(), tree.peak()), (0, 4));
    }

    #[test]
    fn free_nodes_are_used_again() {
        let mut tree = Tree::new();
        for _ in 0..1000 {
            let a = tree.insert(ROOT, 1, Choice::Thread(1));
            let b = tree.insert(a, 2, Choice::Thread(2));
            tree.release(a);
            tree.release(b);
        }
        assert_eq!(tree.nodes.len(), 3);
    }
}
