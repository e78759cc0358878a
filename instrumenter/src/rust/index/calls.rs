//! The method calls of a Rust file and what they are made on, for naming what a library works with that was called
//! there: debug information says the line, and the column of the method's name.

use super::text::Text;
use super::{bare, expressions, spans};
use crate::index::Reach;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, UnOp};

/// A call of a method, or a `*` that may be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodCall {
    /// From 1.
    pub line: u32,
    /// Of the method's name, in bytes from 1.
    pub column: u32,
    /// What it is made on: `rx` of `rx.iter().count()`.
    pub on: String,
    /// How that is reached.
    pub reach: Reach,
}

/// All that can be named, by line.
pub fn calls(text: &str) -> Vec<MethodCall> {
    let mut walk = Walk { text: Text::new(text), found: Vec::new() };
    if let Ok(file) = crate::rust::parse::file(text) {
        walk.visit_file(&file);
    }
    walk.found.sort_by_key(|c| (c.line, c.column));
    walk.found
}

struct Walk {
    text: Text,
    found: Vec<MethodCall>,
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::MethodCall(call) => self.add(call.method.span(), &call.receiver),
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.add(e.span(), &u.expr),
            // `Sender::send(&tx, 1)`: the type's name, then as a method.
            Expr::Call(call) => {
                if let (Expr::Path(p), Some(on)) = (&*call.func, call.args.first())
                    && p.path.segments.len() > 1
                {
                    self.add(spans::start_of_call(call), on);
                }
            }
            Expr::ForLoop(each) => self.add(each.expr.span(), &each.expr),
            _ => {}
        }
        visit::visit_expr(self, e);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        // What it finds is owned.
        for e in expressions::macro_arguments(mac) {
            let mut inside = Walk { text: std::mem::take(&mut self.text), found: Vec::new() };
            inside.visit_expr(&e);
            self.text = inside.text;
            self.found.append(&mut inside.found);
        }
    }
}

impl Walk {
    fn add(&mut self, at: Span, on: &Expr) {
        let name = expressions::name(chained(on));
        if name.is_empty() || name.contains('…') || name.contains('(') {
            return;
        }
        let (line, column, _) = self.text.place(at);
        let reach = expressions::reach(chained(on), &|_| false);
        self.found.push(MethodCall { line, column, on: name, reach });
    }
}

/// What a chain of iterators begins with: `rx` of `rx.iter().map(f)`.
fn chained(e: &Expr) -> &Expr {
    const ON: [&str; 9] =
        ["iter", "try_iter", "into_iter", "map", "filter", "take", "skip", "enumerate", "by_ref"];
    match e {
        Expr::MethodCall(call) if ON.contains(&bare(&call.method).as_str()) => chained(&call.receiver),
        e => e,
    }
}

#[cfg(test)]
mod tests {
    use super::calls;

    #[test]
    fn methods_and_what_they_are_called_on() {
        let text = "fn f() {\n    a.0.lock();\n    self.rx.iter().count();\n    assert_eq!(rx.recv(), Ok(*B));\n    \
                    Sender::send(&tx, 1);\n    make().lock();\n    for x in &rx {}\n}\n";
        let found: Vec<String> =
            calls(text).into_iter().map(|c| format!("{}:{} {}", c.line, c.column, c.on)).collect();
        let expected = ["2:9 a.0", "3:13 rx", "3:20 rx", "4:19 rx", "4:30 B", "5:5 tx", "7:14 rx"];
        assert_eq!(found, expected);
    }
}
