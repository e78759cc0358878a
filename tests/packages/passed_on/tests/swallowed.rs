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

#[test]
fn thrown_away() {
    let t = spawn(|| panic!("thrown away")); // panics
    let _ = t.join();
}

#[test]
fn thrown_away_in_one_of_two_orders() {
    let other = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = other.clone();
    let t = spawn(move || assert!(!seen.load(std::sync::atomic::Ordering::SeqCst), "late"));
    other.store(true, std::sync::atomic::Ordering::SeqCst);
    t.join() // and thrown away
        .ok();
}

#[test]
fn looked_at() {
    let t = spawn(|| panic!("looked at"));
    if let Err(said) = t.join() {
        assert_eq!(said.downcast_ref::<&str>(), Some(&"looked at"));
    }
}
