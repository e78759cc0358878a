//! The source files of a target on disk, watched for changes: for `raddle watch`.

use crate::error::{Error, Result};
use crate::target::{Kind, Target, Test, kind, root};
use notify::event::{EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Endings of files that a build can depend on before it says so.
const SOURCES: [&str; 13] =
    ["rs", "toml", "lock", "c", "h", "i", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx"];

/// A folder with this file in it was made by a build.
const BUILT: &str = "CACHEDIR.TAG";

/// What is watched of a target.
pub struct Sources {
    watcher: RecommendedWatcher,
    /// The folder of the target.
    root: PathBuf,
    /// The target itself, where it is a file.
    named: PathBuf,
    /// Folders below the root count too.
    is_recursive: bool,
    /// The build is the user's own command, and may write beside the sources.
    builds_in_place: bool,
    watched: BTreeSet<PathBuf>,
    /// Files that the last build depended on, whatever their names end with.
    depended_on: BTreeSet<PathBuf>,
}

impl Sources {
    /// Watches the folders of a target; `changed` gets each path on which something happens.
    pub fn watch(named: &str, mut changed: impl FnMut(PathBuf) + Send + 'static) -> Result<Sources> {
        let cannot = |e: notify::Error| Error::new(format!("cannot watch {named}")).because(e);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            if is_change(event.kind) {
                event.paths.into_iter().for_each(&mut changed);
            }
        });
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        let kind = kind(Path::new(named))?;
        let mut sources = Sources {
            watcher: watcher.map_err(cannot)?,
            root: real(root(named)?),
            named: real(PathBuf::from(named)),
            // A single file can lie in a home folder.
            is_recursive: matches!(kind, Kind::Package | Kind::Project | Kind::Commands(_)),
            builds_in_place: matches!(kind, Kind::Project),
            watched: BTreeSet::new(),
            depended_on: BTreeSet::new(),
        };
        sources.add(&sources.root.clone(), sources.is_recursive)?;
        Ok(sources)
    }

    /// Also watches what a build depended on.
    pub fn add_dependencies(&mut self, dependencies: BTreeSet<PathBuf>) -> Result<()> {
        let folders: BTreeSet<&Path> = dependencies.iter().filter_map(|file| file.parent()).collect();
        for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
            self.add(folder, false)?;
        }
        self.depended_on = dependencies;
        Ok(())
    }

    /// Does a change of this file change the target? A new folder is watched from here on.
    pub fn concern(&mut self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.root);
        let ignores = |folder: &Path| is_ignored(&self.root.join(folder));
        if let Ok(inside) = inside
            && inside.parent().is_some_and(|p| p.ancestors().any(|f| !f.as_os_str().is_empty() && ignores(f)))
        {
            return false;
        }
        if self.is_recursive && inside.is_ok() && path.is_dir() && !is_ignored(path) {
            // Its files came with it, before anything was watched.
            return !self.watched.contains(path) && self.add(path, true).is_ok() && has_sources(path);
        }
        path == self.named || self.depended_on.contains(path) || is_source(path)
    }

    /// Do changes during a build come from the build itself?
    pub fn builds_in_place(&self) -> bool {
        self.builds_in_place
    }

    /// The path as it is shown.
    pub fn show(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    fn add(&mut self, folder: &Path, is_recursive: bool) -> Result<()> {
        if !self.watched.insert(folder.to_path_buf()) {
            return Ok(());
        }
        self.watcher.watch(folder, RecursiveMode::NonRecursive).map_err(|e| {
            let next = match e.kind {
                notify::ErrorKind::MaxFilesWatch => {
                    "raise the limit: sysctl fs.inotify.max_user_watches=524288"
                }
                _ => "make the folder readable",
            };
            Error::new(format!("cannot watch {}", folder.display())).because(e).next(next)
        })?;
        if is_recursive {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let folders = entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path());
            for folder in folders.filter(|f| !is_ignored(f)).collect::<Vec<_>>() {
                self.add(&folder, true)?;
            }
        }
        Ok(())
    }
}

/// Contents or names changed; reading changes nothing.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => false,
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}

/// Folders of builds, of version control and of tools.
fn is_ignored(folder: &Path) -> bool {
    let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    // `.cargo` has settings of the build.
    let is_hidden = name.starts_with('.') && name != ".cargo";
    is_hidden || name == "node_modules" || folder.join(BUILT).exists()
}

