//! The operations of a failing execution, in columns: who, what, where. Where it is known what decides, that and
//! the end are shown, and nothing else; otherwise what threads share, as far as there is room.

use super::columns::{Row, layout, name_first};
use super::{Line, span};
use crate::annotate::annotated_trace::{AnnotatedOp, AnnotatedTrace};
use crate::annotate::story::{self, tell_within};
use crate::explain::case::{Case, Wait};
use crate::explain::context::{context, deciding};
use crate::explain::occurrence::nth;
use crate::explain::present::Told;
use crate::explain::sentence::Speaker;
use crate::target::Place;
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::wrap;
use raddle_protocol::explanation::Operation;
use raddle_schedule::OpKind;
use std::collections::BTreeSet;

/// How many lines of one run of a thread, and how many runs: the first that fits is taken.
const STEPS: [(usize, usize); 7] = [(6, 24), (5, 16), (4, 12), (3, 10), (2, 8), (2, 6), (2, 4)];

/// The table, in at most so many lines. What comes behind the first so many events has no part in it.
pub fn table(case: &Case, told: &Told, until: usize, room: usize, paint: Paint) -> Vec<Line> {
    let deciding: BTreeSet<usize> = deciding(case).into_iter().map(|at| case.had(at)).collect();
    let mut ends = ends(case, told);
    let events = case.scene.events.iter().take(until).cloned().collect();
    let scene = &AnnotatedTrace { file: Speaker::new(case).file().to_string(), ..case.scene.with(events) };
    let room_for_steps = room.saturating_sub(ends.len() + usize::from(told.others.is_some())).max(3);
    let is_known = !deciding.is_empty();
    let only = is_known.then(|| with_context(case, scene, &deciding, until, room_for_steps));
    let mut lines = match &only {
        Some(only) => tell(only, usize::MAX, usize::MAX),
        None => full_with_context(case, scene, until, room_for_steps)
            .unwrap_or_else(|| as_fits(&with_accused(case, scene), room_for_steps)),
    };
    shorten(&mut lines, room_for_steps);
    let last = lines.iter().rev().find_map(|l| match l {
        story::Line::Step { who, .. } => who.split(' ').next().filter(|w| !w.is_empty()),
        _ => None,
    });
    // Whose end it is, if that is not who did what stands above it.
    if let (Some(thread), Some(story::Line::Step { who, .. })) = (case.thread, ends.first_mut()) {
        let by = if who.is_empty() { format!("T{thread}") } else { who.clone() };
        *who = if Some(by.as_str()) == last { String::new() } else { by };
    }
    lines.extend(told.others.iter().cloned());
    lines.extend(ends);
    let mut rows: Vec<Row> = lines.iter().map(|l| Row::new(l, is_known, paint)).collect();
    name_first(&mut rows, case, &scene.file);
    let mut shown = layout(&rows, (&scene.file, &scene.names), room, paint);
    let told = |e: &&AnnotatedOp| e.matters;
    // Accesses to memory that no other thread touches are nobody's business.
    let counts = |e: &&AnnotatedOp| !e.kind.is_data() || e.matters;
    let all = scene.events.iter().filter(counts).count();
    let left_out = only.map_or(0, |only| all.saturating_sub(only.events.iter().filter(told).count()));
    if left_out > 0 && shown.len() < room {
        let s = if left_out == 1 { "" } else { "s" };
        let other = crate::terminal::numbers::group(left_out as u64);
        let mut text = format!("     … {other} other operation{s}");
        text += &match scene.left_out {
            0 => ", all in --json".to_string(),
            1 => " in --json; 1 plain access left out".to_string(),
            n => format!(" in --json; {} plain accesses left out", crate::terminal::numbers::group(n)),
        };
        let lines = wrap::below(&paint.symbols(&text), 5, paint.columns());
        if shown.len() + lines.len() <= room {
            shown.extend(lines.into_iter().map(|text| vec![span(Ink::Quiet, text)]));
        }
    }
    shown
}

/// All that threads share, and what explains the end though nobody changes it: what a thread that waits had looked at.
/// None if that does not fit.
fn full_with_context(
    case: &Case,
    scene: &AnnotatedTrace,
    until: usize,
    room: usize,
) -> Option<Vec<story::Line>> {
    let mut marked = scene.with(scene.events.clone());
    for at in context(case, &BTreeSet::new(), until) {
        marked.events.get_mut(at)?.matters = true;
    }
    let lines = tell(&marked, usize::MAX, usize::MAX);
    (lines.len() <= room).then_some(lines)
}

/// With a mark at the operation that failed, where its thread has gone on behind it.
fn with_accused(case: &Case, scene: &AnnotatedTrace) -> AnnotatedTrace {
    let mut marked = scene.with(scene.events.clone());
    let is_there = |e: &AnnotatedOp| {
        let place = e.place.as_ref().zip(case.failed);
        case.thread.is_none_or(|thread| e.thread == thread)
            && place.is_some_and(|(place, failed)| place.line == failed.line && place.file == failed.file)
    };
    if let Some(at) = scene.events.iter().rposition(is_there)
        && scene.events[at + 1..].iter().any(|e| e.matters && e.thread == scene.events[at].thread)
    {
        (marked.events[at].decisive, marked.events[at].matters) = (true, true);
    }
    marked
}

