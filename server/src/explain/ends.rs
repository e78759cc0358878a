//! How an execution ended, in the program's own terms, for whoever looks for the mistake.

use super::case::{Ends, Misused, TooWeak, Wait, operation};
use crate::annotate::annotated_trace::{AnnotatedOp, AnnotatedTrace, Places};
use crate::annotate::names::Names;
use crate::annotate::uncaught;
use crate::annotate::waits::{self, waits_for_rwlock};
use raddle_engine::analysis::misuse;
use raddle_engine::summary::UsedDestroyed;
use raddle_engine::{Access, Blocked, Failure, FailureKind, WaitCycle};
use raddle_protocol::explanation::Operation;
use raddle_schedule::misuse::{Destroyed, Involved, Part, What};
use raddle_schedule::{Event, OpKind, Trace};

/// Both sides of a race, or the threads that cannot go on: those of the cycle, where there is one.
pub fn ends(
    f: &Failure,
    cycle: Option<&WaitCycle>,
    trace: &Trace,
    places: &Places,
    names: &mut Names,
    scene: &AnnotatedTrace,
) -> Ends {
    let side = |a: &Access| side(a, trace, scene);
    let race: Vec<Operation> =
        f.race.iter().filter_map(|r| Some([side(&r.first)?, side(&r.second)?])).flatten().collect();
    let stuck = matches!(f.kind, FailureKind::Deadlock | FailureKind::Livelock);
    let keeps = |b: &&Blocked| b.kind != OpKind::Join || waits::keeps(b.thread, &f.blocked, places, names);
    let blocked: Vec<&Blocked> = f.blocked.iter().filter(|_| stuck).filter(keeps).collect();
    let of_cycle = |thread: u8| cycle.is_none_or(|c| c.waits.iter().any(|w| w.thread == thread));
    let mut waits: Vec<Wait> = blocked
        .into_iter()
        .filter(|b| of_cycle(b.thread))
        .map(|b| {
            if let Some(stands) = places.outer().stands(b.thread, b.site) {
                let place = places.stands(b.thread, b.site);
                let (kind, objects) = match (rwlock(b, names), stands.role) {
                    (Some(kind), _) => (kind, vec![names.object(b.kind, b.object)]),
                    (None, Some(role)) => (role.kind, vec![names.object(role.kind, role.object)]),
                    (None, None) => (OpKind::Pending, vec![stands.call.on.clone()]),
                };
                let to = stands.call.says.as_ref().filter(|_| stands.role.is_none()).map(|says| says.to);
                return Wait { thread: b.thread, kind, to, objects, place };
            }
            let objects = match b.spins_on.is_empty() {
                true => vec![names.object(b.kind, b.object)],
                false => b.spins_on.iter().map(|(kind, object)| names.object(*kind, *object)).collect(),
            };
            let kind = rwlock(b, names).unwrap_or(b.kind);
            Wait { thread: b.thread, kind, to: None, objects, place: places.stands(b.thread, b.site) }
        })
        .collect();
    // An execution that went on beside the cycle may have ended otherwise.
    for w in cycle.iter().flat_map(|c| &c.waits) {
        if waits.iter().all(|known| known.thread != w.thread) {
            let objects = vec![names.object(w.kind, w.object)];
            waits.push(Wait {
                thread: w.thread,
                kind: w.kind,
                to: None,
                objects,
                place: places.stands(w.thread, w.site),
            });
        }
    }
    let misuse = misused(f, trace, places);
    let too_weak = f.race.as_ref().and_then(|race| too_weak([&race.first, &race.second], trace, scene));
    let is_pure_call =
        f.kind == FailureKind::Crash && uncaught::is_pure_call(&String::from_utf8_lossy(&trace.output));
    let is_unjoined = f.kind == FailureKind::Crash && ends_in_thread(trace, places);
    let given = given(&race, trace, places, scene);
    Ends { race, too_weak, given, waits, follow_a_panic: false, misuse, is_pure_call, is_unjoined }
}

/// How it would take the read-write lock whose word it waits for, if it is such.
fn rwlock(b: &Blocked, names: &Names) -> Option<OpKind> {
    let (_, writes) = waits_for_rwlock(b, names)?;
    Some(if writes { OpKind::WriteLock } else { OpKind::ReadLock })
}

/// Did it end inside of a `std::thread` that ends, or gets another thread, while it still has one?
fn ends_in_thread(trace: &Trace, places: &Places) -> bool {
    let end = trace.stacks.iter().find(|s| s.event as usize == trace.events.len());
    let of_thread = |function: &str| {
        function.starts_with("std::thread::~thread") || function.starts_with("std::thread::operator=")
    };
    let inside = |address: &u64| {
        let frames = places.symbols.frames(address.wrapping_sub(1));
        frames.iter().any(|frame| of_thread(&frame.function))
    };
    end.is_some_and(|stack| stack.frames.iter().any(inside))
}

