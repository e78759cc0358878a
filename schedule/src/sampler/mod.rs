//! Samplers: which thread makes the next step of an execution that is drawn at random. The runner
//! and the simulated executor both draw here, so that a seed is the same execution in both.
//!
//! A [`Sampler`] holds what an execution has drawn so far. At each decision its executor says how
//! things stand ([`Moment`]) and what threads are about to do, and [`Sampler::thread`] asks the
//! strategy, one of the files beside this one. All other choices (which waiter a notify wakes,
//! inputs) are drawn uniformly ([`Sampler::among`]).

mod pct;
mod pos;
mod random;

use crate::op::Op;
use crate::{Event, Trace, hash};

/// How executions are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Every choice uniformly, at every step.
    #[default]
    Random,
    /// Probabilistic concurrency testing (Burckhardt et al., ASPLOS'10).
    Pct {
        /// d: one more than the number of points at which priorities change.
        depth: u32,
        /// k: decisions among which these points are drawn; 0 where none is known, which makes none.
        decisions: u32,
        /// Whole blocks follow the starts of threads.
        blocks: bool,
    },
    /// Partial-order sampling (Yuan, Yang, Gu, CAV'18).
    Pos,
}

/// Greatest depth of [`Method::Pct`]; no bug known needs more than a few.
pub const MOST_DEPTH: u32 = 1000;

impl Method {
    /// As one word, for plans.
    pub(crate) const fn encode(self) -> u64 {
        match self {
            Method::Random => 0,
            Method::Pct { depth, decisions, blocks } => {
                decisions as u64 | ((depth & 0xffff) as u64) << 32 | (blocks as u64) << 48 | 1 << 56
            }
            Method::Pos => 2 << 56,
        }
    }

    /// Back from [`Method::encode`]; `None` for a word that no method has.
    pub(crate) const fn decode(word: u64) -> Option<Self> {
        match word >> 56 {
            0 if word == 0 => Some(Method::Random),
            1 if word >> 49 & 0x7f == 0 => Some(Method::Pct {
                depth: (word >> 32 & 0xffff) as u32,
                decisions: word as u32,
                blocks: word >> 48 & 1 != 0,
            }),
            2 if word == 2 << 56 => Some(Method::Pos),
            _ => None,
        }
    }
}

/// Decisions of an execution, as [`Method::Pct`] counts them: its k is one more. Where a thread fell the next one's
/// step is seen in the trace, so it may be fewer by the number of falls.
pub fn decisions(trace: &Trace, blocks: bool) -> u32 {
    let decides = |e: &&Event| e.enabled.count_ones() > 1 && pct::decides(e.kind(), blocks);
    trace.events.iter().filter(|e| e.is_step()).filter(decides).count() as u32
}

/// How things stand when a thread is chosen.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Steps made so far.
    pub steps: u32,
    /// The last one, if there was any: its thread, and what it did.
    pub done: Option<(u8, Op)>,
    /// It was a yield or a sleep.
    pub gave_way: bool,
    /// Threads that could only time out when it was chosen.
    pub timeouts_before: u64,
    /// Threads that can make their step.
    pub enabled: u64,
    /// Threads that can only time out.
    pub timeouts: u64,
}

impl Moment {
    /// Whoever may be chosen.
    pub fn all(&self) -> u64 {
        self.enabled | self.timeouts
    }
}

/// Draws who makes the next step.
///
/// The contract: the thread is one of [`Moment::all`], which is not empty. What is drawn is a
/// function of the seed and of what `draw` was told since `begin`, asks for numbers in an order of
/// its own (threads by number, say) and keeps nothing from one execution to the next.
trait Draw {
    /// An execution begins.
    fn begin(&mut self, numbers: &mut Numbers);

    /// The thread of the next step. `pending` is what a thread is about to do.
    fn draw(&mut self, at: &Moment, pending: &mut dyn FnMut(u8) -> Op, numbers: &mut Numbers) -> u8;
}

/// What one execution has drawn so far.
#[derive(Debug, Default)]
pub struct Sampler {
    numbers: Numbers,
    strategy: Strategy,
}

/// The strategies' states.
#[derive(Debug)]
enum Strategy {
    Random(random::Random),
    Pct(pct::Pct),
    Pos(pos::Pos),
}

impl Default for Strategy {
    fn default() -> Self {
        Strategy::Random(random::Random)
    }
}

impl Strategy {
    fn new(method: Method) -> Strategy {
        match method {
            Method::Random => Strategy::Random(random::Random),
            Method::Pct { depth, decisions, blocks } => {
                Strategy::Pct(pct::Pct::new(depth, decisions, blocks))
            }
            Method::Pos => Strategy::Pos(pos::Pos::default()),
        }
    }

    fn get(&mut self) -> &mut dyn Draw {
        match self {
            Strategy::Random(s) => s,
            Strategy::Pct(s) => s,
            Strategy::Pos(s) => s,
        }
    }
}

impl Sampler {
    /// An execution begins.
    pub fn begin(&mut self, method: Method, seed: u64) {
        self.numbers = Numbers(seed);
        self.strategy = Strategy::new(method);
        self.strategy.get().begin(&mut self.numbers);
    }

    /// Who makes the next step. `pending` is what a thread is about to do, failed if it would
    /// change nothing now.
    pub fn thread(&mut self, at: &Moment, mut pending: impl FnMut(u8) -> Op) -> u8 {
        self.strategy.get().draw(at, &mut pending, &mut self.numbers)
    }

