//! The options of `raddle explore`, and the search of a test by them.

mod checks;
mod ci;
mod files;

use super::Run;
use super::configured::{self, Configured, Resolved};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::interleaving::Subject;
use crate::interrupt::Interrupt;
use crate::options;
use crate::search::selection::Named;
use crate::search::{Job, Spent, focus, store};
use crate::settings::Settings;
use crate::target::{self, BuildOptions, Filter, Hold, Target, Test, Unwatched};
use raddle_engine::{Bound, Config, Order, PointsIn, Reduce, States};
use raddle_protocol::gap::Gap;
use raddle_schedule::Granularity;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Most seeds of one search: each takes a search of its own.
const MOST_SEEDS: u64 = 10_000;

const EXAMPLES: &str = "\
Examples:
  raddle explore queue.c                             the default search, 60 s at most
  raddle explore queue.c --bound none                every interleaving, in any order
  raddle explore queue.c --bound none --reduce optimal    one of each class of equivalent ones
  raddle explore . bank --bound preemptions=2 --reduce bounded    the same within a bound
  raddle explore . bank --bound preemptions=2 --json    tests of a package whose names contain `bank`
  raddle explore queue.c --order random --executions 10000 --seed 7
  raddle explore queue.c --bound preemptions=2 --order ss,mdpor
  raddle explore . cache --seeds 8                   with 8 seeds of random numbers and hash maps
  raddle explore . race --random-choices             every branch order of select!
  raddle explore . --html report.html --junit report.xml    also as a page, and for a CI server
  raddle explore queue.c --attach                    in the host that editors and windows use
  raddle explore . cache --focus-method evict --focus-method refresh    switches between these two first";

