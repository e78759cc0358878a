//! Cargo's messages (`--message-format=json`), as far as they say which test programs there are and
//! what cargo would start them with.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What kind of target a test program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Unit tests of a library.
    Lib,
    /// Unit tests of a program.
    Bin,
    /// A file of `tests/`.
    Integration,
    /// An example.
    Example,
    /// A benchmark.
    Bench,
}

/// A built test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Name of its target.
    pub name: String,
    /// Which kind of target.
    pub kind: Kind,
    /// The name of its package.
    pub package: String,
    /// The file to start.
    pub executable: PathBuf,
    /// Folder of its package: tests are started there.
    pub root: PathBuf,
    /// Folder that source paths printed by the compiler are relative to.
    pub workspace: PathBuf,
    /// Its main source file.
    pub source: PathBuf,
    /// What `cargo test` would add to its environment.
    pub env: Vec<(String, OsString)>,
}

/// What a build came to.
#[derive(Debug, Default)]
pub(super) struct Built {
    /// By package, kind and name.
    pub(super) programs: Vec<Program>,
    /// The names of all files that were made of crates, now or before, without their ends.
    pub(super) outputs: BTreeSet<OsString>,
}

/// What build scripts said, by package id.
#[derive(Default)]
struct Scripts {
    env: BTreeMap<String, Vec<(String, OsString)>>,
    /// Folders of libraries that programs are started with.
    libraries: Vec<PathBuf>,
}

/// Which programs of a build are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Those that are built as tests.
    Tests,
    /// Programs and examples with a `main` of their own.
    Mains,
}

/// Reads cargo's whole output.
pub(super) fn read(text: &str, workspace: &Path, wanted: Wanted) -> Built {
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of = |reason: &'static str| messages.iter().filter(move |message| message["reason"] == reason);
    let mut scripts = Scripts::default();
    of("build-script-executed").for_each(|message| scripts.add(message));
    let programs =
        of("compiler-artifact").filter_map(|message| program(message, workspace, &scripts, wanted));
    let mut programs: Vec<_> = programs.collect();
    programs.sort_by(|a, b| (&a.package, a.kind, &a.name).cmp(&(&b.package, b.kind, &b.name)));
    let outputs = of("compiler-artifact").flat_map(outputs).collect();
    Built { programs, outputs }
}

fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

fn outputs(message: &Value) -> impl Iterator<Item = OsString> {
    let files = message["filenames"].as_array().into_iter().flatten();
    files.filter_map(|file| Some(Path::new(text(file)?).file_stem()?.to_owned()))
}

fn program(message: &Value, workspace: &Path, scripts: &Scripts, wanted: Wanted) -> Option<Program> {
    if (message["profile"]["test"] == true) != (wanted == Wanted::Tests) {
        return None;
    }
    let executable = PathBuf::from(text(&message["executable"])?);
    let manifest = Path::new(text(&message["manifest_path"])?);
    let target = &message["target"];
    let kinds: Vec<&str> = target["kind"].as_array()?.iter().filter_map(text).collect();
    let kind = match kinds.first().copied() {
        Some("bin") => Kind::Bin,
        Some("test") => Kind::Integration,
        Some("example") => Kind::Example,
        Some("bench") => Kind::Bench,
        _ => Kind::Lib,
    };
    let root = manifest.parent()?.to_path_buf();
    let id = text(&message["package_id"])?;
    let (package, version) = name_and_version(id, &root);
    let mut env: Vec<(String, OsString)> = vec![
        ("CARGO_MANIFEST_DIR".into(), root.clone().into()),
        ("CARGO_MANIFEST_PATH".into(), manifest.into()),
        ("CARGO_PKG_NAME".into(), package.clone().into()),
        ("CARGO_PKG_VERSION".into(), version.into()),
    ];
    env.extend(scripts.env.get(id).into_iter().flatten().cloned());
    env.extend(scripts.library_path(&executable));
    Some(Program {
        name: text(&target["name"])?.to_owned(),
        kind,
        package,
        executable,
        root,
        workspace: workspace.to_path_buf(),
        source: text(&target["src_path"])?.into(),
        env,
    })
}

/// From a package id: `path+file:///a/b#name@1.0.0`, or `path+file:///a/b#1.0.0` where the folder
/// has the package's name.
fn name_and_version(id: &str, root: &Path) -> (String, String) {
    let fragment = id.rsplit_once('#').map_or("", |(_, fragment)| fragment);
    let folder = || root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match fragment.split_once('@') {
        Some((name, version)) => (name.to_owned(), version.to_owned()),
        None => (folder(), fragment.to_owned()),
    }
}

