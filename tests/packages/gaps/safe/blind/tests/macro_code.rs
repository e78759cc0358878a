//! A program with a procedural macro.

#[test]
fn macro_code() {
    assert_eq!(macros::nothing!(1), 1);
}
