//! What threads do in their steps, by number: every distinct step of a search is kept once, and which pairs
//! of them depend on each other is asked once ([`raddle_schedule::op::dependent`]).
//!
//! A step is one operation, and perhaps more that are part of it ([`raddle_schedule::Event::is_part`]): then its footprint is
//! the union of theirs.

use crate::mutants::Mutant;
pub use crate::tree::OpId;
use raddle_schedule::hash::mix;
use raddle_schedule::{Op, OpKind, op};
use std::collections::HashMap;

/// What a step does.
#[derive(PartialEq, Eq)]
struct Kept {
    op: Op,
    /// The operations that are part of it, sorted, each once.
    parts: Box<[Op]>,
    ends: bool,
}

/// Operations whose dependence is kept in the matrix; those beyond are asked about each time.
const KEPT: usize = 1024;

/// All operations that were met.
#[derive(Default)]
pub struct OpTable {
    kept: Vec<Kept>,
    /// Bytes that parts take.
    parts: usize,
    known: HashMap<u64, OpId, BuildIdentity>,
    /// One row of bits for each of the first [`KEPT`].
    dependent: Vec<[u64; KEPT / 64]>,
    /// Is there a place among them at which a thread gets nowhere ([`crate::fair`])?
    visits: bool,
    mutant: Option<Mutant>,
}

impl OpTable {
    /// None yet.
    pub fn new(mutant: Option<Mutant>) -> Self {
        OpTable { mutant, ..OpTable::default() }
    }

    /// The number of a step of one operation; `ends` says that the execution ended in this step.
    #[inline]
    pub fn number(&mut self, op: &Op, ends: bool) -> OpId {
        self.number_of(op, &[], ends)
    }

    /// The number of a step with this operation and these parts, sorted, each once.
    #[inline]
    fn number_of(&mut self, op: &Op, parts: &[Op], ends: bool) -> OpId {
        let key = hash(u64::from(ends), op);
        let mut key = parts.iter().fold(key, hash);
        while let Some(number) = self.known.get(&key) {
            let kept = &self.kept[*number as usize];
            if kept.op == *op && *kept.parts == *parts && kept.ends == ends {
                return *number;
            }
            key = key.wrapping_add(1);
        }
        self.add(key, *op, parts, ends)
    }

    /// The same step with these parts, in any order, in the place of its own.
    pub fn with_parts(&mut self, number: OpId, parts: &mut Vec<Op>) -> OpId {
        let Kept { op, ends, .. } = self.kept[number as usize];
        parts.sort_unstable_by_key(|p| (p.object, p.kind as u8, p.other, p.size, p.failed));
        parts.dedup();
        parts.retain(|part| *part != op);
        self.number_of(&op, parts, ends)
    }

    /// The same parts behind another first operation.
    pub fn like(&mut self, number: OpId, op: &Op, ends: bool) -> OpId {
        if self.kept[number as usize].parts.is_empty() {
            return self.number(op, ends);
        }
        let mut parts = self.kept[number as usize].parts.to_vec();
        let plain = self.number(op, ends);
        self.with_parts(plain, &mut parts)
    }

    #[cold]
    fn add(&mut self, key: u64, op: Op, parts: &[Op], ends: bool) -> OpId {
        use OpKind::*;
        let number = self.kept.len();
        self.visits |= match op.kind {
            Yield | Sleep | Timeout => true,
            TryLock | TryReadLock | TryWriteLock | SemTryWait => op.failed,
            _ => false,
        };
        self.parts += size_of_val(parts);
        self.kept.push(Kept { op, parts: parts.into(), ends });
        self.known.insert(key, number as OpId);
        if number < KEPT {
            self.dependent.push([0; KEPT / 64]);
            for other in 0..=number {
                if self.asked(number, other) {
                    self.dependent[number][other / 64] |= 1 << (other % 64);
                    self.dependent[other][number / 64] |= 1 << (number % 64);
                }
            }
        }
        number as OpId
    }

    /// The operation of this step, or the first of them.
    #[inline]
    pub fn op(&self, number: OpId) -> &Op {
        &self.kept[number as usize].op
    }

    /// The other operations of this step.
    #[inline]
    pub fn parts(&self, number: OpId) -> &[Op] {
        &self.kept[number as usize].parts
    }

    /// Has this step more than one operation?
    #[inline]
    pub fn has_several(&self, number: OpId) -> bool {
        !self.kept[number as usize].parts.is_empty()
    }

