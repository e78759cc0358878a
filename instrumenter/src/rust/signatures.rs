//! What is read from a function before its body is edited: may it be marked, how, and which names
//! are its own.

use super::awaits;
use proc_macro2::Span;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::visit::Visit;

/// Why a function must stay as it is.
pub(super) fn reason_to_leave(
    attributes: &[syn::Attribute],
    signature: &syn::Signature,
    block: &syn::Block,
) -> Option<&'static str> {
    let is_naked = |a: &syn::Attribute| match &a.meta {
        syn::Meta::Path(path) => path.is_ident("naked"),
        syn::Meta::List(list) => list.path.is_ident("unsafe") && list.tokens.to_string() == "naked",
        syn::Meta::NameValue(_) => false,
    };
    if signature.constness.is_some() {
        Some("it is a const fn, which may call const functions only")
    } else if signature.asyncness.is_some() && awaits::are_hidden(block) {
        Some("it is async, and may await something in a macro")
    } else if signature.variadic.is_some() {
        Some("it takes C's variadic arguments")
    } else if attributes.iter().any(is_naked) {
        Some("it is naked")
    } else {
        None
    }
}

/// Does `impl Trait` stand in what a function returns?
pub(super) fn returns_impl(output: &syn::ReturnType) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut search = Search(false);
    search.visit_return_type(output);
    search.0
}

/// The names that a function binds anywhere: by parameters, `let`, patterns, closures' parameters.
/// None of them can be a static, because a pattern must not shadow one; but a static that is declared
/// in the function itself may, elsewhere in it.
pub(super) fn bound(signature: &syn::Signature, block: &syn::Block) -> BTreeSet<String> {
    #[derive(Default)]
    struct Search {
        bound: BTreeSet<String>,
        statics: BTreeSet<String>,
    }
    impl<'ast> Visit<'ast> for Search {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.bound.insert(pattern.ident.to_string());
            syn::visit::visit_pat_ident(self, pattern);
        }
        fn visit_receiver(&mut self, _: &'ast syn::Receiver) {
            self.bound.insert("self".to_string());
        }
        fn visit_item(&mut self, item: &'ast syn::Item) {
            // Other functions bind names of their own.
            if let syn::Item::Static(item) = item {
                self.statics.insert(item.ident.to_string());
            }
        }
    }
    let mut search = Search::default();
    search.visit_signature(signature);
    search.visit_block(block);
    &search.bound - &search.statics
}

/// Where the body goes on behind attributes of the function that stand in it.
pub(super) fn first_statement(attributes: &[syn::Attribute], block: &syn::Block) -> Option<Span> {
    let inner = |a: &syn::Attribute| matches!(a.style, syn::AttrStyle::Inner(_));
    let close = block.brace_token.span.close();
    attributes.iter().any(inner).then(|| block.stmts.first().map_or(close, |s| s.span()))
}

/// `spawn`, `spawn_scoped`, `spawn_unchecked`, …
pub(super) fn is_spawn(name: &syn::Ident) -> bool {
    let name = name.to_string();
    name == "spawn" || name.starts_with("spawn_")
}

/// A name as a string literal of ASCII.
pub(super) fn literal(name: &str) -> String {
    let escaped: String = name.chars().flat_map(|c| c.escape_default()).collect();
    format!("\"{escaped}\"")
}

/// May a closure that calls nothing be a job of a runtime, which has no parameter of use? Where it runs, the runtime's own code is
/// at an end, and another stretch of it begins behind.
pub(super) fn may_be_job(closure: &syn::ExprClosure) -> bool {
    let is_unused = |input: &syn::Pat| matches!(input, syn::Pat::Wild(_));
    closure.inputs.iter().all(is_unused) && !matches!(*closure.body, syn::Expr::Closure(_))
}

/// Does the body of a closure call anything? What only gives another closure does not: in a `match` the compiler
/// would not see what is expected of that.
pub(super) fn calls(body: &syn::Expr) -> bool {
    struct Calls(bool);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_call(&mut self, _: &'ast syn::ExprCall) {
            self.0 = true;
        }
        fn visit_expr_method_call(&mut self, _: &'ast syn::ExprMethodCall) {
            self.0 = true;
        }
        fn visit_macro(&mut self, _: &'ast syn::Macro) {
            self.0 = true;
        }
    }
    let mut found = Calls(false);
    found.visit_expr(body);
    found.0 && !matches!(body, syn::Expr::Closure(_))
}
