//! What is looked at. Each check does what Raddle itself does, as far as that is quick.

use super::{Finding, Problem};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::exit_status;
use crate::runner;
use crate::target::compiler::Compiler;
use raddle_instrumenter::c::Language;
use raddle_instrumenter::rust::{toolchain::Toolchain, tools};
use std::path::Path;
use std::process::{Command, Stdio};

/// The oldest gdb whose messages the debug adapter reads.
const OLDEST_GDB: u32 = 13;

/// A program with a lost update, which one preemption shows.
const PROGRAM: &str = "#include <assert.h>\n#include <pthread.h>\nstatic _Atomic int n;\n\
    static void *add(void *arg) { int seen = n; n = seen + 1; return arg; }\n\
    int main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, add, 0);\n    \
    pthread_create(&b, 0, add, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    \
    assert(n == 2);\n    return 0;\n}\n";

type Found = std::result::Result<String, Problem>;

fn problem(what: impl Into<String>, next: impl Into<String>) -> Problem {
    Problem { what: what.into(), next: next.into() }
}

/// An error as a finding has it.
fn refused(e: &Error) -> Problem {
    let cause = e.cause.as_deref().and_then(|c| c.lines().next()).map(|c| format!(" ({c})"));
    problem(format!("{}{}", e.what, cause.unwrap_or_default()), e.next.clone().unwrap_or_default())
}

/// Everything, in the order in which a first exploration needs it.
pub fn all(folder: &Path) -> Result<Vec<Finding>> {
    let folder = folder.canonicalize().map_err(|e| {
        Error::file("find", folder, &e).next("name a folder that exists, or none for the current one")
    })?;
    let has_package = folder.join("Cargo.toml").is_file();
    let rust = Finding::new("Rust toolchain", "Rust tests", rust(&folder));
    let c = Finding::new("C compiler", "C tests; it also links Rust tests", compiler(Language::C));
    let c_works = c.state == super::State::Ok;
    let mut all = vec![
        Finding::new("cache folder", "builds and what was unpacked", cache()).required(),
        c.required(),
        Finding::new("C++ compiler", "C++ tests", compiler(Language::Cpp)),
        Finding::new(
            "clang",
            "a second compiler: CC=clang raddle explore queue.c (CXX=clang++ for C++)",
            version("clang", "--version", "clang"),
        ),
        if has_package { rust.required() } else { rust },
        Finding::new("ar", "C projects of several sources", version("ar", "--version", "binutils")),
    ];
    if c_works {
        all.push(Finding::new("exploring", "everything: a small program is explored", explored()).required());
    }
    all.extend([
        Finding::new(
            "fixed addresses",
            "replays of programs that depend on where their memory lies",
            randomisation(),
        ),
        Finding::new("gdb", "the debugger (raddle dap, Debug in the editor)", gdb()),
        Finding::new("ptrace", "the debugger, which attaches to the test", ptrace()),
        Finding::new("window", "raddle gui", window()),
    ]);
    Ok(all)
}

fn cache() -> Found {
    let cache = Cache::locate().map_err(|e| refused(&e))?;
    cache
        .unnamed()
        .map_err(|e| problem(refused(&e).what, "free some space, or name another folder in RADDLE_CACHE"))?;
    Ok(cache.root().display().to_string())
}

fn compiler(language: Language) -> Found {
    let found = Compiler::find(language).map_err(|e| refused(&e))?;
    Ok(first_line(&found.version))
}

fn rust(folder: &Path) -> Found {
    let toolchain = Toolchain::find(folder).map_err(|e| {
        let text = e.to_string();
        problem(first_line(&text), "install one (https://rustup.rs), or `rustup update`")
    })?;
    let mut cargo = tools::command("cargo");
    cargo.arg("--version").current_dir(folder);
    let cargo = said(&mut cargo).ok_or_else(|| problem("cargo cannot be run", "install it beside rustc"))?;
    Ok(format!("rustc {}, {cargo}", toolchain.release))
}