/// The call that spawns the reader of a race and has the address of the variable among its arguments, if the writer made it and writes
/// behind it.
fn given(race: &[Operation], trace: &Trace, places: &Places, scene: &AnnotatedTrace) -> Option<Operation> {
    let reads = race.iter().find(|side| side.operation == "read")?;
    let writes = race.iter().find(|side| side.operation == "write")?;
    let is_spawn = |e: &&AnnotatedOp| {
        e.kind == OpKind::Spawn && e.object == reads.thread && format!("T{}", e.thread) == writes.thread
    };
    let spawn = scene.events.iter().find(is_spawn)?;
    let spot = places.spot(trace.events.get(spawn.index)?.site)?;
    let line = places.sources.line(&spot.file, spot.line);
    let address = format!("&{}", reads.object);
    let is_passed = line.match_indices(&address).any(|(at, _)| {
        let after = line[at + address.len()..].chars().next();
        !after.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '[' || c == '.')
    });
    let at = scene.events.iter().position(|e| e.index == spawn.index)?;
    (is_passed && writes.event.is_some_and(|w| w > at)).then(|| operation(scene, at))
}

/// The misuse that a failure is, and who has a part in it.
pub fn misused(f: &Failure, trace: &Trace, places: &Places) -> Option<Misused> {
    let part = |i: &Involved| {
        let within = match places.method(i.method).as_str() {
            "" => String::new(),
            method if i.part == Part::Returned => format!(" from {method}"),
            method => format!(" in {method}"),
        };
        (format!("T{} {}{within}", i.thread, misuse::part(i)), places.site(i.site))
    };
    if let Some(found) = &f.used_destroyed {
        let uses = format!("T{} {}", found.user.thread, misuse::uses(found));
        let mut parts = vec![part(&found.destroyed.by), (uses, places.site(found.user.site))];
        let (what, first) = (found.destroyed.misuse(), found.user.event < found.destroyed.at);
        let early = what == What::InitInUse && first && !initialised_before(found, trace);
        if early {
            parts.reverse();
        }
        return Some(Misused { what, parts, early });
    }
    let misuse = trace.misuse.as_ref().filter(|_| f.kind == FailureKind::Crash)?;
    let involved = misuse::involved(misuse, trace);
    let has_ended = |thread| trace.events.iter().any(|e| e.thread() == thread && e.kind() == OpKind::Exit);
    let keeps = involved.iter().filter(|i| i.part == Part::Holds && has_ended(i.thread));
    let keeps = keeps.map(|i| (format!("T{} has ended without unlocking it", i.thread), None));
    let parts = involved.iter().map(part).chain(keeps).collect();
    Some(Misused { what: misuse.what, parts, early: false })
}

/// Is the object initialised in this execution at another time too? Then nobody knows which one it waits for.
fn initialised_before(found: &UsedDestroyed, trace: &Trace) -> bool {
    let same = |d: &&Destroyed| d.object == found.destroyed.object && d.by.part == Part::Initialised;
    trace.destroyed.iter().filter(same).nth(1).is_some()
}

/// How the first side's thread tells the second one's of what it did, if that is by one store after it, which is the last one before the
/// load that takes it, and one of the two is too weak to order what is around them. A fence may make up for that: then nothing is said.
fn too_weak(sides: [&Access; 2], trace: &Trace, scene: &AnnotatedTrace) -> Option<TooWeak> {
    let [first, second] = [event_of(sides[0], trace)?, event_of(sides[1], trace)?];
    let (events, threads) = (&trace.events, sides.map(|a| a.thread));
    let fences = |e: &Event| e.kind() == OpKind::Fence && threads.contains(&e.thread());
    if first > second || events[..second].iter().any(fences) {
        return None;
    }
    let stores = |e: &Event| matches!(e.kind(), OpKind::AtomicStore | OpKind::AtomicRmw) && !e.failed();
    let loads = |e: &Event| matches!(e.kind(), OpKind::AtomicLoad | OpKind::AtomicRmw);
    let taken = |load: usize| {
        let of_it = |e: &Event| stores(e) && e.object() == events[load].object();
        let store = first + 1 + events[first + 1..load].iter().rposition(of_it)?;
        (events[store].thread() == threads[0]).then_some((store, load))
    };
    let own = (first + 1..second).filter(|at| events[*at].thread() == threads[1] && loads(&events[*at]));
    let pairs: Vec<(usize, usize)> = own.filter_map(taken).collect();
    // Which of several is meant is not known.
    let [(store, load)] = pairs[..] else { return None };
    let sides = [!events[store].order().releases(), !events[load].order().acquires()];
    let shown = |index: usize| {
        let event = scene.events.iter().position(|e| e.index == index)?;
        Some(operation(scene, event)).filter(|_| !scene.events[event].told.part)
    };
    Some(TooWeak { store: shown(store)?, load: shown(load)?, sides })
        .filter(|weak| weak.sides.contains(&true))
}

/// Where an access of a race is among the events of the execution with everything recorded.
fn event_of(a: &Access, trace: &Trace) -> Option<usize> {
    let is_it =
        |e: &Event| (e.thread(), e.kind(), e.site, e.object()) == (a.thread, a.kind, a.site, a.object);
    trace.events.iter().rposition(is_it)
}

/// One side of a race in the execution with everything recorded.
fn side(a: &Access, trace: &Trace, scene: &AnnotatedTrace) -> Option<Operation> {
    let index = event_of(a, trace)?;
    let event = scene.events.iter().position(|e| e.index == index)?;
    Some(operation(scene, event))
}
