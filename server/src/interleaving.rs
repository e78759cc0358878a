//! One execution as faces show it: a schedule is run again with everything recorded, and its trace
//! made into an [`Interleaving`].
//!
//! A [`Tracer`] keeps program and symbols at hand, so that asking again takes milliseconds; it
//! stays on the thread that made it. [`interleaving`] asks once.

use crate::annotate::annotated_trace::{AnnotatedOp, AnnotatedTrace, Places};
use crate::annotate::lanes as stretches;
use crate::annotate::names::Names;
use crate::annotate::{story, words};
use crate::error::{Error, Result};
use crate::explain::plain::explanation;
use crate::explain::present::Told;
use crate::explain::present::present;
use crate::follow::{Follow, broken, unseen};
use crate::interrupt::Interrupt;
use crate::realign::Aligner;
use crate::runner::detail;
use crate::runner::{Runner, Settings};
use crate::schedules::Kept;
use crate::symbols::Symbols;
use crate::target::{Paths, Place, Target, Test};
use raddle_engine::single_trace::examine;
use raddle_protocol::interleaving::{Interleaving, Lane, Pending, Preempted, Step};
use raddle_protocol::report;
use raddle_schedule::{Granularity, OpKind, Outcome, Schedule, Trace};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The test whose executions are shown.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The built target.
    pub target: Arc<Target>,
    /// One of its tests.
    pub test: Test,
    /// How its program runs.
    pub settings: Settings,
    /// Executions are cut off after so many steps.
    pub max_steps: u32,
    /// Options that a replay needs as well, as they are typed.
    pub replay_options: String,
}

/// One execution, run again.
pub struct Traced {
    /// As faces show it.
    pub interleaving: Interleaving,
    /// As the program recorded it. Its events without annotations
    /// ([`OpKind::is_annotation`]) are those of the interleaving, in the same order.
    pub trace: Trace,
    /// Its differences from the default behaviour, with the program's hash.
    pub schedule: Schedule,
    /// What a file keeps of it.
    pub kept: Kept,
    /// How the schedule was found again, where it was stored for the program as it was before.
    pub aligned: Option<String>,
}

/// Runs one schedule of a test and shows what happened.
pub fn interleaving(subject: Subject, schedule: &Schedule) -> Result<Traced> {
    Tracer::new(subject)?.run(schedule)
}

/// A test's program, ready to run schedules.
pub struct Tracer {
    subject: Subject,
    runner: Runner,
    symbols: Symbols,
    /// The memory map that the symbols were read for.
    maps: String,
    own: Vec<PathBuf>,
    hash: u32,
}

impl Tracer {
    /// For this test; its program is started by the first schedule.
    pub fn new(subject: Subject) -> Result<Tracer> {
        let runner = Runner::new(subject.test.launch.clone(), subject.settings.clone())
            .map_err(|e| Error::new("cannot set up the program").because(e))?;
        let own = crate::target::own_folders();
        let hash = subject.test.hash(&subject.settings)?;
        let symbols = Symbols::new("", own.clone());
        Ok(Tracer { subject, runner, symbols, maps: String::new(), own, hash })
    }

    /// Runs a schedule and reads its trace. One of another build is found again first, if the file is there that
    /// tells its execution.
    pub fn run(&mut self, schedule: &Schedule) -> Result<Traced> {
        match self.aligned(schedule) {
            Some((now, said)) => {
                let mut traced = self.run_as_it_is(&now)?;
                traced.interleaving.stale = true;
                Ok(Traced { aligned: Some(said), ..traced })
            }
            None => self.run_as_it_is(schedule),
        }
    }

    /// The schedule as it is in this program, and how it was found. `None` where it is of this program, or was not found
    /// again: then its step numbers are all there is.
    fn aligned(&self, schedule: &Schedule) -> Option<(Schedule, String)> {
        let Subject { target, test, settings, max_steps, .. } = &self.subject;
        let settings = settings.of_schedule(schedule);
        let theirs = schedule.hash?;
        if test.hash(&settings).ok()? == theirs || schedule.granularity != settings.granularity {
            return None;
        }
        let (path, file) = crate::schedules::holding(&target.root, &test.name, schedule)?;
        let interrupt = Interrupt::by_hand();
        let aligner =
            Aligner { target, test, settings, max_steps: *max_steps, search: false, interrupt: &interrupt };
        let found = aligner.align(&path, &file, schedule).ok()?;
        let how = found.alignment.how.as_str();
        matches!(how, "exact" | "re-aligned").then_some((found.schedule, found.alignment.text))
    }

