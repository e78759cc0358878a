//! The shadow of large accesses: address ranges that do not overlap, each with the records that a
//! later access there could still race with. An access splits the ranges at its two ends and
//! replaces records as a granule does (see [`super::shadow`]); neighbours that hold nothing but
//! the newest access become one again. So there are at most two more ranges after an access than
//! before, and an access looks at none but those that it overlaps.

use super::shadow::{Now, Record, conflict, stands_for};
use std::collections::BTreeMap;

/// The ranges, by start.
#[derive(Default)]
pub struct Ranges {
    ranges: BTreeMap<u64, Range>,
}

/// One range, to this end, and its records.
#[derive(Clone)]
struct Range {
    end: u64,
    records: Vec<Record>,
}

impl Ranges {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.ranges.clear();
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Calls `race` with the event of each access to these bytes that races with this one; with
    /// some of them more than once.
    pub fn check(&self, start: u64, end: u64, now: &Now, race: &mut impl FnMut(u32)) {
        let before = self.ranges.range(..start).next_back().filter(|(_, r)| start < r.end);
        let inside = self.ranges.range(start..end);
        for r in before.into_iter().chain(inside).flat_map(|(_, range)| &range.records) {
            if conflict(r.kind, now.kind) && !now.ordered(r) {
                race(r.event);
            }
        }
    }

    /// Remembers an access to these bytes.
    pub fn add(&mut self, start: u64, end: u64, now: &Now) {
        self.split(start);
        self.split(end);
        let inside: Vec<u64> = self.ranges.range(start..end).map(|(at, _)| *at).collect();
        // Everything before `at` is done, but for the newest record from `alone` on.
        let (mut at, mut alone) = (start, None);
        for start in inside {
            if at < start {
                alone.get_or_insert(at);
            }
            let Some(range) = self.ranges.get_mut(&start) else { continue };
            at = range.end;
            if range.add(now) {
                self.ranges.remove(&start);
                alone.get_or_insert(start);
            } else if let Some(alone) = alone.take() {
                self.keep(alone, start, now);
            }
        }
        if at < end {
            alone.get_or_insert(at);
        }
        if let Some(alone) = alone {
            self.keep(alone, end, now);
        }
    }

    /// A range with this access alone.
    fn keep(&mut self, start: u64, end: u64, now: &Now) {
        self.ranges.insert(start, Range { end, records: vec![now.record(0)] });
    }

    /// Makes two of the range that has this address inside.
    fn split(&mut self, at: u64) {
        let Some((_, range)) = self.ranges.range_mut(..at).next_back() else { return };
        if at < range.end {
            let second = range.clone();
            range.end = at;
            self.ranges.insert(at, second);
        }
    }

    /// How many there are, and how many records they have.
    #[cfg(test)]
    fn kept(&self) -> (usize, usize) {
        (self.ranges.len(), self.ranges.values().map(|r| r.records.len()).sum())
    }
}

impl Range {
    /// Remembers an access to all of it. True when it is the only one to be remembered.
    fn add(&mut self, now: &Now) -> bool {
        self.records.retain(|r| !(now.ordered(r) && stands_for(now.kind, r.kind)));
        let same = |r: &Record| r.epoch == now.epoch && r.thread == now.thread;
        if !self.records.iter().any(|r| same(r) && stands_for(r.kind, now.kind)) {
            self.records.push(now.record(0));
        }
        self.records.len() == 1 && same(&self.records[0]) && self.records[0].kind == now.kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use raddle_schedule::{Event, OpKind};

    /// One access after the other, each by a thread and of a range; which races there are.
    fn races(accesses: &[(u8, OpKind, u64, u64)]) -> (Ranges, Vec<(u32, usize)>) {
        let (mut ranges, mut races) = (Ranges::default(), Vec::new());
        for (i, &(thread, kind, start, end)) in accesses.iter().enumerate() {
            // Threads know of themselves alone.
            let now = Now::new(i, &Event::new(kind, thread, start), 1, &[0; 4]);
            ranges.check(start, end, &now, &mut |earlier| races.push((earlier, i)));
            ranges.add(start, end, &now);
        }
        races.dedup();
        (ranges, races)
    }

    #[test]
    fn overlapping_bytes_race() {
        use OpKind::{Read, Write};
        let accesses = [
            (1, Write, 10_000, 20_000),
            (2, Read, 20_000, 30_000),
            (2, Read, 0, 10_000),
            (2, Read, 19_999, 25_000),
            (3, Write, 24_999, 25_000),
            (3, Read, 0, 30_000),
        ];
        let (_, found) = races(&accesses);
        let want = [(0, 3), (3, 4), (0, 5)];
        assert!(want.iter().all(|r| found.contains(r)), "{found:?}");
        let overlap = |a: usize, b: usize| accesses[a].2 < accesses[b].3 && accesses[b].2 < accesses[a].3;
        assert!(found.iter().all(|(a, b)| overlap(*a as usize, *b)), "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Against all pairs: no false alarm, and no access that races is missed.
        #[test]
        fn races_are_those_of_the_definition(
            draws in prop::collection::vec((0u8..3, 0usize..4, 0u64..40, 1u64..20), 0..40),
        ) {
            use OpKind::{AtomicLoad, AtomicStore, Read, Write};
            let kinds = [Read, Write, AtomicLoad, AtomicStore];
            let all: Vec<_> = draws.iter().map(|&(t, k, start, len)| (t, kinds[k], start, start + len)).collect();
            let (_, found) = races(&all);
            let races = |a: usize, b: usize| {
                let (one, two) = (all[a], all[b]);
                let writes = [one.1, two.1].iter().any(|k| matches!(k, Write | AtomicStore));
                let plain = [one.1, two.1].iter().any(|k| matches!(k, Read | Write));
                one.0 != two.0 && one.2 < two.3 && two.2 < one.3 && writes && plain
            };
            prop_assert!(found.iter().all(|(a, b)| races(*a as usize, *b)), "{:?}", found);
            for b in 0..all.len() {
                let want = (0..b).any(|a| races(a, b));
                prop_assert_eq!(found.iter().any(|(_, second)| *second == b), want, "access {}", b);
            }
        }
    }

    /// What is kept grows with the accesses at most, and an access over all of it makes one.
    #[test]
    fn few_are_kept() {
        const N: u64 = 100_000;
        let mut all: Vec<_> = (0..N).map(|i| (1, OpKind::Write, i * 8192, i * 8192 + 5000)).collect();
        let (ranges, found) = races(&all);
        assert_eq!((ranges.kept(), found.len()), ((N as usize, N as usize), 0));
        // Half of each again, which is covered already.
        all.extend((0..N).map(|i| (1, OpKind::Read, i * 8192 + 2500, i * 8192 + 5000)));
        assert_eq!(races(&all).0.kept(), (2 * N as usize, 2 * N as usize));
        all.push((1, OpKind::Write, 0, N * 8192));
        assert_eq!(races(&all).0.kept(), (1, 1));
        // The same place over and over.
        let again: Vec<_> = (0..N).map(|_| (1, OpKind::Write, 4096, 9000)).collect();
        assert_eq!(races(&again).0.kept(), (1, 1));
        // One next to the other, overlapping.
        let sliding: Vec<_> = (0..N).map(|i| (1, OpKind::Write, i * 16, i * 16 + 8192)).collect();
        let (kept, records) = races(&sliding).0.kept();
        assert!(kept <= N as usize && records <= N as usize, "{kept} {records}");
    }
}
