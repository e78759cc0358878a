//! From a failure that the engine found to what is told about it: its message in the program's
//! own names, its place, its story.

use super::screen;
use crate::annotate::annotated_trace::{AnnotatedTrace, Places};
use crate::annotate::names::Names;
use crate::annotate::race::{Side, access};
use crate::annotate::story::Line;
use crate::annotate::verdict::Verdict;
use crate::annotate::{
    cycle, enclosing_function, environment, events, lanes, location, operands, panics, story, uncaught, waits,
};
use crate::explain::case::Ends;
use crate::explain::ends::{ends, misused};
use crate::explain::plain::explanation;
use crate::target::Place;
use raddle_engine::analysis::misuse;
use raddle_engine::{Access, Blocked, Failure, FailureKind};
use raddle_protocol::explanation::Value;
use raddle_protocol::report;
use raddle_schedule::misuse::{Misuse, Part, What};
use raddle_schedule::{OpKind, Schedule, Trace};

/// What one failure is told with, beside what programs get.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The execution, line by line.
    pub lines: Vec<Line>,
    /// The facts after it: both sides of a race, who waits for whom.
    pub facts: Vec<(String, Option<Place>)>,
    /// What brought a failure about; the last of the lines then.
    pub end: Option<Line>,
    /// What the variables of a failed assertion were.
    pub saw: Vec<Value>,
    /// The thread that did.
    pub ended_by: Option<u8>,
    /// The thread whose failure led to that, where it ended by what another one had left.
    pub caused_by: Option<u8>,
    /// Of a deadlock that others go on beside: who.
    pub others: Option<Line>,
    /// Of threads that wait: who could have ended that, in sentences.
    pub notes: Vec<String>,
    /// Which variables of the environment the program asked for that are not set.
    pub unset: Vec<String>,
    /// All of a failure on one screen.
    pub screen: Vec<screen::Line>,
}

/// A failure ready to be reported.
pub struct Presented {
    /// For programs.
    pub failure: report::Failure,
    /// For people.
    pub told: Told,
    /// The execution.
    pub scene: AnnotatedTrace,
    /// How it ended.
    pub ends: Ends,
}