    fn run_as_it_is(&mut self, schedule: &Schedule) -> Result<Traced> {
        // Which accesses are points, and what random numbers there are, is fixed when a program starts.
        let own = &self.subject.settings;
        let has_points = schedule.points.iter().all(|name| own.points_in.contains(name));
        let settings = own.of_schedule(schedule);
        let is_otherwise = settings.granularity != own.granularity;
        if is_otherwise || schedule.promoted != own.promoted || schedule.seed != own.seed || !has_points {
            *self = Tracer::new(Subject { settings, ..self.subject.clone() })?;
        }
        let Subject { target, test, settings, max_steps, .. } = &self.subject;
        let (has, is) = (schedule.granularity, settings.granularity);
        // Predicted deadlocks of lock-exit points have schedules of their own ([`detail`]).
        if has != is && (has, is) != (Granularity::Sync, Granularity::LockExit) {
            return Err(Error::new(format!("{} cannot follow {schedule} here", test.name))
                .because(format!("its steps are {has} points, those of this session {is} points"))
                .next(format!("explore the test with --granularity {has}")));
        }
        self.runner.quarantine(schedule.quarantine);
        let trace = detail(&mut self.runner, schedule, *max_steps).map_err(|e| {
            // What it still owes would answer the next schedule.
            self.runner.reset();
            broken(e)
        })?;
        Follow { target, test, own: &self.own }.check(schedule, &trace, &mut self.runner)?;
        if self.runner.maps() != self.maps {
            self.maps = self.runner.maps().to_string();
            self.symbols = Symbols::new(&self.maps, self.own.clone());
        }
        let stale = schedule.hash.is_some_and(|theirs| theirs != self.hash);
        let mut schedule = Schedule { hash: Some(self.hash), ..schedule.clone() };
        if !trace.lost {
            schedule.deltas = raddle_engine::naming::name(&trace).deltas;
        }
        Ok(self.read(trace, schedule, stale))
    }

    fn read(&self, trace: Trace, schedule: Schedule, stale: bool) -> Traced {
        let Subject { target, test, replay_options, .. } = &self.subject;
        let places = Places::new(&self.symbols, target, self.runner.channel());
        let mut names = Names::new(&self.symbols);
        let replay = crate::schedules::replay_command(target, test, &schedule, replay_options);
        let mut shown = Interleaving {
            target: target.named.clone(),
            test: test.name.clone(),
            schedule: schedule.to_string(),
            outcome: outcome(&trace).to_string(),
            output: String::from_utf8_lossy(&trace.output).into_owned(),
            replay: replay.clone(),
            stale,
            ..Interleaving::default()
        };
        let found = examine(&trace, &schedule);
        shown.preemptions = found.preemptions + unseen(&schedule, &trace);
        let (scene, kept) = match found.failures.first() {
            Some(failure) => {
                let presented = present(failure, &trace, &places, &schedule, test.place.as_ref(), replay);
                let f = presented.failure;
                let kept = Kept::new(Some(&f), &schedule, &trace, &presented.scene, &places);
                (shown.outcome, shown.message, shown.explanation) = (f.kind, f.message, f.explanation);
                shown.location = f.location.map(|l| absolute_location(&target.paths, l));
                names.learn(&trace, &places);
                (presented.scene, kept)
            }
            None => {
                let scene = AnnotatedTrace::new(&trace, &places, &mut names);
                shown.explanation = explanation(&Told { lines: story::tell(&scene), ..Told::default() });
                let kept = Kept::new(None, &schedule, &trace, &scene, &places);
                (scene, kept)
            }
        };
        shown.events = steps(&trace, &scene, &target.paths);
        shown.threads = lanes(&trace, &scene, &target.paths);
        shown.pending = pending(&trace, &places, &mut names);
        Traced { interleaving: shown, trace, schedule, kept, aligned: None }
    }
}

/// How an execution without a failure ended.
fn outcome(trace: &Trace) -> &'static str {
    match trace.outcome {
        Outcome::Truncated => "truncated",
        Outcome::AssumeBlocked => "assume-blocked",
        Outcome::SleepBlocked => "sleep-blocked",
        Outcome::Diverged | Outcome::Unfollowable => "diverged",
        _ => "passed",
    }
}

