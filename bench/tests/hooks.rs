//! `raddle-bench hooks` on its smallest program: every figure is there. How large they are is nobody's business here.

use raddle_tests::binary::{binary, shared_cache};
use std::process::Command;

#[test]
fn a_program_is_measured_as_it_is_and_in_raddle_with_hooks_and_without() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle-bench"));
    command.args(["hooks", "1", "mutex 2x2"]).env("RADDLE_BIN", binary()).env("RADDLE_CACHE", shared_cache());
    let output = command.output().expect("the benchmark starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|l| l.starts_with("| mutex 2x2 |"))
        .map(|l| l.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 4, "{text}");
    for time in &rows[0][1..] {
        assert!(time.parse::<f64>().is_ok_and(|t| t > 0.0), "{time}: {text}");
    }
    let searched: Vec<[&str; 2]> = rows[1..].iter().map(|r| [r[1], r[2]]).collect();
    assert_eq!(searched, [["with", "sync"], ["with", "access"], ["without", "sync"]]);
    // The orders in which two threads can enter twice each, whatever the points and hooks.
    for row in &rows[1..] {
        assert_eq!(row[5], "6", "{text}");
        assert!(row[7].starts_with("over "), "{text}");
    }
}

#[test]
fn a_program_that_is_not_there_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle-bench"));
    let output = command.args(["hooks", "1", "mutex"]).output().expect("the benchmark starts");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("there is no program \"mutex\", only mutex 2x2, "), "{said}");
}
