//! A benchmark without a harness.
fn main() {
    assert_eq!(app::sum_of(2), 1);
}
