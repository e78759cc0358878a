//! The text of a Rust file to a syntax tree, in every edition.
//!
//! syn knows the keywords of the newest edition only. In 2015 `async`, `await` and `try` were names
//! like others, so a file that syn cannot read is read once more with these words as raw
//! identifiers. Trait objects were written without `dyn` until 2018, which syn reads but for those of several bounds
//! (`Box<Fn() + Send>`): where it stops in one, a `dyn` is put before the path. Spans stay, so that offsets are
//! those of the text.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

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
        let again = tokens.ok().and_then(|tokens| with_dyn(as_names(tokens)));
        again.ok_or(error)
    })
}

/// Reads tokens, with `dyn` before each bare trait object that syn stops in.
fn with_dyn(mut tokens: TokenStream) -> Option<syn::File> {
    // Each turn puts in one; a file has no more than so many.
    for _ in 0..1000 {
        let error = match syn::parse2(tokens.clone()) {
            Ok(file) => return Some(file),
            Err(error) => error,
        };
        tokens = dyn_before(tokens, error.span().byte_range().start)?;
    }
    None
}

/// The tokens with a `dyn` before the path whose `+` or `(` is at this offset; `None` if there is no such path.
fn dyn_before(tokens: TokenStream, offset: usize) -> Option<TokenStream> {
    let mut all: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in all.iter_mut().enumerate() {
        let at = token.span().byte_range();
        match token {
            TokenTree::Group(group) if at.contains(&offset) && at.start != offset => {
                let mut inside = Group::new(group.delimiter(), dyn_before(group.stream(), offset)?);
                inside.set_span(group.span());
                *token = inside.into();
                return Some(all.into_iter().collect());
            }
            TokenTree::Punct(_) | TokenTree::Group(_) if at.start == offset => {
                let start = start_of_path(&all[..i]).filter(|_| is_bound(&all[i]))?;
                all.insert(start, Ident::new("dyn", Span::call_site()).into());
                return Some(all.into_iter().collect());
            }
            _ => {}
        }
    }
    None
}

/// Can what follows a path be more of a trait object?
fn is_bound(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(p) => p.as_char() == '+',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Parenthesis,
        _ => false,
    }
}

/// Where the path begins that these tokens end with: names, `::`, `(…)`, `<…>` and `-> Type`.
fn start_of_path(tokens: &[TokenTree]) -> Option<usize> {
    let (mut depth, mut start) = (0, None);
    for (i, token) in tokens.iter().enumerate().rev() {
        let before = i.checked_sub(1).map(|before| &tokens[before]);
        let arrow = matches!(before, Some(TokenTree::Punct(p)) if p.as_char() == '-');
        match token {
            TokenTree::Punct(p) if p.as_char() == '>' && !arrow => depth += 1,
            TokenTree::Punct(p) if p.as_char() == '<' && depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            TokenTree::Punct(p) if matches!(p.as_char(), ':' | '>' | '-') => {}
            TokenTree::Ident(name) if name == "mut" || name == "const" || name == "dyn" => break,
            TokenTree::Ident(_) | TokenTree::Group(_) => {}
            _ => break,
        }
        start = Some(i);
    }
    start
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
    fn trait_objects_without_dyn_are_read() {
        let text = "type A = Fn(u8) -> u8 + Send;\nfn f(a: Box<Fn(u32) + Send>, b: &mut (a::T<u8, V> + 'static)) -> Box<::E + Sync> \
                    {\n  let x: Vec<Box<FnMut(&str) + Send + 'a>> = try; 1 + 2\n}\n";
        let read = file(text).unwrap();
        let syn::Item::Fn(function) = &read.items[1] else { panic!("no function") };
        let place = function.sig.ident.span().byte_range();
        assert_eq!((&text[place], function.block.stmts.len()), ("f", 2));
        assert!(file("fn f() { let a = b + ; }").is_err());
    }

    #[test]
    fn what_is_no_rust_in_any_edition_is_told_as_syn_tells_it() {
        let told = |read: syn::Result<syn::File>| read.map(|_| ()).unwrap_err().to_string();
        assert_eq!(told(file("fn f( {")), told(syn::parse_file("fn f( {")));
        assert!(file("async fn f() { x.await }").is_ok());
        assert!(file("async fn f() { x.await; ?? }").is_err());
    }
}
