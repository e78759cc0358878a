//! The operations of a failing execution in the program's own terms: by whom, what, to what, and where.

use super::Failing;
use crate::annotate::annotated_trace::{AnnotatedOp, AnnotatedTrace};
use crate::annotate::location;
use crate::annotate::names::Names;
use crate::target::Place;
use raddle_engine::FailureKind;
use raddle_engine::minimise::{Named, Otherwise, event_of, named, named_across, races_beside};
use raddle_engine::points::{Point, points};
use raddle_protocol::explanation::{Choice, Operation, Order};
use raddle_protocol::report::Location;
use raddle_schedule::{Event, OpKind, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// What tells them.
pub struct Operations<'a> {
    failing: &'a Failing<'a>,
    names: Names<'a>,
    stacks: BTreeMap<u32, &'a [u64]>,
    /// The function that each thread runs.
    roles: BTreeMap<u8, String>,
    /// What is told decides alone.
    alone: bool,
}

impl<'a> Operations<'a> {
    /// Of this execution. `alone`: one decision is told.
    pub fn new(failing: &'a Failing<'a>, alone: bool) -> Self {
        let mut names = Names::new(failing.places.symbols);
        // What has no name has the number that it has where the execution is shown.
        AnnotatedTrace::new(failing.trace, failing.places, &mut names);
        let stacks = failing.trace.stacks.iter().map(|s| (s.event, &s.frames[..])).collect();
        let mut operations = Operations { failing, names, stacks, roles: BTreeMap::new(), alone };
        for event in &failing.trace.events {
            let thread = event.thread();
            if !operations.roles.contains_key(&thread) {
                let role = operations.role(thread);
                operations.roles.insert(thread, role);
            }
        }
        operations
    }

    /// The order of two steps. `passing`: an execution in which it is the other way round, which tells where a thread stood
    /// that never made its step in the failing one.
    /// `then_at`: which step of that it is.
    pub fn order(&mut self, first: u32, then: u32, passing: &Trace, then_at: Option<u32>) -> Option<Order> {
        if event_of(self.failing.trace, then).is_none() {
            let then_at = event_of(passing, then_at?)?;
            let first = event_of(self.failing.trace, first)?;
            // Both work on one lock, whatever else they do.
            let lock = self.failing.trace.events[first].op().mutex();
            let lock = lock.filter(|lock| passing.events[then_at].op().mutex() == Some(*lock));
            if let Some(order) = lock.and_then(|lock| self.inside((first, then_at), lock, passing)) {
                return Some(order);
            }
            let then = self.never_made(then_at, lock, passing);
            return Some(Order { first: self.made(first, lock)?, then });
        }
        let otherwise = then_at.map(|then| Otherwise { trace: passing, then });
        // What std does for itself is not the program's.
        let scene = &self.failing.scene.events;
        let of_std: BTreeSet<usize> = scene.iter().filter(|e| e.within_std).map(|e| e.index).collect();
        let named = named(self.failing.trace, (first, then), otherwise, &|at| !of_std.contains(&at))?;
        if let Some(order) = self.about_to(&named, passing, then_at) {
            return Some(order);
        }
        let lock = self.failing.trace.events[named.first].op().mutex() == Some(named.object);
        let on = lock.then_some(named.object);
        Some(Order {
            first: self.made(named.first, on)?,
            then: self.made(named.then, on).or_else(|| self.pending(named.then, on, passing))?,
        })
    }

    /// The order of two critical sections of which the second thread was only about to begin its own, or had not come to it, by
    /// what conflicts in them: where it alone decides, and both are begun by locking. What is inside says more then; elsewhere the other
    /// decisions say it.
    fn inside(&mut self, (first, then_at): (usize, usize), lock: u64, passing: &Trace) -> Option<Order> {
        let (failing, kind) = (self.failing.trace, self.failing.failure.kind);
        let locks = [&failing.events[first], &passing.events[then_at]].map(|e| e.kind() == OpKind::Lock);
        let stuck = matches!(kind, FailureKind::Deadlock | FailureKind::Livelock);
        if !self.alone || stuck || locks != [true, true] {
            return None;
        }
        let (first, then) = named_across((failing, first), (passing, then_at), lock)?;
        Some(Order { then: self.never_made(then, None, passing), first: self.made(first, None)? })
    }

