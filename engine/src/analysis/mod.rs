//! Analyses: they read traces and nothing else.

pub mod deadlock;

use crate::summary::Race;
use raddle_schedule::Trace;

/// Everything that is computed from every trace, with its reused memory.
pub struct Analyses {
    races: Vec<Race>,
}

impl Analyses {
    /// `classes`: count happens-before classes.
    pub fn new(_classes: bool) -> Self {
        Analyses { races: Vec::new() }
    }

    /// Reads one trace.
    pub fn run(&mut self, _trace: &Trace, _complete: bool) {}

    /// Races of the trace read last.
    pub fn races(&self) -> &[Race] {
        &self.races
    }

    /// Distinct classes of complete executions.
    pub fn classes(&self) -> Option<u64> {
        None
    }

    /// Is this trace of a class that was seen?
    pub fn is_known(&mut self, _trace: &Trace) -> bool {
        true
    }

    /// Places of atomic operations weaker than SeqCst.
    pub fn weaker_than_seqcst(&self) -> u64 {
        0
    }
}
