//! `launch`: builds the target as a search builds it, makes the schedule's execution once, and
//! starts the very same program under gdb.

use super::arguments::{Arguments, StopAt};
use super::breakpoints::Breakpoints;
use super::configured::configured;
use super::debuggee::{Debuggee, Stop};
use super::execution::Execution;
use super::gdb::{Gdb, mi};
use super::program::{Position, Program};
use super::session::{Outcome, Session, Trouble};
use super::transport::Request;
use super::variables::Handles;
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::host::root;
use crate::interleaving::{Subject, Tracer};
use crate::options;
use crate::runner::{Carriers, Isolation, Runner, Settings};
use crate::schedules;
use crate::shell;
use crate::target::{self, BuildOptions, CargoOptions, Hold, Target, Test};
use raddle_schedule::Schedule;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A program that is debugged stands still as long as somebody looks at it.
const NEVER: Duration = Duration::from_secs(u32::MAX as u64);
/// Without a debugger: as on the command line.
pub const HANG: Duration = Duration::from_secs(5);

impl Session {
    /// The request. It is answered once everything is ready to run.
    pub fn launch(&mut self, request: &Request) -> Outcome<()> {
        if self.program.is_some() {
            return Err(Trouble::Refused("a program is being debugged already".into()));
        }
        let arguments = Arguments::read(&request.arguments)?;
        // It starts while the target is being built.
        let gdb = Gdb::start(self.inbox.sender()).map_err(|e| {
            Error::new("cannot start gdb")
                .because(e)
                .next("install gdb 13 or newer, so that `gdb` is in PATH")
        })?;
        self.client.say("console", &format!("building {}", arguments.target));
        let program = self.prepare(&request.arguments, arguments, gdb)?;
        let shown = &program.execution.traced.interleaving;
        let (name, pid) = (program.debuggee.program().display().to_string(), program.debuggee.pid());
        let what = format!("{} under gdb, schedule {}: {name}", shown.test, shown.schedule);
        self.program = Some(program);
        self.client.answer(request, Value::Null);
        self.client.say("console", &what);
        let process =
            json!({ "name": name, "systemProcessId": pid, "isLocalProcess": true, "startMethod": "launch" });
        self.client.event("process", process);
        self.client.event("initialized", json!({}));
        Ok(())
    }

    fn prepare(&mut self, given: &Value, mut arguments: Arguments, gdb: Gdb) -> Outcome<Program> {
        arguments.target = meet(&arguments)?;
        let arguments = configured(given, arguments)?;
        let (target, test, schedule) = find(&arguments)?;
        let options = |carriers, hang| Settings {
            granularity: schedule.granularity,
            points_at: arguments.points_at.clone(),
            promoted: Vec::new(),
            trusted: arguments.trusted.clone(),
            points_in: arguments.points_in.clone(),
            carriers,
            isolation: Isolation::Memory,
            main_exit: arguments.main_exit,
            by_itself: arguments.by_itself,
            max_threads: arguments.max_threads,
            inputs: arguments.inputs.clone(),
            random_choices: arguments.random_choices,
            seed: 0,
            hang,
        };
        let settings = |carriers, hang| options(carriers, hang).of_schedule(&schedule);
        let runner = Runner::new(test.launch.clone(), settings(Carriers::OsThreads, NEVER))
            .map_err(|e| Error::new("cannot set up the program").because(e))?;
        let mut tracer = Tracer::new(Subject {
            target: Arc::new(target),
            test,
            settings: settings(Carriers::Fibers, HANG),
            max_steps: arguments.max_steps,
            replay_options: String::new(),
        })?;
        let execution = Execution::make(0, &schedule, &mut tracer)?;
        if execution.traced.interleaving.stale {
            let text = match &execution.traced.aligned {
                Some(said) => format!("{schedule} is of another build: {said}"),
                None => format!(
                    "warning: {schedule} is of another build or other options: its steps may mean something else now"
                ),
            };
            self.client.say("stderr", &text);
        }
        let mut debuggee = Debuggee::start(gdb, runner, &mut self.inbox)?;
        for (from, to) in &arguments.source_map {
            let command = format!("-gdb-set substitute-path {} {}", mi::quote(from), mi::quote(to));
            debuggee.command(&mut self.inbox, &command)?;
        }
        Ok(Program {
            arguments,
            tracer,
            debuggee,
            execution,
            position: Position::default(),
            handles: Handles::default(),
            breakpoints: Breakpoints::default(),
        })
    }

