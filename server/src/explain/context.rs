//! What is shown beside the operations that decide, so that somebody who does not have the program sees why it ended
//! so: what the end was judged by, who had changed that, and the locks that were given back in between.

use super::case::{Case, given_back, taken};
use crate::annotate::annotated_trace::AnnotatedOp;
use raddle_schedule::OpKind;
use raddle_schedule::memory::Meaning;
use std::collections::{BTreeMap, BTreeSet};

/// Reads that are told of one thread before its end.
const READS: usize = 4;
/// Most operations that are told beside those that decide.
const MOST: usize = 16;

/// How much an operation says; the first is the last to give way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    /// What the end was judged by, on its own line; of who cannot go on, the locks that it holds.
    Judged,
    /// What its thread read before that.
    Looked,
    /// Who had changed what another thread reads.
    Changed,
    /// The end of a section that another one of the same lock follows, and that one's beginning.
    Left,
    /// Who had made what another thread changes.
    Replaced,
    /// What was read for it and nobody else works with.
    JudgedAlone,
    /// Who had changed what it reads itself.
    ChangedItself,
}

/// The events that decide, and the sides of a race.
pub fn deciding(case: &Case) -> BTreeSet<usize> {
    let orders = case.orders().flat_map(|(a, b)| [a, b]);
    let choices = case.deciding.iter().filter_map(|d| d.choice.as_ref()).map(|c| &c.at);
    orders.chain(choices).chain(&case.ends.race).filter_map(|o| o.event).collect()
}

/// The operations to be shown beside these, by their events: the most telling first. What comes behind the first so many
/// events has no part in it.
pub fn context(case: &Case, shown: &BTreeSet<usize>, until: usize) -> Vec<usize> {
    let events = &case.scene.events[..until.min(case.scene.events.len())];
    let mut found: BTreeMap<usize, Says> = BTreeMap::new();
    // An operation that several others point at says the most of what it says for each.
    let add = |found: &mut BTreeMap<usize, Says>, at: usize, says: Says| {
        found.entry(at).and_modify(|s| *s = says.min(*s)).or_insert(says);
    };
    // What gave back the block that is used.
    let gave_back = events.iter().enumerate().filter(|(_, e)| e.decisive && e.kind == OpKind::Free);
    found.extend(gave_back.map(|(at, _)| (at, Says::Judged)));
    // What poisoned a lock that others took then.
    let poisoned =
        |e: &AnnotatedOp| e.told.meaning == Some(Meaning::PoisonsLock) && case.thread != Some(e.thread);
    let poisoned = events.iter().enumerate().filter(|(_, e)| poisoned(e));
    found.extend(poisoned.map(|(at, _)| (at, Says::Judged)));
    for (at, says) in ended(case, events) {
        add(&mut found, at, says);
    }
    let reads: Vec<usize> = shown.iter().chain(found.keys()).copied().collect();
    for (at, says) in reads.into_iter().filter_map(|read| changed(events, read)) {
        add(&mut found, at, says);
    }
    let ends: Vec<usize> = shown.iter().chain(found.keys()).copied().collect();
    for at in ends.into_iter().filter_map(|at| ended_wait(events, at)) {
        found.insert(at, Says::Judged);
    }
    let all: Vec<usize> = shown.iter().chain(found.keys()).copied().collect();
    for at in sections(case, events, all) {
        add(&mut found, at, Says::Left);
    }
    found.retain(|at, _| !shown.contains(at));
    let mut all: Vec<(usize, Says)> = found.into_iter().collect();
    // Of what says as much, what came last.
    all.sort_by_key(|(at, says)| (*says, std::cmp::Reverse(*at)));
    all.truncate(MOST);
    all.into_iter().map(|(at, _)| at).collect()
}

/// What the threads read that failed or cannot go on: nobody else, where one failed.
fn ended(case: &Case, events: &[AnnotatedOp]) -> Vec<(usize, Says)> {
    let mut found = Vec::new();
    if let Some(thread) = case.thread {
        let own = |e: &&(usize, &AnnotatedOp)| e.1.thread == thread;
        let own: Vec<(usize, &AnnotatedOp)> = events.iter().enumerate().filter(|e| own(&e)).collect();
        // Behind a panic locks are given back.
        let end = own.iter().rposition(|(_, e)| on_failed_line(case, e));
        let Some(end) = end else { return looked(&own) };
        let begin = own[..end].iter().rposition(|(_, e)| !on_failed_line(case, e)).map_or(0, |at| at + 1);
        let judged = own[begin..=end].iter().filter(|(_, e)| {
            found_in(e).is_some_and(|o| says_something(&own, e, o)) || e.matters && !is_birth(e)
        });
        let says = |e: &AnnotatedOp| if e.matters { Says::Judged } else { Says::JudgedAlone };
        found.extend(judged.map(|(at, e)| (*at, says(e))));
        found.extend(looked(&own[..begin]));
        return found;
    }
    for wait in &case.ends.waits {
        let own: Vec<(usize, &AnnotatedOp)> =
            events.iter().enumerate().filter(|(_, e)| e.thread == wait.thread).collect();
        // Before it began to wait.
        let end = own.iter().rposition(|(_, e)| e.kind != OpKind::CondEnqueue).map_or(0, |at| at + 1);
        found.extend(looked(&own[..end]));
        // Taken, and not given back.
        found.extend(own.iter().filter(|(_, e)| e.decisive).map(|(at, _)| (*at, Says::Judged)));
    }
    found
}

