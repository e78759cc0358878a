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
    /// While it waits, when it was found (it has no children yet); then its live children, and 1
    /// while it runs.
    live: u32,
}

/// Bytes that a node takes.
pub const NODE_BYTES: usize = size_of::<Node>();

const _: () = assert!(NODE_BYTES <= 16);

/// All live nodes.
pub struct Tree {
    nodes: Vec<Node>,
    /// The root's execution: the default behaviour, or a prefix that somebody chose.
    root: Vec<Delta>,
    /// Age of the next node: how many were found since ages began.
    age: u32,
    /// First of the free nodes.
    free: NodeId,
    /// Live nodes now, and most so far.
    live: usize,
    peak: usize,
}

impl Default for Tree {
    fn default() -> Self {
        Tree::new(Vec::new())
    }
}

impl Tree {
    /// The tree of the root alone, which waits; its execution has these differences from the
    /// default behaviour.
    pub fn new(root: Vec<Delta>) -> Self {
        let node = Node { parent: NONE, step: 0, choice: 0, live: 0 };
        Tree { nodes: vec![node], root, age: 1, free: NONE, live: 1, peak: 1 }
    }

    /// Adds an execution that differs from `parent`'s by one delta, and waits.
    pub fn insert(&mut self, parent: NodeId, step: u32, choice: Choice) -> NodeId {
        let age = self.age;
        // Ages are renewed long before they wrap; see `is_aged`.
        self.age = self.age.wrapping_add(1);
        self.add(Node { parent, step, choice: choice.encode(), live: age })
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes[node.parent as usize].live += 1;
        self.live += 1;
        self.peak = self.peak.max(self.live);
        if self.free == NONE {
            // NodeId::MAX nodes would be 64 GiB; memory ends before the numbers do.
            if self.nodes.len() == self.nodes.capacity() {
                // By less than double: where a limit is set, it is meant.
                self.nodes.reserve_exact(self.nodes.len() / 4 + 64);
            }
            self.nodes.push(node);
            return (self.nodes.len() - 1) as NodeId;
        }
        let id = self.free;
        self.free = self.nodes[id as usize].parent;
        self.nodes[id as usize] = node;
        id
    }

    /// A node that waited is run now: it is held until it is released.
    pub fn begin(&mut self, id: NodeId) {
        self.nodes[id as usize].live = 1;
    }

    /// When a node that waits was found: later ones are greater.
    pub fn age(&self, id: NodeId) -> u32 {
        self.nodes[id as usize].live
    }

    /// Gives a node that waits this age.
    pub fn set_age(&mut self, id: NodeId, age: u32) {
        self.nodes[id as usize].live = age;
    }

    /// Makes a node that waits the most recent one.
    pub fn rejuvenate(&mut self, id: NodeId) {
        self.nodes[id as usize].live = self.age;
        self.age = self.age.wrapping_add(1);
    }

    /// The next node that is found has this age.
    pub fn begin_ages(&mut self, age: u32) {
        self.age = age;
    }

    /// Are there few ages left?
    pub fn is_aged(&self) -> bool {
        self.age >= 1 << 31
    }

    /// As after very many executions.
    #[cfg(test)]
    pub fn make_old(&mut self) {
        self.age = 1 << 31;
    }

    /// Gives all nodes that wait new ages, in this order.
    pub fn renew_ages(&mut self, waiting: impl Iterator<Item = NodeId>) {
        self.age = 0;
        for id in waiting {
            self.nodes[id as usize].live = self.age;
            self.age += 1;
        }
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

    /// Keeps a node that is run or has children until it is released once more.
    pub fn hold(&mut self, id: NodeId) {
        self.nodes[id as usize].live += 1;
    }

    /// Lets go of a node that waits; `deltas` lead to it from the root. Its age.
    pub fn take_out(&mut self, id: NodeId, deltas: &mut Vec<Delta>) -> u32 {
        deltas.clear();
        self.path(id, deltas);
        let age = self.age(id);
        self.begin(id);
        self.release(id);
        age
    }

    /// Inserts a node that was taken out, as a chain below the root. `above` is the chain of the
    /// one before, without its end; what both have in common is shared. `None`: that is the root.
    pub fn put_back(
        &mut self,
        deltas: &[Delta],
        age: u32,
        above: &mut Vec<(Delta, NodeId)>,
    ) -> Option<NodeId> {
        let (last, ancestors) = deltas.split_last()?;
        let shared = above.iter().zip(ancestors).take_while(|((a, _), b)| a == *b).count();
        above.truncate(shared);
        let node = |parent, d: &Delta, live| Node { parent, step: d.step, choice: d.choice.encode(), live };
        let mut parent = above.last().map_or(ROOT, |(_, id)| *id);
        for delta in &ancestors[shared..] {
            parent = self.add(node(parent, delta, 0));
            above.push((*delta, parent));
        }
        Some(self.add(node(parent, last, age)))
    }

    /// What is chosen at its difference from its parent.
    pub fn choice(&self, id: NodeId) -> Option<Choice> {
        Choice::decode(self.nodes[id as usize].choice)
    }

    /// The differences of a node's execution from the default behaviour, by step.
    pub fn deltas(&self, id: NodeId, out: &mut Vec<Delta>) {
        out.clear();
        out.extend_from_slice(&self.root);
        self.path(id, out);
    }

    /// Appends the differences on the way from the root.
    fn path(&self, mut id: NodeId, out: &mut Vec<Delta>) {
        let own = out.len();
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
        out[own..].reverse();
    }

    /// Live nodes.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Most live nodes so far.
    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Bytes of live nodes.
    pub fn live_bytes(&self) -> usize {
        self.live * size_of::<Node>()
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
        let mut tree = Tree::default();
        tree.begin(ROOT);
        let a = tree.insert(ROOT, 1, Choice::Thread(2));
        let b = tree.insert(ROOT, 2, Choice::Thread(1));
        tree.release(ROOT);
        assert_eq!(tree.live(), 3);
        assert!(tree.age(a) < tree.age(b));
        tree.renew_ages([b, a].into_iter());
        assert!(tree.age(a) > tree.age(b));
        tree.begin(a);
        tree.begin(b);
        let c = tree.insert(a, 4, Choice::Waiter(3));
        tree.begin(c);
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
        let mut tree = Tree::default();
        tree.begin(ROOT);
        for _ in 0..1000 {
            let a = tree.insert(ROOT, 1, Choice::Thread(1));
            tree.begin(a);
            let b = tree.insert(a, 2, Choice::Thread(2));
            tree.begin(b);
            tree.release(a);
            tree.release(b);
        }
        assert_eq!(tree.nodes.len(), 3);
    }
}
