//! A beginning of an execution, below which a search is made: somebody steered there by hand.

use crate::config::Config;
use crate::points::{Point, points};
use raddle_schedule::{Choice, Delta, Trace, hash};

/// The first steps of an execution, with the choices at them. The search below it runs exactly the
/// executions that begin so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    /// Its differences from the default behaviour.
    pub deltas: Vec<Delta>,
    /// Its number of steps: steps below this one are fixed, also where they are the default.
    pub floor: u32,
    /// Its preemptions.
    pub preemptions: u32,
    /// Hash that its steps must have (algorithms, rule 10).
    pub hash: u64,
    /// Variables that are promoted in it: its step numbers mean something only with them.
    pub promoted: Vec<String>,
    /// The same of operations that are points in it ([`raddle_schedule::Schedule::points`]).
    pub points: Vec<String>,
    /// The seed of its random numbers.
    pub seed: u64,
}

impl Prefix {
    /// The first `floor` steps of the execution with this trace; all of them if it has fewer.
    pub fn of(trace: &Trace, floor: u32) -> Prefix {
        let mut prefix = Prefix { hash: hash::EMPTY, ..Prefix::default() };
        for point in points(trace) {
            match point {
                Point::Thread(p) if p.step >= floor => break,
                Point::Thread(p) => {
                    let thread = p.event.thread();
                    prefix.floor = p.step + 1;
                    prefix.preemptions += u32::from(p.preempts(thread));
                    if p.default() != Some(thread) {
                        prefix.deltas.push(Delta { step: p.step, choice: Choice::Thread(thread) });
                    }
                }
                Point::Choice(p) => {
                    if p.default() != Some(p.chosen) {
                        prefix.deltas.push(Delta { step: p.step, choice: p.chosen });
                    }
                }
            }
        }
        prefix.hash = trace.prefix_hash(prefix.floor);
        prefix
    }

    /// In words: `sync@7:T2 up to step 9`.
    pub fn describe(&self, config: &Config) -> String {
        let schedule = config.schedule(self.deltas.clone());
        match self.floor.checked_sub(1) {
            Some(last) => format!("{schedule} up to step {last}"),
            None => schedule.to_string(),
        }
    }
}
