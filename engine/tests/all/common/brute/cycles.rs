//! Threads that wait for each other for ever, read off a state: for a mutex of the next one, or for its end.

use super::Fault;
use super::state::{At, State};
use raddle_engine::simulated::Instr;
use raddle_schedule::Outcome;
use std::collections::BTreeSet;

impl State {
    /// Whom alone this thread waits for.
    fn waits_for(&self, t: usize) -> Option<usize> {
        let th = &self.threads[t];
        match th.at {
            At::Waiting { mutex, released: true, .. } => self.owner[mutex as usize],
            At::Ready => match th.code[th.pc] {
                Instr::Lock(m) => self.owner[m as usize],
                Instr::ReadLock(l) | Instr::WriteLock(l) if self.rw[l as usize].misused => None,
                Instr::ReadLock(l) => self.rw[l as usize].writer,
                // Every holder: itself, or else the lowest, is enough.
                Instr::WriteLock(l) => {
                    let rw = &self.rw[l as usize];
                    let holders = rw.writer.iter().chain(&rw.readers);
                    if holders.clone().any(|h| *h == t) { Some(t) } else { holders.clone().min().copied() }
                }
                Instr::Join(o) => self.named(self.eval(t, o)).filter(|u| self.threads[*u].at != At::Gone),
                _ => None,
            },
            _ => None,
        }
    }

    /// Each cycle of threads that wait for each other, once.
    pub fn cycles(&self) -> BTreeSet<BTreeSet<usize>> {
        let mut found = BTreeSet::new();
        for t in 0..self.threads.len() {
            // Those that come back to themselves.
            let mut way = BTreeSet::new();
            let mut at = t;
            while let Some(next) = self.waits_for(at) {
                way.insert(at);
                if next == t {
                    found.insert(way);
                    break;
                }
                if way.contains(&next) {
                    break;
                }
                at = next;
            }
        }
        found
    }

    /// The same as faults.
    pub fn deadlocks(&self, beside: bool) -> Vec<Fault> {
        let place = |t: &usize| (self.threads[*t].name, self.site(*t));
        let fault = |cycle: BTreeSet<usize>| {
            let mut places: Vec<_> = cycle.iter().map(place).collect();
            places.sort();
            Fault { kind: Outcome::Deadlock, places, beside }
        };
        self.cycles().into_iter().map(fault).collect()
    }
}
