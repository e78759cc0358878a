//! Which crates a program is made of: each compilation notes the crates that it was given, by the names of their outputs, so
//! that what is said of a program is said by its own crates, whatever else was built before it.

use super::arguments::{codegen, values};
use super::watch::output;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// Before what a crate was given.
const USES: &str = "uses ";
/// Of a crate whose plain accesses are not watched since it is audited, with its package and version.
const AUDITED: &str = "audited ";
/// Of a crate without hooks that uses procedural macros: its name.
const BLIND: &str = "blind ";
/// Of a crate with hooks whose accesses the compiler may have merged or taken away: its level of optimisation.
const LEVEL: &str = "level ";

/// The crates of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// By the names of their outputs.
    pub outputs: BTreeSet<OsString>,
    /// Those that are audited and not watched, by package and version.
    pub audited: BTreeSet<String>,
    /// Those without hooks into which procedural macros may put unsafe code, by their names.
    pub blind: BTreeSet<String>,
    /// Levels above 0 at which crates with hooks were optimised, as in `opt-level`.
    pub levels: BTreeSet<String>,
}

fn notes(records: &Path) -> PathBuf {
    records.with_extension("parts")
}

/// Notes what the crate that is compiled with these arguments is made of. `audited` is its package if it is not watched
/// for that reason; `watched` says whether it has hooks.
pub(super) fn note(
    records: &Path,
    args: &[OsString],
    audited: Option<&str>,
    watched: bool,
) -> std::io::Result<()> {
    let Some(name) = output(args) else { return Ok(()) };
    let mut text = String::new();
    let given: Vec<&Path> = values(args, "--extern")
        .into_iter()
        .filter_map(|given| Some(Path::new(given.split_once('=')?.1)))
        .collect();
    for path in &given {
        if let Some(name) = path.file_stem().and_then(OsStr::to_str) {
            text += &format!("{USES}{name}\n");
        }
    }
    if let Some(package) = audited {
        text += &format!("{AUDITED}{package}\n");
    }
    let has_macros = given.iter().any(|path| path.extension().is_some_and(|e| e == "so"));
    if has_macros && !watched && audited.is_none() {
        let name = values(args, "--crate-name").pop().unwrap_or_default().to_string();
        text += &format!("{BLIND}{name}\n");
    }
    if let Some(level) = level(args).filter(|level| watched && *level != "0") {
        text += &format!("{LEVEL}{level}\n");
    }
    fs::create_dir_all(notes(records))?;
    fs::write(notes(records).join(name), text)
}

/// How the crate is optimised. `-O` says it shortly.
fn level(args: &[OsString]) -> Option<&str> {
    let short = || args.iter().any(|arg| arg == "-O").then_some("3");
    codegen(args, "opt-level").or_else(short)
}

impl Parts {
    /// Those of a program with this file; `None` where that is not known, as of one whose name is not its crate's.
    pub fn of(records: &Path, executable: &Path) -> Option<Parts> {
        let mut own = OsString::from("lib");
        own.push(executable.file_name()?);
        let notes = notes(records);
        if !notes.join(&own).is_file() {
            return None;
        }
        let mut parts = Parts::default();
        let mut waiting = vec![own];
        while let Some(name) = waiting.pop() {
            if !parts.outputs.insert(name.clone()) {
                continue;
            }
            // What was compiled for the compiler's side has no note.
            let text = fs::read_to_string(notes.join(&name)).unwrap_or_default();
            for line in text.lines() {
                if let Some(used) = line.strip_prefix(USES) {
                    waiting.push(used.into());
                } else if let Some(package) = line.strip_prefix(AUDITED) {
                    parts.audited.insert(package.into());
                } else if let Some(name) = line.strip_prefix(BLIND) {
                    parts.blind.insert(name.into());
                } else if let Some(level) = line.strip_prefix(LEVEL) {
                    parts.levels.insert(level.into());
                }
            }
        }
        Some(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_what_it_was_given_and_what_that_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("edits");
        let note = |args: &str, audited: Option<&str>, watched: bool| {
            let args: Vec<OsString> = args.split_whitespace().map(OsString::from).collect();
            note(&records, &args, audited, watched).unwrap();
        };
        note("rustc --crate-name a -C extra-filename=-1", Some("a-1.0.0"), false);
        let optimised = "-C opt-level=2";
        note(
            &format!("rustc --crate-name b -C extra-filename=-2 --extern a=/t/liba-1.rmeta {optimised}"),
            None,
            true,
        );
        note("rustc --crate-name d -C extra-filename=-7 -O", None, true);
        note("rustc --crate-name c -C extra-filename=-6 -O", None, false);
        note("rustc --crate-name other -C extra-filename=-3", Some("other-1.0.0"), false);
        let macros = "--extern m=/t/libm-9.so";
        note(
            &format!(
                "rustc --crate-name it -C extra-filename=-4 --extern b=/t/libb-2.rlib --extern c=/t/libc-6.rlib --extern d=/t/libd-7.rlib {macros}"
            ),
            None,
            false,
        );
        let parts = Parts::of(&records, Path::new("/t/it-4")).unwrap();
        let outputs = ["liba-1", "libb-2", "libc-6", "libd-7", "libit-4", "libm-9"].map(OsString::from);
        assert_eq!(parts.outputs, outputs.into());
        assert_eq!(parts.audited, ["a-1.0.0".to_string()].into());
        assert_eq!(parts.blind, ["it".to_string()].into());
        assert_eq!(parts.levels, ["2".to_string(), "3".to_string()].into());
        assert_eq!(Parts::of(&records, Path::new("/t/it")), None);
    }
}
