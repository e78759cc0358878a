//! Threads without schedule points. Where not every operation is a point, a thread none of whose
//! operations is one goes on at once from its first to where it has to wait, whatever the
//! schedule: what others could do between them is not explored. A search that has seen such a thread must say so.

use crate::summary::{Warning, WarningKind};
use raddle_schedule::{Event, Granularity, MAX_THREADS, OpKind, Schedule, Trace};

/// What the threads of all executions did.
#[derive(Clone, Debug)]
pub struct ThreadsWithoutPoints {
    granularity: Granularity,
    /// By method: threads that made a step in it which may have been a point.
    stepped: Vec<u64>,
    /// Threads that yielded or slept, which is a point everywhere.
    paused: u64,
    /// By method: it is not among those with points, as an operation in it that was no step shows.
    outside: Vec<bool>,
    /// Executions in which the thread had operations that another could have come between.
    counts: [u64; MAX_THREADS],
    /// Where it was spawned.
    sites: [u32; MAX_THREADS],
}

impl ThreadsWithoutPoints {
    /// Nothing read yet.
    pub fn new(granularity: Granularity) -> Self {
        // Outside of all methods there is no focus; at statements, steps alone tell.
        let outside = vec![granularity != Granularity::Statement];
        let (stepped, counts, sites) = (vec![0], [0; MAX_THREADS], [0; MAX_THREADS]);
        ThreadsWithoutPoints { granularity, stepped, paused: 0, outside, counts, sites }
    }

    /// Reads one execution.
    pub fn read(&mut self, trace: &Trace) {
        let (mut alive, mut at_once) = (1u64, 0u64);
        for event in &trace.events {
            let (kind, bit) = (event.kind(), 1 << event.thread());
            if kind.is_annotation() {
                continue;
            }
            if event.is_step() {
                self.step(event);
            }
            match kind {
                OpKind::Spawn => {
                    let child = event.value as usize % MAX_THREADS;
                    alive |= 1 << child;
                    self.sites[child] = event.site;
                }
                OpKind::Exit => alive &= !bit,
                // Accesses that nothing orders are races, and reported as such.
                OpKind::ThreadStart | OpKind::Join | OpKind::Read | OpKind::Write | OpKind::Free => {}
                _ => {
                    at_once |= if alive & !bit == 0 { 0 } else { bit };
                    if self.granularity != Granularity::Statement && !event.is_step() {
                        *self.of_method(event.method).1 = true;
                    }
                }
            }
        }
        for (thread, count) in self.counts.iter_mut().enumerate() {
            *count += at_once >> thread & 1;
        }
    }

    /// A step is a point, or what a thread had to wait for.
    fn step(&mut self, event: &Event) {
        let always = matches!(event.kind(), OpKind::Yield | OpKind::Sleep);
        let statement = matches!(event.kind(), OpKind::Statement | OpKind::Point | OpKind::Input);
        let bit = 1 << event.thread();
        if always {
            self.paused |= bit;
        } else if statement || self.granularity != Granularity::Statement {
            *self.of_method(event.method).0 |= bit;
        }
    }

    fn of_method(&mut self, method: u16) -> (&mut u64, &mut bool) {
        let method = usize::from(method);
        if method >= self.stepped.len() {
            self.stepped.resize(method + 1, 0);
            self.outside.resize(method + 1, false);
        }
        (&mut self.stepped[method], &mut self.outside[method])
    }

    /// One warning for each thread that was never stopped; `schedule` is the default one.
    pub fn warnings(&self, restricted: bool, schedule: &Schedule) -> Vec<Warning> {
        let inside = self.stepped.iter().zip(&self.outside).filter(|(_, outside)| !**outside);
        let stopped = inside.fold(self.paused, |all, (threads, _)| all | threads);
        let never = (0..MAX_THREADS).filter(|t| self.counts[*t] > 0 && stopped >> t & 1 == 0);
        let within = if restricted { " in the functions of --points-at" } else { "" };
        let warning = |t: usize| Warning {
            kind: WarningKind::Unfocused,
            message: format!(
                "T{t} has no schedule point{within}: once it runs, it continues until it blocks, and interleavings within that were not explored"
            ),
            thread: t as u8,
            site: self.sites[t],
            count: self.counts[t],
            schedule: schedule.clone(),
            rounds: Vec::new(),
            wanted: Vec::new(),
            unprotected: None,
            blocked: None,
            ways: None,
            join: None,
        };
        never.map(warning).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::flags;

    /// Kind, thread, method, whether it is a step; T0 spawns T1 only.
    type Short = (OpKind, u8, u16, bool);

    fn trace(events: &[Short]) -> Trace {
        let event = |&(kind, thread, method, step): &Short| {
            let mut event = Event::new(kind, thread, 8);
            (event.value, event.site, event.method) = (1, u32::from(thread) + 10, method);
            event.flags |= if step { flags::STEP } else { 0 };
            event
        };
        Trace { events: events.iter().map(event).collect(), ..Trace::default() }
    }

    fn warned(granularity: Granularity, traces: &[&[Short]]) -> Vec<(u8, u32, u64)> {
        let mut threads_without_points = ThreadsWithoutPoints::new(granularity);
        traces.iter().for_each(|t| threads_without_points.read(&trace(t)));
        let warnings = threads_without_points.warnings(true, &Schedule::default());
        warnings.iter().map(|w| (w.thread, w.site, w.count)).collect()
    }

    #[test]
    fn threads_that_are_never_stopped() {
        use OpKind::*;
        let (spawn, join) = ((Spawn, 0, 1, false), (Join, 0, 1, false));
        let (start, exit) = ((ThreadStart, 1, 0, false), (Exit, 1, 0, false));
        let sync = |traces: &[&[Short]]| warned(Granularity::Sync, traces);
        // Spawned by T0, which only spawns and joins.
        let at_once = [spawn, start, (Lock, 1, 2, false), exit, join];
        assert_eq!(sync(&[&at_once, &at_once]), [(1, 10, 2)]);
        // What it had to wait for is a step, and no point.
        let waits = [spawn, start, (Lock, 1, 2, true), exit, join];
        assert_eq!(sync(&[&at_once, &waits]), [(1, 10, 2)]);
        assert_eq!(sync(&[&waits]), []);
        assert_eq!(sync(&[&at_once, &[spawn, start, (Lock, 1, 3, true), exit, join]]), []);
        assert_eq!(sync(&[&at_once, &[spawn, start, (Yield, 1, 2, true), exit, join]]), []);
        // A thread that does nothing, and T0 alone.
        let alone = (Lock, 0, 1, false);
        assert_eq!(sync(&[&[alone, spawn, start, (Write, 1, 2, false), exit, join, alone]]), []);
        // T0 beside it.
        assert_eq!(sync(&[&[spawn, alone, start, (Lock, 1, 2, true), exit, join]]), [(0, 0, 1)]);
    }

    #[test]
    fn at_statements_the_operations_within_them_are_none() {
        use OpKind::*;
        let statement = |traces: &[&[Short]]| warned(Granularity::Statement, traces);
        let (spawn, point) = ((Spawn, 0, 1, false), (Statement, 1, 2, true));
        assert_eq!(statement(&[&[spawn, (Lock, 1, 2, true), (Unlock, 1, 2, false)]]), [(1, 10, 1)]);
        assert_eq!(statement(&[&[spawn, point, (Lock, 1, 2, true), (Unlock, 1, 2, false)]]), []);
        // Choices outside of all functions are points too.
        assert_eq!(statement(&[&[spawn, (Point, 1, 0, true), (Lock, 1, 0, false)]]), []);
    }
}
