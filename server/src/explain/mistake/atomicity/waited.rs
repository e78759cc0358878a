//! A stretch that begins with a wait: who was woken goes on without another look, and what it waited for does not hold
//! any more.

use super::Stretch;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, given_back, number, taken};
use crate::target::Place;
use raddle_schedule::OpKind;

/// Did it not look again, and does the test pass if who was woken comes as soon as it can, with what came in
/// between behind it?
pub fn passes_woken(case: &Case, s: &Stretch) -> bool {
    told(case, s).is_some_and(|stretch| passes(case, &stretch))
}

/// What is known of it: indexes of events, and threads.
struct Waited {
    thread: u8,
    notify: usize,
    wake: usize,
    last: usize,
    other: u8,
}

fn told(case: &Case, s: &Stretch) -> Option<Waited> {
    let (events, wait, thread) = (&case.scene.events, s.first.event?, number(&s.first.thread)?);
    let last = s.last.event.unwrap_or(events.len());
    let of_it = |e: &AnnotatedOp| e.thread == thread;
    let until = (last + 1).min(events.len());
    let wake = wait + events.get(wait..until)?.iter().position(|e| of_it(e) && e.kind == OpKind::CondWake)?;
    // Of data under a lock only that is known: the stretch goes on to where the lock is given back.
    let leaves = |e: &AnnotatedOp| of_it(e) && given_back(e).is_some();
    let last = if last > wake { last } else { wake + events[wake..].iter().position(leaves)? };
    let notifies = |e: &AnnotatedOp| {
        matches!(e.kind, OpKind::NotifyOne | OpKind::NotifyAll) && e.object == s.first.object
    };
    let notify = wait + events[wait..wake].iter().rposition(notifies)?;
    // By somebody else, and after what it waited for had come.
    let between = s.between.event?;
    let other = number(&s.between.thread)?;
    let comes_between = notify < between && between < wake && other != events[notify].thread;
    let goes_on = finds_it_again(events, thread, wait, wake) || !looks_again(case, thread, wait, wake);
    (comes_between && goes_on).then_some(())?;
    Some(Waited { thread, notify, wake, last, other })
}

/// Does it find what lies under the lock as it was when it began to wait, though it was something else in between, and go on
/// without waiting again? Then what it waited for does not hold, and it did not ask.
fn finds_it_again(events: &[AnnotatedOp], thread: u8, wait: usize, wake: usize) -> bool {
    let Some(now) = &events[wake].told.value else { return false };
    let lock = events[wake].other.as_str();
    let on_lock = |e: &&AnnotatedOp| taken(e) == Some(lock) || given_back(e) == Some(lock);
    let before = events[..=wait].iter().rev().filter(|e| e.thread == thread).filter(on_lock);
    let before = before.filter_map(|e| e.told.value.as_ref()).next();
    let between = events[wait..wake].iter().filter(|e| e.thread != thread).filter(on_lock);
    let changes = between.filter_map(|e| e.told.value.as_ref()).any(|value| value != now);
    let waits_again = |e: &AnnotatedOp| e.thread == thread && e.kind == OpKind::CondEnqueue;
    before == Some(now) && changes && !events[wake..].iter().any(waits_again)
}

/// Does it read again, after it was woken, where it read before it waited? Where it is not known to have read
/// anything, it may.
fn looks_again(case: &Case, thread: u8, wait: usize, wake: usize) -> bool {
    let line = |e: &AnnotatedOp| e.place.as_ref().map(|p: &Place| (p.file.clone(), p.line));
    let reads = |e: &&AnnotatedOp| matches!(e.kind, OpKind::Read | OpKind::AtomicLoad);
    let own = |e: &&AnnotatedOp| e.thread == thread;
    let events = &case.scene.events;
    let before = events[..wait].iter().rev().filter(own).take_while(|e| given_back(e).is_none());
    let looked: Vec<_> = before.filter(reads).filter_map(line).collect();
    let mut after = events[wake..].iter().filter(own).filter(reads).filter_map(line);
    looked.is_empty() || after.any(|line| looked.contains(&line))
}

/// Who was woken comes once it can; and then the other one.
fn passes(case: &Case, w: &Waited) -> bool {
    let events = &case.scene.events;
    let notifier = events[w.notify].thread;
    // Who notifies under the lock gives it back first.
    let frees =
        |e: &AnnotatedOp| e.thread == notifier && given_back(e) == Some(events[w.wake].other.as_str());
    let under = case.held(notifier, w.notify).iter().any(|(lock, _)| *lock == events[w.wake].other);
    let free = match under {
        true => events[w.notify..w.wake].iter().position(frees).map(|at| w.notify + at),
        false => Some(w.notify),
    };
    let Some(step) = free.and_then(|at| events[at].step).map(|step| step + 1) else { return false };
    let of_it = |e: &&AnnotatedOp| e.thread == w.thread && e.step.is_some();
    let takes = events[w.wake..w.last.min(events.len())].iter().filter(of_it).count() as u32;
    let woken = (step, w.thread);
    case.passes_through(step, &[woken]) == Some(true)
        && case.passes_through(step, &[woken, (step + takes + 1, w.other)]) != Some(false)
}