fn is_birth(e: &AnnotatedOp) -> bool {
    matches!(e.kind, OpKind::Spawn | OpKind::Join | OpKind::ThreadStart | OpKind::Exit)
}

/// Is it done on the line that failed, or in what that calls?
pub fn on_failed_line(case: &Case, e: &AnnotatedOp) -> bool {
    let Some(failed) = case.failed else { return false };
    let place = e.place.iter().chain(e.calls.iter().map(|c| &c.place));
    place.into_iter().any(|p| p.line == failed.line && p.file == failed.file)
}

/// The last reads of what others change, back to where the thread last had to wait or to take a lock.
fn looked(own: &[(usize, &AnnotatedOp)]) -> Vec<(usize, Says)> {
    let mut found: Vec<(usize, Says)> = Vec::new();
    let mut objects: Vec<&str> = Vec::new();
    for (at, e) in own.iter().rev() {
        if let Some(object) = found_in(e).filter(|o| !objects.contains(o) && says_something(own, e, o)) {
            objects.push(object);
            found.push((*at, if e.matters { Says::Looked } else { Says::JudgedAlone }));
        }
        let begins = taken(e).is_some() || matches!(e.kind, OpKind::Spawn | OpKind::Join | OpKind::SemWait);
        if begins || objects.len() == READS {
            break;
        }
    }
    found
}

/// A value that is not known tells nothing, and neither does where a lock lies that it takes or gives back there.
fn says_something(own: &[(usize, &AnnotatedOp)], e: &AnnotatedOp, object: &str) -> bool {
    let is_lock = |(_, o): &(usize, &AnnotatedOp)| {
        let lock = taken(o).or_else(|| given_back(o));
        lock.is_some_and(|lock| lock.strip_prefix('*') == Some(object))
    };
    e.matters || e.told.value.is_some() && !own.iter().any(is_lock)
}

/// What an operation has found the value of: what it reads, or the lock that lies over the data.
fn found_in(e: &AnnotatedOp) -> Option<&str> {
    match e.kind {
        // What std looks at for itself is no matter of the program's, and what has no name in Rust is no variable of it.
        _ if e.within_std || is_nameless(e) => None,
        OpKind::Read | OpKind::AtomicLoad if !e.looks() => Some(&e.object),
        _ => taken(e).filter(|_| e.told.value.is_some()),
    }
}

/// Memory in which the compiler of Rust keeps what has no name there, or what it moves.
fn is_nameless(e: &AnnotatedOp) -> bool {
    let of_rust = e.place.as_ref().is_some_and(|p| p.file.ends_with(".rs"));
    of_rust && e.kind.is_data() && e.object.starts_with("memory ") && !e.matters
}

/// What an operation has changed, or the lock that lies over that.
fn made(e: &AnnotatedOp) -> Option<&str> {
    match e.kind {
        _ if e.within_std || is_nameless(e) => None,
        OpKind::Write | OpKind::AtomicStore => Some(&e.object),
        OpKind::AtomicRmw if !e.failed => Some(&e.object),
        _ => given_back(e).filter(|_| e.told.old.is_some()),
    }
}

/// Who made what another operation finds, if that is known.
fn changed(events: &[AnnotatedOp], at: usize) -> Option<(usize, Says)> {
    let e = events.get(at)?;
    let (object, value, says) = match (found_in(e), made(e)) {
        (Some(object), _) => (object, &e.told.value, Says::Changed),
        (None, Some(object)) => (object, &e.told.old, Says::Replaced),
        (None, None) => return None,
    };
    let made_by = events[..at].iter().rposition(|w| made(w) == Some(object))?;
    let write = &events[made_by];
    // Something else wrote there as well.
    if value.is_none() || write.told.value != *value {
        return None;
    }
    Some((made_by, if write.thread == e.thread { Says::ChangedItself } else { says }))
}

/// Where a wait ended that nobody ended, of what takes the lock again after it.
fn ended_wait(events: &[AnnotatedOp], at: usize) -> Option<usize> {
    let again = events.get(at).filter(|e| e.kind == OpKind::CondWake && e.by_itself)?;
    events[..at]
        .iter()
        .rposition(|e| e.thread == again.thread)
        .filter(|end| events[*end].kind == OpKind::Timeout)
}

/// Between two operations of a thread that are shown: where it gave back a lock that it held at the first, and where it
/// took that again, if it holds it at the second.
fn sections(case: &Case, events: &[AnnotatedOp], mut shown: Vec<usize>) -> Vec<usize> {
    shown.sort_unstable();
    let mut found = Vec::new();
    for thread in case.scene.threads.keys() {
        let own: Vec<usize> =
            shown.iter().copied().filter(|at| events.get(*at).is_some_and(|e| e.thread == *thread)).collect();
        // Who waits at the end is there too.
        let waits = case.ends.waits.iter().any(|w| w.thread == *thread).then_some(events.len());
        let own: Vec<usize> = own.into_iter().chain(waits).collect();
        for pair in own.windows(2) {
            let between = || (pair[0] + 1..pair[1]).filter(|at| events[*at].thread == *thread);
            let own_lock = taken(&events[pair[0]]);
            let held = events[pair[0]].holding.iter().map(String::as_str).chain(own_lock);
            for lock in held {
                let Some(left) = between().find(|at| given_back(&events[*at]) == Some(lock)) else {
                    continue;
                };
                found.push(left);
                let again = || between().rfind(|at| taken(&events[*at]) == Some(lock));
                let then = events.get(pair[1]).map(|e| &e.holding[..]).unwrap_or_default();
                found.extend(then.iter().any(|l| l == lock).then(again).flatten());
            }
        }
    }
    found
}
