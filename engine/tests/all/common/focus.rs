//! A focus for simulated programs: their places are given methods, and what a thread is about to
//! do is looked for in the trace in the plainest way.

use proptest::prelude::*;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::Simulated;
use raddle_engine::{Operation, Selection};
use raddle_schedule::{Event, OpKind, Plan, Trace};

/// Methods of simulated programs.
const METHODS: u32 = 5;

/// Puts a method to every place; number 0 is none.
pub struct Methodical(pub Simulated);

impl Methodical {
    pub fn execute(&mut self, plan: &Plan, trace: &mut Trace) {
        self.0.execute(plan, trace);
        give_methods(trace);
    }
}

fn give_methods(trace: &mut Trace) {
    for event in &mut trace.events {
        event.method = (event.site % METHODS) as u16;
    }
}

impl Executor for Methodical {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.0.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.0.receive(trace)?;
        give_methods(trace);
        Ok(received)
    }
}

/// Methods, and the objects that lie at these places of memory.
#[derive(Clone, Debug, Default)]
pub struct Picked {
    pub methods: Vec<u16>,
    pub objects: Vec<u64>,
}

impl Picked {
    pub fn has_method(&self, doing: &[Event]) -> bool {
        doing.first().is_some_and(|e| self.methods.contains(&e.method))
    }

    pub fn has_variable(&self, doing: &[Event]) -> bool {
        doing.iter().any(|e| self.objects.contains(&e.object()))
    }
}

impl Selection for Picked {
    fn method(&self, number: u16) -> bool {
        self.methods.contains(&number)
    }

    fn variable(&self, operation: &Operation) -> bool {
        self.objects.contains(&operation.object)
    }
}

/// A focus; the objects are those of simulated programs' first mutexes, variables and so on.
pub fn picked() -> impl Strategy<Value = Picked> {
    let methods = prop::collection::vec(0..METHODS as u16, 0..3);
    let objects = prop::collection::vec(0..12usize, 0..4);
    (methods, objects).prop_map(|(methods, objects)| {
        let all = super::objects();
        Picked { methods, objects: objects.into_iter().map(|n| all[n % all.len()]).collect() }
    })
}

/// What a thread is about to do before a step, the step first: its next one with everything that
/// it does before the one after. A thread that has yet to start is about to do its first step;
/// what it does at once belongs to that.
pub fn doing(trace: &Trace, thread: u8, step: u32) -> Vec<Event> {
    let is_step = |e: &&Event| e.is_step();
    let at = trace.events.iter().enumerate().filter(|(_, e)| e.is_step()).nth(step as usize);
    let from = at.map_or(trace.events.len(), |(i, _)| i);
    let own: Vec<Event> = trace.events[from..]
        .iter()
        .filter(|e| e.thread() == thread)
        .filter(|e| e.kind() == OpKind::Pending || !e.kind().is_annotation())
        .copied()
        .collect();
    let stands = |e: &Event| is_step(&e) || e.kind() == OpKind::Pending;
    let Some(next) = own.iter().position(stands) else { return Vec::new() };
    let until = |i: usize| own[i + 1..].iter().position(stands).map_or(own.len(), |n| i + 1 + n);
    let mut doing = own[next..until(next)].to_vec();
    if own[next].kind() == OpKind::ThreadStart
        && let Some(first) = own.get(until(next))
    {
        doing[0] = *first;
    }
    doing
}
