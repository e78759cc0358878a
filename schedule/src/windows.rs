//! Which events of a long execution are recorded in detail. A detailed event costs a call stack and a look at
//! memory, so of millions of plain accesses only a few thousand are worth it.

use alloc::vec::Vec;

/// Ranges of event numbers, sorted and apart from each other. Steps are in detail everywhere; other events are
/// in these ranges only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// `None`: everything is in detail.
    ranges: Option<Vec<(u32, u32)>>,
}

impl Windows {
    /// These ranges, each from an event up to another that is not in it.
    pub fn new(mut ranges: Vec<(u32, u32)>) -> Windows {
        ranges.retain(|(from, to)| from < to);
        ranges.sort_unstable();
        let mut apart: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (from, to) in ranges {
            match apart.last_mut() {
                Some(last) if last.1 >= from => last.1 = last.1.max(to),
                _ => apart.push((from, to)),
            }
        }
        Windows { ranges: Some(apart) }
    }

    /// Is everything in detail?
    pub fn are_all(&self) -> bool {
        self.ranges.is_none()
    }

    /// Is an event in one of them?
    pub fn cover(&self, event: u32) -> bool {
        let Some(ranges) = &self.ranges else { return true };
        let next = ranges.partition_point(|(_, to)| *to <= event);
        ranges.get(next).is_some_and(|(from, _)| *from <= event)
    }

    /// Is one of these events in one of them?
    pub fn meet(&self, from: u32, to: u32) -> bool {
        let Some(ranges) = &self.ranges else { return true };
        let next = ranges.partition_point(|(_, end)| *end <= from);
        ranges.get(next).is_some_and(|(begin, _)| *begin < to)
    }

    /// As words: how many ranges, and each.
    pub fn encode(&self, out: &mut Vec<u64>) {
        let Some(ranges) = &self.ranges else { return out.push(u64::MAX) };
        out.push(ranges.len() as u64);
        out.extend(ranges.iter().map(|(from, to)| u64::from(*from) | u64::from(*to) << 32));
    }

    /// Back from words, with what follows them.
    pub fn decode(words: &[u64]) -> Option<(Windows, &[u64])> {
        let (many, rest) = words.split_first()?;
        if *many == u64::MAX {
            return Some((Windows::default(), rest));
        }
        let (ranges, rest) = rest.split_at_checked(usize::try_from(*many).ok()?)?;
        let ranges = ranges.iter().map(|w| (*w as u32, (w >> 32) as u32)).collect();
        Some((Windows { ranges: Some(ranges) }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn ranges_that_touch_are_one() {
        let windows = Windows::new(vec![(7, 9), (0, 3), (5, 5), (2, 5), (20, 21), (9, 10)]);
        assert_eq!(windows, Windows { ranges: Some(vec![(0, 5), (7, 10), (20, 21)]) });
        let covered: Vec<u32> = (0..30).filter(|e| windows.cover(*e)).collect();
        assert_eq!(covered, [0, 1, 2, 3, 4, 7, 8, 9, 20]);
        assert!(windows.meet(5, 8) && windows.meet(0, 1) && windows.meet(9, 30));
        assert!(!windows.meet(5, 7) && !windows.meet(10, 20) && !windows.meet(21, 30));
        let (all, none) = (Windows::default(), Windows::new(Vec::new()));
        assert!(all.are_all() && all.cover(3) && all.meet(3, 4));
        assert!(!none.are_all() && !none.cover(3) && !none.meet(3, 4));
    }

    #[test]
    fn windows_cross_the_channel() {
        for windows in
            [Windows::default(), Windows::new(Vec::new()), Windows::new(vec![(1, 4), (9, u32::MAX)])]
        {
            let mut words = Vec::new();
            windows.encode(&mut words);
            words.push(7);
            assert_eq!(Windows::decode(&words), Some((windows, &[7][..])));
        }
        assert_eq!(Windows::decode(&[2, 5]), None);
    }
}
