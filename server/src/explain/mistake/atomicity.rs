//! A stretch of one thread that should be one step, and is not: something that decides comes in between.
//!
//! Two patterns are looked for. Of the orders that decide, one has its first operation in the stretch and another one
//! its second, both with operations of others that lie between these two. Or one thread works twice with one
//! variable, and what comes in between makes of the three accesses what they cannot be if the two are one step: the four
//! cases of Lu, Tucek, Qin and Zhou ("AVIO", ASPLOS 2006).
//!
//! It is only said after three more executions: in one the stretch is not interrupted, in the others what interrupts it
//! comes right behind it, or before it. If one of them fails, the mistake is another one.

mod text;
mod waited;

use super::Kind;
use crate::annotate::annotated_trace::{AnnotatedOp, Call};
use crate::annotate::location;
use crate::explain::case::{Case, given_back, number, operation, taken};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation, Section};
use raddle_schedule::OpKind;
use raddle_schedule::memory::Meaning;

/// Steps that the rest of a call may take, in which a stretch ends.
const IN_A_CALL: u32 = 3;
/// The same of a call into a library whose atomics are steps: as many as a queue needs to give something out.
const IN_A_LIBRARY: u32 = 12;

/// What should be one step is interrupted.
pub struct AtomicityViolation;

/// A stretch that something comes in between.
struct Stretch {
    first: Operation,
    last: Operation,
    /// What comes in between and conflicts with its end.
    between: Operation,
    /// What comes in between and conflicts with its beginning.
    after: Operation,
}

impl Kind for AtomicityViolation {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        if nobody_notifies(case) {
            return None;
        }
        let found = around(case).into_iter().chain(twice(case));
        let found = found.filter(|s| !is_held(case, s) && !creates_the_other(case, s));
        let found: Vec<Stretch> = found.collect();
        // What lies in one call of a function is easier to mend, and keeps less out.
        let narrow = found.iter().filter(|s| is_in_one_call(case, s)).max_by_key(|s| rank(case, s));
        let best = found.iter().max_by_key(|s| rank(case, s));
        let stretch = narrow.into_iter().chain(best).find(|s| is_one_step(case, s))?;
        let (from, mut to) = (case.calls(&stretch.first), case.calls(&stretch.last));
        let (mut begin, mut end) = common(&from, &to)?;
        if let Some(later) = ended(case, stretch) {
            to = later;
            (begin, end) = common(&from, &to)?;
        }
        // What a library does by itself, or does to call the program's, is nobody's to mend here.
        if begin.in_library || end.in_library {
            return None;
        }
        let method = begin.function.clone();
        let (begin, end) = (begin.place.clone(), end.place.clone());
        // Two rounds of a loop: between these lines lies something else.
        let is_back = end.line < begin.line && begin.file == end.file;
        let is_one_line = end.line == begin.line && begin.file == end.file;
        if is_back || is_one_line && !is_one_round(case, stretch, begin.column < end.column) {
            return None;
        }
        let (from, to) = (location(&begin), location(&end));
        let section = Section { thread: stretch.first.thread.clone(), method: method.clone(), from, to };
        if let Some(text) = text::between_calls(case, speaker, stretch) {
            let objects = vec![stretch.first.object.clone()];
            return Some(Mistake { kind: "check then act".into(), text, section: Some(section), objects });
        }
        let text = text::sentence(case, speaker, stretch, &section);
        let mut objects = vec![stretch.first.object.clone(), stretch.last.object.clone()];
        objects.dedup();
        Some(Mistake { kind: "atomicity violation".into(), text, section: Some(section), objects })
    }
}

/// Does the test pass where it is one step, as far as that is tried?
fn is_one_step(case: &Case, s: &Stretch) -> bool {
    match s.first.operation.as_str() {
        "wait" => waited::passes_woken(case, s),
        _ => passes_as_one_step(case, s),
    }
}

/// Are both its ends in one call of a function, and about one variable?
fn is_in_one_call(case: &Case, s: &Stretch) -> bool {
    let (from, to) = (case.calls(&s.first), case.calls(&s.last));
    let inner = |calls: &[Call]| calls.first().map(|c| c.function.clone());
    s.first.object == s.last.object && inner(&from) == inner(&to) && from.get(1..) == to.get(1..)
}

/// Does a thread wait for ever where nobody notifies any more after it began to? What is missing may be that, and
/// one step would be no remedy.
fn nobody_notifies(case: &Case) -> bool {
    let events = &case.scene.events;
    case.ends.waits.iter().filter(|w| w.kind == OpKind::CondWake).any(|w| {
        let begins = |e: &AnnotatedOp| {
            e.thread == w.thread && e.kind == OpKind::CondEnqueue && w.objects.contains(&e.object)
        };
        let notifies = |e: &AnnotatedOp| {
            matches!(e.kind, OpKind::NotifyOne | OpKind::NotifyAll) && w.objects.contains(&e.object)
        };
        events.iter().rposition(begins).is_some_and(|at| !events[at..].iter().any(notifies))
    })
}

