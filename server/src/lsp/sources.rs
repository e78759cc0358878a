//! What can be known of a file without building anything: its index, and the target it belongs to.

use raddle_instrumenter::c::Language;
use raddle_instrumenter::index::Index;
use std::path::{Path, PathBuf};

/// How a file is to be explored: as itself, or as part of its Cargo package. `None` where it cannot
/// be: a header, another language, Rust without a package. Looks at the file system only.
pub fn target(file: &Path) -> Option<PathBuf> {
    if is_rust(file) {
        let folders = file.ancestors().skip(1);
        return folders.map(Path::to_owned).find(|f| f.join("Cargo.toml").is_file());
    }
    Language::of(file).map(|_| file.to_owned())
}

/// Is it a file that has lenses at all? They name it, in words that are Unicode.
pub fn is_ours(file: &Path) -> bool {
    file.to_str().is_some() && (is_rust(file) || Language::of(file).is_some())
}

/// What is in a text; `None` where the text does not parse.
pub fn index(file: &Path, text: &str) -> Option<Index> {
    let index = crate::target::index(file, text);
    index.problems.is_empty().then_some(index)
}

fn is_rust(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_packages_and_c_files() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        std::fs::create_dir_all(at("ws/pkg/src/deep")).unwrap();
        std::fs::write(at("ws/Cargo.toml"), "").unwrap();
        std::fs::write(at("ws/pkg/Cargo.toml"), "").unwrap();
        assert_eq!(target(&at("ws/pkg/src/deep/a.rs")), Some(at("ws/pkg")));
        assert_eq!(target(&at("ws/a.rs")), Some(at("ws")));
        assert_eq!(target(&at("alone.rs")), None);
        assert_eq!(target(&at("a.c")), Some(at("a.c")));
        assert_eq!(target(&at("a.cpp")), Some(at("a.cpp")));
        assert_eq!((target(&at("a.h")), target(&at("a.txt"))), (None, None));
    }

    #[test]
    fn files_with_lenses_have_names_that_can_be_written() {
        use std::os::unix::ffi::OsStrExt;
        let odd = std::ffi::OsStr::from_bytes(b"/w/\xff.rs");
        assert!(is_ours(Path::new("/w/ü.rs")) && !is_ours(Path::new(odd)) && !is_ours(Path::new("/w/a.py")));
    }

    #[test]
    fn a_text_that_does_not_parse_has_no_index() {
        assert!(index(Path::new("a.rs"), "fn a( {").is_none());
        assert_eq!(index(Path::new("a.rs"), "fn a() {}").unwrap().functions.len(), 1);
    }
}