    /// The same of what was about to be done at the end.
    fn about_to(&mut self, named: &Named, passing: &Trace, then_at: Option<u32>) -> Option<Order> {
        let pending = self.failing.trace.events[named.then].pending_op()?;
        let lock = pending.mutex().filter(|lock| *lock == named.object)?;
        self.inside((named.first, event_of(passing, then_at?)?), lock, passing)
    }

    /// A choice at a step.
    pub fn choice(&mut self, step: u32, instead: Option<raddle_schedule::Choice>) -> Option<Choice> {
        let chosen = points(self.failing.trace).find_map(|point| match point {
            Point::Choice(p) if p.step == step => Some(p.chosen),
            _ => None,
        });
        let event = event_of(self.failing.trace, step)?;
        let times_out = self.failing.trace.events[event].kind() == OpKind::Timeout;
        let chosen = chosen.or(times_out.then_some(raddle_schedule::Choice::Timeout))?;
        let at = self.made(event, None)?;
        let instead = instead.map(|choice| choice.to_string()).unwrap_or_default();
        Some(Choice { at, chosen: chosen.to_string(), instead })
    }

    /// The two accesses of a data race.
    pub fn unordered(&mut self) -> Vec<Order> {
        let race = self.failing.failure.race.as_ref();
        let order = race.and_then(|race| {
            let (first, then) = (race.first.event as usize, race.second.event as usize);
            Some(Order { first: self.made(first, None)?, then: self.made(then, None)? })
        });
        order.into_iter().collect()
    }

    /// What is accessed in no order in an execution, by name, each once.
    pub fn races(&mut self, trace: &Trace) -> Vec<String> {
        let mut objects: Vec<String> = Vec::new();
        for race in races_beside(trace) {
            let object = self.names.object(race.first.kind, race.first.object);
            if !objects.contains(&object) {
                objects.push(object);
            }
        }
        objects
    }

    /// An operation that was made. `lock`: it is told as one on this lock.
    fn made(&mut self, index: usize, lock: Option<u64>) -> Option<Operation> {
        let at = self.failing.scene.events.iter().position(|e| e.index == index)?;
        let shown: &AnnotatedOp = &self.failing.scene.events[at];
        let stack = self.stacks.get(&(index as u32)).copied().unwrap_or_default();
        Some(Operation {
            event: Some(at),
            step: shown.step,
            thread: format!("T{}", shown.thread),
            role: self.roles.get(&shown.thread).cloned().unwrap_or_default(),
            operation: shown.kind.name().to_string(),
            object: lock.map_or_else(|| shown.object.clone(), |lock| self.names.object(OpKind::Lock, lock)),
            value: shown.told.shown.clone().or_else(|| shown.value.map(|v| v.to_string())),
            method: shown.method.clone(),
            location: shown.place.as_ref().map(location),
            called_on: self.calls(stack, shown.place.as_ref()),
            holding: Some(shown.holding.to_vec()),
            time: Some(shown.time).filter(|n| *n > 1),
        })
    }

    /// What a thread was about to do at the end.
    fn pending(&mut self, index: usize, lock: Option<u64>, passing: &Trace) -> Option<Operation> {
        let event = &self.failing.trace.events[index];
        let (op, thread) = (event.pending_op()?, event.thread());
        let steps = |trace: &Trace| {
            let all = trace.events.iter().enumerate();
            all.filter(|(_, e)| e.is_step() && e.thread() == thread).map(|(i, _)| i).collect::<Vec<_>>()
        };
        let made = steps(passing).get(steps(self.failing.trace).len()).copied();
        let time = made.and_then(|made| self.time(made, passing));
        let stack = made.and_then(|made| passing.stacks.iter().find(|s| s.event as usize == made));
        let stack = stack.map(|s| &s.frames[..]).unwrap_or_default();
        let kind = if lock.is_some() { OpKind::Lock } else { op.kind };
        let object = self.names.object(kind, lock.unwrap_or(op.object));
        Some(Operation { operation: op.kind.name().to_string(), object, time, ..self.unmade(event, stack) })
    }

