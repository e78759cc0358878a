//! Starting other programs: with a time limit, their output kept, and free of what cargo has set
//! for this one.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How a program ended and what it said.
#[derive(Debug)]
pub struct Said {
    /// How it ended.
    pub end: End,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It was ended at its time limit.
    Late,
}

impl Said {
    /// Did it end well?
    pub fn good(&self) -> bool {
        self.end == End::Exit(0)
    }

    /// The last lines of what it said, for a message.
    pub fn tail(&self) -> String {
        let text =
            format!("{}{}", String::from_utf8_lossy(&self.stdout), String::from_utf8_lossy(&self.stderr));
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(25)..].join("\n")
    }
}

/// A program that will be started in this folder.
pub fn command(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    const OURS: [&str; 6] =
        ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_", "NEXTEST"];
    let mut command = Command::new(program);
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        // make's own variables: the builds below are no part of a make that started this.
        if OURS.iter().any(|o| text.starts_with(o)) || text.starts_with("MAKE") || text == "RUST_BACKTRACE" {
            command.env_remove(name);
        }
    }
    command
}

/// Runs it to its end, at most this long; what it started is ended with it.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Said> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let group = child.id() as libc::pid_t;
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || {
        let _ = sender.send(child.wait());
    });
    let status = match ended.recv_timeout(limit) {
        Ok(status) => Some(status?),
        Err(_) => {
            // SAFETY: kill has no preconditions; the group is that of a child which had not been
            // waited for when the limit passed.
            unsafe { libc::kill(-group, libc::SIGKILL) };
            let _ = ended.recv();
            None
        }
    };
    let end = match status {
        Some(s) => s.code().map_or_else(|| End::Signal(s.signal().unwrap_or(0)), End::Exit),
        None => End::Late,
    };
    Ok(Said { end, stdout: stdout.join().unwrap_or_default(), stderr: stderr.join().unwrap_or_default() })
}

fn drain<R: Read + Send + 'static>(pipe: Option<R>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Said {
        run(command("sh", Path::new("/")).args(["-c", script]), limit).unwrap()
    }

    #[test]
    fn ends_are_told_apart() {
        let long = Duration::from_secs(60);
        let said = shell("echo out; echo err >&2; exit 3", long);
        assert_eq!(
            (said.end, &said.stdout[..], &said.stderr[..]),
            (End::Exit(3), &b"out\n"[..], &b"err\n"[..])
        );
        assert_eq!(shell("kill -6 $$", long).end, End::Signal(6));
        // A grandchild that holds the pipes ends too.
        assert_eq!(shell("sleep 1000 & sleep 1000", Duration::from_millis(50)).end, End::Late);
    }
}
