//! The expressions of a C file that read or write memory, for naming what an instrumented access
//! touched: compilers say the line, and a column that may be that of any part of the expression.

use super::names;
use crate::index::Reach;
use std::path::Path;
use tree_sitter::Node;

/// One expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Line, from 1.
    pub line: u32,
    /// First column, from 1, in bytes.
    pub column: u32,
    /// Column after its last one, on its line.
    pub end: u32,
    /// As a report names it.
    pub name: String,
    /// How it reaches its object.
    pub reach: Reach,
}

/// All accesses through pointers, fields and elements, outer expressions before their parts.
/// Plain names are left out: what they name has a symbol, or lies on a stack.
pub fn accesses(file: &Path, text: &str) -> Vec<Access> {
    let mut found = Vec::new();
    if let Some(tree) = super::parse(file, text) {
        collect(tree.root_node(), text, &mut found);
    }
    found
}

fn collect(node: Node, text: &str, found: &mut Vec<Access>) {
    let deref = node.kind() == "pointer_expression"
        && node.child_by_field_name("operator").is_some_and(|o| &text[o.byte_range()] == "*");
    if deref || matches!(node.kind(), "field_expression" | "subscript_expression") {
        let (start, end) = (node.start_position(), node.end_position());
        let name = names::name(node, text);
        found.push(Access {
            line: start.row as u32 + 1,
            column: start.column as u32 + 1,
            end: if end.row == start.row { end.column as u32 + 1 } else { u32::MAX },
            name: if deref { format!("*{name}") } else { name },
            reach: names::reach(node, text, &|_| Reach::Local),
        });
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        collect(child, text, found);
    }
}
