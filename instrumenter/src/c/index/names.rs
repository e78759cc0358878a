//! Expressions of C and C++ as the names of objects: `&q->lock` is `q->lock`, and what only leads
//! there (addresses, casts, parentheses) is left out.

use crate::index::Reach;
use tree_sitter::Node;

/// Longest name; the rest of a longer one is cut off.
const MOST: usize = 48;

/// The name of the object that an expression denotes or points to.
pub fn name(node: Node, text: &str) -> String {
    let name = written(node, text);
    if name.chars().count() <= MOST { name } else { name.chars().take(MOST - 1).chain(['…']).collect() }
}

/// What a field is one of: `*p` for `p->n`, `a[i]` for `a[i].n`; nothing for what is no field.
pub fn base(field: Node, text: &str) -> Option<String> {
    let of = field.child_by_field_name("argument").filter(|_| field.kind() == "field_expression")?;
    let arrow = field.child_by_field_name("operator").is_some_and(|o| &text[o.byte_range()] == "->");
    let pointed = match pointer_operator(of, text) {
        Some(operator) => operator == '*',
        None => arrow,
    };
    Some(format!("{}{}", if pointed { "*" } else { "" }, name(of, text)))
}

fn written(node: Node, text: &str) -> String {
    let part = |field: &str| node.child_by_field_name(field).map(|n| written(n, text)).unwrap_or_default();
    match node.kind() {
        "field_expression" => {
            let Some(base) = node.child_by_field_name("argument") else { return String::new() };
            let field = part("field");
            if &text[base.byte_range()] == "this" {
                return field;
            }
            let arrow = node.child_by_field_name("operator").is_some_and(|o| &text[o.byte_range()] == "->");
            // `(*q).lock` is `q->lock`, `(&state)->lock` is `state.lock`.
            let operator = match pointer_operator(base, text) {
                Some('*') => "->",
                Some(_) => ".",
                None if arrow => "->",
                None => ".",
            };
            format!("{}{operator}{field}", written(base, text))
        }
        "subscript_expression" => {
            let index = node.child_by_field_name("index").or_else(|| {
                // C++: an argument list in brackets.
                let list = node.child_by_field_name("indices")?;
                list.named_child(0)
            });
            format!("{}[{}]", part("argument"), index.map(|n| written(n, text)).unwrap_or_default())
        }
        "pointer_expression" => part("argument"),
        "cast_expression" => part("value"),
        "parenthesized_expression" => node.named_child(0).map(|n| written(n, text)).unwrap_or_default(),
        "call_expression" => {
            let empty = node.child_by_field_name("arguments").is_none_or(|a| a.named_child_count() == 0);
            format!("{}({})", part("function"), if empty { "" } else { "…" })
        }
        "qualified_identifier" => part("name"),
        // `lock_guard guard(m);` read as a declaration.
        "parameter_declaration" => part("type"),
        "binary_expression" => {
            let operator = node.child_by_field_name("operator").map(|o| &text[o.byte_range()]);
            let side = |field: &str| node.child_by_field_name(field).map(|n| operand(n, text));
            let (left, right) = (side("left").unwrap_or_default(), side("right").unwrap_or_default());
            format!("{left} {} {right}", operator.unwrap_or_default())
        }
        "identifier" | "type_identifier" | "field_identifier" | "number_literal" | "char_literal"
        | "this" | "update_expression" => text[node.byte_range()].split_whitespace().collect(),
        _ => "…".to_string(),
    }
}

/// Parentheses around a part of a computation stay: `(i + 1) % n`.
fn operand(node: Node, text: &str) -> String {
    let inner = node.named_child(0).filter(|_| node.kind() == "parenthesized_expression");
    match inner.filter(|n| n.kind() == "binary_expression") {
        Some(inner) => format!("({})", written(inner, text)),
        None => written(node, text),
    }
}

/// `*` or `&` where the expression, parentheses apart, is one applied to something.
fn pointer_operator(node: Node, text: &str) -> Option<char> {
    match node.kind() {
        "parenthesized_expression" => pointer_operator(node.named_child(0)?, text),
        "pointer_expression" => text[node.child_by_field_name("operator")?.byte_range()].chars().next(),
        _ => None,
    }
}

/// The variable that an expression starts from.
pub fn root<'t>(node: Node, text: &'t str) -> Option<&'t str> {
    match node.kind() {
        "identifier" | "type_identifier" => Some(&text[node.byte_range()]),
        "parameter_declaration" => root(node.child_by_field_name("type")?, text),
        "field_expression" | "subscript_expression" | "pointer_expression" => {
            root(node.child_by_field_name("argument")?, text)
        }
        "cast_expression" => root(node.child_by_field_name("value")?, text),
        "parenthesized_expression" => root(node.named_child(0)?, text),
        _ => None,
    }
}

/// How an expression reaches its object; `of` says how a plain name does.
pub fn reach(node: Node, text: &str, of: &dyn Fn(&str) -> Reach) -> Reach {
    let field = has_field(node);
    match root(node, text).map(of) {
        Some(Reach::Global) => Reach::Global,
        Some(_) if field => Reach::Field,
        Some(reach) => reach,
        None if field => Reach::Field,
        None => Reach::Other,
    }
}

fn has_field(node: Node) -> bool {
    match node.kind() {
        "field_expression" => true,
        "subscript_expression" | "pointer_expression" => {
            node.child_by_field_name("argument").is_some_and(has_field)
        }
        "cast_expression" => node.child_by_field_name("value").is_some_and(has_field),
        "parenthesized_expression" => node.named_child(0).is_some_and(has_field),
        _ => false,
    }
}
