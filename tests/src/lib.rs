//! What the end-to-end tests share: finding the real `raddle` binary, giving it a scratch copy
//! of a program, running it with a time limit, and reading what it says.
//!
//! Every test works on a copy in a temporary folder, so that nothing is written beside the
//! sources. The cache folder is shared by the tests of one run: the facade is compiled once.

pub mod binary;
pub mod debugger;
pub mod draw;
pub mod expected;
pub mod extent;
pub mod host;
pub mod lsp;
pub mod processes;
pub mod projects;
pub mod run;
pub mod scratch;
pub mod screen;
pub mod searches;
pub mod texts;

pub use draw::Draw;
pub use run::{Raddle, Run, raddle};
pub use scratch::Scratch;

use raddle_protocol::report::{Failure, Report};

/// The one failure of a report.
#[track_caller]
pub fn only_failure(report: &Report) -> &Failure {
    assert_eq!(report.failures.len(), 1, "exactly one failure in {report:#?}");
    &report.failures[0]
}

/// Line of the only line of this file that contains the marker, from 1. Expected places are found
/// by what stands there, so that editing a program does not break its test.
#[track_caller]
pub fn line_of(text: &str, marker: &str) -> u32 {
    let found: Vec<usize> =
        text.lines().enumerate().filter(|(_, l)| l.contains(marker)).map(|(i, _)| i + 1).collect();
    assert_eq!(found.len(), 1, "one line with {marker:?} in:\n{text}");
    found[0] as u32
}

/// Nothing was left over from one execution to the next: a search that found a leftover would have
/// started again with forked children, and said so.
#[track_caller]
pub fn assert_rolled_back(report: &Report) {
    let switched = report.warnings.iter().any(|w| w.kind == "isolation");
    assert!(!switched && report.failures.is_empty(), "{report:#?}");
}