    /// `configurationDone`: to the first stop.
    pub fn begin(&mut self) -> Outcome<()> {
        let program = self.program()?;
        let stop_at = program.arguments.stop_at;
        let preemption = program.execution.preemption(0);
        let stop = match (stop_at, preemption) {
            (StopAt::FirstPreemption, Some(event)) => self.run_to(event)?,
            (StopAt::Failure, _) => self.run_to_failure()?,
            (StopAt::Entry, _) => self.run_to_entry()?,
            (StopAt::FirstPreemption, None) => self.run_to_difference()?,
        };
        self.tell(&stop, "entry")
    }

    /// To where a schedule without preemptions first differs from the default; the beginning of the
    /// default itself.
    fn run_to_difference(&mut self) -> Outcome<Stop> {
        let execution = &self.program()?.execution;
        let delta = execution.difference().copied();
        let Some((delta, event)) = delta.and_then(|d| Some((d, execution.of_step(d.step)?))) else {
            self.client.say("console", "the schedule preempts nobody: stopped at the test's beginning");
            return self.run_to_entry();
        };
        let text = format!(
            "the schedule preempts nobody: stopped at its first difference from the default: {} at step {}",
            delta.choice, delta.step
        );
        self.client.say("console", &text);
        self.run_to(event)
    }
}

/// Goes into the folder that the target is searched from, and names it as it is named there: the
/// cache tells builds apart by both. That is the folder of the configuration or else the one that
/// the client started this process in; for a target elsewhere, its workspace.
fn meet(arguments: &Arguments) -> Result<String> {
    if let Some(folder) = &arguments.cwd {
        root::enter(folder)?;
    }
    let here = std::env::current_dir().unwrap_or_default();
    let named = root::name(&here, &arguments.target);
    if !Path::new(&named).is_absolute() || !Path::new(&named).exists() {
        return Ok(named);
    }
    let elsewhere = root::of(Path::new(&named))?;
    root::enter(&elsewhere)?;
    Ok(root::name(&elsewhere, &named))
}

/// The built target, the test that is meant, and its schedule.
fn find(arguments: &Arguments) -> Result<(Target, Test, Schedule)> {
    let given = arguments.schedule.as_deref().map(schedules::read).transpose()?;
    let granularity = given.as_ref().map(|s| s.granularity).unwrap_or_default();
    let cache = Cache::locate()?;
    let options = BuildOptions {
        cflags: cflags(arguments.cflags.as_deref().unwrap_or(""))?,
        args: arguments.args.iter().map(Into::into).collect(),
        env: arguments.env.iter().map(|(name, value)| (name.clone(), value.into())).collect(),
        statements: options::statements(granularity, &arguments.points_at),
        counts: crate::target::counts_at(granularity),
        cargo: CargoOptions::read(&arguments.cargo)?,
        // It ends with this process, however that ends.
        hold: Hold::new(),
    };
    let mut target = target::build(&arguments.target, &options, &cache)?;
    let test = target::one(&mut target, &arguments.test, false)?;
    let schedule = match given {
        Some(schedule) => schedule,
        None => schedules::newest(&target.root, &test.name)?,
    };
    if schedule.granularity != granularity {
        // Its points are others: the build is too.
        let file = Arguments { schedule: Some(schedule.to_string()), ..arguments.clone() };
        return find(&file);
    }
    Ok((target, test, schedule))
}

/// As the command line reads them, so that the cache finds the build of the search.
fn cflags(given: &str) -> Result<Vec<OsString>> {
    let mut cflags = shell::words("CFLAGS", &std::env::var("CFLAGS").unwrap_or_default())?;
    cflags.extend(shell::words("cflags", given)?);
    Ok(cflags)
}
