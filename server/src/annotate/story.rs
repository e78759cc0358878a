//! A failing execution told in a few lines: a block for every run of one thread, only what
//! matters in it, and every switch between blocks with its reason.

use super::annotated_trace::{After, AnnotatedOp, AnnotatedTrace, Preemption};
pub use super::words::operation;
use crate::target::Place;
use crate::terminal::numbers::group;
use raddle_schedule::OpKind;
use std::collections::BTreeSet;

/// Most lines of one block; what lies between its ends is only counted.
const BLOCK: usize = 6;
/// Most blocks; a longer story shows its first and its last ones.
const BLOCKS: usize = 24;
/// Most columns of operations that are told in one line.
const MOST: usize = 64;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A thread does something.
    Step {
        /// Who, where it differs from the line before; else empty.
        who: String,
        /// What.
        what: String,
        /// Where.
        place: Option<Place>,
        /// The function, where it is not that of the line before; else empty.
        method: String,
        /// What else: `2nd time here`, `holding m`; else empty.
        note: String,
        /// It is told whatever else is left out.
        marked: bool,
    },
    /// A preemption.
    Preempted {
        /// From 1.
        number: u32,
        /// The rest of the line.
        text: String,
    },
    /// Something was left out.
    Note(String),
}

/// Tells an execution.
pub fn tell(scene: &AnnotatedTrace) -> Vec<Line> {
    tell_within(scene, BLOCK, BLOCKS)
}

/// The same, with at most so many lines of one block (two or more) and so many blocks.
pub fn tell_within(scene: &AnnotatedTrace, most: usize, most_blocks: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut introduced = BTreeSet::new();
    let blocks = blocks(scene);
    let skipped = blocks.len().saturating_sub(most_blocks);
    let mut left_out = 0;
    for (i, block) in blocks.iter().enumerate() {
        let in_the_middle = (most_blocks / 2..most_blocks / 2 + skipped).contains(&i);
        if in_the_middle && !block.iter().any(|e| e.decisive || e.after.is_some()) {
            left_out += 1;
            continue;
        }
        lines.extend(note(std::mem::take(&mut left_out), "run of threads", "runs of threads"));
        if let Some(p) = &block[0].preemption {
            lines.push(preempted(p, scene));
        }
        tell_block(scene, block, most, &mut introduced, &mut lines);
    }
    lines
}

/// Runs of one thread between switches.
fn blocks(scene: &AnnotatedTrace) -> Vec<&[AnnotatedOp]> {
    scene.events.chunk_by(|a, b| a.thread == b.thread).collect()
}

fn preempted(p: &Preemption, scene: &AnnotatedTrace) -> Line {
    let before = match (&p.within, &p.before) {
        (Some(call), Some(place)) => format!(" within {call} at {}", scene.line(place)),
        (_, place) => place.as_ref().map(|b| before(b, scene)).unwrap_or_default(),
    };
    let holding = match p.holding.len() {
        0 => "holding no lock".to_string(),
        _ => format!("holding {}", p.holding.join(", ")),
    };
    Line::Preempted { number: p.number, text: format!("T{} preempted{before}, {holding}", p.thread) }
}

/// The line that a thread was preempted before; of a helper whose caller is not known, with its name.
fn before(place: &Place, scene: &AnnotatedTrace) -> String {
    let helper = scene.helpers.name(&place.file, place.line);
    let of = helper.map(|name| format!(" of {name}")).unwrap_or_default();
    format!(" before {}{of}", scene.line(place))
}

