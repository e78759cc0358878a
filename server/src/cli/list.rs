//! `raddle list`.

use super::{out, status};
use crate::error::Result;
use crate::target::{self, Filter, Listed};

/// List the tests of a target and where they are
#[derive(clap::Args)]
pub struct Args {
    /// A C file, a Cargo package (folder or Cargo.toml), or a program built with `raddle cc`
    target: String,
    /// Only tests whose names contain one of these
    tests: Vec<String>,
    /// TEST is a whole name
    #[arg(long)]
    exact: bool,
    /// One JSON object per test and line
    #[arg(long)]
    json: bool,
}

/// Lists, without building.
pub fn run(args: &Args) -> Result<u8> {
    let filter = Filter { names: args.tests.clone(), exact: args.exact };
    let tests = target::select(target::list(&args.target)?, &filter, &args.target)?;
    let width = tests.iter().map(|t| t.name.chars().count()).max().unwrap_or(0);
    for test in &tests {
        out(&if args.json { json(test) } else { line(test, width) })?;
    }
    Ok(status::PASSED)
}

fn json(test: &Listed) -> String {
    let place = test.place.as_ref();
    let value = serde_json::json!({
        "version": 1,
        "test": test.name,
        "file": place.map(|p| &p.file),
        "line": place.map(|p| p.line),
        "column": place.map(|p| p.column),
        "ignore": test.ignore,
    });
    format!("{value}\n")
}

fn line(test: &Listed, width: usize) -> String {
    let place = test.place.as_ref().map(|p| format!("{}:{}", p.file, p.line)).unwrap_or_default();
    let ignored = if test.ignore { "  (ignored)" } else { "" };
    format!("{:width$}  {place}{ignored}\n", test.name)
}
