//! Atomic operations that are no steps: those of Rust's own library, in code that the compiler's hooks
//! tell of (the counts of std's `Arc`, the words of its locks), or that the facade tells of (what std's
//! channels do). No schedule depends on them; what they publish and take over orders plain accesses, so
//! the race detector is told of them beside the events. The same of the counts of C++'s `shared_ptr`. Of counts there are two more kinds: at
//! [`OpKind::DropBegin`] a thread that could have been another one begins to drop what they counted, and knows what all owners did until
//! [`OpKind::DropEnd`], where that is over. (In Rust it knows that from its acquire fence on; then the first is relaxed.)

use crate::event::Event;
use crate::op::{OpKind, Order};
use alloc::vec::Vec;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aside {
    /// Events before it.
    pub at: u32,
    /// What was done: an atomic operation or a fence, with its ordering and size.
    pub event: Event,
}

impl Aside {
    /// As words for the channel, appended.
    #[inline]
    pub fn encode(&self, out: &mut Vec<u64>) {
        let order = self.event.order() as u64;
        let size = u64::from(self.event.size().trailing_zeros());
        let failed = u64::from(self.event.failed());
        let counts = u64::from(self.event.counts());
        let first = u64::from(self.at) | order << 32 | size << 40 | failed << 48 | counts << 49;
        out.extend([first, self.event.identity()]);
    }

    /// All of them, back from words; `None` when they are none.
    pub fn decode(words: &[u64]) -> Option<Vec<Aside>> {
        let (all, rest) = words.as_chunks::<2>();
        let one = |[first, identity]: &[u64; 2]| {
            let kind = OpKind::from_u8((identity >> 56) as u8)?;
            let mut event = Event::new(kind, (identity >> 48) as u8, *identity);
            event.set_access(Order::from_abi((first >> 32) as i32 & 7), 1 << (first >> 40 & 31));
            if first >> 48 & 1 != 0 {
                event.flags |= crate::flags::FAILED;
            }
            if first >> 49 & 1 != 0 {
                event.flags |= crate::flags::COUNTS;
            }
            Some(Aside { at: *first as u32, event })
        };
        if rest.is_empty() { all.iter().map(one).collect() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_cross_the_channel() {
        let mut all = Vec::new();
        for (kind, order, size) in [
            (OpKind::AtomicRmw, Order::Release, 8),
            (OpKind::AtomicLoad, Order::Acquire, 1),
            (OpKind::Fence, Order::SeqCst, 1),
        ] {
            for flags in [0, crate::flags::FAILED, crate::flags::COUNTS] {
                if flags == crate::flags::COUNTS && kind != OpKind::AtomicRmw {
                    continue;
                }
                let mut event = Event::new(kind, 63, 0x2000_0000_0010);
                event.set_access(order, size);
                event.flags = flags;
                all.push(Aside { at: u32::MAX - size, event });
            }
        }
        let mut words = Vec::new();
        all.iter().for_each(|a| a.encode(&mut words));
        assert_eq!(Aside::decode(&words), Some(all));
        assert_eq!(Aside::decode(&words[..3]), None);
        assert_eq!(Aside::decode(&[0, 0]), None);
    }
}
