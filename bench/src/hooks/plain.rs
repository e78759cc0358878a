//! A program without Raddle: its run time, and its object linked to be explored without hooks.

use super::Program;
use crate::raddle::binary;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The level that Raddle compiles with where none is asked for.
pub const LEVEL: &str = "-O0";
/// Processes that are started, of which the first ones are not counted.
const PROCESSES: usize = 301;
const WARM: usize = 20;

/// Calls `main` of a program again and again, and prints the medians of its time and of that of as many
/// threads with nothing to do, in nanoseconds.
const LOOP: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM = 200, CALLS = 2001 };

static long times[CALLS];

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int later(const void *a, const void *b)
{
    long left = *(const long *)a, right = *(const long *)b;
    return (left > right) - (left < right);
}

static void *nothing(void *unused)
{
    return unused;
}

static void threads_alone(void)
{
    run_all(THREADS, nothing);
}

static void program(void)
{
    body();
}

static long median(void (*what)(void))
{
    for (int i = 0; i < WARM + CALLS; i++) {
        long before = now();
        what();
        if (i >= WARM)
            times[i - WARM] = now() - before;
        AGAIN;
    }
    qsort(times, CALLS, sizeof times[0], later);
    return times[CALLS / 2];
}

int main(void)
{
    long whole = median(program);
    printf("%ld %ld\n", whole, median(threads_alone));
    return 0;
}
"#;

/// One row of the table.
pub fn measure(program: &Program, folder: &Path) -> Result<String, String> {
    let plain = folder.join("plain");
    cc(program, &program.source(), &[], &plain)?;
    let source = folder.join("loop.c");
    let text = format!(
        "#define AGAIN {}\n#define THREADS {}\n#define main body\n#include \"{}\"\n#undef main\n{LOOP}",
        program.again,
        program.threads,
        program.source().display()
    );
    std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
    let looping = folder.join("looping");
    cc(program, &source, &[], &looping)?;
    let process = processes(&plain)?;
    let (body, threads) = calls(&looping)?;
    Ok(format!("| {} | {process:.0} | {body:.1} | {threads:.1} |", program.name))
}

/// The program's object by the plain compiler, linked with Raddle's runtime.
pub fn link(program: &Program, folder: &Path) -> Result<PathBuf, String> {
    let object = folder.join("plain.o");
    cc(program, &program.source(), &["-g", "-c"], &object)?;
    let linked = folder.join(program.name.replace(' ', "_"));
    let mut command = Command::new(binary()?);
    command.arg("cc").arg(&object).arg("-o").arg(&linked);
    done(&mut command)?;
    Ok(linked)
}

fn cc(program: &Program, source: &Path, more: &[&str], out: &Path) -> Result<(), String> {
    let mut command = Command::new("cc");
    command.args([LEVEL, "-pthread"]).args(program.flags).args(more).arg(source).arg("-o").arg(out);
    done(&mut command)
}

fn done(command: &mut Command) -> Result<(), String> {
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(e) => Err(format!("{command:?}: {e}")),
    }
}

/// Median of the time of a process from its start to its end, in µs.
fn processes(program: &Path) -> Result<f64, String> {
    let mut times = Vec::new();
    for i in 0..WARM + PROCESSES {
        let started = Instant::now();
        done(&mut Command::new(program))?;
        if i >= WARM {
            times.push(started.elapsed());
        }
    }
    times.sort();
    Ok(times[PROCESSES / 2].as_secs_f64() * 1e6)
}

/// What the loop in one process says, in µs.
fn calls(program: &Path) -> Result<(f64, f64), String> {
    let output = Command::new(program).stdin(Stdio::null()).output();
    let output = output.map_err(|e| format!("{}: {e}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    match numbers[..] {
        [body, threads] if output.status.success() => Ok((body / 1e3, threads / 1e3)),
        _ => Err(format!("{} ended with {}: {text}", program.display(), output.status)),
    }
}
