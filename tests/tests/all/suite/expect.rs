//! What is written beside a program of the suite about how it ends (tests/suite/README.md).

use raddle_tests::expected::read;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A file of expectations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// How many threads `-DORDER=…` orders; 0 where the program starts its threads itself.
    pub threads: usize,
    /// The program and its broken forms.
    #[serde(rename = "form")]
    pub forms: Vec<Form>,
}

/// One form of a program. The fields are the keys of the table in tests/suite/README.md.
#[allow(missing_docs)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    pub define: String,
    pub verdict: String,
    pub kind: Option<String>,
    pub message: Option<String>,
    pub warning: Option<String>,
    #[serde(default)]
    pub races: bool,
    pub preemptions: Option<u32>,
    pub traces: Option<u64>,
    #[serde(default)]
    pub deadlocked: u64,
    pub observed: Option<String>,
    pub why: String,
}

impl Form {
    /// The compiler's flags for this form.
    pub fn flags(&self) -> String {
        self.define.split_whitespace().map(|name| format!("-D{name}")).collect::<Vec<_>>().join(" ")
    }

    /// Does what it does depend on the compiler?
    pub fn races(&self) -> bool {
        self.races || self.kind.as_deref() == Some("data-race")
    }

    /// What is written in it contradicts itself?
    pub fn nonsense(&self) -> Option<&'static str> {
        let failed = self.verdict == "failed";
        if !failed && self.verdict != "passed" {
            return Some("the verdict is neither `passed` nor `failed`");
        }
        if failed != self.kind.is_some() || failed != self.preemptions.is_some() {
            return Some("a failure has a kind and preemptions, and nothing else has");
        }
        if self.why.trim().len() < 10 {
            return Some("it is not said why");
        }
        (self.observed.is_some() && self.traces.is_none()).then_some("observed, but no traces")
    }
}

/// Where the programs lie.
pub fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suite")
}

/// The expectations of one program.
#[track_caller]
pub fn expect(program: &str) -> Expect {
    let file = suite().join(program).join("expect.toml");
    let expect: Expect = toml::from_str(&read(&file)).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    assert!(!expect.forms.is_empty(), "{program} has no form");
    expect
}

/// The names of all programs, sorted.
pub fn programs() -> Vec<String> {
    let entries = std::fs::read_dir(suite()).expect("the suite").flatten();
    let folders = entries.filter(|e| e.path().is_dir());
    let mut names: Vec<String> = folders.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
