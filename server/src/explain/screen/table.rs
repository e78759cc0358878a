//! The operations of a failing execution, in columns: who, what, where. Where it is known what decides, that and
//! the end are shown, and nothing else; otherwise what threads share, as far as there is room.

use super::{COLUMNS, Line, Span, bare, span, wrap};
use crate::explain::case::{Case, Wait};
use crate::explain::sentence::Speaker;
use crate::report::details::{Told, circled};
use crate::report::paint::Ink;
use crate::report::scene::{Scene, Shown};
use crate::report::story::{self, tell_within};
use crate::target::Place;
use raddle_schedule::OpKind;
use std::collections::HashSet;

/// How many lines of one run of a thread, and how many runs: the first that fits is taken.
const STEPS: [(usize, usize); 7] = [(6, 24), (5, 16), (4, 12), (3, 10), (2, 8), (2, 6), (2, 4)];

/// The table, in at most so many lines. What comes behind the first so many events has no part in it.
pub fn table(case: &Case, told: &Told, until: usize, room: usize) -> Vec<Line> {
    let deciding = deciding(case);
    let mut ends = ends(case, told);
    let events = case.scene.events.iter().take(until).cloned().collect();
    let scene = &Scene { events, threads: case.scene.threads.clone(), end: case.scene.end.clone() };
    let room_for_steps = room.saturating_sub(ends.len() + usize::from(told.others.is_some())).max(3);
    let is_known = !deciding.is_empty();
    let only = is_known.then(|| only(case, scene, &deciding));
    let mut lines = match &only {
        Some(only) => tell_within(only, usize::MAX, usize::MAX),
        None => as_fits(scene, room_for_steps),
    };
    shorten(&mut lines, room_for_steps);
    let last = lines.iter().rev().find_map(|l| match l {
        story::Line::Step { who, .. } => who.split(' ').next().filter(|w| !w.is_empty()),
        _ => None,
    });
    // Whose end it is, if that is not who did what stands above it.
    let by = case.thread.map(|t| format!("T{t}")).filter(|t| Some(t.as_str()) != last);
    if let (Some(by), Some(story::Line::Step { who, .. })) = (by, ends.first_mut())
        && who.is_empty()
    {
        *who = by;
    }
    lines.extend(told.others.iter().cloned());
    lines.extend(ends);
    let rows: Vec<Row> = lines.iter().map(|l| Row::new(l, is_known)).collect();
    let mut shown = layout(&rows, case);
    let told = |e: &&Shown| e.matters;
    let left_out = only.map_or(0, |only| scene.events.len() - only.events.iter().filter(told).count());
    if left_out > 0 && shown.len() < room {
        let s = if left_out == 1 { "" } else { "s" };
        let other = crate::progress::group(left_out as u64);
        shown.push(vec![span(Ink::Quiet, format!("     … {other} other operation{s}, all in --json"))]);
    }
    shown
}

/// All that threads share, as far as it fits; births and ends of threads are left out first.
fn as_fits(scene: &Scene, room: usize) -> Vec<story::Line> {
    let full = tell_within(scene, STEPS[0].0, STEPS[0].1);
    if full.len() <= room {
        return full;
    }
    let birth = |e: &Shown| matches!(e.kind, OpKind::Spawn | OpKind::Join);
    let stays = |e: &&Shown| e.preemption.is_some() || e.panic.is_some() || e.matters && !birth(e);
    let events: Vec<Shown> = scene.events.iter().filter(stays).cloned().collect();
    let scene = Scene { events, threads: scene.threads.clone(), end: scene.end.clone() };
    let mut tried = STEPS.iter().map(|(block, blocks)| tell_within(&scene, *block, *blocks));
    tried.find(|lines| lines.len() <= room).unwrap_or_else(|| tell_within(&scene, 2, 4))
}

/// The events that decide, and the sides of a race.
fn deciding(case: &Case) -> HashSet<usize> {
    let orders = case.orders().flat_map(|(a, b)| [a, b]);
    let choices = case.deciding.iter().filter_map(|d| d.choice.as_ref()).map(|c| &c.at);
    orders.chain(choices).chain(&case.ends.race).filter_map(|o| o.event).collect()
}

/// The execution without what does not decide; where it failed stays.
fn only(case: &Case, scene: &Scene, deciding: &HashSet<usize>) -> Scene {
    let failed = |e: &Shown| {
        let place = e.place.as_ref().zip(case.failed);
        Some(e.thread) == case.thread && place.is_some_and(|(p, l)| p.line == l.line && p.file == l.file)
    };
    let last = scene.events.iter().rposition(|e| !failed(e)).map_or(0, |at| at + 1);
    let mut events = Vec::new();
    let speaker = Speaker::new(case);
    let file = speaker.file();
    for (i, e) in scene.events.iter().enumerate() {
        let decides = deciding.contains(&i);
        if decides || i >= last || e.preemption.is_some() || e.panic.is_some() {
            let matters = decides || i >= last && !e.looks();
            let entry = scene.threads.get(&e.thread).map(|t| t.entry.as_str());
            let method = if entry == Some(&e.method) { e.method.clone() } else { within(e, file) };
            events.push(Shown { matters, decisive: decides, method, ..e.clone() });
        }
    }
    Scene { events, threads: scene.threads.clone(), end: scene.end.clone() }
}

