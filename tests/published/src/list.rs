//! The pinned lists: which crates and which C programs, read from `crates.toml` and
//! `programs.toml` beside this package's manifest.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A package of the registry, pinned.
#[derive(Clone, Debug, Deserialize)]
pub struct Pin {
    /// Its name there.
    pub name: String,
    /// The exact version.
    pub version: String,
    /// SHA-256 of the package file, as cargo's lock files have it.
    pub sha256: String,
}

/// One crate whose tests are run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// The exact version.
    pub version: String,
    /// SHA-256 of the package file.
    pub sha256: String,
    /// What it is, in a few words.
    pub what: String,
    /// Part of every run of the test command, not only of `--all`.
    #[serde(default)]
    pub always: bool,
    /// More arguments for `cargo test`.
    #[serde(default)]
    pub args: Vec<String>,
}

/// One C program that is built and tested.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// What it is called here.
    pub name: String,
    /// The package of the registry that carries its source.
    pub package: String,
    /// That package's exact version.
    pub version: String,
    /// SHA-256 of the package file.
    pub sha256: String,
    /// What it is, in a few words.
    pub what: String,
    /// Folder in the package where everything below is started.
    pub folder: PathBuf,
    /// Part of every run of the test command, not only of `--all`.
    #[serde(default)]
    pub always: bool,
    /// Shell commands that build it, `$CC` being the compiler.
    pub build: Vec<String>,
    /// Its tests.
    pub test: Vec<Check>,
}

/// One test of a C program: a shell command whose exit status, and output where it says so, must
/// be the same with Raddle and without.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The command.
    pub run: String,
    /// Is what it prints to standard output the same in every run?
    #[serde(default)]
    pub output: bool,
}

impl Crate {
    /// As the registry knows it.
    pub fn pin(&self) -> Pin {
        Pin { name: self.name.clone(), version: self.version.clone(), sha256: self.sha256.clone() }
    }

    /// The committed lock file, for packages that have dependencies and no lock file of their own.
    pub fn lock(&self) -> PathBuf {
        folder().join("locks").join(format!("{}.lock", self.name))
    }
}

impl Program {
    /// As the registry knows its package.
    pub fn pin(&self) -> Pin {
        Pin { name: self.package.clone(), version: self.version.clone(), sha256: self.sha256.clone() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Crates {
    #[serde(rename = "crate")]
    crates: Vec<Crate>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Programs {
    program: Vec<Program>,
}

/// Where the lists lie.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates.
pub fn crates() -> Result<Vec<Crate>, String> {
    read::<Crates>("crates.toml").map(|list| list.crates)
}

/// The C programs.
pub fn programs() -> Result<Vec<Program>, String> {
    read::<Programs>("programs.toml").map(|list| list.program)
}

fn read<T: for<'de> Deserialize<'de>>(name: &str) -> Result<T, String> {
    let file = folder().join(name);
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_lists_are_what_they_are_said_to_be() {
        let (crates, programs) = (crates().unwrap(), programs().unwrap());
        assert_eq!((crates.len(), programs.len()), (20, 3));
        assert_eq!(crates.iter().filter(|c| c.always).count(), 3);
        assert_eq!(programs.iter().filter(|p| p.always).count(), 1);
        let pins = crates.iter().map(Crate::pin).chain(programs.iter().map(Program::pin));
        let mut names = HashSet::new();
        for pin in pins {
            assert!(pin.sha256.len() == 64, "{}", pin.name);
            assert!(names.insert(pin.name.clone()), "{} is there twice", pin.name);
        }
    }
}
