//! The program itself, as `cargo xtask test` starts it: cargo builds it for this test, with all others of the workspace.

use std::process::Command;

#[test]
fn without_a_word_it_says_how_it_is_used() {
    let output = Command::new(env!("CARGO_BIN_EXE_raddle-published")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("usage: raddle-published always | all | NAME"), "{said}");
}
