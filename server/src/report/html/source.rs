//! The source lines that a failing execution is about, and what each thread did there.

use super::marks::{Marks, operations};
use super::picture::{hue, words};
use crate::report::run_report::RunReport;
use crate::terminal::clean::{shortened, visible};
use crate::terminal::text::circled;
use maud::{Markup, html};
use raddle_protocol::report::{Failure, Location};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Lines shown before and behind a line that is marked.
const AROUND: u32 = 2;
/// Lines shown of one failure.
const LINES: usize = 120;
/// Characters shown of one line.
const WIDTH: usize = 300;
/// Characters of what is said at a line.
const NOTE: usize = 64;
/// Bytes of a file that is still read.
const BYTES: u64 = 4 << 20;

/// The files that were asked for so far, in lines.
pub struct Sources<'a> {
    whole: &'a RunReport,
    files: RefCell<BTreeMap<String, Rc<Vec<String>>>>,
}

impl<'a> Sources<'a> {
    /// The files of a run, as they are now.
    pub fn new(whole: &'a RunReport) -> Self {
        Sources { whole, files: RefCell::default() }
    }

    fn lines(&self, file: &str) -> Rc<Vec<String>> {
        if let Some(known) = self.files.borrow().get(file) {
            return known.clone();
        }
        let path = self.whole.file(&Location { file: file.to_string(), ..Location::default() });
        let fits = self.whole.is_shown(&path)
            && std::fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= BYTES);
        let text = if fits { std::fs::read(&path).unwrap_or_default() } else { Vec::new() };
        let text = visible(&String::from_utf8_lossy(&text));
        let lines: Rc<Vec<String>> = Rc::new(text.lines().map(|l| shortened(l, WIDTH)).collect());
        self.files.borrow_mut().insert(file.to_string(), lines.clone());
        lines
    }
}

/// What is said at a line.
struct Note {
    /// Where in the execution; they are told in its order.
    event: usize,
    thread: String,
    text: String,
    /// `deciding`, `preempted` or `fails`.
    class: &'static str,
}

/// Notes by file and line.
type Notes = BTreeMap<String, BTreeMap<u32, Vec<Note>>>;

/// The address of a line within the page.
pub fn line_id(prefix: &str, at: &Location) -> String {
    let file: String = at.file.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{prefix}-{file}-{}", at.line)
}

fn notes(marks: &Marks) -> Notes {
    let f = marks.failure;
    let mut notes = Notes::new();
    let mut add = |at: Option<&Location>, note: Note| {
        let Some(at) = at.filter(|at| at.line > 0) else { return };
        let of_line = notes.entry(at.file.clone()).or_default().entry(at.line).or_default();
        if !of_line.iter().any(|n: &Note| n.thread == note.thread && n.text == note.text) {
            of_line.push(note);
        }
    };
    for event in &marks.deciding {
        let e = &f.events[*event];
        let (thread, text) = (e.thread.clone(), words(e));
        add(e.location.as_ref(), Note { event: *event, thread, text, class: "deciding" });
    }
    for o in marks.unmade.values() {
        let text = format!("next: {} {}", o.operation, o.object);
        let note = Note { event: usize::MAX - 1, thread: o.thread.clone(), text, class: "deciding" };
        add(o.location.as_ref(), note);
    }
    // In a function that several call, the call tells more than the line.
    for o in f.explained.iter().flat_map(|e| &e.deciding).flat_map(operations) {
        let done = o.event.and_then(|at| f.events.get(at));
        let text = done.map_or_else(|| format!("next: {} {}", o.operation, o.object), words);
        let (event, thread) = (o.event.unwrap_or(usize::MAX - 1), o.thread.clone());
        let elsewhere =
            o.called_on.first().filter(|at| o.location.as_ref().is_none_or(|l| l.line != at.line));
        add(elsewhere, Note { event, thread, text: format!("{text} in here"), class: "deciding" });
    }
    for p in &marks.preemptions {
        let text = format!("{} preempted before this", circled(p.number));
        add(p.goes_on, Note { event: p.before, thread: p.thread.to_string(), text, class: "preempted" });
    }
    for w in &f.cycle {
        let text = format!("waits for {}, held by {}", w.waits_for, w.held_by);
        add(w.location.as_ref(), Note { event: usize::MAX, thread: w.thread.clone(), text, class: "fails" });
    }
    let stuck = matches!(f.kind.as_str(), "deadlock" | "livelock") && f.cycle.is_empty();
    for t in f.threads.iter().filter(|_| stuck) {
        // Who only waits for the end of another is not what locked up.
        let Some(p) = t.pending.as_ref().filter(|p| !p.text.starts_with("joins")) else { continue };
        let is_told = f.kind == "deadlock" && p.text.starts_with("waits");
        let text = match f.kind.as_str() {
            _ if is_told => p.text.clone(),
            "deadlock" => format!("waits: {}", p.text),
            _ => format!("next: {}", p.text),
        };
        let note = Note { event: usize::MAX, thread: t.thread.clone(), text, class: "fails" };
        add(p.location.as_ref(), note);
    }
    for side in f.race.iter().flat_map(|r| [&r.first, &r.second]) {
        let text = side.event.and_then(|at| f.events.get(at)).map(words);
        let text = text.unwrap_or_else(|| format!("{} of {}", side.operation, side.object));
        let event = side.event.unwrap_or(usize::MAX);
        add(side.location.as_ref(), Note { event, thread: side.thread.clone(), text, class: "fails" });
    }
    if !f.thread.is_empty() && f.race.is_none() {
        let note = Note { event: usize::MAX, thread: f.thread.clone(), text: f.kind.clone(), class: "fails" };
        add(f.location.as_ref(), note);
    }
    notes.values_mut().flat_map(|lines| lines.values_mut()).for_each(|n| n.sort_by_key(|n| n.event));
    notes
}

