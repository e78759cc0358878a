//! The gaps of a program that its files tell, before anything runs: each with its words in the guarantee.

use raddle_protocol::gap::Gap;
use std::collections::BTreeSet;

/// Begins the term of a guarantee that names the level of optimisation of what was compiled.
pub const MERGED: &str = "accesses that the compiler merged at ";

/// The parts of a program that the runtime does not see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unwatched {
    gaps: BTreeSet<Gap>,
    words: Vec<String>,
    warnings: BTreeSet<String>,
}

impl Unwatched {
    /// With one gap more, in these words.
    pub fn add(&mut self, gap: Gap, words: impl Into<String>) {
        self.gaps.insert(gap);
        self.words.push(words.into());
    }

    /// With the other's gaps behind its own.
    pub fn extend(&mut self, other: Unwatched) {
        self.gaps.extend(other.gaps);
        self.words.extend(other.words);
        self.warnings.extend(other.warnings);
    }

    /// With a warning of what the user may mend.
    pub fn warn(&mut self, warning: String) {
        self.warnings.insert(warning);
    }

    /// Prints the warnings that are not in `printed`, and adds them there.
    pub fn print_warnings(&self, printed: &mut BTreeSet<String>) {
        for warning in self.warnings.iter().filter(|warning| !printed.contains(*warning)) {
            eprintln!("warning: {warning}");
        }
        printed.extend(self.warnings.iter().cloned());
    }

    /// The gaps, for the verdict line.
    pub fn gaps(&self) -> &BTreeSet<Gap> {
        &self.gaps
    }

    /// All of it in the words of the guarantee.
    pub fn words(&self) -> String {
        self.words.join(", ")
    }

    /// Does the runtime see everything?
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}
