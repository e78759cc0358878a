//! What is inserted into a Rust file: a marker at the beginning of every function, method and
//! closure that is passed to a spawn, a lesser one in closures that call something, and where asked a schedule point before every statement
//! (`statements`). The text goes in, the insertions come out; nothing is compiled here.
//!
//! A marker is the scrutinee of a `match` around the body: `{match ::std::raddle_fn!("f"){_raddle=>{`
//! … `}}}`. It lives as long as the arm, so the temporaries of the body's last expression go before
//! it in every edition, and the types of that expression are inferred as before. (A plain `let`
//! would go before them up to edition 2021.) Where `impl Trait` is returned, a `match` would hide from
//! a closure what is expected of it: there it is a `let` after all (`Form`).
//!
//! Async code is in its function while a thread polls it: what it awaits is wrapped, so that the thread leaves the function where that is
//! pending (`awaits`).
//!
//! [`instrument`] walks the file (`Walk`, a visitor). What it knows at a place is the path of
//! modules, types and functions around it, and the `Body` it is in: none inside of constants, where nothing may be inserted. Macros are handled in `macros`.

use super::index::{bare, type_name};
use super::loops::binds;
use super::parse::{self, start_of_code};
use super::signatures::{
    bound, calls, first_statement, is_spawn, literal, may_be_job, reason_to_leave, returns_impl,
};
use super::unmarked::calls_several;
use crate::edits::Edits;
use crate::instrument::{Instrumented, Left, Marked, Statements};
use proc_macro2::Span;
use std::collections::BTreeSet;
use std::rc::Rc;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// What is known of a file's crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crate {
    /// Its edition: 2015, 2018, …
    pub edition: u16,
    /// Is it compiled without std, `#![no_std]`?
    pub no_std: bool,
}

impl Default for Crate {
    fn default() -> Self {
        Crate { edition: 2021, no_std: false }
    }
}

impl Crate {
    /// From where the macros are named. Up to edition 2015 there is only the crate that the compiler
    /// put in; later both are there always.
    fn facade(self) -> &'static str {
        if self.edition == 2015 && self.no_std { "::core" } else { "::std" }
    }
}

/// Instruments the text of a file that is this module of its crate.
///
/// # Errors
/// Why syn cannot read it.
pub fn instrument(
    text: &str,
    module: &[String],
    of: Crate,
    statements: &Statements,
) -> Result<Instrumented, String> {
    let file = parse::file(text).map_err(|e| format!("line {}: {e}", e.span().start().line))?;
    let mut walk = Walk {
        start: start_of_code(text),
        done: Instrumented::default(),
        path: module.to_vec(),
        facade: of.facade(),
        statements,
        body: None,
    };
    walk.visit_file(&file);
    Ok(walk.done)
}

/// The function whose body the walk is in.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Its qualified name.
    pub(super) name: String,
    /// Are points put before its statements?
    pub(super) points: bool,
    /// Inside of an unsafe block or function: a static may be written.
    pub(super) is_unsafe: bool,
    /// The names that patterns of the function bind.
    pub(super) bound: Rc<BTreeSet<String>>,
    /// In a loop whose header is evaluated again by `continue`, and can touch shared memory.
    pub(super) again: bool,
    /// It is async.
    pub(super) is_async: bool,
}

/// The marker of async code, and the variable that it is in.
const ASYNC: &str = "raddle_async";
pub(super) const TASK: &str = "_raddle_task";

/// How a marker stands in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The body is the arm of a `match`.
    Match,
    /// A variable before it.
    Let,
}

/// One walk over a file.
pub(super) struct Walk<'a> {
    /// Byte offset in the text of what syn calls the start.
    start: usize,
    pub(super) done: Instrumented,
    /// Modules, types and functions around the current item.
    path: Vec<String>,
    /// The crate that has the macros.
    pub(super) facade: &'static str,
    statements: &'a Statements,
    /// `None` outside of functions, and where nothing may be inserted.
    pub(super) body: Option<Body>,
}

