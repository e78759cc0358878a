//! A flag that stands for something else, and is not kept in step with it: who goes by the flag goes by what was.

use super::Kind;
use super::order::writes;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, given_back, number, operation, taken};
use crate::explain::context::on_failed_line;
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};

/// The thread that fails goes by what it has just read, which was written under a lock together with what it then fails by; that has
/// been changed since, and what it goes by has not. It holds the lock all the while, so that nothing comes in between of its two looks.
pub struct StaleFlag;

/// The events that tell it.
struct Found {
    /// The thread reads the flag.
    reads: usize,
    /// Another one has written it.
    writes: usize,
    /// What that one has last done to the other variable under that lock.
    then: usize,
    /// The last change of that.
    changes: usize,
}

impl Kind for StaleFlag {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let found = find(case)?;
        let events = &case.scene.events;
        let op = |at: usize| operation(case.scene, at);
        let (reads, makes, changes) = (op(found.reads), op(found.writes), op(found.changes));
        let (flag, other) = (&reads.object, &changes.object);
        let was = events[found.then].told.value.as_deref()?;
        let now = events[found.changes].told.value.as_deref()?;
        let text = format!(
            "{} {}, which {} wrote{} when {other} was {was}. By now {other} is {now}, by {}{}, and {flag} is as it was: who \
             changes {other} must change {flag} with it, or {other} itself is what must be looked at.",
            reads.thread,
            speaker.does_with_value(&reads).replacen("reads", "goes by", 1).replacen("loads", "goes by", 1),
            makes.thread,
            speaker.at(&makes),
            changes.thread,
            speaker.at(&changes),
        );
        let objects = vec![flag.clone(), other.clone()];
        Some(Mistake { kind: "stale flag".into(), text, section: None, objects })
    }
}

fn find(case: &Case) -> Option<Found> {
    let events = &case.scene.events;
    let thread = case.thread?;
    let own = |e: &AnnotatedOp| e.thread == thread;
    let judged = |(_, e): &(usize, &AnnotatedOp)| own(e) && e.reads() && on_failed_line(case, e);
    let all: Vec<(usize, &AnnotatedOp)> = events.iter().enumerate().filter(judged).collect();
    let decides = |flag: &str| {
        let reads = |then: &Operation| then.object == flag && number(&then.thread) == Some(thread);
        case.orders().any(|(first, then)| writes(first) && reads(then))
    };
    all.into_iter().rev().find_map(|(judges, seen)| {
        // Back to where it took the lock that it holds.
        let section = events[..judges].iter().enumerate().rev().filter(|(_, e)| own(e));
        let section = section.take_while(|(_, e)| taken(e).is_none() && given_back(e).is_none());
        let mut looks =
            section.filter(|(_, e)| e.reads() && e.object != seen.object && !on_failed_line(case, e));
        let (reads, flag) = looks.next().filter(|(_, e)| decides(&e.object))?;
        let writes = events.iter().rposition(|e| e.writes() && e.object == flag.object)?;
        let write = &events[writes];
        let same = write.told.value.is_some() && write.told.value == flag.told.value;
        let guarded = flag.holding.iter().any(|lock| write.holding.contains(lock));
        if write.thread == thread || writes > reads || !same || !guarded {
            return None;
        }
        let then = beside(events, writes, &seen.object)?;
        let later =
            |(at, e): &(usize, &AnnotatedOp)| *at > writes.max(then) && e.writes() && e.object == seen.object;
        let changes = events[..judges].iter().enumerate().rev().find(later)?.0;
        let (was, now) = (&events[then].told.value, &events[changes].told.value);
        let is_other = was.is_some() && was != now && *now == seen.told.value;
        is_other.then_some(Found { reads, writes, then, changes })
    })
}

/// What the thread of a write had last done to another variable in the same critical section.
fn beside(events: &[AnnotatedOp], write: usize, other: &str) -> Option<usize> {
    let thread = events[write].thread;
    let own = |(_, e): &(usize, &AnnotatedOp)| e.thread == thread;
    let ends = |(_, e): &(usize, &AnnotatedOp)| given_back(e).is_none();
    let works = |(_, e): &(usize, &AnnotatedOp)| (e.reads() || e.writes()) && e.object == other;
    let begins = |(_, e): &(usize, &AnnotatedOp)| taken(e).is_none() && given_back(e).is_none();
    let after = events.iter().enumerate().skip(write).filter(own).take_while(ends).filter(works).last();
    let before = || events[..write].iter().enumerate().rev().filter(own).take_while(begins).find(works);
    after.or_else(before).map(|(at, _)| at)
}
