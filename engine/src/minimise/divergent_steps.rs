//! Executions in which threads go another way than in the failing one: what they do there that they had not come to at its end
//! ([`Orders::foresee`]), and whether they make decisions there all the same ([`Orders::are_made`]).

use super::footprint::{Footprint, footprints};
use super::orders::{Decision, Orders, Step};
use super::reading::Reading;
use crate::points::{Point, points};
use raddle_schedule::{MAX_THREADS, Op, Trace};

impl Orders {
    /// Threads that had not begun, or stood before something that no other step has to do with, would have done something
    /// later that has: these steps, which come after what they were about to do.
    pub fn foresee(&mut self, ahead: &[(u8, Footprint)]) {
        let made = self.made as usize;
        ahead.iter().for_each(|(thread, step)| self.add(*thread, step, made, None));
    }

    /// What threads go on to do in another execution before a step of the failing one that comes too late for that there, up to the
    /// last such for each of them; none where nothing of it has to do with such a step.
    pub(super) fn ahead(&self, trace: &Trace) -> Vec<(u8, Footprint)> {
        let mut reading = Reading::default();
        reading.read(self, trace);
        let (footprints, mut ahead) = (footprints(trace), Vec::new());
        for thread in 0..MAX_THREADS {
            let of = &self.of[thread];
            // As far as it goes along, and comes past its end; or was not there yet.
            if of.iter().any(|step| reading.made[*step as usize] == u32::MAX) {
                continue;
            }
            let own = points(trace).filter_map(|point| match point {
                Point::Thread(p) if usize::from(p.event.thread()) == thread => Some(p.step),
                _ => None,
            });
            let last = of.last().map(|step| reading.made[*step as usize]);
            let beyond: Vec<u32> = own.filter(|step| last.is_none_or(|last| *step > last)).collect();
            let comes_too_late = |step: &u32| {
                let mut made = self.steps[..self.made as usize].iter().zip(&reading.made);
                made.any(|(s, at)| {
                    let late = usize::from(s.thread) != thread && *at != u32::MAX && at > step;
                    late && self.depends(s, &footprints[*step as usize])
                })
            };
            if let Some(last) = beyond.iter().rposition(comes_too_late) {
                let steps = beyond[..=last].iter();
                ahead.extend(steps.map(|step| (thread as u8, footprints[*step as usize].clone())));
            }
        }
        ahead
    }

    /// When another execution makes a step, if it does.
    pub fn made_at(&self, step: u32, trace: &Trace) -> Option<u32> {
        let mut reading = Reading::default();
        reading.read(self, trace);
        reading.made.get(step as usize).copied().filter(|at| *at != u32::MAX)
    }

    /// Are these decisions made in another execution as they were, whatever way its threads came there? Operations are the same if they
    /// are the n-th of their thread that does this to this object in this place.
    pub fn are_made(&self, trace: &Trace, decisions: &[Decision]) -> bool {
        let steps = points(trace).filter_map(|point| match point {
            Point::Thread(p) => Some((p.event.thread(), p.event.op(), p.event.site)),
            Point::Choice(_) => None,
        });
        let done: Vec<_> = steps.collect();
        let pending = trace.events.iter().filter_map(|e| Some((e.thread(), e.pending_op()?, e.site)));
        let done: Vec<_> = done.into_iter().chain(pending).collect();
        let is = |a: (u8, &Op, u32), b: &Step| {
            (a.0, a.1.kind, a.1.object, a.2) == (b.thread, b.op.kind, b.op.object, b.site)
        };
        let place = |step: u32| {
            let step = step as usize;
            let own = &self.steps[step];
            let same = |s: &&Step| is((own.thread, &own.op, own.site), s);
            let nth = self.steps[..step].iter().filter(same).count();
            let all = done.iter().enumerate().filter(|(_, (t, op, site))| is((*t, op, *site), own));
            all.map(|(at, _)| at).nth(nth)
        };
        decisions.iter().all(|decision| match *decision {
            Decision::Order { first, then } => {
                matches!((place(first), place(then)), (Some(first), Some(then)) if first < then)
            }
            // The same was chosen, if it was made at all; a thread that comes elsewhere has made it otherwise.
            Decision::Choice { step } => {
                self.made_at(step, trace).is_some()
                    && self.instead(step, trace) == self.steps[step as usize].choice
            }
        })
    }
}
