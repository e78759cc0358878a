//! The expressions of a Rust file that read or write memory behind a pointer, for naming what an access
//! hook told of: debug information says the line, and the column at which the expression begins.

use super::{bare, expressions, spans};
use crate::index::{Access, Reach, Touch};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, UnOp};

/// All accesses through pointers, outer expressions before their parts.
pub fn accesses(text: &str) -> Vec<Access> {
    let mut walk = Walk { found: Vec::new() };
    if let Ok(file) = crate::rust::parse::file(text) {
        walk.visit_file(&file);
    }
    walk.found.sort_by_key(|a| a.line);
    walk.found
}

struct Walk {
    found: Vec<Access>,
}

/// How a method of pointers with this many arguments accesses what it is called on. Locks have methods of these names too,
/// of which `write` has no argument; `read` of a lock writes nothing there but the guard that it makes.
fn touch(method: &str, arguments: usize) -> Option<Touch> {
    match (method, arguments) {
        ("read" | "read_volatile" | "read_unaligned", 0) => Some(Touch::Read),
        ("write" | "write_volatile" | "write_unaligned", 1) => Some(Touch::Write),
        ("replace", 1) | ("copy_from" | "copy_to", 2) => Some(Touch::Both),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.add(e, name(&u.expr, "*"), &[]),
            Expr::Field(f) if is_behind_pointer(&f.base) => {
                self.add(e, expressions::name(e), &[f.member.span()]);
            }
            Expr::Assign(a) => self.changes(&a.left),
            Expr::Binary(b) if is_assignment(&b.op) => self.changes(&b.left),
            Expr::MethodCall(c) => {
                if let Some(touch) = touch(&bare(&c.method), c.args.len()) {
                    let known = self.found.len();
                    self.add(e, name(&c.receiver, "*"), &[c.method.span()]);
                    self.found[known..].iter_mut().for_each(|a| a.touch = touch);
                }
            }
            Expr::Call(c) => {
                if let Some(pointer) = through(c) {
                    self.add(e, name(pointer, "*"), &[]);
                }
            }
            _ => {}
        }
        visit::visit_expr(self, e);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        for e in expressions::macro_arguments(mac) {
            // What it finds is owned.
            let mut inside = Walk { found: Vec::new() };
            inside.visit_expr(&e);
            self.found.append(&mut inside.found);
        }
    }
}

impl Walk {
    /// A field that is assigned to, of what leads to its memory by itself: a guard, a box, `self`. What is read where a field
    /// is may be what leads to it, and of several objects that are met there it is none.
    fn changes(&mut self, place: &Expr) {
        if let Expr::Field(f) = place
            && !is_behind_pointer(&f.base)
        {
            let known = self.found.len();
            self.add(place, expressions::name(place), &[f.member.span()]);
            self.found[known..].iter_mut().for_each(|a| (a.base, a.touch) = (String::new(), Touch::Write));
        }
    }

    fn add(&mut self, e: &Expr, name: String, marks: &[Span]) {
        let (start, end) = (e.span().start(), spans::end(e).end());
        let column = |span: &Span| span.start().column as u32 + 1;
        let first = start.column as u32 + 1;
        if name.is_empty() || name.contains('…') {
            return;
        }
        self.found.push(Access {
            line: start.line as u32,
            column: first,
            end: if end.line == start.line { end.column as u32 + 1 } else { u32::MAX },
            marks: marks.iter().map(column).chain([first]).collect(),
            base: name.clone(),
            name,
            reach: reach(e),
            freed: false,
            touch: Touch::default(),
            beside_local: false,
        });
    }
}

/// What a pointer expression points to: of `cell.get()` the cell, of a pointer what is behind it.
fn name(pointer: &Expr, behind: &str) -> String {
    match pointer {
        Expr::MethodCall(c) if c.args.is_empty() && leads_into(&bare(&c.method)) => {
            expressions::name(&c.receiver)
        }
        Expr::Paren(p) => name(&p.expr, behind),
        Expr::Cast(c) => name(&c.expr, behind),
        e => match expressions::name(e) {
            name if name.is_empty() => name,
            name => format!("{behind}{name}"),
        },
    }
}

/// Does this method give a pointer to what it is called on?
fn leads_into(method: &str) -> bool {
    matches!(method, "get" | "as_ptr" | "as_mut_ptr" | "raw_get")
}

/// `(*p).field`, `(*p).field.other`
fn is_behind_pointer(e: &Expr) -> bool {
    match e {
        Expr::Unary(u) => matches!(u.op, UnOp::Deref(_)),
        Expr::Paren(p) => is_behind_pointer(&p.expr),
        Expr::Field(f) => is_behind_pointer(&f.base),
        _ => false,
    }
}

/// `a += b` and its like.
fn is_assignment(op: &syn::BinOp) -> bool {
    use syn::BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// The pointer of `ptr::read(p)` and `ptr::write(p, value)`.
fn through(call: &syn::ExprCall) -> Option<&Expr> {
    let Expr::Path(p) = &*call.func else { return None };
    let words: Vec<String> = p.path.segments.iter().map(|s| bare(&s.ident)).collect();
    match &words[..] {
        [.., module, function] if module == "ptr" => {
            let pointer = call.args.first()?;
            touch(function, call.args.len() - 1).map(|_| pointer)
        }
        _ => None,
    }
}

fn reach(e: &Expr) -> Reach {
    expressions::reach(e, &|_| false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pointers_point_to() {
        let named = |body: &str| -> Vec<(u32, String)> {
            let all = accesses(&format!("fn f() {{\n{body};\n}}")).into_iter();
            all.filter(|a| !a.base.is_empty()).map(|a| (a.column, a.name)).collect()
        };
        let one = |column, name: &str| vec![(column, name.to_string())];
        assert_eq!(named("*p = 1"), one(1, "*p"));
        assert_eq!(named("*self.cells[i % N].get() += 1"), one(1, "cells[i % N]"));
        assert_eq!(named("let a = unsafe { *S.0.get() }"), one(18, "S.0"));
        assert_eq!(named("ptr::write(self.top, 1)"), one(1, "*top"));
        assert_eq!(named("let a = self.top.read()"), one(9, "*top"));
        assert_eq!(named("self.top.write(1)"), one(1, "*top"));
        assert_eq!(named("let a = lock.write()"), vec![]);
        assert_eq!(named("x = (*head).next"), vec![(5, "head.next".into()), (6, "*head".into())]);
        assert_eq!(named("assert_eq!(*p, 1)"), one(12, "*p"));
        assert_eq!(named("a.b = c"), vec![]);
    }

    #[test]
    fn fields_of_what_leads_to_them() {
        let named = |body: &str| -> Vec<String> {
            let all = accesses(&format!("fn f() {{\n{body};\n}}")).into_iter();
            all.map(|a| format!("{} {} {:?}", a.column, a.name, a.touch)).collect()
        };
        assert_eq!(named("a.b = c.d"), ["1 a.b Write"]);
        assert_eq!(named("guard.at.0 += 1"), ["1 guard.at.0 Write"]);
        assert_eq!(named("shared.lock().unwrap().at = 2"), ["1 shared.at Write"]);
        assert_eq!(named("if self.open { self.count -= 1 }"), ["16 count Write"]);
        assert!(named("a = c").is_empty());
    }
}
