//! The picture of `--coverage`: for each test what was distinct after so many executions, and at the
//! end of each preemption bound (paper 000, Figures 1 and 2).

use crate::error::{Error, Result};
use raddle_plot::{Axis, Figure, Line, Mark, Panel, Row, grouped};
use raddle_protocol::report::{CoveragePoint, Report, Search, Verdict};
use std::fs::{self, OpenOptions};
use std::path::Path;

/// Finds out whether a picture can be written here, before anything takes time. A file that was not
/// there is not there afterwards.
pub fn check(path: &Path) -> Result<()> {
    let there = path.symlink_metadata().is_ok();
    OpenOptions::new().append(true).create(true).open(path).map_err(|e| unwritable(path, e))?;
    if !there {
        fs::remove_file(path).map_err(|e| unwritable(path, e))?;
    }
    Ok(())
}

/// Writes the picture.
pub fn write(path: &Path, target: &str, reports: &[&Report]) -> Result<()> {
    fs::write(path, figure(target, reports).svg()).map_err(|e| unwritable(path, e))
}

fn unwritable(path: &Path, e: std::io::Error) -> Error {
    Error::new(format!("--coverage: cannot write {}", path.display()))
        .because(e)
        .next("name a file in a folder that can be written to")
}

fn figure(target: &str, reports: &[&Report]) -> Figure {
    Figure {
        title: format!("Coverage of {target}"),
        notes: vec![
            "A state is the beginning of an execution, a class a whole one; those that differ only by the"
                .into(),
            "order of independent steps are one (classes: of executions that were not cut off).".into(),
        ],
        rows: reports.iter().map(|r| row(r)).collect(),
    }
}

fn row(r: &Report) -> Row {
    let panels = match r.coverage.last() {
        None => Vec::new(),
        Some(last) => [Some(growth(r, last)), by_bound(r, last)].into_iter().flatten().collect(),
    };
    Row { title: r.test.clone(), notes: vec![settings(&r.search), reached(r)], panels }
}

/// How it was searched, in the words of the command line.
fn settings(s: &Search) -> String {
    let mut text = format!("--granularity {} --bound {}", s.granularity, s.bound);
    for (option, value, default) in
        [("reduce", &s.reduce, "none"), ("order", &s.order, "dfs"), ("states", &s.states, "none")]
    {
        if value != default {
            text += &format!(" --{option} {value}");
        }
    }
    let drawn = |name: &str| name == "rand" || name == "random" || name == "pos" || name.starts_with("pct=");
    if s.order.split(',').any(drawn) {
        text += &format!(" --seed {}", s.seed);
    }
    text
}

/// What there was in the end.
fn reached(r: &Report) -> String {
    let Some(last) = r.coverage.last() else { return "no test was explored".into() };
    let mut text = format!("{} executions", grouped(last.executions as f64));
    for (count, what) in [(last.classes, "classes"), (last.states, "states")] {
        match count {
            Some(n) => text += &format!(", {} {what}", grouped(n as f64)),
            None => text += &format!(", more {what} than are counted"),
        }
    }
    text + match r.verdict {
        Verdict::Failed if !r.complete => "; ended by a failure",
        _ if r.complete && !is_whole(r) => "; complete (a reduction does not lead through all states)",
        _ if r.complete && r.search.bound.contains('=') => "; all within the bound",
        _ if r.complete => "; all there are",
        _ => "; not complete",
    }
}

/// Is what was counted all there is, within the bound?
fn is_whole(r: &Report) -> bool {
    r.complete && matches!(r.search.reduce.as_str(), "" | "none")
}