/// All that threads share, as far as it fits. What crates do in threads of theirs is left out first, then births and ends of threads.
fn as_fits(scene: &AnnotatedTrace, room: usize) -> Vec<story::Line> {
    let always = |e: &AnnotatedOp| e.preemption.is_some() || e.after.is_some();
    let is_own = |e: &AnnotatedOp| {
        let file = e.place.as_ref().map(|place| place.file.as_str());
        file.is_none_or(|file| raddle_schedule::dependency::of(file).is_none())
    };
    let all_fits = || tell(scene, usize::MAX, usize::MAX).len() <= room;
    let is_all_own = scene.events.iter().all(|e| !e.matters || is_own(e));
    let own = |e: &&AnnotatedOp| always(e) || is_own(e);
    let scene = match is_all_own || all_fits() {
        true => scene,
        false => &scene.with(scene.events.iter().filter(own).cloned().collect()),
    };
    let full = tell(scene, STEPS[0].0, STEPS[0].1);
    if full.len() <= room {
        return full;
    }
    let birth = |e: &AnnotatedOp| matches!(e.kind, OpKind::Spawn | OpKind::Join);
    let stays = |e: &&AnnotatedOp| always(e) || e.matters && !birth(e);
    let scene = scene.with(scene.events.iter().filter(stays).cloned().collect());
    let mut tried = STEPS.iter().map(|(block, blocks)| tell(&scene, *block, *blocks));
    tried.find(|lines| lines.len() <= room).unwrap_or_else(|| tell(&scene, 2, 4))
}

/// What decides, and as much as fits of what explains it.
fn with_context(
    case: &Case,
    scene: &AnnotatedTrace,
    deciding: &BTreeSet<usize>,
    until: usize,
    room: usize,
) -> AnnotatedTrace {
    let mut beside = context(case, deciding, until);
    loop {
        let only = only(case, scene, deciding, &beside);
        if beside.is_empty() || tell(&only, usize::MAX, usize::MAX).len() <= room {
            return only;
        }
        beside.pop();
    }
}

/// The execution without what neither decides nor is to be shown beside it; where it failed stays.
fn only(case: &Case, scene: &AnnotatedTrace, deciding: &BTreeSet<usize>, beside: &[usize]) -> AnnotatedTrace {
    let failed = |e: &AnnotatedOp| {
        let place = e.place.as_ref().zip(case.failed);
        Some(e.thread) == case.thread && place.is_some_and(|(p, l)| p.line == l.line && p.file == l.file)
    };
    let last = scene.events.iter().rposition(|e| !failed(e)).map_or(0, |at| at + 1);
    let mut events = Vec::new();
    let locks = deciding.iter().any(|at| !scene.events.get(*at).is_none_or(|e| e.holding.is_empty()));
    for (i, e) in scene.events.iter().enumerate() {
        let (decides, beside) = (deciding.contains(&i), beside.contains(&i));
        if decides || beside || i >= last || e.preemption.is_some() || e.after.is_some() {
            let is_inner = e.within_std && e.object.starts_with("memory ");
            let matters = decides || beside || i >= last && !e.looks() && !is_inner;
            let entry = scene.threads.get(&e.thread).map(|t| t.entry.as_str());
            let method = if entry == Some(&e.method) { e.method.clone() } else { within(e, scene) };
            let note = note(e, decides && locks);
            events.push(AnnotatedOp { matters, decisive: decides, method, note, ..e.clone() });
        }
    }
    scene.with(events)
}

/// How often its thread has come there, and which locks it holds: of what works on data, where locks matter.
fn note(e: &AnnotatedOp, locks: bool) -> String {
    let time = match e.time {
        0 | 1 => None,
        n => Some(format!("{} time here", nth(n))),
    };
    use OpKind::*;
    let on_data = matches!(e.kind, Read | Write | AtomicLoad | AtomicStore | AtomicRmw | Free);
    let holding =
        (locks && on_data && e.told.meaning.is_none() && !e.told.part).then(|| match e.holding.len() {
            0 => "holding no lock".to_string(),
            _ => format!("holding {}", e.holding.join(", ")),
        });
    time.into_iter().chain(holding).collect::<Vec<_>>().join(", ")
}

/// Its function, and the line that called it: `look, from :51`. What a helper does is shown at that line, see [`tell`].
fn within(e: &AnnotatedOp, scene: &AnnotatedTrace) -> String {
    match e.calls.get(1).filter(|_| !e.method.is_empty() && scene.helpers.split(&e.calls).is_none()) {
        Some(call) => format!("{}, from {}", e.method, scene.line(&call.place)),
        None => e.method.clone(),
    }
}

