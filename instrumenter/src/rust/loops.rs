//! Schedule points of loops: their headers are evaluated again and again, and each time is as good as
//! a statement.
//!
//! The condition of a `while` has its point in itself. Where the header is a pattern's (`while let`,
//! `for`), that would change how long temporaries live, so the point stands where the header is come
//! to: before the loop, at the end of its body, and before every `continue`. A `for` that only counts
//! touches nothing. Not covered: a body that ends in an expression without a semicolon and declares
//! variables, whose order of going away would change (a step is then that expression and the next
//! evaluation of the header), and a `continue` deep in an expression.

use super::functions::{Body, Walk};
use super::macros::is_of_expressions;
use super::statements::attributes;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{AttrStyle, Attribute, Block, Expr, Stmt};

/// How a point is put at the end of a body.
enum End {
    /// Behind the last statement.
    Behind,
    /// Behind the last expression, which becomes a statement.
    Semicolon,
    /// The end is never come to.
    Never,
    /// Not at all.
    No,
}

impl Walk<'_> {
    /// Walks through the condition of a `while`, and puts a point into it.
    pub(super) fn loop_condition(&mut self, condition: &Expr) {
        let put = self.wants_points() && !self.is_local(condition) && !binds(condition);
        if put {
            let at = self.from(condition.span());
            self.edits().insert(at, "{");
            self.point(at, "");
        }
        self.visit_expr(condition);
        if put {
            let end = self.to(condition.span());
            self.edits().insert(end, "}");
        }
    }

    /// Walks through the body of a loop. `again`: its header, which is evaluated behind it, can touch
    /// shared memory and has no point of its own.
    pub(super) fn loop_body(&mut self, block: &Block, of_loop: &[Attribute], again: bool) {
        let body = self.body.clone().map(|b| Body { again: b.again || again, ..b });
        let put = again && self.wants_points();
        let end = end(block);
        let begins_without = block.stmts.first().is_some_and(|s| self.statement_is_local(s));
        if put && matches!(end, End::No) && begins_without && !has_inner(of_loop) {
            let open = self.to(block.brace_token.span.open());
            self.point(open, "");
        }
        self.inside(body, |w| w.visit_block(block));
        if !put || matches!(end, End::No | End::Never) {
            return;
        }
        if let (End::Semicolon, Some(last)) = (&end, block.stmts.last()) {
            let at = self.to(last.span());
            self.edits().insert(at, ";");
        }
        // It may be that this is never reached, which shall not be said.
        let close = self.from(block.brace_token.span.close());
        let point = format!("{}::raddle_again!();", self.facade);
        self.edits().insert(close, point);
    }

    /// Does going through this touch nothing shared: a range of local values, an array written down?
    /// Anything else may be an iterator that does, such as a channel's receiver.
    pub(super) fn counts(&self, e: &Expr) -> bool {
        match e {
            Expr::Range(_) | Expr::Array(_) => self.is_local(e),
            Expr::Paren(e) => self.counts(&e.expr),
            Expr::Reference(e) => self.counts(&e.expr),
            Expr::MethodCall(e) => {
                let keeps = ["rev", "step_by", "skip", "take", "enumerate"];
                keeps.iter().any(|k| e.method == k)
                    && self.counts(&e.receiver)
                    && e.args.iter().all(|a| self.is_local(a))
            }
            _ => false,
        }
    }
}

fn end(block: &Block) -> End {
    let Some(last) = block.stmts.last() else { return End::Behind };
    let jumps = |e: &Expr| matches!(e, Expr::Break(_) | Expr::Continue(_) | Expr::Return(_));
    let declares = block.stmts.iter().any(|s| match s {
        Stmt::Local(_) => true,
        Stmt::Macro(m) => !is_of_expressions(&m.mac),
        _ => false,
    });
    match last {
        Stmt::Expr(e, _) if jumps(e) => End::Never,
        Stmt::Expr(_, Some(_)) | Stmt::Local(_) | Stmt::Item(_) => End::Behind,
        Stmt::Macro(m) if m.semi_token.is_some() => End::Behind,
        _ if declares || !attributes(last).is_empty() => End::No,
        Stmt::Macro(_) => End::Semicolon,
        Stmt::Expr(e, None) => match e {
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Unsafe(_) => End::Behind,
            Expr::While(_) | Expr::ForLoop(_) | Expr::Loop(_) => End::Behind,
            _ => End::Semicolon,
        },
    }
}

fn has_inner(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| matches!(a.style, AttrStyle::Inner(_)))
}

/// Does the condition bind variables, so that it cannot be put into a block?
pub(super) fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(e) => binds(&e.left) || binds(&e.right),
        _ => false,
    }
}
