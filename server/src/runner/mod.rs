//! Runners: the test program as a process that executes plans, and what surrounds one: its
//! memory shared with us, its life and death, its watchdog.

#[cfg(test)]
mod agreement;
pub mod detail;
pub mod executor;
mod memory;
mod process;
#[cfg(test)]
mod refocused;
mod stamp;
mod start;
mod watch;
mod windows;

pub use detail::{detail, detail_for_report};
pub use executor::Runner;
pub use process::{randomisation_can_be_switched_off, signal_name};
pub use stamp::Stamp;

use raddle_schedule::channel::Channel;
use raddle_schedule::channel::outside::GOES_ALONG;
use raddle_schedule::dependency::is_no_crate;
use raddle_schedule::{Choice, Granularity, Schedule};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Every dependency, in `--points-in`.
pub const ALL_DEPENDENCIES: &str = "all";

/// Has the runner carried an operation of a dependency out with the step before?
pub fn met_dependency_op(channel: &Channel) -> bool {
    channel.header().outside.load(Ordering::Relaxed) & GOES_ALONG != 0
}

/// Most memory this process ever held, in bytes.
pub fn own_peak_memory() -> u64 {
    process::peak_memory("/proc/self/status")
}

/// Which function of the program an execution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// `main`, called anew each time.
    Main,
    /// A body that the program's own test harness hands over.
    Harness,
}

/// How to start one test's program.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Which file that was, where a later build puts another one in its place.
    pub stamp: Option<Stamp>,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The folder it runs in.
    pub cwd: PathBuf,
    /// Variables it gets beside ours.
    pub env: Vec<(String, OsString)>,
    /// What one execution is.
    pub entry: Entry,
    /// The test, exactly as its harness names it.
    pub test: String,
    /// Folder of `libraddle_rt.so`: the one this `raddle` carries, whatever the program was linked with.
    pub library: PathBuf,
    /// All operations of dependencies are points: it has code of the user's without markers.
    pub all_points: bool,
    /// It has code whose accesses to memory nobody tells of: a loop may wait for what that does.
    pub has_unwatched_code: bool,
}

/// How threads are carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Carriers {
    /// All on one OS thread.
    Fibers,
    /// Each on its own, passing a token.
    OsThreads,
}

/// How an execution gets a fresh state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Isolation {
    /// Memory is rolled back.
    Memory,
    /// A forked child for each.
    Fork,
}

/// What happens to the other threads when T0's body has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MainExit {
    /// They finish, or go on until they only repeat themselves.
    Wait,
    /// They end, as in C.
    Kill,
}

/// What may happen by itself: each once in a thread and an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByItself {
    /// Waits end.
    pub wakeups: bool,
    /// Weak compare-exchanges fail.
    pub failures: bool,
}

impl ByItself {
    /// As the runtime takes it.
    fn bits(self) -> u32 {
        u32::from(self.wakeups) << Choice::SPURIOUS | u32::from(self.failures) << Choice::FAIL
    }

    /// For the guarantee; empty where nothing does.
    pub fn told(self) -> &'static str {
        match (self.wakeups, self.failures) {
            (false, false) => "",
            (true, false) => "one wait of each thread may end by itself",
            (false, true) => "one weak compare-exchange of each thread may fail by itself",
            (true, true) => "one wait of each thread may end and one weak compare-exchange fail by itself",
        }
    }
}

impl Settings {
    /// As this schedule needs them: its steps mean something only with what it names. The granularity is the schedule's where
    /// the same build has both.
    pub fn of_schedule(&self, schedule: &Schedule) -> Settings {
        use Granularity::{Access, Sync};
        let granularity = match (self.granularity, schedule.granularity) {
            (Sync | Access, named @ (Sync | Access)) => named,
            (own, _) => own,
        };
        let (promoted, seed) = (schedule.promoted.clone(), schedule.seed);
        Settings { granularity, promoted, seed, ..self.with_points(&schedule.points) }
    }

    /// With operations that a search had to have as points.
    pub fn with_points(&self, found: &[String]) -> Settings {
        let is_all = found.iter().any(|name| name == ALL_DEPENDENCIES);
        let stays = |name: &&String| !found.contains(name) && (!is_all || is_no_crate(name));
        let points_in = self.points_in.iter().filter(stays).chain(found).cloned().collect();
        Settings { points_in, ..self.clone() }
    }
}

/// What is fixed for all executions of a runner.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where switches may happen.
    pub granularity: Granularity,
    /// Points are restricted to these functions, unless there are none.
    pub points_at: Vec<String>,
    /// Variables every access to which is a point too; see `raddle_schedule::promoted`.
    pub promoted: Vec<String>,
    /// No points in these functions and modules.
    pub trusted: Vec<String>,
    /// All operations of these dependencies are points; `all` for every one.
    pub points_in: Vec<String>,
    /// See [`Carriers`].
    pub carriers: Carriers,
    /// See [`Isolation`].
    pub isolation: Isolation,
    /// See [`MainExit`].
    pub main_exit: MainExit,
    /// What may happen by itself.
    pub by_itself: ByItself,
    /// So many threads can be there at once; `None` where creating one never fails.
    pub max_threads: Option<u32>,
    /// The values of inputs; see `raddle_schedule::input::Values`.
    pub inputs: String,
    /// Small random ranges are inputs; see `raddle_schedule::input::RANDOM`.
    pub random_choices: bool,
    /// The seed that random numbers are drawn from.
    pub seed: u64,
    /// An execution without a schedule point for this long hangs.
    pub hang: Duration,
}