impl Walk<'_> {
    /// The byte offset at which a span begins.
    pub(super) fn from(&self, span: Span) -> usize {
        self.start + span.byte_range().start
    }

    /// The byte offset at which a span ends.
    pub(super) fn to(&self, span: Span) -> usize {
        self.start + span.byte_range().end
    }

    pub(super) fn edits(&mut self) -> &mut Edits {
        &mut self.done.edits
    }

    /// Puts the beginning of a marker before the body. `name` is the macro's argument.
    pub(super) fn open(&mut self, form: Form, at: usize, name: &str) {
        self.open_with("raddle_fn", form, at, name);
    }

    fn open_with(&mut self, marker: &str, form: Form, at: usize, name: &str) {
        let call = format!("{}::{marker}!({name})", self.facade);
        let variable = if marker == ASYNC { TASK } else { "_raddle" };
        let text = match form {
            Form::Match => format!("match {call}{{{variable}=>{{"),
            Form::Let => format!("let {variable}={call};"),
        };
        self.edits().insert(at, text);
    }

    /// Puts its end behind the body.
    pub(super) fn close(&mut self, form: Form, at: usize) {
        if form == Form::Match {
            self.edits().insert(at, "}}");
        }
    }

    /// Walks with another body, or with none.
    pub(super) fn inside(&mut self, body: Option<Body>, walk: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.body, body);
        walk(self);
        self.body = before;
    }

    fn within(&mut self, name: String, walk: impl FnOnce(&mut Self)) {
        self.path.push(name);
        walk(self);
        self.path.pop();
    }

    fn function(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, block: &syn::Block) {
        self.path.push(bare(&signature.ident));
        let name = self.path.join("::");
        match reason_to_leave(attributes, signature, block) {
            Some(reason) => {
                // A const function calls nothing that anybody could come between.
                self.done.unmarked |= signature.constness.is_none();
                let line = signature.ident.span().start().line as u32;
                self.done.left.push(Left { name, line, reason: reason.to_string() });
                self.inside(None, |w| w.visit_block(block));
            }
            None => {
                let points = self.statements.wants(&name);
                let is_unsafe = signature.unsafety.is_some();
                let bound = Rc::new(bound(signature, block));
                let is_async = signature.asyncness.is_some();
                let body = Body { name, points, is_unsafe, bound, again: false, is_async };
                let first = first_statement(attributes, block);
                let form = if returns_impl(&signature.output) { Form::Let } else { Form::Match };
                self.mark_block(body, block, form, first);
            }
        }
        self.path.pop();
    }

    /// Puts a marker around what is inside of a block's braces, or from its first statement on where
    /// attributes of the function stand before that.
    pub(super) fn mark_block(&mut self, body: Body, block: &syn::Block, form: Form, first: Option<Span>) {
        let brace = block.brace_token.span.open();
        let at = first.map_or(self.to(brace), |first| self.from(first));
        self.begin(&body, form, at, brace);
        self.inside(Some(body), |w| w.visit_block(block));
        let end = self.from(block.brace_token.span.close());
        self.close(form, end);
    }

    fn begin(&mut self, body: &Body, form: Form, at: usize, place: Span) {
        let Body { name, is_async, .. } = body;
        self.open_with(if *is_async { ASYNC } else { "raddle_fn" }, form, at, &literal(name));
        let line = place.start().line as u32;
        self.done.marked.push(Marked { name: name.to_string(), line });
    }

    /// Are points put before the statements of this part of a function?
    pub(super) fn wants_points_in(&self, outer: &Body, name: &str) -> bool {
        outer.points || self.statements.wants(name)
    }

    /// The arguments of a call; closures get a marker where the call spawns.
    fn arguments(&mut self, spawns: bool, arguments: &Punctuated<syn::Expr, syn::Token![,]>) {
        for argument in arguments {
            match argument {
                syn::Expr::Closure(c) if spawns && c.asyncness.is_none() && c.constness.is_none() => {
                    self.spawned(c);
                }
                other => self.visit_expr(other),
            }
        }
    }

    /// A closure that a new thread runs.
    fn spawned(&mut self, closure: &syn::ExprClosure) {
        let Some(outer) = &self.body else {
            self.done.unmarked |= calls_several(&closure.body);
            return visit::visit_expr_closure(self, closure);
        };
        let name = format!("{}::{{closure}}", outer.name);
        let points = self.wants_points_in(outer, &name);
        let body = Body { name, points, again: false, is_async: false, ..outer.clone() };
        match closure.body.as_ref() {
            syn::Expr::Block(e) if e.label.is_none() && e.attrs.is_empty() => {
                self.mark_block(body, &e.block, Form::Match, None);
            }
            e => {
                let span = e.span();
                let at = self.from(span);
                self.edits().insert(at, "{");
                self.begin(&body, Form::Match, at, span);
                self.inside(Some(body), |w| {
                    w.point_before_expression(e);
                    w.bracket(e, at, "(");
                    w.visit_expr(e);
                });
                let end = self.to(span);
                self.bracket(e, end, ")");
                self.close(Form::Match, end);
                self.edits().insert(end, "}");
            }
        }
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.within(bare(&item.ident), |w| visit::visit_item_mod(w, item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.within(type_name(&item.self_ty), |w| item.items.iter().for_each(|i| w.visit_impl_item(i)));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.within(bare(&item.ident), |w| item.items.iter().for_each(|i| w.visit_trait_item(i)));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if item.mac.path.is_ident("macro_rules") {
            self.rules(&item.mac.tokens);
        } else {
            self.visit_macro(&item.mac);
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.macro_call(mac);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        // What stands between the statements of a function is none of them.
        self.inside(None, |w| visit::visit_item(w, item));
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        for statement in &block.stmts {
            self.point_before(statement);
            self.visit_stmt(statement);
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.visit_expr(&call.func);
        let spawns = matches!(call.func.as_ref(), syn::Expr::Path(p)
            if p.path.segments.last().is_some_and(|s| is_spawn(&s.ident)));
        self.arguments(spawns, &call.args);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.visit_expr(&call.receiver);
        self.arguments(is_spawn(&call.method), &call.args);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let is_plain = closure.asyncness.is_none() && closure.constness.is_none();
        let body =
            self.body.clone().filter(|_| is_plain).map(|b| Body { again: false, is_async: false, ..b });
        let marker = body
            .as_ref()
            .filter(|_| calls(&closure.body) || may_be_job(closure))
            .map(|b| literal(&format!("{}::{{closure}}", b.name)));
        let (from, to) = (self.from(closure.body.span()), self.to(closure.body.span()));
        let hidden = closure.asyncness.is_some() || marker.is_none() && calls_several(&closure.body);
        self.done.unmarked |= hidden;
        if let Some(name) = &marker {
            self.edits().insert(from, "{");
            self.open_with("raddle_closure", Form::Match, from, name);
            self.bracket(&closure.body, from, "(");
        }
        self.inside(body, |w| w.alone(&closure.body));
        if marker.is_some() {
            self.bracket(&closure.body, to, ")");
            self.close(Form::Match, to);
            self.edits().insert(to, "}");
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.visit_expr(guard);
        }
        self.alone(&arm.body);
    }

    fn visit_expr_unsafe(&mut self, e: &'ast syn::ExprUnsafe) {
        let body = self.body.clone().map(|b| Body { is_unsafe: true, ..b });
        self.inside(body, |w| w.visit_block(&e.block));
    }

    fn visit_expr_while(&mut self, e: &'ast syn::ExprWhile) {
        self.loop_condition(&e.cond);
        let again = binds(&e.cond) && !self.is_local(&e.cond);
        self.loop_body(&e.body, &e.attrs, again);
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.visit_expr(&e.expr);
        let again = !self.counts(&e.expr);
        self.loop_body(&e.body, &e.attrs, again);
    }

    fn visit_expr_async(&mut self, e: &'ast syn::ExprAsync) {
        self.async_block(e);
    }

    fn visit_expr_await(&mut self, e: &'ast syn::ExprAwait) {
        self.awaits(e);
    }

    fn visit_expr_const(&mut self, e: &'ast syn::ExprConst) {
        self.inside(None, |w| visit::visit_expr_const(w, e));
    }

    fn visit_expr_repeat(&mut self, e: &'ast syn::ExprRepeat) {
        self.visit_expr(&e.expr);
        self.inside(None, |w| w.visit_expr(&e.len));
    }

    // Constants of any kind: nothing is run there.
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast syn::AngleBracketedGenericArguments) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

#[cfg(test)]
mod tests;
