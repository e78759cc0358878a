//! What threads do, by number: every distinct operation of a search is kept once, and which pairs
//! of them depend on each other is asked once ([`raddle_schedule::op::dependent`]).

use crate::broken::Broken;
use raddle_schedule::hash::mix;
use raddle_schedule::{Op, OpKind, op};
use std::collections::HashMap;

/// Number of an operation.
pub type Doing = u32;

/// Operations whose dependence is kept in the matrix; those beyond are asked about each time.
const KEPT: usize = 1024;

/// All operations that were met.
#[derive(Default)]
pub struct Doings {
    kept: Vec<(Op, bool)>,
    known: HashMap<u64, Doing, BuildIdentity>,
    /// One row of bits for each of the first [`KEPT`].
    dependent: Vec<[u64; KEPT / 64]>,
    /// Is there a place among them at which a thread gets nowhere ([`crate::fair`])?
    visits: bool,
    broken: Option<Broken>,
}

impl Doings {
    /// None yet.
    pub fn new(broken: Option<Broken>) -> Self {
        Doings { broken, ..Doings::default() }
    }

    /// The number of an operation; `ends` says that the execution ended in this step.
    #[inline]
    pub fn number(&mut self, op: &Op, ends: bool) -> Doing {
        let mut key = mix(op.object << 8 | op.kind as u64, op.other << 1 | u64::from(op.failed));
        key = mix(key, u64::from(op.size) << 1 | u64::from(ends));
        while let Some(number) = self.known.get(&key) {
            let (kept, kept_ends) = &self.kept[*number as usize];
            if kept == op && *kept_ends == ends {
                return *number;
            }
            key = key.wrapping_add(1);
        }
        self.add(key, *op, ends)
    }

    #[cold]
    fn add(&mut self, key: u64, op: Op, ends: bool) -> Doing {
        use OpKind::*;
        let number = self.kept.len();
        self.visits |= match op.kind {
            Yield | Sleep | Timeout => true,
            TryLock | TryReadLock | TryWriteLock | SemTryWait => op.failed,
            _ => false,
        };
        self.kept.push((op, ends));
        self.known.insert(key, number as Doing);
        if number < KEPT {
            self.dependent.push([0; KEPT / 64]);
            for other in 0..=number {
                if self.asked(number, other) {
                    self.dependent[number][other / 64] |= 1 << (other % 64);
                    self.dependent[other][number / 64] |= 1 << (number % 64);
                }
            }
        }
        number as Doing
    }

    /// The operation with this number.
    #[inline]
    pub fn op(&self, number: Doing) -> &Op {
        &self.kept[number as usize].0
    }

    /// Has any thread yielded, slept, tried in vain or run into a time limit? Without, every execution is fair.
    #[inline]
    pub fn visits(&self) -> bool {
        self.visits
    }

    /// Did the execution end in it?
    pub fn ends(&self, number: Doing) -> bool {
        self.kept[number as usize].1
    }

    /// May the order of these two, of different threads, matter?
    #[inline]
    pub fn dependent(&self, a: Doing, b: Doing) -> bool {
        let (a, b) = (a as usize, b as usize);
        if a < KEPT && b < KEPT {
            return self.dependent[a][b / 64] >> (b % 64) & 1 != 0;
        }
        self.asked(a, b)
    }

    fn asked(&self, a: usize, b: usize) -> bool {
        let ((a, a_ends), (b, b_ends)) = (&self.kept[a], &self.kept[b]);
        // A step that ends the execution disables everything else.
        if *a_ends || *b_ends {
            return self.broken != Some(Broken::EndsCommute);
        }
        self.dependent_ops(a, b)
    }

    /// The same of operations that need not have been met.
    pub fn dependent_ops(&self, a: &Op, b: &Op) -> bool {
        match self.broken {
            None => op::dependent(a, b),
            Some(broken) => mistaken(broken, a, b),
        }
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.kept.capacity() * size_of::<(Op, bool)>()
            + self.known.capacity() * 13
            + self.dependent.capacity() * size_of::<[u64; KEPT / 64]>()
    }
}

/// Dependence with a mistake made on purpose.
fn mistaken(broken: Broken, a: &Op, b: &Op) -> bool {
    use OpKind::*;
    let either = |test: fn(&Op) -> bool| test(a) || test(b);
    let both = |test: fn(&Op) -> bool| test(a) && test(b);
    let failed_try = |o: &Op| o.failed && matches!(o.kind, TryLock | SemTryWait);
    let enqueue = |o: &Op| o.kind == CondEnqueue;
    let plain = |o: &Op| o.kind.is_data();
    let same = a.object == b.object;
    match broken {
        Broken::FailedTriesCommute if either(failed_try) => false,
        Broken::FailedTriesDepend if both(failed_try) && same => true,
        Broken::NotifiesCommuteWithEnqueues if either(enqueue) && same => false,
        Broken::EnqueuesDepend if both(enqueue) && same => true,
        Broken::TimeoutsCommute if either(|o| o.kind == Timeout) => false,
        Broken::SearchOrdersSynchronisingOnly if both(|o| o.kind.is_atomic()) || both(plain) => {
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
