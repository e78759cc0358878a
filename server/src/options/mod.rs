//! Options of searches and replays: what was typed with what settings files say, and the values that options take.

pub mod configured;
pub mod explore;
pub mod unbuilt;
mod values;
mod words;

use crate::error::{Error, Result};
use crate::runner::{ByItself, Carriers, Entry, Isolation, MainExit, Settings};
use crate::shell::{self, words};
use crate::target::{BuildOptions, CargoOptions, Test};
use clap::Parser;
use configured::FromFiles;
use raddle_instrumenter::instrument::Statements;
use raddle_schedule::file::File;
use raddle_schedule::input;
use raddle_schedule::{Granularity, MAX_THREADS};
use std::ffi::OsString;
use std::time::Duration;
pub use values::{
    bound, dependency, duration, executions, focused, function, granularity, inputs, jobs, order, reduce,
    size, states, variable,
};
pub use words::{explore_args, typed_options};

/// How tests are built and run, whatever is done with them.
#[derive(clap::Args, Clone)]
pub struct Run {
    /// How threads are carried
    #[arg(long, value_enum, default_value = "fibers")]
    pub carriers: Carriers,
    #[command(flatten)]
    pub program: Program,
    /// Cut an execution off after so many schedule points [default: 20000; where all executions are cut off and would end with
    /// more, the search begins again with as many as that takes, 1000000 at most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_steps: Option<u32>,
    /// An execution without a schedule point for this long is a failure `hang`
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub hang: Duration,
    /// One JSON object per test and line instead of text
    #[arg(long)]
    pub json: bool,
}

/// What program it is, and where its points are: a schedule means something with these only, so whoever replays it gives them again.
#[derive(clap::Args, Clone)]
pub struct Program {
    /// How an execution gets a fresh state
    #[arg(long, value_enum)]
    pub isolation: Option<Isolation>,
    /// When `main` returns: let the other threads finish, or end them as C does
    #[arg(long, value_enum, default_value = "wait")]
    pub main_exit: MainExit,
    /// One wait of each thread, for a notify or for `unpark`, may end by itself
    #[arg(long)]
    pub spurious_wakeups: bool,
    /// One weak compare-exchange of each thread may fail by itself (Rust)
    #[arg(long)]
    pub spurious_failures: bool,
    /// At most N threads exist at once, main included; creating another fails with EAGAIN [default: creating a thread never
    /// fails]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_THREADS as i64))]
    pub max_threads: Option<u32>,
    /// The values that are explored of inputs which C programs ask for by the names of SV-COMP (`__VERIFIER_nondet_int` and the
    /// like), as far as the type has them: numbers, min and max (the type's bounds), and ranges (0..4, both ends included)
    #[arg(long, value_name = "LIST", default_value = input::DEFAULT, value_parser = inputs, allow_hyphen_values = true)]
    pub inputs: String,
    /// Explore random numbers below a bound of 2 to 8 as inputs: arc4random_uniform, the branch order of select! in tokio and
    /// futures, fastrand's global functions, and rand's ranges and shuffles by its thread's generator
    #[arg(long)]
    pub random_choices: bool,
    /// Points only inside these functions (a name, or its end from a `::` on; with closures given
    /// to spawn in them). Thread start, exit and join are none then
    #[arg(long, value_name = "FUNC,…", value_delimiter = ',', value_parser = function)]
    pub points_at: Vec<String>,
    /// No points in these functions and modules, nor in what they call (a name, or its end from a `::` on)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = function)]
    pub trust: Vec<String>,
    /// All atomic operations of these dependencies are points too, as in --points-in crossbeam-queue,dashmap (`all`:
    /// of every one; `RwLock`: those that std's read-write lock is made of; `primitives`: the own code of crates' primitives that are
    /// modelled; `runtimes`: all that is trusted). By default only the first is of those that a
    /// dependency makes in a row; locks and all else that blocks or wakes are points wherever they are
    #[arg(long, value_name = "CRATE,…", value_delimiter = ',', value_parser = dependency)]
    pub points_in: Vec<String>,
    #[command(flatten)]
    pub build: Build,
    /// What settings files say beside options.
    #[arg(skip)]
    pub files: FromFiles,
}

/// How targets are built.
#[derive(clap::Args, Clone)]
pub struct Build {
    /// Extra compiler flags for C targets (CFLAGS is honoured too)
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,
    /// Arguments of the program under test
    #[arg(long, value_name = "ARGS", allow_hyphen_values = true)]
    pub args: Option<String>,
    /// A variable of the environment of the program under test; may be given again
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<Variable>,
    #[command(flatten)]
    pub cargo: CargoOptions,
}

impl Program {
    /// What may happen by itself.
    pub fn by_itself(&self) -> ByItself {
        ByItself { wakeups: self.spurious_wakeups, failures: self.spurious_failures }
    }