impl Scripts {
    fn add(&mut self, message: &Value) {
        let Some(id) = text(&message["package_id"]) else { return };
        let env = self.env.entry(id.to_owned()).or_default();
        if let Some(out) = text(&message["out_dir"]) {
            env.push(("OUT_DIR".into(), out.into()));
        }
        for pair in message["env"].as_array().into_iter().flatten() {
            if let (Some(name), Some(value)) = (text(&pair[0]), text(&pair[1])) {
                env.push((name.to_owned(), value.into()));
            }
        }
        for path in message["linked_paths"].as_array().into_iter().flatten().filter_map(text) {
            // `native=/a/b`, or without the kind.
            self.libraries.push(path.split_once('=').map_or(path, |(_, path)| path).into());
        }
    }

    /// The search path for libraries that were built with the program: those in cargo's own target
    /// folder, as cargo does it.
    fn library_path(&self, executable: &Path) -> Option<(String, OsString)> {
        let folder = executable.parent()?.parent()?;
        let target_folder = folder.parent()?.parent()?;
        let mut paths: Vec<PathBuf> =
            self.libraries.iter().filter(|path| path.starts_with(target_folder)).cloned().collect();
        if paths.is_empty() {
            return None;
        }
        let inherited = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        paths.extend(std::env::split_paths(&inherited).filter(|path| !path.as_os_str().is_empty()));
        Some(("LD_LIBRARY_PATH".into(), std::env::join_paths(paths).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_found_among_cargos_messages() {
        let text = r#"{"reason":"build-script-executed","package_id":"path+file:///w/bank#0.1.0","linked_libs":[],"linked_paths":["native=/c/x/debug/build/z/out","/usr/lib"],"cfgs":[],"env":[["A","1"]],"out_dir":"/c/out"}
{"reason":"compiler-artifact","package_id":"path+file:///w/bank#0.1.0","manifest_path":"/w/bank/Cargo.toml","target":{"kind":["lib"],"crate_types":["lib"],"name":"bank","src_path":"/w/bank/src/lib.rs","edition":"2024","doc":true,"doctest":true,"test":true},"profile":{"opt_level":"0","debuginfo":2,"debug_assertions":true,"overflow_checks":true,"test":false},"features":[],"filenames":["/c/x/debug/libbank.rlib","/c/x/debug/deps/libbank-2.rmeta"],"executable":null,"fresh":false}
{"reason":"compiler-artifact","package_id":"path+file:///w/b#other@0.2.0","manifest_path":"/w/b/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"name":"it","src_path":"/w/b/tests/it.rs"},"profile":{"test":true},"executable":"/c/x/debug/deps/it-1"}
{"reason":"compiler-artifact","package_id":"path+file:///w/bank#0.1.0","manifest_path":"/w/bank/Cargo.toml","target":{"kind":["lib"],"name":"bank","src_path":"/w/bank/src/lib.rs"},"profile":{"test":true},"filenames":["/c/x/debug/deps/bank-1"],"executable":"/c/x/debug/deps/bank-1"}
this line is of another program
{"reason":"build-finished","success":true}"#;
        let Built { programs, outputs } = read(text, Path::new("/w"), Wanted::Tests);
        assert_eq!(outputs, ["libbank", "libbank-2", "bank-1"].map(OsString::from).into());
        let shown: Vec<_> = programs.iter().map(|p| (p.package.as_str(), p.kind, p.name.as_str())).collect();
        assert_eq!(shown, [("bank", Kind::Lib, "bank"), ("other", Kind::Integration, "it")]);
        assert_eq!(programs[0].root, Path::new("/w/bank"));
        let env: Vec<_> = programs[0].env.iter().map(|(n, v)| format!("{n}={}", v.display())).collect();
        assert!(env.contains(&"CARGO_PKG_VERSION=0.1.0".to_owned()), "{env:?}");
        assert!(env.contains(&"A=1".to_owned()) && env.contains(&"OUT_DIR=/c/out".to_owned()), "{env:?}");
        assert!(env.iter().any(|v| v.starts_with("LD_LIBRARY_PATH=/c/x/debug/build/z/out")), "{env:?}");
        assert!(!programs[1].env.iter().any(|(name, _)| name == "A"));
    }
}