/// The lines of a failure.
pub struct Excerpts {
    notes: Notes,
    /// By file, the lines that are shown.
    shown: BTreeMap<String, BTreeSet<u32>>,
}

/// Chooses the lines.
pub fn excerpts(marks: &Marks, sources: &Sources) -> Excerpts {
    let notes = notes(marks);
    let mut shown: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let mut left = LINES;
    for (file, lines) in &notes {
        let last = sources.lines(file).len() as u32;
        for line in lines.keys() {
            let around = line.saturating_sub(AROUND).max(1)..=(line + AROUND).min(last);
            for near in around {
                let set = shown.entry(file.clone()).or_default();
                if left > 0 && set.insert(near) {
                    left -= 1;
                }
            }
        }
    }
    Excerpts { notes, shown }
}

impl Excerpts {
    /// Is this line shown?
    pub fn has(&self, at: &Location) -> bool {
        self.shown.get(&at.file).is_some_and(|lines| lines.contains(&at.line))
    }

    /// As part of the page.
    pub fn draw(&self, prefix: &str, f: &Failure, sources: &Sources) -> Markup {
        html! {
            @for (file, lines) in self.shown.iter().filter(|(_, lines)| !lines.is_empty()) {
                div.card.source {
                    h4 { (visible(file)) }
                    div.code {
                        @let text = sources.lines(file);
                        @for (before, line) in with_previous(lines) {
                            @if before.is_some_and(|b| b + 1 != line) { div.gap { "⋯" } }
                            @let at = Location { file: file.clone(), line, column: 0 };
                            (self.line(&line_id(prefix, &at), &at, text.get(line as usize - 1), f))
                        }
                    }
                }
            }
        }
    }

    fn line(&self, id: &str, at: &Location, text: Option<&String>, f: &Failure) -> Markup {
        let notes: &[Note] = self.notes.get(&at.file).and_then(|l| l.get(&at.line)).map_or(&[], |n| n);
        let class =
            ["fails", "deciding", "preempted"].into_iter().find(|c| notes.iter().any(|n| n.class == *c));
        html! {
            div class={ "line " (class.unwrap_or("plain")) } id=(id) data-at=(id) {
                span.n { (at.line) }
                span.text { (text.map_or("", |t| t.as_str())) }
                @if !notes.is_empty() {
                    span.notes {
                        @for n in notes {
                            span class={ "note " (n.class) " hue" (hue(f, &n.thread)) } title=(visible(&n.text)) {
                                b { (n.thread) } " " (shortened(&visible(&n.text), NOTE))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn with_previous(lines: &BTreeSet<u32>) -> Vec<(Option<u32>, u32)> {
    let mut before = None;
    lines.iter().map(|line| (before.replace(*line), *line)).collect()
}
