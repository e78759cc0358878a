//! Questions about addresses: what is this memory, and who made it? The server asks before it has an
//! execution run again, and the runtime answers at an access to that address: a block of the heap or a
//! frame of a stack is named by how it came to be, which only the running program knows.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Most addresses that can be asked about at once.
pub const MOST: usize = 16;

/// The questions, and the answers so far.
#[repr(C)]
#[derive(Default)]
pub struct Origins {
    /// How many of the rows are asked.
    asked: AtomicU32,
    rows: [Row; MOST],
}

#[repr(C)]
#[derive(Default)]
struct Row {
    address: AtomicU64,
    /// 0 not known, 1 a block of the heap, 2 a stack frame.
    kind: AtomicU32,
    method: AtomicU32,
    caller: AtomicU64,
    offset: AtomicU64,
}

/// What some memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Part of a block.
    Block {
        /// Return address of the call that allocated it.
        caller: u64,
        /// The function that it was in, as an index into the table of methods; 0 is none.
        method: u16,
        /// Bytes from the block's start.
        offset: u64,
    },
    /// Part of a stack frame.
    Frame {
        /// Whose, as an index into the table of methods.
        method: u16,
        /// Bytes from the frame's lower end.
        offset: u64,
    },
}

impl Origins {
    /// Asks about these addresses, the first [`MOST`] of them, and forgets earlier answers.
    pub fn ask(&self, addresses: &[u64]) {
        self.asked.store(0, Relaxed);
        for (row, address) in self.rows.iter().zip(addresses) {
            row.kind.store(0, Relaxed);
            row.address.store(*address, Relaxed);
        }
        self.asked.store(addresses.len().min(MOST) as u32, Relaxed);
    }

    /// Is anything asked?
    pub fn is_asked(&self) -> bool {
        self.asked.load(Relaxed) > 0
    }

    /// The addresses that are asked about, with their places.
    pub fn asked(&self) -> impl Iterator<Item = (usize, u64)> {
        let asked = (self.asked.load(Relaxed) as usize).min(MOST);
        self.rows[..asked].iter().map(|row| row.address.load(Relaxed)).enumerate()
    }

    /// Answers the question at this place.
    pub fn answer(&self, place: usize, origin: Origin) {
        let Some(row) = self.rows.get(place) else { return };
        let (kind, caller, method, offset) = match origin {
            Origin::Block { caller, method, offset } => (1, caller, method, offset),
            Origin::Frame { method, offset } => (2, 0, method, offset),
        };
        row.caller.store(caller, Relaxed);
        row.method.store(u32::from(method), Relaxed);
        row.offset.store(offset, Relaxed);
        row.kind.store(kind, Relaxed);
    }

    /// The answer at this place, if it was given.
    pub fn answered(&self, place: usize) -> Option<Origin> {
        let row = self.rows.get(place)?;
        let (method, offset) = (row.method.load(Relaxed) as u16, row.offset.load(Relaxed));
        match row.kind.load(Relaxed) {
            1 => Some(Origin::Block { caller: row.caller.load(Relaxed), method, offset }),
            2 => Some(Origin::Frame { method, offset }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_forgotten_with_their_questions() {
        let origins = Origins::default();
        origins.ask(&[8, 16]);
        assert_eq!(origins.asked().collect::<Vec<_>>(), [(0, 8), (1, 16)]);
        let block = Origin::Block { caller: 4, method: 2, offset: 12 };
        origins.answer(1, block);
        assert_eq!((origins.answered(0), origins.answered(1)), (None, Some(block)));
        origins.ask(&[24, 32]);
        assert_eq!(origins.answered(1), None);
    }
}
