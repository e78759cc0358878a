//! `raddle explain`.

use super::replay::{Asked, How};
use super::{out, status};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::options::Run;
use crate::options::configured::{self, Configured, Resolved};
use crate::report::guarantees;
use crate::report::last::{self, Last};
use crate::settings::Settings;
use crate::terminal::paint::Paint;
use raddle_protocol::report::Report;

const EXAMPLES: &str = "\
Examples:
  raddle explain queue.c queue sync@7:T2#3f2a                  why this schedule fails
  raddle explain queue.c queue .raddle/schedules/queue.json    a stored schedule
  raddle explain queue.c queue sync@7:T2 --json                as data
  raddle explain --guarantee queue.c                           what the last search of queue.c covered
  raddle explain --guarantee                                   what the last search in this folder covered

The operations whose order decides are found by running executions that differ, 20,000 or 10 s at most.

Exit status: 0 the schedule passes, 1 it fails, 2 it could not be followed. With --guarantee: 0, or 2 if no search is known.";

/// Say why a schedule of a test fails, or what a search covered
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A C or C++ file, a Cargo package (folder or Cargo.toml), or a program built with `raddle cc`
    #[arg(required_unless_present = "guarantee")]
    target: Option<String>,
    /// The test: its whole name, or a part that only it has; with --guarantee a part of the names
    #[arg(required_unless_present = "guarantee")]
    test: Option<String>,
    /// A schedule (`sync@7:T2#3f2a`) or a file with one
    #[arg(required_unless_present = "guarantee", conflicts_with = "guarantee")]
    sched: Option<String>,
    /// Print the whole guarantee of each test of the last search of TARGET, as `raddle explore -v` does; without a TARGET, of
    /// the last search of any in the current folder
    #[arg(long, conflicts_with = "json")]
    guarantee: bool,
    /// TEST is a whole name
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    run: Run,
}

impl Configured for Args {
    fn run_mut(&mut self) -> &mut Run {
        &mut self.run
    }
}

/// Builds the target, runs the schedule and others beside it, and says what decides.
pub fn run(args: &Args, typed: &[String]) -> Result<u8> {
    if args.guarantee {
        return guarantees(args.target.as_deref(), args.test.as_deref(), args.exact);
    }
    let (Some(target), Some(test), Some(sched)) = (&args.target, &args.test, &args.sched) else {
        // The command line is not taken without them.
        return Err(Error::new("give a target, a test and a schedule, or --guarantee"));
    };
    let positional = [target, test, sched].map(String::clone);
    let settings = Settings::of(target)?;
    let Resolved { base, tests } = configured::resolve::<Args>(&settings, typed, &positional)?;
    let by_test = tests.into_iter().map(|(name, args)| (name, args.run)).collect();
    let how = How { repeat: 1, explain: true, update: false, nearby: true };
    Asked { target, test, sched, exact: args.exact, run: &base.run, by_test: &by_test, how }.run()
}

/// Prints which target was explored last, and what that search covered.
fn guarantees(target: Option<&str>, test: Option<&str>, exact: bool) -> Result<u8> {
    let folder = std::env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default();
    let Last { target, reports } = last::read(&Cache::locate()?, target, &folder)?;
    let is_meant =
        |r: &&Report| test.is_none_or(|test| if exact { r.test == test } else { r.test.contains(test) });
    let meant: Vec<&Report> = reports.iter().filter(is_meant).collect();
    if meant.is_empty() {
        let names: Vec<&str> = reports.iter().map(|r| r.test.as_str()).collect();
        return Err(Error::new(format!(
            "the last search of {target} had no test `{}`",
            test.unwrap_or_default()
        ))
        .because(format!("its tests were {}", names.join(", ")))
        .next("name one of them, or none"));
    }
    out(&format!("\n  {target}\n{}", guarantees::guarantees(&meant, Paint::stdout())))?;
    Ok(status::PASSED)
}