    /// One bit of a mask that has some.
    pub fn among(&mut self, mask: u64) -> u8 {
        self.numbers.among(mask)
    }
}

/// Random numbers: splitmix64, with [`hash::mix`].
#[derive(Clone, Debug, Default)]
struct Numbers(u64);

impl Numbers {
    /// Any number.
    fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash::mix(self.0, 0)
    }

    /// One below `n`.
    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.any()) * u128::from(n)) >> 64) as u64
    }

    /// One bit of a mask, uniformly.
    fn among(&mut self, mut mask: u64) -> u8 {
        for _ in 0..self.below(u64::from(mask.count_ones())) {
            mask &= mask - 1;
        }
        mask.trailing_zeros() as u8
    }
}

/// The bits of a mask, lowest first.
fn bits(mut mask: u64) -> impl Iterator<Item = u8> {
    core::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as u8);
        mask &= mask.wrapping_sub(1);
        bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::OpKind;
    use alloc::vec::Vec;

    /// A store to the variable with this number.
    pub fn store(variable: u64) -> Op {
        Op { kind: OpKind::AtomicStore, object: 64 + 8 * variable, other: 0, size: 8, failed: false }
    }

    /// Who made each step, where threads never wait: each has its operations, all are there from the start.
    pub fn walk(method: Method, seed: u64, threads: &[Vec<Op>]) -> Vec<u8> {
        let mut sampler = Sampler::default();
        sampler.begin(method, seed);
        let mut at = alloc::vec![0; threads.len()];
        let mut made = Vec::new();
        let mut done = None;
        loop {
            let left = |t: &usize| at[*t] < threads[*t].len();
            let enabled = (0..threads.len()).filter(left).fold(0, |mask, t| mask | 1 << t);
            if enabled == 0 {
                return made;
            }
            let moment = Moment {
                steps: made.len() as u32,
                done,
                gave_way: false,
                timeouts_before: 0,
                enabled,
                timeouts: 0,
            };
            let t = sampler.thread(&moment, |t| threads[usize::from(t)][at[usize::from(t)]]);
            assert!(enabled >> t & 1 != 0);
            done = Some((t, threads[usize::from(t)][at[usize::from(t)]]));
            at[usize::from(t)] += 1;
            made.push(t);
        }
    }

    /// In how many of so many executions this holds.
    pub fn count(of: u64, method: Method, threads: &[Vec<Op>], mut holds: impl FnMut(&[u8]) -> bool) -> u64 {
        (0..of).filter(|seed| holds(&walk(method, hash::mix(*seed, 1), threads))).count() as u64
    }

    /// So many of 20,000 are what this probability makes, within five standard deviations.
    #[track_caller]
    pub fn assert_is(found: u64, numerator: u64, denominator: u64) {
        let n = 20_000;
        let expected = n * numerator / denominator;
        let variance = expected * (denominator - numerator) / denominator;
        let off = found.abs_diff(expected);
        assert!(off * off <= 25 * variance, "{found} of {n}, expected {expected}");
    }

    #[test]
    fn the_same_seed_is_the_same_execution() {
        let threads: Vec<Vec<Op>> = (0..3).map(|t| (0..6).map(|n| store(n % (t + 1))).collect()).collect();
        for method in [Method::Random, Method::Pct { depth: 4, decisions: 18, blocks: false }, Method::Pos] {
            let all: Vec<Vec<u8>> = (0..50).map(|seed| walk(method, seed, &threads)).collect();
            assert!((0..50).all(|seed| walk(method, seed, &threads) == all[seed as usize]));
            assert!(all.iter().any(|made| *made != all[0]), "{method:?}");
        }
    }

    #[test]
    fn methods_round_trip() {
        let pct = Method::Pct { depth: MOST_DEPTH, decisions: u32::MAX, blocks: true };
        let none = Method::Pct { depth: 1, decisions: 0, blocks: false };
        for method in [Method::Random, pct, none, Method::Pos] {
            assert_eq!(Method::decode(method.encode()), Some(method));
        }
        for word in [1, 3 << 56, 2 << 56 | 1, 1 << 56 | 1 << 49] {
            assert_eq!(Method::decode(word), None);
        }
    }

    /// Threads that are alike store once each, after a step of their own: six orders, none preferred.
    #[test]
    fn nobody_is_preferred_by_number() {
        let threads: Vec<Vec<Op>> = (1..4).map(|t| [store(t), store(0)].to_vec()).collect();
        for method in [Method::Random, Method::Pct { depth: 3, decisions: 6, blocks: false }, Method::Pos] {
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let last = |made: &[u8], t| made.iter().rposition(|m| m == t);
                let sorted = |made: &[u8]| order.is_sorted_by_key(|t| last(made, t));
                assert_is(count(20_000, method, &threads, sorted), 1, 6);
            }
        }
    }

    #[test]
    fn bits_are_drawn_uniformly() {
        let mut numbers = Numbers(7);
        let mut counts = [0; 64];
        (0..3000).for_each(|_| counts[numbers.among(0b1_0010_0001 << 40) as usize] += 1);
        assert_eq!(counts.iter().sum::<u32>(), 3000);
        // Standard deviation 26.
        for bit in [40, 45, 48] {
            assert!((900..1100).contains(&counts[bit]), "{counts:?}");
        }
    }
}
