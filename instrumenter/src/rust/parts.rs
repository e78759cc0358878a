//! Which crates a program is made of: each compilation notes the crates that it was given, by the names of their outputs, so
//! that what is said of a program is said by its own crates, whatever else was built before it.

use super::arguments::{codegen, values};
use super::parse;
use super::watch::{Watch, output};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
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

/// Of a crate with unsafe code, or that uses one.
const UNSAFE: &str = "unsafe";
/// Of a crate that names `Arc` or `Weak`.
const COUNTS: &str = "counts";
/// Of a crate without hooks of atomic operations: its name.
const UNCOUNTED: &str = "uncounted ";

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
    /// Some have unsafe code.
    pub has_unsafe: bool,
    /// Some name `Arc` or `Weak`.
    pub counts: bool,
    /// Those without hooks of atomic operations that name `Arc` or `Weak`, or use a crate that does, by their names.
    pub uncounted: BTreeSet<String>,
}

/// Facts about a crate, for its note.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Has<'a> {
    /// Its package, if it has no hooks of plain accesses since it is audited.
    audited: Option<&'a str>,
    /// It has hooks of plain accesses.
    hooks: bool,
    /// It has unsafe code, or uses a crate that has.
    is_unsafe: bool,
    /// It has hooks of atomic operations.
    counted: bool,
    /// It names `Arc` or `Weak`.
    counts: bool,
}

impl<'a> Has<'a> {
    /// Of a crate that is watched like this and made of files with these texts.
    pub(super) fn of(watch: &'a Watch, mut texts: impl Iterator<Item = &'a str>) -> Has<'a> {
        Has {
            audited: watch.audited.as_deref(),
            hooks: watch.wanted,
            is_unsafe: watch.spreads,
            counted: watch.has_any(),
            counts: texts.any(names_counts),
        }
    }
}

/// Does this text name `Arc` or `Weak`, or include a file that may?
fn names_counts(text: &str) -> bool {
    if !["Arc", "Weak", "include"].iter().any(|word| text.contains(word)) {
        return false;
    }
    // A file that cannot be read is not compiled either.
    text[parse::start_of_code(text)..].parse::<TokenStream>().is_ok_and(has_counts)
}

fn has_counts(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "Arc" || word == "Weak" || word == "include",
        TokenTree::Group(group) => has_counts(group.stream()),
        _ => false,
    })
}

fn notes(records: &Path) -> PathBuf {
    records.with_extension("parts")
}

/// Notes what the crate that is compiled with these arguments is made of, and what it has.
pub(super) fn note(records: &Path, args: &[OsString], has: Has<'_>) -> std::io::Result<()> {
    let Has { audited, hooks: watched, is_unsafe, counted, counts } = has;
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
    let crate_name = values(args, "--crate-name").pop().unwrap_or_default();
    let has_macros = given.iter().any(|path| path.extension().is_some_and(|e| e == "so"));
    if has_macros && !watched && audited.is_none() {
        text += &format!("{BLIND}{crate_name}\n");
    }
    if is_unsafe {
        text += &format!("{UNSAFE}\n");
    }
    if counts {
        text += &format!("{COUNTS}\n");
    }
    if !counted {
        text += &format!("{UNCOUNTED}{crate_name}\n");
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
        let mut uses: BTreeMap<OsString, BTreeSet<OsString>> = BTreeMap::new();
        let (mut counting, mut uncounted) = (BTreeSet::new(), BTreeMap::new());
        while let Some(name) = waiting.pop() {
            if !parts.outputs.insert(name.clone()) {
                continue;
            }
            // What was compiled for the compiler's side has no note.
            let text = fs::read_to_string(notes.join(&name)).unwrap_or_default();
            for line in text.lines() {
                if let Some(used) = line.strip_prefix(USES) {
                    waiting.push(used.into());
                    uses.entry(name.clone()).or_default().insert(used.into());
                } else if line == UNSAFE {
                    parts.has_unsafe = true;
                } else if line == COUNTS {
                    counting.insert(name.clone());
                } else if let Some(called) = line.strip_prefix(UNCOUNTED) {
                    uncounted.insert(name.clone(), called.to_string());
                } else if let Some(package) = line.strip_prefix(AUDITED) {
                    parts.audited.insert(package.into());
                } else if let Some(name) = line.strip_prefix(BLIND) {
                    parts.blind.insert(name.into());
                } else if let Some(level) = line.strip_prefix(LEVEL) {
                    parts.levels.insert(level.into());
                }
            }
        }
        parts.counts = !counting.is_empty();
        let counts = users(counting, &uses);
        parts.uncounted =
            uncounted.into_iter().filter(|(name, _)| counts.contains(name)).map(|u| u.1).collect();
        Some(parts)
    }
}

/// These crates, and all that use one of them: generic code is compiled where it is used.
fn users(
    mut crates: BTreeSet<OsString>,
    uses: &BTreeMap<OsString, BTreeSet<OsString>>,
) -> BTreeSet<OsString> {
    loop {
        let is_new = |name: &&OsString| !crates.contains(*name) && !uses[*name].is_disjoint(&crates);
        let new: Vec<OsString> = uses.keys().filter(is_new).cloned().collect();
        if new.is_empty() {
            return crates;
        }
        crates.extend(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_named_by_code() {
        assert!(names_counts("fn f(_: std::sync::Arc<u8>) {}") && names_counts("mod m { use x::Weak; }"));
        assert!(names_counts("include!(\"x.rs\");"));
        assert!(!names_counts("/// An Arc.\nfn weak() -> &'static str { \"Weak\" }"));
    }

    #[test]
    fn a_program_has_what_it_was_given_and_what_that_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("edits");
        let note = |args: &str, audited: Option<&str>, hooks: bool| {
            let args: Vec<OsString> = args.split_whitespace().map(OsString::from).collect();
            let counts = args.contains(&"--cfg=counts".into());
            note(&records, &args, Has { audited, hooks, is_unsafe: hooks, counted: hooks, counts }).unwrap();
        };
        note("rustc --crate-name a -C extra-filename=-1", Some("a-1.0.0"), false);
        let optimised = "-C opt-level=2";
        note(
            &format!("rustc --crate-name b -C extra-filename=-2 --extern a=/t/liba-1.rmeta {optimised}"),
            None,
            true,
        );
        note("rustc --crate-name d -C extra-filename=-7 -O", None, true);
        note("rustc --crate-name c -C extra-filename=-6 -O --extern e=/t/libe-8.rlib", None, false);
        note("rustc --crate-name e -C extra-filename=-8 --cfg=counts", None, false);
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
        let outputs =
            ["liba-1", "libb-2", "libc-6", "libd-7", "libe-8", "libit-4", "libm-9"].map(OsString::from);
        assert_eq!(parts.outputs, outputs.into());
        assert_eq!(parts.audited, ["a-1.0.0".to_string()].into());
        assert_eq!(parts.blind, ["it".to_string()].into());
        assert_eq!(parts.levels, ["2".to_string(), "3".to_string()].into());
        assert!(parts.has_unsafe && parts.counts);
        assert_eq!(parts.uncounted, ["c", "e", "it"].map(String::from).into());
        assert_eq!(Parts::of(&records, Path::new("/t/it")), None);
        let safe = Parts::of(&records, Path::new("/t/a-1")).unwrap();
        assert!(!safe.has_unsafe && !safe.counts && safe.uncounted.is_empty());
    }
}
