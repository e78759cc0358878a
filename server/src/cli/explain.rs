//! `raddle explain`.

use super::options::Run;
use super::replay::{Asked, How};
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  raddle explain queue.c queue sync@7:T2#3f2a                  why this schedule fails
  raddle explain queue.c queue .raddle/schedules/queue.json    a stored schedule
  raddle explain queue.c queue sync@7:T2 --json                as data

The operations whose order decides are found by running executions that differ, 20,000 or 10 s at most.

Exit status: 0 the schedule passes, 1 it fails, 2 it could not be followed.";

/// Say why a schedule of a test fails
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A C file, a Cargo package (folder or Cargo.toml), or a program built with `raddle cc`
    target: String,
    /// The test: its whole name, or a part that only it has
    test: String,
    /// A schedule (`sync@7:T2#3f2a`) or a file with one
    sched: String,
    /// TEST is a whole name
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    run: Run,
}

/// Builds the target, runs the schedule and others beside it, and says what decides.
pub fn run(args: &Args) -> Result<u8> {
    let Args { target, test, sched, exact, run } = args;
    let how = How { repeat: 1, explain: true, update: false };
    Asked { target, test, sched, exact: *exact, run, how }.run()
}
