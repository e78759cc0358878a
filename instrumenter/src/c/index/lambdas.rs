//! The bodies of the lambdas of a C++ file. Operations of the function around are in none of them, though their lines are the
//! same.

use crate::index::loops::At;
use std::ops::Range;
use std::path::Path;
use tree_sitter::{Node, Point};

/// All of them, from brace to brace.
pub fn bodies(file: &Path, text: &str) -> Vec<Range<At>> {
    let mut found = Vec::new();
    if super::language(file) == super::Language::Cpp
        && let Some(tree) = super::parse(file, text)
    {
        walk(tree.root_node(), &mut found);
    }
    found
}

fn walk(node: Node, found: &mut Vec<Range<At>>) {
    let at = |point: Point| (point.row as u32 + 1, point.column as u32 + 1);
    if node.kind() == "lambda_expression"
        && let Some(body) = node.child_by_field_name("body")
    {
        found.push(at(body.start_position())..at(body.end_position()));
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).for_each(|child| walk(child, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_and_parameters_are_no_part_of_them() {
        let text = "void f(int a) {\n    g([a](int b) { return a + b; }, h([] { k(); }));\n}\n";
        assert_eq!(bodies(Path::new("a.cpp"), text), [(2, 18)..(2, 35), (2, 42)..(2, 50)]);
        assert_eq!(bodies(Path::new("a.c"), text), []);
    }
}
