//! Which settings files hold for a target. A `raddle.toml` above a source counts up to the folder with `.git`, where it is
//! the user's or the owner's of the source's folder; a Cargo package has its own and its workspace's.

use super::FILE;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file and the table in it that counts.
pub type Found = (PathBuf, &'static [&'static str]);

const WHOLE: &[&str] = &[];
const PACKAGE: &[&str] = &["package", "metadata", "raddle"];
const WORKSPACE: &[&str] = &["workspace", "metadata", "raddle"];

/// The files of a target, the furthest first.
pub fn files(target: &str) -> Vec<Found> {
    let named = Path::new(target);
    // Several sources of one program are named `a.c,b.c`; a file may be called so, too.
    let first = target.split(',').next().unwrap_or_default();
    let path = if named.exists() { named } else { Path::new(first) };
    let Ok(path) = std::path::absolute(path) else { return Vec::new() };
    let folder = match path.is_dir() {
        true => path.clone(),
        false => path.parent().unwrap_or(Path::new("/")).to_path_buf(),
    };
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    let of_cargo = path.file_name().is_some_and(|n| n == "Cargo.toml");
    if of_cargo || (path.is_dir() && folder.join("Cargo.toml").is_file()) {
        return of_package(&folder);
    }
    nearest(&folder).map(|file| (file, WHOLE)).into_iter().collect()
}

fn of_package(folder: &Path) -> Vec<Found> {
    let workspace = workspace(folder);
    let mut files = vec![(workspace.join("Cargo.toml"), WORKSPACE)];
    if workspace != folder {
        files.push((workspace.join(FILE), WHOLE));
    }
    files.extend([(folder.join("Cargo.toml"), PACKAGE), (folder.join(FILE), WHOLE)]);
    files
}

/// The folder of a package's workspace, as cargo looks for it; its own where it has none.
fn workspace(folder: &Path) -> PathBuf {
    let manifest = |folder: &Path| -> Option<toml::Table> {
        std::fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()
    };
    let own = manifest(folder);
    let named = own.as_ref().and_then(|m| m.get("package")?.get("workspace")?.as_str());
    if let Some(named) = named {
        return folder.join(named).canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    }
    for above in folder.ancestors() {
        let Some(workspace) = manifest(above).and_then(|m| m.get("workspace").cloned()) else { continue };
        let excluded = workspace.get("exclude").and_then(|e| e.as_array());
        let mut excluded = excluded.into_iter().flatten().filter_map(|e| e.as_str());
        if !excluded.any(|e| folder.starts_with(above.join(e))) {
            return above.to_path_buf();
        }
        break;
    }
    folder.to_path_buf()
}

/// The nearest file from a folder upwards.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let own = folder.join(FILE);
    if own.is_file() {
        return Some(own);
    }
    let owner = std::fs::metadata(folder).ok()?.uid();
    let top = folder.ancestors().find(|f| f.join(".git").exists())?;
    let above = folder.ancestors().skip(1).take_while(|f| f.starts_with(top));
    let mut files = above.map(|f| f.join(FILE));
    files.find(|file| is_owned(file, owner))
}

/// Is it a file of the user's or of this owner's?
fn is_owned(file: &Path, owner: u32) -> bool {
    // SAFETY: it has no conditions.
    let user = unsafe { libc::geteuid() };
    std::fs::metadata(file).is_ok_and(|m| m.is_file() && (m.uid() == user || m.uid() == owner))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of a target, without the folder that all lie in.
    fn found(root: &Path, target: &str) -> Vec<String> {
        let target = root.join(target).display().to_string();
        let shown = |(file, names): Found| {
            let file = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            if names.is_empty() { file } else { format!("{file} {}", names[0]) }
        };
        files(&target).into_iter().filter(|(file, _)| file.is_file()).map(shown).collect()
    }

    #[test]
    fn the_nearest_file_in_the_repository_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("repo/a/b")).unwrap();
        for file in ["raddle.toml", "repo/raddle.toml", "repo/a/b/q.c", "repo/a/b/p.c"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        // Without a repository, files above do not count.
        assert_eq!(found(&root, "repo/a/b/q.c"), [""; 0]);
        std::fs::create_dir(root.join("repo/.git")).unwrap();
        assert_eq!(found(&root, "repo/a/b/q.c"), ["repo/raddle.toml"]);
        assert_eq!(found(&root, "repo/a/b/q.c,repo/a/b/p.c"), ["repo/raddle.toml"]);
        std::fs::write(root.join("repo/a/b/raddle.toml"), "").unwrap();
        assert_eq!(found(&root, "repo/a/b"), ["repo/a/b/raddle.toml"]);
        assert_eq!(found(&root, "repo/a"), ["repo/raddle.toml"]);
    }

    #[test]
    fn a_package_has_its_own_files_and_its_workspaces() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for member in ["in", "out"] {
            std::fs::create_dir(root.join(member)).unwrap();
            std::fs::write(root.join(member).join("Cargo.toml"), "[package]\nname = \"x\"\n").unwrap();
        }
        std::fs::write(root.join("Cargo.toml"), "[workspace]\nexclude = [\"out\"]\n").unwrap();
        std::fs::write(root.join("raddle.toml"), "").unwrap();
        std::fs::write(root.join("in/raddle.toml"), "").unwrap();
        let own = ["Cargo.toml workspace", "raddle.toml", "in/Cargo.toml package", "in/raddle.toml"];
        assert_eq!(found(&root, "in"), own);
        assert_eq!(found(&root, "in/Cargo.toml"), own);
        assert_eq!(found(&root, "out"), ["out/Cargo.toml workspace", "out/Cargo.toml package"]);
        assert_eq!(found(&root, "."), ["Cargo.toml workspace", "Cargo.toml package", "raddle.toml"]);
    }
}
