//! Reports that go into files: whether they can be written is known before anything takes time, and they
//! are whole or not there, since they are written aside and renamed.

use crate::error::{Error, Result};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

/// Finds out whether this option's file can be written. One that was not there is not there afterwards.
pub fn check(option: &str, path: &Path) -> Result<()> {
    if path.is_dir() {
        return Err(unwritable(option, path, "it is a folder"));
    }
    let there = path.symlink_metadata().is_ok();
    OpenOptions::new().append(true).create(true).open(path).map_err(|e| unwritable(option, path, e))?;
    if !there {
        fs::remove_file(path).map_err(|e| unwritable(option, path, e))?;
    }
    Ok(())
}

/// Writes it. What is no plain file, as `/dev/stdout`, is written into.
pub fn write(option: &str, path: &Path, text: &str) -> Result<()> {
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let done = match fs::metadata(&place) {
        Ok(meta) if !meta.is_file() => fs::write(&place, text),
        _ => {
            let aside = aside(&place);
            fs::write(&aside, text).and_then(|()| fs::rename(&aside, &place)).inspect_err(|_| {
                // Nothing half done is left; if even this fails, the first error says why.
                let _ = fs::remove_file(&aside);
            })
        }
    };
    done.map_err(|e| unwritable(option, path, e))
}

/// A name beside it that nobody else has.
fn aside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

fn unwritable(option: &str, path: &Path, why: impl ToString) -> Error {
    Error::new(format!("{option}: cannot write {}", path.display()))
        .because(why)
        .next("name a file in a folder that can be written to")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report");
        check("--html", &file).unwrap();
        assert!(!file.exists(), "looking leaves nothing");
        write("--html", &file, "one").unwrap();
        check("--html", &file).unwrap();
        write("--html", &file, "two").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left aside");
        let error = |path: &Path| check("--html", path).unwrap_err().render();
        assert!(error(folder.path()).contains("it is a folder"), "{}", error(folder.path()));
        let lost = folder.path().join("no/report");
        assert!(error(&lost).contains("--html: cannot write"), "{}", error(&lost));
    }
}
