//! The shadow of a workspace: a folder in the cache where some files are edited and everything else
//! is a symbolic link to the original, so that paths written in the source lead where they did.
//!
//! Folders that hold a file of the crate, and those above them, are real ones in the shadow: what a
//! file names relative to itself (`mod`, `#[path]`, `include_str!`) is then found in the shadow,
//! edited or not. A path that leads out of the workspace does not; such a crate does not compile
//! here, and [`super::compile`] compiles it in place.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A shadow on disk, removed when dropped.
#[derive(Debug)]
pub(super) struct Shadow {
    root: PathBuf,
}

impl Shadow {
    /// Makes the shadow of `workspace` at `root`. `files` are those of the crate, relative to the
    /// workspace, each with its edited text if it has one.
    pub(super) fn make(
        root: PathBuf,
        workspace: &Path,
        files: &[(PathBuf, Option<String>)],
    ) -> io::Result<Shadow> {
        let _ = fs::remove_dir_all(&root);
        let shadow = Shadow { root };
        let folders: BTreeSet<&Path> = files.iter().flat_map(|(f, _)| f.ancestors().skip(1)).collect();
        for folder in &folders {
            fs::create_dir_all(shadow.root.join(folder))?;
            for entry in fs::read_dir(workspace.join(folder))? {
                let entry = entry?;
                let path = folder.join(entry.file_name());
                if !folders.contains(path.as_path()) {
                    std::os::unix::fs::symlink(entry.path(), shadow.root.join(&path))?;
                }
            }
        }
        for (file, text) in files {
            if let Some(text) = text {
                let path = shadow.root.join(file);
                fs::remove_file(&path)?;
                fs::write(&path, text)?;
            }
        }
        Ok(shadow)
    }

    /// Where it lies.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Takes the shadow out of a dependency file that the compiler wrote, so that cargo watches the
    /// originals: `prefix` is what their paths begin with there, empty or the workspace with a slash.
    pub(super) fn patch_dependencies(&self, file: &Path, prefix: &str) -> io::Result<()> {
        let escaped = |path: &str| path.replace(' ', "\\ ");
        let from = escaped(&format!("{}/", self.root.display()));
        let text = fs::read_to_string(file)?;
        if text.contains(&from) {
            let modified = fs::metadata(file)?.modified()?;
            fs::write(file, text.replace(&from, &escaped(prefix)))?;
            fs::File::options().write(true).open(file)?.set_modified(modified)?;
        }
        Ok(())
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // A folder that stays costs room only; the next compilation of the crate removes it.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// A path without `.` and `..`; `None` if it leads out of where it starts.
pub(super) fn normal(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            other => out.push(other),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edited_files_are_real_and_the_rest_are_links() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("w");
        for (name, text) in [("a/src/lib.rs", "1"), ("a/src/m.rs", "2"), ("b/x.txt", "3"), ("README", "4")] {
            let file = workspace.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let files = [("a/src/lib.rs".into(), Some("edited".to_string())), ("a/src/m.rs".into(), None)];
        let root = folder.path().join("s");
        let shadow = Shadow::make(root.clone(), &workspace, &files).unwrap();
        let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
        assert_eq!((read("a/src/lib.rs"), read("a/src/m.rs")), ("edited".to_string(), "2".to_string()));
        assert_eq!(read("a/src/../../b/x.txt"), "3");
        assert!(!root.join("a/src").is_symlink() && root.join("b").is_symlink());
        assert_eq!(fs::read_to_string(workspace.join("a/src/lib.rs")).unwrap(), "1");
        let dependencies = folder.path().join("d");
        let line = format!("out: {}/a/src/lib.rs a/other.rs\n\n# env-dep:A=1\n", root.display());
        fs::write(&dependencies, line).unwrap();
        shadow.patch_dependencies(&dependencies, "").unwrap();
        let patched = fs::read_to_string(&dependencies).unwrap();
        assert_eq!(patched, "out: a/src/lib.rs a/other.rs\n\n# env-dep:A=1\n");
        drop(shadow);
        assert!(!root.exists() && workspace.join("README").exists());
    }

    #[test]
    fn paths_are_made_normal() {
        assert_eq!(normal(Path::new("a/./b/../c")), Some("a/c".into()));
        assert_eq!(normal(Path::new("a/../../c")), None);
    }
}
