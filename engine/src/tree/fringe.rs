//! The fringe: executions that wait to be run, in bins by round and rank, the most recent first
//! within a bin, so that memory stays that of a depth-first search (paper 003, section 3.4).

use super::node::NodeId;
use std::collections::BTreeMap;

/// One waiting execution: 16 bytes beside its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Hash of the steps before its delta (algorithms, rule 10).
    pub prefix_hash: u64,
    /// Its node.
    pub node: NodeId,
    /// Its preemptions and its last switch, by number ([`crate::order::Contexts`]).
    pub context: u32,
}

/// Bytes that an execution takes while it waits, beside its node.
pub const ENTRY_BYTES: usize = size_of::<Waiting>();

const _: () = assert!(ENTRY_BYTES <= 16);

/// Where an execution waits: rounds go before ranks, and lower ones before higher ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bin(u64);

impl Bin {
    /// The bin of this round and rank.
    pub fn new(round: u32, rank: u32) -> Bin {
        Bin(u64::from(round) << 32 | u64::from(rank))
    }

    /// Its rank.
    pub fn rank(self) -> u32 {
        self.0 as u32
    }

    /// Its round.
    pub fn round(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// The waiting executions.
#[derive(Default)]
pub struct Fringe {
    /// By bin; some may be empty, which spares the map the change while a bin is filled and
    /// drained one by one.
    pub(super) bins: BTreeMap<Bin, Queue>,
    /// Executions in all bins.
    len: usize,
    /// Of these, those that are not spilled, now and at most.
    pub(super) in_memory: usize,
    peak: usize,
}

/// What waits in one bin, the most recent last.
#[derive(Default)]
pub(super) struct Queue {
    /// What is spilled ([`super::Spilling`]), which is older than what is not.
    pub blocks: Vec<Block>,
    /// What is in memory.
    pub waiting: Vec<Waiting>,
}

/// Executions that are spilled together.
pub(super) struct Block {
    /// Its number there, and its length in bytes.
    pub number: u64,
    pub length: usize,
    /// How many they are.
    pub executions: usize,
}

impl Fringe {
    /// Adds one to a bin; lower bins go first.
    pub fn push(&mut self, bin: Bin, waiting: Waiting) {
        self.bins.entry(bin).or_default().waiting.push(waiting);
        self.len += 1;
        self.in_memory += 1;
        self.note_peak();
    }

    pub(super) fn note_peak(&mut self) {
        self.peak = self.peak.max(self.in_memory);
    }

    /// Bin of the next one.
    pub fn first_bin(&mut self) -> Option<Bin> {
        loop {
            let entry = self.bins.first_entry()?;
            if !entry.get().waiting.is_empty() || !entry.get().blocks.is_empty() {
                return Some(*entry.key());
            }
            if self.len == 0 {
                return None;
            }
            entry.remove();
        }
    }

    /// Takes the most recent one of the first bin; `None` also where it has to be fetched first
    /// ([`super::Spilling::fetch`]).
    pub fn pop(&mut self) -> Option<Waiting> {
        let bin = self.first_bin()?;
        let waiting = self.bins.get_mut(&bin)?.waiting.pop()?;
        self.len -= 1;
        self.in_memory -= 1;
        Some(waiting)
    }

    /// Takes the one of this node, wherever it waits in memory.
    pub fn take(&mut self, node: NodeId) -> Option<Waiting> {
        for queue in self.bins.values_mut() {
            if let Some(place) = queue.waiting.iter().rposition(|w| w.node == node) {
                self.len -= 1;
                self.in_memory -= 1;
                return Some(queue.waiting.remove(place));
            }
        }
        None
    }

    /// Takes this one out of this bin; false if it does not wait there in memory. Ages tell where in
    /// the bin it would.
    pub fn remove(&mut self, bin: Bin, wanted: &Waiting, age: impl Fn(NodeId) -> u32) -> bool {
        let Some(queue) = self.bins.get_mut(&bin) else { return false };
        let of_wanted = age(wanted.node);
        let place = queue.waiting.partition_point(|w| age(w.node) < of_wanted);
        if queue.waiting.get(place) != Some(wanted) {
            return false;
        }
        queue.waiting.remove(place);
        self.len -= 1;
        self.in_memory -= 1;
        true
    }

    /// Puts everything that waits into the bin of its round and its new rank, which may depend on its old one.
    /// Equals are in the
    /// order of their ages again, whichever bins they come from. Nothing may be spilled
    /// ([`super::Spilling::rearrange`]).
    pub fn rearrange(&mut self, rank: impl Fn(&Waiting, u32) -> u32, age: impl Fn(&Waiting) -> u32) {
        let mut places: BTreeMap<Bin, usize> = BTreeMap::new();
        let mut bins: Vec<(Bin, Vec<(u32, Waiting)>)> = Vec::new();
        for (old, queue) in std::mem::take(&mut self.bins) {
            // Those of one bin go to few others.
            let mut few: Vec<(Bin, usize)> = Vec::new();
            for one in queue.waiting {
                let bin = Bin::new(old.round(), rank(&one, old.rank()));
                let place = match few.iter().find(|(known, _)| *known == bin) {
                    Some((_, place)) => *place,
                    None => {
                        let place = *places.entry(bin).or_insert(bins.len());
                        if place == bins.len() {
                            bins.push((bin, Vec::new()));
                        }
                        few.truncate(7);
                        few.insert(0, (bin, place));
                        place
                    }
                };
                bins[place].1.push((age(&one), one));
            }
        }
        let in_order = |(bin, mut aged): (Bin, Vec<(u32, Waiting)>)| {
            // Made of few bins that were in order themselves: this sort merges what is.
            aged.sort_by_key(|(age, _)| *age);
            let waiting = aged.into_iter().map(|(_, one)| one).collect();
            (bin, Queue { blocks: Vec::new(), waiting })
        };
        self.bins = bins.into_iter().map(in_order).collect();
    }

    /// Everything that waits in memory, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.bins.values().flat_map(|queue| &queue.waiting)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Does none wait?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes taken by entries in memory.
    pub fn bytes(&self) -> usize {
        self.in_memory * size_of::<Waiting>()
    }

    /// The same at most, at any time.
    pub fn peak_bytes(&self) -> usize {
        self.peak * size_of::<Waiting>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(node: NodeId) -> Waiting {
        Waiting { prefix_hash: 0, node, context: 0 }
    }

    fn drain(fringe: &mut Fringe) -> Vec<NodeId> {
        std::iter::from_fn(|| fringe.pop()).map(|w| w.node).collect()
    }

    #[test]
    fn lower_bins_first_and_the_most_recent_within() {
        let mut fringe = Fringe::default();
        for (node, rank) in [(1, 0), (2, 1), (3, 0), (4, 2)] {
            fringe.push(Bin::new(0, rank), waiting(node));
        }
        assert_eq!(fringe.pop().unwrap().node, 3);
        fringe.push(Bin::new(0, 0), waiting(5));
        assert_eq!(drain(&mut fringe), [5, 1, 2, 4]);
        assert!(fringe.is_empty() && fringe.first_bin().is_none());
    }

    #[test]
    fn rearranged_by_rank_within_rounds_and_by_age_within_ranks() {
        let mut fringe = Fringe::default();
        // Nodes are numbered by age. Of round 0: 1, 3, 4, 6; of round 1: 2, 5.
        for (node, round, rank) in [(1, 0, 0), (2, 1, 0), (3, 0, 1), (4, 0, 0), (5, 1, 3), (6, 0, 2)] {
            fringe.push(Bin::new(round, rank), waiting(node));
        }
        let rank = |w: &Waiting, _| u32::from(w.node == 4);
        fringe.rearrange(rank, |w| w.node);
        assert_eq!((fringe.len(), fringe.iter().count()), (6, 6));
        assert_eq!(drain(&mut fringe), [6, 3, 1, 4, 5, 2]);
    }
}
