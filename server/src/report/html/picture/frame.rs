//! Where everything stands: lanes from left to right, rows from top to bottom.

use super::rows::{Row, rows};
use super::threads;
use crate::report::clean::first_line;
use crate::report::html::marks::Marks;
use raddle_protocol::report::Location;

/// Room for the numbers of steps.
pub const STEPS: usize = 40;
/// Height of the lanes' heads.
pub const HEAD: usize = 52;
/// Height of a row.
pub const ROW: usize = 28;
/// Room that a preemption takes between two rows.
pub const GAP: usize = 34;

/// A picture's measures.
pub struct Frame<'a> {
    /// Lanes in order.
    pub threads: Vec<&'a str>,
    /// Rows with their upper edges.
    pub rows: Vec<(Row, usize)>,
    /// What stands in the last row, behind all operations: by lane.
    pub ends: Vec<End>,
    /// The upper edge of that row.
    pub end: usize,
    /// Width of a lane.
    pub lane: usize,
}

/// Something in the last row.
pub struct End {
    /// In which lane.
    pub lane: usize,
    /// What it says.
    pub text: String,
    /// The line, where one is known.
    pub line: u32,
    /// `fails`, `waits`, `unmade` or `next`.
    pub class: &'static str,
}

impl<'a> Frame<'a> {
    /// Of an execution.
    pub fn new(marks: &Marks<'a>) -> Frame<'a> {
        let threads = threads(marks.failure);
        let lane = match threads.len() {
            0..=2 => 290,
            3 => 254,
            4 => 210,
            _ => 180,
        };
        let mut y = HEAD;
        let mut placed = Vec::new();
        for row in rows(marks) {
            y += if marks.preemption(row.events().start).is_some() { GAP } else { 0 };
            placed.push((row, y));
            y += ROW;
        }
        let ends = ends(marks, &threads);
        Frame { threads, rows: placed, ends, end: y, lane }
    }

    /// Width of all.
    pub fn width(&self) -> usize {
        STEPS + self.threads.len() * self.lane + 4
    }

    /// Height of all.
    pub fn height(&self) -> usize {
        self.end + if self.ends.is_empty() { 0 } else { ROW } + 10
    }

    /// Left edge of a lane.
    pub fn left(&self, lane: usize) -> usize {
        STEPS + lane * self.lane
    }

    /// Middle of a lane.
    pub fn middle(&self, lane: usize) -> usize {
        self.left(lane) + self.lane / 2
    }

    /// The lane of a thread.
    pub fn lane_of(&self, thread: &str) -> usize {
        self.threads.iter().position(|t| *t == thread).unwrap_or(0)
    }

    /// Upper edge of the row that an event is in; that of the last row for what comes after all.
    pub fn top(&self, event: usize) -> usize {
        let row = self.rows.partition_point(|(row, _)| row.events().end <= event);
        self.rows.get(row).map_or(self.end, |(_, y)| *y)
    }

    /// Runs of rows in one lane: the lane, upper and lower edge.
    pub fn blocks(&self, marks: &Marks) -> Vec<(usize, usize, usize)> {
        let mut blocks: Vec<(usize, usize, usize)> = Vec::new();
        for (row, y) in &self.rows {
            if matches!(row, Row::Runs { .. }) {
                continue;
            }
            let lane = self.lane_of(&marks.failure.events[row.events().start].thread);
            match blocks.last_mut() {
                Some(last) if last.0 == lane && last.2 == *y => last.2 = y + ROW,
                _ => blocks.push((lane, *y, y + ROW)),
            }
        }
        blocks
    }
}

/// How it ends: the thread that failed, those that wait, and what those do next that did not come to it.
fn ends(marks: &Marks, threads: &[&str]) -> Vec<End> {
    let f = marks.failure;
    let mut ends: Vec<End> = Vec::new();
    let mut add = |thread: &str, text: String, at: Option<&Location>, class| {
        let lane = threads.iter().position(|t| *t == thread);
        if let Some(lane) = lane.filter(|lane| ends.iter().all(|e| e.lane != *lane)) {
            ends.push(End { lane, text, line: at.map_or(0, |l| l.line), class });
        }
    };
    let message = if f.kind == "data-race" { &f.kind } else { &f.message };
    add(&f.thread, first_line(message, 80), f.location.as_ref(), "fails");
    for w in &f.cycle {
        let held = if w.waits_for == w.held_by { String::new() } else { format!(", held by {}", w.held_by) };
        add(&w.thread, format!("waits for {}{held}", w.waits_for), w.location.as_ref(), "waits");
    }
    for (thread, o) in &marks.unmade {
        add(thread, format!("next: {} {}", o.operation, o.object), o.location.as_ref(), "unmade");
    }
    let stuck = matches!(f.kind.as_str(), "deadlock" | "livelock");
    for t in f.threads.iter().filter(|_| stuck) {
        let Some(p) = &t.pending else { continue };
        let waits = f.kind == "deadlock" && f.cycle.is_empty();
        let (text, class) = match p.text.strip_prefix("waits") {
            Some(_) => (p.text.clone(), "waits"),
            None if waits => (format!("waits: {}", p.text), "waits"),
            None => (format!("next: {}", p.text), "next"),
        };
        add(&t.thread, text, p.location.as_ref(), class);
    }
    ends
}
