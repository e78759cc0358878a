//! Refocusing: other methods and variables are selected while the search runs, and what waits is
//! re-ordered at once (paper 003, section 4.3). Waiting executions are permuted within their
//! rounds and nothing else happens: none is added, left out or run twice (algorithms, rule 5).

use super::enqueue::led;
use super::{Levels, Purpose, Search};
use crate::config::Order;
use crate::focus::Selection;
use crate::order::{Level, Moves};
use crate::tree::Waiting;

impl Search {
    /// From now on this is selected; `wanted`: something is. Plans in flight stay what they are. Executions are
    /// counted by level anew ([`super::Progress::levels`]), beginning with those that are chosen next.
    pub fn refocus(&mut self, focus: Box<dyn Selection + Send>, wanted: bool) {
        self.focus.select(focus);
        if wanted && self.is_focusable {
            // What comes first was chosen by somebody: the guarantee says so.
            self.config.order = Order::focused();
        }
        self.levels = Levels::default();
        for flying in &mut self.flying {
            if let Purpose::Node(_, _, level) = &mut flying.purpose {
                *level = None;
            }
        }
        if !self.order.asks().switch {
            return;
        }
        let (order, focus) = (&self.order, &self.focus);
        let moves = self.contexts.weigh(|known| order.cost(known, focus));
        self.rearrange(&moves);
    }

    /// Puts what waits in order again.
    fn rearrange(&mut self, moves: &Moves) {
        let (reversal, fringe, tree) = (&self.reversal, &mut self.fringe, &mut self.tree);
        // A focus in the default search ranks above what there is.
        let step = if self.is_focusable { led(1, 0) } else { 1 };
        let moves = |w: &Waiting| moves.of(w.context).wrapping_mul(step);
        let done = match self.spilling.as_mut().filter(|s| s.now() > 0) {
            Some(spilling) => spilling.rearrange(fringe, tree, moves),
            None => {
                match reversal {
                    Some(reversal) => fringe.rearrange(moves, |node| reversal.age(node)),
                    None => fringe.rearrange(moves, |node| tree.age(node)),
                }
                Ok(())
            }
        };
        self.spilled(done);
    }

    /// Counts an execution that was run.
    pub(super) fn count_level(&mut self, level: Option<Level>) {
        match level {
            Some(Level::High) => self.levels.high += 1,
            Some(Level::Medium) => self.levels.medium += 1,
            Some(Level::Low) => self.levels.low += 1,
            None => {}
        }
    }

    /// Numbers what waits anew, by age, before ages run out.
    pub(super) fn keep_young(&mut self) {
        let is_aged = match &self.reversal {
            Some(reversal) => reversal.is_aged(),
            None => self.tree.is_aged(),
        };
        if !is_aged {
            return;
        }
        if self.spilling.as_ref().is_some_and(|s| s.now() > 0) {
            return self.rearrange(&Moves::default());
        }
        let mut nodes: Vec<_> = self.fringe.iter().map(|w: &Waiting| w.node).collect();
        match &mut self.reversal {
            Some(reversal) => {
                nodes.sort_unstable_by_key(|node| reversal.age(*node));
                reversal.renew_ages(&mut nodes.into_iter());
            }
            None => {
                nodes.sort_unstable_by_key(|node| self.tree.age(*node));
                self.tree.renew_ages(nodes.into_iter());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::focus::Operation;
    use crate::search::Turn;
    use crate::simulated::{Instr, Program, Simulated, Value};
    use crate::tree::{Spill, Spilling};
    use crate::{Bound, Config};
    use raddle_schedule::Granularity;

    /// What is done at every third place, from this one.
    struct Third(u32);

    impl Selection for Third {
        fn method(&self, _: u16) -> bool {
            false
        }

        fn variable(&self, operation: &Operation) -> bool {
            operation.site % 3 == self.0
        }
    }

    /// Blocks by number.
    #[derive(Default)]
    struct Shelf(Vec<Vec<u8>>);

    impl Spill for Shelf {
        fn write(&mut self, block: &[u8]) -> Result<u64, String> {
            self.0.push(block.to_vec());
            Ok(self.0.len() as u64 - 1)
        }

        fn read(&mut self, number: u64, block: &mut [u8]) -> Result<(), String> {
            block.copy_from_slice(&self.0[number as usize]);
            Ok(())
        }

        fn give_up(&mut self, _: u64, _: usize) {}
    }

    /// The executions in order, by the hashes of their traces; every seventh turn the
    /// focus changes, and at turn `old` ages run out.
    fn order(old: usize, limit: Option<usize>) -> Vec<u64> {
        let body = vec![Instr::Lock(0), Instr::Read(0, 0), Instr::Write(0, Value::Reg(0)), Instr::Unlock(0)];
        let mut executor = Simulated::new(Program::fork_join(vec![body.clone(), body]), Granularity::Sync);
        let order = Order::parse("var").unwrap();
        let config =
            Config { order, bound: Bound::Iterative, in_flight: 3, probe: false, ..Config::default() };
        let mut search = Search::new(config).unwrap();
        if let Some(limit) = limit {
            search.limit_memory(Spilling::new(limit, 3, Box::<Shelf>::default()));
        }
        let mut hashes = Vec::new();
        for turn in 0.. {
            if turn % 7 == 0 {
                search.refocus(Box::new(Third(turn as u32 / 7 % 3)), true);
            }
            if turn == old {
                search.tree.make_old();
            }
            if search.step(&mut executor).unwrap() == Turn::Done {
                break;
            }
            hashes.push(search.trace.hash);
        }
        assert!(search.summary().complete && !search.tree.is_aged());
        hashes
    }

    #[test]
    fn ages_are_renewed_before_they_run_out_and_nobody_notices() {
        let straight = order(usize::MAX, None);
        assert!(straight.len() > 100);
        for old in [0, 1, 5, 50] {
            assert_eq!(order(old, None), straight, "at turn {old}");
            assert_eq!(order(old, Some(500)), straight, "at turn {old}, with a limit");
        }
    }
}