/// Every pair of deciding orders around a stretch of one thread.
fn around(case: &Case) -> Vec<Stretch> {
    let mut found = Vec::new();
    let end = case.scene.events.len();
    let place = |op: &Operation| op.event.unwrap_or(end);
    for (first, after) in case.orders() {
        for (before, last) in case.orders().filter(|(_, last)| last.thread == first.thread) {
            let (begin, stop) = (place(first), place(last));
            let between = |op: &Operation| op.event.is_some_and(|e| begin < e && e < stop);
            let changes = !is_in_vain(case, after) && !is_in_vain(case, before);
            if begin < stop && between(after) && between(before) && before.thread != first.thread && changes {
                let (first, last) = (first.clone(), last.clone());
                found.push(Stretch { first, last, between: before.clone(), after: after.clone() });
            }
        }
    }
    found
}

/// Does it begin by taking a read-write lock that its thread still holds at its end, which works on that lock too? Then it waits for itself, or
/// takes more than it has; that nothing keeps others out is not what is wrong.
fn is_held(case: &Case, s: &Stretch) -> bool {
    use OpKind::{ReadLock, ReadUnlock, TryReadLock, TryWriteLock, WriteLock, WriteUnlock};
    let Some(first) = case.shown(&s.first) else { return false };
    let takes = |e: &AnnotatedOp| match e.told.meaning {
        Some(Meaning::ReadLocks | Meaning::WriteLocks) => true,
        _ => matches!(e.kind, ReadLock | WriteLock | TryReadLock | TryWriteLock) && !e.failed,
    };
    let gives_back = |e: &AnnotatedOp| match e.told.meaning {
        Some(Meaning::ReadUnlocks | Meaning::WriteUnlocks) => true,
        _ => matches!(e.kind, ReadUnlock | WriteUnlock),
    };
    let (begin, events) = (s.first.event.map_or(0, |at| at + 1), &case.scene.events);
    let end = s.last.event.unwrap_or(events.len());
    let mut own = events.get(begin..end).unwrap_or_default().iter().filter(|e| e.thread == first.thread);
    takes(first) && s.last.object == s.first.object && !own.any(|e| e.object == first.object && gives_back(e))
}

/// Is the thread that comes in between created within it? Then there was nobody to keep out at its beginning.
fn creates_the_other(case: &Case, s: &Stretch) -> bool {
    let events = &case.scene.events;
    let (Some(first), last) = (s.first.event, s.last.event.unwrap_or(events.len())) else { return false };
    let stretch = events.get(first..last).unwrap_or_default().iter();
    stretch.filter(|e| e.kind == OpKind::Spawn).any(|e| e.object == s.between.thread)
}

/// Who does not get a lock does nothing to those who have it: it does not come in between of anything.
fn is_in_vain(case: &Case, op: &Operation) -> bool {
    use OpKind::{Timeout, TryLock, TryReadLock, TryWriteLock};
    let tries = |kind| matches!(kind, TryLock | TryReadLock | TryWriteLock | Timeout);
    case.shown(op).is_some_and(|e| e.failed && tries(e.kind))
}

/// Every deciding order that separates two operations of one thread on one variable, so that the three cannot be as they are if
/// its two are one step: its second operation is the last of them, or its first operation is the first.
fn twice(case: &Case) -> Vec<Stretch> {
    let events = &case.scene.events;
    // What lies before a wait cannot be one step with what lies behind it.
    let same = |e: &AnnotatedOp, thread: u8, object: &str| {
        e.thread == thread && (e.kind == OpKind::CondEnqueue || e.object == object)
    };
    let mut found = Vec::new();
    for (first, then) in case.orders() {
        if let Some((event, thread)) = first.event.zip(number(&then.thread)) {
            let before = events.get(..event).unwrap_or_default();
            let own = before.iter().rposition(|e| same(e, thread, &then.object));
            found.extend(own.and_then(|own| unserialisable(case, own, first, then)));
        }
        if let Some((event, thread)) = then.event.zip(number(&first.thread)) {
            let after = events.get(event..).unwrap_or_default();
            let own = after.iter().position(|e| same(e, thread, &first.object)).map(|at| event + at);
            let last = own.map(|own| operation(case.scene, own));
            found.extend(
                first.event.zip(last).and_then(|(begin, last)| unserialisable(case, begin, then, &last)),
            );
        }
    }
    found
}

