//! The operations of a failing execution, in columns: who, what, where. Where it is known what decides, that and
//! the end are shown, and nothing else; otherwise what threads share, as far as there is room.

use super::{COLUMNS, Line, Span, bare, span, wrap};
use crate::explain::case::{Case, Wait};
use crate::explain::context::{context, deciding};
use crate::explain::passage::nth;
use crate::explain::sentence::Speaker;
use crate::report::details::{Told, circled};
use crate::report::paint::Ink;
use crate::report::scene::{Scene, Shown};
use crate::report::story::{self, tell_within};
use crate::target::Place;
use raddle_schedule::OpKind;
use raddle_schedule::memory::Meaning;
use std::collections::BTreeSet;

/// How many lines of one run of a thread, and how many runs: the first that fits is taken.
const STEPS: [(usize, usize); 7] = [(6, 24), (5, 16), (4, 12), (3, 10), (2, 8), (2, 6), (2, 4)];

/// The table, in at most so many lines. What comes behind the first so many events has no part in it.
pub fn table(case: &Case, told: &Told, until: usize, room: usize) -> Vec<Line> {
    let deciding: BTreeSet<usize> =
        deciding(case).into_iter().map(|at| had(&case.scene.events, at)).collect();
    let mut ends = ends(case, told);
    let events = case.scene.events.iter().take(until).cloned().collect();
    let scene = &case.scene.with(events);
    let room_for_steps = room.saturating_sub(ends.len() + usize::from(told.others.is_some())).max(3);
    let is_known = !deciding.is_empty();
    let only = is_known.then(|| with_context(case, scene, &deciding, until, room_for_steps));
    let mut lines = match &only {
        Some(only) => tell_within(only, usize::MAX, usize::MAX),
        None => full_with_context(case, scene, until, room_for_steps)
            .unwrap_or_else(|| as_fits(scene, room_for_steps)),
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
    let rows: Vec<Row> = lines.iter().map(|l| Row::new(l, is_known)).collect();
    let mut shown = layout(&rows, case);
    let told = |e: &&Shown| e.matters;
    // Accesses to memory that no other thread touches are nobody's business.
    let counts = |e: &&Shown| !e.kind.is_data() || e.matters;
    let all = scene.events.iter().filter(counts).count();
    let left_out = only.map_or(0, |only| all.saturating_sub(only.events.iter().filter(told).count()));
    if left_out > 0 && shown.len() < room {
        let s = if left_out == 1 { "" } else { "s" };
        let other = crate::progress::group(left_out as u64);
        let mut text = format!("     … {other} other operation{s}");
        text += &match scene.left_out {
            0 => ", all in --json".to_string(),
            n => format!(" in --json; {} plain accesses left out", crate::progress::group(n)),
        };
        shown.push(vec![span(Ink::Quiet, text)]);
    }
    shown
}

/// Of a look at a read-write lock, behind which its thread has the lock at once: that. It says more.
fn had(events: &[Shown], at: usize) -> usize {
    let Some(asks) = events.get(at).filter(|e| e.kind == OpKind::AtomicLoad) else { return at };
    let has = match asks.told.meaning {
        Some(Meaning::WaitsToRead) => Meaning::ReadLocks,
        Some(Meaning::WaitsToWrite) => Meaning::WriteLocks,
        _ => return at,
    };
    let own = |e: &Shown| e.thread == asks.thread && e.object == asks.object;
    let next = events[at + 1..].iter().position(own).map(|n| at + 1 + n);
    next.filter(|next| events[*next].told.meaning == Some(has)).unwrap_or(at)
}

/// All that threads share, and what explains the end though nobody changes it: what a thread that waits had looked at.
/// None if that does not fit.
fn full_with_context(case: &Case, scene: &Scene, until: usize, room: usize) -> Option<Vec<story::Line>> {
    let mut marked = scene.with(scene.events.clone());
    for at in context(case, &BTreeSet::new(), until) {
        marked.events.get_mut(at)?.matters = true;
    }
    let lines = tell_within(&marked, usize::MAX, usize::MAX);
    (lines.len() <= room).then_some(lines)
}

/// All that threads share, as far as it fits; births and ends of threads are left out first.
fn as_fits(scene: &Scene, room: usize) -> Vec<story::Line> {
    let full = tell_within(scene, STEPS[0].0, STEPS[0].1);
    if full.len() <= room {
        return full;
    }
    let birth = |e: &Shown| matches!(e.kind, OpKind::Spawn | OpKind::Join);
    let stays = |e: &&Shown| e.preemption.is_some() || e.after.is_some() || e.matters && !birth(e);
    let events: Vec<Shown> = scene.events.iter().filter(stays).cloned().collect();
    let scene = scene.with(events);
    let mut tried = STEPS.iter().map(|(block, blocks)| tell_within(&scene, *block, *blocks));
    tried.find(|lines| lines.len() <= room).unwrap_or_else(|| tell_within(&scene, 2, 4))
}

/// What decides, and as much as fits of what explains it.
fn with_context(case: &Case, scene: &Scene, deciding: &BTreeSet<usize>, until: usize, room: usize) -> Scene {
    let mut beside = context(case, deciding, until);
    loop {
        let only = only(case, scene, deciding, &beside);
        if beside.is_empty() || tell_within(&only, usize::MAX, usize::MAX).len() <= room {
            return only;
        }
        beside.pop();
    }
}

/// The execution without what neither decides nor is to be shown beside it; where it failed stays.
fn only(case: &Case, scene: &Scene, deciding: &BTreeSet<usize>, beside: &[usize]) -> Scene {
    let failed = |e: &Shown| {
        let place = e.place.as_ref().zip(case.failed);
        Some(e.thread) == case.thread && place.is_some_and(|(p, l)| p.line == l.line && p.file == l.file)
    };
    let last = scene.events.iter().rposition(|e| !failed(e)).map_or(0, |at| at + 1);
    let mut events = Vec::new();
    let locks = deciding.iter().any(|at| !scene.events.get(*at).is_none_or(|e| e.holding.is_empty()));
    let speaker = Speaker::new(case);
    let file = speaker.file();
    for (i, e) in scene.events.iter().enumerate() {
        let (decides, beside) = (deciding.contains(&i), beside.contains(&i));
        if decides || beside || i >= last || e.preemption.is_some() || e.after.is_some() {
            let matters = decides || beside || i >= last && !e.looks();
            let entry = scene.threads.get(&e.thread).map(|t| t.entry.as_str());
            let method = if entry == Some(&e.method) { e.method.clone() } else { within(e, file) };
            let note = note(e, decides && locks);
            events.push(Shown { matters, decisive: decides, method, note, ..e.clone() });
        }
    }
    scene.with(events)
}

/// How often its thread has come there, and which locks it holds: of what works on data, where locks matter.
fn note(e: &Shown, locks: bool) -> String {
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
    /// Who, what, where, in which function, what else; does it decide?
    Step { who: String, what: String, place: Option<Place>, method: String, note: String, decides: bool },
    /// One text.
    Whole(Ink, String),
}

impl Row {
    fn new(line: &story::Line, is_known: bool) -> Row {
        match line {
            story::Line::Step { who, what, place, method, note, marked } => Row::Step {
                who: who.clone(),
                what: what.clone(),
                place: place.clone(),
                method: method.clone(),
                note: note.clone(),
                decides: *marked && is_known,
            },
            story::Line::Preempted { number, text } => {
                Row::Whole(Ink::Bad, format!("  {}  {text}", circled(*number)))
            }
            story::Line::Note(text) => Row::Whole(Ink::Quiet, format!("     {text}")),
        }
    }
}

/// What is given up to fit: paths first, then what spawned a thread; then, in the lines that are too long, functions and
/// notes.
const STYLES: [Style; 3] = [
    Style { paths: true, spawned: true },
    Style { paths: false, spawned: true },
    Style { paths: false, spawned: false },
];

#[derive(Clone, Copy)]
struct Style {
    paths: bool,
    spawned: bool,
}

fn layout(rows: &[Row], case: &Case) -> Vec<Line> {
    let fits = |lines: &Vec<Line>| lines.iter().all(|l| wrap::width(&super::plain(l)) <= COLUMNS);
    let mut whole = STYLES.iter().map(|style| columns(rows, case, *style, true));
    if let Some(lines) = whole.find(fits) {
        return lines;
    }
    let mut lines = columns(rows, case, STYLES[STYLES.len() - 1], false);
    lines.iter_mut().for_each(shorten_line);
    lines
}

/// What there is of these.
fn join(parts: &[&str]) -> String {
    parts.iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>().join(", ")
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

/// `is_wide`: functions and notes stay even where a line gets too long.
fn columns(rows: &[Row], case: &Case, style: Style, is_wide: bool) -> Vec<Line> {
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
    // Only what is too long itself is cut.
    let most = if is_wide { usize::MAX } else { COLUMNS.saturating_sub(who_width + place_width + 9) };
    let what_width = what_width.min(most);
    let row = |row: &Row| match row {
        Row::Whole(ink, text) => vec![span(*ink, text.clone())],
        Row::Step { who, what, place, method, note, decides } => {
            let mark = if *decides { "  ▸  " } else { "     " };
            let ink = decides.then_some(Ink::Strong);
            let mut what = crate::report::human::pad(what, what_width);
            wrap::cut(&mut what, what_width);
            let what = Span { ink, text: what };
            let who = crate::report::human::pad(&named(who), who_width);
            let place = crate::report::human::pad(&shown(place), place_width);
            let room = COLUMNS.saturating_sub(who_width + what_width + place_width + 11);
            let whole = [method, note].map(String::as_str);
            let more = [whole, ["", whole[1]], [whole[0], ""]].map(|parts| join(&parts));
            let more = more.iter().find(|m| !m.is_empty() && (wrap::width(m) <= room || is_wide));
            let place = more.map_or_else(|| place.trim_end().to_string(), |m| format!("{place}  {m}"));
            vec![bare(format!("{mark}{who}  ")), what, bare("  "), span(Ink::Quiet, place)]
        }
    };
    rows.iter().map(row).collect()
}
