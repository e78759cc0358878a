//! Expressions as the names of objects: `self.accounts[from]` is `accounts[from]`, and what only
//! leads to the object (references, clones, unwraps, casts) is left out.

use super::bare;
use crate::index::Reach;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

/// Longest name; the rest of a longer one is cut off.
const MOST: usize = 48;

/// The name of the object that an expression denotes.
pub fn name(e: &Expr) -> String {
    let text = text(e);
    if text.chars().count() <= MOST { text } else { text.chars().take(MOST - 1).chain(['…']).collect() }
}

fn text(e: &Expr) -> String {
    match e {
        Expr::Path(p) => p.path.segments.last().map(|s| bare(&s.ident)).unwrap_or_default(),
        Expr::Field(f) => match &f.member {
            syn::Member::Named(field) if is_self(&f.base) => bare(field),
            syn::Member::Named(field) => format!("{}.{}", text(&f.base), bare(field)),
            syn::Member::Unnamed(number) => format!("{}.{}", text(&f.base), number.index),
        },
        Expr::Index(i) => format!("{}[{}]", text(&i.expr), text(&i.index)),
        Expr::MethodCall(call) => method(call),
        Expr::Call(call) => function(call),
        Expr::Binary(b) => format!("{} {} {}", operand(&b.left), operator(&b.op), operand(&b.right)),
        Expr::Range(_) => "..".to_string(),
        Expr::Lit(l) => literal(&l.lit),
        Expr::Closure(_) => "…".to_string(),
        Expr::Macro(m) => {
            format!("{}!(…)", m.mac.path.segments.last().map(|s| bare(&s.ident)).unwrap_or_default())
        }
        e => inner(e).map_or_else(|| "…".to_string(), text),
    }
}

/// Parentheses around a part of a computation stay: `(i + 1) % n`.
fn operand(e: &Expr) -> String {
    match e {
        Expr::Paren(p) if matches!(*p.expr, Expr::Binary(_)) => format!("({})", text(&p.expr)),
        e => text(e),
    }
}

/// The expression that another one only leads to.
fn inner(e: &Expr) -> Option<&Expr> {
    Some(match e {
        Expr::Reference(r) => &r.expr,
        Expr::RawAddr(r) => &r.expr,
        Expr::Unary(u) => &u.expr,
        Expr::Paren(p) => &p.expr,
        Expr::Group(g) => &g.expr,
        Expr::Cast(c) => &c.expr,
        Expr::Try(t) => &t.expr,
        Expr::Await(a) => &a.base,
        Expr::Unsafe(u) => last(&u.block)?,
        Expr::Block(b) => last(&b.block)?,
        _ => return None,
    })
}

/// The value of a block.
fn last(block: &syn::Block) -> Option<&Expr> {
    match block.stmts.last()? {
        syn::Stmt::Expr(e, None) => Some(e),
        _ => None,
    }
}

/// Methods that hand out what they are called on, or what is in it.
const LEADING: [&str; 26] = [
    "as_mut",
    "as_ref",
    "as_ptr",
    "borrow",
    "borrow_mut",
    "clone",
    "cloned",
    "deref",
    "deref_mut",
    "expect",
    "get_mut",
    "into_inner",
    "iter",
    "lock",
    "load",
    "read",
    "to_owned",
    "unwrap",
    "unwrap_or_default",
    "unwrap_or_else",
    "upgrade",
    "write",
    "into",
    "as_deref",
    "inspect",
    "by_ref",
];

fn method(call: &syn::ExprMethodCall) -> String {
    let method = bare(&call.method);
    let receiver = || text(&call.receiver);
    if LEADING.contains(&method.as_str()) {
        return receiver();
    }
    match (method.as_str(), call.args.first()) {
        ("get" | "get_unchecked" | "nth" | "entry", Some(index)) if call.args.len() == 1 => {
            format!("{}[{}]", receiver(), text(index))
        }
        ("get", None) => receiver(),
        (_, first) => {
            let args = if first.is_some() { "…" } else { "" };
            let receiver = if is_self(&call.receiver) { String::new() } else { receiver() + "." };
            format!("{receiver}{method}({args})")
        }
    }
}

