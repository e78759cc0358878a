//! Most of it can be instrumented.

mod counts_tokens;

#[test]
fn counted() {
    assert_eq!(counts_tokens::answer(), 42);
}