/// Presents a failure with the trace of its execution in detail.
///
/// `test`: where the test is written, for a failure that has no place at all.
pub fn present(
    f: &Failure,
    trace: &Trace,
    places: &Places,
    schedule: &Schedule,
    test: Option<&Place>,
    replay: String,
) -> Presented {
    let mut names = Names::new(places.symbols);
    let mut scene = AnnotatedTrace::new(trace, places, &mut names);
    let is_destroyed = |m: &&Misuse| m.what == What::UseOfDestroyed;
    let destroyed = trace.misuse.as_ref().filter(is_destroyed).map(|m| m.object);
    let destroyed = f.used_destroyed.as_ref().map(|found| found.destroyed.object).or(destroyed);
    if let Some(object) = destroyed {
        scene.mark_destroyed(object, trace, places, &mut names);
    }
    let scene = scene;
    let race = f.race.map(|r| [r.first, r.second].map(|a| Side::new(&a, trace, &scene, places, &mut names)));
    let facts = match &race {
        Some(sides) => sides.iter().flat_map(Side::told).collect(),
        None => facts(f, trace, places, &mut names),
    };
    let cycle = cycle::of(f, trace);
    let closes = cycle.as_ref().and_then(|c| Some((cycle::position(c, &scene)?, c)));
    let message = match &cycle {
        Some(cycle) => format!("deadlock: {}", cycle::describe(cycle, &mut names)),
        None => message(f, trace, places, &mut names),
    };
    let place = match (&race, f.kind) {
        (Some([_, second]), _) => second.place().cloned(),
        // Where one waits that does not only wait for another's end.
        (None, FailureKind::Deadlock | FailureKind::Livelock) => {
            let waits = f.blocked.iter().find(|b| b.kind != OpKind::Join);
            let first = cycle.as_ref().and_then(|c| c.waits.first());
            first
                .map(|w| (w.thread, w.site))
                .or(waits.map(|b| (b.thread, b.site)))
                .and_then(|(t, site)| places.stands(t, site))
        }
        _ => None,
    };
    // What a test returns, or leaves undone, is nowhere in it.
    let judged = Verdict::of(f, trace).and(test.cloned());
    let place = place.or(judged).or_else(|| failed_at(f, trace, places, &scene)).or_else(|| test.cloned());
    let is_cycle = cycle.is_some() || f.kind != FailureKind::Deadlock;
    let left_waiting = panics::left_waiting(trace, &f.blocked).filter(|_| !is_cycle);
    let cause = panics::cause(trace).or(left_waiting);
    let (message, headline) = match cause {
        Some(cause) => {
            let message = match left_waiting {
                Some(_) => panics::with(cause, &format!("; then {message}")),
                None => panics::because(cause, f.thread, &trace.message),
            };
            (message, places.site(cause.site).or_else(|| place.clone()))
        }
        None => (message, place.clone()),
    };
    let (lines, others) = match closes {
        Some((position, cycle)) => {
            let (until, others) = cycle::up_to(position, cycle, &scene);
            (story::tell(&until).into_iter().chain(others.clone()).collect(), others)
        }
        None => (story::tell(&scene), None),
    };
    let notes = f.blocked.iter().filter_map(|b| waits::sentence(b, places, &mut names)).collect();
    let goes_on = scene.events.last().is_some_and(|e| e.thread == f.thread);
    let mut saw = operands::told(f, trace, places);
    if saw.is_empty() && (f.kind == FailureKind::Panic || left_waiting.is_some()) {
        saw = panics::compared(cause.map_or(&message, |cause| &cause.message));
    }
    let end = match panics::passed_on(trace) {
        Some(thread) => Some(passes_on(thread, &scene)),
        None => last_line(f, trace, goes_on, &place, &saw),
    };
    let ended_by = end.is_some().then_some(f.thread).or(left_waiting.map(|cause| cause.thread));
    let caused_by = ended_by.map(|thread| cause.map_or(thread, |cause| cause.thread));
    let unset = if ended_by.is_some() { environment::unset(trace, places) } else { Vec::new() };
    let screen = Vec::new();
    let mut told = Told { lines, facts, end, saw, ended_by, caused_by, others, notes, unset, screen };
    told.lines.extend(told.end.clone());
    let failure = report::Failure {
        kind: f.kind.name().to_string(),
        message,
        location: headline.as_ref().map(location),
        thread: cause
            .map(|cause| cause.thread)
            .or_else(|| failing(f))
            .map(|t| format!("T{t}"))
            .unwrap_or_default(),
        method: method(f, headline.as_ref(), &scene, places),
        preemptions: f.preemptions,
        switches: f.switches,
        schedule: schedule.to_string(),
        events: events(&scene),
        left_out: scene.left_out,
        threads: lanes::threads(trace, &scene, places, &mut names),
        cycle: cycle.as_ref().map(|c| cycle::waits(c, places, &mut names)).unwrap_or_default(),
        forms_at: closes.map(|(position, _)| position as u32),
        race: race.as_ref().map(|[a, b]| report::Race { first: a.report(&scene), second: b.report(&scene) }),
        found_after: f.found_after,
        simplified: None,
        explained: None,
        explanation: explanation(&told),
        output: String::from_utf8_lossy(&trace.output).into_owned(),
        replay,
    };
    let mut ends = ends(f, cycle.as_ref(), trace, places, &mut names, &scene);
    ends.follow_a_panic = left_waiting.is_some();
    Presented { failure, told, scene, ends }
}

/// The function in which it failed; where nothing says which that is, the one in which the thread was seen last.
fn method(f: &Failure, place: Option<&Place>, scene: &AnnotatedTrace, places: &Places) -> String {
    let around =
        place.map(|place| enclosing_function::function(place, scene, places)).filter(|name| !name.is_empty());
    around.unwrap_or_else(|| last_method(f, scene))
}

/// The function in which the thread that failed was seen last; empty where there is none.
pub fn last_method(f: &Failure, scene: &AnnotatedTrace) -> String {
    let last = scene.events.iter().rev().find(|e| e.thread == f.thread);
    last.map(|e| e.method.clone()).unwrap_or_default()
}

/// Who failed, where it was one thread.
fn failing(f: &Failure) -> Option<u8> {
    match (&f.race, f.kind) {
        (Some(race), _) => Some(race.second.thread),
        (None, FailureKind::Deadlock | FailureKind::Livelock | FailureKind::Nondeterminism) => None,
        (None, _) => Some(f.thread),
    }
}

/// The end of the story, where a thread brought it about.
fn last_line(
    f: &Failure,
    trace: &Trace,
    goes_on: bool,
    place: &Option<Place>,
    saw: &[Value],
) -> Option<Line> {
    let what = match f.kind {
        _ if f.used_destroyed.is_some() => return None,
        FailureKind::Panic if !saw.is_empty() => "fails the assertion",
        FailureKind::Panic => Verdict::of(f, trace).map_or("panics", |v| v.what()),
        FailureKind::Assertion => "fails the assertion",
        FailureKind::Crash => trace.misuse.as_ref().map_or("crashes", |m| misuse::head(m.what)),
        FailureKind::Exit => "exits",
        FailureKind::Hang => "goes on without a schedule point",
        _ => return None,
    };
    let who = if goes_on { String::new() } else { format!("T{}", f.thread) };
    Some(Line::Step {
        who,
        what: if saw.is_empty() { what.to_string() } else { format!("{what}: {}", operands::text(saw)) },
        place: place.clone(),
        method: String::new(),
        note: String::new(),
        marked: true,
    })
}

