//! Which variables of Rust look as if threads shared them, told by the text of their types and
//! of what they are made with.

use syn::visit::{self, Visit};
use syn::{Expr, Type};

/// Types that exist to be shared.
const SHARED: [&str; 22] = [
    "Mutex",
    "RwLock",
    "Condvar",
    "Barrier",
    "Once",
    "OnceLock",
    "LazyLock",
    "Arc",
    "UnsafeCell",
    "SyncUnsafeCell",
    "AtomicBool",
    "AtomicPtr",
    "AtomicI8",
    "AtomicI16",
    "AtomicI32",
    "AtomicI64",
    "AtomicIsize",
    "AtomicU8",
    "AtomicU16",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
];
/// Ends of channels.
const CHANNEL: [&str; 3] = ["Sender", "SyncSender", "Receiver"];

/// The type in a type that makes it look shared: the innermost that is not a mere `Arc`.
pub fn shared_type(ty: &Type) -> Option<String> {
    struct Find(Option<String>);
    impl<'ast> Visit<'ast> for Find {
        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            let name = segment.ident.to_string();
            if is_shared(&name) && self.0.as_deref().is_none_or(|found| found == "Arc") {
                self.0 = Some(name);
            }
            visit::visit_path_segment(self, segment);
        }
    }
    let mut find = Find(None);
    find.visit_type(ty);
    find.0
}

/// The type that an expression makes a shared thing of: `Arc::new(Mutex::new(0))` a `Mutex`.
pub fn shared_value(e: &Expr) -> Option<String> {
    match e {
        Expr::Call(call) => {
            let Expr::Path(p) = &*call.func else { return None };
            let words: Vec<String> = p.path.segments.iter().map(|s| s.ident.to_string()).collect();
            let own = match &words[..] {
                [.., ty, _] if is_shared(ty) => Some(ty.clone()),
                [.., f] if (f == "channel" || f == "sync_channel") => Some("channel".to_string()),
                _ => None,
            }?;
            match call.args.first().and_then(shared_value) {
                Some(inner) if own == "Arc" => Some(inner),
                _ => Some(own),
            }
        }
        Expr::Array(a) => a.elems.first().and_then(shared_value),
        Expr::Repeat(r) => shared_value(&r.expr),
        Expr::Tuple(t) => t.elems.iter().find_map(shared_value),
        Expr::Reference(r) => shared_value(&r.expr),
        Expr::MethodCall(call) if call.method == "clone" => shared_value(&call.receiver),
        _ => None,
    }
}

/// May a static of this type change? Numbers and texts do not; a type of the program's own may.
pub fn may_have_state(ty: &Type) -> bool {
    let Type::Path(p) = ty else { return false };
    let Some(name) = p.path.segments.last().map(|s| s.ident.to_string()) else { return false };
    name.starts_with(|c: char| c.is_uppercase()) && !matches!(name.as_str(), "String" | "Duration")
}

fn is_shared(name: &str) -> bool {
    SHARED.contains(&name) || CHANNEL.contains(&name)
}

/// The names that a pattern binds.
pub fn bound(pattern: &syn::Pat) -> Vec<&syn::Ident> {
    struct Find<'a>(Vec<&'a syn::Ident>);
    impl<'ast> Visit<'ast> for Find<'ast> {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.push(&pattern.ident);
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut find = Find(Vec::new());
    find.visit_pat(pattern);
    find.0
}

/// The plain names that an expression uses: what a closure may capture.
pub fn used(e: &Expr) -> Vec<String> {
    struct Find(Vec<String>);
    impl<'ast> Visit<'ast> for Find {
        fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
            if let Some(name) = path.path.get_ident() {
                self.0.push(name.to_string());
            }
        }
        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            for e in super::expressions::macro_arguments(mac) {
                self.visit_expr(&e);
            }
        }
    }
    let mut find = Find(Vec::new());
    find.visit_expr(e);
    find.0.sort();
    find.0.dedup();
    find.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_values_that_are_shared() {
        let ty = |source: &str| shared_type(&syn::parse_str(source).unwrap());
        assert_eq!(ty("Arc<Mutex<u32>>").as_deref(), Some("Mutex"));
        assert_eq!(ty("&[AtomicU32]").as_deref(), Some("AtomicU32"));
        assert_eq!(ty("Arc<Bank>").as_deref(), Some("Arc"));
        assert_eq!(ty("Vec<u32>"), None);
        let value = |source: &str| shared_value(&syn::parse_str(source).unwrap());
        assert_eq!(value("Arc::new(Mutex::new(0))").as_deref(), Some("Mutex"));
        assert_eq!(value("Arc::new(Bank::new())").as_deref(), Some("Arc"));
        assert_eq!(value("mpsc::channel()").as_deref(), Some("channel"));
        assert_eq!(value("Bank::new()"), None);
        assert_eq!(used(&syn::parse_str("|| { a.b(c); vec![d] }").unwrap()), ["a", "c", "d"]);
    }
}