/// What is counted, and its name.
type Counted = (&'static str, fn(&CoveragePoint) -> Option<u64>);
const COUNTED: [Counted; 2] = [("states", |p| p.states), ("classes", |p| p.classes)];

/// Distinct states and classes over executions.
fn growth(r: &Report, last: &CoveragePoint) -> Panel {
    let lines = COUNTED.map(|(name, count)| {
        let point = |p: &CoveragePoint| Some((p.executions as f64, count(p)? as f64));
        Line { name: name.into(), points: r.coverage.iter().filter_map(point).collect(), dots: false }
    });
    let most = lines.iter().flat_map(|l| &l.points).fold(1.0, |most: f64, p| most.max(p.1));
    let marks = r.coverage.iter().filter_map(|p| Some((p, p.bound?)));
    Panel {
        title: "By executions".into(),
        x: Axis::counting("executions", last.executions as f64),
        y: Axis::counting("distinct", most),
        lines: lines.into(),
        marks: marks.map(|(p, c)| Mark { x: p.executions as f64, name: c.to_string() }).collect(),
        marked: "dashed: preemption bound completed".into(),
    }
}

/// What the first bounds cover: of all there is, where that is known.
fn by_bound(r: &Report, last: &CoveragePoint) -> Option<Panel> {
    let bounds: Vec<(u32, &CoveragePoint)> = r.coverage.iter().filter_map(|p| Some((p.bound?, p))).collect();
    let most = bounds.last().filter(|_| bounds.len() > 1)?.0;
    let lines = COUNTED.map(|(name, count)| {
        let whole = count(last).filter(|_| is_whole(r)).map(|all| all.max(1) as f64 / 100.0);
        let point = |(bound, p): &(u32, &CoveragePoint)| {
            Some((f64::from(*bound), count(p)? as f64 / whole.unwrap_or(1.0)))
        };
        Line { name: name.into(), points: bounds.iter().filter_map(point).collect(), dots: true }
    });
    let highest = lines.iter().flat_map(|l| &l.points).fold(1.0, |most: f64, p| most.max(p.1));
    let y = match is_whole(r) {
        true => Axis::linear("% of all", 100.0),
        false => Axis::counting("distinct", highest),
    };
    Some(Panel {
        title: "By preemption bound".into(),
        x: Axis::linear("executions with at most so many preemptions", f64::from(most)),
        y,
        lines: lines.into(),
        marks: Vec::new(),
        marked: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(points: &[(u64, u64, Option<u64>, Option<u32>)], complete: bool) -> Report {
        let bound = "iterative".to_string();
        let search = Search { granularity: "sync".into(), bound, order: "dfs".into(), ..Search::default() };
        let mut r = Report::new("a.c", "a", search);
        let point = |&(executions, classes, states, bound)| CoveragePoint {
            executions,
            classes: Some(classes),
            states,
            bound,
        };
        r.coverage = points.iter().map(point).collect();
        r.complete = complete;
        r
    }

    #[test]
    fn shares_are_of_everything_only_where_everything_was_run() {
        let points = [(1, 1, Some(5), Some(0)), (2, 2, Some(7), None), (4, 2, Some(10), Some(1))];
        let of = |complete| by_bound(&report(&points, complete), &report(&points, complete).coverage[2]);
        let states = |complete| of(complete).expect("a panel").lines[0].points.clone();
        assert_eq!(states(true), [(0.0, 50.0), (1.0, 100.0)]);
        assert_eq!(states(false), [(0.0, 5.0), (1.0, 10.0)]);
        assert_eq!(reached(&report(&points, true)), "4 executions, 2 classes, 10 states; all there are");
    }

    #[test]
    fn a_curve_ends_where_counting_does() {
        let points = [(1, 1, Some(5), Some(0)), (2, 2, None, None)];
        let r = report(&points, false);
        let row = row(&r);
        assert_eq!(row.panels.len(), 1, "one bound is no curve");
        assert_eq!(row.panels[0].lines[0].points, [(1.0, 5.0)]);
        assert_eq!(row.panels[0].lines[1].points, [(1.0, 1.0), (2.0, 2.0)]);
        assert_eq!(row.notes[1], "2 executions, 2 classes, more states than are counted; not complete");
        assert!(super::row(&report(&[], false)).panels.is_empty());
    }
}
