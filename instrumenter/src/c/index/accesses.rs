//! The expressions of a C file that read or write memory, for naming what an instrumented access
//! touched: compilers say the line, and a column that may be that of any part of the expression.

use super::names;
use crate::index::{Access, Reach};
use std::path::Path;
use tree_sitter::Node;

/// All accesses through pointers, fields and elements, outer expressions before their parts.
/// Plain names are left out: what they name has a symbol, or lies on a stack.
pub fn accesses(file: &Path, text: &str) -> Vec<Access> {
    let mut walk = Walk { text, is_cpp: super::language(file) == super::Language::Cpp, found: Vec::new() };
    if let Some(tree) = super::parse(file, text) {
        walk.node(tree.root_node());
    }
    walk.found.sort_by_key(|a| a.line);
    walk.found
}

struct Walk<'a> {
    text: &'a str,
    is_cpp: bool,
    found: Vec<Access>,
}

impl Walk<'_> {
    fn node(&mut self, node: Node) {
        match node.kind() {
            "assignment_expression" => self.changed(node, "left"),
            "init_declarator" => self.initialised(node),
            "update_expression" => self.changed(node, "argument"),
            // What is called in C++ is a method.
            "field_expression" if self.is_cpp && is_called(node) => {}
            "field_expression" => {
                let parts = [node.child_by_field_name("operator"), node.child_by_field_name("field")];
                self.add(node, parts.into_iter().flatten().map(column).collect());
            }
            "subscript_expression" => self.add(node, vec![column(node)]),
            "pointer_expression" if self.is_dereference(node) => self.add(node, vec![column(node)]),
            "call_expression" => self.freed(node),
            "delete_expression" => self.deleted(node),
            _ => {}
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.node(child);
        }
    }

    fn is_dereference(&self, node: Node) -> bool {
        node.child_by_field_name("operator").is_some_and(|o| &self.text[o.byte_range()] == "*")
    }

    /// What an assignment or an increment changes, at the column of its operator.
    fn changed(&mut self, node: Node, field: &str) {
        let target = node.child_by_field_name(field).filter(|t| t.kind() != "identifier");
        if let (Some(target), Some(operator)) = (target, node.child_by_field_name("operator")) {
            self.add(target, vec![column(operator)]);
        }
    }

    /// `long seen = bank->accs[i].bal`: the read is where the declared name is. A value that is
    /// computed has its accesses at their own places.
    fn initialised(&mut self, declarator: Node) {
        let declared = declarator.child_by_field_name("declarator").map(name_of);
        let mut value = declarator.child_by_field_name("value");
        while let Some(v) = value {
            match v.kind() {
                "cast_expression" => value = v.child_by_field_name("value"),
                "parenthesized_expression" => value = v.named_child(0),
                _ => break,
            }
        }
        let access = |v: &Node| match v.kind() {
            "field_expression" | "subscript_expression" => true,
            _ => self.is_dereference(*v),
        };
        if let (Some(value), Some(declared)) = (value.filter(access), declared) {
            let line = declared.start_position().row as u32 + 1;
            self.add(value, vec![column(declared)]);
            if let Some(added) = self.found.last_mut() {
                // Only there: at its own place it is found by itself.
                (added.line, added.column, added.end) = (line, column(declared), column(declared) + 1);
            }
        }
    }

    fn add(&mut self, node: Node, marks: Vec<u32>) {
        let (start, end) = (node.start_position(), node.end_position());
        let name = names::name(node, self.text);
        let name = if self.is_dereference(node) { format!("*{name}") } else { name };
        self.found.push(Access {
            line: start.row as u32 + 1,
            column: column(node),
            end: if end.row == start.row { end.column as u32 + 1 } else { u32::MAX },
            marks,
            base: names::base(node, self.text).unwrap_or_else(|| name.clone()),
            name,
            reach: names::reach(node, self.text, &|_| Reach::Local),
            freed: false,
        });
    }

    /// `free(q)`: the block is what its argument points to.
    fn freed(&mut self, call: Node) {
        let function = call.child_by_field_name("function").map(|f| &self.text[f.byte_range()]);
        let argument = call.child_by_field_name("arguments").and_then(|a| a.named_child(0));
        if let Some(argument) = argument.filter(|_| matches!(function, Some("free" | "realloc"))) {
            self.add_freed(call, argument);
        }
    }

    /// `delete q`, `delete[] q`.
    fn deleted(&mut self, delete: Node) {
        let last = delete.named_child_count().checked_sub(1).and_then(|n| delete.named_child(n));
        if let Some(argument) = last {
            self.add_freed(delete, argument);
        }
    }

    fn add_freed(&mut self, by: Node, argument: Node) {
        self.found.push(Access {
            line: by.start_position().row as u32 + 1,
            column: column(by),
            end: by.end_position().column as u32 + 1,
            marks: vec![column(by)],
            name: names::name(argument, self.text),
            base: names::name(argument, self.text),
            reach: Reach::Local,
            freed: true,
        });
    }
}

/// Is it the function of a call?
fn is_called(node: Node) -> bool {
    let call = node.parent().filter(|p| p.kind() == "call_expression");
    call.and_then(|c| c.child_by_field_name("function")) == Some(node)
}

/// The name inside a declarator: `p` of `*p`.
fn name_of(declarator: Node) -> Node {
    declarator.child_by_field_name("declarator").map_or(declarator, name_of)
}

fn column(node: Node) -> u32 {
    node.start_position().column as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initialisers_are_where_the_name_is() {
        let text = "void f(struct q *q) {\n  long seen = q->a[i].n, *p = (long *)q->b, m = q->n + 1;\n}\n";
        let all = accesses(Path::new("a.c"), text);
        let at = |column: u32| all.iter().find(|a| a.marks.contains(&column)).map(|a| a.name.as_str());
        assert_eq!((at(8), at(27), at(45)), (Some("q->a[i].n"), Some("q->b"), None));
    }

    #[test]
    fn what_a_field_belongs_to() {
        let text = "void f(void) { p->a; (*p).a; s.a; b->c[i].d; c[i]; this->d; }";
        let all = accesses(Path::new("a.cpp"), text);
        let bases: Vec<&str> = all.iter().map(|a| a.base.as_str()).collect();
        assert_eq!(bases, ["*p", "*p", "*p", "s", "b->c[i]", "b->c[i]", "*b", "c[i]", "*this"]);
    }

    #[test]
    fn accesses_with_the_columns_of_compilers() {
        let text = "void f(struct q *q) {\n  q->items[q->n++] = *p;\n  free(q);\n}\n";
        let all = accesses(Path::new("a.c"), text);
        let told: Vec<String> =
            all.iter().map(|a| format!("{} {}-{} {:?}", a.name, a.column, a.end, a.marks)).collect();
        expect_test::expect![[r#"
            q->items[q->n++] 3-19 [20]
            q->items[q->n++] 3-19 [3]
            q->items 3-11 [4, 6]
            q->n 12-16 [16]
            q->n 12-16 [13, 15]
            *p 22-24 [22]
            q 3-10 [3]"#]]
        .assert_eq(&told.join("\n"));
    }
}
