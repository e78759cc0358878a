//! A stored schedule in a program that was edited since. The engine matches the stored execution with what the
//! program does now (`raddle_engine::realign`); here the program is run for that, its traces are told in
//! words (`execution_digest`), and what came of it is judged (`same`) and said (`told`). Where the failure
//! does not happen any more, a short search looks for it near by (`near`).

pub mod execution_digest;
mod near;
mod same;
pub mod stored;
mod told;

use crate::annotate::annotated_trace::{AnnotatedTrace, Places};
use crate::annotate::names::Names;
use crate::error::{Error, Result};
use crate::explain::present::{self, Presented, present};
use crate::follow::{Follow, broken};
use crate::interrupt::Interrupt;
use crate::progress::Phase;
use crate::runner::detail;
use crate::runner::{Runner, Settings};
use crate::schedules::{self, Kept};
use crate::symbols::Symbols;
use crate::target::{Target, Test};
use near::Near;
use raddle_engine::realign::{ExecutionDigest, Walk};
use raddle_engine::single_trace::examine;
use raddle_engine::{Bound, Config, PointsIn};
use raddle_protocol::report::{self, Alignment};
use raddle_schedule::file::{File, FilePlace};
use raddle_schedule::{Delta, Granularity, Outcome, Schedule, Trace};
use same::{Sameness, compare};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time for finding one schedule again, at most: it takes a run for each difference, and there may be thousands in
/// one that was found at random and could not be made simple.
const TIME: Duration = Duration::from_secs(20);

/// A test in which stored schedules are found again.
pub struct Aligner<'a> {
    /// The built target.
    pub target: &'a Target,
    /// One of its tests.
    pub test: &'a Test,
    /// How its program runs.
    pub settings: Settings,
    /// Cut off after so many steps.
    pub max_steps: u32,
    /// Look for the failure near by where it does not happen any more.
    pub search: bool,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
}

/// What was found.
pub struct Aligned {
    /// The schedule to run now, with the program's hash.
    pub schedule: Schedule,
    /// How it was found.
    pub alignment: Alignment,
    /// For a file of it as it is now.
    pub kept: Kept,
}

/// The failure of an execution that is most like the stored one.
struct Judged {
    sameness: Sameness,
    failure: Option<report::Failure>,
}

/// Program and symbols at hand.
struct Running {
    runner: Runner,
    symbols: Symbols,
    maps: String,
    own: Vec<PathBuf>,
}

