//! Which file a program was when it was built. A package's programs lie where cargo puts them, so
//! the next build of an edited package replaces them: a search that starts its program again, after
//! a crash or to show a failure, would go on with another one and promise things of neither.

use super::Launch;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file as it is: written anew, also with the same contents, it is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
}

impl Stamp {
    /// Of a file, if it is there.
    pub fn of(path: &Path) -> Option<Stamp> {
        let m = fs::metadata(path).ok()?;
        Some(Stamp { file: (m.dev(), m.ino()), size: m.size(), modified: (m.mtime(), m.mtime_nsec()) })
    }
}

impl Launch {
    /// Sees that the program is the one that was built.
    pub fn check(&self) -> io::Result<()> {
        if self.stamp.is_none() || self.stamp == Stamp::of(&self.program) {
            return Ok(());
        }
        Err(io::Error::other("the program was built anew since, and is another one now; explore it again"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_anew_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("p");
        fs::write(&file, "a").unwrap();
        let before = Stamp::of(&file).unwrap();
        assert_eq!(Stamp::of(&file), Some(before));
        // As linkers do it; the old file is still somewhere, so its number is not used again.
        fs::rename(&file, dir.path().join("old")).unwrap();
        fs::write(&file, "a").unwrap();
        assert_ne!(Stamp::of(&file), Some(before));
        assert_eq!(Stamp::of(&dir.path().join("none")), None);
    }
}
