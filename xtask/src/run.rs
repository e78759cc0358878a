//! Running a step of `cargo xtask test`: its output is passed on, and its tests are counted.

use crate::totals::Totals;
use std::ffi::CString;
use std::io::{BufRead, BufReader, Read, Write};
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
}

/// Runs a step; true if everything in it succeeded. `target`: where its files go.
pub fn run_step(step: Step, target: &Path, totals: &mut Totals) -> bool {
    let name = step.name;
    println!("\n── {name}{}", free(target));
    let started = Instant::now();
    let before = *totals;
    let mut good = true;
    for mut command in step.commands {
        let failed_before = totals.failed;
        let succeeded = stream(&mut command, totals);
        // A failure that no test was counted for: the step itself is the failure.
        if !succeeded && totals.failed == failed_before {
            totals.failed += 1;
        }
        if !succeeded {
            println!("{name}: failed: {command:?}");
        }
        good &= succeeded;
    }
    if step.tests && *totals == before {
        println!("{name}: failed: no test was run");
        totals.failed += 1;
        good = false;
    }
    println!("── {name}: {} in {:.1} s", if good { "ok" } else { "FAILED" }, started.elapsed().as_secs_f64());
    good
}

/// Runs a command, passes its output on line by line, and reads the counts in it.
fn stream(command: &mut Command, totals: &mut Totals) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end_with_this(command);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => {
            println!("{command:?} could not be started: {e}");
            return false;
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
    let mut out = std::io::stdout();
    for line in lines {
        totals.read(line.trim_end());
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }
    child.wait().is_ok_and(|s| s.success())
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
/// the step: the main one.
fn end_with_this(command: &mut Command) {
    // SAFETY: prctl is a plain system call; it neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
}