fn function(call: &syn::ExprCall) -> String {
    let Expr::Path(p) = &*call.func else { return "…".to_string() };
    let words: Vec<String> = p.path.segments.iter().map(|s| bare(&s.ident)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match (&words[..], call.args.first()) {
        // `Arc::clone(&x)`, `Some(x)`, `Pin::new(&x)`.
        ([.., _, "clone" | "as_ref" | "from" | "downgrade"] | ["Some" | "Ok"], Some(of)) => text(of),
        ([.., "Arc" | "Rc" | "Box" | "Pin", "new"], Some(of)) => text(of),
        ([.., name], None) => format!("{name}()"),
        ([.., name], Some(_)) => format!("{name}(…)"),
        ([], _) => "…".to_string(),
    }
}

fn is_self(e: &Expr) -> bool {
    match e {
        Expr::Path(p) => p.path.is_ident("self"),
        e => inner(e).is_some_and(is_self),
    }
}

fn literal(lit: &syn::Lit) -> String {
    match lit {
        syn::Lit::Int(n) => n.base10_digits().to_string(),
        syn::Lit::Bool(b) => b.value.to_string(),
        syn::Lit::Char(c) => format!("{:?}", c.value()),
        syn::Lit::Str(s) => format!("{:?}", s.value()),
        _ => "…".to_string(),
    }
}

fn operator(op: &syn::BinOp) -> &'static str {
    use syn::BinOp::*;
    match op {
        Add(_) => "+",
        Sub(_) => "-",
        Mul(_) => "*",
        Div(_) => "/",
        Rem(_) => "%",
        BitAnd(_) => "&",
        BitOr(_) => "|",
        BitXor(_) => "^",
        Shl(_) => "<<",
        Shr(_) => ">>",
        _ => "…",
    }
}

/// How an expression reaches its object, where these names are parameters.
pub fn reach(e: &Expr, is_parameter: &dyn Fn(&str) -> bool) -> Reach {
    match e {
        Expr::Path(p) => {
            let Some(last) = p.path.segments.last() else { return Reach::Other };
            let name = bare(&last.ident);
            let constant = name.chars().any(|c| c.is_uppercase()) && !name.chars().any(|c| c.is_lowercase());
            if constant {
                Reach::Global
            } else if name == "self" || p.path.segments.len() > 1 {
                Reach::Other
            } else if is_parameter(&name) {
                Reach::Parameter
            } else {
                Reach::Local
            }
        }
        Expr::Field(f) => match reach(&f.base, is_parameter) {
            Reach::Global => Reach::Global,
            _ => Reach::Field,
        },
        Expr::Index(i) => reach(&i.expr, is_parameter),
        Expr::MethodCall(call) => {
            let leads = LEADING.contains(&bare(&call.method).as_str()) || call.method == "get";
            if leads { reach(&call.receiver, is_parameter) } else { Reach::Other }
        }
        Expr::Call(call) => match (&*call.func, call.args.first()) {
            (Expr::Path(p), Some(of)) if p.path.segments.last().is_some_and(|s| s.ident == "clone") => {
                reach(of, is_parameter)
            }
            _ => Reach::Other,
        },
        e => inner(e).map_or(Reach::Other, |e| reach(e, is_parameter)),
    }
}

/// The expressions in a macro's arguments, as far as they are some: `assert_eq!(*m.lock()?, 2)`.
pub fn macro_arguments(mac: &syn::Macro) -> Vec<Expr> {
    type List = Punctuated<Expr, Token![,]>;
    if mac.tokens.is_empty() {
        return Vec::new();
    }
    if let Ok(list) = mac.parse_body_with(List::parse_terminated) {
        return list.into_iter().collect();
    }
    // `vec![x; n]`, `matches!(x, pattern)`: what comes first is an expression.
    let leading = |input: syn::parse::ParseStream| {
        let mut found = vec![input.parse::<Expr>()?];
        if input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            found.push(input.parse()?);
        }
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(found)
    };
    mac.parse_body_with(leading).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_what_leads_there() {
        for (source, expected) in [
            ("self.accounts[from]", "accounts[from]"),
            ("self.inner.lock", "inner.lock"),
            ("Arc::clone(&shared)", "shared"),
            ("(*state).lock.clone()", "state.lock"),
            ("crate::global::TOTAL", "TOTAL"),
            ("self.0", "self.0"),
            ("pair.1", "pair.1"),
            ("self.slots[(i + 1) % N].as_ref().unwrap()", "slots[(i + 1) % N]"),
            ("slots[(i + 1)]", "slots[i + 1]"),
            ("slots[n - (i - (x))]", "slots[n - (i - x)]"),
            ("self.shard(key)", "shard(…)"),
            ("map.get(&7).unwrap()", "map[7]"),
            ("unsafe { &*self.raw }", "raw"),
            ("queue.lock().unwrap().ready", "queue.ready"),
            ("if a { b } else { c }", "…"),
        ] {
            assert_eq!(name(&syn::parse_str(source).unwrap()), expected, "{source}");
        }
    }

    #[test]
    fn how_objects_are_reached() {
        let of = |source: &str| reach(&syn::parse_str(source).unwrap(), &|name| name == "m");
        assert_eq!(of("TOTAL"), Reach::Global);
        assert_eq!(of("STATE.lock"), Reach::Global);
        assert_eq!(of("self.lock"), Reach::Field);
        assert_eq!(of("self.locks[m]"), Reach::Field);
        assert_eq!(of("&local[0]"), Reach::Local);
        assert_eq!(of("Arc::clone(&m)"), Reach::Parameter);
        assert_eq!(of("make()"), Reach::Other);
    }
}
