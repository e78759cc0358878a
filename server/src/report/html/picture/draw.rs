//! The picture as SVG, drawn from the back to the front.

use super::fit::Words;
use super::frame::{End, Frame, GAP, HEAD, ROW, STEPS};
use super::rows::Row;
use super::{hue, words};
use crate::report::html::marks::{Marks, Preemption};
use crate::report::html::source::{Excerpts, line_id};
use crate::terminal::clean::{shortened, visible};
use crate::terminal::text::circled;
use maud::{Markup, html};
use raddle_protocol::report::{Event, Location, Thread};

/// Width of a letter of what is written into boxes.
const LETTER: f64 = 6.93;
/// Between the edge of a lane and its boxes.
const MARGIN: usize = 12;

/// A picture being drawn.
pub struct Drawing<'a> {
    /// The failure's address within the page.
    pub id: &'a str,
    /// What is marked.
    pub marks: &'a Marks<'a>,
    /// The lines that a row can lead to.
    pub excerpts: &'a Excerpts,
    /// Where everything stands.
    pub frame: &'a Frame<'a>,
}

impl Drawing<'_> {
    /// All of it.
    pub fn draw(&self) -> Markup {
        let (width, height) = (self.frame.width(), self.frame.height());
        let hatch = format!("{}-hatch", self.id);
        let arrow = format!("{}-arrow", self.id);
        html! {
            svg viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img"
                aria-label={ "The failing execution, thread by thread" } {
                defs {
                    pattern id=(hatch) width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                        line.hatch x1="0" y1="0" x2="0" y2="7" {}
                    }
                    marker id=(arrow) viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8"
                        markerUnits="userSpaceOnUse" orient="auto-start-reverse" {
                        path.arrowhead d="M0 0L10 5L0 10z" {}
                    }
                }
                @for (lane, thread) in self.frame.threads.iter().enumerate() { (self.lane(lane, thread, &hatch)) }
                @for (lane, top, bottom) in self.frame.blocks(self.marks) {
                    rect class={ "block hue" (self.hue(lane)) } x=(self.frame.left(lane) + MARGIN - 6) y=(top)
                        width=(self.frame.lane(lane) - 2 * MARGIN + 12) height=(bottom - top) rx="7" {}
                }
                @for (row, y) in &self.frame.rows { (self.row(row, *y)) }
                @for end in &self.frame.ends { (self.end(end)) }
                (self.orders(&arrow))
                @if let Some(at) = self.marks.forms { (self.forms(at)) }
                @for p in &self.marks.preemptions { (self.preemption(p)) }
            }
        }
    }

    fn hue(&self, lane: usize) -> usize {
        hue(self.marks.failure, self.frame.threads[lane])
    }

    /// A thread's head, its line, and where it waits.
    fn lane(&self, lane: usize, thread: &str, hatch: &str) -> Markup {
        let f = self.marks.failure;
        let known = f.threads.iter().find(|t| t.thread == thread);
        let name = known.map_or("", |t| t.name.as_str());
        let x = self.frame.middle(lane);
        let of_it = |e: &Event| e.thread == thread;
        let first = f.events.iter().position(of_it).map_or(HEAD, |at| self.frame.top(at));
        let ended = f.events.iter().rposition(|e| of_it(e) && e.operation == "exit");
        let last = ended.map_or(self.frame.height() - 6, |at| self.frame.top(at) + ROW);
        let room = (self.frame.lane(lane).saturating_sub(32) as f64 / 8.0) as usize;
        let title = format!("{thread} {}", visible(name));
        let head = if self.frame.is_quiet(lane) { thread } else { title.as_str() };
        html! {
            line.thread x1=(x) x2=(x) y1=(first) y2=(last) {}
            @for (top, bottom) in self.waits(known) {
                rect x=(x - 13) y=(top) width="26" height=(bottom - top) fill={ "url(#" (hatch) ")" } {
                    title { (thread) " cannot run" }
                }
            }
            circle class={ "dot hue" (self.hue(lane)) } cx=(self.frame.left(lane) + 16) cy="16" r="6" {}
            text.name x=(self.frame.left(lane) + 28) y="21" { (shortened(head, room)) title { (title) } }
            @if let Some(at) = known.and_then(|t| t.spawned.as_ref()).filter(|_| !self.frame.is_quiet(lane)) {
                text.spawned x=(self.frame.left(lane) + 28) y="38" {
                    (shortened(&format!("spawned {}:{}", base(&visible(&at.file)), at.line), room + 4))
                }
            }
        }
    }

    /// Stretches of the picture in which a thread could not run; of a fold only if it could not in all of it.
    fn waits(&self, thread: Option<&Thread>) -> Vec<(usize, usize)> {
        let events = &self.marks.failure.events;
        let last = events.iter().rposition(|e| e.step.is_some()).unwrap_or(0);
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for (from, to) in thread.into_iter().flat_map(|t| &t.waits) {
            // What is no schedule point lets nobody go on.
            let to = if *to as usize > last { events.len() } else { *to as usize };
            let within = |row: &Row| row.events().start >= *from as usize && row.events().end <= to;
            for (_, y) in self.frame.rows.iter().filter(|(row, _)| within(row)) {
                match edges.last_mut() {
                    Some(last) if last.1 + GAP >= *y => last.1 = y + ROW,
                    _ => edges.push((*y, y + ROW)),
                }
            }
        }
        edges
    }

    fn row(&self, row: &Row, y: usize) -> Markup {
        let f = self.marks.failure;
        match row {
            Row::Event(at) => self.event(*at, &f.events[*at], y),
            Row::Fold(events) => {
                let lane = self.frame.lane_of(&f.events[events.start].thread);
                html! {
                    text.fold x=(self.frame.middle(lane)) y=(y + ROW / 2 + 4) {
                        "⋯ " (events.len()) @if !self.frame.is_quiet(lane) { " operations" }
                        title { (self.list(events.clone())) }
                    }
                }
            }
            Row::Runs { events, runs } => {
                let middle = (STEPS + self.frame.width()) / 2;
                html! {
                    rect.runs x=(STEPS) y=(y + 4) width=(self.frame.width() - STEPS - 4) height=(ROW - 8) rx="6" {}
                    text.fold x=(middle) y=(y + ROW / 2 + 4) {
                        "⋯ " (runs) " runs of threads, " (events.len()) " operations"
                    }
                }
            }
        }
    }

    /// What a fold hides, as far as a hint holds it.
    fn list(&self, events: std::ops::Range<usize>) -> String {
        let all: Vec<String> =
            self.marks.failure.events[events].iter().take(30).map(|e| visible(&words(e))).collect();
        all.join("\n")
    }

    fn event(&self, at: usize, e: &Event, y: usize) -> Markup {
        let lane = self.frame.lane_of(&e.thread);
        let decides = if self.marks.deciding.contains(&at) { " deciding" } else { "" };
        let races = if self.marks.race.contains(&at) { " fails" } else { "" };
        let quiet = if e.matters || !decides.is_empty() { "" } else { " quiet" };
        let text = visible(&words(e));
        let line = e.location.as_ref().map_or(0, |l| l.line);
        let words = Words::of(e, &text);
        let mut hint = format!("{} {text}", e.thread);
        if !e.method.is_empty() {
            hint += &format!("\nin {}", visible(&e.method));
        }
        if let Some(l) = &e.location {
            hint += &format!("\n{}:{}", visible(&l.file), l.line);
        }
        html! {
            @if let Some(step) = e.step { text.step x=(STEPS - 8) y=(y + ROW / 2 + 4) { (step) } }
            (self.linked(e.location.as_ref(), html! {
                g class={ "event hue" (self.hue(lane)) (decides) (races) (quiet) } { (self.a_box(lane, y, &words, line)) title { (hint) } }
            }))
        }
    }

    /// A row that leads to its line, where that is shown.
    fn linked(&self, at: Option<&Location>, inner: Markup) -> Markup {
        let Some(at) = at.filter(|at| self.excerpts.has(at)) else { return inner };
        let line = line_id(self.id, at);
        html! { a href={ "#" (line) } data-at=(line) { (inner) } }
    }

    fn a_box(&self, lane: usize, y: usize, words: &Words, line: u32) -> Markup {
        let (x, width) = (self.frame.left(lane) + MARGIN, self.frame.lane(lane) - 2 * MARGIN);
        let place = if line > 0 { format!(":{line}") } else { String::new() };
        let room = ((width - 22) as f64 / LETTER) as usize;
        let (left, value) = words.fitting(room.saturating_sub(place.chars().count()));
        html! {
            rect.box x=(x) y=(y + 2) width=(width) height=(ROW - 4) rx="4" {}
            rect.bar x=(x) y=(y + 2) width="4" height=(ROW - 4) rx="2" {}
            text.what x=(x + 12) y=(y + ROW / 2 + 4) { (left) }
            text.value x=(x + width - 8) y=(y + ROW / 2 + 4) { (value) " " tspan.line { (place) } }
        }
    }

    fn end(&self, end: &End) -> Markup {
        let f = self.marks.failure;
        let words = Words { left: visible(&end.text), right: String::new() };
        let at = if end.class == "fails" { f.location.as_ref() } else { None };
        let hint = if end.class == "fails" { &f.message } else { &end.text };
        let inner = html! {
            g class={ "event hue" (self.hue(end.lane)) " " (end.class) } {
                (self.a_box(end.lane, self.frame.end, &words, end.line))
                title { (visible(hint)) }
            }
        };
        self.linked(at, inner)
    }

    /// The only red thing in the lanes.
    fn preemption(&self, p: &Preemption) -> Markup {
        let f = self.marks.failure;
        let y = self.frame.top(p.before);
        let (from, to) = (self.frame.lane_of(p.thread), self.frame.lane_of(&f.events[p.before].thread));
        let (x1, x2, top) = (self.frame.middle(from), self.frame.middle(to), y - GAP);
        let before = p.goes_on.map(|at| format!(" before :{}", at.line)).unwrap_or_default();
        let bend = top + 12;
        html! {
            g.preemption {
                path d={ "M" (x1) " " (top) "C" (x1) " " (bend) " " (x1) " " (bend) " " ((x1 + x2) / 2) " " (bend)
                    "S" (x2) " " (bend) " " (x2) " " (y + 2) } {}
                circle cx=((x1 + x2) / 2) cy=(bend) r="9" {}
                text.number x=((x1 + x2) / 2) y=(bend + 4) { (p.number) }
                text.label x=(x1) y=(bend + 16) { "preempted" (before) }
                title { (circled(p.number)) " " (p.thread) " preempted" (before) }
            }
        }
    }

    /// Where a deadlock of some threads closes, though others go on.
    fn forms(&self, at: usize) -> Markup {
        let y = self.frame.top(at) + ROW + 4;
        let threads: Vec<&str> = self.marks.failure.cycle.iter().map(|w| w.thread.as_str()).collect();
        html! {
            g.forms {
                line x1=(STEPS) x2=(self.frame.width() - 4) y1=(y) y2=(y) {}
                text x=(STEPS + 8) y=(y + 18) { (each_other(&threads)) " for ever from here on" }
            }
        }
    }

    /// Arrows between what decides: from what came first to what came then.
    fn orders(&self, arrow: &str) -> Markup {
        let deciding = self.marks.failure.explained.iter().flat_map(|e| &e.deciding);
        let drawn = deciding.filter_map(|d| d.order.as_ref()).filter_map(|o| {
            let first = o.first.event?;
            let (from, to) = (self.frame.lane_of(&o.first.thread), self.frame.lane_of(&o.then.thread));
            let start = self.frame.top(first) + ROW / 2;
            let end = o.then.event.map_or(self.frame.end, |at| self.frame.top(at)) + ROW / 2;
            (from != to).then(|| self.curve((from, start), (to, end)))
        });
        html! {
            @for path in drawn { path.order d=(path) marker-end={ "url(#" (arrow) ")" } {} }
            @if let [first, second] = self.marks.race[..] { path.unordered d=(self.between(first, second)) {} }
        }
    }

    /// From one event's row to another's.
    fn between(&self, first: usize, second: usize) -> String {
        let end = |at: usize| {
            let lane = self.frame.lane_of(&self.marks.failure.events[at].thread);
            (lane, self.frame.top(at) + ROW / 2)
        };
        self.curve(end(first), end(second))
    }

    fn curve(&self, (from, y1): (usize, usize), (to, y2): (usize, usize)) -> String {
        let right = |lane: usize| self.frame.left(lane) + self.frame.lane(lane) - MARGIN;
        let (x1, x2) = match from < to {
            true => (right(from), self.frame.left(to) + MARGIN - 2),
            false => (self.frame.left(from) + MARGIN, right(to) + 2),
        };
        let reach = 34i64 * if from < to { 1 } else { -1 };
        let (c1, c2) = (x1 as i64 + reach, x2 as i64 - reach);
        format!("M{x1} {y1}C{c1} {y1} {c2} {y2} {x2} {y2}")
    }
}

/// `T1 and T2 wait for each other`; one alone waits for itself.
fn each_other(threads: &[&str]) -> String {
    match threads {
        [] => "nobody goes on".to_string(),
        [one] => format!("{one} waits for itself"),
        [first @ .., last] => format!("{} and {last} wait for each other", first.join(", ")),
    }
}

/// The last part of a file's name.
fn base(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}
