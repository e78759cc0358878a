//! The loops of a Rust file.

use super::spans::start_of_closure;
use crate::index::loops::{At, Loops};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Label};

/// All of them, and the bodies of functions, closures and async blocks.
pub fn loops(text: &str) -> Loops {
    let mut loops = Loops::default();
    if let Ok(file) = crate::rust::parse::file(text) {
        Walk(&mut loops).visit_file(&file);
    }
    loops
}

struct Walk<'a>(&'a mut Loops);

fn at(span: Span, is_end: bool) -> At {
    let at = if is_end { span.end() } else { span.start() };
    // A span ends behind its last character, and counts columns from 0.
    (at.line as u32, at.column as u32 + u32::from(!is_end))
}

impl Walk<'_> {
    fn add(&mut self, from: Span, to: Span, is_loop: bool) {
        self.0.ranges.push((at(from, false), at(to, true), is_loop));
    }

    fn add_loop(&mut self, label: Option<&Label>, word: Span, body: &Block) {
        let from = label.map_or(word, |label| label.name.apostrophe);
        self.add(from, body.brace_token.span.close(), true);
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::ForLoop(e) => self.add_loop(e.label.as_ref(), e.for_token.span, &e.body),
            Expr::While(e) => self.add_loop(e.label.as_ref(), e.while_token.span, &e.body),
            Expr::Loop(e) => self.add_loop(e.label.as_ref(), e.loop_token.span, &e.body),
            Expr::Closure(e) => self.add(start_of_closure(e), e.body.span(), false),
            Expr::Async(e) => self.add(e.async_token.span, e.block.brace_token.span.close(), false),
            _ => {}
        }
        visit::visit_expr(self, e);
    }

    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        self.add(f.sig.fn_token.span, f.block.brace_token.span.close(), false);
        visit::visit_item_fn(self, f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn loops_around_a_place() {
        let text = "fn f() {\n    'a: for x in 0..3 {\n        while y() {\n            g();\n        }\n        h();\n        spawn(|| loop { i(); });\n    }\n    j();\n}\n";
        let loops = Loops::of(Path::new("a.rs"), text);
        let around = |line| loops.around((line, 0)).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!([2, 3, 4, 6, 9].map(around), [vec![2], vec![2, 3], vec![2, 3], vec![2], vec![]]);
        // The body of a closure is run by another call, which begins within its line.
        assert_eq!(loops.around((7, 9)), [(2, 5)]);
        assert_eq!(loops.around((7, 25)), [(7, 18)]);
    }
}
