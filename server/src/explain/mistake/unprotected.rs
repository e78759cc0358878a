//! Two accesses that nothing orders. That they must not come at once is certain; what has to be one step with them is
//! known only where a thread holds a lock around its side; where it reads and writes in one line it is likely.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::annotate::location;
use crate::explain::case::{Case, TooWeak, given_back, number, takes_for_reading};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_protocol::report::Location;
use raddle_schedule::OpKind;

/// A data race.
pub struct UnprotectedAccess;

impl Kind for UnprotectedAccess {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let [first, second] = &case.ends.race[..] else { return None };
        let held = [first, second].map(|op| held(case, op));
        let holding = |locks: &Option<Vec<Held>>| match locks.as_deref() {
            None => String::new(),
            Some([]) => " holding no lock".to_string(),
            Some(locks) => {
                let locks: Vec<String> = locks.iter().map(|held| held.told(speaker)).collect();
                format!(" holding {}", locks.join(" and "))
            }
        };
        let (does, does_too) = (speaker.does(first), speaker.does_to_it(second));
        let text = format!(
            "{} {does}{}, {} {does_too}{}, and nothing orders the two: {}",
            first.thread,
            holding(&held[0]),
            second.thread,
            holding(&held[1]),
            remedy(case, speaker, [first, second], held)
        );
        let objects = vec![first.object.clone()];
        Some(Mistake { kind: "unprotected access".into(), text, section: None, objects })
    }
}

/// The sentence about a lock that one side holds and the other one does not, if that is so.
pub(super) fn guard_of_one(case: &Case, sides: [&Operation; 2]) -> Option<String> {
    let [a, b] = sides.map(|op| held(case, op).unwrap_or_default());
    match (a.as_slice(), b.as_slice()) {
        ([lock, ..], []) => Some(guarded(lock, sides)),
        ([], [lock, ..]) => Some(guarded(lock, [sides[1], sides[0]])),
        _ => None,
    }
}

/// A lock that is held at an access.
struct Held {
    lock: String,
    /// Others may hold it with its thread.
    reading: bool,
    /// Where it was taken: in the function of the access, the line that took it or called what did.
    at: Option<Location>,
}

impl Held {
    /// `m (locked at :17)`, `table for reading (locked at :17)`.
    fn told(&self, speaker: &Speaker) -> String {
        let at = self.at.as_ref().map(|l| format!(" (locked at {})", speaker.line(l)));
        let how = if self.reading { " for reading" } else { "" };
        format!("{}{how}{}", self.lock, at.unwrap_or_default())
    }
}

/// The locks that its thread holds at it.
fn held(case: &Case, op: &Operation) -> Option<Vec<Held>> {
    let (thread, event) = (number(&op.thread)?, op.event?);
    let access = case.scene.events.get(event)?;
    let within = |e: &AnnotatedOp| {
        let own = access.calls.first().map(|c| &c.function);
        let line = e.calls.iter().find(|c| Some(&c.function) == own).map(|c| &c.place);
        line.or(e.place.as_ref()).map(location)
    };
    let all = case.held(thread, event).into_iter().map(|(lock, taken)| {
        let taken = case.scene.events.get(taken);
        Held { at: taken.and_then(within), reading: taken.is_some_and(takes_for_reading), lock }
    });
    Some(all.collect())
}

/// What to do, as far as it is known.
fn remedy(case: &Case, speaker: &Speaker, sides: [&Operation; 2], held: [Option<Vec<Held>>; 2]) -> String {
    let [a, b] = held.map(Option::unwrap_or_default);
    if let Some(spawn) = case.ends.given.as_ref().filter(|_| a.is_empty() && b.is_empty()) {
        return format!(
            "the thread is given its address{}, and {} goes on to change it: give each thread a copy of its own.",
            spawn.location.as_ref().map(|l| format!(" ({})", speaker.line(l))).unwrap_or_default(),
            spawn.thread
        );
    }
    // A lock on one side keeps writers apart; the other side learns of what they did by the store.
    if let Some(weak) = case.ends.too_weak.as_ref().filter(|_| a.is_empty() || b.is_empty()) {
        return published(weak, speaker);
    }
    if let Some(fields) = bit_fields(&sides[0].object)
        && !a.iter().any(|held| b.iter().any(|other| other.lock == held.lock))
    {
        let guard = match (a.as_slice(), b.as_slice()) {
            ([lock, ..], []) => guarded(lock, sides),
            ([], [lock, ..]) => guarded(lock, [sides[1], sides[0]]),
            _ => "one and the same lock must guard them all.".into(),
        };
        return format!("{fields} are bit-fields in the same memory, and {guard}");
    }
    match (a.as_slice(), b.as_slice()) {
        ([], []) => {}
        ([lock, ..], []) => return guarded(lock, sides),
        ([], [lock, ..]) => return guarded(lock, [sides[1], sides[0]]),
        (a, b) => {
            // Held by both at once, it is held for reading.
            let shared = a.iter().find(|held| b.iter().any(|other| other.lock == held.lock));
            let shared =
                shared.map(|held| format!("a thread that writes must hold {} for writing.", held.lock));
            return shared.unwrap_or_else(|| "both must hold one and the same lock there.".into());
        }
    }
    if let Some(updated) = sides.into_iter().find_map(|op| updates(case, op)) {
        let at = updated.location.as_ref().map(|l| format!(" ({})", speaker.line(l))).unwrap_or_default();
        return format!(
            "{} reads it and writes it{at}. If what it writes comes from what it read, that must be one step, under one lock \
             or as one atomic operation.",
            updated.thread
        );
    }
    let stretch = sides.into_iter().find_map(|op| stretch(case, op));
    if let Some((read, write)) = stretch {
        let (from, to) = (line(speaker, read), line(speaker, write));
        return format!(
            "both need one lock, or must be atomic; and if what T{} does at {to} depends on what it read at {from}, {from} \
             to {to} must be one step under that lock, for which atomic accesses are not enough.",
            read.thread
        );
    }
    "both need one lock, or must be atomic; more may have to be one step with them.".into()
}

