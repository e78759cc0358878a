//! Code of the program that carries no marker and may call more than one thing: async code with macros (`awaits`), what macros are given
//! that is not read, closures outside of functions. What it calls cannot be told apart by the marked functions around
//! it, so in a program with such code the runtime takes no calls into dependencies together.
//!
//! Where it is not known, the answer is yes: that costs executions and nothing else. A closure that makes one
//! call at most needs no marker, since that call is made on behalf of the one that runs the closure.

use super::parts::Parts;
use super::watch::output;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, Token};

/// Where it is noted which crates have such code, in a build that keeps its records there.
fn notes(records: &Path) -> PathBuf {
    records.with_extension("unmarked")
}

/// Notes of the crate that is compiled with these arguments whether it has such code.
pub(super) fn note(records: &Path, args: &[OsString], has: bool) -> std::io::Result<()> {
    let name = output(args).unwrap_or_else(|| "unnamed".into());
    let note = notes(records).join(name);
    match has {
        true => fs::create_dir_all(notes(records)).and_then(|()| fs::write(note, "")),
        false if note.exists() => fs::remove_file(note),
        false => Ok(()),
    }
}

/// Is there a crate with such code among those of a program? Where these are not known, all that were ever built count.
pub fn is_noted(records: &Path, parts: Option<&Parts>) -> bool {
    let notes = notes(records);
    match parts {
        Some(parts) => parts.outputs.iter().any(|name| notes.join(name).exists()),
        None => fs::read_dir(notes).is_ok_and(|mut notes| notes.next().is_some()),
    }
}

/// All that a macro is given, as expressions with commas between them.
fn expressions(tokens: &TokenStream) -> Option<Vec<Expr>> {
    let all = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens.clone()).ok()?;
    Some(all.into_iter().collect())
}

/// Are there several calls in this body, apart from those in closures of its own?
pub(super) fn calls_several(body: &Expr) -> bool {
    let mut calls = Calls(0);
    calls.visit_expr(body);
    calls.0 > 1
}

/// Are there functions, closures or async blocks in these expressions, none of which gets a marker?
pub(super) fn in_expressions(expressions: &[Expr]) -> bool {
    let mut search = Search(false);
    expressions.iter().for_each(|e| search.visit_expr(e));
    search.0
}

/// Are there such among the tokens that a macro is given?
pub(super) fn in_tokens(tokens: &TokenStream) -> bool {
    expressions(tokens).map_or_else(|| is_among(tokens, true), |all| in_expressions(&all))
}

/// The same of what is read as far as it is expressions.
pub(super) fn in_rest(tokens: &TokenStream) -> bool {
    expressions(tokens).is_none() && is_among(tokens, true)
}

/// Are there such in the body of a macro's rule, apart from the functions, which are looked at one by one?
pub(super) fn in_rule(body: &TokenStream) -> bool {
    is_among(body, false)
}

/// Counts calls.
struct Calls(usize);

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        // `Some(…)` and its like run nothing.
        let is_constructor = matches!(call.func.as_ref(), Expr::Path(p)
            if p.path.segments.last().is_some_and(|s| s.ident.to_string().starts_with(char::is_uppercase)));
        self.0 += usize::from(!is_constructor);
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.0 += 1;
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        match expressions(&mac.tokens) {
            Some(all) => {
                self.0 += 1;
                all.iter().for_each(|e| self.visit_expr(e));
            }
            None => self.0 += 2,
        }
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Looks for what has no marker.
struct Search(bool);

impl<'ast> Visit<'ast> for Search {
    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.0 |= closure.asyncness.is_some() || calls_several(&closure.body);
        visit::visit_expr_closure(self, closure);
    }

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {
        self.0 = true;
    }

    fn visit_item_fn(&mut self, _: &'ast syn::ItemFn) {
        self.0 = true;
    }

    fn visit_item_impl(&mut self, _: &'ast syn::ItemImpl) {
        self.0 = true;
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.0 |= in_tokens(&mac.tokens);
    }
}

fn is_among(tokens: &TokenStream, functions: bool) -> bool {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    (0..trees.len()).any(|i| match &trees[i] {
        TokenTree::Ident(word) if word == "async" || word == "include" => true,
        TokenTree::Ident(word) if word == "fn" => functions && !is_parameters(trees.get(i + 1)),
        TokenTree::Punct(bar) if bar.as_char() == '|' && begins_closure(&trees[..i]) => {
            body_calls_several(&trees[i + 1..])
        }
        TokenTree::Group(group) => is_among(&group.stream(), functions),
        _ => false,
    })
}

