//! `raddle cc` and `raddle-cc`: a C compiler for builds, `make CC='raddle cc'`.

use super::status;
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::target::compiler::Compiler;
use raddle_instrumenter::c::driver;
use std::ffi::OsString;

/// Carries out one command line of the compiler.
pub fn run(args: &[OsString]) -> Result<u8> {
    let cache = Cache::locate()?;
    let compiler = Compiler::find()?;
    let runtime = cache.runtime()?;
    let aside = cache.aside("cc")?;
    let plan = driver::plan(compiler.family, &runtime.kit(), args, aside.path()).map_err(|e| {
        Error::new("raddle cc cannot build this").because(e).next("link dynamically, without that option")
    })?;
    for command in &plan.commands {
        let status = compiler.command().args(command).status();
        let status = status.map_err(|e| compiler.error(&e))?;
        if !status.success() {
            // The compiler has said why. Its status is the build's to read.
            return Ok(status.code().map_or(status::ERROR, |c| c as u8));
        }
    }
    Ok(status::PASSED)
}
