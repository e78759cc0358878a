//! The tests in a built program, asked of the program itself.

use super::error::BuildError;
use super::messages::Program;
use super::remembered::Memory;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A test as its program knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTest {
    /// As libtest prints it.
    pub name: String,
    /// Where it is written.
    pub file: PathBuf,
    /// Line of its name, from 1.
    pub line: u32,
    /// Marked `#[ignore]`.
    pub ignore: bool,
    /// Marked `#[should_panic]`.
    pub should_panic: bool,
}

/// These bytes are in every program that has our harness.
const MARK: &[u8] = b"raddle-test-harness-v1\0\0";

/// The tests of a program in source order, or `None` for one with a `main` of its own
/// (`harness = false`), which is a test as a whole. What it said is kept in the cache folder.
pub fn list(program: &Program, cache: &Path) -> Result<Option<Vec<ListedTest>>, BuildError> {
    let file = &program.executable;
    let said = Memory::of(cache).ask(&format!("tests of {}", file.display()), || {
        Ok((ask(program)?.unwrap_or_else(|| ITSELF.into()), vec![file.clone()]))
    })?;
    if said == ITSELF {
        return Ok(None);
    }
    // A constructor of the program may print too; what is not one of our objects is skipped.
    let tests = said.lines().filter_map(|line| test(&serde_json::from_str(line).ok()?, program));
    let mut tests: Vec<_> = tests.collect();
    tests.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    Ok(Some(tests))
}

/// In the place of a list, of a program without our harness.
const ITSELF: &str = "itself";

fn ask(program: &Program) -> Result<Option<String>, BuildError> {
    let path = &program.executable;
    let failed = |cause: String| {
        let what = format!("cannot list the tests of {}", path.display());
        BuildError::new(what, cause, "`raddle clean` makes the next build a fresh one")
    };
    let bytes = fs::read(path).map_err(|e| failed(e.to_string()))?;
    if memchr::memmem::find(&bytes, MARK).is_none() {
        return Ok(None);
    }
    let mut command = Command::new(path);
    command.env("RADDLE_LIST", "1").env_remove("RADDLE_CHANNEL").envs(program.env.iter().cloned());
    command.current_dir(&program.root).stdin(Stdio::null());
    let output = command.output().map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        return Err(failed(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))));
    }
    Ok(Some(String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn test(value: &Value, program: &Program) -> Option<ListedTest> {
    Some(ListedTest {
        name: value["name"].as_str()?.to_owned(),
        file: program.workspace.join(value["file"].as_str()?),
        line: u32::try_from(value["line"].as_u64()?).ok()?,
        ignore: value["ignore"].as_bool()?,
        should_panic: value["should_panic"].as_bool()?,
    })
}
