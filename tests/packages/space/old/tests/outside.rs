//! An integration test in edition 2015.
extern crate old;

use old::shelf::Shelf;
use std::sync::Arc;

#[test]
fn from_outside() {
    let shelf = Arc::new(Shelf::default());
    let other = shelf.clone();
    let thread = ::std::thread::spawn(move || other.put(1, "one"));
    shelf.put(1, "two");
    thread.join().unwrap();
    assert_eq!(shelf.books.lock().unwrap().len(), 1);
}
