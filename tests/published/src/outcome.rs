//! What became of a crate or program: the committed file `outcomes.toml`, whose entries a later
//! run must repeat.

use crate::binary::Outcome as Ended;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Everything that was measured, by the order of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Of the crates.
    #[serde(default, rename = "crate", skip_serializing_if = "Vec::is_empty")]
    pub crates: Vec<Outcome>,
    /// Of the C programs.
    #[serde(default, rename = "program", skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<Outcome>,
}

/// Of one crate or program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Its name in the list.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is.
    pub what: String,
    /// Tests that pass, without Raddle.
    pub passed: usize,
    /// Tests that fail, without Raddle.
    pub failed: usize,
    /// Tests that are ignored.
    pub ignored: usize,
    /// Tests that differ with Raddle, and how.
    pub different: Vec<String>,
    /// Places of panics and of frames of backtraces that were compared.
    pub places: usize,
    /// Source files that were compiled.
    pub files: usize,
    /// Their lines.
    pub lines: usize,
    /// What is wrong with edits: a line moved, or the original does not come back.
    pub moved: Vec<String>,
    /// Functions with a marker.
    pub marked: usize,
    /// Closures with a marker, which do not count as functions.
    pub closures: usize,
    /// Functions without a marker, by reason.
    pub left: BTreeMap<String, usize>,
    /// Each test in one execution under Raddle's control. For information: it says how far
    /// Raddle's model of the world reaches, not what the source does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explored: Option<Explored>,
}

/// Tests explored once each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explored {
    /// Without a failure.
    pub passed: usize,
    /// With one.
    pub failed: usize,
    /// Not run: a limit, or something that is not modelled.
    pub refused: usize,
    /// The commonest reasons of the latter two.
    pub why: BTreeMap<String, usize>,
}

impl Outcome {
    /// Functions with a body.
    pub fn functions(&self) -> usize {
        self.marked + self.left.values().sum::<usize>()
    }

    /// Counts a test that ended so without Raddle.
    pub fn add(&mut self, ended: &Ended) {
        match ended {
            Ended::Passed => self.passed += 1,
            Ended::Ignored => self.ignored += 1,
            Ended::Failed | Ended::Died(_) | Ended::Late => self.failed += 1,
        }
    }

    /// What must not be.
    pub fn problems(&self) -> Vec<String> {
        self.different.iter().chain(&self.moved).cloned().collect()
    }

    /// Without what is for information only.
    pub fn promised(&self) -> Outcome {
        Outcome { explored: None, ..self.clone() }
    }
}

impl Outcomes {
    /// Where they are committed.
    pub fn file() -> PathBuf {
        crate::list::folder().join("outcomes.toml")
    }

    /// The committed ones; none where there is no file yet.
    pub fn committed() -> Result<Outcomes, String> {
        let file = Outcomes::file();
        match std::fs::read_to_string(&file) {
            Ok(text) => toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Outcomes::default()),
            Err(e) => Err(format!("{}: {e}", file.display())),
        }
    }

    /// As the file has them.
    pub fn to_text(&self) -> Result<String, String> {
        let text = toml::to_string_pretty(self).map_err(|e| format!("writing outcomes: {e}"))?;
        Ok(format!("# Written by `cargo xtask test --all`; OUTCOMES.md shows it.\n\n{text}"))
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Outcome> {
        self.crates.iter().chain(&self.programs)
    }
}

/// The share of marked functions, in percent with one decimal, rounded down.
pub fn share(marked: usize, functions: usize) -> String {
    let tenths = (marked * 1000).checked_div(functions).unwrap_or(1000);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_read_as_they_were_written() {
        let left = BTreeMap::from([("it is a const fn".to_string(), 2)]);
        let why = BTreeMap::from([("sockets are not modelled".to_string(), 1)]);
        let outcome = Outcome {
            name: "a".into(),
            different: vec!["lib t: is not there with Raddle".into()],
            marked: 97,
            left,
            explored: Some(Explored { why, ..Explored::default() }),
            ..Outcome::default()
        };
        let outcomes = Outcomes { crates: vec![outcome.clone()], programs: vec![outcome.promised()] };
        assert_eq!(toml::from_str::<Outcomes>(&outcomes.to_text().unwrap()).unwrap(), outcomes);
        assert_eq!(share(outcome.marked, outcome.functions()), "97.9 %");
        assert_eq!(share(0, 0), "100.0 %");
    }

    /// Nothing that was committed is a failure, and in sum at least 95 % of the functions carry a
    /// marker, crates and programs each.
    #[test]
    fn what_is_committed_holds() {
        let outcomes = Outcomes::committed().unwrap();
        for outcome in outcomes.all() {
            assert_eq!(outcome.problems(), [""; 0], "{}", outcome.name);
            assert!(outcome.passed > 0, "{}", outcome.name);
        }
        for list in [&outcomes.crates, &outcomes.programs] {
            let (marked, functions) = list.iter().fold((0, 0), |(m, f), o| (m + o.marked, f + o.functions()));
            assert!(marked * 100 >= functions * 95, "{marked} of {functions}");
        }
    }

    /// The committed file is about exactly what the lists pin.
    #[test]
    fn what_is_committed_is_what_is_listed() {
        let outcomes = Outcomes::committed().unwrap();
        let found: Vec<_> = outcomes.all().map(|o| (o.name.clone(), o.version.clone())).collect();
        let crates = crate::list::crates().unwrap().into_iter().map(|c| (c.name, c.version));
        let programs = crate::list::programs().unwrap().into_iter().map(|p| (p.name, p.version));
        assert_eq!(found, crates.chain(programs).collect::<Vec<_>>());
    }
}