/// Explore the interleavings of tests
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A C or C++ file (or several of one program), a Cargo package (folder or Cargo.toml), a program built with
    /// `raddle cc`, or a folder with a raddle.toml or compile_commands.json
    #[arg(default_value = ".")]
    pub target: String,
    /// Only tests with one of these names, or, where none has, whose names contain it
    tests: Vec<String>,
    /// TEST is a whole name
    #[arg(long)]
    exact: bool,
    /// none, preemptions=N, iterative (0, 1, 2, …) or depth=N (choices in the first N steps only)
    /// [default: iterative, beside a search by classes where neither --bound nor --reduce, --order,
    /// --states, a focus or --audit is named; none for random orders and with reductions that keep no
    /// bound, preemptions=2 with bounded]
    #[arg(long, value_name = "BOUND", value_parser = options::bound)]
    bound: Option<Bound>,
    /// Which redundant executions to leave out: none, sleep, persistent, source or optimal (with
    /// --bound none), bounded (with a bound on preemptions too), or rw (with --granularity lock-exit)
    /// [default: none, beside optimal where nothing else chooses one search (see --bound)]
    #[arg(long, value_name = "REDUCTION", value_parser = options::reduce)]
    reduce: Option<Reduce>,
    /// Do not explore a state again that was reached before: hb (by happens-before: every class is kept),
    /// counters (by points passed, values read and shared; says where the order makes them differ) or
    /// abstract (by places of threads and variables) [with --reduce none]
    #[arg(long, value_name = "STATES", default_value = "none", value_parser = options::states)]
    states: States,
    /// dfs; a sampler: random, pct=D (few changes of priority, for bugs of depth D) or pos (the order
    /// of dependent operations only); or a list of priorities, the first weighs most: pb (fewer
    /// preemptions), dpor or mdpor (what reverses a race), ss (what is not asleep), rand (by --seed),
    /// method and var (what the focus names) [default: dfs; method,var with a focus]
    #[arg(long, value_name = "ORDER", value_parser = options::order)]
    order: Option<Order>,
    /// Prefer switches between these functions (a name, or its end from a `::` on); may be given
    /// again
    #[arg(long, value_name = "NAME", value_parser = options::focused)]
    focus_method: Vec<String>,
    /// Prefer switches between operations on these variables, named as reports name them; may be
    /// given again
    #[arg(long, value_name = "NAME", value_parser = options::focused)]
    focus_var: Vec<String>,
    /// Where switches may happen: sync (at synchronisation), access (at shared accesses too),
    /// statement (before statements of the source, and nowhere within them) or lock-exit (behind lock
    /// exits, for programs that keep a locking discipline)
    #[arg(long, value_name = "POINTS", default_value = "sync", value_parser = options::granularity)]
    granularity: Granularity,
    /// A variable that races becomes a synchronisation variable: every access to it is a point too,
    /// and the search begins again (with --granularity sync)
    #[arg(long)]
    promote_races: bool,
    /// Stop a test's search after N executions, those of searches that began anew included
    #[arg(long, value_name = "N", value_parser = options::executions)]
    executions: Option<u64>,
    /// Stop the search after this time; explaining failures stops one second later [default: 60s where the bound alone does not end it soon]
    #[arg(long, value_name = "TIME", value_parser = options::duration)]
    pub time: Option<Duration>,
    /// Keep what waits to be run within this much memory; what is run last waits in a file of the
    /// cache folder. A search with a reduction, which cannot do that, ends there; of the two default
    /// searches, which have half of it each, the other one goes on [default: a quarter of the machine's
    /// memory, 2GB at most]
    #[arg(long, value_name = "SIZE", value_parser = options::size)]
    memory: Option<u64>,
    /// Afterwards N random runs must land in explored classes
    #[arg(long, value_name = "N", default_value_t = 0)]
    audit: u64,
    /// Draw how many distinct states and classes there were after so many executions and by each
    /// preemption bound, as SVG; the search is that of --bound iterative, unless another is asked for
    #[arg(long, value_name = "FILE", conflicts_with = "attach")]
    pub coverage: Option<PathBuf>,
    #[command(flatten)]
    pub files: files::Files,
    #[command(flatten)]
    pub ci: ci::Ci,
    /// For what is drawn at random: --order random, pct=D, pos and rand, and --audit
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Search with N seeds of random numbers (getrandom, arc4random, /dev/urandom, the keys of hash maps, and clocks, which
    /// programs seed rand with), where a test asks for any; --time and --executions are shared among them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MOST_SEEDS),
        conflicts_with_all = ["coverage", "audit"])]
    seeds: u64,
    /// Go on after the first failure and report distinct failures
    #[arg(long)]
    keep_going: bool,
    /// Print the whole guarantee of each test
    #[arg(short, long, conflicts_with_all = ["json", "attach"])]
    pub verbose: bool,
    /// Runner processes: 1
    #[arg(long, value_name = "N", default_value = "1", value_parser = options::jobs)]
    jobs: u32,
    /// Search in the host of the workspace, where its editors and windows see it too
    #[arg(long, conflicts_with = "json")]
    pub attach: bool,
    #[command(flatten)]
    pub run: Run,
    /// Somebody may set the focus while it runs.
    #[arg(skip)]
    is_led: bool,
    /// What the settings files hold; the options above have it already.
    #[arg(skip)]
    settings: Settings,
    /// Tests with options of their own in the settings files.
    #[arg(skip)]
    by_test: BTreeMap<String, Args>,
}

impl Configured for Args {
    fn run_mut(&mut self) -> &mut Run {
        &mut self.run
    }
}

impl Args {
    /// With what the settings files of the target say where nothing was typed.
    pub fn configured(self, typed: &[String]) -> Result<Args> {
        let settings = Settings::of(&self.target)?;
        if settings.is_empty() {
            return Ok(Args { settings, ..self });
        }
        let positional = std::iter::once(&self.target).chain(&self.tests).cloned().collect::<Vec<_>>();
        let Resolved { base, tests } = configured::resolve::<Args>(&settings, typed, &positional)?;
        let args = Args { settings, by_test: tests, ..base };
        args.check_builds().map(|()| args)
    }

