//! The workspace's folder under its names. The host names files without links, the editor by the folder as it was
//! opened, and the host's root may be a folder above that.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder that the editor has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// As the editor names it.
    pub named: PathBuf,
    /// Without links.
    real: PathBuf,
    /// The host's root, without links: what its names are relative to.
    pub host: PathBuf,
}

impl Root {
    /// The folder of this name, whose host has this root.
    pub fn new(named: PathBuf, host: PathBuf) -> Root {
        Root { real: real(&named), named, host }
    }

    /// A file of the host's without links. The host's names are absolute, or relative to the target or the root.
    pub fn real(&self, file: &str, target: &str) -> PathBuf {
        let file = Path::new(file);
        real(&if file.is_absolute() { file.to_owned() } else { self.below(file, target) })
    }

    /// A file without links as the editor names it.
    pub fn editors(&self, real: &Path) -> PathBuf {
        match real.strip_prefix(&self.real) {
            // Joined with nothing it would end with a slash.
            Ok(rest) if rest.as_os_str().is_empty() => self.named.clone(),
            Ok(rest) => self.named.join(rest),
            Err(_) => real.to_owned(),
        }
    }

    /// A session's state with a target that the editor finds: the host's names are relative to its root.
    pub fn as_editors(&self, mut state: Value) -> Value {
        if self.host != self.real
            && let Some(target) = state["target"].as_str()
        {
            state["target"] = Value::String(self.editors(&self.host.join(target)).display().to_string());
        }
        state
    }

    fn below(&self, file: &Path, target: &str) -> PathBuf {
        let target = self.host.join(target);
        let folder = if target.is_dir() { target.as_path() } else { target.parent().unwrap_or(&self.host) };
        let there = folder.join(file);
        if there.exists() { there } else { self.host.join(file) }
    }
}

/// A path without links, where it is there.
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
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
        let root = Root::new(real.join("link"), real.join("ws"));
        let check = |file: &str, target: &str, expected: PathBuf| {
            assert_eq!(root.editors(&root.real(file, target)), expected, "{file} of {target}");
        };
        let absolute = real.join("ws/a.c").display().to_string();
        check(&absolute, "a.c", real.join("link/a.c"));
        check("src/lib.rs", "pkg", real.join("link/pkg/src/lib.rs"));
        check("pkg/src/lib.rs", "pkg", real.join("link/pkg/src/lib.rs"));
        check("a.c", "a.c", real.join("link/a.c"));
        check("/etc/passwd", "a.c", PathBuf::from("/etc/passwd"));
        std::os::unix::fs::symlink(real.join("ws/a.c"), real.join("ws/b.c")).unwrap();
        check("b.c", "b.c", real.join("link/a.c"));
        let state = |target: &str| serde_json::json!({ "target": target });
        assert_eq!(root.as_editors(state("pkg")), state("pkg"));
        let below = Root::new(real.join("ws/pkg"), real.join("ws"));
        let whole = real.join("ws/pkg").display().to_string();
        assert_eq!(below.as_editors(state("pkg")), state(&whole));
    }
}