fn tell_block(
    scene: &AnnotatedTrace,
    block: &[AnnotatedOp],
    most: usize,
    introduced: &mut BTreeSet<u8>,
    lines: &mut Vec<Line>,
) {
    let mut told = merge(block.iter());
    if told.is_empty() {
        // A run is never left out altogether: its last operation stands for it.
        told.extend(block.last().map(Together::one));
    }
    let mut who = who(scene, block[0].thread, introduced);
    // Its first function is named with the thread.
    let mut method = scene.threads.get(&block[0].thread).map(|t| t.entry.clone()).unwrap_or_default();
    // A single line takes the place of the note that it is missing.
    let end = if told.len() - 1 > most { told.len() - most / 2 } else { 0 };
    let middle = most / 2..end;
    let mut left_out = 0;
    for (i, t) in told.into_iter().enumerate() {
        if middle.contains(&i) && !t.decisive {
            left_out += 1;
            continue;
        }
        lines.extend(note(std::mem::take(&mut left_out), "operation", "operations"));
        let other = if t.method == method { String::new() } else { t.method.clone() };
        method = t.method;
        let (who, marked) = (std::mem::take(&mut who), t.decisive);
        let (what, place, note) = (t.what, t.place, t.note);
        lines.push(Line::Step { who, what, place, method: other, note, marked });
    }
}

/// That so many were left out.
fn note(n: usize, one: &str, several: &str) -> Option<Line> {
    (n > 0).then(|| Line::Note(format!("… {n} more {} …", if n == 1 { one } else { several })))
}

/// What is told in one line.
struct Together {
    what: String,
    decisive: bool,
    place: Option<Place>,
    method: String,
    note: String,
    /// What the last operation read, where its text stands last.
    read: Option<Read>,
    /// Of operations inside of a library's function: that, and how many.
    inside: Option<(String, usize)>,
}

/// What was read, and the text of that.
#[derive(PartialEq, Eq)]
struct Read {
    object: String,
    value: String,
    text: String,
}

impl Together {
    fn one(e: &AnnotatedOp) -> Together {
        let (place, method, note) = (e.place.clone(), e.method.clone(), e.note.clone());
        let inside = inside(e).map(|function| (function.to_string(), 1));
        Together { what: operation(e), decisive: e.decisive, place, method, note, read: read(e), inside }
    }

    /// Is it one more operation inside of the same function?
    fn goes_on(&self, e: &AnnotatedOp) -> bool {
        let decides = self.decisive == e.decisive;
        decides && self.inside.as_ref().is_some_and(|(function, _)| inside(e) == Some(function))
    }

    /// Is one more operation not too much for a line of text?
    fn has_room(&self, e: &AnnotatedOp) -> bool {
        // What a helper does there is told with its name.
        if self.method != e.method {
            return false;
        }
        let width = |text: &str| text.chars().count();
        let is_short = width(&self.what) < 48;
        is_short && width(&self.what) + width(&operation(e)) < MOST
    }

    /// One more operation of the same line.
    fn add(&mut self, e: &AnnotatedOp) {
        if let Some((function, count)) = self.inside.as_mut().filter(|(f, _)| inside(e) == Some(f)) {
            *count += 1;
            self.what = format!("… {} operations inside {function}", group(*count as u64));
            self.decisive |= e.decisive;
            return;
        }
        self.inside = None;
        let text = operation(e);
        // What a write says that was there before is what was read right before it.
        let said = self.read.take().filter(|r| {
            e.kind == OpKind::Write && r.object == e.object && Some(&r.value) == e.told.old.as_ref()
        });
        if let Some(before) = said.and_then(|r| Some(self.what.strip_suffix(&r.text)?.len())) {
            self.what.truncate(before);
            self.what.push_str(&text);
        } else if !self.what.split(", ").any(|t| t == text) {
            self.what.push_str(", ");
            self.what.push_str(&text);
        }
        if self.note.is_empty() {
            self.note.clone_from(&e.note);
        } else if !e.note.is_empty() && e.note != self.note {
            self.note.clear();
        }
        self.decisive |= e.decisive;
        self.read = read(e);
    }
}

/// The library's function that an operation is inside of, if nothing else is known of it.
fn inside(e: &AnnotatedOp) -> Option<&str> {
    let call = e.told.call.as_ref().filter(|call| call.says.is_none() && !call.function.is_empty());
    call.map(|call| call.function.as_str())
}