    /// One JSON object a line is asked for.
    pub fn is_json(&self) -> bool {
        self.run.json
    }

    /// What the settings files hold.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The options of a test.
    fn of_test(&self, name: &str) -> &Args {
        self.by_test.get(name).unwrap_or(self)
    }

    /// The tests that are meant.
    pub fn filter(&self) -> Filter {
        Filter { names: self.tests.clone(), exact: self.exact }
    }

    /// Builds the target; with these of its tests.
    pub fn prepare(&self, filter: &Filter, hold: &Hold) -> Result<(Target, Vec<Test>)> {
        self.prepare_in(&Cache::locate()?, filter, hold)
    }

    /// The same with this cache folder.
    pub fn prepare_in(&self, cache: &Cache, filter: &Filter, hold: &Hold) -> Result<(Target, Vec<Test>)> {
        let options = BuildOptions { hold: hold.clone(), ..self.run.build_options(self.granularity)? };
        let mut target = target::build(&self.target, &options, cache)?;
        focus::check_before(focus::POINTS_AT, &self.run.program.points_at, &target)?;
        focus::check_before(focus::TRUST, &self.run.program.trust, &target)?;
        focus::check_before(focus::METHOD, &self.focus_method, &target)?;
        for args in self.by_test.values() {
            focus::check_before(focus::POINTS_AT, &args.run.program.points_at, &target)?;
            focus::check_before(focus::TRUST, &args.run.program.trust, &target)?;
            focus::check_before(focus::METHOD, &args.focus_method, &target)?;
        }
        self.warn_of_unknown_tests(&target);
        let mut tests = target::select(std::mem::take(&mut target.tests), filter, &target.named)?;
        for test in &mut tests {
            if let Some(own) = self.by_test.get(&test.name) {
                own.run.start(&self.run, test)?;
            }
        }
        if tests.is_empty() {
            let what = format!("no test in {}", target.named);
            return Err(Error::new(what).because("the package has no #[test]").next("add one"));
        }
        Ok((target, tests))
    }

    /// What the order prefers.
    pub fn focus(&self) -> Named {
        Named { methods: self.focus_method.clone(), variables: self.focus_var.clone() }
    }

    /// The same, of a search whose focus may be set while it runs.
    pub fn led(self) -> Args {
        let by_test = self.by_test.into_iter().map(|(name, args)| (name, args.led())).collect();
        Args { is_led: true, by_test, ..self }
    }

    /// No axis is named, so that the search is the tool's to choose.
    fn is_default(&self) -> bool {
        // Between atomic blocks neither part of it means anything.
        // A picture is of one search.
        let Args { bound: None, reduce: None, order: None, coverage: None, .. } = self else { return false };
        let in_blocks = self.granularity == Granularity::LockExit;
        self.focus().is_empty() && self.audit == 0 && self.states == States::None && !in_blocks
    }

    fn reduce(&self) -> Reduce {
        self.reduce.unwrap_or_default()
    }

    /// The order of the search; where a focus is named, one that heeds it.
    pub fn order(&self) -> Order {
        let default = || if self.focus().is_empty() { Order::Dfs } else { Order::focused() };
        self.order.clone().unwrap_or_else(default)
    }

    fn config(&self) -> Config {
        Config {
            granularity: self.granularity,
            points_at: self.run.program.points_at.clone(),
            promote_races: self.promote_races,
            trusted: self.run.program.trust.clone(),
            points_in: PointsIn { dependencies: self.run.program.points_in.clone(), ..PointsIn::default() },
            by_itself: self.run.program.by_itself().told(),
            max_threads: self.run.program.max_threads,
            bound: self.bound(),
            order: self.order(),
            led: self.is_led && self.order.is_none(),
            reduce: self.reduce(),
            states: self.states,
            seed: self.seed,
            executions: self.executions,
            keep_going: self.keep_going,
            max_steps: self.run.max_steps(),
            audit: self.audit,
            count_states: self.coverage.is_some(),
            bare: is_bare(),
            ..Config::default()
        }
    }

