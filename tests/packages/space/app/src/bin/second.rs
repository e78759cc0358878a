//! A program without tests.
fn main() {
    assert_eq!(app::sum_of(2), 1);
}
