//! The test targets of a Cargo package or workspace, from `cargo metadata`, which builds nothing
//! and needs no network.

use crate::rust::tools;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One target that `cargo test` would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// `lib`, `bin/NAME`, `tests/NAME`, `examples/NAME`, `benches/NAME`.
    pub name: String,
    /// Package it belongs to.
    pub package: String,
    /// Its root file.
    pub root: PathBuf,
    /// False with `harness = false`: the program is one test.
    pub harness: bool,
}

/// Why the targets are not known.
#[derive(Debug, thiserror::Error)]
pub enum TargetsError {
    /// No `Cargo.toml` there.
    #[error("{0}: no Cargo.toml there; name a package's folder or its Cargo.toml")]
    NoManifest(PathBuf),
    /// cargo could not be started.
    #[error("cannot run cargo ({0}); it was looked for in {places}", places = tools::places())]
    NoCargo(std::io::Error),
    /// cargo refused the package, in its own words.
    #[error("{manifest}: cargo could not read the package\n{message}")]
    Cargo {
        /// The manifest.
        manifest: PathBuf,
        /// What cargo said.
        message: String,
    },
}

/// Every target of the package at this folder or `Cargo.toml`; for a workspace's root, of all its
/// members. Sorted by package, then as cargo runs them: library, programs, `tests/`.
pub fn targets(package: &Path) -> Result<Vec<Target>, TargetsError> {
    let manifest = if package.is_dir() { package.join("Cargo.toml") } else { package.to_owned() };
    if !manifest.is_file() {
        return Err(TargetsError::NoManifest(package.to_owned()));
    }
    let metadata = metadata(&manifest)?;
    let mut targets = Vec::new();
    for package in packages(&metadata, &manifest) {
        let name = text(&package["name"]);
        let without = without_harness(Path::new(&text(&package["manifest_path"])));
        let mut own: Vec<(usize, Target)> =
            array(&package["targets"]).iter().filter_map(|t| target(t, &name, &without)).collect();
        own.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
        targets.extend(own.into_iter().map(|(_, t)| t));
    }
    Ok(targets)
}

fn metadata(manifest: &Path) -> Result<Value, TargetsError> {
    let mut cargo = std::env::var_os("CARGO").map_or_else(|| tools::command("cargo"), Command::new);
    let manifest_path = std::path::absolute(manifest).unwrap_or_else(|_| manifest.to_owned());
    let output = cargo
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(manifest_path)
        // Not in the package's folder: there rustup might choose a toolchain that the package brings
        // along, and looking at sources runs nothing of theirs.
        .current_dir("/")
        .output()
        .map_err(TargetsError::NoCargo)?;
    let refused = |message: String| TargetsError::Cargo { manifest: manifest.to_owned(), message };
    if !output.status.success() {
        return Err(refused(String::from_utf8_lossy(&output.stderr).trim_end().to_string()));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| refused(format!("its metadata is not JSON: {e}")))
}

/// The package whose manifest this is, or every member where it is a workspace's root.
fn packages<'a>(metadata: &'a Value, manifest: &Path) -> Vec<&'a Value> {
    let here = manifest.canonicalize().unwrap_or_else(|_| manifest.to_owned());
    let is_here = |p: &&Value| Path::new(&text(&p["manifest_path"])).canonicalize().is_ok_and(|m| m == here);
    let root = Path::new(&text(&metadata["workspace_root"])).canonicalize().ok();
    let all = array(&metadata["packages"]);
    let mut chosen: Vec<&Value> = match all.iter().find(is_here) {
        Some(one) if root.as_deref() != here.parent() => vec![one],
        _ => all.iter().collect(),
    };
    chosen.sort_by_key(|p| text(&p["name"]));
    chosen
}

fn target(target: &Value, package: &str, without: &BTreeSet<String>) -> Option<(usize, Target)> {
    if target["test"] != Value::Bool(true) {
        return None;
    }
    let name = text(&target["name"]);
    let kind = array(&target["kind"]).first().map(text).unwrap_or_default();
    let (rank, name) = match kind.as_str() {
        "bin" => (1, format!("bin/{name}")),
        "test" => (2, format!("tests/{name}")),
        // Those that `cargo test` runs: with `test = true`.
        "example" => (3, format!("examples/{name}")),
        "bench" => (4, format!("benches/{name}")),
        "custom-build" => return None,
        _ => (0, "lib".to_string()),
    };
    let harness = !without.contains(&name);
    let root = PathBuf::from(text(&target["src_path"]));
    Some((rank, Target { name, package: package.to_string(), root, harness }))
}

/// Names of the targets with `harness = false`, which the metadata leave out.
fn without_harness(manifest: &Path) -> BTreeSet<String> {
    let table = std::fs::read_to_string(manifest).ok().and_then(|t| t.parse::<toml::Table>().ok());
    let Some(table) = table else { return BTreeSet::new() };
    let off = |t: &toml::Value| t.get("harness").and_then(toml::Value::as_bool) == Some(false);
    let mut names = BTreeSet::new();
    if table.get("lib").is_some_and(off) {
        names.insert("lib".to_string());
    }
    for (section, prefix) in
        [("bin", "bin"), ("test", "tests"), ("example", "examples"), ("bench", "benches")]
    {
        let entries = table.get(section).and_then(toml::Value::as_array);
        for entry in entries.into_iter().flatten().filter(|e| off(e)) {
            if let Some(name) = entry.get("name").and_then(toml::Value::as_str) {
                names.insert(format!("{prefix}/{name}"));
            }
        }
    }
    names
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
