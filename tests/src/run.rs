//! Starting `raddle` and reading its answer.

use crate::binary::{binary, shared_cache};
use crate::processes::{children, left_in, resident_kib};
use crate::scratch::Scratch;
use raddle_protocol::report::Report;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A command line being put together.
pub struct Raddle {
    command: Command,
    cache: PathBuf,
    limit: Duration,
    watch_memory: bool,
    /// When it gets a signal, and which, the next time last.
    signals: Vec<(Duration, i32)>,
}

/// How it ended and what it said.
#[derive(Debug)]
pub struct Run {
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The `--json` lines of standard output.
    pub reports: Vec<Report>,
    /// Resident memory of the runner when last seen, where it was watched.
    pub runner_kib: Option<u64>,
    /// Wall time.
    pub took: Duration,
}

/// `raddle` with these words, which are split at spaces.
pub fn raddle(words: &str) -> Raddle {
    let mut command = Command::new(binary());
    command.args(words.split_whitespace()).stdin(Stdio::null());
    // What cargo and the test runner set for this test is none of the program's business.
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("CARGO_PKG") || name_text.starts_with("NEXTEST") || name == "RUST_BACKTRACE"
        {
            command.env_remove(name);
        }
    }
    let limit = Duration::from_secs(300);
    Raddle { command, cache: shared_cache(), limit, watch_memory: false, signals: Vec::new() }
}

impl Raddle {
    /// Starts it in this folder.
    pub fn current_dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// One more argument, spaces and all.
    pub fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// More of them, split at spaces.
    pub fn args(mut self, words: &str) -> Self {
        self.command.args(words.split_whitespace());
        self
    }

    /// An environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// A cache folder of its own.
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = folder.into();
        self
    }

    /// Looks at the runner's memory while it runs.
    pub fn watch_memory(mut self) -> Self {
        self.watch_memory = true;
        self
    }

    /// Ends it by SIGTERM after this long.
    pub fn terminate_after(mut self, time: Duration) -> Self {
        self.signals.insert(0, (time, libc::SIGTERM));
        self
    }

    /// Presses Ctrl-C after this long; may be said again for a later time.
    pub fn interrupt_after(mut self, time: Duration) -> Self {
        self.signals.insert(0, (time, libc::SIGINT));
        self
    }

    /// Runs it with `--json`.
    #[track_caller]
    pub fn json(self) -> Run {
        self.arg("--json").run()
    }

    /// Starts it with its output thrown away.
    #[track_caller]
    pub fn start(mut self) -> std::process::Child {
        self.command.env("RADDLE_CACHE", &self.cache).stdout(Stdio::null()).stderr(Stdio::null());
        self.command.spawn().unwrap_or_else(|e| panic!("{:?}: {e}", self.command))
    }

    /// Runs it to its end. Longer than five minutes is a failure.
    #[track_caller]
    pub fn run(mut self) -> Run {
        self.command.env("RADDLE_CACHE", &self.cache).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Reports are laid out alike wherever the tests run, but where a test says otherwise.
        for (name, value) in [("COLUMNS", "100"), ("LC_ALL", "C.UTF-8")] {
            if !self.command.get_envs().any(|(set, _)| set == name) {
                self.command.env(name, value);
            }
        }
        let started = Instant::now();
        let mut child = self.command.spawn().unwrap_or_else(|e| panic!("{:?}: {e}", self.command));
        let readers = [drain(child.stdout.take()), drain(child.stderr.take())];
        let mut signals = std::mem::take(&mut self.signals);
        let mut runner_kib = None;
        let status = loop {
            if let Some(status) = child.try_wait().expect("waiting for raddle") {
                break status;
            }
            if self.watch_memory {
                let seen = children(child.id()).into_iter().filter_map(resident_kib).max();
                runner_kib = seen.filter(|kib| *kib > 0).or(runner_kib);
            }
            if let Some((_, signal)) = signals.pop_if(|(t, _)| started.elapsed() >= *t) {
                // SAFETY: the id is that of our child, which has not been waited for yet.
                unsafe { libc::kill(child.id() as libc::pid_t, signal) };
            }
            if started.elapsed() > self.limit {
                let _ = child.kill();
                let _ = child.wait();
                panic!("{:?} took longer than {:?}", self.command, self.limit);
            }
            std::thread::sleep(Duration::from_millis(if self.watch_memory { 1 } else { 5 }));
        };
        let took = started.elapsed();
        let [stdout, stderr] = readers.map(|r| r.join().expect("reading raddle's output"));
        let run = Run::new(status, stdout, stderr, runner_kib, took);
        // Shown by the test runner only where the test fails.
        println!("$ {:?}\n{}{}exit {:?} in {took:?}\n", self.command, run.stderr, run.stdout, run.status);
        run
    }
}

fn drain<R: Read + Send + 'static>(pipe: Option<R>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

impl Run {
    fn new(
        status: ExitStatus,
        stdout: String,
        stderr: String,
        runner_kib: Option<u64>,
        took: Duration,
    ) -> Self {
        let reports = stdout
            .lines()
            .filter(|l| l.starts_with('{') && l.contains("\"verdict\""))
            .map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("not a report: {e}\n{l}")))
            .collect();
        Run { status: status.code(), stdout, stderr, reports, runner_kib, took }
    }

    /// Asserts the exit status.
    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "exit status of:\n{}\n{}", self.stdout, self.stderr);
        self
    }

    /// The only report.
    #[track_caller]
    pub fn report(&self) -> &Report {
        assert_eq!(self.reports.len(), 1, "one report in:\n{}\n{}", self.stdout, self.stderr);
        &self.reports[0]
    }

    /// The report of this test.
    #[track_caller]
    pub fn report_of(&self, test: &str) -> &Report {
        let found = self.reports.iter().find(|r| r.test == test);
        found.unwrap_or_else(|| panic!("no report of {test} in:\n{}\n{}", self.stdout, self.stderr))
    }

    /// Everything it said.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }

    /// Asserts that each of these stands in what it said.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Self {
        let text = self.text();
        // What is longer than a line is wrapped.
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in parts {
            assert!(text.contains(part) || flat.contains(part), "{part:?} is missing in:\n{text}");
        }
        self
    }

    /// Asserts that no process of it is left in this test's folder (a runner's working directory
    /// is the program's).
    #[track_caller]
    pub fn leaves_nothing_running_in(self, scratch: &Scratch) -> Self {
        let deadline = Instant::now() + Duration::from_secs(2);
        while !left_in(&scratch.path("")).is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        let left = left_in(&scratch.path(""));
        assert!(left.is_empty(), "{left:?} left running by:\n{}", self.text());
        self
    }
}