/// One tells the other one of what it did, in too weak an order.
fn published(weak: &TooWeak, speaker: &Speaker) -> String {
    let TooWeak { store, load, sides } = weak;
    let should = match sides {
        [true, true] => "the store must be a release and the load an acquire",
        [true, false] => "the store must be a release",
        _ => "the load must be an acquire",
    };
    format!(
        "{} {} as {} {}, but relaxed ordering does not publish what was done before: {should}.",
        load.thread,
        speaker.does(load),
        store.thread,
        speaker.does_to_it(store)
    )
}

/// Who holds a lock may mean the others to hold it as well: for writing, if they write.
fn guarded(held: &Held, [holder, other]: [&Operation; 2]) -> String {
    let (lock, also) = (&held.lock, &other.thread);
    let must = match (held.reading, writes(holder), writes(other)) {
        (false, _, _) | (true, false, false) => format!("{also} must hold {lock} there too"),
        (true, false, true) => format!("{also} must hold {lock} for writing there"),
        (true, true, true) => format!("{} and {also} must hold {lock} for writing there", holder.thread),
        (true, true, false) => {
            format!("{} must hold {lock} for writing there, and {also} must hold it too", holder.thread)
        }
    };
    format!("if {lock} is what guards it, {must}.")
}

/// Bit-fields that share their bytes, where an object is several: `ready and done` of `state.ready/done`.
fn bit_fields(object: &str) -> Option<String> {
    let fields: Vec<&str> = object.rsplit(['.', '>']).next()?.split('/').collect();
    Some(match fields[..] {
        [] | [_] => return None,
        [first, "…", last] => format!("{first} to {last}"),
        [ref others @ .., last] => format!("{} and {last}", others.join(", ")),
    })
}

fn line(speaker: &Speaker, e: &AnnotatedOp) -> String {
    e.place.as_ref().map(|p| speaker.line(&crate::annotate::location(p))).unwrap_or_default()
}

/// Its thread reads and writes the same in one line, one of which is the access, while the other side writes.
fn updates(case: &Case, op: &Operation) -> Option<Operation> {
    pair(case, op, true)?;
    // Who only looks does not mind.
    let also = case.ends.race.iter().find(|other| other.thread != op.thread)?;
    (writes(also) || pair(case, also, true).is_some()).then(|| op.clone())
}

fn writes(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "write" | "store" | "rmw")
}

/// What its thread reads of it, and writes later in the same function, while the other side writes.
fn stretch<'a>(case: &Case<'a>, op: &Operation) -> Option<(&'a AnnotatedOp, &'a AnnotatedOp)> {
    let others = case.ends.race.iter().find(|other| other.thread != op.thread);
    pair(case, op, false).filter(|_| others.is_some_and(writes))
}

/// A read and a write of what it accesses by its thread, of which it is one, with nothing given back in between: in one line, or
/// in one call of a function.
fn pair<'a>(case: &Case<'a>, op: &Operation, one_line: bool) -> Option<(&'a AnnotatedOp, &'a AnnotatedOp)> {
    let (event, thread) = (op.event?, number(&op.thread)?);
    let scene = case.scene;
    let is = |e: &AnnotatedOp, kind: OpKind| e.thread == thread && e.kind == kind && e.object == op.object;
    let found = match op.operation.as_str() {
        "read" => {
            (event, event + 1 + scene.events.get(event + 1..)?.iter().position(|e| is(e, OpKind::Write))?)
        }
        "write" => (scene.events.get(..event)?.iter().rposition(|e| is(e, OpKind::Read))?, event),
        _ => return None,
    };
    let (read, write) = (&scene.events[found.0], &scene.events[found.1]);
    let leaves = |e: &AnnotatedOp| e.thread == thread && given_back(e).is_some();
    let whole = !scene.events[found.0..found.1].iter().any(leaves);
    let line = |e: &AnnotatedOp| e.place.as_ref().map(|p| (p.file.clone(), p.line));
    let near = match one_line {
        true => line(read).is_some() && line(read) == line(write),
        false => line(read) < line(write),
    };
    let one_call = read.method == write.method && outside(read) == outside(write);
    (whole && near && one_call).then_some((read, write))
}

/// Who called the function that it is in.
fn outside(e: &AnnotatedOp) -> impl PartialEq {
    e.calls.iter().skip(1).map(|c| (c.function.clone(), c.place.line)).collect::<Vec<_>>()
}
