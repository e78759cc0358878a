//! What std and the facade have, by rustdoc of the toolchain that compiles the tests.

use super::Items;
use super::page::{Item, Kind};
use raddle_instrumenter::rust::{facade, toolchain::Toolchain};
use raddle_tests::binary::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The public items of the installed std. Those of `arch`, thousands of instructions, are left out.
pub fn real() -> &'static Items {
    static REAL: OnceLock<Items> = OnceLock::new();
    REAL.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        // Everything, so that a module that is new in std is seen.
        document(folder.path(), "#[doc(inline)] pub use std::*;", &[])
    })
}

/// Those of the facade's modules.
pub fn facade() -> &'static Items {
    static FACADE: OnceLock<Items> = OnceLock::new();
    FACADE.get_or_init(document_facade)
}

fn document_facade() -> Items {
    let folder = tempfile::tempdir().expect("a folder");
    let toolchain = Toolchain::find(folder.path()).expect("the toolchain");
    let compiled =
        facade::folder(&toolchain, folder.path(), folder.path(), &(), &mut |_| {}).expect("the facade");
    let std = format!("std={}", compiled.join("libraddle_std.rlib").display());
    let within = format!("dependency={}", compiled.display());
    let text = "#[doc(inline)] pub use std::sync; #[doc(inline)] pub use std::thread; #[doc(inline)] pub use std::hint;
                #[doc(inline)] pub use std::time; #[doc(inline)] pub use std::process;";
    document(folder.path(), text, &["--extern", &std, "-L", &within])
}

/// What rustdoc says of a crate with this text.
fn document(folder: &Path, text: &str, arguments: &[&str]) -> Items {
    let source = folder.join("surface.rs");
    fs::write(&source, text).expect("a file");
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.args(["--edition=2024", "--crate-name=surface", "-o"]).arg(folder).args(arguments).arg(&source);
    let output = rustdoc.output().expect("rustdoc, which comes with every rustc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut items = Items::new();
    read(&folder.join("surface"), "", &mut items);
    items
}

/// Reads the pages of a module and of those in it.
fn read(folder: &Path, module: &str, items: &mut Items) {
    for entry in fs::read_dir(folder).expect("rustdoc's folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().expect("UTF-8"));
        if path.is_dir() {
            if name != "arch" {
                read(&path, &format!("{module}{name}::"), items);
            }
            continue;
        }
        let Some((kind, name)) = name.trim_end_matches(".html").split_once('.') else { continue };
        // The page of a macro under its name with a `!` only leads to the other.
        if let (Some(kind), false) = (Kind::of(kind), name.ends_with('!')) {
            let html = fs::read_to_string(&path).expect("a page");
            items.insert(format!("{module}{name}"), Item::read(kind, &html));
        }
    }
}

fn files_in(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).expect("the runtime").flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => files_in(&path, files),
            false => files.push(path),
        }
    }
}

/// The libc functions that the runtime serves, and those that it refuses: the words of its sources.
pub fn libc_functions() -> (BTreeSet<String>, BTreeSet<String>) {
    let words = |file: &Path| {
        let text = fs::read_to_string(file).expect("a source");
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned);
        words.collect::<BTreeSet<_>>()
    };
    let mut files = Vec::new();
    files_in(&root().join("runtime/src/interpose"), &mut files);
    let (refused, others): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|file| file.ends_with("refused.rs"));
    (
        others.iter().flat_map(|file| words(file)).collect(),
        refused.iter().flat_map(|file| words(file)).collect(),
    )
}
