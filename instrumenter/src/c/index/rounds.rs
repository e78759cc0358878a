//! The loops of a file of C or C++.

use crate::index::loops::{At, Loops};
use std::path::Path;
use tree_sitter::{Node, Point};

/// All of them, and the bodies of functions and lambdas.
pub fn loops(file: &Path, text: &str) -> Loops {
    let mut loops = Loops::default();
    if let Some(tree) = super::parse(file, text) {
        walk(tree.root_node(), &mut loops);
    }
    loops
}

fn walk(node: Node, loops: &mut Loops) {
    let at = |point: Point, more| (point.row as u32 + 1, point.column as u32 + more);
    let is_loop = match node.kind() {
        "for_statement" | "while_statement" | "do_statement" | "for_range_loop" => Some(true),
        "function_definition" | "lambda_expression" => Some(false),
        _ => None,
    };
    let range: Option<(At, At, bool)> =
        is_loop.map(|is_loop| (at(node.start_position(), 1), at(node.end_position(), 0), is_loop));
    loops.ranges.extend(range);
    let mut cursor = node.walk();
    node.children(&mut cursor).for_each(|child| walk(child, loops));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_around_a_place() {
        let text = "void f() {\n    for (int i = 0; i < 3; i++) {\n        do {\n            g();\n        } while (h());\n        j([&] { while (k()) l(); });\n    }\n    m();\n}\n";
        let loops = Loops::of(Path::new("a.cpp"), text);
        let around = |line| loops.around((line, 0)).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!([2, 4, 5, 8].map(around), [vec![2], vec![2, 3], vec![2, 3], vec![]]);
        assert_eq!(loops.around((6, 9)), [(2, 5)]);
        assert_eq!(loops.around((6, 17)), [(6, 17)]);
        assert_eq!(loops.around((6, 24)), [(6, 17)]);
    }
}
