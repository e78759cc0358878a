//! Partial-order sampling (Yuan, Yang, Gu: *Partial Order Aware Concurrency Sampling*, CAV'18).
//!
//! Each pending operation has a random priority, and the highest goes. After a step, those threads draw anew
//! that made it or whose pending operation depends on it: two operations that race are ordered by
//! numbers of their own. Orders of independent operations tell nothing apart, and here they cost nothing
//! either: a random walk prefers classes that many interleavings make.
//!
//! What a statement will do is not known before it is done, so at statements all draw anew
//! ([`crate::op::wakes`]), which makes a random walk of it.

use super::{Draw, Moment, Numbers, bits};
use crate::MAX_THREADS;
use crate::op::{Op, wakes};

/// See the module's text.
#[derive(Debug)]
pub(super) struct Pos {
    /// Of each thread's pending operation, if it has drawn.
    priorities: [u64; MAX_THREADS],
    /// Threads whose pending operation has drawn.
    drawn: u64,
}

impl Default for Pos {
    fn default() -> Self {
        Pos { priorities: [0; MAX_THREADS], drawn: 0 }
    }
}

impl Draw for Pos {
    fn begin(&mut self, _: &mut Numbers) {}

    fn draw(&mut self, at: &Moment, pending: &mut dyn FnMut(u8) -> Op, numbers: &mut Numbers) -> u8 {
        if let Some((thread, done)) = at.done {
            self.drawn &= !(1 << (thread & 63));
            for t in bits(self.drawn) {
                let anew = wakes(&done, &pending(t), at.timeouts_before >> t & 1 != 0);
                self.drawn &= !(u64::from(anew) << t);
            }
        }
        for t in bits(at.all() & !self.drawn) {
            self.priorities[usize::from(t)] = numbers.any();
        }
        self.drawn |= at.all();
        let highest = bits(at.all()).max_by_key(|t| self.priorities[usize::from(*t)]);
        highest.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use crate::sampler::Method;
    use crate::sampler::tests::{assert_is, count, store};
    use alloc::vec;
    use alloc::vec::Vec;

    /// One store of each of two threads, before which one of them has n steps of its own. For it to be
    /// first, all its n+1 numbers must be above the other's one: 1 in n+2. A random walk
    /// has to take it n+1 times: 1 in 2^(n+1).
    #[test]
    fn steps_of_its_own_cost_a_thread_little() {
        for own in 0..6 {
            let mut long: Vec<_> = (0..own).map(|_| store(9)).collect();
            long.push(store(0));
            let threads = [long, vec![store(0)]];
            let first = |made: &[u8]| made.last() == Some(&1);
            assert_is(count(20_000, Method::Pos, &threads, first), 1, own + 2);
            assert_is(count(20_000, Method::Random, &threads, first), 1, 1 << (own + 1));
        }
    }

    /// Two threads store to x, then to y: four classes. Say T0 stores to x first. T1 draws anew
    /// for x, T0 draws for y. If T0 is higher it stores to y first: 1/2. Otherwise
    /// its number for y has lost once and is kept, so that T1's fresh one for y is higher with 2/3. So
    /// the rarer two classes have 1/6 each; in a random walk they have 1/8.
    #[test]
    fn only_what_races_draws_anew() {
        let threads = [vec![store(0), store(1)], vec![store(0), store(1)]];
        let crossed = |made: &[u8]| made[0] != made[2] && made[0] == made[3];
        assert_is(count(20_000, Method::Pos, &threads, crossed), 1, 3);
        assert_is(count(20_000, Method::Random, &threads, crossed), 1, 4);
    }
}
