//! Schedule points before statements: where they go, and which statements need none.
//!
//! A point stands before every statement of a block and before the block's last expression, in
//! blocks of every kind: loops, match arms, closures, `unsafe`; arms and closures that are one
//! expression get braces for it. Left out is what cannot touch shared memory by itself: items,
//! declarations without a value, jumps, and expressions made of literals, constants, local variables
//! and parameters, also as a value that is bound or returned. A block, or an `if` or `match` on such
//! an expression, has its points inside. Loops are in [`super::loops`].
//!
//! In unsafe code a name is a local one only if a pattern of the function binds it: any other may be
//! that of a `static mut`.

use super::functions::Walk;
use super::loops::binds;
use syn::spanned::Spanned;
use syn::{Expr, Stmt};

impl Walk<'_> {
    pub(super) fn wants_points(&self) -> bool {
        self.body.as_ref().is_some_and(|b| b.points)
    }

    pub(super) fn point(&mut self, at: usize, attributes: &str) {
        let point = format!("{attributes}{}::raddle_point!();", self.facade);
        self.edits().insert(at, point);
    }

    /// Puts a point before a statement that needs one.
    pub(super) fn point_before(&mut self, statement: &Stmt) {
        if !self.wants_points() || self.statement_is_local(statement) {
            return;
        }
        // A statement that is compiled under a condition has its point under the same.
        let Some(attributes) = conditions(statement) else { return };
        let at = self.from(statement.span());
        self.point(at, &attributes);
    }

    /// The same before an expression that is all there is of a block.
    pub(super) fn point_before_expression(&mut self, e: &Expr) {
        if self.wants_points() && !self.is_local(e) {
            let at = self.from(e.span());
            self.point(at, "");
        }
    }

    /// Walks through the expression that is all there is of a match arm or a closure, with braces and
    /// a point where it needs one. It is where temporaries go with braces and without.
    pub(super) fn alone(&mut self, e: &Expr) {
        let put = self.wants_points() && !self.is_local(e) && can_have_braces(e);
        if put {
            let at = self.from(e.span());
            self.edits().insert(at, "{");
            self.point(at, "");
            self.bracket(e, at, "(");
        }
        syn::visit::Visit::visit_expr(self, e);
        if put {
            let end = self.to(e.span());
            self.bracket(e, end, ")");
            self.edits().insert(end, "}");
        }
    }

    /// A bracket at one end of an expression that is put behind a brace and would end too early there.
    pub(super) fn bracket(&mut self, e: &Expr, at: usize, bracket: &str) {
        if begins_with_block(e) {
            self.edits().insert(at, bracket);
        }
    }

    pub(super) fn statement_is_local(&self, statement: &Stmt) -> bool {
        match statement {
            Stmt::Item(_) => true,
            Stmt::Local(local) => match &local.init {
                Some(init) => self.is_local(&init.expr),
                None => true,
            },
            // A variable that goes away here may do anything.
            Stmt::Expr(Expr::Path(_), Some(_)) => false,
            Stmt::Expr(e, _) => self.is_local(e),
            Stmt::Macro(m) => m.mac.path.segments.last().is_some_and(|s| {
                ["thread_local", "lazy_static", "cfg_if", "const_assert"].iter().any(|name| s.ident == name)
            }),
        }
    }

    /// Can evaluating this, apart from blocks in it that have points of their own, touch nothing
    /// shared?
    pub(super) fn is_local(&self, e: &Expr) -> bool {
        let local = |e: &Expr| self.is_local(e);
        let optional = |e: &Option<Box<Expr>>| e.as_deref().is_none_or(local);
        match e {
            // An empty statement.
            Expr::Verbatim(tokens) => tokens.is_empty(),
            Expr::Lit(_) | Expr::Closure(_) | Expr::Async(_) | Expr::Const(_) => true,
            Expr::Continue(_) => !self.body.as_ref().is_some_and(|b| b.again),
            Expr::Path(p) => self.path_is_local(&p.path),
            Expr::Block(_) | Expr::Unsafe(_) | Expr::Loop(_) => true,
            Expr::Paren(e) => local(&e.expr),
            Expr::Group(e) => local(&e.expr),
            Expr::Cast(e) => local(&e.expr),
            Expr::Reference(e) => local(&e.expr),
            Expr::RawAddr(e) => local(&e.expr),
            Expr::Unary(e) => !matches!(e.op, syn::UnOp::Deref(_)) && local(&e.expr),
            Expr::Binary(e) => local(&e.left) && local(&e.right),
            Expr::Tuple(e) => e.elems.iter().all(local),
            Expr::Array(e) => e.elems.iter().all(local),
            Expr::Repeat(e) => local(&e.expr),
            Expr::Range(e) => optional(&e.start) && optional(&e.end),
            Expr::Struct(e) => e.fields.iter().all(|f| local(&f.expr)) && optional(&e.rest),
            Expr::Call(e) => constructs(&e.func) && e.args.iter().all(local),
            Expr::Return(e) => optional(&e.expr),
            Expr::Break(e) => optional(&e.expr),
            Expr::Let(e) => local(&e.expr),
            Expr::If(e) => local(&e.cond) && e.else_branch.as_ref().is_none_or(|(_, e)| local(e)),
            Expr::Match(e) => {
                let has_own = |e: &Expr| local(e) || can_have_braces(e);
                let arm = |a: &syn::Arm| has_own(&a.body) && a.guard.as_ref().is_none_or(|(_, g)| local(g));
                local(&e.expr) && e.arms.iter().all(arm)
            }
            // Its condition has its own point, unless it binds.
            Expr::While(e) => !binds(&e.cond) || local(&e.cond),
            Expr::ForLoop(e) => self.counts(&e.expr),
            _ => false,
        }
    }

    /// A local variable, parameter, constant, variant or function; in unsafe code, whatever is not
    /// known to be none of them may be a static.
    fn path_is_local(&self, path: &syn::Path) -> bool {
        let Some(body) = self.body.as_ref().filter(|b| b.is_unsafe) else { return true };
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        match names.as_slice() {
            [one] => one == "None" || body.bound.contains(one),
            // What belongs to a type is no static.
            [.., outer, _] => outer.starts_with(|c: char| c.is_uppercase()),
            [] => false,
        }
    }
}

