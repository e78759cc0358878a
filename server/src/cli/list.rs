//! `raddle list`.

use super::{out, status};
use crate::error::Result;
use crate::target::{self, Filter, Listed, Listing};
use crate::terminal::paint::{Ink, Paint};
use raddle_instrumenter::index::{Site, VariableKind};
use serde_json::{Value, json};

/// List the tests of a target, its methods with their schedule points, and variables that look shared
#[derive(clap::Args)]
pub struct Args {
    /// A C or C++ file (or several of one program), a Cargo package (folder or Cargo.toml), a program built with
    /// `raddle cc`, or a folder with a raddle.toml or compile_commands.json
    #[arg(default_value = ".")]
    target: String,
    /// Only tests with one of these names, or, where none has, whose names contain it; no methods and variables then
    tests: Vec<String>,
    /// TEST is a whole name
    #[arg(long)]
    exact: bool,
    /// One JSON object per line: tests, then methods, then variables
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Further files of a program become part of its target.
    pub fn merge(&mut self) {
        target::merge(&mut self.target, &mut self.tests);
    }
}

/// Lists, without building.
pub fn run(args: &Args) -> Result<u8> {
    let filter = Filter { names: args.tests.clone(), exact: args.exact };
    let mut listing = target::list(&args.target)?;
    listing.tests = target::select(listing.tests, &filter, &args.target)?;
    if !filter.names.is_empty() {
        (listing.methods, listing.variables, listing.note) = Default::default();
    }
    if let Some(note) = &listing.note {
        eprintln!("note: {note}");
    }
    let text = if args.json { objects(&listing) } else { text(&listing, Paint::stdout()) };
    out(&text)?;
    Ok(status::PASSED)
}

fn objects(listing: &Listing) -> String {
    let tests = listing.tests.iter().map(test);
    let methods = listing.methods.iter().map(|m| {
        let point =
            |s: &Site| json!({ "kind": s.kind, "object": s.object, "line": s.line, "column": s.column });
        json!({
            "version": 1,
            "kind": "method",
            "method": m.name,
            "file": m.place.file,
            "line": m.place.line,
            "column": m.place.column,
            "end_line": m.end_line,
            "points": m.points.len(),
            "sites": m.points.iter().map(point).collect::<Vec<_>>(),
        })
    });
    let variables = listing.variables.iter().map(|s| {
        let v = &s.variable;
        json!({
            "version": 1,
            "kind": "variable",
            "variable": v.name,
            "within": v.within,
            "sort": v.kind.word(),
            "type": v.type_name,
            "why": v.why,
            "file": s.place.file,
            "line": s.place.line,
            "column": s.place.column,
        })
    });
    tests.chain(methods).chain(variables).map(|value| format!("{value}\n")).collect()
}

fn test(test: &Listed) -> Value {
    let place = test.place.as_ref();
    json!({
        "version": 1,
        "kind": "test",
        "test": test.name,
        "file": place.map(|p| &p.file),
        "line": place.map(|p| p.line),
        "column": place.map(|p| p.column),
        "ignore": test.ignore,
    })
}

fn text(listing: &Listing, paint: Paint) -> String {
    let tests = listing.tests.iter().map(|t| {
        let place = t.place.as_ref().map(|p| format!("{}:{}", p.file, p.line)).unwrap_or_default();
        let ignored = if t.ignore { "ignored" } else { "" };
        [t.name.clone(), place, ignored.to_string()]
    });
    let mut text = section("tests", tests.collect(), paint);
    let (with, without): (Vec<_>, Vec<_>) = listing.methods.iter().partition(|m| !m.points.is_empty());
    let methods = with.iter().map(|m| {
        [
            m.name.clone(),
            format!("{}:{}", m.place.file, m.place.line),
            format!("{:>3}  {}", m.points.len(), kinds(&m.points)),
        ]
    });
    text += &section("methods with schedule points", methods.collect(), paint);
    if !without.is_empty() && !with.is_empty() {
        let others = format!("    {} without one are left out here", without.len());
        text += &format!("{}\n", paint.ink(Ink::Quiet, &others));
    }
    let variables = listing.variables.iter().map(|s| {
        let v = &s.variable;
        // A method's variable is named like `method: variable`, a type's field as it is used.
        let name = match (v.kind, v.within.as_str()) {
            (_, "") => v.name.clone(),
            (VariableKind::Field, ty) => format!("{ty}.{}", v.name),
            (_, function) => format!("{function}: {}", v.name),
        };
        let ty = if v.type_name.is_empty() { String::new() } else { format!(" {}", v.type_name) };
        let told = v.type_name.contains(&v.why) || v.why == v.kind.word();
        let why = if told { String::new() } else { format!(" · {}", v.why) };
        [name, format!("{}:{}", s.place.file, s.place.line), format!("{}{ty}{why}", v.kind.word())]
    });
    text += &section("variables that look shared", variables.collect(), paint);
    text
}

/// A heading and its lines in columns: name, place, the rest.
fn section(heading: &str, lines: Vec<[String; 3]>, paint: Paint) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let width = |column: usize| lines.iter().map(|l| l[column].chars().count()).max().unwrap_or(0).min(60);
    let (names, places) = (width(0), width(1));
    let mut text = format!("\n  {}\n", paint.ink(Ink::Strong, heading));
    for [name, place, rest] in &lines {
        let place = paint.ink(Ink::Quiet, &format!("{place:places$}"));
        let line = format!("    {name:names$}  {place}  {rest}");
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// `lock ×2, notify`: what the points do, the first first.
fn kinds(points: &[Site]) -> String {
    let mut counts: Vec<(&str, u32)> = Vec::new();
    for p in points {
        match counts.iter_mut().find(|(kind, _)| *kind == p.kind) {
            Some((_, n)) => *n += 1,
            None => counts.push((p.kind, 1)),
        }
    }
    let one = |(kind, n): &(&str, u32)| if *n == 1 { kind.to_string() } else { format!("{kind} ×{n}") };
    counts.iter().map(one).collect::<Vec<_>>().join(", ")
}
