//! No reduction: at every step after the last delta every other thread that could have run, and
//! every other outcome of every choice (paper 003, Figure 4, lines 17 to 26). Less those that would
//! be unfair to threads that were given way to ([`crate::fair`]).

use super::{Astray, Backtracking, Child, Parent};
use crate::fair::Fairness;
use crate::points::{Point, ThreadPoint, bits, points};
use raddle_schedule::{Choice, Trace};

/// See the module's text.
#[derive(Default)]
pub struct Everything {
    fairness: Fairness,
    left_out: bool,
}

impl Everything {
    /// The other threads that could have made this step.
    #[inline]
    fn others(&mut self, p: &ThreadPoint, unfair: u64, preemptions: u32, found: &mut dyn FnMut(Child)) {
        let others = p.alternatives() & !(1 << (p.event.thread() & 63));
        self.left_out |= others & unfair != 0;
        // The highest thread first: the lowest is then the most recent and runs first.
        for thread in bits((others & !unfair).reverse_bits()).map(|b| 63 - b) {
            found(Child {
                step: p.step,
                choice: Choice::Thread(thread),
                preemptions: preemptions + u32::from(p.preempts(thread)),
                prefix_hash: p.hash,
            });
        }
    }
}

impl Backtracking for Everything {
    fn left_out(&self) -> bool {
        self.left_out
    }

    fn expand(&mut self, parent: &Parent, trace: &Trace, found: &mut dyn FnMut(Child)) -> Result<(), Astray> {
        let preemptions = parent.preemptions;
        // Whether the parent's own delta, or what is fixed, lies behind us.
        let mut below = parent.delta.is_none() && parent.floor == 0;
        let own_step = parent.delta.map_or(parent.floor, |d| d.step);
        let own_choice = parent.delta.map(|d| d.choice);
        self.fairness.clear();
        for point in points(trace) {
            let unfair = match &point {
                Point::Thread(p) => self.fairness.unfair(p),
                Point::Choice(_) => 0,
            };
            let goes_on_unfairly =
                matches!(&point, Point::Thread(p) if unfair >> (p.event.thread() & 63) & 1 != 0);
            match point {
                Point::Thread(p) if below => self.others(&p, unfair, preemptions, found),
                Point::Thread(p) if p.step == own_step => {
                    if p.hash != parent.prefix_hash {
                        return Err(Astray(p.step));
                    }
                    match own_choice {
                        // What is fixed ends before this step.
                        None => {
                            self.others(&p, unfair, preemptions, found);
                            below = true;
                        }
                        Some(Choice::Thread(t)) if p.event.thread() == t => below = true,
                        Some(Choice::Thread(_)) => return Err(Astray(p.step)),
                        Some(_) => {}
                    }
                }
                Point::Thread(p) if p.step > own_step => return Err(Astray(own_step)),
                Point::Choice(p) if below => {
                    let others = bits(p.mask).filter_map(|b| p.alternative(b)).filter(|c| *c != p.chosen);
                    for choice in others {
                        found(Child { step: p.step, choice, preemptions, prefix_hash: p.hash });
                    }
                }
                Point::Choice(p) => below = p.step == own_step && Some(p.chosen) == own_choice,
                Point::Thread(_) => {}
            }
            if below && goes_on_unfairly {
                // Whatever follows begins unfairly.
                self.left_out = true;
                return Ok(());
            }
        }
        // Everything may be fixed: then it ends where the floor is.
        let all_fixed =
            || own_choice.is_none() && (trace.steps, trace.hash) == (parent.floor, parent.prefix_hash);
        if below || all_fixed() { Ok(()) } else { Err(Astray(own_step)) }
    }
}
