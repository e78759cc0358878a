//! A thread that an object of C++ owns, and that works with members of it that are constructed after the thread was started, or
//! destroyed before it is joined: members are constructed in the order of their declarations, and destroyed the other way round.

use super::Kind;
use crate::annotate::annotated_trace::{AnnotatedOp, Call};
use crate::annotate::functions::{is_constructor, is_destructor};
use crate::annotate::location;
use crate::explain::case::{Case, number, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// A constructor that goes on behind the start of the object's own thread, or a destructor that joins it late.
pub struct OwnedThread;

impl Kind for OwnedThread {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let (makes, uses, text) = sides(case).into_iter().find_map(|(makes, uses)| {
            let text =
                destroys(case, speaker, &makes, &uses).or_else(|| constructs(case, speaker, &makes, &uses));
            text.map(|text| (makes, uses, text))
        })?;
        let mut objects = vec![makes.object.clone(), uses.object.clone()];
        objects.dedup();
        Some(Mistake { kind: "object lifetime".into(), text, section: None, objects })
    }
}

/// Pairs of which the first may belong to a constructor or destructor, and the second to a thread of the object.
fn sides(case: &Case) -> Vec<(Operation, Operation)> {
    let race = match &case.ends.race[..] {
        [first, second] => vec![(first.clone(), second.clone())],
        _ => Vec::new(),
    };
    let orders = case.orders().map(|(first, then)| (first.clone(), then.clone()));
    let both = |(a, b): (Operation, Operation)| [(a.clone(), b.clone()), (b, a)];
    let mut all: Vec<_> = race.into_iter().chain(orders).flat_map(both).collect();
    all.extend(last_read(case));
    all.retain(|(makes, uses)| makes.thread != uses.thread && changes(makes));
    all
}

fn changes(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "write" | "store" | "rmw" | "free")
}

/// What the thread that failed has read last, and the last of the others that has written it.
fn last_read(case: &Case) -> Option<(Operation, Operation)> {
    let (events, thread) = (&case.scene.events, case.thread?);
    let reads = events.iter().rposition(|e| e.thread == thread && e.reads())?;
    let writes = |e: &AnnotatedOp| e.thread != thread && e.writes() && e.object == events[reads].object;
    let written = events[..reads].iter().rposition(writes)?;
    Some((operation(case.scene, written), operation(case.scene, reads)))
}

/// A member is destroyed in the same place of a destructor in which the thread is joined, and before that: what a body does has
/// places of its own.
fn destroys(case: &Case, speaker: &Speaker, makes: &Operation, uses: &Operation) -> Option<String> {
    let (at, thread) = (makes.event?, number(&makes.thread)?);
    let joins = |e: &AnnotatedOp| e.thread == thread && e.kind == OpKind::Join && e.object == uses.thread;
    let joined = case.scene.events[at..].iter().find(|e| joins(e)).map(|e| &e.calls[..]);
    let stuck = case.scene.pending.get(&thread).map(|calls| &calls[..]);
    let behind = |call: &Call| joined.or(stuck).is_some_and(|calls| calls.contains(call));
    let destructor = functions(case.calls(makes), is_destructor).find(|call| behind(call))?;
    Some(format!(
        "{} destroys what {} still uses{}: {} ({}) ends members in the reverse order of their declarations, and joins {} behind \
         that. Declare the thread last, so that it is joined first, or join it in the destructor's body.",
        makes.thread,
        uses.thread,
        speaker.at(uses),
        destructor.function,
        speaker.line(&location(&destructor.place)),
        uses.thread
    ))
}

/// A constructor has started the thread, and goes on.
fn constructs(case: &Case, speaker: &Speaker, makes: &Operation, uses: &Operation) -> Option<String> {
    let (at, thread) = (makes.event?, number(&makes.thread)?);
    let constructor = functions(case.calls(makes), is_constructor).next()?;
    let spawns = |e: &&AnnotatedOp| {
        let is_there = |call: &Call| call.function == constructor.function;
        e.thread == thread
            && e.kind == OpKind::Spawn
            && e.object == uses.thread
            && e.calls.iter().any(is_there)
    };
    case.scene.events[..at].iter().find(spawns)?;
    Some(format!(
        "{} starts {} in {} before it {} there, which {} uses{}. Start the thread when all that it uses is there: declare it as \
         the last member, or start it at the end of the constructor.",
        makes.thread,
        uses.thread,
        constructor.function,
        speaker.does(makes),
        uses.thread,
        speaker.at(uses)
    ))
}

/// Those of the program's own functions that are such, the innermost first.
fn functions(calls: Vec<Call>, is: fn(&str) -> bool) -> impl Iterator<Item = Call> {
    calls.into_iter().filter(move |call| !call.in_library && is(&call.function))
}
