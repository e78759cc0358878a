//! Local variables of C whose address is taken: others may work on them, so compilers' hooks tell accesses
//! to them, though no symbol and no pointer names them. Those that live in registers alone are never told.

use super::declarations;
use crate::index::Touch;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// The variables of a function whose address is taken somewhere in it, as lambdas of C++ do that capture them; no arrays, whose elements have expressions
/// of their own.
pub fn shared<'t>(function: Node, text: &'t str) -> BTreeSet<&'t str> {
    let (mut declared, mut given) = (BTreeSet::new(), BTreeSet::new());
    each(function, &mut |node| match node.kind() {
        "declaration" | "parameter_declaration" => {
            let mut cursor = node.walk();
            let all = node.children_by_field_name("declarator", &mut cursor).filter(|d| !is_array(*d));
            declared.extend(all.filter_map(declarations::declared).map(|d| &text[d.byte_range()]));
        }
        "pointer_expression" if is_address(node, text) => {
            let of = node.child_by_field_name("argument").and_then(|n| whole(n, text));
            given.extend(of.map(|n| &text[n.byte_range()]));
        }
        "lambda_expression" => {
            let (all, named) = captured_by_reference(node, text);
            given.extend(named);
            each(node, &mut |n| {
                given.extend((all && n.kind() == "identifier").then(|| &text[n.byte_range()]));
            });
        }
        _ => {}
    });
    declared.intersection(&given).copied().collect()
}

/// The variables that a lambda of C++ captures by reference, which takes their addresses: all that it names of the function around it (`[&]`), or
/// these variables (`[&sum, n]`).
fn captured_by_reference<'t>(lambda: Node, text: &'t str) -> (bool, Vec<&'t str>) {
    let captures = lambda.child_by_field_name("captures").map_or("", |c| &text[c.byte_range()]);
    let inside = captures.trim_start_matches('[').trim_end_matches(']');
    let by_reference = inside.split(',').filter_map(|one| one.trim().strip_prefix('&')).map(str::trim);
    let (all, named): (Vec<&str>, Vec<&str>) = by_reference.partition(|name| name.is_empty());
    (!all.is_empty(), named)
}

/// `&e`
pub fn is_address(node: Node, text: &str) -> bool {
    node.kind() == "pointer_expression"
        && node.child_by_field_name("operator").is_some_and(|o| &text[o.byte_range()] == "&")
}

/// The variable that an expression is, or is a member of: `s` of `s.n`, but not the pointer of `p->n`.
fn whole<'t>(node: Node<'t>, text: &str) -> Option<Node<'t>> {
    match node.kind() {
        "identifier" => Some(node),
        "parenthesized_expression" => whole(node.named_child(0)?, text),
        "field_expression" => {
            let operator = node.child_by_field_name("operator").filter(|o| &text[o.byte_range()] == ".");
            operator.and_then(|_| whole(node.child_by_field_name("argument")?, text))
        }
        _ => None,
    }
}

fn is_array(declarator: Node) -> bool {
    match declarator.kind() {
        "array_declarator" => true,
        _ => declarator.child_by_field_name("declarator").is_some_and(is_array),
    }
}

/// What the expression around one does to it: `None` where only its address is taken.
pub fn touch(node: Node, text: &str) -> Option<Touch> {
    let Some(parent) = node.parent() else { return Some(Touch::Read) };
    let is = |field: &str| parent.child_by_field_name(field) == Some(node);
    match parent.kind() {
        "parenthesized_expression" => touch(parent, text),
        "assignment_expression" if is("left") => {
            let operator = parent.child_by_field_name("operator").map(|o| &text[o.byte_range()]);
            Some(if operator == Some("=") { Touch::Write } else { Touch::Both })
        }
        "update_expression" => Some(Touch::Both),
        "init_declarator" if is("declarator") => Some(Touch::Write),
        "pointer_expression" if is_address(parent, text) => works_on(parent, text).then_some(Touch::Both),
        "sizeof_expression" => None,
        _ => Some(Touch::Read),
    }
}

/// May the call that gets this address work on it in this very line? Threads that it makes do so in theirs.
fn works_on(address: Node, text: &str) -> bool {
    let mut node = address;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "parenthesized_expression" | "cast_expression" => node = parent,
            "argument_list" => {
                let function = parent.parent().and_then(|c| c.child_by_field_name("function"));
                let of_threads = ["pthread_", "thrd_"];
                return function
                    .is_none_or(|f| !of_threads.iter().any(|p| text[f.byte_range()].starts_with(p)));
            }
            _ => return false,
        }
    }
    false
}

/// Does a function of this name work on memory that it is given, so that this is told of the line of its call?
pub fn is_of_memory(name: &str) -> bool {
    ["mem", "str", "cpy", "copy", "zero", "atomic", "sync"].iter().any(|part| name.contains(part))
}

/// Every node, outer ones first.
pub fn each<'t>(node: Node<'t>, see: &mut dyn FnMut(Node<'t>)) {
    see(node);
    let mut cursor = node.walk();
    let children: Vec<Node> = node.named_children(&mut cursor).collect();
    children.into_iter().for_each(|child| each(child, see));
}
