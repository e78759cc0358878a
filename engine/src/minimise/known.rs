//! States that were reached, and at what cost: what follows a state at a cost that is no less need not be run
//! again ([`crate::states`] has the argument; here the cost is in the place of the preemptions). Costs
//! add up, so equal continuations keep their order.
//!
//! A state is the happens-before class of what led to it, with the threads by their numbers, and what
//! would be unfair to take. Where preemptions count, who is running is part of it.

use super::cheapest::Differences;
use crate::analysis::signature::{Signature, mix};
use crate::fair::Fairness;
use crate::points::{Point, points};
use raddle_schedule::Trace;
use std::collections::HashMap;

/// States kept, at most: about 60 MB.
const MOST: usize = 1 << 20;

/// The states reached so far.
pub(super) struct Known<Cost> {
    states: HashMap<u64, (Cost, Differences)>,
    /// Who is running matters.
    running: bool,
    signature: Signature,
    fairness: Fairness,
}

impl<Cost: Ord + Clone> Known<Cost> {
    pub fn new(running: bool) -> Self {
        let (signature, fairness) = Default::default();
        Known { states: HashMap::new(), running, signature, fairness }
    }

    /// The step from which on what follows this execution was reached elsewhere at no higher cost;
    /// `u32::MAX` if there is none. States before it, from `first` on, are known from now on. `cost` is that of the
    /// steps before a step.
    pub fn look(
        &mut self,
        trace: &Trace,
        first: u32,
        deltas: &Differences,
        cost: impl Fn(u32) -> Cost,
    ) -> u32 {
        self.signature.clear();
        self.fairness.clear();
        let mut events = trace.events.iter();
        let mut threads = 0;
        for point in points(trace) {
            let Point::Thread(point) = point else { continue };
            for event in events.by_ref().take_while(|e| !std::ptr::eq(*e, point.event)) {
                self.signature.take::<true>(event, &mut |_| ());
            }
            let unfair = self.fairness.unfair(&point);
            threads |= point.alternatives();
            if point.step >= first {
                let numbered = |h, t| mix(h, self.signature.thread(t));
                let all = 64 - threads.leading_zeros() as u8;
                let mut key = (0..all).fold(mix(self.signature.total(), self.fairness.state()), numbered);
                let goes_on = !point.gave_way && point.event.enabled >> (point.previous & 63) & 1 != 0;
                if self.running {
                    // Whom a switch to costs nothing, and whom no switch is to.
                    key = mix(key, u64::from(point.previous) << 1 | u64::from(goes_on));
                }
                let here = (cost(point.step), deltas.clone());
                match self.states.get(&key) {
                    Some(known) if *known <= here => return point.step,
                    Some(_) => drop(self.states.insert(key, here)),
                    None if self.states.len() < MOST => drop(self.states.insert(key, here)),
                    None => {}
                }
            }
            if unfair >> (point.event.thread() & 63) & 1 != 0 {
                // Nothing behind it is explored.
                return u32::MAX;
            }
            self.signature.take::<true>(point.event, &mut |_| ());
        }
        u32::MAX
    }
}
