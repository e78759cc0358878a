//! Async code: its marker, and what is put around each future that it awaits, so that the marker's function is on the stack of
//! the thread that polls it and on no other (`runtime/std/facade/src/raddle_marks.rs`, `Task`).
//!
//! An `await` that is not seen here would leave the function on the stack of a thread that has gone on to something else. Macros that
//! are not known may have one in them: async code with such a macro has no marker, as [`super::unmarked`] notes.

use super::functions::{Body, Form, TASK, Walk};
use super::macros::{awaiting, is_of_expressions};
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Macros that await nothing but what is awaited in the tokens they are given.
const AWAIT_NOTHING: [&str; 17] = [
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "env",
    "file",
    "include_bytes",
    "include_str",
    "line",
    "module_path",
    "option_env",
    "pin",
    "pin_mut",
    "stringify",
    "thread_local",
    "addr_of",
];

/// Can this async body await something where it is not seen?
pub(super) fn are_hidden(block: &syn::Block) -> bool {
    let mut search = Search(false);
    search.visit_block(block);
    search.0
}

struct Search(bool);

impl<'ast> Visit<'ast> for Search {
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let Some(name) = mac.path.segments.last().map(|s| s.ident.to_string()) else { return };
        match awaiting(mac) {
            Some(expressions) => expressions.iter().for_each(|e| self.visit_expr(e)),
            None => {
                let is_known = AWAIT_NOTHING.contains(&name.as_str()) || is_of_expressions(mac);
                self.0 |= !is_known || stand_in(&mac.tokens);
            }
        }
    }

    // Bodies of their own.
    fn visit_item(&mut self, _: &'ast syn::Item) {}
    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}
    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        if closure.asyncness.is_none() {
            visit::visit_expr_closure(self, closure);
        }
    }
}

/// Does something await in these tokens?
pub(super) fn stand_in(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(word) => word == "await",
        TokenTree::Group(group) => stand_in(&group.stream()),
        _ => false,
    })
}

impl Walk<'_> {
    /// An async block gets a marker as a closure that is passed to a spawn does.
    pub(super) fn async_block(&mut self, e: &syn::ExprAsync) {
        let body = self.body.clone().filter(|_| !are_hidden(&e.block));
        let Some(outer) = body else {
            self.done.unmarked = true;
            return self.inside(None, |w| visit::visit_expr_async(w, e));
        };
        let name = format!("{}::{{async}}", outer.name);
        let points = self.wants_points_in(&outer, &name);
        let body = Body { name, points, again: false, is_async: true, ..outer };
        self.mark_block(body, &e.block, Form::Match, None);
    }

    /// `future.await` becomes `task.wait(future).await`.
    pub(super) fn awaits(&mut self, e: &syn::ExprAwait) {
        if self.body.as_ref().is_none_or(|body| !body.is_async) {
            return self.visit_expr(&e.base);
        }
        let is_bracketed = matches!(&*e.base, syn::Expr::Paren(base) if base.attrs.is_empty());
        let (open, close) = if is_bracketed { ("", "") } else { ("(", ")") };
        let (from, to) = (self.from(e.base.span()), self.to(e.base.span()));
        self.edits().insert(from, format!("{TASK}.wait{open}"));
        self.visit_expr(&e.base);
        self.edits().insert(to, close);
    }
}
