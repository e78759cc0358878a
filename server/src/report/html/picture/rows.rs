//! Which operations have a row of their own. A short execution shows all of them; of a longer one first those
//! are folded that concern one thread only, then what lies farther and farther from what a reader should look
//! at, then whole runs of threads, until it fits. What decides, what surrounds a preemption and the end
//! always stay.

use crate::report::html::marks::Marks;
use raddle_protocol::report::Event;
use std::collections::BTreeSet;
use std::ops::Range;

/// Rows that are read at one go.
const ROWS: usize = 44;

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// One operation.
    Event(usize),
    /// Operations of one thread.
    Fold(Range<usize>),
    /// Several runs of threads.
    Runs {
        /// Their operations.
        events: Range<usize>,
        /// How many.
        runs: usize,
    },
}

impl Row {
    /// The operations that it stands for.
    pub fn events(&self) -> Range<usize> {
        match self {
            Row::Event(at) => *at..*at + 1,
            Row::Fold(events) | Row::Runs { events, .. } => events.clone(),
        }
    }
}

/// The rows of an execution; of `quiet` threads only that they ran.
pub fn rows(marks: &Marks, quiet: &BTreeSet<&str>) -> Vec<Row> {
    let events = &marks.failure.events;
    let blocks = blocks(events);
    let always = always(marks);
    let distance = distances(&always, &blocks);
    let shown: Vec<bool> = events.iter().zip(&distance).map(|(e, d)| e.matters || *d <= 1).collect();
    let mut tries: Vec<Vec<bool>> = vec![vec![true; events.len()], shown];
    tries.extend((0..=REACH).rev().map(|reach| distance.iter().map(|d| *d <= reach).collect()));
    // In a narrow lane there is no room for words.
    for shown in &mut tries {
        shown.iter_mut().zip(events).for_each(|(shown, e)| *shown &= !quiet.contains(e.thread.as_str()));
    }
    let fits = tries.iter().map(|shown| folded(shown, &blocks)).find(|rows| rows.len() <= ROWS);
    fits.unwrap_or_else(|| {
        let kept: Vec<bool> = (0..events.len()).map(|at| always.contains(&at)).collect();
        without_quiet_runs(&kept, &blocks)
    })
}

/// Operations beside what a reader should look at that are shown with it, at most.
const REACH: usize = 16;

/// What is never folded.
pub fn always(marks: &Marks) -> BTreeSet<usize> {
    let around = marks.preemptions.iter().flat_map(|p| [Some(p.before), p.after]).flatten();
    let last = marks.failure.events.len().checked_sub(1);
    let all = marks.deciding.iter().chain(&marks.race).copied().chain(around).chain(marks.forms).chain(last);
    all.filter(|at| *at < marks.failure.events.len()).collect()
}

/// How far each operation is from the nearest that always stays, within its block; the ends of a block
/// count as such.
fn distances(always: &BTreeSet<usize>, blocks: &[Range<usize>]) -> Vec<usize> {
    let mut all = Vec::new();
    for block in blocks {
        for at in block.clone() {
            let before = always.range(block.start..=at).next_back().map(|near| at - near);
            let behind = always.range(at..block.end).next().map(|near| near - at);
            let nearest = before.into_iter().chain(behind).min().unwrap_or(usize::MAX);
            let is_end = at == block.start || at + 1 == block.end;
            all.push(if is_end { 0 } else { nearest });
        }
    }
    all
}

/// Runs of one thread.
fn blocks(events: &[Event]) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = events.chunk_by(|a, b| a.thread == b.thread).map(|block| {
        start += block.len();
        start - block.len()..start
    });
    ends.collect()
}

/// Folds what is not shown.
fn folded(shown: &[bool], blocks: &[Range<usize>]) -> Vec<Row> {
    let mut rows = Vec::new();
    blocks.iter().for_each(|b| block(shown, b.clone(), &mut rows));
    rows
}

/// The same, and runs of threads of which nothing is shown are one row.
fn without_quiet_runs(shown: &[bool], blocks: &[Range<usize>]) -> Vec<Row> {
    let mut rows = Vec::new();
    let is_quiet = |b: &Range<usize>| shown[b.clone()].iter().all(|s| !s);
    for runs in blocks.chunk_by(|a, b| is_quiet(a) == is_quiet(b)) {
        match runs {
            [first, _, .., last] if is_quiet(first) => {
                rows.push(Row::Runs { events: first.start..last.end, runs: runs.len() });
            }
            _ => runs.iter().for_each(|b| block(shown, b.clone(), &mut rows)),
        }
    }
    rows
}

fn block(shown: &[bool], events: Range<usize>, rows: &mut Vec<Row>) {
    let mut hidden = events.start;
    for at in events.clone() {
        if shown[at] {
            fold(hidden..at, rows);
            rows.push(Row::Event(at));
            hidden = at + 1;
        }
    }
    fold(hidden..events.end, rows);
}

/// A single operation takes no more room than the note that it is missing.
fn fold(events: Range<usize>, rows: &mut Vec<Row>) {
    match events.len() {
        0 => {}
        1 => rows.push(Row::Event(events.start)),
        _ => rows.push(Row::Fold(events)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_is_folded_and_nothing_is_lost() {
        let blocks = [0..5, 5..6, 6..9, 9..12, 12..13, 13..14];
        let always = BTreeSet::from([3, 9, 13]);
        let distance = distances(&always, &blocks);
        assert_eq!(distance[..5], [0, 2, 1, 0, 0]);
        assert_eq!(distance[6..12], [0, usize::MAX, 0, 0, 1, 0]);
        let shown = |reach| distance.iter().map(|d| *d <= reach).collect::<Vec<_>>();
        let rows = folded(&shown(0), &blocks);
        assert_eq!(rows[..3], [Row::Event(0), Row::Fold(1..3), Row::Event(3)]);
        let kept: Vec<bool> = (0..14).map(|at| always.contains(&at)).collect();
        let fewest = without_quiet_runs(&kept, &blocks);
        let expected = [Row::Fold(0..3), Row::Event(3), Row::Event(4), Row::Event(5), Row::Fold(6..9)];
        assert_eq!(fewest[..5], expected, "two quiet runs are no more than the note about them");
        for rows in [rows, fewest] {
            let covered: Vec<usize> = rows.iter().flat_map(Row::events).collect();
            assert_eq!(covered, (0..14).collect::<Vec<_>>());
        }
        let quiet = without_quiet_runs(&[false; 9], &[0..2, 2..3, 3..9]);
        assert_eq!(quiet, [Row::Runs { events: 0..9, runs: 3 }]);
    }
}
