//! What threads do besides their steps: operations that are no schedule points are carried out
//! together with the step before them, its *block*. At synchronisation points those are the plain
//! accesses, at statements everything. Blocks recur from execution to execution, so each is kept
//! once and known by its number.

use crate::focus::Operation;
use std::collections::HashMap;

/// Operations that are kept of one block: the first on each object, so many at most.
const KEPT: usize = 16;
/// Most blocks; those of programs with more of them count as empty, which changes the order of
/// executions and nothing else.
const MOST: usize = 1 << 16;

/// All blocks that an order asked about. Number 0 is empty.
pub struct Blocks {
    blocks: Vec<Box<[Operation]>>,
    known: HashMap<Box<[Operation]>, u32>,
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks { blocks: vec![Box::default()], known: HashMap::new() }
    }
}

impl Blocks {
    /// The number of a block.
    pub fn number(&mut self, block: &[Operation]) -> u32 {
        if block.is_empty() {
            return 0;
        }
        if let Some(number) = self.known.get(block) {
            return *number;
        }
        if self.blocks.len() >= MOST {
            return 0;
        }
        let number = self.blocks.len() as u32;
        self.blocks.push(block.into());
        self.known.insert(block.into(), number);
        number
    }

    /// The operations of the block with this number.
    pub fn get(&self, number: u32) -> &[Operation] {
        self.blocks.get(number as usize).map_or(&[], |block| block)
    }
}

/// Adds an operation to a block, unless its object is in it already.
pub fn add(block: &mut Vec<Operation>, from: usize, operation: Operation) {
    let own = &block[from..];
    if own.len() < KEPT && own.iter().all(|o| o.object != operation.object) {
        block.push(operation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_kept_once_with_the_first_operation_on_each_object() {
        let on = |object: u64, site: u32| Operation { object, site, ..Operation::UNKNOWN };
        let mut block = vec![on(7, 1)];
        for (object, site) in [(7, 2), (8, 3), (7, 4)] {
            add(&mut block, 1, on(object, site));
        }
        assert_eq!(block, [on(7, 1), on(7, 2), on(8, 3)]);
        (0..100).for_each(|n| add(&mut block, 0, on(n, 5)));
        assert_eq!(block.len(), KEPT);
        let mut blocks = Blocks::default();
        let number = blocks.number(&block);
        assert_eq!((blocks.number(&block), blocks.number(&[]), blocks.number(&block[..2])), (number, 0, 2));
        assert_eq!((blocks.get(number), blocks.get(0)), (&block[..], &[][..]));
    }
}