/// A place for programs, which do not know what it is relative to.
pub fn absolute(paths: &Paths, place: &Place) -> report::Location {
    absolute_location(paths, crate::annotate::location(place))
}

/// The same, of a place in a report.
pub fn absolute_location(paths: &Paths, at: report::Location) -> report::Location {
    report::Location { file: paths.absolute(Path::new(&at.file)).display().to_string(), ..at }
}

/// The operations in order, each with who could have made it and who waited.
fn steps(trace: &Trace, scene: &AnnotatedTrace, paths: &Paths) -> Vec<Step> {
    let could = stretches::could(trace, scene);
    let one = |(event, (shown, could)): (usize, (&AnnotatedOp, &stretches::Could))| Step {
        enabled: threads(could.run),
        waiting: threads(could.not),
        ..step(event, shown, paths)
    };
    scene.events.iter().zip(&could).enumerate().map(one).collect()
}

fn step(event: usize, shown: &AnnotatedOp, paths: &Paths) -> Step {
    Step {
        event: event as u32,
        step: shown.step,
        thread: u32::from(shown.thread),
        operation: shown.kind.name().to_string(),
        object: shown.object.clone(),
        other: shown.other.clone(),
        value: shown.told.shown.clone().or_else(|| shown.value.map(|v| v.to_string())),
        text: words::operation(shown),
        method: shown.method.clone(),
        holding: shown.holding.to_vec(),
        location: shown.place.as_ref().map(|p| absolute(paths, p)),
        failed: shown.failed,
        matters: shown.matters,
        preemption: shown.preemption.as_ref().map(|p| Preempted {
            number: p.number,
            thread: u32::from(p.thread),
            before: p.before.as_ref().map(|b| absolute(paths, b)),
            holding: p.holding.clone(),
        }),
        ..Step::default()
    }
}

/// The numbers in a mask.
fn threads(mask: u64) -> Vec<u32> {
    (0..64).filter(|t| mask & 1 << t != 0).collect()
}

/// The threads by number. One that has done nothing stands at the event that spawned it.
fn lanes(trace: &Trace, scene: &AnnotatedTrace, paths: &Paths) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = scene
        .threads
        .iter()
        .map(|(number, thread)| {
            let of_it = |e: &AnnotatedOp| e.thread == *number;
            let spawns = |e: &AnnotatedOp| {
                e.kind == OpKind::Spawn && trace.events[e.index].value == u64::from(*number)
            };
            let spawned = || scene.events.iter().position(spawns).unwrap_or_default();
            let first = scene.events.iter().position(of_it).unwrap_or_else(spawned);
            let last = scene.events.iter().rposition(of_it).unwrap_or(first);
            Lane {
                thread: u32::from(*number),
                name: if *number == 0 && thread.name.is_empty() {
                    "main".into()
                } else {
                    thread.name.clone()
                },
                spawned: thread.spawned.as_ref().map(|p| absolute(paths, p)),
                first: first as u32,
                last: last as u32,
            }
        })
        .collect();
    lanes.sort_by_key(|lane| lane.thread);
    lanes
}

/// What unfinished threads were about to do at the end.
fn pending(trace: &Trace, places: &Places, names: &mut Names) -> Vec<Pending> {
    if trace.outcome == Outcome::Passed {
        // The program has ended by itself, in order: nobody waits for anything.
        return Vec::new();
    }
    let stack = |index: usize| trace.stacks.iter().find(|s| s.event == index as u32);
    let ends = trace.events.iter().enumerate().filter(|(_, e)| e.kind() == OpKind::Pending);
    let mut pending: Vec<Pending> = ends
        .map(|(index, e)| {
            let kind = OpKind::from_u8(e.value as u8).unwrap_or(OpKind::Pending);
            let object = names.object(kind, e.object());
            let place = places.site(e.site).or_else(|| places.stack(&stack(index)?.frames));
            Pending {
                thread: u32::from(e.thread()),
                text: words::unfinished(e, &object),
                location: place.as_ref().map(|p| absolute(places.paths, p)),
            }
        })
        .collect();
    pending.sort_by_key(|p| p.thread);
    pending
}