    /// Failures of fewest preemptions first, then everything; a random order knows no bound, most
    /// reductions keep none, and between atomic blocks it means nothing.
    fn bound(&self) -> Bound {
        let prunes =
            matches!(self.reduce(), Reduce::Sleep | Reduce::Persistent | Reduce::Source | Reduce::Optimal);
        let default = match self.reduce() {
            _ if self.order().samples() || prunes || self.granularity == Granularity::LockExit => Bound::None,
            Reduce::Bounded => Bound::Preemptions(2),
            _ => Bound::Iterative,
        };
        self.bound.unwrap_or(default)
    }

    /// A minute, where nothing else says when to end.
    fn limit(&self) -> Option<Duration> {
        let reach =
            !matches!(self.bound(), Bound::Preemptions(_) | Bound::Depth(_)) && self.executions.is_none();
        self.time.or(reach.then_some(Duration::from_secs(60)))
    }

    /// Where switches may happen.
    pub fn granularity(&self) -> Granularity {
        self.granularity
    }

    /// Further files of a program become part of its target.
    pub fn merge(&mut self) {
        target::merge(&mut self.target, &mut self.tests);
    }

    /// How tests are built and run.
    pub fn run_options(&self) -> &Run {
        &self.run
    }

    /// As it was named.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// A test whose executions are shown.
    pub fn subject(&self, target: Arc<Target>, test: Test) -> Subject {
        let args = self.of_test(&test.name);
        Subject {
            target,
            settings: args.run.settings(args.granularity),
            max_steps: args.run.max_steps(),
            replay_options: args.run.program.for_replay(),
            test,
        }
    }

    /// What is not seen of a test, and of what was asked for.
    fn unwatched(&self, target: &Target, test: &Test) -> Unwatched {
        let mut unwatched = test.unwatched.clone();
        let failures = self.run.program.by_itself().failures && !target.opaque;
        if !failures || !target::takes_weak_for_strong(&test.launch.program) {
            return unwatched;
        }
        let words = "failures of weak compare-exchanges, which clang does not tell from strong ones";
        unwatched.add(Gap::ClangWeakExchanges, words);
        unwatched
    }

    /// The search of one test.
    pub fn job<'a>(&self, target: &'a Target, test: &'a Test, interrupt: &'a Interrupt) -> Job<'a> {
        self.of_test(&test.name).own_job(target, test, interrupt)
    }

    fn own_job<'a>(&self, target: &'a Target, test: &'a Test, interrupt: &'a Interrupt) -> Job<'a> {
        let unwatched = self.unwatched(target, test);
        Job {
            target,
            test,
            config: Config {
                unwatched: if is_bare() { BARE.into() } else { unwatched.words().into() },
                unseen: true,
                opaque: target.opaque,
                leaks: !is_bare(),
                quarantine: !is_bare(),
                ..self.config()
            },
            gaps: unwatched.gaps().clone(),
            is_default: self.is_default(),
            focus: self.focus(),
            settings: self.run.settings(self.granularity),
            may_fork: self.run.program.isolation.is_none(),
            adapts: self.run.max_steps.is_none(),
            seeds: self.seeds,
            time: self.limit(),
            is_time_named: self.time.is_some(),
            spent: Spent::default(),
            memory: self.memory.unwrap_or_else(store::default_limit),
            replay_options: self.run.program.for_replay(),
            own: target::own_folders(),
            interrupt,
        }
    }
}

/// What a search without analyses says that it has not watched.
const BARE: &str = "anything: no analysis has read the executions";

/// Asked for by `raddle-bench analyses`: the search without its analyses.
fn is_bare() -> bool {
    std::env::var_os("RADDLE_BENCH_WITHOUT_ANALYSES").is_some()
}