    /// What a thread had not come to at the end, as it does it in an execution that passes.
    fn never_made(&mut self, index: usize, lock: Option<u64>, passing: &Trace) -> Operation {
        let event = &passing.events[index];
        let stack = passing.stacks.iter().find(|s| s.event as usize == index);
        let stack = stack.map(|s| &s.frames[..]).unwrap_or_default();
        let kind = if lock.is_some() { OpKind::Lock } else { event.kind() };
        let object = self.names.object(kind, lock.unwrap_or(event.object()));
        let time = self.time(index, passing);
        Operation { operation: event.kind().name().to_string(), object, time, ..self.unmade(event, stack) }
    }

    /// How often its thread has come to a step of another execution, if that is more than once and certain (`held::note_times`).
    fn time(&self, index: usize, trace: &Trace) -> Option<u32> {
        let event = trace.events.get(index).filter(|e| e.is_step())?;
        let stacks: BTreeMap<u32, &[u64]> = trace.stacks.iter().map(|s| (s.event, &s.frames[..])).collect();
        let stack = *stacks.get(&(index as u32))?;
        let calls = self.failing.places.calls(stack);
        let like = trace
            .events
            .iter()
            .enumerate()
            .take(index + 1)
            .filter(|(_, e)| e.is_step() && e.thread() == event.thread() && e.kind() == event.kind());
        let like: Vec<(u32, &[u64])> =
            like.filter_map(|(i, e)| Some((e.site, *stacks.get(&(i as u32))?))).collect();
        let own = |stack: &[u64]| -> Vec<u64> {
            stack.iter().copied().filter(|code| !self.failing.places.symbols.is_runtime(*code)).collect()
        };
        let (code, is_same) = (own(stack), |site: u32| site == event.site);
        let by_code = like.iter().filter(|(site, s)| is_same(*site) && own(s) == code).count();
        let by_place = like.iter().filter(|(_, s)| self.failing.places.calls(s) == calls).count();
        (by_code > 1 && by_code == by_place).then_some(by_code as u32)
    }

    /// Who does something that the failing execution does not come to, and where.
    fn unmade(&self, event: &Event, stack: &[u64]) -> Operation {
        let places = self.failing.places;
        let place = places.outside(event.site, stack);
        Operation {
            thread: format!("T{}", event.thread()),
            role: self.roles.get(&event.thread()).cloned().unwrap_or_default(),
            method: places.method(event.method),
            location: place.as_ref().map(location),
            called_on: self.calls(stack, place.as_ref()),
            ..Operation::default()
        }
    }

    /// The lines that called the function in which something is done, innermost first.
    fn calls(&self, stack: &[u64], own: Option<&Place>) -> Vec<Location> {
        let calls = self.failing.places.calls(stack);
        let line = |p: &Place| own.is_some_and(|own| (&own.file, own.line) == (&p.file, p.line));
        let own = calls.iter().position(|(p, _)| line(p)).unwrap_or(0);
        calls.iter().skip(own + 1).map(|(p, _)| location(p)).collect()
    }

    /// The function that a thread runs: the outermost of its functions that has a name, else the one that its closure is written
    /// in; its own name where it has one.
    fn role(&self, thread: u8) -> String {
        let trace = self.failing.trace;
        if let Some((_, name)) = trace.thread_names.iter().find(|(t, _)| *t == thread && *t != 0) {
            return name.clone();
        }
        let begun = |e: &Event| e.thread() == thread && e.kind() != OpKind::ThreadStart;
        let of = trace.events.iter().enumerate().filter(|(_, e)| begun(e));
        let stacks = of.filter_map(|(i, _)| self.stacks.get(&(i as u32)));
        let calls: Vec<Vec<_>> = stacks.map(|stack| self.failing.places.calls(stack)).collect();
        let closure = |name: &String| name.contains("{closure") || name.contains("{{closure");
        let named = calls.iter().find_map(|c| c.iter().rev().map(|(_, f)| f).find(|f| !closure(f)));
        let around = || calls.iter().find_map(|c| c.first()).map(|(_, f)| f);
        let function = named.or_else(around).map(String::as_str).unwrap_or_default();
        let words = function.rsplit("::").find(|word| !word.starts_with('{'));
        words.unwrap_or_default().to_string()
    }
}
