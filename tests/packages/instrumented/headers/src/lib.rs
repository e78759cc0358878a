//! Interleavings that only points in headers of loops, in arms without braces and before reads of
//! oddly named statics make. Each test fails in one of them.
#![cfg(test)]
#![deny(warnings)]

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

fn step(a: &AtomicU32) -> Option<u32> {
    a.fetch_update(SeqCst, SeqCst, |v| if v < 2 { Some(v + 1) } else { None }).ok()
}

#[test]
fn condition_with_a_pattern() {
    static A: AtomicU32 = AtomicU32::new(0);
    let t = thread::spawn(|| { while let Some(_) = step(&A) {} });
    let seen = A.load(SeqCst);
    t.join().unwrap();
    assert!(seen != 1, "seen between");
}

#[test]
fn iterator() {
    static A: AtomicU32 = AtomicU32::new(0);
    let t = thread::spawn(|| { for _ in std::iter::from_fn(|| step(&A)) {} });
    let seen = A.load(SeqCst);
    t.join().unwrap();
    assert!(seen != 1, "seen between");
}

#[test]
fn behind_continue() {
    static A: AtomicU32 = AtomicU32::new(0);
    let t = thread::spawn(|| { for i in std::iter::from_fn(|| step(&A)) { if i == 0 { continue } return } });
    let seen = A.load(SeqCst);
    t.join().unwrap();
    assert!(seen != 1, "seen between");
}

#[test]
fn arm() {
    static A: AtomicU32 = AtomicU32::new(0);
    let t = thread::spawn(|| match A.load(SeqCst) { 0 => A.store(1, SeqCst), n => A.store(n + 1, SeqCst) });
    A.fetch_add(1, SeqCst);
    t.join().unwrap();
    assert_eq!(A.load(SeqCst), 2);
}

#[test]
fn closure() {
    static A: AtomicU32 = AtomicU32::new(0);
    let t = thread::spawn(|| (0..2).for_each(|_| A.store(A.load(SeqCst) + 1, SeqCst)));
    let seen = A.load(SeqCst);
    t.join().unwrap();
    assert!(seen != 1, "seen between");
}

#[allow(non_upper_case_globals)]
static mut x: u32 = 0;
#[allow(non_upper_case_globals)]
static mut y: u32 = 0;

#[test]
fn statics_in_small_letters() {
    let t = thread::spawn(|| unsafe { x = 1; let r = y; r });
    let mine = unsafe { y = 1; let r = x; r };
    let other = t.join().unwrap();
    assert!(mine == 0 || other == 0, "both saw");
}
