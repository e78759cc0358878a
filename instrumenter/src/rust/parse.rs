//! The text of a Rust file to a syntax tree, in every edition.
//!
//! syn knows the keywords of the newest edition only. In 2015 `async`, `await` and `try` were names
//! like others, so a file that syn cannot read is read once more with these words as raw
//! identifiers. Their spans stay, so that offsets are those of the text.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};

/// Keywords that were none in edition 2015.
const LATER: [&str; 3] = ["async", "await", "try"];

/// Where the text begins for syn, which takes a byte order mark and a `#!` line away.
pub(super) fn start_of_code(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let code = &text[mark..];
    let is_shebang = code.starts_with("#!") && !code[2..].trim_start().starts_with('[');
    if is_shebang { mark + code.find('\n').unwrap_or(code.len()) } else { mark }
}

/// Reads a file. Offsets in its spans begin at [`start_of_code`].
pub(super) fn file(text: &str) -> syn::Result<syn::File> {
    syn::parse_file(text).or_else(|error| {
        let tokens = text[start_of_code(text)..].parse::<TokenStream>();
        let again = tokens.ok().and_then(|tokens| syn::parse2(as_names(tokens)).ok());
        again.ok_or(error)
    })
}

/// With the later keywords as names, but for `try!(…)`, which syn takes for the macro that it is.
fn as_names(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut named = Vec::new();
    while let Some(token) = tokens.next() {
        let is_macro = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '!');
        named.push(match token {
            TokenTree::Ident(word) if !is_macro && LATER.iter().any(|later| word == later) => {
                Ident::new_raw(&word.to_string(), word.span()).into()
            }
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), as_names(group.stream()));
                inside.set_span(group.span());
                inside.into()
            }
            other => other,
        });
    }
    named.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_of_later_editions_are_names() {
        let text = "#!/bin/x\nfn try(async: u8) -> R { try!(self.try()); await }\nmod m { fn await() {} }\n";
        let read = file(text).unwrap();
        let syn::Item::Fn(function) = &read.items[0] else { panic!("no function") };
        assert_eq!(function.sig.ident, "r#try");
        assert_eq!(function.sig.ident.span().start().line, 2);
        let start = start_of_code(text);
        let place = function.sig.ident.span().byte_range();
        assert_eq!(&text[start + place.start..start + place.end], "try");
        let body = function.block.brace_token.span;
        assert_eq!(&text[start + body.open().byte_range().start..][..2], "{ ");
        assert_eq!(&text[start + body.close().byte_range().start..][..2], "}\n");
    }

    #[test]
    fn functions_in_such_files_carry_markers() {
        use crate::instrument::Statements;
        use crate::rust::functions::{Crate, instrument};
        let text = "impl Once { fn try(&self) { self.await() } }";
        let done = instrument(text, &[], Crate { edition: 2015, no_std: true }, &Statements::None).unwrap();
        // As a raw identifier, as it has to be written from 2018 on.
        assert_eq!(done.marked[0].name, "Once::r#try");
        let edited = done.edits.apply(text);
        let marker = "{match ::core::raddle_fn!(\"Once::r#try\"){_raddle=>{";
        assert_eq!(edited, format!("impl Once {{ fn try(&self) {marker} self.await() }}}}}} }}"));
    }

    #[test]
    fn what_is_no_rust_in_any_edition_is_told_as_syn_tells_it() {
        let told = |read: syn::Result<syn::File>| read.map(|_| ()).unwrap_err().to_string();
        assert_eq!(told(file("fn f( {")), told(syn::parse_file("fn f( {")));
        assert!(file("async fn f() { x.await }").is_ok());
        assert!(file("async fn f() { x.await; ?? }").is_err());
    }
}
