//! What is looked for by [`nearest`](super::nearest()) and [`deciding`](super::deciding()): what passes and gives up little.

use super::cheapest::Goal;
use super::orders::{Decision, FORBIDDEN, Orders};
use super::passing::Passing;
use super::reading::Reading;
use crate::mutants::Mutant;
use crate::points::{Point, points};
use crate::reduction::Child;
use raddle_schedule::{Choice, MAX_THREADS, Trace};

/// The search for what is near and passes.
pub(super) struct Near {
    pub orders: Orders,
    reading: Reading,
    pub passing: Passing,
    /// Who could only time out at each step of the execution read last.
    timeouts: Vec<u64>,
    /// Only what makes this otherwise is looked for.
    pub turned: Option<Decision>,
    /// It is looked for what fails the same way, with these made: not for what passes.
    pub in_vain: Option<Vec<Decision>>,
}

impl Near {
    pub fn new(failing: &Trace, passing: Passing, mutant: Option<Mutant>) -> Near {
        let (orders, reading) = (Orders::counting(failing, mutant), Reading::default());
        Near { orders, reading, passing, timeouts: Vec::new(), turned: None, in_vain: None }
    }

    /// Does this execution pass?
    pub fn passes(&mut self, trace: &Trace) -> bool {
        self.passing.read(trace)
    }
}

impl Goal for Near {
    type Cost = u32;

    fn nothing(&self) -> u32 {
        0
    }

    fn running_matters(&self) -> bool {
        true
    }

    fn read(&mut self, trace: &Trace) -> Option<u32> {
        self.reading.read(&self.orders, trace);
        self.timeouts.clear();
        self.timeouts.extend(points(trace).filter_map(|point| match point {
            Point::Thread(p) => Some(p.timeouts),
            Point::Choice(_) => None,
        }));
        let turned = self.turned.is_none_or(|decision| self.reading.turns(&self.orders, trace, decision));
        let found = match &self.in_vain {
            None => self.passing.read(trace) && turned,
            Some(made) => {
                turned && self.orders.are_made(trace, made) && self.passing.fails_the_same_way(trace)
            }
        };
        let whole = if self.reading.is_whole(&self.orders) { 0 } else { FORBIDDEN };
        found.then(|| self.before(trace.steps).saturating_add(whole))
    }

    fn before(&self, step: u32) -> u32 {
        self.reading.before.get(step as usize).copied().unwrap_or_default()
    }

    fn child(&self, child: &Child) -> u32 {
        let before = self.before(child.step);
        match child.choice {
            Choice::Thread(t) => {
                let late =
                    self.timeouts.get(child.step as usize).is_some_and(|mask| mask >> (t & 63) & 1 != 0);
                before + self.reading.least(&self.orders, usize::from(t) % MAX_THREADS, child.step, late)
            }
            choice => {
                let same = self.reading.same.get(child.step as usize).copied().flatten();
                let step = same.map_or(0, |s| self.reading.lost(&self.orders, s, child.step));
                before + step + self.reading.choice_costs(&self.orders, child.step, choice)
            }
        }
    }
}
