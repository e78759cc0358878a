//! `raddle cc` and `raddle-cc`, a C compiler for builds: `make CC='raddle cc'`; `raddle c++` and
//! `raddle-c++` the same for C++.

use super::status;
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::target::compiler::{Compiler, Job, Shown};
use raddle_instrumenter::c::{Language, driver, edit};
use std::ffi::OsString;
use std::process::Stdio;

/// Carries out one command line of the compiler.
pub fn run(language: Language, args: &[OsString]) -> Result<u8> {
    let cache = Cache::locate()?;
    let compiler = Compiler::find(language)?;
    let kit = cache.runtime()?.kit();
    let aside = cache.aside("cc")?;
    let plan = driver::plan(compiler.tool, &kit, args, aside.path()).map_err(|e| {
        let what = if language == Language::C { "raddle cc" } else { "raddle c++" };
        Error::new(format!("{what} cannot build this"))
            .because(e)
            .next("link dynamically, without that option")
    })?;
    let store = edit::store(cache.root(), &plan.statements);
    let job = Job {
        compiler: &compiler,
        kit: &kit,
        statements: &plan.statements,
        store: &store,
        scratch: aside.path(),
        warns: true,
    };
    let status = job.carry_out(&plan, &mut |command, shown| {
        let stream = |is_shown: bool| if is_shown { Stdio::inherit() } else { Stdio::piped() };
        command.stdin(Stdio::inherit()).stdout(stream(shown == Shown::All));
        command.stderr(stream(shown != Shown::Nothing));
        command.output().map_err(|e| compiler.error(&e))
    })?;
    if status.success() {
        return Ok(status::PASSED);
    }
    // The compiler has said why. Its status is the build's to read.
    Ok(status.code().map_or(status::ERROR, |c| c as u8))
}
