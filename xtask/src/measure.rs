//! `xtask measure FILE PROGRAM ARGUMENTS...`: runs a test of nextest and notes its processor time in the file. The step
//! `tests` names it as the runner of all tests.

use crate::usage;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;

/// Runs the program, notes its time, and ends as it does.
pub fn run(file: &Path, program: &str, arguments: &[&str]) -> ExitCode {
    let child = Command::new(program).args(arguments).spawn();
    match child.and_then(usage::wait) {
        Ok((status, cpu)) => {
            note(file, cpu);
            end_as(status)
        }
        Err(e) => {
            eprintln!("{program} could not be run: {e}");
            ExitCode::from(2)
        }
    }
}

/// Adds a line for the test that nextest names. Nothing is noted where it only asks for a list.
fn note(file: &Path, cpu: Duration) {
    let name = |variable: &str| std::env::var(variable).ok();
    let (Some(binary), Some(test)) = (name("NEXTEST_BINARY_ID"), name("NEXTEST_TEST_NAME")) else { return };
    let line = format!("{:.3}\t{binary} {test}\n", cpu.as_secs_f64());
    // One write, since tests that run at the same time add to the same file.
    let written = OpenOptions::new().append(true).create(true).open(file);
    if let Err(e) = written.and_then(|mut file| file.write_all(line.as_bytes())) {
        eprintln!("{}: {e}", file.display());
    }
}

fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        // SAFETY: both calls take plain numbers; a signal that ends this program is what is asked for.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    ExitCode::from(u8::try_from(status.code().unwrap_or(2)).unwrap_or(2))
}

/// The processor time of each test in a file of notes. A test that ran twice has both.
pub fn read(file: &Path) -> HashMap<String, Duration> {
    let mut all = HashMap::new();
    for line in std::fs::read_to_string(file).unwrap_or_default().lines() {
        let Some((seconds, test)) = line.split_once('\t') else { continue };
        let cpu = seconds.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
        *all.entry(test.to_owned()).or_default() += cpu.unwrap_or_default();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_and_broken_lines_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes");
        std::fs::write(&file, "1.500\ta::all x\nno note\n0.500\ta::all x\n2.000\tb y::z\n").unwrap();
        let read = read(&file);
        assert_eq!(read.len(), 2);
        assert_eq!(read["a::all x"], Duration::from_secs(2));
        assert_eq!(read["b y::z"], Duration::from_secs(2));
    }
}