fn is_source(path: &Path) -> bool {
    let is_hidden = path.file_name().is_none_or(|n| n.as_encoded_bytes().starts_with(b"."));
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let is_database = path.ends_with("compile_commands.json");
    !is_hidden && (SOURCES.contains(&ending.to_ascii_lowercase().as_str()) || is_database)
}

fn has_sources(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    entries
        .into_iter()
        .any(|path| is_source(&path) || (path.is_dir() && !is_ignored(&path) && has_sources(&path)))
}

/// The files that these tests of a built target depend on, without those of toolchains, registries and the cache.
pub fn dependencies(target: &Target, tests: &[Test]) -> BTreeSet<PathBuf> {
    let root = &target.root;
    let folders: BTreeSet<&Path> = tests.iter().filter_map(|t| t.launch.program.parent()).collect();
    let mut files: BTreeSet<PathBuf> =
        folders.into_iter().flat_map(|folder| of_cargo(folder, root)).collect();
    files.extend(target.edits.all().into_iter().map(|record| record.file));
    let home = |name: &str, folder: &str| {
        let named = std::env::var_os(name).map(PathBuf::from);
        named.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(folder)))
    };
    let mut others = crate::target::own_folders();
    others.extend([home("CARGO_HOME", ".cargo"), home("RUSTUP_HOME", ".rustup")].into_iter().flatten());
    others.push("/usr".into());
    files.retain(|file| !others.iter().any(|folder| file.starts_with(folder)) && file.is_file());
    files.into_iter().map(|file| file.canonicalize().unwrap_or(file)).collect()
}

/// What cargo's dependency files in a folder of programs say, relative to the workspace.
fn of_cargo(folder: &Path, workspace: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let rules = entries.filter(|path| path.extension().is_some_and(|e| e == "d"));
    let text: String = rules.filter_map(|path| fs::read_to_string(path).ok()).collect();
    listed(&text).map(|file| workspace.join(file)).collect()
}

/// The files of a dependency file: those that have a rule of their own, in which blanks are written `\ `.
fn listed(text: &str) -> impl Iterator<Item = PathBuf> {
    let files = text.lines().filter_map(|line| line.strip_suffix(':'));
    files.map(|file| PathBuf::from(file.replace("\\ ", " ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, CreateKind, DataChange, MetadataKind};
    use std::sync::mpsc::channel;

    #[test]
    fn dependency_files_are_read() {
        let text = "/b/a-1.d: src/lib.rs src/a\\ b.txt\n\n/b/a-1: src/lib.rs src/a\\ b.txt\n\nsrc/lib.rs:\nsrc/a\\ b.txt:\n";
        assert_eq!(listed(text).collect::<Vec<_>>(), [Path::new("src/lib.rs"), Path::new("src/a b.txt")]);
    }

    #[test]
    fn reading_is_no_change() {
        assert!(!is_change(EventKind::Access(AccessKind::Any)));
        assert!(!is_change(EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any))));
        assert!(is_change(EventKind::Modify(ModifyKind::Data(DataChange::Any))));
        assert!(is_change(EventKind::Create(CreateKind::File)));
    }

    #[test]
    fn sources_concern_a_package_and_what_builds_and_tests_write_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        };
        write("raddle.toml", "programs = ['p']");
        write("a/x.c", "");
        write("out/CACHEDIR.TAG", "");
        write("out/deep/y.c", "");
        let (send, changes) = channel();
        let named = root.to_str().unwrap();
        let mut sources = Sources::watch(named, move |path| drop(send.send(path))).unwrap();
        assert!(sources.builds_in_place());
        let mut concerns = |name: &str| sources.concern(&root.join(name));
        assert!(concerns("a/x.c") && concerns("raddle.toml") && concerns("compile_commands.json"));
        assert!(!concerns("out/deep/y.c") && !concerns(".git/x.c") && !concerns("a/.x.c"));
        assert!(!concerns("a/result.txt") && !concerns("a/x.o"));
        // A new folder is watched from the moment at which it is seen.
        write("new/z.c", "");
        assert_eq!(changes.recv().unwrap(), root.join("new"));
        assert!(sources.concern(&root.join("new")));
        write("new/z.c", "int z;");
        assert!(changes.iter().any(|path| path == root.join("new/z.c")));
    }
}
