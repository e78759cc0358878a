//! An execution as rows and lanes, worked out once when it arrives: which rows are one run of a
//! thread, where threads wait, where preemptions lie, and which operations they decide about.
//! [`Lanes::of`] does the counting; [`Geometry`] turns it into places. Nothing here draws.

use egui::{Pos2, Rect, pos2, vec2};
use raddle_protocol::interleaving::{Interleaving, Pending, Step};
use std::ops::Range;

/// An execution, arranged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lanes {
    /// Rows of operations; the rows of the outcome follow them.
    pub operations: u32,
    /// Runs of one thread without a switch, in order. They cover all rows of operations.
    pub blocks: Vec<Block>,
    /// By lane: where its thread could not run, in order.
    pub waits: Vec<Vec<Range<u32>>>,
    /// By lane: the rows from its thread's first operation to its last.
    pub lives: Vec<Range<u32>>,
    /// Preemptions in order.
    pub switches: Vec<Switch>,
    /// By event: the order of this operation decides.
    pub deciding: Vec<bool>,
    /// What is said in rows below the operations.
    pub ends: Vec<End>,
    /// By lane: its thread's events in order.
    pub by_lane: Vec<Vec<u32>>,
    /// By lane: its thread's number.
    pub threads: Vec<u32>,
}

/// A run of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its lane.
    pub lane: usize,
    /// Its rows.
    pub rows: Range<u32>,
}

/// A preemption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Its number, from 1.
    pub number: u32,
    /// Lane of the preempted thread.
    pub from: usize,
    /// Lane of the thread that runs instead.
    pub to: usize,
    /// The first row after it.
    pub row: u32,
    /// The locks that the preempted thread held.
    pub holding: Vec<String>,
}

/// What is said about a lane once nothing runs any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Its lane.
    pub lane: usize,
    /// Its row.
    pub row: u32,
    /// In words.
    pub text: String,
}

impl Lanes {
    /// Arranges an execution.
    pub fn of(i: &Interleaving) -> Lanes {
        let threads: Vec<u32> = i.threads.iter().map(|t| t.thread).collect();
        let mut lanes = Lanes { operations: i.events.len() as u32, threads, ..Lanes::default() };
        lanes.by_lane = vec![Vec::new(); lanes.threads.len()];
        for (row, event) in i.events.iter().enumerate() {
            if let Some(lane) = lanes.lane(event.thread) {
                lanes.by_lane[lane].push(row as u32);
            }
        }
        lanes.blocks = lanes.runs(i);
        lanes.waits = (0..lanes.threads.len()).map(|lane| lanes.waits_of(i, lane)).collect();
        lanes.switches = lanes.preemptions(i);
        lanes.deciding = lanes.decided(i);
        lanes.ends = lanes.outcome(i);
        lanes.lives = (0..lanes.threads.len()).map(|lane| lanes.life_of(lane)).collect();
        lanes
    }

    /// The lane of a thread.
    pub fn lane(&self, thread: u32) -> Option<usize> {
        // Threads are numbered as they are spawned, so this is nearly always its own number.
        let guess = thread as usize;
        if self.threads.get(guess) == Some(&thread) {
            return Some(guess);
        }
        self.threads.iter().position(|&t| t == thread)
    }

    /// Rows in all.
    pub fn rows(&self) -> u32 {
        self.operations + u32::from(!self.ends.is_empty())
    }

    /// The first event of a thread at or after this one.
    pub fn next_of(&self, lane: usize, event: u32) -> Option<u32> {
        let events = self.by_lane.get(lane)?;
        events.get(events.partition_point(|&e| e < event)).copied()
    }

    /// The row of the preemption after or before this row.
    pub fn preemption_from(&self, row: u32, forward: bool) -> Option<u32> {
        let rows = self.switches.iter().map(|s| s.row);
        if forward { rows.into_iter().find(|&r| r > row) } else { rows.rev().find(|&r| r < row) }
    }