/// Its function, and the line that called it: `look, from :51`.
fn within(e: &Shown, file: &str) -> String {
    match e.calls.get(1).filter(|_| !e.method.is_empty()) {
        Some(call) if call.place.file == file => format!("{}, from :{}", e.method, call.place.line),
        Some(call) => {
            let name = call.place.file.rsplit('/').next().unwrap_or_default();
            format!("{}, from {name}:{}", e.method, call.place.line)
        }
        None => e.method.clone(),
    }
}

/// Leaves out the middle of what is too long.
fn shorten(lines: &mut Vec<story::Line>, room: usize) {
    if let Some(over) = lines.len().checked_sub(room).filter(|over| *over > 0) {
        let (at, n) = (room / 2, over + 1);
        lines.splice(at..at + n, [story::Line::Note(format!("… {n} lines more, in --json …"))]);
    }
}

/// How it ended: what it failed with, who waits for what.
fn ends(case: &Case, told: &Told) -> Vec<story::Line> {
    let step = |who: &str, what: &str, place: &Option<Place>| story::Line::Step {
        who: who.to_string(),
        what: what.to_string(),
        place: place.clone(),
        method: String::new(),
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
        let fact = told.facts.iter().find_map(|(text, place)| {
            let what = text.strip_prefix(&who)?.strip_prefix(' ')?;
            Some(step(&who, what, place))
        });
        fact.unwrap_or_else(|| step(&who, &format!("waits for {}", w.objects.join(" or ")), &w.place))
    };
    case.ends.waits.iter().map(row).collect()
}

/// A row before its columns are laid out.
enum Row {
    /// Who, what, where, in which function; does it decide?
    Step { who: String, what: String, place: Option<Place>, method: String, decides: bool },
    /// One text.
    Whole(Ink, String),
}

impl Row {
    fn new(line: &story::Line, is_known: bool) -> Row {
        match line {
            story::Line::Step { who, what, place, method, marked } => Row::Step {
                who: who.clone(),
                what: what.clone(),
                place: place.clone(),
                method: method.clone(),
                decides: *marked && is_known,
            },
            story::Line::Preempted { number, text } => {
                Row::Whole(Ink::Bad, format!("  {}  {text}", circled(*number)))
            }
            story::Line::Note(text) => Row::Whole(Ink::Quiet, format!("     {text}")),
        }
    }
}

/// What is given up to fit: paths first, then what spawned a thread, then functions.
const STYLES: [Style; 4] = [
    Style { paths: true, spawned: true, methods: true },
    Style { paths: false, spawned: true, methods: true },
    Style { paths: false, spawned: false, methods: true },
    Style { paths: false, spawned: false, methods: false },
];

#[derive(Clone, Copy)]
struct Style {
    paths: bool,
    spawned: bool,
    methods: bool,
}

fn layout(rows: &[Row], case: &Case) -> Vec<Line> {
    let mut lines = Vec::new();
    for style in STYLES {
        lines = columns(rows, case, style);
        if lines.iter().all(|l| wrap::width(&super::plain(l)) <= COLUMNS) {
            return lines;
        }
    }
    for line in &mut lines {
        shorten_line(line);
    }
    lines
}

/// Cuts the longest piece of a line that is too long.
fn shorten_line(line: &mut Line) {
    let over = wrap::width(&super::plain(line)).saturating_sub(COLUMNS);
    if over == 0 {
        return;
    }
    if let Some(longest) = line.iter_mut().max_by_key(|s| wrap::width(&s.text)) {
        let width = wrap::width(longest.text.trim_end());
        wrap::cut(&mut longest.text, width.saturating_sub(over));
    }
}

fn columns(rows: &[Row], case: &Case, style: Style) -> Vec<Line> {
    // The same file as in the sentences.
    let speaker = Speaker::new(case);
    let shown = |place: &Option<Place>| match (place, style.paths) {
        (None, _) => String::new(),
        (Some(p), true) => format!("{}:{}", p.file, p.line),
        (Some(p), false) if p.file == speaker.file() => format!(":{}", p.line),
        (Some(p), false) => format!("{}:{}", p.file.rsplit('/').next().unwrap_or(&p.file), p.line),
    };
    let named = |who: &str| match who.split_once(" (spawned at ") {
        Some((name, _)) if !style.spawned => name.to_string(),
        _ => who.to_string(),
    };
    let widest = |of: &dyn Fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let who_width = widest(&|r| if let Row::Step { who, .. } = r { wrap::width(&named(who)) } else { 0 });
    let what_width = widest(&|r| if let Row::Step { what, .. } = r { wrap::width(what) } else { 0 });
    let place_width =
        widest(&|r| if let Row::Step { place, .. } = r { wrap::width(&shown(place)) } else { 0 });
    let row = |row: &Row| match row {
        Row::Whole(ink, text) => vec![span(*ink, text.clone())],
        Row::Step { who, what, place, method, decides } => {
            let mark = if *decides { "  ▸  " } else { "     " };
            let ink = decides.then_some(Ink::Strong);
            let what = Span { ink, text: crate::report::human::pad(what, what_width) };
            let place = match method.as_str() {
                method if method.is_empty() || !style.methods => shown(place),
                method => format!("{}  {method}", crate::report::human::pad(&shown(place), place_width)),
            };
            let who = crate::report::human::pad(&named(who), who_width);
            vec![bare(format!("{mark}{who}  ")), what, bare("  "), span(Ink::Quiet, place)]
        }
    };
    rows.iter().map(row).collect()
}
