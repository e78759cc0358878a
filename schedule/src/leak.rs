//! Leaks: blocks of the heap that nothing leads to any more when an execution has passed. The runtime looks
//! where a plan asks for it ([`crate::plan::flags::LEAKS`]), and tells them by the call that allocated them.

use crate::misuse::Involved;
use alloc::vec::Vec;

/// Blocks that one call allocated, and that are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaked {
    /// Who allocated them, and where: of the first of them.
    pub by: Involved,
    /// How many, those included that other lost blocks lead to.
    pub blocks: u32,
    /// Bytes of these, as they were asked for.
    pub bytes: u64,
    /// To some of them no other lost block leads, or only such as it leads to itself.
    pub is_head: bool,
    /// Blocks of other calls that only those lead to.
    pub inner_blocks: u32,
    /// Bytes of those.
    pub inner_bytes: u64,
}

/// The bit of [`Leaked::is_head`], above the bytes.
const HEAD: u64 = 1 << 63;

impl Leaked {
    /// As words for the channel, appended.
    pub fn encode(&self, out: &mut Vec<u64>) {
        let numbers = u64::from(self.blocks) | u64::from(self.inner_blocks) << 32;
        let head = if self.is_head { HEAD } else { 0 };
        out.extend([self.by.encode(), numbers, self.bytes | head, self.inner_bytes]);
    }

    /// All of them, back from words; `None` when they are none.
    pub fn decode(words: &[u64]) -> Option<Vec<Leaked>> {
        let (all, rest) = words.as_chunks::<4>();
        let one = |w: &[u64; 4]| {
            let (blocks, inner_blocks) = (w[1] as u32, (w[1] >> 32) as u32);
            let (bytes, is_head) = (w[2] & !HEAD, w[2] & HEAD != 0);
            Some(Leaked {
                by: Involved::decode(w[0])?,
                blocks,
                bytes,
                is_head,
                inner_blocks,
                inner_bytes: w[3],
            })
        };
        if rest.is_empty() { all.iter().map(one).collect() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::misuse::Part;

    #[test]
    fn leaks_cross_the_channel() {
        let by = Involved { part: Part::Allocated, thread: 63, method: 7, site: u32::MAX };
        let one =
            Leaked { by, blocks: 3, bytes: 1 << 40, is_head: true, inner_blocks: u32::MAX, inner_bytes: 5 };
        let all = [one, Leaked { blocks: 1, is_head: false, inner_blocks: 0, ..one }];
        let mut words = Vec::new();
        all.iter().for_each(|l| l.encode(&mut words));
        assert_eq!(Leaked::decode(&words), Some(all.to_vec()));
        assert_eq!(Leaked::decode(&words[..5]), None);
    }
}