impl Aligner<'_> {
    /// Finds the schedule of a file again. Its hash is that of another program.
    pub fn align(&self, path: &Path, file: &File, schedule: &Schedule) -> Result<Aligned> {
        let _phase = Phase::new(format!("{}: finding the stored schedule again", self.test.name));
        let mut runner = Runner::new(self.test.launch.clone(), self.settings.clone())
            .map_err(|e| Error::new("cannot set up the program").because(e))?;
        runner.quarantine(schedule.quarantine);
        let own = crate::target::own_folders();
        let symbols = Symbols::new("", own.clone());
        let mut running = Running { runner, symbols, maps: String::new(), own };
        let digest = file.execution.as_ref().and_then(stored::of_file);
        let schedule = Schedule { hash: None, ..schedule.clone() };
        let told = digest.clone().unwrap_or_default();
        let mut walk = Walk::new(&told);
        let (mut deltas, mut trace) = match digest {
            Some(_) => self.follow(&mut walk, &schedule, &mut running)?,
            None => (schedule.deltas.clone(), self.run(&schedule, &schedule.deltas, &mut running)?),
        };
        let mut judged = self.judge(file, &schedule, &deltas, &trace, &mut running);
        let mut near = Near::new(self.config(&schedule), self.interrupt);
        let wanted = self.search && !file.failure.is_empty();
        let mut by = told::By::Steps;
        if wanted && judged.sameness == Sameness::Other {
            let found = self.look(file, &schedule, &deltas, &mut near, &mut running)?;
            // Where it led to another failure already, that is the one to show.
            let better = |_: &_| near.other.is_none() || judged.failure.is_none();
            if let Some((found, how)) = found.filter(better) {
                by = how;
                trace = self.run(&schedule, &found, &mut running)?;
                deltas = found;
                judged = self.judge(file, &schedule, &deltas, &trace, &mut running);
            }
        }
        let hash = self.test.hash(&self.settings).ok();
        let now = Schedule { deltas, hash, ..schedule.clone() };
        let said = told::Said {
            path,
            file,
            stored: &told,
            walk: &walk,
            deltas: &schedule.deltas,
            judged: &judged,
            followable: !matches!(trace.outcome, Outcome::Unfollowable | Outcome::Diverged),
            by,
            near: &near,
        };
        let alignment = said.alignment();
        let places = Places::new(&running.symbols, self.target, running.runner.channel());
        let mut names = crate::annotate::names::Names::new(&running.symbols);
        let scene = crate::annotate::annotated_trace::AnnotatedTrace::new(&trace, &places, &mut names);
        let kept = Kept::new(judged.failure.as_ref(), &now, &trace, &scene, &places);
        Ok(Aligned { schedule: now, alignment, kept })
    }

    /// Builds the differences one by one.
    fn follow(
        &self,
        walk: &mut Walk,
        schedule: &Schedule,
        running: &mut Running,
    ) -> Result<(Vec<Delta>, Trace)> {
        let begun = Instant::now();
        loop {
            let trace = self.run(schedule, walk.deltas(), running)?;
            if matches!(trace.outcome, Outcome::Unfollowable | Outcome::Diverged) {
                if walk.deltas().is_empty() {
                    return Ok((Vec::new(), trace));
                }
                walk.take_back();
                continue;
            }
            let told = running.execution_digest(&trace, self.target);
            let is_over = begun.elapsed() > TIME || self.interrupt.seen();
            if is_over {
                walk.give_up();
            }
            if is_over || !walk.go(&told, &trace) {
                let deltas = match trace.lost {
                    true => walk.deltas().to_vec(),
                    false => raddle_engine::naming::name(&trace).deltas,
                };
                return Ok((deltas, trace));
            }
        }
    }

    /// Looks for the failure beside what was found again.
    fn look(
        &self,
        file: &File,
        schedule: &Schedule,
        deltas: &[Delta],
        near: &mut Near,
        running: &mut Running,
    ) -> Result<Option<(Vec<Delta>, told::By)>> {
        let kind = file.failure.split(": ").next().unwrap_or_default();
        let Running { runner, symbols, maps, own } = running;
        let (symbols, maps, own) = (&mut *symbols, &mut *maps, &*own);
        let mut is_it = |runner: &mut Runner, trace: &Trace, deltas: &[Delta]| {
            let of_kind = examine(trace, schedule).failures.iter().any(|f| f.kind.name() == kind);
            if !of_kind || trace.lost {
                return Ok(false);
            }
            let schedule = Schedule { deltas: deltas.to_vec(), ..schedule.clone() };
            let trace = detail(runner, &schedule, self.max_steps).map_err(broken)?;
            if runner.maps() != maps {
                *maps = runner.maps().to_string();
                *symbols = Symbols::new(maps, own.clone());
            }
            let places = Places::new(symbols, self.target, runner.channel());
            Ok(self.judge_at(file, &schedule, &trace, &places).sameness > Sameness::Other)
        };
        if let Some(found) = near.around(deltas, runner, &mut is_it)? {
            return Ok(Some((found, told::By::Moving)));
        }
        runner.reset();
        let found = near.search(kind, runner, &mut is_it)?;
        // Another failure is one too.
        Ok(found.or_else(|| near.other.clone()).map(|found| (found, told::By::Search)))
    }

    /// The search that is made beside it.
    fn config(&self, schedule: &Schedule) -> Config {
        let blocks = schedule.granularity == Granularity::LockExit;
        Config {
            granularity: schedule.granularity,
            points_at: self.settings.points_at.clone(),
            promoted: schedule.promoted.clone(),
            random_seed: schedule.seed,
            trusted: self.settings.trusted.clone(),
            points_in: PointsIn {
                dependencies: self.settings.points_in.clone(),
                found: schedule.points.clone(),
            },
            bound: if blocks { Bound::None } else { Bound::Iterative },
            max_steps: self.max_steps,
            opaque: self.target.opaque,
            unwatched: self.test.unwatched.words().into(),
            unseen: true,
            ..Config::default()
        }
    }

    /// Runs these differences with everything recorded.
    fn run(&self, schedule: &Schedule, deltas: &[Delta], running: &mut Running) -> Result<Trace> {
        let schedule = Schedule { deltas: deltas.to_vec(), ..schedule.clone() };
        let trace = detail(&mut running.runner, &schedule, self.max_steps).map_err(broken)?;
        running.learn();
        if trace.outcome == Outcome::Unsupported {
            let own = running.own.clone();
            Follow { target: self.target, test: self.test, own: &own }.check(
                &schedule,
                &trace,
                &mut running.runner,
            )?;
        }
        Ok(trace)
    }

    fn judge(
        &self,
        file: &File,
        schedule: &Schedule,
        deltas: &[Delta],
        trace: &Trace,
        running: &mut Running,
    ) -> Judged {
        let places = Places::new(&running.symbols, self.target, running.runner.channel());
        let schedule = Schedule { deltas: deltas.to_vec(), ..schedule.clone() };
        self.judge_at(file, &schedule, trace, &places)
    }

    fn judge_at(&self, file: &File, schedule: &Schedule, trace: &Trace, places: &Places) -> Judged {
        let mut best = Judged { sameness: Sameness::Other, failure: None };
        for failure in examine(trace, schedule).failures {
            let test = self.test.place.as_ref();
            let Presented { failure: shown, scene, .. } =
                present(&failure, trace, places, schedule, test, String::new());
            let place = schedules::place(&shown, places);
            let sameness = compare(file, &shown, &place);
            // Files were written in which the function is the one that the thread was in last.
            let before = FilePlace { method: present::last_method(&failure, &scene), ..place };
            let sameness = sameness.max(compare(file, &shown, &before));
            if best.failure.is_none() || sameness > best.sameness {
                best = Judged { sameness, failure: Some(shown) };
            }
        }
        best
    }
}

impl Running {
    /// Reads the symbols, where the program's memory map is another.
    fn learn(&mut self) {
        if self.runner.maps() != self.maps {
            self.maps = self.runner.maps().to_string();
            self.symbols = Symbols::new(&self.maps, self.own.clone());
        }
    }

    fn execution_digest(&self, trace: &Trace, target: &Target) -> ExecutionDigest {
        let places = Places::new(&self.symbols, target, self.runner.channel());
        let scene = AnnotatedTrace::new(trace, &places, &mut Names::new(&self.symbols));
        execution_digest::execution_digest(trace, &scene, &places)
    }
}
