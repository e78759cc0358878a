//! `raddle replay`.

use super::explore::print_json;
use super::options::Run;
use super::{out, quote, status};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::replay::{Replayed, Replayer};
use crate::report::paint::Paint;
use crate::report::{details, human};
use crate::runner::Settings;
use crate::schedules;
use crate::search::focus;
use crate::target;
use raddle_protocol::report::{ErrorReport, Report, Search, Verdict};

const EXAMPLES: &str = "\
Examples:
  raddle replay queue.c queue sync@7:T2#3f2a                  one failing schedule again, with its story
  raddle replay queue.c queue sync@7:T2 --repeat 1000         a thousand times
  raddle replay queue.c queue .raddle/schedules/queue.json    a stored schedule
  raddle replay queue.c queue sync@default                    the default schedule

Exit status: 0 it passed, 1 the failure happened, 2 it could not be followed, or runs differed.";

/// Run one schedule of a test
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
    /// Run it N times; every run must be like the first
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    repeat: u64,
    #[command(flatten)]
    run: Run,
}

/// Builds the target and runs the schedule.
pub fn run(args: &Args) -> Result<u8> {
    let Args { target, test, sched, exact, repeat, run } = args;
    let asked = Asked { target, test, sched, exact: *exact, run, repeat: *repeat, explain: false };
    asked.run()
}

/// One schedule to be run again.
pub(super) struct Asked<'a> {
    pub target: &'a str,
    pub test: &'a str,
    pub sched: &'a str,
    /// `test` is a whole name.
    pub exact: bool,
    pub run: &'a Run,
    /// So many times.
    pub repeat: u64,
    /// Say why it fails.
    pub explain: bool,
}

impl Asked<'_> {
    /// Builds the target, runs the schedule, prints what came of it.
    pub fn run(&self) -> Result<u8> {
        match replay(self) {
            Ok(replayed) => {
                print(self, &replayed)?;
                Ok(status_of(&replayed.report))
            }
            Err(e) => {
                if self.run.json {
                    let mut report = Report::new(self.target, self.test, Search::default());
                    let error =
                        ErrorReport { message: e.what.clone(), cause: e.cause.clone(), next: e.next.clone() };
                    report.error = Some(error);
                    print_json(&report)?;
                }
                Err(e)
            }
        }
    }
}

fn replay(args: &Asked) -> Result<Replayed> {
    let schedule = schedules::read(args.sched)?;
    super::options::granularity(schedule.granularity.name())
        .map_err(|e| Error::new(format!("cannot replay {schedule}")).because(e))?;
    let interrupt = Interrupt::catch();
    let cache = Cache::locate()?;
    let mut target = target::build(args.target, &args.run.build_options(schedule.granularity)?, &cache)?;
    focus::check_before(focus::POINTS_AT, &args.run.points_at, &target)?;
    focus::check_before(focus::TRUST, &args.run.trust, &target)?;
    let test = target::one(&mut target, args.test, args.exact)?;
    let replayer = Replayer {
        target: &target,
        test: &test,
        settings: Settings { promoted: schedule.promoted.clone(), ..args.run.settings(schedule.granularity) },
        max_steps: args.run.max_steps,
        own: target::own_folders(),
        interrupt: &interrupt,
        command: |s| {
            let words = [args.target, &test.name, s].map(quote).join(" ");
            format!("raddle replay {words}{}", args.run.for_replay())
        },
        explain: args.explain,
    };
    replayer.run(&schedule, args.repeat)
}

fn print(args: &Asked, replayed: &Replayed) -> Result<()> {
    if args.run.json {
        return print_json(&replayed.report);
    }
    let paint = Paint::stdout();
    out(&human::replay_line(&replayed.report, paint))?;
    out(&details::details(&replayed.report, &replayed.told, paint))
}

fn status_of(report: &Report) -> u8 {
    match report.verdict {
        Verdict::Failed => status::FAILED,
        Verdict::Passed => status::PASSED,
        Verdict::Incomplete => status::INCOMPLETE,
        Verdict::Error => status::ERROR,
    }
}
