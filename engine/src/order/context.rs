//! What is kept of waiting executions beside node and hash: preemptions, and what an order asks
//! about: the switch, and what partial-order reduction would say of it. Many executions share one, so each is kept once, with the number of those
//! that wait or run, and an execution holds its number: four bytes in the place where the
//! preemptions alone would take as many.

use super::Cost;
use crate::focus::Operation;
use raddle_schedule::hash::mix;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What a thread is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Doing {
    /// Its step.
    pub operation: Operation,
    /// What it does together with it ([`super::Blocks`]).
    pub within: u32,
}

impl Doing {
    /// Nothing that is known.
    pub const UNKNOWN: Doing = Doing { operation: Operation::UNKNOWN, within: 0 };
}

/// The two sides of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Switch {
    /// What the thread that is put off was about to do.
    pub preempted: Doing,
    /// What the other is about to do.
    pub preempting: Doing,
}

impl Switch {
    /// One that no order asks about.
    pub const UNKNOWN: Switch = Switch { preempted: Doing::UNKNOWN, preempting: Doing::UNKNOWN };
}

/// What partial-order reduction would say of an execution ([`super::Insight`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks {
    /// It would be explored.
    pub backtracks: bool,
    /// It would, and not only for want of better knowledge.
    pub reverses: bool,
    /// It begins with a thread that is asleep.
    pub asleep: bool,
}

/// What is known of an execution before it runs, as far as the order asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    /// Its preemptions; of the reversal of a race as far as they are told.
    pub preemptions: u32,
    /// Its last switch.
    pub switch: Switch,
    /// See there.
    pub marks: Marks,
}

/// A context that is held.
struct Entry {
    known: Known,
    cost: Cost,
    /// Executions that hold it.
    holders: u32,
}

/// Marks the number of a context without a switch: the rest of it is the preemptions.
const PLAIN: u32 = 1 << 31;

/// The contexts of all executions that wait or run.
#[derive(Default)]
pub struct Contexts {
    entries: Vec<Entry>,
    /// Entries that nobody holds.
    free: Vec<u32>,
    known: HashMap<Known, u32, BuildHasherDefault<Mixing>>,
    /// Executions by preemptions.
    executions: Vec<u64>,
}

impl Contexts {
    /// The number of a context, held by one execution more. A new one is given its cost.
    pub fn hold(&mut self, known: Known, cost: impl FnOnce(&Known) -> Cost) -> u32 {
        self.hold_plain(known.preemptions);
        if let Some(number) = self.known.get(&known) {
            self.entries[*number as usize].holders += 1;
            return *number;
        }
        let number = self.add(Entry { known, cost: cost(&known), holders: 1 });
        self.known.insert(known, number);
        number
    }

    /// The same where no order asks for anything.
    #[inline]
    pub fn hold_plain(&mut self, preemptions: u32) -> u32 {
        let at = preemptions as usize;
        if at >= self.executions.len() {
            self.executions.resize(at + 1, 0);
        }
        self.executions[at] += 1;
        PLAIN | preemptions
    }

    fn add(&mut self, entry: Entry) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.entries[number as usize] = entry;
                number
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        }
    }

    /// An execution that holds it has run.
    pub fn release(&mut self, number: u32) {
        let preemptions = self.preemptions(number) as usize;
        self.executions[preemptions] -= 1;
        if number & PLAIN != 0 {
            return;
        }
        let entry = &mut self.entries[number as usize];
        entry.holders -= 1;
        if entry.holders == 0 {
            self.known.remove(&entry.known);
            self.free.push(number);
        }
    }

    /// Its preemptions.
    #[inline]
    pub fn preemptions(&self, number: u32) -> u32 {
        if number & PLAIN != 0 { number & !PLAIN } else { self.entries[number as usize].known.preemptions }
    }

    /// What is known of those who hold it; `None` where no order asks for anything.
    pub fn known(&self, number: u32) -> Option<Known> {
        (number & PLAIN == 0).then(|| self.entries.get(number as usize).map(|e| e.known))?
    }

    /// Its cost.
    #[inline]
    pub fn cost(&self, number: u32) -> Cost {
        if number & PLAIN != 0 { Cost::default() } else { self.entries[number as usize].cost }
    }

    /// Gives every context its cost anew. By how much its holders are moved.
    pub fn weigh(&mut self, cost: impl Fn(&Known) -> Cost) -> Moves {
        let weigh = |entry: &mut Entry| {
            let before = std::mem::replace(&mut entry.cost, cost(&entry.known));
            entry.cost.rank.wrapping_sub(before.rank)
        };
        Moves(self.entries.iter_mut().map(weigh).collect())
    }

    /// Fewest preemptions of any execution that waits or runs.
    pub fn fewest_preemptions(&self) -> Option<u32> {
        self.executions.iter().position(|n| *n > 0).map(|p| p as u32)
    }

    /// How many executions with at most so many preemptions wait or run.
    pub fn executions(&self, most: u32) -> u64 {
        self.executions.iter().take((most as usize).saturating_add(1)).sum()
    }

    /// Bytes taken; the map takes a context, a number and a byte for each of its places.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.known.capacity() * (size_of::<(Known, u32)>() + 1)
    }
}

/// By how many ranks the holders of each context are moved, up or down (two's complement). What is drawn for an execution
/// is part of its rank and stays.
#[derive(Default)]
pub struct Moves(Vec<u32>);

impl Moves {
    /// Those of this context.
    #[inline]
    pub fn of(&self, number: u32) -> u32 {
        // One without a switch is beyond all others, and stays.
        self.0.get(number as usize).copied().unwrap_or(0)
    }
}

/// The hash of prefixes, for the map.
#[derive(Default)]
struct Mixing(u64);

impl Hasher for Mixing {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(u64::from(word));
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte));
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Level;

    fn known(preemptions: u32, object: u64) -> Known {
        let operation = Operation { object, ..Operation::UNKNOWN };
        let doing = Doing { operation, within: 0 };
        let switch = Switch { preempted: doing, preempting: doing };
        Known { preemptions, switch, marks: Marks::default() }
    }

    fn cost(known: &Known) -> Cost {
        Cost { rank: known.switch.preempted.operation.object as u32, level: Level::High }
    }

    #[test]
    fn each_is_kept_once_and_as_long_as_it_is_held() {
        let mut contexts = Contexts::default();
        let a = contexts.hold(known(1, 7), cost);
        assert_eq!(contexts.hold(known(1, 7), |_| unreachable!("it is known")), a);
        let b = contexts.hold(known(2, 7), cost);
        assert_ne!(a, b);
        assert_eq!((contexts.preemptions(b), contexts.cost(b).rank), (2, 7));
        contexts.release(a);
        assert_eq!(contexts.fewest_preemptions(), Some(1));
        contexts.release(a);
        assert_eq!(contexts.fewest_preemptions(), Some(2));
        let c = contexts.hold(known(2, 9), cost);
        assert_eq!((c, contexts.preemptions(c), contexts.cost(c).rank), (a, 2, 9));
        let moves = contexts.weigh(|_| Cost { rank: 3, level: Level::Low });
        assert_eq!((moves.of(b), moves.of(c)), (4u32.wrapping_neg(), 6u32.wrapping_neg()));
        assert_eq!((contexts.cost(b).rank, contexts.cost(c).rank), (3, 3));
        let plain = contexts.hold_plain(1);
        assert_eq!(moves.of(plain), 0);
        assert_eq!((contexts.preemptions(plain), contexts.cost(plain)), (1, Cost::default()));
        contexts.release(plain);
        assert_eq!(contexts.fewest_preemptions(), Some(2));
    }
}
