//! No procedural macro.

#[test]
fn macro_code_not() {
    assert_eq!(1, 1);
}