/// Does an expression begin with a block that it goes on behind, as `unsafe { f() } == 0` does? Where a statement may begin,
/// the block would be one.
fn begins_with_block(e: &Expr) -> bool {
    let first = match e {
        Expr::Assign(e) => &e.left,
        Expr::Binary(e) => &e.left,
        Expr::Call(e) => &e.func,
        Expr::Cast(e) => &e.expr,
        Expr::Field(e) => &e.base,
        Expr::Index(e) => &e.expr,
        Expr::MethodCall(e) => &e.receiver,
        Expr::Range(syn::ExprRange { start: Some(e), .. }) => e,
        Expr::Try(e) => &e.expr,
        _ => return false,
    };
    let is_block = matches!(
        **first,
        Expr::Block(_)
            | Expr::Const(_)
            | Expr::ForLoop(_)
            | Expr::If(_)
            | Expr::Loop(_)
            | Expr::Match(_)
            | Expr::TryBlock(_)
            | Expr::Unsafe(_)
            | Expr::While(_)
    );
    is_block || begins_with_block(first)
}

/// Braces do not come between an expression and its attributes.
fn can_have_braces(e: &Expr) -> bool {
    expression_attributes(e).is_empty()
}

/// Is it the name of a tuple struct or a variant, such as `Ok`?
fn constructs(e: &Expr) -> bool {
    let Expr::Path(p) = e else { return false };
    p.path.segments.last().is_some_and(|s| s.ident.to_string().starts_with(|c: char| c.is_uppercase()))
}

pub(super) fn attributes(statement: &Stmt) -> &[syn::Attribute] {
    match statement {
        Stmt::Local(s) => &s.attrs,
        Stmt::Macro(s) => &s.attrs,
        Stmt::Expr(e, _) => expression_attributes(e),
        Stmt::Item(_) => &[],
    }
}

/// The attributes before a statement that is an expression: syn has them at the expression, or at
/// the leftmost operand.
pub(super) fn expression_attributes(e: &Expr) -> &[syn::Attribute] {
    match e {
        Expr::Assign(e) => expression_attributes(&e.left),
        Expr::Binary(e) => expression_attributes(&e.left),
        Expr::Cast(e) => expression_attributes(&e.expr),
        Expr::Await(e) => &e.attrs,
        Expr::Block(e) => &e.attrs,
        Expr::Break(e) => &e.attrs,
        Expr::Call(e) => &e.attrs,
        Expr::Field(e) => &e.attrs,
        Expr::ForLoop(e) => &e.attrs,
        Expr::If(e) => &e.attrs,
        Expr::Index(e) => &e.attrs,
        Expr::Loop(e) => &e.attrs,
        Expr::Macro(e) => &e.attrs,
        Expr::Match(e) => &e.attrs,
        Expr::MethodCall(e) => &e.attrs,
        Expr::Paren(e) => &e.attrs,
        Expr::Path(e) => &e.attrs,
        Expr::Return(e) => &e.attrs,
        Expr::Try(e) => &e.attrs,
        Expr::Unary(e) => &e.attrs,
        Expr::Unsafe(e) => &e.attrs,
        Expr::While(e) => &e.attrs,
        _ => &[],
    }
}

/// The `#[cfg]` attributes of a statement as text; `None` where they cannot be written in one line.
fn conditions(statement: &Stmt) -> Option<String> {
    let mut text = String::new();
    for attribute in attributes(statement) {
        if attribute.path().is_ident("cfg_attr") {
            return None;
        }
        if attribute.path().is_ident("cfg") {
            let syn::Meta::List(list) = &attribute.meta else { return None };
            text.push_str(&format!("#[cfg({})]", list.tokens));
        }
    }
    (text.is_ascii() && !text.contains(['\n', '\r'])).then_some(text)
}
