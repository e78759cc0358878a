//! The C compiler of this machine.

use crate::cli::words;
use crate::error::{Error, Result};
use raddle_instrumenter::c::driver::Family;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::Command;

/// A compiler that was found to run.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The program and arguments that always come first.
    pub words: Vec<OsString>,
    /// What it says about itself.
    pub version: String,
    /// Gcc or clang.
    pub family: Family,
}

impl Compiler {
    /// `$CC`, or the first there is of cc, gcc and clang.
    pub fn find() -> Result<Compiler> {
        let cc = std::env::var("CC").unwrap_or_default();
        let named = words("CC", &cc)?;
        // `CC='raddle cc' make` exports it to us as well.
        let own = |w: &OsString| {
            let name = Path::new(w).file_name().and_then(OsStr::to_str);
            matches!(name, Some("raddle" | "raddle-cc"))
        };
        if !named.is_empty() && !named.iter().take(1).any(own) {
            return Compiler::run(named).map_err(|e| {
                Error::new(format!("the C compiler `{cc}` cannot be run"))
                    .because(e)
                    .next("CC names it: correct or unset the variable")
            });
        }
        ["cc", "gcc", "clang"].iter().find_map(|name| Compiler::run(vec![name.into()]).ok()).ok_or_else(
            || {
                Error::new("no C compiler")
                    .because("CC is not set, and none of cc, gcc and clang is on the PATH")
                    .next("install one (Debian: apt-get install gcc libc6-dev), or set CC")
            },
        )
    }

    fn run(words: Vec<OsString>) -> io::Result<Compiler> {
        let output = command(&words).arg("--version").output()?;
        if !output.status.success() {
            return Err(io::Error::other(format!("its --version ended with {}", output.status)));
        }
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        let family = Family::from_version(&version);
        Ok(Compiler { words, version, family })
    }

    /// A command that runs it.
    pub fn command(&self) -> Command {
        command(&self.words)
    }

    /// It was there a moment ago and cannot be started now.
    pub fn error(&self, e: &io::Error) -> Error {
        Error::new(format!("cannot run the C compiler {}", self.words[0].display())).because(e)
    }
}

fn command(words: &[OsString]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}
