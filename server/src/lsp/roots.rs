//! The workspace's folder under its two names. The host names files without links, the editor by
//! the folder as it was opened.

use std::path::{Path, PathBuf};

/// The folder that the editor has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// As the editor names it.
    pub named: PathBuf,
    /// Without links.
    real: PathBuf,
}

impl Root {
    /// The folder of this name.
    pub fn new(named: PathBuf) -> Root {
        let real = named.canonicalize().unwrap_or_else(|_| named.clone());
        Root { named, real }
    }

    /// A file as the editor names it. The host's names are absolute, or relative to the target or
    /// the root.
    pub fn editors(&self, file: &str, target: &str) -> PathBuf {
        let file = Path::new(file);
        let absolute = if file.is_absolute() { file.to_owned() } else { self.below(file, target) };
        match absolute.strip_prefix(&self.real) {
            Ok(rest) => self.named.join(rest),
            Err(_) => absolute,
        }
    }

    fn below(&self, file: &Path, target: &str) -> PathBuf {
        let target = self.real.join(target);
        let folder = if target.is_dir() { target.as_path() } else { target.parent().unwrap_or(&self.real) };
        let there = folder.join(file);
        if there.exists() { there } else { self.real.join(file) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_editors_names() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("ws/pkg/src")).unwrap();
        std::fs::write(real.join("ws/pkg/src/lib.rs"), "").unwrap();
        std::fs::write(real.join("ws/a.c"), "").unwrap();
        std::os::unix::fs::symlink(real.join("ws"), real.join("link")).unwrap();
        let root = Root::new(real.join("link"));
        let check = |file: &str, target: &str, expected: PathBuf| {
            assert_eq!(root.editors(file, target), expected, "{file} of {target}");
        };
        let absolute = real.join("ws/a.c").display().to_string();
        check(&absolute, "a.c", real.join("link/a.c"));
        check("src/lib.rs", "pkg", real.join("link/pkg/src/lib.rs"));
        check("pkg/src/lib.rs", "pkg", real.join("link/pkg/src/lib.rs"));
        check("a.c", "a.c", real.join("link/a.c"));
        check("/usr/include/stdio.h", "a.c", PathBuf::from("/usr/include/stdio.h"));
    }
}
