//! Workspaces: which folder a target belongs to, and what a target is called there. All faces
//! must come to the same answers, or they would not meet in one host.

use crate::error::{Error, Result};
use raddle_protocol::place::Place;
use std::path::{Path, PathBuf};

/// The workspace of a target or of a folder that an editor has open: the nearest folder above it with a `.git`, else its
/// Cargo workspace, else its own folder; or a folder above that, if it is in use as a workspace: an editor has it open, or
/// its host runs.
pub fn of(target: &Path) -> Result<PathBuf> {
    let own = own(target)?;
    let used = own.ancestors().find(|folder| Place::is_used(folder)).map(Path::to_path_buf);
    Ok(used.unwrap_or(own))
}

fn own(target: &Path) -> Result<PathBuf> {
    let path = target.canonicalize().map_err(|e| Error::file("read", target, &e))?;
    let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(Path::new("/")) };
    if let Some(root) = folder.ancestors().find(|f| f.join(".git").exists()) {
        return Ok(root.to_path_buf());
    }
    let manifests = folder.ancestors().filter(|f| f.join("Cargo.toml").is_file());
    let (mut nearest, mut workspace) = (None, None);
    for folder in manifests {
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        if text.lines().any(|l| l.trim_start().starts_with("[workspace")) {
            workspace.get_or_insert(folder);
        }
        nearest.get_or_insert(folder);
    }
    Ok(workspace.or(nearest).unwrap_or(folder).to_path_buf())
}

/// What a target is called in its workspace: relative to the root where it lies below it, so that
/// all faces name it, and build it, alike. The host, and whoever builds what it built, works in the
/// root ([`enter`]).
pub fn name(root: &Path, target: &str) -> String {
    let path = root.join(target);
    // Only the folder's links are followed: a target that is one keeps its name.
    let whole = match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(file)) => folder.join(file),
        _ => path.canonicalize().unwrap_or(path),
    };
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    match whole.strip_prefix(&root) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_string(),
        Ok(below) => below.display().to_string(),
        Err(_) => whole.display().to_string(),
    }
}

/// Goes into the workspace's root. Once, when the process begins: what a compiler is told and
/// where it is started are part of what a program is.
#[allow(clippy::disallowed_methods, reason = "at the start, before any thread that could notice")]
pub fn enter(root: &Path) -> Result<()> {
    std::env::set_current_dir(root)
        .map_err(|e| Error::file("enter the workspace", root, &e).next("name a folder that can be read"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn roots() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("w/a/src")).unwrap();
        fs::write(root.join("w/a/src/x.c"), "").unwrap();
        assert_eq!(of(&root.join("w/a/src/x.c")).unwrap(), root.join("w/a/src"));
        fs::write(root.join("w/a/Cargo.toml"), "[package]\n").unwrap();
        assert_eq!(of(&root.join("w/a/src/x.c")).unwrap(), root.join("w/a"));
        fs::write(root.join("w/Cargo.toml"), "[workspace]\n").unwrap();
        assert_eq!(of(&root.join("w/a")).unwrap(), root.join("w"));
        fs::create_dir(root.join(".git")).unwrap();
        assert_eq!(of(&root.join("w/a")).unwrap(), root);
        assert!(of(&root.join("nowhere")).unwrap_err().render().contains("nowhere"));
    }

    #[test]
    fn names_are_the_same_however_a_target_was_named() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir(root.join("w")).unwrap();
        fs::write(root.join("w/x.c"), "").unwrap();
        let absolute = root.join("w/x.c").display().to_string();
        for named in ["w/x.c", "./w/x.c", "w/../w/x.c", absolute.as_str()] {
            assert_eq!(name(&root, named), "w/x.c", "{named}");
        }
        assert_eq!(name(&root, "."), ".");
        assert_eq!(name(&root, &root.display().to_string()), ".");
        assert_eq!(name(&root.join("w"), &root.display().to_string()), root.display().to_string());
    }
}