    /// Does the first of these depend on everything that the second depends on?
    pub fn covers(&self, wide: OpId, narrow: OpId) -> bool {
        let (wide, narrow) = (&self.kept[wide as usize], &self.kept[narrow as usize]);
        let mut all = std::iter::once(&narrow.op).chain(&narrow.parts);
        all.all(|op| {
            let is = |other: &Op| {
                let fails = *op == Op { failed: true, ..*other };
                // Of two operations on a channel the one that is about more.
                let is_wider = || {
                    let wide = Op { other: op.other, ..*other };
                    other.channels().is_some() && op.other & !other.other == 0 && *op == wide
                };
                op == other || fails || is_wider()
            };
            is(&wide.op) || wide.parts.iter().any(is)
        })
    }

    /// Has any thread yielded, slept, tried in vain or run into a time limit? Without, every execution is fair.
    #[inline]
    pub fn visits(&self) -> bool {
        self.visits
    }

    /// Did the execution end in it?
    pub fn ends(&self, number: OpId) -> bool {
        self.kept[number as usize].ends
    }

    /// May the order of these two, of different threads, matter?
    #[inline]
    pub fn dependent(&self, a: OpId, b: OpId) -> bool {
        let (a, b) = (a as usize, b as usize);
        if a < KEPT && b < KEPT {
            return self.dependent[a][b / 64] >> (b % 64) & 1 != 0;
        }
        self.asked(a, b)
    }

    fn asked(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.kept[a], &self.kept[b]);
        // A step that ends the execution disables everything else.
        if a.ends || b.ends {
            return self.mutant != Some(Mutant::EndsCommute);
        }
        self.meet(a, b)
    }

    /// Do these depend on each other, whether or not the execution ended in one of them?
    pub fn meets(&self, a: OpId, b: OpId) -> bool {
        self.meet(&self.kept[a as usize], &self.kept[b as usize])
    }

    fn meet(&self, a: &Kept, b: &Kept) -> bool {
        if self.mutant == Some(Mutant::PartsCommute) {
            return self.dependent_ops(&a.op, &b.op);
        }
        let meets = |a: &Op| self.dependent_ops(a, &b.op) || b.parts.iter().any(|b| self.dependent_ops(a, b));
        meets(&a.op) || a.parts.iter().any(meets)
    }

    /// Has any step more than one operation?
    pub fn has_parts(&self) -> bool {
        self.parts > 0
    }

    /// The same of operations that need not have been met.
    pub fn dependent_ops(&self, a: &Op, b: &Op) -> bool {
        match self.mutant {
            None => op::dependent(a, b),
            Some(mutant) => mistaken(mutant, a, b),
        }
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.kept.capacity() * size_of::<Kept>()
            + self.parts
            + self.known.capacity() * 13
            + self.dependent.capacity() * size_of::<[u64; KEPT / 64]>()
    }
}

fn hash(key: u64, op: &Op) -> u64 {
    mix(
        key ^ op.object << 8 ^ op.kind as u64,
        (op.other ^ u64::from(op.size) << 32) << 1 | u64::from(op.failed),
    )
}

/// Dependence with a mistake made on purpose.
fn mistaken(mutant: Mutant, a: &Op, b: &Op) -> bool {
    use OpKind::*;
    let either = |test: fn(&Op) -> bool| test(a) || test(b);
    let both = |test: fn(&Op) -> bool| test(a) && test(b);
    let failed_try = |o: &Op| o.failed && matches!(o.kind, TryLock | SemTryWait);
    let enqueue = |o: &Op| o.kind == CondEnqueue;
    let plain = |o: &Op| o.kind.is_data();
    let same = a.object == b.object;
    match mutant {
        Mutant::FailedTriesCommute if either(failed_try) => false,
        Mutant::FailedTriesDepend if both(failed_try) && same => true,
        Mutant::NotifiesCommuteWithEnqueues if either(enqueue) && same => false,
        Mutant::EnqueuesDepend if both(enqueue) && same => true,
        Mutant::TimeoutsCommute if either(|o| o.kind == Timeout) => false,
        Mutant::SearchOrdersSynchronisingOnly if both(|o| o.kind.is_atomic()) || both(plain) => {
            op::dependent(a, b) && both(|o| o.kind == AtomicRmw)
        }
        _ => op::dependent(a, b),
    }
}

/// The keys are hashes already.
#[derive(Default)]
struct Identity(u64);

type BuildIdentity = std::hash::BuildHasherDefault<Identity>;

impl std::hash::Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.0 = mix(self.0, u64::from(*b)));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}
