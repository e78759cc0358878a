//! What is said of a stretch that should be one step: what comes in between, and who has to take part in the remedy.

use super::{Stretch, common};
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::annotate::location;
use crate::explain::case::{Case, given_back, number, operation};
use crate::explain::mistake::check_then_act::sentence as sentence_of_calls;
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Operation, Section};
use raddle_protocol::report::Location;
use raddle_schedule::OpKind;
use raddle_schedule::memory::Meaning;

/// All of it; `section`: where it lies.
pub fn sentence(case: &Case, speaker: &Speaker, s: &Stretch, section: &Section) -> String {
    let lines = match section.from.line == section.to.line && section.from.file == section.to.file {
        true => speaker.line(&section.from),
        false => format!("{} to {}", speaker.line(&section.from), speaker.line(&section.to)),
    };
    let within = within(&section.method);
    // What changes something says more, and what writes most.
    let is_change =
        |op: &Operation| !matches!(op.operation.as_str(), "read" | "load" | "wait") && !only_reads(case, op);
    let writes =
        |op: &Operation| matches!(op.operation.as_str(), "write" | "store" | "rmw") && !only_reads(case, op);
    let told = match (is_change(&s.between), writes(&s.between), writes(&s.after)) {
        (true, true, _) | (true, false, false) => &s.between,
        _ => &s.after,
    };
    let (other, does) = (&told.thread, speaker.does(told));
    if s.first.operation == "wait" {
        let taken = taken_in_between(case, &s.first);
        let told = taken.as_ref().unwrap_or(told);
        let (other, does) = (&told.thread, speaker.does(told));
        return format!(
            "what {} waited for ({}) need not hold any more when it goes on ({}): {other} {does} in between. \
             It must look again after the wait.",
            section.thread,
            speaker.line(&section.from),
            speaker.line(&section.to),
        );
    }
    let released = released(case, s).or_else(|| given_back_early(case, s));
    let but = match &released {
        Some(lock) => format!("{lock} is released in between"),
        None => match kept(case, s, told) {
            Some(lock) => {
                return format!(
                    "{lines}{within} is one step under {lock}, which {other} does not hold: {other} {does} there."
                );
            }
            None => "nothing keeps others out in between".to_string(),
        },
    };
    // Where it is released, who comes in between holds it.
    let also = if released.is_none() { others(case, speaker, s, section) } else { None };
    let also = also.map(|lines| format!(" A lock around it must be held at {lines} as well."));
    let too_early = published(case, speaker, s).filter(|_| also.is_some());
    format!(
        "{lines}{within} should be one step, but {but}: {other} {does} there.{}{}",
        also.unwrap_or_default(),
        too_early.unwrap_or_default()
    )
}

/// The last change, before the thread goes on, of what it had looked at before it began to wait.
fn taken_in_between(case: &Case, wait: &Operation) -> Option<Operation> {
    let events = &case.scene.events;
    let (waits, thread) = (wait.event?, number(&wait.thread)?);
    let wakes =
        waits + events[waits..].iter().position(|e| e.thread == thread && e.kind == OpKind::CondWake)?;
    let looks = case.looks_before(waits);
    let looked_at = |object: &str| looks.iter().any(|look| events[*look].object == object);
    let changes = |e: &AnnotatedOp| e.thread != thread && e.writes() && looked_at(&e.object);
    let at = waits + events[waits..wakes].iter().rposition(changes)?;
    Some(operation(case.scene, at))
}

/// What is said where a call of a library only looks, another one goes by what it says, and each is one step by itself.
pub fn between_calls(case: &Case, speaker: &Speaker, s: &Stretch) -> Option<String> {
    if s.first.object == s.last.object && super::is_count(&s.first.object) {
        return of_owners(case, speaker, s);
    }
    let call = |op: &Operation| case.shown(op).and_then(|e| e.told.call.clone());
    let (asks, acts) = (call(&s.first)?, call(&s.last)?);
    if !matches!(s.first.operation.as_str(), "read" | "load") || asks.spot == acts.spot {
        return None;
    }
    sentence_of_calls(case, speaker, [&s.first, &s.last, &s.between])
}

/// The same of asking how many owners there are before becoming one.
fn of_owners(case: &Case, speaker: &Speaker, s: &Stretch) -> Option<String> {
    let looks = matches!(s.first.operation.as_str(), "read" | "load");
    let count = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<u64>().ok());
    let told = case.shown(&s.last).map(|e| (count(&e.told.old), count(&e.told.value)));
    let gives_up = told.is_some_and(|(old, new)| new < old);
    let remedy = match (gives_up, is_of_rust(&s.last)) {
        (true, true) => {
            "Do what the last owner does where it is dropped (`Drop`), or go by what `Arc::into_inner` returns."
        }
        (true, false) => "Do what the last owner does in the destructor.",
        (false, _) => "Become an owner first (`lock`, `upgrade`), and go by whether that worked.",
    };
    looks.then(|| {
        format!(
            "{} {} and goes by that at{}; in between {} {}, and it does not hold any more. {remedy}",
            s.first.thread,
            speaker.does(&s.first),
            speaker.at(&s.last).replace(['(', ')'], ""),
            s.between.thread,
            speaker.does_to_it(&s.between)
        )
    })
}

fn is_of_rust(op: &Operation) -> bool {
    op.location.as_ref().is_some_and(|l| l.file.ends_with(".rs"))
}

/// Does it only read what lies under a read-write lock, and take nothing from others who do?
fn only_reads(case: &Case, op: &Operation) -> bool {
    use Meaning::{ReadLocks, ReadUnlocks, WaitsToRead};
    let told = case.shown(op).and_then(|e| e.told.meaning);
    let kind = matches!(op.operation.as_str(), "read-lock" | "try_read-lock" | "read-unlock");
    kind || matches!(told, Some(ReadLocks | ReadUnlocks | WaitsToRead))
}