/// `fn(` is a type.
pub(super) fn is_parameters(tree: Option<&TokenTree>) -> bool {
    matches!(tree, Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis)
}

/// Does a bar behind these tokens begin a closure's parameters? Elsewhere it stands behind an operand.
fn begins_closure(before: &[TokenTree]) -> bool {
    match before.last() {
        None => true,
        Some(TokenTree::Punct(p)) => p.as_char() != '|' && p.as_char() != '?',
        Some(TokenTree::Ident(word)) => word == "move" || word == "return" || word == "static",
        Some(_) => false,
    }
}

/// The rest of a closure behind its first bar: are there several calls up to where it may end?
fn body_calls_several(rest: &[TokenTree]) -> bool {
    let is =
        |tree: &TokenTree, marks: &str| matches!(tree, TokenTree::Punct(p) if marks.contains(p.as_char()));
    let Some(end) = rest.iter().position(|tree| is(tree, "|")) else { return true };
    let body = &rest[end + 1..];
    let end = body.iter().position(|tree| is(tree, ",;")).unwrap_or(body.len());
    count(&body[..end]) > 1
}

/// Calls among tokens: parentheses behind a name, and macros, which may make any number.
fn count(trees: &[TokenTree]) -> usize {
    let mut calls = 0;
    for (i, tree) in trees.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| &trees[i]);
        match tree {
            // A fragment may be anything, and so may what a macro makes.
            TokenTree::Punct(p) if p.as_char() == '$' || p.as_char() == '!' => calls += 2,
            TokenTree::Group(group) => {
                let called = group.delimiter() == Delimiter::Parenthesis
                    && matches!(
                        before,
                        Some(TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Punct(_))
                    );
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                calls += usize::from(called) + count(&inner);
            }
            _ => {}
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use crate::instrument::Statements;
    use crate::rust::functions::{Crate, instrument};

    fn unmarked(text: &str) -> bool {
        instrument(text, &[], Crate::default(), &Statements::None).unwrap().unmarked
    }

    #[test]
    fn async_code_and_what_macros_hide_is_known() {
        for text in [
            "async fn f() { select!(g(); h()) }",
            "fn f() { run(async { join!(g); h() }) }",
            "fn f() { run(async || g()) }",
            "static S: L<u8> = L::new(async { g() });",
            "pass! { fn f(c: &C) { let v = c.load(); c.store(v + 1) } }",
            "fn f() { check!(|| { c.load(); c.store(1) }) }",
            "fn f() { odd! { go => move || { c.load(); c.store(1) } } }",
            "fn f() { assert!(v.iter().all(|c| c.load() == d.load())) }",
            "static S: L<u8> = L::new(|| { c.load(); c.load() });",
            "static T: L<u8> = spawn(|| { c.load(); c.load() });",
            "macro_rules! m { ($c:expr) => { spawn(move || { $c.load(); $c.load(); }) } }",
            "macro_rules! m { ($q:ident) => { $q fn f() { c.load(); c.load() } } }",
            "macro_rules! m { ($n:ident) => { pass! { fn $n() { c.load(); c.load() } } } }",
            "mod inner { include!(\"inner.rs\"); }",
        ] {
            assert!(unmarked(text), "{text}");
        }
    }

    #[test]
    fn what_has_markers_is_known_too() {
        for text in [
            "fn f() { let v = c.load(); c.store(v + 1) }",
            "const fn f() -> u8 { 1 }",
            "async fn f() { g().await; h() }",
            "fn f() { run(async { g(); h() }) }",
            "fn f() { go(|| { c.load(); c.store(1) }); spawn(move || { c.load(); c.store(1) }); }",
            "fn f() { assert_eq!(c.load(), d.load()); assert!(v.iter().all(|c| c.load() == 1)) }",
            "fn f() { odd! { a || b => c.load() => d.load() } }",
            "static S: L<u8> = L::new(|| c.load());",
            "thread_local! { static S: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) } }",
            "macro_rules! m { ($n:ident) => { fn $n(f: fn(u8)) { c.load(); c.store(1) } } }",
            "macro_rules! m { ($t:ty) => { impl A for $t { fn f() { c.load(); c.store(1) } } } }",
        ] {
            assert!(!unmarked(text), "{text}");
        }
    }
}