    fn runs(&self, i: &Interleaving) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        for (row, event) in i.events.iter().enumerate() {
            let (row, Some(lane)) = (row as u32, self.lane(event.thread)) else { continue };
            match blocks.last_mut() {
                Some(last) if last.lane == lane && last.rows.end == row => last.rows.end += 1,
                _ => blocks.push(Block { lane, rows: row..row + 1 }),
            }
        }
        blocks
    }

    /// Rows in which a thread could not run. Operations that are no steps say nothing about it:
    /// what held at the step before them still holds.
    fn waits_of(&self, i: &Interleaving, lane: usize) -> Vec<Range<u32>> {
        let thread = self.threads[lane];
        let mut waits: Vec<Range<u32>> = Vec::new();
        let mut waiting = false;
        for (row, event) in i.events.iter().enumerate() {
            if event.step.is_some() {
                waiting = event.waiting.contains(&thread);
            }
            let row = row as u32;
            match waits.last_mut() {
                _ if !waiting || event.thread == thread => {}
                Some(last) if last.end == row => last.end += 1,
                _ => waits.push(row..row + 1),
            }
        }
        waits
    }

    fn preemptions(&self, i: &Interleaving) -> Vec<Switch> {
        let switch = |(row, event): (usize, &Step)| {
            let preempted = event.preemption.as_ref()?;
            Some(Switch {
                number: preempted.number,
                from: self.lane(preempted.thread)?,
                to: self.lane(event.thread)?,
                row: row as u32,
                holding: preempted.holding.clone(),
            })
        };
        i.events.iter().enumerate().filter_map(switch).collect()
    }

    /// A preemption decides through what both sides touch: the preempted thread in its runs right
    /// before and right after, the others in between. Where nothing was preempted, everything that
    /// concerns a shared object counts.
    fn decided(&self, i: &Interleaving) -> Vec<bool> {
        if self.switches.is_empty() {
            return i.events.iter().map(|e| e.matters && concerns_data(e)).collect();
        }
        let mut deciding = vec![false; i.events.len()];
        for switch in &self.switches {
            let run = self.blocks.partition_point(|b| b.rows.end <= switch.row);
            let before = run.checked_sub(1).map(|last| self.blocks[last].rows.clone()).unwrap_or_default();
            let back = self.blocks[run..].iter().find(|b| b.lane == switch.from);
            let after = back.map_or(self.operations..self.operations, |b| b.rows.clone());
            let between = switch.row..after.start;
            for own in before.chain(after) {
                mark(i, &mut deciding, own, between.clone());
            }
        }
        deciding
    }

    /// A deadlock is what every unfinished thread waits for; any other failure is its thread's.
    fn outcome(&self, i: &Interleaving) -> Vec<End> {
        let row = self.operations;
        let stuck = |p: &Pending| Some(End { lane: self.lane(p.thread)?, row, text: p.text.clone() });
        match i.outcome.as_str() {
            "" | "passed" => Vec::new(),
            "deadlock" => i.pending.iter().filter_map(stuck).collect(),
            outcome => {
                let text = if i.message.is_empty() { outcome } else { &i.message };
                let lane = i.events.last().and_then(|e| self.lane(e.thread));
                lane.map(|lane| End { lane, row, text: text.to_string() }).into_iter().collect()
            }
        }
    }

    fn life_of(&self, lane: usize) -> Range<u32> {
        let first = self.by_lane[lane].first().copied().unwrap_or_default();
        let last = self.by_lane[lane].last().map_or(first, |l| l + 1);
        let end = self.ends.iter().find(|e| e.lane == lane).map_or(last, |e| e.row + 1);
        first..end.max(last)
    }
}

/// Reading, writing or locking something, rather than the life of threads.
fn concerns_data(event: &Step) -> bool {
    !event.object.is_empty() && !matches!(event.operation.as_str(), "start" | "spawn" | "join" | "exit")
}

