//! `raddle show`.

use super::{out, status};
use crate::error::{Error, Result};
use crate::options;
use crate::report::diff;
use crate::target::{self, Kind};
use crate::terminal::paint::{Ink, Paint};
use raddle_instrumenter::instrument::{Instrumented, Statements};
use raddle_instrumenter::{c, rust};
use raddle_schedule::Granularity;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  raddle show queue.c queue.c                        the function markers, which are always there
  raddle show . src/lib.rs --granularity statement   with the schedule points before statements
  raddle show . src/lib.rs --granularity statement --points-at transfer,Account::withdraw";

/// Show what is inserted into a source file, as a diff
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A C or C++ file, or a Cargo package (folder or Cargo.toml)
    target: String,
    /// The file: the target itself, or one of the package's
    file: String,
    /// As for `raddle explore`: with statement, schedule points are put before statements
    #[arg(long, value_name = "POINTS", default_value = "sync", value_parser = options::granularity)]
    granularity: Granularity,
    /// Only in these functions
    #[arg(long, value_name = "FUNC,…", value_delimiter = ',')]
    points_at: Vec<String>,
}

/// Shows the diff, and what is left alone.
pub fn run(args: &Args) -> Result<u8> {
    let path = Path::new(&args.file);
    let text = std::fs::read_to_string(path).map_err(|e| Error::file("read", path, &e))?;
    let done = instrumented(args, path, &text)?;
    let paint = Paint::stdout();
    out(&diff::unified(&args.file, &text, &done.edits, paint))?;
    let (marked, left) = (done.marked.len(), done.left.len());
    let functions = if marked == 1 { "function" } else { "functions" };
    let mut told = match (marked, left) {
        (0, 0) => "no functions\n".to_string(),
        (n, 0) => format!("{n} {functions}, all with a marker\n"),
        (n, alone) => format!("{n} {functions} with a marker, {alone} left alone:\n"),
    };
    for one in &done.left {
        told +=
            &format!("  {}:{}  {}  {}\n", args.file, one.line, one.name, paint.ink(Ink::Quiet, &one.reason));
    }
    out(&told)?;
    Ok(status::PASSED)
}

fn instrumented(args: &Args, path: &Path, text: &str) -> Result<Instrumented> {
    let statements = options::statements(args.granularity, &args.points_at);
    let target = Path::new(&args.target);
    match target::kind(target)? {
        Kind::CFile => {
            same_file(args)?;
            let language = c::Language::of(target).unwrap_or(c::Language::C);
            Ok(c::functions::instrument_file(target, text, language, &statements))
        }
        Kind::Files(_) | Kind::Commands(_) => {
            let language = c::Language::of(path).unwrap_or(c::Language::C);
            Ok(c::functions::instrument(text, language, &statements))
        }
        Kind::Package => of_package(args, path, text, &statements),
        Kind::Program | Kind::Project => Err(Error::new(format!("{} is no source", args.target))
            .because("what was inserted can be shown for sources only")
            .next(format!("raddle show {0} {0}", args.file))),
    }
}

fn same_file(args: &Args) -> Result<()> {
    let whole = |name: &str| Path::new(name).canonicalize().ok();
    if whole(&args.target) == whole(&args.file) {
        return Ok(());
    }
    Err(Error::new(format!("{} is not compiled for {}", args.file, args.target))
        .because("only the file itself is edited; what it includes is left as it is")
        .next(format!("raddle show {0} {0}", args.target)))
}

fn of_package(args: &Args, path: &Path, text: &str, statements: &Statements) -> Result<Instrumented> {
    let package = Path::new(&args.target);
    let found = rust::find::module_of(package, path)
        .map_err(|e| Error::new(format!("cannot read the package {}", args.target)).because(e))?;
    let Some((file, of)) = found else {
        return Err(Error::new(format!("{} is not a file of {}", args.file, args.target))
            .because("no `mod` of its library, programs and tests leads there")
            .next("name a file that is compiled for its tests"));
    };
    rust::functions::instrument(text, &file.module, of, statements).map_err(|e| {
        Error::new(format!("{} is left alone", args.file))
            .because(e)
            .next("correct it, if it does not compile")
    })
}
