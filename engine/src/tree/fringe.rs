//! The fringe: executions that wait to be run, in bins by priority, the most recent first within
//! a bin, so that memory stays that of a depth-first search (paper 003, section 3.4).

use super::node::NodeId;
use std::collections::BTreeMap;

/// One waiting execution: 16 bytes beside its node.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// Hash of the steps before its delta (algorithms, rule 10).
    pub prefix_hash: u64,
    /// Its node.
    pub node: NodeId,
    /// Its preemptions.
    pub preemptions: u32,
}

const _: () = assert!(size_of::<Waiting>() == 16);

/// The waiting executions.
#[derive(Default)]
pub struct Fringe {
    /// By bin; only the first may be empty, which spares the map the change while a bin is
    /// filled and drained one by one.
    bins: BTreeMap<u32, Vec<Waiting>>,
    /// Executions in all bins, now and at most.
    len: usize,
    peak: usize,
}

impl Fringe {
    /// Adds one to a bin; lower bins go first.
    pub fn push(&mut self, bin: u32, waiting: Waiting) {
        self.bins.entry(bin).or_default().push(waiting);
        self.len += 1;
        self.peak = self.peak.max(self.len);
    }

    /// Bin of the next one.
    pub fn first_bin(&mut self) -> Option<u32> {
        loop {
            let entry = self.bins.first_entry()?;
            if !entry.get().is_empty() {
                return Some(*entry.key());
            }
            if self.len == 0 {
                return None;
            }
            entry.remove();
        }
    }

    /// Takes the most recent one of the first bin.
    pub fn pop(&mut self) -> Option<Waiting> {
        let bin = self.first_bin()?;
        let waiting = self.bins.get_mut(&bin)?.pop()?;
        self.len -= 1;
        Some(waiting)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Does none wait?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Fewest preemptions of any that waits.
    pub fn fewest_preemptions(&self) -> Option<u32> {
        self.bins.values().flatten().map(|w| w.preemptions).min()
    }

    /// Most bytes taken by entries at any time.
    pub fn peak_bytes(&self) -> usize {
        self.peak * size_of::<Waiting>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_bins_first_and_the_most_recent_within() {
        let mut fringe = Fringe::default();
        for (node, bin) in [(1, 0), (2, 1), (3, 0), (4, 2)] {
            fringe.push(bin, Waiting { prefix_hash: 0, node, preemptions: bin });
        }
        assert_eq!(fringe.pop().unwrap().node, 3);
        fringe.push(0, Waiting { prefix_hash: 0, node: 5, preemptions: 0 });
        assert_eq!(fringe.fewest_preemptions(), Some(0));
        let rest: Vec<_> = std::iter::from_fn(|| fringe.pop()).map(|w| w.node).collect();
        assert_eq!(rest, [5, 1, 2, 4]);
        assert!(fringe.is_empty() && fringe.first_bin().is_none());
    }
}
