//! A stretch that begins with a wait: who was woken goes on without another look, and what it waited for does not hold
//! any more.

use super::Stretch;
use crate::explain::case::{Case, given_back, number};
use crate::report::scene::Shown;
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
    let of_it = |e: &Shown| e.thread == thread;
    let wake = wait + events.get(wait..last)?.iter().position(|e| of_it(e) && e.kind == OpKind::CondWake)?;
    let notifies =
        |e: &Shown| matches!(e.kind, OpKind::NotifyOne | OpKind::NotifyAll) && e.object == s.first.object;
    let notify = wait + events[wait..wake].iter().rposition(notifies)?;
    // By somebody else, and after what it waited for had come.
    let between = s.between.event?;
    let other = number(&s.between.thread)?;
    let comes_between = notify < between && between < wake && other != events[notify].thread;
    (comes_between && !looks_again(case, thread, wait, wake)).then_some(())?;
    Some(Waited { thread, notify, wake, last, other })
}

/// Does it read again, after it was woken, where it read before it waited? Where it is not known to have read
/// anything, it may.
fn looks_again(case: &Case, thread: u8, wait: usize, wake: usize) -> bool {
    let line = |e: &Shown| e.place.as_ref().map(|p: &Place| (p.file.clone(), p.line));
    let reads = |e: &&Shown| matches!(e.kind, OpKind::Read | OpKind::AtomicLoad);
    let own = |e: &&Shown| e.thread == thread;
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
    let frees = |e: &Shown| e.thread == notifier && given_back(e) == Some(events[w.wake].other.as_str());
    let under = case.held(notifier, w.notify).iter().any(|(lock, _)| *lock == events[w.wake].other);
    let free = match under {
        true => events[w.notify..w.wake].iter().position(frees).map(|at| w.notify + at),
        false => Some(w.notify),
    };
    let Some(step) = free.and_then(|at| events[at].step).map(|step| step + 1) else { return false };
    let of_it = |e: &&Shown| e.thread == w.thread && e.step.is_some();
    let takes = events[w.wake..w.last.min(events.len())].iter().filter(of_it).count() as u32;
    let woken = (step, w.thread);
    case.passes_through(step, &[woken]) == Some(true)
        && case.passes_through(step, &[woken, (step + takes + 1, w.other)]) != Some(false)
}
