//! Tells the crate what its own sources are like, by one number: programs that another version of them was inserted into are built
//! anew.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files)?;
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        (file.to_string_lossy(), std::fs::read(&file)?).hash(&mut hasher);
    }
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rustc-env=RADDLE_INSTRUMENTER={:016x}", hasher.finish());
    Ok(())
}

/// The files in a folder and in those in it.
fn sources(folder: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { sources(&path, out)? } else { out.push(path) }
    }
    Ok(())
}