/// The stretch from an event to an operation of its thread, if they are on one variable, lie in one function or nearly so, and
/// what comes in between makes them what they cannot be in one step.
fn unserialisable(case: &Case, first: usize, between: &Operation, last: &Operation) -> Option<Stretch> {
    let own = case.scene.events.get(first).filter(|e| e.object == last.object)?;
    // A container that a library drops is used no more: no step goes on to that.
    let is_dropped =
        |e: &AnnotatedOp| e.told.call.as_ref().is_some_and(|call| call.function.ends_with("::drop"));
    if case.shown(last).is_some_and(is_dropped) {
        return None;
    }
    let kind = case.scene.events.get(between.event?)?.kind;
    let last_kind = case.shown(last).map(|e| e.kind);
    let near = in_one(own, &case.calls(last));
    (is_unserialisable(own.kind, kind, last_kind) && near).then(|| Stretch {
        first: operation(case.scene, first),
        last: last.clone(),
        between: between.clone(),
        after: between.clone(),
    })
}

/// The four cases: a read that another write separates from its read or its write, a write of which another
/// one reads what was not meant to be seen, or that another write hides from its own read.
fn is_unserialisable(first: OpKind, between: OpKind, last: Option<OpKind>) -> bool {
    let all = (writes(first), writes(between), last.and_then(writes));
    matches!(
        all,
        (Some(false), Some(true), Some(_))
            | (Some(true), Some(false), Some(true))
            | (Some(true), Some(true), Some(false))
    )
}

fn writes(kind: OpKind) -> Option<bool> {
    match kind {
        OpKind::Read | OpKind::AtomicLoad => Some(false),
        OpKind::Write | OpKind::AtomicStore | OpKind::AtomicRmw => Some(true),
        _ => None,
    }
}

/// Do both lie in one function, or in ones that it calls? Further out lies what has more to do than this.
fn in_one(a: &AnnotatedOp, b: &[Call]) -> bool {
    let near = |calls: &[Call]| -> Vec<String> { calls.iter().take(2).map(|c| c.function.clone()).collect() };
    let (a, b) = (near(&a.calls), near(b));
    a.iter().any(|function| b.contains(function))
}

/// How well a stretch tells what decides: of how many orders it has an operation; whether it is about one
/// variable; that its thread is the one that failed; that it was preempted in it; then how deep the function is that it lies in; then the shorter one.
fn rank(case: &Case, s: &Stretch) -> (usize, bool, bool, bool, isize, isize) {
    let end = case.scene.events.len();
    let place = |op: &Operation| op.event.unwrap_or(end);
    let within = |op: &Operation| {
        op.thread == s.first.thread && (place(&s.first)..=place(&s.last)).contains(&place(op))
    };
    let covered = case.orders().filter(|(a, b)| within(a) || within(b)).count();
    let thread = number(&s.first.thread);
    let stretch = &case.scene.events[place(&s.first).min(end)..place(&s.last).min(end)];
    let preempted = stretch.iter().any(|e| e.preemption.as_ref().is_some_and(|p| Some(p.thread) == thread));
    let (from, to) = (case.calls(&s.first), case.calls(&s.last));
    let outside = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a == b).count();
    let inside = from.len().max(to.len()) - outside.min(from.len());
    let fails = thread.is_some() && thread == case.thread;
    let one_object = s.first.object == s.last.object;
    (covered, one_object, fails, preempted, -(inside as isize), -(stretch.len() as isize))
}

/// Runs it without the interruption; with what interrupts it right behind it; and with that before it.
fn passes_as_one_step(case: &Case, s: &Stretch) -> bool {
    let (Some(first), Some(thread)) = (s.first.event, number(&s.first.thread)) else { return false };
    let (events, last) = (&case.scene.events, s.last.event.unwrap_or(case.scene.events.len()));
    let of_it = |e: &&AnnotatedOp| e.thread == thread && e.step.is_some();
    let begin = events[..=first].iter().rev().find(of_it).and_then(|e| e.step);
    let other = events[first..].iter().find(|e| e.thread != thread && e.step.is_some());
    let (Some(begin), Some(other)) = (begin, other) else { return false };
    let Some(leaves) = other.step else { return false };
    let left = events[first..last].iter().filter(of_it).filter(|e| e.step > Some(leaves)).count();
    let ends = leaves + left as u32 + 1;
    let attempt = |until, then| case.passes_with(until, then);
    let behind = |ends| attempt(leaves, Some((ends, other.thread)));
    // What ends by taking a lock ends where that is given back: whoever comes before that waits in the middle of something.
    let locks = matches!(s.last.operation.as_str(), "lock" | "read-lock" | "write-lock");
    // A stretch that ends in a call goes on until the call returns, after a few more steps.
    let calls = case.calls(&s.last).len() > case.calls(&s.first).len();
    let of_library = case.shown(&s.last).is_some_and(|e| e.told.call.is_some() || is_count(&e.object));
    let more = match (of_library, calls) {
        (true, _) => IN_A_LIBRARY,
        (false, true) => IN_A_CALL,
        (false, false) => u32::from(locks),
    };
    // That the other one cannot begin there is no failure.
    attempt(leaves, None) == Some(true)
        && (behind(ends) != Some(false) || (1..=more).any(|n| behind(ends + n) == Some(true)))
        && attempt(begin, Some((begin, other.thread))) != Some(false)
}

