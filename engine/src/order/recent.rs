//! Executions that were filed lately, by how they begin. What an execution says of one that was filed
//! before it can be heeded then: dynamic partial-order reduction finds races whose first step lies
//! above the difference that led to them, and explores what waits there already.
//!
//! A table of fixed size: who comes later takes the place of who came before. What is not in it
//! keeps its place in the order, and nothing else.

use crate::tree::NodeId;

/// Places.
const PLACES: usize = 1 << 16;

/// Who was filed.
#[derive(Clone, Copy)]
pub struct Filed {
    /// Stands for how it begins.
    key: u64,
    /// Its node, and the number of its context. It may have run since.
    pub node: NodeId,
    /// See there.
    pub context: u32,
}

/// See the module's text.
#[derive(Default)]
pub struct Recent {
    filed: Vec<Filed>,
}

impl Recent {
    /// An execution was filed.
    pub fn note(&mut self, key: u64, node: NodeId, context: u32) {
        if self.filed.is_empty() {
            let nobody = Filed { key: 0, node: NodeId::MAX, context: 0 };
            self.filed.resize(PLACES, nobody);
        }
        self.filed[key as usize % PLACES] = Filed { key, node, context };
    }

    /// The one that begins so, if it is known.
    pub fn get(&self, key: u64) -> Option<Filed> {
        let filed = *self.filed.get(key as usize % PLACES)?;
        (filed.key == key && filed.node != NodeId::MAX).then_some(filed)
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.filed.capacity() * size_of::<Filed>()
    }
}