/// Marks an operation of the preempted thread and those of others that touch the same object.
fn mark(i: &Interleaving, deciding: &mut [bool], event: u32, theirs: Range<u32>) {
    let Some(own) = i.events.get(event as usize) else { return };
    if !own.matters || !concerns_data(own) {
        return;
    }
    for other in theirs {
        let Some(step) = i.events.get(other as usize) else { return };
        if step.object == own.object && step.thread != own.thread && concerns_data(step) {
            deciding[other as usize] = true;
            deciding[event as usize] = true;
        }
    }
}

/// Where rows and lanes are, in points from the top left of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometry {
    /// Width of one lane.
    pub lane: f32,
    /// Number of lanes.
    pub lanes: usize,
}

/// Left of the lanes, for step numbers.
pub const GUTTER: f32 = 46.0;
/// From one row to the next.
pub const ROW: f32 = 34.0;
/// Height of an operation's box.
const BOX: f32 = 26.0;
/// Between a lane's edge and its blocks.
const AIR: f32 = 7.0;
/// Between a block's edge and its boxes.
const INSET: f32 = 6.0;
/// Above the first row.
const TOP: f32 = 6.0;

impl Geometry {
    /// Lanes share the width, within reason.
    pub fn new(width: f32, lanes: usize) -> Geometry {
        let each = (width - GUTTER) / lanes.max(1) as f32;
        Geometry { lane: each.clamp(168.0, 290.0), lanes }
    }

    /// Width of everything.
    pub fn width(&self) -> f32 {
        GUTTER + self.lane * self.lanes as f32
    }

    /// Height of so many rows.
    pub fn height(&self, rows: u32) -> f32 {
        TOP * 2.0 + ROW * rows as f32
    }

    /// Middle of a lane.
    pub fn middle(&self, lane: usize) -> f32 {
        GUTTER + self.lane * (lane as f32 + 0.5)
    }

    /// Upper edge of a row.
    pub fn top(&self, row: u32) -> f32 {
        TOP + ROW * row as f32
    }

    /// Background of a run.
    pub fn block(&self, lane: usize, rows: &Range<u32>) -> Rect {
        let left = GUTTER + self.lane * lane as f32 + AIR;
        let from = pos2(left, self.top(rows.start) - 1.0);
        Rect::from_min_max(from, pos2(left + self.lane - 2.0 * AIR, self.top(rows.end) + 1.0))
    }

    /// Box of an operation.
    pub fn operation(&self, lane: usize, row: u32) -> Rect {
        let left = GUTTER + self.lane * lane as f32 + AIR + INSET;
        let size = vec2(self.lane - 2.0 * (AIR + INSET), BOX);
        Rect::from_min_size(pos2(left, self.top(row) + (ROW - BOX) / 2.0), size)
    }

    /// Hatched area of a wait.
    pub fn wait(&self, lane: usize, rows: &Range<u32>) -> Rect {
        let half = vec2(13.0, 0.0);
        let (from, to) = (pos2(self.middle(lane), self.top(rows.start)), self.top(rows.end));
        Rect::from_min_max(from - half, pos2(self.middle(lane), to) + half)
    }

    /// Rows that show between two heights.
    pub fn visible(&self, from: f32, to: f32, rows: u32) -> Range<u32> {
        let first = ((from - TOP) / ROW).floor().max(0.0) as u32;
        let last = ((to - TOP) / ROW).ceil().max(0.0) as u32;
        first.min(rows)..last.min(rows)
    }

    /// The mark of a preemption: between the two lanes, where the one run ends and the other begins.
    pub fn mark(&self, switch: &Switch) -> Pos2 {
        let middle = (self.middle(switch.from) + self.middle(switch.to)) / 2.0;
        pos2(middle, self.top(switch.row))
    }
}

#[cfg(test)]
mod tests;
