//! Where expressions begin and end. `Spanned::span` of syn turns a whole expression back into
//! tokens to learn it, which for closures and bodies is most of what indexing costs.

use proc_macro2::Span;
use syn::Expr;
use syn::spanned::Spanned;

/// Where a call begins.
pub fn start_of_call(call: &syn::ExprCall) -> Span {
    match &*call.func {
        Expr::Path(p) if p.qself.is_none() => match (&p.path.leading_colon, p.path.segments.first()) {
            (Some(colon), _) => colon.spans[0],
            (None, Some(first)) => first.ident.span(),
            (None, None) => call.paren_token.span.open(),
        },
        other => other.span(),
    }
}

/// Where a closure begins: at `move`, `async` and the like, or at its first `|`.
pub fn start_of_closure(closure: &syn::ExprClosure) -> Span {
    let words = [
        closure.constness.map(|word| word.span),
        closure.movability.map(|word| word.span),
        closure.asyncness.map(|word| word.span),
        closure.capture.map(|word| word.span),
    ];
    words.into_iter().flatten().next().unwrap_or(closure.or1_token.spans[0])
}

/// The last token of an expression, where that is a bracket, or all of it.
pub fn end(e: &Expr) -> Span {
    match e {
        Expr::Block(b) => b.block.brace_token.span.close(),
        Expr::Unsafe(u) => u.block.brace_token.span.close(),
        Expr::Call(c) => c.paren_token.span.close(),
        Expr::MethodCall(c) => c.paren_token.span.close(),
        other => other.span(),
    }
}
