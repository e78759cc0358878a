//! `raddle replay`.

use super::explore::print_json;
use super::replay_all::All;
use super::{INTERRUPTED, out, status};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::options::Run;
use crate::options::configured::{self, Configured, Resolved};
use crate::realign::Aligner;
use crate::replay::{Replayed, Replayer};
use crate::report::{details, human, kept};
use crate::runner::Settings;
use crate::schedules;
use crate::search::focus;
use crate::shell::quote;
use crate::target::{self, BuildOptions, Target, Test};
use crate::terminal::paint::Paint;
use raddle_protocol::report::{Alignment, ErrorReport, Report, Search, Verdict};
use raddle_schedule::Schedule;
use raddle_schedule::file::File;
use std::collections::BTreeMap;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  raddle replay queue.c queue sync@7:T2#3f2a                  one failing schedule again, with its story
  raddle replay queue.c queue sync@7:T2 --repeat 1000         a thousand times
  raddle replay queue.c queue .raddle/schedules/queue.json    a stored schedule, also after edits of the program
  raddle replay queue.c queue sync@default                    the default schedule
  raddle replay --all queue.c                                 every stored schedule, as regression tests
  raddle replay --all . transfers audit                       those of tests whose names contain `transfers` or `audit`

Exit status: 0 it passed, 1 the failure happened, 2 it could not be followed, or runs differed, 3 it was interrupted, or a
limit ended it first. With --all: 1 if any failure happened, else 2 if any schedule could not be followed, else 3 if of any it is
not known, else 0.";

/// Run one schedule of a test, or all that are stored
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "raddle replay [OPTIONS] TARGET TEST SCHEDULE\n       raddle replay [OPTIONS] --all TARGET [NAMES]..."
)]
pub struct Args {
    /// A C or C++ file, a Cargo package (folder or Cargo.toml), or a program built with `raddle cc`
    target: String,
    /// The test, by its whole name or a part that only it has, and a schedule (`sync@7:T2#3f2a`) or a file with one. With --all: only tests
    /// whose names contain one of these
    #[arg(value_name = "TEST SCHEDULE")]
    words: Vec<String>,
    /// Every schedule of the target that is stored in .raddle/schedules
    #[arg(long)]
    all: bool,
    /// TEST or NAMES are whole names
    #[arg(long)]
    exact: bool,
    /// Run it N times; every run must be like the first
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    repeat: u64,
    /// Where the schedule of a file was found again in a program that has changed: put it into the file as it is now
    #[arg(long)]
    update: bool,
    #[command(flatten)]
    run: Run,
}

impl Configured for Args {
    fn run_mut(&mut self) -> &mut Run {
        &mut self.run
    }
}

/// Builds the target and runs the schedule, or all.
pub fn run(args: Args, typed: &[String]) -> Result<u8> {
    let positional: Vec<String> = [&args.target].into_iter().chain(&args.words).cloned().collect();
    let settings = crate::settings::Settings::of(&args.target)?;
    let Resolved { base, tests } = configured::resolve::<Args>(&settings, typed, &positional)?;
    let by_test: BTreeMap<String, Run> = tests.into_iter().map(|(name, args)| (name, args.run)).collect();
    let Args { target, words, all, exact, repeat, update, run } = &base;
    let how = How { repeat: *repeat, explain: false, update: *update, nearby: true };
    match &words[..] {
        names if *all => All::new(target, names, *exact, run, how).with(&by_test).run(),
        [test, sched] => Asked { target, test, sched, exact: *exact, run, by_test: &by_test, how }.run(),
        words => Err(misused(target, words)),
    }
}

/// The refusal of a command line that does not name one test and one schedule.
fn misused(target: &str, words: &[String]) -> Error {
    let target = quote(target);
    let (what, next) = match words {
        [] => (
            "the test and the schedule are missing",
            format!("`raddle schedules {target}` lists what is stored"),
        ),
        [test] => (
            "the schedule is missing",
            format!("`raddle schedules {target} {}` lists what is stored", quote(test)),
        ),
        _ => {
            ("there is more than one test and one schedule", "--all takes the names of several tests".into())
        }
    };
    Error::new(format!("nothing was run: {what}"))
        .because("usage: raddle replay TARGET TEST SCHEDULE, or raddle replay --all TARGET NAMES…")
        .next(next)
}

