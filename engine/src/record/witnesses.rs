//! Executions that show one failure and are switched in other places: another cause may be behind them. What a
//! failure is known by (its kind, place and message) does not tell causes from each other, and neither do the places of
//! switches; so a few executions are kept, as different as can be had, and whoever explains them says which have another cause.

use crate::naming::name;
use crate::points::{Point, points};
use raddle_schedule::{Event, Schedule, Trace, hash};

/// Executions kept of one failure, at most: of more those with the fewest preemptions.
const MOST: usize = 32;

/// Executions of one failure, one for each set of places at which they are switched otherwise than by default.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    /// In the order in which they were first seen.
    kept: Vec<Kept>,
}

/// One of them: the simplest that was seen.
#[derive(Clone, Debug)]
struct Kept {
    /// The set of places, as a hash.
    places: u64,
    /// Preemptions and switches.
    simplicity: (u32, u32),
    /// Its name.
    schedule: Schedule,
}

impl Witnesses {
    /// Takes an execution with the failure in, if it is switched in other places than all so far, or is simpler.
    pub fn read(&mut self, trace: &Trace, blank: &Schedule) {
        let name = name(trace);
        let simplicity = (name.preemptions, name.switches);
        let (places, deltas) = (places(trace), name.deltas);
        self.take(places, simplicity, || Schedule { deltas, ..blank.clone() });
    }

    /// The same with what another search has kept.
    pub fn joined(mut self, other: Witnesses) -> Witnesses {
        for Kept { places, simplicity, schedule } in other.kept {
            self.take(places, simplicity, || schedule);
        }
        self
    }

    fn take(&mut self, places: u64, simplicity: (u32, u32), schedule: impl FnOnce() -> Schedule) {
        if let Some(known) = self.kept.iter_mut().find(|k| k.places == places) {
            if simplicity < known.simplicity {
                (known.simplicity, known.schedule) = (simplicity, schedule());
            }
            return;
        }
        if self.kept.len() >= MOST {
            // Of equally simple ones the first seen stays.
            let last = self.kept.iter().enumerate().max_by_key(|(i, k)| (k.simplicity, *i));
            let Some((last, _)) = last.filter(|(_, k)| simplicity < k.simplicity) else { return };
            self.kept.remove(last);
        }
        self.kept.push(Kept { places, simplicity, schedule: schedule() });
    }

    /// Their schedules, the simplest first.
    pub fn schedules(&self) -> Vec<Schedule> {
        let mut all: Vec<&Kept> = self.kept.iter().collect();
        all.sort_by_key(|k| k.simplicity);
        all.into_iter().map(|k| k.schedule.clone()).collect()
    }
}

/// The places at which an execution does otherwise than by default, whichever threads do: where the one stood that did not go
/// on, and where the other went on; of other choices, where and what kind.
fn places(trace: &Trace) -> u64 {
    let mut steps: Vec<&Event> = Vec::with_capacity(trace.steps as usize);
    let mut threads: Vec<(usize, u8)> = Vec::new();
    let mut places: Vec<(u32, u32)> = Vec::new();
    for point in points(trace) {
        match point {
            Point::Thread(p) => {
                if p.default() != Some(p.event.thread()) {
                    threads.push((steps.len(), p.previous));
                }
                steps.push(p.event);
            }
            Point::Choice(p) if p.default() != Some(p.chosen) => {
                let kind = p.chosen.encode() >> 16;
                places.push((steps.last().map_or(0, |e| e.site), u32::MAX - kind));
            }
            Point::Choice(_) => {}
        }
    }
    let pending =
        |thread| trace.events.iter().find(move |e| e.thread() == thread && e.pending_op().is_some());
    // Where a thread begins is no place; its first step that has one is.
    let stood = |thread: u8, from: usize| {
        let next = steps[from..].iter().copied().chain(pending(thread));
        next.filter(|e| e.thread() == thread).map(|e| e.site).find(|site| *site != 0).unwrap_or(0)
    };
    places.extend(
        threads.into_iter().map(|(at, previous)| (stood(previous, at), stood(steps[at].thread(), at))),
    );
    places.sort_unstable();
    places.dedup();
    places.into_iter().fold(hash::EMPTY, |hash, (a, b)| hash::mix(hash, u64::from(a) << 32 | u64::from(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::{Choice, Delta, OpKind, flags};

    fn schedule(step: u32) -> Schedule {
        let deltas = vec![Delta { step, choice: Choice::Thread(2) }];
        Schedule { deltas, ..Schedule::default() }
    }

    fn steps(kept: &Witnesses) -> Vec<u32> {
        kept.schedules().iter().map(|s| s.deltas[0].step).collect()
    }

    #[test]
    fn of_each_set_of_places_the_simplest_is_kept() {
        let mut kept = Witnesses::default();
        for (places, preemptions, step) in [(7, 2, 1), (8, 1, 2), (7, 1, 3), (7, 1, 4)] {
            kept.take(places, (preemptions, 5), || schedule(step));
        }
        assert_eq!(steps(&kept), [3, 2], "the first of equally simple ones, in the order of their places");
        let mut other = Witnesses::default();
        other.take(8, (0, 5), || schedule(5));
        other.take(9, (3, 5), || schedule(6));
        assert_eq!(steps(&kept.joined(other)), [5, 3, 6]);
    }

    #[test]
    fn of_too_many_the_simplest_stay() {
        let mut kept = Witnesses::default();
        (0..100).for_each(|n| kept.take(n, (200 - n as u32, 0), || schedule(n as u32)));
        let all = steps(&kept);
        assert_eq!((all.len(), all[0], all[MOST - 1]), (MOST, 99, 100 - MOST as u32));
    }

    /// Steps of three threads, all of which can always go on: who, and where.
    fn trace(steps: &[(u8, u32)]) -> Trace {
        let event = |(thread, site): &(u8, u32)| {
            let mut event = Event::new(OpKind::AtomicStore, *thread, 8);
            (event.site, event.enabled) = (*site, 0b111);
            event.flags |= flags::STEP;
            event
        };
        Trace { events: steps.iter().map(event).collect(), steps: steps.len() as u32, ..Trace::default() }
    }

    #[test]
    fn places_are_those_of_switches_whoever_is_switched() {
        // T0 is preempted before its store at 2 by one that begins at 1.
        let by = |thread| places(&trace(&[(0, 1), (thread, 1), (thread, 2), (0, 2)]));
        assert_eq!(by(1), by(2));
        let earlier = places(&trace(&[(1, 1), (1, 2), (0, 1), (0, 2)]));
        assert!(earlier != by(1) && earlier != places(&trace(&[(0, 1), (0, 2), (1, 1)])));
    }
}
