//! How many functions with a body a Rust file has, counted by its tokens alone and not by the
//! instrumenter: whatever stands in a macro's arguments counts too, so that nothing is left out of
//! the sum silently.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Functions in a text; `None` when it has no tokens of Rust.
pub fn functions(text: &str) -> Option<usize> {
    let start = if text.starts_with("#!") && !text.starts_with("#![") { text.find('\n')? } else { 0 };
    text[start..].parse::<TokenStream>().ok().map(count)
}

/// `fn name`, then a body before the next `;`. The name may be a macro's fragment, `$name`.
fn count(tokens: TokenStream) -> usize {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => found += count(group.stream()),
            TokenTree::Ident(word) if word == "fn" => found += usize::from(has_body(&tokens[at + 1..])),
            _ => {}
        }
    }
    found
}

fn has_body(after: &[TokenTree]) -> bool {
    let dollar = matches!(after.first(), Some(TokenTree::Punct(p)) if p.as_char() == '$');
    if !matches!(after.get(usize::from(dollar)), Some(TokenTree::Ident(_))) {
        return false;
    }
    let end = after.iter().find_map(|token| match token {
        TokenTree::Punct(p) if p.as_char() == ';' => Some(false),
        TokenTree::Group(g) if g.delimiter() == Delimiter::Brace => Some(true),
        _ => None,
    });
    end.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_counted_wherever_they_stand() {
        let text = "#!/bin/x\nfn a() -> [u8; 3] { fn b() {} [1; 3] }\ntrait T { fn c(); fn d(&self) {} }\n\
                    macro_rules! m { ($n:ident) => { const fn $n() {} } }\nquickcheck! { fn e() -> bool { true } }\n\
                    type F = fn(u8); // fn no() {}\nconst S: &str = \"fn no() {}\";";
        assert_eq!(functions(text), Some(5));
        assert_eq!(functions("fn f() {"), None);
    }
}
