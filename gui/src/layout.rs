//! An execution as rows and lanes, worked out once when it arrives: which rows are one run of a
//! thread, where threads wait, where preemptions lie, and which operations they decide about.
//! [`Lanes::of`] does the counting; [`crate::geometry`] turns it into places. Nothing here draws.

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
        lanes.deciding = crate::deciding::deciding(i, &lanes);
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

    /// A deadlock is what every unfinished thread waits for; any other failure is its thread's.
    fn outcome(&self, i: &Interleaving) -> Vec<End> {
        let row = self.operations;
        let stuck = |p: &Pending| Some(End { lane: self.lane(p.thread)?, row, text: p.text.clone() });
        match i.outcome.as_str() {
            "" | "passed" => Vec::new(),
            "deadlock" => i.pending.iter().filter_map(stuck).collect(),
            outcome => {
                let text = i.message.lines().next().unwrap_or(outcome);
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

#[cfg(test)]
pub mod tests;
