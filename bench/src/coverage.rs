//! `raddle-bench coverage OUT.svg TITLE NAME=REPORT.json …`: the curves of several searches of one
//! test in one picture (paper 000, Figure 2): distinct states over executions. The reports are what
//! `raddle explore --coverage FILE --json` prints.

use raddle_plot::{Axis, Figure, Line, Panel, Row};
use serde_json::Value;
use std::fs;

/// Draws them.
pub fn draw(out: &str, title: &str, searches: &[&str]) -> Result<(), String> {
    let lines: Vec<Line> = searches.iter().map(|search| line(search)).collect::<Result<_, _>>()?;
    let most = |of: fn(&(f64, f64)) -> f64| lines.iter().flat_map(|l| &l.points).map(of).fold(1.0, f64::max);
    let (executions, states) = (most(|p| p.0), most(|p| p.1));
    let panel = |title: &str, x: Axis| Panel {
        title: title.to_string(),
        x,
        y: Axis::log("distinct states", states),
        lines: lines.clone(),
        marks: Vec::new(),
        marked: String::new(),
    };
    let figure = Figure {
        title: title.to_string(),
        notes: Vec::new(),
        rows: vec![Row {
            panels: vec![
                panel("By executions", Axis::linear("executions", executions)),
                panel("The same, the first executions spread", Axis::log("executions", executions)),
            ],
            ..Row::default()
        }],
    };
    fs::write(out, figure.svg()).map_err(|e| format!("cannot write {out}: {e}"))
}

/// One search: its name, and the states of its report.
fn line(search: &str) -> Result<Line, String> {
    let (name, file) = search.split_once('=').ok_or(format!("{search}: expected NAME=REPORT.json"))?;
    let text = fs::read_to_string(file).map_err(|e| format!("cannot read {file}: {e}"))?;
    let report: Value = serde_json::from_str(&text).map_err(|e| format!("{file} is no report: {e}"))?;
    let points = report["coverage"].as_array().ok_or(format!("{file} has no coverage"))?;
    let point = |p: &Value| Some((p["executions"].as_f64()?, p["states"].as_f64()?));
    let points: Vec<(f64, f64)> = points.iter().filter_map(point).collect();
    if points.is_empty() {
        return Err(format!("no states in {file}: they are counted with --coverage"));
    }
    Ok(Line { name: name.to_string(), points, dots: false })
}
