//! The C and C++ compilers of this machine, and compilations with edited sources.

use super::linked;
use crate::assembler;
use crate::error::{Error, Result};
use crate::shell::words;
use raddle_instrumenter::c::Language;
use raddle_instrumenter::c::driver::{Family, Kit, Plan, Run, Tool};
use raddle_instrumenter::c::edit::{self, Edited};
use raddle_instrumenter::edits::Columns;
use raddle_instrumenter::instrument::{Compiled, Record, Statements, Store};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Output};

/// Ways in which a text was compiled that are asked what its macros are; with more of them nobody is.
pub const MOST_WAYS: usize = 6;

/// A compiler that was found to run.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The program and arguments that always come first.
    pub words: Vec<OsString>,
    /// What it says about itself.
    pub version: String,
    /// Gcc or clang, of C or of C++.
    pub tool: Tool,
}

impl Compiler {
    /// `$CC`, or the first there is of cc, gcc and clang; for C++ `$CXX`, c++, g++, clang++.
    pub fn find(language: Language) -> Result<Compiler> {
        let (variable, what, names, packages) = match language {
            Language::C => ("CC", "C", ["cc", "gcc", "clang"], "gcc libc6-dev"),
            Language::Cpp => ("CXX", "C++", ["c++", "g++", "clang++"], "g++"),
        };
        let value = std::env::var(variable).unwrap_or_default();
        let named = words(variable, &value)?;
        // `CC='raddle cc' make` exports it to us as well.
        if named.first().is_some_and(|program| !is_own(program)) {
            return Compiler::run(named, language).map_err(|e| {
                Error::new(format!("the {what} compiler `{value}` cannot be run"))
                    .because(e)
                    .next(format!("{variable} names it: correct or unset the variable"))
            });
        }
        let found = names.iter().find_map(|name| Compiler::run(vec![name.into()], language).ok());
        found.ok_or_else(|| {
            let [a, b, c] = names;
            Error::new(format!("no {what} compiler"))
                .because(format!("{variable} is not set, and none of {a}, {b} and {c} is on the PATH"))
                .next(format!("install one (Debian: apt-get install {packages}), or set {variable}"))
        })
    }

    fn run(words: Vec<OsString>, language: Language) -> io::Result<Compiler> {
        let output = command(&words).arg("--version").output()?;
        if !output.status.success() {
            return Err(io::Error::other(format!("its --version ended with {}", output.status)));
        }
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        let tool = Tool { family: Family::from_version(&version), cpp: language == Language::Cpp };
        Ok(Compiler { words, version, tool })
    }

    /// A command that runs it.
    pub fn command(&self) -> Command {
        let mut command = command(&self.words);
        // What it makes is for its own assembler, inside of it: see `crate::assembler`.
        if self.tool.family == Family::Clang {
            command.env(assembler::CLANG, &self.words[0]);
        }
        command
    }

    /// A command that runs it as it is, for a file of ours.
    pub fn plain(&self) -> Command {
        command(&self.words)
    }

    /// It was there a moment ago and cannot be started now.
    pub fn error(&self, e: &io::Error) -> Error {
        Error::new(format!("cannot run the compiler {}", self.words[0].display())).because(e)
    }
}

fn command(words: &[OsString]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// What of a run of the compiler the user sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Everything.
    All,
    /// What it says, without its standard output, which is given back.
    Messages,
    /// Nothing: both are given back.
    Nothing,
}

/// Starts the compiler where what it says is the user's to read.
pub type Start<'a> = &'a mut dyn FnMut(&mut Command, Shown) -> Result<Output>;

/// The runs of one command line.
pub struct Job<'a> {
    /// The compiler.
    pub compiler: &'a Compiler,
    /// The runtime.
    pub kit: &'a Kit,
    /// Where points before statements go.
    pub statements: &'a Statements,
    /// Where the records of what was inserted go.
    pub store: &'a Store,
    /// A folder for what lies in between.
    pub scratch: &'a Path,
    /// Is it said here which files were left alone? Otherwise the records tell the caller.
    pub warns: bool,
}

impl<'a> Job<'a> {
    /// Carries out a plan, up to the first run that fails; the status of the last one.
    pub fn carry_out(&self, plan: &Plan, start: Start) -> Result<ExitStatus> {
        let mut status = ExitStatus::default();
        for run in &plan.runs {
            status = self.run(run, start)?;
            if !status.success() {
                break;
            }
        }
        Ok(status)
    }

