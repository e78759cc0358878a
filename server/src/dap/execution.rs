//! The execution that is debugged, as it was made once before without a debugger: what its events
//! are, where one thread is preempted for another, and which others could have gone on instead.

use crate::error::Result;
use crate::interleaving::{Traced, Tracer};
use raddle_protocol::interleaving::Step;
use raddle_schedule::{Choice, Delta, OpKind, Outcome, Schedule};

/// One execution. Its events are numbered as the runtime numbers them for debuggers.
pub struct Execution {
    /// How many there were before it in this session: every choice by hand makes another.
    pub number: u32,
    /// What it is.
    pub traced: Traced,
    /// It was made by choices of hand.
    pub steered: bool,
}

impl Execution {
    /// Makes it once.
    pub fn make(number: u32, schedule: &Schedule, tracer: &mut Tracer) -> Result<Execution> {
        Ok(Execution { number, traced: tracer.run(schedule)?, steered: number > 0 })
    }

    /// Its events.
    pub fn events(&self) -> &[Step] {
        &self.traced.interleaving.events
    }

    /// The event of this number.
    pub fn event(&self, number: u64) -> Option<&Step> {
        self.events().get(usize::try_from(number).ok()?)
    }

    /// Its failure is a panic, which is seen before it is known to be the failure.
    pub fn panics(&self) -> bool {
        self.traced.trace.outcome == Outcome::Panic
    }

    /// What its end says; empty where it passes. (A data race is no end.)
    pub fn message(&self) -> &str {
        let shown = &self.traced.interleaving;
        if shown.outcome == "data-race" { &self.traced.trace.message } else { &shown.message }
    }

    /// What it says of a thread: `T1 transfer`.
    pub fn name(&self, thread: u8) -> String {
        let lane = self.traced.interleaving.threads.iter().find(|l| l.thread == u32::from(thread));
        let name = lane.map(|l| l.name.as_str()).unwrap_or_default();
        format!("T{thread} {name}").trim_end().to_string()
    }

    /// The first preemption from this event on.
    pub fn preemption(&self, from: u64) -> Option<u64> {
        self.find(from, |e| e.preemption.is_some())
    }

    /// Where its schedule first differs from the default; `None` for the default itself.
    pub fn difference(&self) -> Option<&Delta> {
        self.traced.schedule.deltas.first()
    }

    /// The event of a step.
    pub fn of_step(&self, step: u32) -> Option<u64> {
        self.find(0, |e| e.step == Some(step))
    }

    /// The first event of a thread other than this one, from this event on.
    pub fn switch(&self, from: u64, thread: u8) -> Option<u64> {
        self.find(from, |e| e.thread != u32::from(thread))
    }

    /// The first event after the end of this thread.
    pub fn after_end_of(&self, from: u64, thread: u8) -> Option<u64> {
        let ends = |e: &Step| e.thread == u32::from(thread) && is(e, OpKind::Exit);
        self.find(self.find(from, ends)? + 1, |_| true)
    }

    /// The next step from this event on: its event.
    pub fn next_step(&self, from: u64) -> Option<u64> {
        self.find(from, |e| e.step.is_some())
    }

    fn find(&self, from: u64, wanted: impl Fn(&Step) -> bool) -> Option<u64> {
        let rest = self.events().get(usize::try_from(from).ok()?..)?;
        rest.iter().position(wanted).map(|found| from + found as u64)
    }

    /// The schedule that is this one up to the step of an event, and takes another thread there;
    /// `None` where that thread cannot go on.
    pub fn with_choice(&self, event: u64, thread: u8) -> Option<Schedule> {
        let event = self.event(event)?;
        let step = event.step?;
        if !event.enabled.contains(&u32::from(thread)) {
            return None;
        }
        let mut schedule = self.traced.schedule.clone();
        schedule.deltas.retain(|d| d.step < step);
        // Where that is the default it is no difference, and the next run names it anew.
        schedule.deltas.push(Delta { step, choice: Choice::Thread(thread) });
        Some(schedule)
    }
}

/// Is it an event of this kind?
pub fn is(event: &Step, kind: OpKind) -> bool {
    event.operation == kind.name()
}
