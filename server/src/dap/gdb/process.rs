//! gdb as a process: how it is started so that nothing of the workspace is obeyed, and commands.
//!
//! gdb attaches to a runner that was started as every other runner is (`runner/process.rs`). Run
//! by gdb itself it would get other addresses: gdb starts a shell, puts LINES and COLUMNS into the
//! environment, and passes its own descriptors on, and what lies on the stack moves.

use super::mi::{self, Fields, Kind, Record};
use crate::dap::inbox::{Inbox, Incoming};
use crate::parent_death::die_with;
use raddle_instrumenter::rust::tools;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::Sender;

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum GdbError {
    /// gdb refused it.
    #[error("{0}")]
    Refused(String),
    /// gdb is not there any more.
    #[error("gdb has ended")]
    Gone,
}

/// A running gdb. Killed when dropped, and by the kernel when the thread that started it ends.
pub struct Gdb {
    child: Child,
    input: ChildStdin,
    token: u64,
}

/// Set before anything is read: nobody's start files, scripts of the toolchain and of the system
/// only, nothing from the network.
const SETTINGS: [&str; 10] = [
    "set auto-load local-gdbinit off",
    "set debuginfod enabled off",
    "set confirm off",
    "set pagination off",
    "set width 0",
    "set print thread-events off",
    "set may-call-functions off",
    "set print elements 200",
    "set print entry-values if-needed",
    "set startup-with-shell off",
];

impl Gdb {
    /// Starts it; what it says goes to `out`.
    pub fn start(out: Sender<Incoming>) -> std::io::Result<Gdb> {
        let scripts = toolchain_scripts();
        let mut command = Command::new("gdb");
        command.args(["--interpreter=mi3", "-q", "-nx"]);
        let mut safe = String::from("/usr/share/gdb");
        if let Some(scripts) = &scripts {
            command.arg("-d").arg(scripts);
            safe = format!("{}:{safe}", scripts.display());
        }
        for setting in [format!("set auto-load safe-path {safe}")].iter().map(String::as_str).chain(SETTINGS)
        {
            command.args(["-iex", setting]);
        }
        // Python looks for the printers there, and nowhere where somebody else put something.
        for variable in ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "GDBHISTFILE", "DEBUGINFOD_URLS"] {
            command.env_remove(variable);
        }
        if let Some(scripts) = &scripts {
            command.env("PYTHONPATH", scripts).env("PYTHONDONTWRITEBYTECODE", "1");
        }
        // Relative names are looked up where nobody else writes.
        command.current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let parent = std::process::id();
        // SAFETY: system calls only, in the forked child before exec.
        unsafe { command.pre_exec(move || die_with(parent)) };
        let mut child = command.spawn()?;
        let missing = || std::io::Error::other("gdb has no standard input or output");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        std::thread::Builder::new().spawn(move || read(output, &out))?;
        Ok(Gdb { child, input, token: 0 })
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Carries a command out; what it answers. News that come meanwhile are kept in the inbox.
    pub fn command(&mut self, inbox: &mut Inbox, command: &str) -> Result<Fields, GdbError> {
        self.token += 1;
        log(&format!("> {command}"));
        writeln!(self.input, "{}{command}", self.token).map_err(|_| GdbError::Gone)?;
        let mut kept = Vec::new();
        let answer = loop {
            match inbox.gdb() {
                Incoming::Gdb(record) if record.token == Some(self.token) && record.kind == Kind::Result => {
                    break Ok(record);
                }
                Incoming::Gdb(record) => kept.push(record),
                _ => break Err(GdbError::Gone),
            }
        };
        kept.into_iter().for_each(|record| inbox.keep(record));
        match answer? {
            Record { class, fields, .. } if class == "error" => {
                Err(GdbError::Refused(fields.text("msg").to_string()))
            }
            record => Ok(record.fields),
        }
    }
}

impl Drop for Gdb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(mut output: impl BufRead, out: &Sender<Incoming>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let Some(record) = mi::parse(&line).filter(|r| r.kind != Kind::Stream) else { continue };
        log(String::from_utf8_lossy(&line).trim_end());
        if out.send(Incoming::Gdb(record)).is_err() {
            return;
        }
    }
    // Whoever is not there any more needs not be told.
    let _ = out.send(Incoming::GdbGone);
}

/// To standard error, where `RADDLE_LOG=gdb` asks for it.
fn log(text: &str) {
    if std::env::var_os("RADDLE_LOG").is_some_and(|what| what == "gdb") {
        eprintln!("gdb: {text}");
    }
}

/// Where the Rust toolchain keeps the printers for its types. Asked from the root folder, since a
/// workspace may name a toolchain of its own.
fn toolchain_scripts() -> Option<PathBuf> {
    let output = tools::command("rustc")
        .args(["--print", "sysroot"])
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let scripts = PathBuf::from(sysroot.trim()).join("lib/rustlib/etc");
    scripts.is_dir().then_some(scripts)
}
