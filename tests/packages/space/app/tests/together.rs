//! An integration test with a module, and the path of a program.
mod common;

#[test]
fn together() {
    assert_eq!(common::doubled(2), 2);
    assert!(env!("CARGO_BIN_EXE_app").ends_with("app"));
}