/// Tells an execution with what helpers do at the lines that call them: `Bank::transfer via Bank::lock :53`.
fn tell(scene: &AnnotatedTrace, most: usize, most_blocks: usize) -> Vec<story::Line> {
    let seen = |e: &AnnotatedOp| {
        let Some((helper, caller)) = scene.helpers.split(&e.calls) else { return e.clone() };
        let is_entry = scene.threads.get(&e.thread).is_some_and(|t| t.entry == caller.function);
        let around = if is_entry { String::new() } else { format!("{} ", caller.function) };
        let method = format!("{around}via {} {}", helper.function, scene.line(&helper.place));
        AnnotatedOp { place: scene.helpers.place(e), method, ..e.clone() }
    };
    let events = scene.events.iter().map(seen).collect();
    tell_within(&scene.with(events), most, most_blocks)
}

/// Leaves out the middle of a table that is too long.
fn shorten(lines: &mut Vec<story::Line>, room: usize) {
    let stays = staying(lines, room);
    let mut all = std::mem::take(lines).into_iter();
    // The first line behind a gap names its thread.
    let mut unnamed = String::new();
    for run in stays.chunk_by(|a, b| a == b) {
        let these = all.by_ref().take(run.len());
        if !run[0] && run.len() > 1 {
            unnamed = these.filter_map(named).last().unwrap_or_default();
            lines.push(story::Line::Note(format!("… {} lines more, in --json …", run.len())));
            continue;
        }
        let begin = lines.len();
        lines.extend(these);
        let first = lines[begin..].iter_mut().find_map(|line| match line {
            story::Line::Step { who, .. } => Some(who),
            _ => None,
        });
        if let Some(who) = first {
            let name = std::mem::take(&mut unnamed);
            *who = if who.is_empty() { name } else { std::mem::take(who) };
        }
    }
}

/// The lines that stay: those in the middle go first, and marked ones last. A note stands for each run that goes.
fn staying(lines: &[story::Line], room: usize) -> Vec<bool> {
    let is_marked = |line: &story::Line| matches!(line, story::Line::Step { marked: true, .. });
    let mut going: Vec<usize> = (1..lines.len().saturating_sub(1)).collect();
    going.sort_by_key(|at| (is_marked(&lines[*at]), at.abs_diff(lines.len() / 2)));
    let mut stays = vec![true; lines.len()];
    let rows = |stays: &[bool]| -> usize {
        stays.chunk_by(|a, b| a == b).map(|run| if run[0] { run.len() } else { 1 }).sum()
    };
    for at in going {
        if rows(&stays) <= room {
            break;
        }
        stays[at] = false;
    }
    stays
}

/// The thread that a line names.
fn named(line: story::Line) -> Option<String> {
    match line {
        story::Line::Step { who, .. } if !who.is_empty() => Some(who),
        _ => None,
    }
}

/// How it ended: what it failed with, who waits for what.
fn ends(case: &Case, told: &Told) -> Vec<story::Line> {
    let step = |who: &str, what: &str, place: &Option<Place>| story::Line::Step {
        who: who.to_string(),
        what: what.to_string(),
        place: place.clone(),
        method: String::new(),
        note: String::new(),
        marked: false,
    };
    if case.ends.waits.is_empty() {
        return told
            .end
            .iter()
            .filter_map(|end| match end {
                story::Line::Step { who, what, place, .. } => Some(step(who, what, place)),
                _ => None,
            })
            .collect();
    }
    let row = |w: &Wait| {
        let who = format!("T{}", w.thread);
        // What waits in a helper is shown where that is called.
        let calls = case.scene.pending.get(&w.thread).and_then(|calls| case.scene.helpers.split(calls));
        let caller = |place: &Option<Place>| match (calls, place) {
            (Some((helper, caller)), Some(place)) if helper.place.line == place.line => {
                Some(caller.place.clone())
            }
            (None, Some(own)) => turned_caller(case, &who, own).or_else(|| place.clone()),
            _ => place.clone(),
        };
        let fact = told.facts.iter().find_map(|(text, place)| {
            let what = text.strip_prefix(&who)?.strip_prefix(' ')?;
            Some(step(&who, what, &caller(place)))
        });
        fact.unwrap_or_else(|| {
            step(&who, &format!("waits for {}", w.objects.join(" or ")), &caller(&w.place))
        })
    };
    case.ends.waits.iter().map(row).collect()
}

/// The line that calls the helper in which a thread waits, where a deciding order names what it waits for.
fn turned_caller(case: &Case, who: &str, own: &Place) -> Option<Place> {
    let mut all = case.orders().flat_map(|(a, b)| [a, b]);
    let is_it = |op: &&Operation| {
        let line = op.location.as_ref().map(|l| (l.file.as_str(), l.line));
        op.event.is_none() && op.thread == who && line == Some((&own.file, own.line))
    };
    let (location, _) = case.scene.helpers.location(all.find(is_it)?);
    location.map(|l| Place { file: l.file.clone(), line: l.line, column: l.column })
}
