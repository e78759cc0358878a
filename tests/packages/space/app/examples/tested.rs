//! An example with a test.
fn main() {}

#[test]
fn in_an_example() {
    assert_eq!(app::sum_of(2), 1);
}
