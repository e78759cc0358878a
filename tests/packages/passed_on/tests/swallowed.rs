//! Panics that fail no test, as under `cargo test`: one that main looks at and leaves, and one at which nobody looks.
use std::thread::{self, spawn};

#[test]
fn joined() {
    let t = spawn(|| panic!("swallowed"));
    assert!(t.join().is_err());
}

#[test]
fn detached() {
    spawn(|| panic!("detached"));
}

#[test]
fn handle_dropped() {
    drop(thread::Builder::new().spawn(|| panic!("dropped")).unwrap());
}
