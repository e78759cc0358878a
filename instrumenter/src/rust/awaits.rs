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

#[cfg(test)]
mod tests {
    use crate::instrument::Statements;
    use crate::rust::functions::{Crate, instrument};

    fn edited(text: &str) -> (String, bool) {
        let done = instrument(text, &[], Crate::default(), &Statements::None).unwrap();
        let text = done.edits.apply(text).replace("match ::std::raddle_async!(", "<");
        (
            text.replace("){_raddle_task=>{", "|").replace("}}}", "|>}").replace("_raddle_task.", "@"),
            done.unmarked,
        )
    }

    #[test]
    fn futures_that_are_awaited_are_wrapped() {
        for (text, wanted) in [
            ("async fn f() { g().await }", "async fn f() {<\"f\"| @wait(g()).await |>}"),
            (
                "async fn f() { a.b().await?.c().await; }",
                "async fn f() {<\"f\"| @wait(@wait(a.b()).await?.c()).await; |>}",
            ),
            ("async fn f() { (&mut a).await }", "async fn f() {<\"f\"| @wait(&mut a).await |>}"),
            (
                "fn f() { run(async move { g().await; }) }",
                "fn f() {match ::std::raddle_fn!(\"f\"){_raddle=>{ run(async move {<\"f::{async}\"| @wait(g()).await; |>}) |>}",
            ),
            (
                "async fn f() { assert_eq!(g().await, 1) }",
                "async fn f() {<\"f\"| assert_eq!(@wait(g()).await, 1) |>}",
            ),
            (
                "async fn f() { assert!(g().await) }",
                "async fn f() {<\"f\"| assert!(@wait(g()).await, \"{}\", ::std::raddle_asserted!(g().await)) |>}",
            ),
        ] {
            let (text, unmarked) = edited(text);
            assert_eq!(text, wanted);
            assert!(!unmarked, "{text}");
        }
    }

    #[test]
    fn what_macros_may_await_leaves_async_code_alone() {
        for text in [
            "async fn f() { select! { x = g() => h() } }",
            "async fn f() { tokio::join!(g(), h()); }",
            "async fn f() { dbg!(g().await); }",
            "async fn f() { assert!(dbg!(g().await)) }",
            "fn f() { run(async { mine!(g) }) }",
        ] {
            let (edited, unmarked) = edited(text);
            assert!(!edited.contains('@') && unmarked, "{edited}");
        }
    }
}