/// The end of the story where a thread's panic, told where it happened, ends the test by way of main.
fn passes_on(thread: u8, scene: &AnnotatedTrace) -> Line {
    Line::Step {
        who: "T0".into(),
        what: format!("passes on the panic of T{thread}"),
        place: scene.events.iter().rev().filter(|e| e.thread == 0).find_map(|e| e.place.clone()),
        method: String::new(),
        note: String::new(),
        marked: true,
    }
}

/// Where it failed: what the program said, the faulting instruction, or the nearest user frame.
fn failed_at(f: &Failure, trace: &Trace, places: &Places, scene: &AnnotatedTrace) -> Option<Place> {
    let last = || scene.events.iter().rev().filter(|e| e.thread == f.thread).find_map(|e| e.place.clone());
    let fault = || (trace.pc != 0).then(|| places.code(trace.pc)).flatten();
    places.site(f.site).or_else(fault).or_else(|| scene.end.clone()).or_else(last)
}

fn message(f: &Failure, trace: &Trace, places: &Places, names: &mut Names) -> String {
    match (&f.race, f.kind) {
        (Some(race), _) => {
            let object = names.object(race.first.kind, race.first.object);
            let (a, b) = (&race.first, &race.second);
            format!(
                "data race on {object}{}: {} by T{} and {} by T{} without happens-before order",
                bytes(a, b),
                access(a),
                a.thread,
                access(b),
                b.thread
            )
        }
        (None, FailureKind::Deadlock | FailureKind::Livelock) if !f.blocked.is_empty() => {
            // A thread that only waits for the end of another is not what locked up, if there is more and nobody waits for it.
            let joins =
                |b: &&Blocked| b.kind == OpKind::Join && !waits::keeps(b.thread, &f.blocked, places, names);
            let all = f.blocked.iter().all(|b| joins(&b));
            let told: Vec<&Blocked> = f.blocked.iter().filter(|b| all || !joins(b)).collect();
            let waits: Vec<String> = told.into_iter().map(|b| waits::wait(b, places, names)).collect();
            format!("{}: {}", f.kind.name(), waits.join("; "))
        }
        (None, _) if let Some(found) = &f.used_destroyed => {
            let whose = places.method(found.destroyed.by.method);
            misuse::describe_destroyed(found, &whose, &mut |kind, object| names.object(kind, object))
        }
        (None, FailureKind::Crash) if let Some(misuse) = &trace.misuse => {
            let returned = misuse.involved.iter().find(|i| i.part == Part::Returned);
            let whose = returned.map(|i| places.method(i.method)).unwrap_or_default();
            misuse::describe(misuse, f.thread, &whose, &mut |kind, object| names.object(kind, object))
        }
        (None, FailureKind::Panic) if let Some(verdict) = Verdict::of(f, trace) => verdict.message(),
        (None, FailureKind::Crash)
            if f.message == "aborted"
                && let Some(said) = uncaught::said(&String::from_utf8_lossy(&trace.output)) =>
        {
            said
        }
        (None, FailureKind::Crash) => with_signal(names.rename(&f.message), f.code as i32),
        _ => names.rename(&f.message),
    }
}

/// How many bytes a race is about: of a free it is unknown, since what was asked for is not what lies there.
fn bytes(a: &Access, b: &Access) -> String {
    let sizes = [a, b].into_iter().filter(|side| side.kind != OpKind::Free).map(|side| side.size);
    match sizes.max() {
        None | Some(0) => String::new(),
        Some(1) => " (1 byte)".to_string(),
        Some(bytes) => format!(" ({bytes} bytes)"),
    }
}

/// The signal's name, where the message has not said it.
fn with_signal(message: String, number: i32) -> String {
    let name = crate::runner::signal_name(number);
    if message.contains("SIG") || number == 0 { message } else { format!("{name}: {message}") }
}

/// The facts after the story: every thread of a deadlock or livelock. (Of a race: [`Side::told`].)
fn facts(f: &Failure, trace: &Trace, places: &Places, names: &mut Names) -> Vec<(String, Option<Place>)> {
    if let Some(misused) = misused(f, trace, places) {
        return misused.parts;
    }
    if !matches!(f.kind, FailureKind::Deadlock | FailureKind::Livelock) {
        return Vec::new();
    }
    f.blocked.iter().map(|b| (waits::wait(b, places, names), places.stands(b.thread, b.site))).collect()
}