/// Of two variables that one thread writes and the other one reads in the same order, on two lines: the first may only say
/// that the second is there.
fn published(case: &Case, speaker: &Speaker, s: &Stretch) -> Option<String> {
    let writes = |op: &Operation| matches!(op.operation.as_str(), "write" | "store");
    let reads = |op: &Operation| matches!(op.operation.as_str(), "read" | "load");
    let (flag, data) = (&s.first, &s.last);
    let two = flag.object != data.object && s.after.object == flag.object && s.between.object == data.object;
    let looks = reads(&s.after) && reads(&s.between) && s.after.thread == s.between.thread;
    let line = |op: &Operation| op.location.as_ref().map(|l| (l.file.clone(), l.line));
    let apart = line(&s.after) != line(&s.between) && line(flag) != line(data);
    let in_order = s.after.event.zip(s.between.event).is_some_and(|(first, then)| first < then);
    // Who reads it changes neither.
    let other = number(&s.after.thread)?;
    let changes = |e: &AnnotatedOp| {
        e.thread == other && e.writes() && (e.object == flag.object || e.object == data.object)
    };
    let only_looks = !case.scene.events.iter().any(changes);
    (writes(flag) && writes(data) && two && looks && apart && in_order && only_looks).then(|| {
        let (first, then) = (flag.location.as_ref(), data.location.as_ref());
        let lines = [first, then].map(|l| l.map(|l| speaker.line(l)).unwrap_or_default());
        format!(
            " Or, if {} only says that {} is there: {} must come before {}.",
            flag.object, data.object, lines[1], lines[0]
        )
    })
}

/// What comes in between, by its lines, where it is another stretch of code: `:77 of checkThread`. A lock helps only where that
/// takes it too.
fn others(case: &Case, speaker: &Speaker, s: &Stretch, section: &Section) -> Option<String> {
    let ends = [&s.after, &s.between].map(|op| case.calls(op));
    let same = s.after.thread == s.between.thread;
    let both = if same { common(&ends[0], &ends[1]) } else { None };
    let (from, to) = both.or_else(|| ends[1].first().map(|line| (line, line)))?;
    if from.in_library || to.in_library {
        return None;
    }
    let (method, from, to) = (&from.function, &from.place, &to.place);
    let (first, last) = if from.line <= to.line { (from.line, to.line) } else { (to.line, from.line) };
    let own = section.from.file == from.file && section.from.line <= first && last <= section.to.line;
    let (from, to) = (
        speaker.line(&Location { line: first, ..location(from) }),
        speaker.line(&Location { line: last, ..location(to) }),
    );
    let lines = if first == last { from } else { format!("{from} to {to}") };
    (!own).then(|| format!("{lines}{}", within(method)))
}

/// ` of checkThread`. A lambda has no name worth telling.
fn within(method: &str) -> String {
    match method {
        "" | "operator()" => String::new(),
        method => format!(" of {method}"),
    }
}

/// A lock that the thread holds at both ends, and not all the time.
fn released(case: &Case, s: &Stretch) -> Option<String> {
    let (first, last) = (case.had(s.first.event?), s.last.event.unwrap_or(case.scene.events.len()));
    let thread = number(&s.first.thread)?;
    let before = case.held(thread, first + 1);
    // Its last operation may give it back.
    let after: Vec<_> = [last, last + 1].into_iter().flat_map(|at| case.held(thread, at)).collect();
    let wants = |lock: &str| s.last.event.is_none() && s.last.object == lock;
    before.into_iter().map(|(lock, _)| lock).find(|lock| {
        let between = &case.scene.events[first..last.min(case.scene.events.len())];
        let gives = |e: &AnnotatedOp| e.thread == thread && given_back(e) == Some(lock);
        (after.iter().any(|(l, _)| l == lock) || wants(lock)) && between.iter().any(gives)
    })
}

/// A lock that the thread holds at the beginning alone, and that who comes in between takes for one of its operations at least: kept until
/// the end it would keep that thread out.
fn given_back_early(case: &Case, s: &Stretch) -> Option<String> {
    let (first, last) = (s.first.event?, s.last.event.unwrap_or(case.scene.events.len()));
    let (thread, other) = (number(&s.first.thread)?, number(&s.between.thread)?);
    let others = [&s.between, &s.after].into_iter().filter(|op| op.thread == s.between.thread);
    let theirs: Vec<_> = others.filter_map(|op| op.event).flat_map(|at| case.held(other, at)).collect();
    let later = case.held(thread, last);
    let own = case.held(thread, first).into_iter().map(|(lock, _)| lock);
    let is = |held: &[(String, usize)], lock: &String| held.iter().any(|(name, _)| name == lock);
    own.into_iter().find(|lock| is(&theirs, lock) && !is(&later, lock))
}

/// A lock that the thread holds all the time, and who comes in between does not.
fn kept(case: &Case, s: &Stretch, told: &Operation) -> Option<String> {
    let (first, last) = (s.first.event?, s.last.event.unwrap_or(case.scene.events.len()));
    let (thread, other) = (number(&s.first.thread)?, number(&told.thread)?);
    let others = case.held(other, told.event?);
    let after = case.held(thread, last);
    // The same taking of it: not given back in between.
    case.held(thread, first)
        .into_iter()
        .filter(|held| after.contains(held))
        .map(|(lock, _)| lock)
        .find(|lock| others.iter().all(|(theirs, _)| theirs != lock))
}
