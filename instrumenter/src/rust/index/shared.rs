//! The part of the walk that finds sites of synchronisation and variables that look shared.

use super::{Walk, bare, expressions, sites, spans, variables};
use crate::index::{Function, Reach, Site, Variable, VariableKind};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Expr, Ident};

/// One function or closure that the walk is in.
#[derive(Default)]
pub(super) struct Frame {
    /// Qualified name.
    pub name: String,
    /// Names of the parameters.
    parameters: Vec<String>,
    /// Local variables that do not look shared so far, with their types.
    locals: Vec<(Ident, String)>,
    /// A closure that is no thread's body: it belongs to the function around it.
    inner: bool,
}

impl Walk<'_> {
    /// Goes into a function with these parameters.
    pub(super) fn enter(
        &mut self,
        name: String,
        inputs: &syn::punctuated::Punctuated<syn::FnArg, syn::Token![,]>,
    ) {
        let mut frame = Frame { name, ..Frame::default() };
        for input in inputs {
            let syn::FnArg::Typed(input) = input else { continue };
            for name in variables::bound(&input.pat) {
                frame.parameters.push(bare(name));
                if let Some(why) = variables::shared_type(&input.ty) {
                    let ty = self.type_text(input.ty.span());
                    self.variable(name, &frame.name, VariableKind::Parameter, ty, why);
                }
            }
        }
        self.frames.push(frame);
    }

    /// Leaves the innermost function or closure.
    pub(super) fn leave(&mut self) {
        self.frames.pop();
    }

    fn type_text(&self, span: Span) -> String {
        crate::index::short(self.text.slice(span))
    }

    fn variable(&mut self, name: &Ident, within: &str, kind: VariableKind, type_name: String, why: String) {
        let (line, column, _) = self.text.place(name.span());
        let (name, within, file) = (bare(name), within.to_string(), self.file.clone());
        // `let bank = bank.clone();` is another handle of the same thing.
        let known = |v: &Variable| v.name == name && v.within == within && v.kind == kind && v.file == file;
        if kind != VariableKind::Let
            || !self.index.variables.iter().rev().take_while(|v| v.file == file).any(known)
        {
            self.index.variables.push(Variable { name, within, kind, type_name, file, line, column, why });
        }
    }

    /// Adds a site of synchronisation.
    fn site(&mut self, kind: &'static str, at: Span, object: Option<&Expr>) {
        let (line, column, chars) = self.text.place(at);
        let is_parameter = |name: &str| {
            let local = |f: &&Frame| f.locals.iter().any(|(l, _)| l == name);
            let binds = self.frames.iter().rev().find(|f| f.parameters.iter().any(|p| p == name) || local(f));
            binds.is_some_and(|f| f.parameters.iter().any(|p| p == name))
        };
        self.index.sites.push(Site {
            file: self.file.clone(),
            line,
            column,
            chars,
            kind,
            object: object.map(expressions::name).unwrap_or_default(),
            reach: object.map_or(Reach::Other, |o| expressions::reach(o, &is_parameter)),
            function: self.frames.last().map(|f| f.name.clone()).unwrap_or_default(),
        });
    }

    pub(super) fn static_item(&mut self, item: &syn::ItemStatic) {
        let why = match (variables::shared_type(&item.ty), &item.mutability) {
            (Some(ty), _) => ty,
            (None, syn::StaticMutability::Mut(_)) => "static mut".to_string(),
            (None, _) if variables::may_have_state(&item.ty) => "static".to_string(),
            _ => return,
        };
        let within = self.frames.last().map(|f| f.name.clone()).unwrap_or_default();
        let ty = self.type_text(item.ty.span());
        self.variable(&item.ident, &within, VariableKind::Static, ty, why);
    }

    pub(super) fn fields(&mut self, item: &syn::ItemStruct) {
        let within = bare(&item.ident);
        for field in &item.fields {
            if let (Some(name), Some(why)) = (&field.ident, variables::shared_type(&field.ty)) {
                let ty = self.type_text(field.ty.span());
                self.variable(name, &within, VariableKind::Field, ty, why);
            }
        }
    }

    pub(super) fn local(&mut self, local: &syn::Local) {
        let (pattern, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let value = || local.init.as_ref().and_then(|i| variables::shared_value(&i.expr));
        let why = ty.and_then(variables::shared_type).or_else(value);
        let text = ty.map(|t| self.type_text(t.span())).unwrap_or_default();
        let within = self.frames.last().map(|f| f.name.clone()).unwrap_or_default();
        for name in variables::bound(pattern) {
            if let Some(why) = &why {
                self.variable(name, &within, VariableKind::Let, text.clone(), why.clone());
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.locals.push((name.clone(), text.clone()));
            }
        }
    }

    pub(super) fn method_call(&mut self, call: &syn::ExprMethodCall) {
        self.visit_expr(&call.receiver);
        let args: Vec<&Expr> = call.args.iter().collect();
        let kind = sites::method_kind(&call.method.to_string(), &args);
        // `Command::spawn()` has no body; a thread has.
        let kind = kind.filter(|k| *k != "spawn" || args.iter().any(|a| is_body(a)));
        if let Some(kind) = kind {
            let object = (kind != "spawn").then_some(&*call.receiver);
            self.site(kind, call.method.span(), object);
        }
        self.arguments(&args, kind == Some("spawn"));
    }

    pub(super) fn call(&mut self, call: &syn::ExprCall) {
        let args: Vec<&Expr> = call.args.iter().collect();
        let found = match &*call.func {
            Expr::Path(p) => sites::call_kind(&p.path, &args),
            other => {
                self.visit_expr(other);
                None
            }
        };
        if let Some((kind, has_object)) = found {
            self.site(kind, spans::start_of_call(call), args.first().copied().filter(|_| has_object));
        }
        self.arguments(&args, found.is_some_and(|(kind, _)| kind == "spawn"));
    }

    fn arguments(&mut self, args: &[&Expr], spawn: bool) {
        for arg in args {
            match arg {
                Expr::Closure(closure) if spawn => self.thread_body(closure),
                arg => self.visit_expr(arg),
            }
        }
    }

    /// The closure that a new thread runs: a function of its own, `outer::{closure}`.
    fn thread_body(&mut self, closure: &syn::ExprClosure) {
        let outer = self.frames.last().map(|f| f.name.clone()).unwrap_or_default();
        if closure.capture.is_none() {
            self.captures(closure);
        }
        let (line, column, _) = self.text.place(spans::start_of_closure(closure));
        let end_line = spans::end(&closure.body).end().line as u32;
        let name = format!("{outer}::{{closure}}");
        let file = self.file.clone();
        self.index.functions.push(Function { name: name.clone(), file, line, column, end_line });
        self.closure(closure, name, false);
    }

    /// Any other closure: a part of the function it stands in.
    pub(super) fn inner_closure(&mut self, closure: &syn::ExprClosure) {
        let name = self.frames.last().map(|f| f.name.clone()).unwrap_or_default();
        self.closure(closure, name, true);
    }

    fn closure(&mut self, closure: &syn::ExprClosure, name: String, inner: bool) {
        let parameters = closure.inputs.iter().flat_map(variables::bound).map(bare).collect();
        self.frames.push(Frame { name, parameters, locals: Vec::new(), inner });
        self.visit_expr(&closure.body);
        self.frames.pop();
    }

    /// Local variables of the functions around that a thread's body borrows.
    fn captures(&mut self, closure: &syn::ExprClosure) {
        let used = variables::used(&closure.body);
        let frames = self.frames.len();
        // The function, and the closures of it that are around.
        let own = self.frames.iter().rposition(|f| !f.inner).unwrap_or(0);
        let mut found: Vec<(Ident, String, String)> = Vec::new();
        for frame in &self.frames[own.min(frames)..] {
            for (local, ty) in frame.locals.iter().filter(|(l, _)| used.contains(&l.to_string())) {
                found.push((local.clone(), ty.clone(), frame.name.clone()));
            }
        }
        for (local, ty, within) in found {
            self.variable(&local, &within, VariableKind::Let, ty, "captured by a thread".to_string());
        }
    }
}

/// A closure, or a name, which may be a function's.
fn is_body(e: &Expr) -> bool {
    matches!(e, Expr::Closure(_) | Expr::Path(_) | Expr::Call(_) | Expr::MethodCall(_))
}
