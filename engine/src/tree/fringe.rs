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

    /// Its round.
    pub fn round(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The bin so many ranks further, or back (two's complement).
    pub fn moved(self, by: u32) -> Bin {
        Bin::new(self.round(), (self.0 as u32).wrapping_add(by))
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

    /// Bin of the last one that is in memory.
    pub fn last_bin(&self) -> Option<Bin> {
        self.bins.iter().rev().find(|(_, queue)| !queue.waiting.is_empty()).map(|(bin, _)| *bin)
    }

    /// Everything that waits in memory, the last bin first and the most recent first within.
    pub fn latest(&self) -> impl Iterator<Item = (Bin, &Waiting)> {
        self.bins
            .iter()
            .rev()
            .flat_map(|(bin, queue)| queue.waiting.iter().rev().map(|waiting| (*bin, waiting)))
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
        self.pop_from(bin)
    }

    /// Takes the most recent one of this bin.
    pub fn pop_from(&mut self, bin: Bin) -> Option<Waiting> {
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

    /// Moves everything that waits by so many ranks within its round, up or down (two's complement). Equals are in the
    /// order of their ages again, whichever bins they come from. Nothing may be spilled
    /// ([`super::Spilling::rearrange`]).
    ///
    /// What leaves one bin for another is a *run*, in the order of its age. The runs are sorted
    /// by bin, and those of one bin merged; ages, which lie in the nodes, are read for no others.
    pub fn rearrange(&mut self, moves: impl Fn(&Waiting) -> u32, age: impl Fn(NodeId) -> u32) {
        let mut runs: Vec<(Bin, Vec<Waiting>)> = Vec::with_capacity(self.bins.len());
        for (old, queue) in std::mem::take(&mut self.bins) {
            split(old, queue.waiting, &moves, &mut runs);
        }
        runs.sort_by_key(|(bin, _)| *bin);
        let mut merging = Merging::default();
        let mut bins = Vec::with_capacity(runs.len());
        let mut runs = runs.into_iter().peekable();
        while let Some((bin, mut waiting)) = runs.next() {
            let mut others = false;
            while let Some((_, other)) = runs.next_if(|(next, _)| *next == bin) {
                waiting.extend(other);
                others = true;
            }
            if others {
                merging.by_age(&mut waiting, &age);
            }
            bins.push((bin, Queue { blocks: Vec::new(), waiting }));
        }
        self.bins = bins.into_iter().collect();
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

/// Splits what waits in a bin by where it goes. That is few places: what a focus says has few values.
fn split(
    old: Bin,
    waiting: Vec<Waiting>,
    moves: &impl Fn(&Waiting) -> u32,
    runs: &mut Vec<(Bin, Vec<Waiting>)>,
) {
    let Some(by) = waiting.first().map(moves) else { return };
    let Some(whole) = waiting.iter().position(|one| moves(one) != by) else {
        return runs.push((old.moved(by), waiting));
    };
    let own = runs.len();
    runs.push((old.moved(by), waiting[..whole].to_vec()));
    for one in &waiting[whole..] {
        let bin = old.moved(moves(one));
        match runs[own..].iter_mut().find(|(known, _)| *known == bin) {
            Some((_, run)) => run.push(*one),
            None => runs.push((bin, vec![*one])),
        }
    }
}

/// Merges runs; the memory for it.
#[derive(Default)]
struct Merging {
    /// Of each its age, and its place before.
    ages: Vec<u64>,
    before: Vec<Waiting>,
}

impl Merging {
    /// Sorts by age what is made of few runs that are sorted.
    fn by_age(&mut self, waiting: &mut [Waiting], age: &impl Fn(NodeId) -> u32) {
        let Merging { ages, before } = self;
        ages.clear();
        ages.extend(waiting.iter().zip(0u64..).map(|(one, place)| u64::from(age(one.node)) << 32 | place));
        // The stable sort finds runs and merges them.
        ages.sort();
        before.clear();
        before.extend_from_slice(waiting);
        for (to, from) in waiting.iter_mut().zip(ages) {
            *to = before[*from as u32 as usize];
        }
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
        // The new ranks are 1 for the fourth and 0 for all others.
        let moves = |w: &Waiting| match w.node {
            4 => 1,
            3 => 1u32.wrapping_neg(),
            5 => 3u32.wrapping_neg(),
            6 => 2u32.wrapping_neg(),
            _ => 0,
        };
        fringe.rearrange(moves, |node| node);
        assert_eq!((fringe.len(), fringe.iter().count()), (6, 6));
        assert_eq!(drain(&mut fringe), [6, 3, 1, 4, 5, 2]);
    }

    /// Many that wait go anywhere: the same as if each had been put there in the order of its age.
    #[test]
    fn rearranged_as_if_filed_there() {
        let mut state = 7u64;
        let mut any = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % below
        };
        let (mut fringe, mut expected) = (Fringe::default(), Fringe::default());
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for node in 0..5000 {
            let (round, rank) = (any(3), any(20));
            old.push(rank);
            new.push(any(20));
            fringe.push(Bin::new(round, rank), waiting(node));
            expected.push(Bin::new(round, new[node as usize]), waiting(node));
        }
        let at = |w: &Waiting| w.node as usize;
        fringe.rearrange(|w| new[at(w)].wrapping_sub(old[at(w)]), |node| node);
        assert_eq!(drain(&mut fringe), drain(&mut expected));
    }
}
