//! What is written beside the failing samples about what decides (samples/README.md).

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of expectations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    failure: Vec<Failure>,
}

/// How one test fails. The fields are the keys of the table in samples/README.md.
#[allow(missing_docs)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub test: String,
    pub cflags: Option<String>,
    pub kinds: Vec<String>,
    pub preemptions: u32,
    pub mistake: String,
    pub section: Option<Section>,
    pub reason: String,
    pub threads: BTreeMap<String, String>,
    #[serde(default)]
    pub order: Vec<Order>,
    #[serde(default)]
    pub unordered: Vec<Order>,
    #[serde(default)]
    pub wakes: Vec<Wake>,
    #[serde(default)]
    pub inputs: Vec<Input>,
}

/// What should be one step. The fields are the keys of the table in samples/README.md.
#[allow(missing_docs)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    #[serde(rename = "in")]
    pub function: String,
    pub from: String,
    pub to: String,
}

/// Two operations that conflict. The fields are the keys of the table in samples/README.md.
#[allow(missing_docs)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    pub first: Operation,
    pub then: Operation,
}

/// One operation. The fields are the keys of the table in samples/README.md.
#[allow(missing_docs)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    pub by: String,
    pub does: String,
    pub of: String,
    pub line: String,
    #[serde(rename = "in")]
    pub function: Option<String>,
    pub called_on: Option<String>,
    pub occurrence: Option<usize>,
    pub time: Option<u32>,
    #[serde(default)]
    pub pending: bool,
}

/// A choice of whom a notify wakes. The fields are the keys of the table in samples/README.md.
#[allow(missing_docs)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wake {
    pub by: String,
    pub line: String,
    #[serde(rename = "in")]
    pub function: Option<String>,
    pub of: String,
    pub whom: String,
    pub rather: String,
}

/// An input without which it does not fail. The fields are the keys of the table in samples/README.md.
#[allow(missing_docs)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub line: String,
    pub values: Vec<u32>,
}

/// The samples.
pub fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").join("samples")
}

/// A file's text.
pub fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// The lines of a function: from the one that declares it to the brace below it.
pub fn function<'a>(source: &'a str, name: &str) -> Vec<&'a str> {
    let declares = |line: &&str| {
        let text = line.trim().trim_start_matches("pub ");
        let c = line.trim_start() == *line && text.contains(&format!("{name}(")) && !text.ends_with(';');
        c || text.starts_with(&format!("fn {name}("))
    };
    let rest: Vec<&str> = source.lines().skip_while(|line| !declares(line)).collect();
    let first = rest.first().unwrap_or_else(|| panic!("no function {name}"));
    let end = format!("{}}}", &first[..first.len() - first.trim_start().len()]);
    rest.iter().copied().take_while(|line| line.trim_end() != end).collect()
}

/// On how many lines a text stands, in a function or everywhere.
pub fn occurrences(source: &str, within: Option<&str>, text: &str) -> usize {
    let lines = within.map_or_else(|| source.lines().collect(), |name| function(source, name));
    lines.iter().filter(|line| line.contains(text)).count()
}

/// The numbers of the lines, from 1, on which a text stands, in a function or everywhere.
pub fn line_numbers(source: &str, within: Option<&str>, text: &str) -> Vec<u32> {
    let Some(name) = within else {
        return (1..).zip(source.lines()).filter(|(_, line)| line.contains(text)).map(|(n, _)| n).collect();
    };
    let lines = function(source, name);
    // They are parts of the source.
    let offset = lines.first().map_or(0, |first| first.as_ptr() as usize - source.as_ptr() as usize);
    let before = source[..offset].lines().count() as u32;
    (before + 1..).zip(lines).filter(|(_, line)| line.contains(text)).map(|(n, _)| n).collect()
}

/// The expectations beside a sample.
pub fn expected(file: &Path) -> Vec<Failure> {
    let expected: Expected =
        toml::from_str(&read(file)).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    assert!(!expected.failure.is_empty());
    expected.failure
}
