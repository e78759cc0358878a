//! Settings files: defaults for the options of `raddle explore` and of what replays its schedules.
//!
//! A `raddle.toml` holds them for a folder, `[package.metadata.raddle]` for a Cargo package and
//! `[workspace.metadata.raddle]` for a Cargo workspace. A `[test."name"]` table holds those of one test. The nearer file
//! wins over the one further away, a test's table over the rest, and the command line over all of them.
//!
//! [`keys`] says which options are keys, [`find`] which files hold for a target, [`mod@file`] reads one. The command line turns
//! settings into the words that a person would have typed (`options/configured.rs`), so both are checked alike.

mod file;
mod find;
pub mod keys;

pub use file::is_project;

use crate::error::Result;
use keys::Key;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Refuses a `raddle.toml` that cannot be read.
pub fn check(path: &Path) -> Result<()> {
    file::read(path, &[]).map(drop)
}

/// The name of a settings file.
pub const FILE: &str = "raddle.toml";

/// Where a setting stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file.
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", shown(&self.file), self.line)
    }
}

/// A file as messages name it: relative to the current folder where it lies below it.
pub fn shown(file: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    file.strip_prefix(&here).unwrap_or(file).display().to_string()
}

/// What a key is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text, or a number as the option takes it.
    Text(String),
    /// Options without a value.
    Flag(bool),
    /// Options that may be given again.
    List(Vec<String>),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Flag(on) => write!(f, "{on}"),
            Value::List(items) => f.write_str(&items.join(", ")),
        }
    }
}

/// One key, its value, and where that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: &'static Key,
    /// What it is set to.
    pub value: Value,
    /// Where.
    pub origin: Origin,
}

impl Setting {
    /// As a command line has it.
    pub fn words(&self) -> Vec<String> {
        let name = self.key.name;
        match &self.value {
            Value::Text(text) => vec![format!("--{name}={text}")],
            Value::Flag(on) => on.then(|| format!("--{name}")).into_iter().collect(),
            Value::List(items) => items.iter().map(|item| format!("--{name}={item}")).collect(),
        }
    }
}

/// A variable of the environment of the program under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its value.
    pub value: String,
    /// Where that stands.
    pub origin: Origin,
}

/// The settings of all tests, or of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// By key.
    pub settings: BTreeMap<&'static str, Setting>,
    /// By name.
    pub env: BTreeMap<String, Variable>,
}

impl Section {
    /// Another section on top of this one.
    pub fn cover(&mut self, above: Section) {
        for (name, setting) in above.settings {
            for rival in keys::rivals(name) {
                self.settings.remove(rival);
            }
            self.settings.insert(name, setting);
        }
        self.env.extend(above.env);
    }
}

/// The settings of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestSection {
    /// Where its table begins.
    pub origin: Origin,
    /// What it holds.
    pub section: Section,
}

/// What the settings files of a target hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// For all tests.
    pub base: Section,
    /// For the tests of these names.
    pub tests: BTreeMap<String, TestSection>,
    /// The files, the furthest first.
    pub files: Vec<PathBuf>,
}

impl Settings {
    /// Reads what holds for a target, as it was named.
    pub fn of(target: &str) -> Result<Settings> {
        let mut settings = Settings::default();
        for (path, table) in find::files(target) {
            if let Some(read) = file::read(&path, table)? {
                settings.cover(read);
                settings.files.push(path);
            }
        }
        settings.files.dedup();
        Ok(settings)
    }

    /// Is nothing set?
    pub fn is_empty(&self) -> bool {
        *self == Settings { files: self.files.clone(), ..Settings::default() }
    }

    fn cover(&mut self, above: file::Read) {
        self.base.cover(above.base);
        for (name, test) in above.tests {
            match self.tests.get_mut(&name) {
                Some(known) => known.section.cover(test.section),
                None => drop(self.tests.insert(name, test)),
            }
        }
    }

    /// Every setting, of all tests and of single ones.
    pub fn all(&self) -> impl Iterator<Item = &Setting> {
        let tests = self.tests.values().flat_map(|t| t.section.settings.values());
        self.base.settings.values().chain(tests)
    }
}