fn version(program: &str, option: &str, package: &str) -> Found {
    said(Command::new(program).arg(option)).ok_or_else(|| {
        problem("it is not on PATH", format!("install it (Debian: apt-get install {package})"))
    })
}

/// The first line that a command prints; nothing where it cannot be run or fails.
fn said(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    Some(first_line(&String::from_utf8_lossy(&output.stdout)))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_string()
}

/// Explores a program as a person does.
fn explored() -> Found {
    let stuck =
        |what: String| problem(what, "`raddle explore` on a program of yours says the same at length");
    let unwritten = |e: std::io::Error| stuck(format!("no folder for a program: {e}"));
    let folder = tempfile::tempdir().map_err(unwritten)?;
    std::fs::write(folder.path().join("lost_update.c"), PROGRAM).map_err(unwritten)?;
    let own = std::env::current_exe().map_err(|e| stuck(format!("cannot find raddle itself: {e}")))?;
    let words = ["explore", "lost_update.c", "--bound", "preemptions=1", "--time", "20s"];
    let output = Command::new(own).args(words).current_dir(folder.path()).stdin(Stdio::null()).output();
    let output = output.map_err(|e| stuck(format!("cannot start raddle: {e}")))?;
    if output.status.code() == Some(i32::from(exit_status::FAILED)) {
        return Ok("it found the lost update".into());
    }
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let line = said.lines().find(|l| l.starts_with("error")).map(first_line);
    Err(stuck(line.unwrap_or_else(|| format!("raddle ended with {}", output.status))))
}

fn randomisation() -> Found {
    match runner::randomisation_can_be_switched_off() {
        true => Ok("address randomisation can be switched off".into()),
        false => Err(problem(
            "address randomisation cannot be switched off",
            "allow the system call `personality` (docker: --security-opt seccomp=unconfined)",
        )),
    }
}

fn gdb() -> Found {
    let found = version("gdb", "--version", "gdb")?;
    let number =
        found.split_whitespace().filter_map(|word| word.split('.').next()?.parse::<u32>().ok()).next_back();
    match number {
        Some(n) if n < OLDEST_GDB => {
            Err(problem(format!("{found} is too old"), format!("install gdb {OLDEST_GDB} or newer")))
        }
        _ => Ok(found),
    }
}

/// gdb attaches to a process that names it as its tracer, which Yama allows at level 1.
fn ptrace() -> Found {
    let level = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    allowed(level.trim(), has_ptrace_capability())
}

fn allowed(level: &str, is_capable: bool) -> Found {
    match (level, is_capable) {
        ("3", _) => Err(problem(
            "kernel.yama.ptrace_scope is 3: nothing may be attached to",
            "set kernel.yama.ptrace_scope to 1 in /etc/sysctl.d and restart the machine",
        )),
        ("2", false) => Err(problem(
            "kernel.yama.ptrace_scope is 2: only root may attach",
            "sudo sysctl kernel.yama.ptrace_scope=1",
        )),
        ("", _) => Ok("this kernel has no kernel.yama.ptrace_scope".into()),
        _ => Ok(format!("kernel.yama.ptrace_scope is {level}")),
    }
}

fn has_ptrace_capability() -> bool {
    const CAP_SYS_PTRACE: u32 = 19;
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = text.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let bits = effective.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
    bits.is_some_and(|bits| bits >> CAP_SYS_PTRACE & 1 == 1)
}

fn window() -> Found {
    crate::cli::gui::usable().map_err(|e| refused(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_ptrace() {
        assert!(allowed("", false).is_ok() && allowed("1", false).is_ok() && allowed("2", true).is_ok());
        assert!(allowed("2", false).unwrap_err().next.contains("ptrace_scope=1"));
        assert!(allowed("3", true).is_err());
    }

    #[test]
    fn a_program_that_is_not_there_says_how_to_install_it() {
        let e = version("no-such-program-of-raddle", "--version", "nothing").unwrap_err();
        assert_eq!(
            (e.what.as_str(), e.next.as_str()),
            ("it is not on PATH", "install it (Debian: apt-get install nothing)")
        );
    }
}