fn read(e: &AnnotatedOp) -> Option<Read> {
    let value = e.told.shown.clone().filter(|_| e.kind == OpKind::Read)?;
    Some(Read { object: e.object.clone(), value, text: operation(e) })
}

/// What matters; operations of one line of code told together.
fn merge<'a>(events: impl Iterator<Item = &'a AnnotatedOp>) -> Vec<Together> {
    let mut out: Vec<Together> = Vec::new();
    for e in events {
        if e.matters {
            add(&mut out, e);
        }
        if let Some(After { what, place }) = e.after.clone() {
            out.push(Together { what, decisive: true, place, read: None, ..Together::one(e) });
        }
    }
    out
}

fn add(out: &mut Vec<Together>, e: &AnnotatedOp) {
    match out.last_mut() {
        Some(t) if same_line(&t.place, &e.place) && (t.has_room(e) || t.goes_on(e)) => t.add(e),
        _ => out.push(Together::one(e)),
    }
}

fn same_line(a: &Option<Place>, b: &Option<Place>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.file == b.file && a.line == b.line)
}

fn who(scene: &AnnotatedTrace, thread: u8, introduced: &mut BTreeSet<u8>) -> String {
    let mut text = format!("T{thread}");
    let Some(t) = scene.threads.get(&thread) else { return text };
    if !introduced.insert(thread) {
        return text;
    }
    if thread == 0 {
        text += " main";
    } else if !t.name.is_empty() {
        text += &format!(" {}", t.name);
    }
    if let Some(spawned) = &t.spawned {
        text += &format!(" (spawned at {})", scene.line(spawned));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(thread: u8, kind: OpKind, line: u32) -> AnnotatedOp {
        let mut shown = AnnotatedOp::sample(thread, kind, "counter", line);
        (shown.value, shown.method) = (Some(1), String::new());
        shown
    }

    #[test]
    fn blocks_preemptions_and_what_was_left_out() {
        let mut events = vec![shown(1, OpKind::AtomicLoad, 9)];
        let mut second = shown(2, OpKind::AtomicStore, 10);
        second.preemption = Some(Preemption {
            number: 1,
            thread: 1,
            before: Some(Place { file: "a.c".into(), line: 10, column: 1 }),
            within: None,
            holding: vec!["m".into()],
        });
        events.push(second);
        events.extend((11..25).map(|line| shown(2, OpKind::AtomicLoad, line)));
        let scene = AnnotatedTrace { events, ..AnnotatedTrace::default() };
        let lines = tell(&scene);
        assert_eq!(
            lines[1],
            Line::Preempted { number: 1, text: "T1 preempted before :10, holding m".into() }
        );
        assert!(lines.contains(&Line::Note("… 9 more operations …".into())));
        assert_eq!(lines.len(), 2 + BLOCK + 1);
    }

    #[test]
    fn what_is_decisive_is_never_left_out() {
        let mut long: Vec<AnnotatedOp> = (0..20).map(|line| shown(1, OpKind::AtomicLoad, line)).collect();
        long[9].decisive = true;
        let mut many: Vec<AnnotatedOp> = (0..60).map(|i| shown(i % 2, OpKind::AtomicLoad, 40)).collect();
        many[31].decisive = true;
        let told_at = |events: Vec<AnnotatedOp>, notes: [&str; 2]| {
            let lines = tell(&AnnotatedTrace { events, ..AnnotatedTrace::default() });
            let at = |text: &str| lines.iter().position(|l| *l == Line::Note(text.into())).unwrap();
            assert_eq!(at(notes[0]) + 2, at(notes[1]), "one line between: {lines:?}");
        };
        told_at(long, ["… 6 more operations …", "… 7 more operations …"]);
        told_at(many, ["… 19 more runs of threads …", "… 16 more runs of threads …"]);
    }

    #[test]
    fn one_line_of_code_is_one_line_of_text() {
        let events = [shown(1, OpKind::Read, 9), shown(1, OpKind::Write, 9), shown(1, OpKind::Read, 9)];
        assert_eq!(merge(events.iter())[0].what, "reads counter, writes counter");
    }
}