/// One schedule to be run again.
pub(super) struct Asked<'a> {
    pub target: &'a str,
    pub test: &'a str,
    pub sched: &'a str,
    /// `test` is a whole name.
    pub exact: bool,
    pub run: &'a Run,
    /// Of tests with options of their own.
    pub by_test: &'a BTreeMap<String, Run>,
    pub how: How,
}

impl Asked<'_> {
    /// Builds the target, runs the schedule, prints what came of it.
    pub fn run(&self) -> Result<u8> {
        let interrupt = Interrupt::catch();
        match replay(self, &interrupt) {
            Ok(replayed) => {
                print(self, &replayed)?;
                Ok(status_of(&replayed.report))
            }
            Err(Stopped::Building) => {
                eprintln!("{INTERRUPTED}");
                Ok(status::INCOMPLETE)
            }
            Err(Stopped::Error(e)) => {
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

/// Why nothing was run.
enum Stopped {
    /// Ctrl-C came while the target was built.
    Building,
    Error(Error),
}

impl From<Error> for Stopped {
    fn from(e: Error) -> Self {
        Stopped::Error(e)
    }
}

fn replay(args: &Asked, interrupt: &Interrupt) -> std::result::Result<Replayed, Stopped> {
    let given = schedules::given(args.sched)?;
    let schedule = given.schedule;
    crate::options::granularity(schedule.granularity.name())
        .map_err(|e| Error::new(format!("cannot replay {schedule}")).because(e))?;
    let stored = given.file.as_ref().map(|(_, file)| file);
    let run = args.run.with_stored(stored)?;
    let cache = Cache::locate()?;
    let options = run.build_options(schedule.granularity)?;
    let built = interrupt
        .build(|hold| target::build(args.target, &BuildOptions { hold: hold.clone(), ..options }, &cache));
    if interrupt.seen() {
        return Err(Stopped::Building);
    }
    let mut target = built?;
    let mut test = target::one(&mut target, args.test, args.exact)?;
    let run = &match args.by_test.get(&test.name) {
        Some(own) => {
            own.start(&run, &mut test)?;
            own.with_stored(stored)?
        }
        None => run,
    };
    focus::check_before(focus::POINTS_AT, &run.program.points_at, &target)?;
    focus::check_before(focus::TRUST, &run.program.trust, &target)?;
    let replaying = Replaying { named: args.target, target: &target, test: &test, run, interrupt };
    // A schedule without its file: perhaps that is still there.
    let stale = schedule.hash.is_some() && !replaying.is_of_this_program(&schedule)?;
    let holding = || schedules::holding(&target.root, &test.name, &schedule);
    let file = given.file.or_else(|| stale.then(holding).flatten());
    Ok(replaying.replay(&schedule, file, &args.how)?)
}

/// A test whose schedules are run again.
pub(super) struct Replaying<'a> {
    /// The target as it was named.
    pub named: &'a str,
    pub target: &'a Target,
    pub test: &'a Test,
    pub run: &'a Run,
    pub interrupt: &'a Interrupt,
}

/// What is done with a schedule.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// Run it so many times.
    pub repeat: u64,
    /// Say why it fails.
    pub explain: bool,
    /// Put what was found again into its file.
    pub update: bool,
    /// Search near the schedule where its failure does not happen.
    pub nearby: bool,
}

impl Replaying<'_> {
    fn settings(&self, schedule: &Schedule) -> Settings {
        self.run.settings(schedule.granularity).of_schedule(schedule)
    }

    /// Is the schedule known to be of this program, with these options?
    fn is_of_this_program(&self, schedule: &Schedule) -> Result<bool> {
        let ours = self.test.hash(&self.settings(schedule))?;
        Ok(schedule.hash == Some(ours))
    }

    /// Runs a schedule. One of a file is found again first, unless it is known to be of this very program.
    pub fn replay(&self, schedule: &Schedule, file: Option<(PathBuf, File)>, how: &How) -> Result<Replayed> {
        let file = if self.is_of_this_program(schedule)? { None } else { file };
        let Some((path, file)) = file else {
            return self.replayer(schedule, how).run(schedule, how.repeat);
        };
        let aligner = Aligner {
            target: self.target,
            test: self.test,
            settings: self.settings(schedule),
            max_steps: self.run.max_steps(),
            search: how.nearby,
            interrupt: self.interrupt,
        };
        let aligned = aligner.align(&path, &file, schedule)?;
        let mut alignment = aligned.alignment;
        let mut replayed = match self.replayer(schedule, how).run(&aligned.schedule, how.repeat) {
            // What is left of it cannot even be run: the default schedule can.
            Err(_) if is_lost(&alignment) => {
                let default = Schedule { deltas: Vec::new(), ..aligned.schedule.clone() };
                self.replayer(schedule, how).run(&default, how.repeat)?
            }
            replayed => replayed?,
        };
        if how.update && matches!(alignment.how.as_str(), "exact" | "re-aligned" | "nearby" | "found") {
            let options = self.run.program.for_replay();
            let (target, test) = (self.target, &self.test.name);
            let file = schedules::file(target, test, &options, &aligned.schedule, aligned.kept);
            schedules::write(&path, &file)?;
            alignment.updated = true;
        }
        if is_lost(&alignment) && replayed.report.verdict != Verdict::Failed {
            let report = &mut replayed.report;
            let again = "explore the test again, and remove the file if its failure is gone";
            let (verdict, what, next) = match alignment.how.as_str() {
                "lost" => (Verdict::Error, "cannot hold any more", again),
                "interrupted" => (Verdict::Incomplete, "was not found again: interrupted", "run it again"),
                _ => (Verdict::Incomplete, "was not found again within the limits", again),
            };
            report.verdict = verdict;
            let message = format!("{} {what}", alignment.stored);
            let next = next.to_string();
            let cause = alignment.missing.first().cloned().or(alignment.departs.clone());
            report.error = Some(ErrorReport { message, cause, next: Some(next) });
        }
        if let Some(replay) = &mut replayed.report.replay {
            replay.alignment = Some(alignment);
        }
        Ok(replayed)
    }

    fn replayer(&self, schedule: &Schedule, how: &How) -> Replayer<'_, impl Fn(&str) -> String> {
        Replayer {
            target: self.target,
            test: self.test,
            settings: self.settings(schedule),
            max_steps: self.run.max_steps(),
            own: target::own_folders(),
            interrupt: self.interrupt,
            command: |s: &str| {
                let words = [self.named, &self.test.name, s].map(quote).join(" ");
                format!("raddle replay {words}{}", self.run.program.for_replay())
            },
            explain: how.explain,
        }
    }
}

fn print(args: &Asked, replayed: &Replayed) -> Result<()> {
    if args.run.json {
        return print_json(&replayed.report);
    }
    let paint = Paint::stdout();
    out(&human::replay_line(&replayed.report, paint))?;
    let alignment = replayed.report.replay.as_ref().and_then(|r| r.alignment.as_ref());
    if let Some(alignment) = alignment {
        out(&kept::alignment(alignment, &replayed.report, paint))?;
    }
    out(&details::details(&replayed.report, &replayed.told, paint))
}

/// Is it not known whether the stored failure still happens?
fn is_lost(alignment: &Alignment) -> bool {
    matches!(alignment.how.as_str(), "lost" | "given-up" | "interrupted")
}

/// The exit status of a report.
pub(super) fn status_of(report: &Report) -> u8 {
    match report.verdict {
        Verdict::Failed => status::FAILED,
        Verdict::Passed => status::PASSED,
        Verdict::Incomplete => status::INCOMPLETE,
        Verdict::Error => status::ERROR,
    }
}
