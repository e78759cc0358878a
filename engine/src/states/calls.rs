//! Calls of paper 002's `hook()`: arrivals at a point, counted once for each beginning that they come
//! after. Where an execution repeats what another has done, up to its own difference, nothing is
//! counted, nor behind a state that was reached before.
//!
//! Without memory of states this is the number of beginnings that end in an arrival, plus the first ones:
//! for two threads of n statements 2·C(2n, n−1). With it, each state and each thread that can go on there make
//! one: 2n².

use raddle_schedule::{Event, Granularity, MAX_THREADS, OpKind, Trace};

/// Counts arrivals.
pub struct Calls {
    /// Only points before statements are meant.
    statements: bool,
    count: u64,
}

impl Calls {
    /// Nothing counted.
    pub fn new(granularity: Granularity) -> Calls {
        Calls { statements: granularity == Granularity::Statement, count: 0 }
    }

    /// So many.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Counts the arrivals of an execution in the course of its steps from `first` (all before them
    /// included, if that is `None`) up to `end`.
    pub fn read(&mut self, trace: &Trace, first: Option<u32>, end: u32) {
        // The step in whose course each thread arrived where it is: -1 before the first.
        let mut since = [-1i64; MAX_THREADS];
        let first = first.map_or(-1, i64::from);
        let mut steps = 0i64;
        for event in &trace.events {
            let thread = usize::from(event.thread()) % MAX_THREADS;
            if event.is_step() || event.raw_kind() == OpKind::Pending as u8 {
                let arrived = since[thread];
                let is_new = first <= arrived && arrived < i64::from(end);
                self.count += u64::from(is_new && self.is_meant(event));
            }
            if event.is_step() {
                since[thread] = steps;
                steps += 1;
            }
            if event.kind() == OpKind::Spawn {
                since[event.value as usize % MAX_THREADS] = steps - 1;
            }
        }
    }

    fn is_meant(&self, event: &Event) -> bool {
        let kind = event.pending_op().map_or(event.kind(), |op| op.kind);
        !self.statements || kind == OpKind::Statement
    }
}
