//! Memory as a state sees it: a token for every byte that was written, and their sum. What was never
//! written has its first content, which is the same in all executions.

use crate::analysis::{Table, pieces, signature::mix};

/// See the module's text.
#[derive(Default)]
pub struct Bytes {
    granules: Table,
    /// Tokens of eight bytes each; 0 for one that was not written.
    tokens: Vec<[u64; 8]>,
    /// Over all bytes: place and token.
    sum: u64,
}

/// What is written.
#[derive(Clone, Copy)]
pub enum Written {
    /// These bytes, the lowest first.
    Value(u64),
    /// Something that is a function of this.
    Of(u64),
}

impl Bytes {
    /// Nothing written.
    pub fn clear(&mut self) {
        self.granules.clear();
        self.tokens.clear();
        self.sum = 0;
    }

    /// Equal for equal contents.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    fn granule(&mut self, address: u64) -> &mut [u64; 8] {
        let index = self.granules.index(address >> 3);
        if index == self.tokens.len() {
            self.tokens.push([0; 8]);
        }
        &mut self.tokens[index]
    }

    /// Becomes a copy of another, in its own memory.
    pub fn copy_from(&mut self, other: &Bytes) {
        self.granules.copy_from(&other.granules);
        self.tokens.clone_from(&other.tokens);
        self.sum = other.sum;
    }

    /// Bytes that it takes itself.
    pub fn bytes(&self) -> usize {
        self.granules.bytes() + self.tokens.capacity() * size_of::<[u64; 8]>()
    }

    /// What stands there, as one word.
    pub fn read(&self, address: u64, size: u64) -> u64 {
        let mut word = 0;
        for (at, len) in pieces(address, size) {
            let offset = (at & 7) as usize;
            let granule = self.granules.find(at >> 3).map(|index| &self.tokens[index]);
            let bytes = granule.map_or(&[][..], |g| &g[offset..offset + usize::from(len)]);
            // Untouched memory is quick.
            if bytes.iter().any(|t| *t != 0) {
                word = bytes.iter().fold(word, |word, token| mix(word, *token));
            } else {
                word = mix(word, u64::from(len));
            }
        }
        word
    }

    /// Writes these bytes.
    pub fn write(&mut self, address: u64, size: u64, what: Written) {
        for (at, len) in pieces(address, size) {
            let offset = (at & 7) as usize;
            let from = at - address;
            let granule = self.granule(at);
            let mut change = 0u64;
            for i in 0..u64::from(len) {
                let token = match what {
                    Written::Value(value) => 1 + (value >> (8 * (from + i)) & 0xff),
                    Written::Of(word) => mix(word, from + i) | 1 << 63,
                };
                let slot = &mut granule[offset + i as usize];
                if *slot != 0 {
                    change = change.wrapping_sub(mix(at + i, *slot));
                }
                *slot = token;
                change = change.wrapping_add(mix(at + i, token));
            }
            self.sum = self.sum.wrapping_add(change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_decide_and_not_the_way_there() {
        let made = |writes: &[(u64, u64, u64)]| {
            let mut bytes = Bytes::default();
            writes.iter().for_each(|(at, size, value)| bytes.write(*at, *size, Written::Value(*value)));
            (bytes.sum(), bytes.read(0x1004, 8))
        };
        let whole = made(&[(0x1000, 8, 0x0807_0605_0403_0201), (0x1008, 4, 0x0c0b_0a09)]);
        let parts = made(&[
            (0x1006, 4, 0x0a09_0807),
            (0x100a, 2, 0x0c0b),
            (0x1000, 4, 7),
            (0x1000, 4, 0x0403_0201),
            (0x1004, 2, 0x0605),
        ]);
        assert_eq!(whole, parts);
        assert_ne!(whole.0, made(&[(0x1000, 8, 0x0807_0605_0403_0201), (0x1008, 4, 0x0c0b_0a08)]).0);
        assert_ne!(whole.1, made(&[(0x1000, 8, 0x0907_0605_0403_0201), (0x1008, 4, 0x0c0b_0a09)]).1);
    }
}