    fn run(&self, run: &Run, start: Start) -> Result<ExitStatus> {
        if run.links {
            return Ok(linked::carry_out(self, run, start)?.status);
        }
        let mut original = self.compiler.command();
        original.args(&run.args);
        let folder = self.scratch.join("edited");
        let prepared = match run.source.map(|_| std::fs::create_dir(&folder)) {
            Some(Ok(())) => Edited::new(run, self.kit, self.statements, &folder),
            _ => None,
        };
        let status = match prepared {
            None => start(&mut original, Shown::All).map(|o| o.status),
            Some(Err(record)) => {
                self.keep(run, &record);
                start(&mut original, Shown::All).map(|o| o.status)
            }
            Some(Ok(edited)) => self.edited(run, &edited, &mut original, &folder, start),
        };
        let _ = std::fs::remove_dir_all(&folder);
        status
    }

    /// Compiles the edited source, or else the original one. All messages are about the latter.
    fn edited(
        &self,
        run: &Run,
        edited: &Edited,
        original: &mut Command,
        folder: &Path,
        start: Start,
    ) -> Result<ExitStatus> {
        let mut command = self.compiler.command();
        command.args(&edited.args).env("LC_ALL", "C");
        let output = command.output().map_err(|e| self.compiler.error(&e))?;
        if output.status.success() {
            let finished = edited.finish();
            finished.map_err(|e| Error::new("cannot write the file of dependencies").because(e))?;
            self.keep(run, &edited.record);
            self.keep_presumed(&edited.presumed);
            if !output.stderr.is_empty() {
                start(self.compiler.command().args(edit::messages_only(run, folder)), Shown::All)?;
            }
            return Ok(output.status);
        }
        let status = start(original, Shown::All)?.status;
        if status.success() {
            let reason = edited.first_error(&output.stderr);
            let file = &edited.record.file;
            let name = run.source.map(|(at, _)| Path::new(&run.args[at])).unwrap_or(file);
            if self.warns {
                eprintln!("raddle: warning: {} has no markers: {reason}", name.display());
            }
            self.keep(run, &edited.untouched(&reason));
            let unshifted = |r: &Record| Record { columns: Columns::default(), ..r.clone() };
            self.keep_presumed(&edited.presumed.iter().map(unshifted).collect::<Vec<_>>());
        }
        Ok(status)
    }

    /// A build does not fail because the cache cannot be written.
    fn keep(&self, run: &Run, record: &Record) {
        let mut record = record.clone();
        // One text may have been compiled in several ways, for several programs that are there still.
        let before = self.store.of(&record.file, &record.digest).map(|r| r.compiled);
        record.compiled = before.unwrap_or_default();
        if record.compiled.len() <= MOST_WAYS {
            record.compiled.extend(self.compiled(run).filter(|way| !record.compiled.contains(way)));
        }
        let _ = self.store.put(&record);
    }

    fn compiled(&self, run: &Run) -> Option<Compiled> {
        let words = self.compiler.words.iter().map(|word| Some(word.to_str()?.to_string()));
        let words = words.chain(edit::options(run)?.into_iter().map(Some));
        Some(Compiled { words: words.collect::<Option<_>>()?, folder: std::env::current_dir().ok()? })
    }

    fn keep_presumed(&self, records: &[Record]) {
        for record in records {
            let _ = self.store.put_presumed(record);
        }
    }
}

/// Is this program Raddle itself, by its name or as a link that has another one?
fn is_own(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().and_then(OsStr::to_str);
    let itself = || {
        Some(std::env::current_exe().ok()?.canonicalize().ok()? == Path::new(program).canonicalize().ok()?)
    };
    matches!(name, Some("raddle" | "raddle-cc" | "raddle-c++")) || itself() == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A compiler that is Raddle would ask itself for its version, and so on for ever.
    #[test]
    fn raddle_is_known_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("cc");
        std::os::unix::fs::symlink(std::env::current_exe().unwrap(), &link).unwrap();
        assert!(is_own(link.as_os_str()) && is_own("/x/raddle-cc".as_ref()) && is_own("raddle".as_ref()));
        assert!(!is_own("gcc".as_ref()) && !is_own("/bin/sh".as_ref()));
    }
}
