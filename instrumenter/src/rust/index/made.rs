//! What may make tests that no source says: macros that write `#[test]`, and attributes that make several of one function.
//! Their names are known once the program is built; here it is only told that there are some.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Attributes of crates that make tests of cases.
const OF_CASES: [&str; 5] = ["test_case", "case", "rstest", "quickcheck", "parameterized"];

/// Does a macro's definition, or what one is given, say `#[test]`?
pub fn says_test(tokens: &TokenStream) -> bool {
    let mut marked = false;
    tokens.clone().into_iter().any(|token| {
        let before =
            std::mem::replace(&mut marked, matches!(&token, TokenTree::Punct(p) if p.as_char() == '#'));
        let TokenTree::Group(group) = token else { return false };
        let is_attribute = before && group.delimiter() == Delimiter::Bracket;
        is_attribute && ends_in_test(group.stream()) || says_test(&group.stream())
    })
}

/// `test`, `tokio::test`, `tokio::test(flavor = "…")`.
fn ends_in_test(attribute: TokenStream) -> bool {
    let last = attribute.into_iter().take_while(|token| !matches!(token, TokenTree::Group(_))).last();
    matches!(last, Some(TokenTree::Ident(name)) if name == "test")
}

/// Does this attribute make tests of a function, under other names than its own?
pub fn makes_cases(attribute: &syn::Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|s| OF_CASES.iter().any(|name| s.ident == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_writes_tests_is_known() {
        let check = |text: &str, expected| assert_eq!(says_test(&text.parse().unwrap()), expected, "{text}");
        check("($n:ident) => { #[test] fn $n() {} };", true);
        check("#[tokio::test(flavor = \"current_thread\")] async fn a() {}", true);
        check("($e:expr) => { assert!($e, [test]) };", false);
        check("() => { #[cfg(test)] mod tests; };", false);
    }
}