    /// For the command that replays a schedule.
    pub fn for_replay(&self) -> String {
        let mut out = String::new();
        if !self.points_at.is_empty() {
            out += &format!(" --points-at {}", shell::quote(&self.points_at.join(",")));
        }
        if !self.trust.is_empty() {
            out += &format!(" --trust {}", shell::quote(&self.trust.join(",")));
        }
        if !self.points_in.is_empty() {
            out += &format!(" --points-in {}", shell::quote(&self.points_in.join(",")));
        }
        // Replaying reads the settings files again, so what a file would change is said.
        let overridden = |name: &str| self.files.overridden.contains(name);
        match self.main_exit {
            MainExit::Kill => out += " --main-exit kill",
            MainExit::Wait if overridden("main-exit") => out += " --main-exit wait",
            MainExit::Wait => {}
        }
        if self.spurious_wakeups {
            out += " --spurious-wakeups";
        }
        if self.spurious_failures {
            out += " --spurious-failures";
        }
        if let Some(most) = self.max_threads {
            out += &format!(" --max-threads {most}");
        }
        if self.inputs != input::DEFAULT || overridden("inputs") {
            out += &format!(" --inputs={}", shell::quote(&self.inputs));
        }
        if self.random_choices {
            out += " --random-choices";
        }
        match self.isolation {
            Some(Isolation::Fork) => out += " --isolation fork",
            Some(Isolation::Memory) if overridden("isolation") => out += " --isolation memory",
            _ => {}
        }
        for word in self.build.cargo.words() {
            out += &format!(" {}", shell::quote(&word));
        }
        for (name, value) in [("--cflags", &self.build.cflags), ("--args", &self.build.args)] {
            if let Some(value) = value {
                out += &format!(" {name} {}", shell::quote(value));
            }
        }
        for Variable { name, value } in &self.build.env {
            out += &format!(" --env {}", shell::quote(&format!("{name}={value}")));
        }
        out
    }
}

impl Run {
    /// An execution is cut off after so many schedule points.
    pub fn max_steps(&self) -> u32 {
        self.max_steps.unwrap_or(raddle_engine::config::MAX_STEPS)
    }

    /// As the runner takes it.
    pub fn settings(&self, granularity: Granularity) -> Settings {
        let program = &self.program;
        Settings {
            granularity,
            points_at: program.points_at.clone(),
            promoted: Vec::new(),
            trusted: program.trust.clone(),
            points_in: program.points_in.clone(),
            carriers: self.carriers,
            isolation: program.isolation.unwrap_or(Isolation::Memory),
            main_exit: program.main_exit,
            by_itself: program.by_itself(),
            max_threads: program.max_threads,
            inputs: program.inputs.clone(),
            random_choices: program.random_choices,
            seed: 0,
            hang: self.hang,
        }
    }

    /// With the options of a schedule file, where none was typed that a schedule depends on.
    pub fn with_stored(&self, file: Option<&File>) -> Result<Run> {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            program: Program,
        }
        let none_typed = self.program.files.all_from_files || self.program.for_replay().is_empty();
        let Some(file) = file.filter(|f| !f.options.is_empty() && none_typed) else {
            return Ok(self.clone());
        };
        let words = words("the schedule file's options", &file.options)?;
        let words = [OsString::from("raddle")].into_iter().chain(words);
        let Line { program } = Line::try_parse_from(words).map_err(|e| {
            let what = e.to_string();
            let what =
                what.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default().to_string();
            Error::new(format!("the schedule file has options that cannot be read: {}", file.options))
                .because(what)
        })?;
        let files = self.program.files.clone();
        Ok(Run { program: Program { files, ..program }, ..self.clone() })
    }

    /// As targets take it: points before statements only where switches happen there.
    pub fn build_options(&self, granularity: Granularity) -> Result<BuildOptions> {
        let statements = statements(granularity, &self.program.points_at);
        let counts = crate::target::counts_at(granularity);
        let mut options = self.program.build.options()?;
        options.env.splice(0..0, variables(&self.program.files.env));
        Ok(BuildOptions { statements, counts, ..options })
    }

    /// Gives a test that was built with the options of all tests what its own ones say of its start.
    pub fn start(&self, all: &Run, test: &mut Test) -> Result<()> {
        test.launch.env.extend(variables(&self.program.files.env));
        test.launch.env.extend(variables(&self.program.build.env));
        let (own, shared) = (&self.program.build.args, &all.program.build.args);
        if own == shared {
            return Ok(());
        }
        let split = |args: &Option<String>| words("args", args.as_deref().unwrap_or(""));
        if test.launch.entry != Entry::Main || test.launch.args != split(shared)? {
            return Err(Error::new(format!("the test {} has `args` of its own in the settings", test.name))
                .because("it is no program, so it takes no arguments")
                .next("remove the key"));
        }
        test.launch.args = split(own)?;
        Ok(())
    }
}

fn variables(env: &[Variable]) -> impl Iterator<Item = (String, OsString)> {
    env.iter().map(|v| (v.name.clone(), OsString::from(&v.value)))
}

/// Where points before statements are wanted.
pub fn statements(granularity: Granularity, points_at: &[String]) -> Statements {
    match granularity {
        Granularity::Statement if points_at.is_empty() => Statements::All,
        Granularity::Statement => Statements::In(points_at.to_vec()),
        _ => Statements::None,
    }
}

impl Build {
    fn options(&self) -> Result<BuildOptions> {
        let mut cflags = words("CFLAGS", &std::env::var("CFLAGS").unwrap_or_default())?;
        cflags.extend(words("--cflags", self.cflags.as_deref().unwrap_or(""))?);
        let args = words("--args", self.args.as_deref().unwrap_or(""))?;
        let env = variables(&self.env).collect();
        Ok(BuildOptions { cflags, args, env, cargo: self.cargo.clone(), ..BuildOptions::default() })
    }
}

/// A variable of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    name: String,
    value: String,
}

impl Variable {
    /// Of a name and a value that were read already.
    pub fn new(name: &str, value: &str) -> Variable {
        Variable { name: name.to_string(), value: value.to_string() }
    }
}
