//! Running a step of `cargo xtask test`: its output is passed on, its tests are counted, and what they took is measured.

use crate::out::Out;
use crate::times::{self, Took};
use crate::totals::{Totals, without_colours};
use crate::usage::{self, Time};
use std::ffi::CString;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

/// One step: commands, run one after the other.
pub struct Step {
    /// What `--only` and the summary call it.
    pub name: &'static str,
    /// What it runs.
    pub commands: Vec<Command>,
    /// Whether it runs tests. If it then counts none, it has failed: nothing was shown.
    pub tests: bool,
    /// The step that it begins with, of which it needs nothing.
    pub beside: Option<&'static str>,
}

/// What became of a step.
#[derive(Debug)]
pub struct Outcome {
    /// Its name.
    pub name: &'static str,
    /// Whether everything in it succeeded.
    pub good: bool,
    /// Its tests; a command that failed without any test that did counts as one.
    pub totals: Totals,
    /// How long each of its tests took.
    pub took: Vec<Took>,
    /// How long it took.
    pub time: Time,
}

/// Runs a step; its output goes to `out`. `target`: where its files go.
pub fn run_step(step: Step, target: &Path, out: &Out) -> Outcome {
    let name = step.name;
    out.line(&format!("\n── {name}{}", free(target)));
    let started = Instant::now();
    let mut outcome =
        Outcome { name, good: true, totals: Totals::default(), took: Vec::new(), time: Time::default() };
    for mut command in step.commands {
        let failed_before = outcome.totals.failed;
        let (ended_well, warned) = stream(&mut command, out, &mut outcome);
        // Where tests are run, the same warnings come once more.
        let succeeded = ended_well && (step.tests || !warned);
        // A failure that no test was counted for: the step itself is the failure.
        if !succeeded && outcome.totals.failed == failed_before {
            outcome.totals.failed += 1;
        }
        if !succeeded {
            out.line(&format!("{name}: failed: {command:?}"));
        }
        outcome.good &= succeeded;
    }
    if step.tests && outcome.totals == Totals::default() {
        out.line(&format!("{name}: failed: no test was run"));
        outcome.totals.failed += 1;
        outcome.good = false;
    }
    outcome.time.wall = started.elapsed();
    out.line(&outcome.to_string());
    outcome
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { name, good, time, .. } = self;
        write!(f, "── {name}: {} in {time}", if *good { "ok" } else { "FAILED" })
    }
}

/// Runs a command, passes its output on line by line, and reads the counts and times in it. Returns whether it
/// succeeded, and whether it warned.
fn stream(command: &mut Command, out: &Out, outcome: &mut Outcome) -> (bool, bool) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end_with_this(command);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => {
            out.line(&format!("{command:?} could not be started: {e}"));
            return (false, false);
        }
    };
    let (sender, lines) = mpsc::channel();
    let pipes = [
        child.stdout.take().map(|p| Box::new(p) as Box<dyn Read + Send>),
        child.stderr.take().map(|p| Box::new(p) as Box<dyn Read + Send>),
    ];
    for pipe in pipes.into_iter().flatten() {
        let sender = sender.clone();
        thread::spawn(move || {
            let mut reader = BufReader::new(pipe);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
                line.clear();
            }
        });
    }
    drop(sender);
    let mut warned = false;
    for line in lines {
        warned |= warns(&line);
        outcome.totals.read(line.trim_end());
        let took = times::read(&line);
        outcome.took.extend(took.map(|(test, wall)| Took {
            step: outcome.name.to_owned(),
            test,
            wall,
            cpu: None,
        }));
        out.write(line.as_bytes());
    }
    let succeeded = usage::wait(child).is_ok_and(|(status, cpu)| {
        outcome.time.cpu += cpu;
        status.success()
    });
    (succeeded, warned)
}

/// Is this how cargo closes the warnings about a crate? Those about crates from elsewhere are not shown.
fn warns(line: &str) -> bool {
    let plain = without_colours(line);
    let crate_and_count = plain.strip_prefix("warning: `").and_then(|rest| rest.split_once(") generated "));
    crate_and_count.is_some_and(|(_, count)| count.contains(" warning"))
}

/// The space that is left for files: a disk that is full fails tests for reasons that have nothing to do with them,
/// and whoever reads the failures is to see it. All steps together fill some ten gigabytes.
fn free(target: &Path) -> String {
    let Some(there) = target.ancestors().find(|a| a.is_dir()) else { return String::new() };
    let Ok(path) = CString::new(there.as_os_str().as_bytes()) else { return String::new() };
    let mut disk = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path ends with a zero, and a call that succeeds has filled in the structure.
    let disk = unsafe {
        if libc::statvfs(path.as_ptr(), disk.as_mut_ptr()) != 0 {
            return String::new();
        }
        disk.assume_init()
    };
    let gigabytes = disk.f_bavail as f64 * disk.f_frsize as f64 / 1e9;
    format!(" ({gigabytes:.1} GB free{})", if gigabytes < 2.0 { ": TOO LITTLE, expect failures" } else { "" })
}

/// A step ends when this program does, however that ends. The signal is that of the thread which starts
/// the step, and that thread waits for it.
fn end_with_this(command: &mut Command) {
    // SAFETY: prctl is a plain system call; it neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(script: &str, tests: bool) -> Step {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Step { name: "a step", commands: vec![command], tests, beside: None }
    }

    /// Runs a script as a step: whether it was good, and how many failures it counts as.
    fn run(script: &str, tests: bool) -> (bool, u64) {
        let outcome = run_step(step(script, tests), Path::new("/"), &Out::kept());
        (outcome.good, outcome.totals.failed)
    }

    #[test]
    fn a_step_fails_by_its_status_its_tests_a_warning_or_without_tests() {
        assert_eq!(run("echo 'test result: ok. 3 passed; 0 failed'", true), (true, 0));
        assert_eq!(run("echo 'test result: FAILED. 1 passed; 2 failed'; exit 1", true), (false, 2));
        assert_eq!(run("exit 1", false), (false, 1));
        assert_eq!(run("kill -9 $$", false), (false, 1));
        assert_eq!(run("true", true), (false, 1));
        assert_eq!(run("true", false), (true, 0));
        assert_eq!(
            run("echo 'warning: `raddle` (bin \"raddle\" test) generated 1 warning' >&2", false),
            (false, 1)
        );
        assert_eq!(run("echo 'warning: `x` (lib) generated 12 warnings (3 duplicates)'", false), (false, 1));
        assert_eq!(run("echo 'warning: the lock file is old'", false), (true, 0));
        let warned =
            "echo 'warning: `x` (lib) generated 1 warning'; echo 'test result: ok. 3 passed; 0 failed'";
        assert_eq!(run(warned, true), (true, 0));
    }
}
