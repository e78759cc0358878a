//! A package of the user's beside the workspace, with unsafe code that is wrong.

use unsound::Shared;
use std::sync::Arc;
use std::thread;
#[test]
fn race() {
    let s = Arc::new(Shared::<u64>::default());
    let r = s.clone();
    let t = thread::spawn(move || r.set(r.get() + 1));
    s.set(s.get() + 1);
    t.join().unwrap();
}
#[test]
fn race_in_the_test() {
    let s = Arc::new(Shared::<u64>::default());
    let r = s.clone();
    let t = thread::spawn(move || r.set(1));
    let p: &u64 = s.peek();
    assert!(*p < 2);
    t.join().unwrap();
}
#[test]
fn lost_update_in_a_dependency() {
    let c = Arc::new(unsound::Count::default());
    let d = c.clone();
    let t = thread::spawn(move || d.inc());
    c.inc();
    t.join().unwrap();
    assert_eq!(c.get(), 2);
}