/// Is it the count of what `shared_ptr` or `Arc` owns? What changes it is a call too.
fn is_count(object: &str) -> bool {
    object.starts_with("owners of ")
}

/// A stretch that ends by taking a lock goes on to what is done under it: where the thread failed, else its
/// next operation.
fn ended(case: &Case, s: &Stretch) -> Option<Vec<Call>> {
    let last = case.shown(&s.last).filter(|e| taken(e).is_some())?;
    let thread = number(&s.first.thread)?;
    let next = case.scene.events[s.last.event? + 1..].iter().find(|e| e.thread == thread);
    let in_function = |line: &Call| last.calls.iter().any(|c| c.function == line.function);
    if let Some(next) = next {
        let under_it = given_back(next).is_none();
        let calls = next.calls.to_vec();
        return (under_it && calls.iter().any(in_function)).then_some(calls);
    }
    // It did nothing more: it failed there.
    let failed = case.failed.filter(|_| case.thread == Some(thread))?;
    let mut calls = last.calls.to_vec();
    let innermost =
        calls.first_mut().filter(|c| c.place.file == failed.file && c.place.line < failed.line)?;
    (innermost.place.line, innermost.place.column) = (failed.line, failed.column);
    Some(calls)
}

/// Of a stretch within one line: is it sure to lie in one round of the loop that may be there, and to be no two calls of what it is in?
/// A look that a change follows is, if neither is made again; otherwise the columns must be in their order.
fn is_one_round(case: &Case, s: &Stretch, in_order: bool) -> bool {
    let looks = |op: &Operation| matches!(op.operation.as_str(), "read" | "load");
    let changes = |op: &Operation| matches!(op.operation.as_str(), "write" | "store" | "rmw");
    let updates = looks(&s.first) && changes(&s.last);
    let goes_back = changes(&s.first) && looks(&s.last) && s.first.object == s.last.object;
    let (Some(first), Some(thread)) = (s.first.event, number(&s.first.thread)) else { return false };
    let events = &case.scene.events;
    let stretch = events.get(first..s.last.event.map_or(events.len(), |last| last + 1)).unwrap_or_default();
    let Some((begin, stretch)) = stretch.split_first() else { return false };
    let again = |e: &AnnotatedOp| e.thread == thread && e.kind == begin.kind && e.calls == begin.calls;
    is_first(case, s) || (updates || in_order && !goes_back) && !stretch.iter().any(again)
}

/// Are its ends in two functions called on one line, of which the second was not called there before, and the first not after that?
/// Then no round of a loop lies in between.
fn is_first(case: &Case, s: &Stretch) -> bool {
    let (from, to) = (case.calls(&s.first), case.calls(&s.last));
    let outside = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a.place == b.place).count();
    let (Some(a), Some(b)) = (inner(&from, outside), inner(&to, outside)) else { return false };
    let (Some(last), Some(thread)) = (s.last.event, number(&s.first.thread)) else { return false };
    let own = case.scene.events[..last].iter().filter(|e| e.thread == thread);
    let there = own.filter(|e| {
        e.calls.iter().rev().zip(from.iter().rev()).take_while(|(a, b)| a.place == b.place).count() >= outside
    });
    let called: Vec<&str> = there.filter_map(|e| Some(inner(&e.calls, outside)?.function.as_str())).collect();
    let in_turn = called.iter().skip_while(|f| **f == a.function).all(|f| *f == b.function);
    outside > 0 && a.function != b.function && called.first() == Some(&a.function.as_str()) && in_turn
}

/// The call inside of so many outer ones.
fn inner(calls: &[Call], outer: usize) -> Option<&Call> {
    calls.get(calls.len().checked_sub(outer + 1)?)
}

/// The innermost function that both lie in, with the line of each there.
fn common<'a>(from: &'a [Call], to: &'a [Call]) -> Option<(&'a Call, &'a Call)> {
    let outside = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a.place == b.place).count();
    // Both at one line: the innermost.
    let mut depth = outside.min(from.len().saturating_sub(1)).min(to.len().saturating_sub(1));
    let other = |a: &Call, b: &Call| {
        ![&a.function, &b.function].contains(&&String::new()) && a.function != b.function
    };
    // Two functions that are called at one place: that is where both lie.
    while depth > 0 && other(&from[from.len() - depth - 1], &to[to.len() - depth - 1]) {
        depth -= 1;
    }
    Some((&from[from.len().checked_sub(depth + 1)?], &to[to.len().checked_sub(depth + 1)?]))
}
