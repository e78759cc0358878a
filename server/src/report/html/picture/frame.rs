//! Where everything stands: lanes from left to right, rows from top to bottom.

use super::rows::{Row, always, rows};
use super::threads;
use crate::report::html::marks::Marks;
use crate::terminal::clean::first_line;
use raddle_protocol::report::Location;
use std::collections::BTreeSet;

/// Room for the numbers of steps.
pub const STEPS: usize = 40;
/// Height of the lanes' heads.
pub const HEAD: usize = 52;
/// Height of a row.
pub const ROW: usize = 28;
/// Room that a preemption takes between two rows, and the place where a deadlock forms.
pub const GAP: usize = 34;

/// Width of the lane of a thread that has no part in what matters, where there are many threads.
const QUIET: usize = 76;
/// Threads that all have lanes of full width.
const THREADS: usize = 4;

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
    /// Left edges and widths of the lanes.
    lanes: Vec<(usize, usize)>,
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
        let ends = ends(marks, &threads);
        let quiet = quiet(marks, &threads, &ends);
        let mut y = HEAD;
        let mut placed = Vec::new();
        for row in rows(marks, &quiet) {
            y += if marks.preemption(row.events().start).is_some() { GAP } else { 0 };
            let forms = marks.forms.is_some_and(|at| row.events().contains(&at));
            placed.push((row, y));
            y += ROW + if forms { GAP } else { 0 };
        }
        let width = match threads.len() - quiet.len() {
            0..=2 => 290,
            3 => 254,
            4 => 210,
            _ => 180,
        };
        let mut left = STEPS;
        let place = |thread: &&str| {
            let width = if quiet.contains(thread) { QUIET } else { width };
            left += width;
            (left - width, width)
        };
        let lanes = threads.iter().map(place).collect();
        Frame { threads, rows: placed, ends, end: y, lanes }
    }

    /// Width of all.
    pub fn width(&self) -> usize {
        self.lanes.last().map_or(STEPS, |(left, width)| left + width) + 4
    }

    /// Height of all.
    pub fn height(&self) -> usize {
        self.end + if self.ends.is_empty() { 0 } else { ROW } + 10
    }

    /// Left edge of a lane.
    pub fn left(&self, lane: usize) -> usize {
        self.lanes[lane].0
    }

    /// Width of a lane.
    pub fn lane(&self, lane: usize) -> usize {
        self.lanes[lane].1
    }

    /// Is it a lane of little to be seen?
    pub fn is_quiet(&self, lane: usize) -> bool {
        self.lanes[lane].1 == QUIET
    }

    /// Middle of a lane.
    pub fn middle(&self, lane: usize) -> usize {
        self.left(lane) + self.lane(lane) / 2
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

/// Threads that nothing decides about and nobody preempts, where there are many.
fn quiet<'a>(marks: &Marks, threads: &[&'a str], ends: &[End]) -> BTreeSet<&'a str> {
    if threads.len() <= THREADS {
        return BTreeSet::new();
    }
    let always = always(marks);
    let loud = |thread: &str| {
        always.iter().any(|at| marks.failure.events[*at].thread == thread)
            || ends.iter().any(|e| threads[e.lane] == thread)
    };
    threads.iter().copied().filter(|t| !loud(t)).collect()
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
    // A race is where its accesses are.
    if marks.race.is_empty() {
        add(&f.thread, first_line(&f.message, 80), f.location.as_ref(), "fails");
    }
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
