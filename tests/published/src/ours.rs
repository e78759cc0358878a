//! Every source file of this repository can be instrumented, with markers alone and with points
//! before all statements: its lines stay, and the original comes back.

use crate::c;
use crate::edits::check;
use raddle_instrumenter::instrument::{Instrumented, Record, Statements};
use raddle_instrumenter::rust::functions::{Crate, instrument};
use std::path::{Path, PathBuf};

/// The files with these extensions, as git knows them.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    let root = crate::list::folder().join("../..");
    let mut git = crate::command::command("git", &root);
    git.args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
    let said = crate::command::run(&mut git, std::time::Duration::from_secs(60)).unwrap();
    assert!(said.good(), "{}", said.tail());
    let names = String::from_utf8(said.stdout).unwrap();
    let names = names.split('\0').filter(|n| extensions.iter().any(|e| n.ends_with(e)));
    names.map(|n| root.join(n)).filter(|f| f.is_file()).collect()
}

/// Checks all files; returns how many functions they have, and how many of them carry a marker.
fn all(
    files: &[PathBuf],
    wanted: &Statements,
    instrument: impl Fn(&Path, &str) -> Result<Instrumented, String>,
) -> (usize, usize) {
    let (mut functions, mut marked) = (0, 0);
    for file in files {
        let source = std::fs::read_to_string(file).unwrap();
        let done = instrument(file, &source).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let edited = done.edits.apply(&source);
        assert_eq!(check(&Record::new(file, &source, &done), &source, &edited), Ok(()), "{}", file.display());
        assert_eq!(done.edits.remove(&edited), Some(source), "{}", file.display());
        let is_function = |name: &str| !name.ends_with("{closure}");
        marked += done.marked.iter().filter(|m| is_function(&m.name)).count();
        functions += done.marked.iter().filter(|m| is_function(&m.name)).count() + done.left.len();
    }
    println!("{} files, {marked} of {functions} functions marked ({wanted:?})", files.len());
    (functions, marked)
}

#[test]
fn every_rust_file_of_ours() {
    let files = files(&[".rs"]);
    assert!(files.len() > 100, "{files:?}");
    for wanted in [Statements::None, Statements::All] {
        let (functions, marked) = all(&files, &wanted, |_, text| {
            // That it is still Rust is seen where the instrumenter is tested.
            instrument(text, &[], Crate::default(), &wanted)
        });
        // The runtime has many `const fn`, which cannot call anything that is not one.
        assert!(marked * 100 >= functions * 90, "{marked} of {functions}");
    }
}

#[test]
fn every_c_file_of_ours() {
    let files = files(&[".c", ".h"]);
    assert!(files.len() > 20, "{files:?}");
    for wanted in [Statements::None, Statements::All] {
        let (functions, marked) = all(&files, &wanted, |file, text| Ok(c::instrumented(file, text, &wanted)));
        assert!(marked * 100 >= functions * 95, "{marked} of {functions}");
    }
}
