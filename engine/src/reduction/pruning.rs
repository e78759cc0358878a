//! What keeps what waits in a way of its own, in the place of the tree of deltas: reductions, and the walk through
//! states ([`crate::states::model`]).

use super::{Astray, Reversal, Sink};
use crate::summary;
use crate::tree::NodeId;
use raddle_schedule::{Delta, Op, Plan, Trace};

/// What the search asks of them.
pub trait Pruning {
    /// The node that has to be run before this one, which waits; or itself.
    fn due(&self, node: NodeId) -> NodeId {
        node
    }

    /// A node that waited is run now.
    fn begin(&mut self, _node: NodeId) {}

    /// Writes the plan of a node that waits.
    fn write(&self, node: NodeId, plan: &mut Plan);

    /// The differences of its execution from the default behaviour.
    fn deltas(&self, node: NodeId, out: &mut Vec<Delta>);

    /// Reads the execution of a node that was run, and inserts what is to be explored beside it.
    fn expand(
        &mut self,
        node: NodeId,
        prefix_hash: u64,
        trace: &Trace,
        sink: &mut dyn Sink,
    ) -> Result<(), Astray>;

    /// Lets go of a node that was run and read.
    fn release(&mut self, node: NodeId);

    /// Where the execution of a node branches off; `None` for the root.
    fn branch(&self, node: NodeId) -> Option<Delta>;

    /// So many steps at the beginning of a node's execution are those of another one in the same order. What comes behind was
    /// seen elsewhere too, in another order of independent steps; all is, where nothing else is said.
    fn repeated(&self, _node: NodeId) -> u32 {
        u32::MAX
    }

    /// Was something left out as unfair ([`crate::fair`])?
    fn left_out(&self) -> bool {
        false
    }

    /// Are there more threads, in all executions together, than it can tell apart?
    fn is_outnumbered(&self) -> bool {
        false
    }

    /// The steps that lead to a node, as far as they are known: the thread, and what it does.
    fn steps(&self, _node: NodeId) -> Vec<(u8, Op)> {
        Vec::new()
    }

    /// Preemptions of the execution that was read last.
    fn preemptions(&self) -> u32;

    /// Most nodes at once.
    fn peak(&self) -> usize;

    /// Bytes taken.
    fn bytes(&self) -> usize;

    /// When a node that waits was found: later ones are greater.
    fn age(&self, node: NodeId) -> u32;

    /// Are there few ages left?
    fn is_aged(&self) -> bool;

    /// Gives all nodes that wait new ages, in this order.
    fn renew_ages(&mut self, waiting: &mut dyn Iterator<Item = NodeId>);

    /// Is there more to be done before it is known whether another execution is needed?
    fn is_underway(&self) -> bool {
        false
    }

    /// Does some of that.
    fn go_on(&mut self, _sink: &mut dyn Sink) {}

    /// The program does what it cannot follow: the search is to begin anew without it.
    fn is_beyond(&self) -> bool {
        false
    }

    /// The states that it remembers may take so much.
    fn limit(&mut self, _bytes: usize) {}

    /// The states that it remembers, if any.
    fn states(&self) -> Option<summary::States> {
        None
    }
}

impl Pruning for Reversal {
    fn due(&self, node: NodeId) -> NodeId {
        Reversal::due(self, node)
    }

    fn begin(&mut self, node: NodeId) {
        self.tree_mut().begin(node);
    }

    fn write(&self, node: NodeId, plan: &mut Plan) {
        Reversal::write(self, node, plan);
    }

    fn deltas(&self, node: NodeId, out: &mut Vec<Delta>) {
        Reversal::deltas(self, node, out);
    }

    fn expand(
        &mut self,
        node: NodeId,
        prefix_hash: u64,
        trace: &Trace,
        sink: &mut dyn Sink,
    ) -> Result<(), Astray> {
        Reversal::expand(self, node, prefix_hash, trace, sink)
    }

    fn release(&mut self, node: NodeId) {
        self.tree_mut().release(node);
    }

    fn branch(&self, node: NodeId) -> Option<Delta> {
        Reversal::branch(self, node)
    }

    fn steps(&self, node: NodeId) -> Vec<(u8, Op)> {
        Reversal::steps(self, node)
    }

    fn repeated(&self, node: NodeId) -> u32 {
        self.tree().checked(node)
    }

    fn left_out(&self) -> bool {
        Reversal::left_out(self)
    }

    fn is_outnumbered(&self) -> bool {
        Reversal::is_outnumbered(self)
    }

    fn preemptions(&self) -> u32 {
        Reversal::preemptions(self)
    }

    fn peak(&self) -> usize {
        self.tree().peak()
    }

    fn bytes(&self) -> usize {
        self.tree().bytes() + Reversal::bytes(self)
    }

    fn age(&self, node: NodeId) -> u32 {
        self.tree().age(node)
    }

    fn is_aged(&self) -> bool {
        self.tree().is_aged()
    }

    fn renew_ages(&mut self, waiting: &mut dyn Iterator<Item = NodeId>) {
        self.tree_mut().renew_ages(waiting);
    }
}
