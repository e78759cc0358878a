//! The expressions of a C file that read or write memory, for naming what an instrumented access
//! touched: compilers say the line, and a column that may be that of any part of the expression.

use super::{locals, names};
use crate::index::{Access, Reach, Touch};
use std::collections::BTreeSet;
use std::path::Path;
use tree_sitter::Node;

/// All accesses through pointers, fields and elements, outer expressions before their parts.
/// Of plain names those of locals whose address is taken; others have a symbol, or are never told.
pub fn accesses(file: &Path, text: &str) -> Vec<Access> {
    let mut walk = Walk {
        text,
        is_cpp: super::language(file) == super::Language::Cpp,
        locals: BTreeSet::new(),
        found: Vec::new(),
    };
    if let Some(tree) = super::parse(file, text) {
        walk.node(tree.root_node());
    }
    walk.found.sort_by_key(|a| a.line);
    walk.found
}

struct Walk<'a> {
    text: &'a str,
    is_cpp: bool,
    /// Those of the function around whose address is taken.
    locals: BTreeSet<&'a str>,
    found: Vec<Access>,
}

impl Walk<'_> {
    fn node(&mut self, node: Node) {
        match node.kind() {
            "function_definition" => self.locals = locals::shared(node, self.text),
            "identifier" if self.locals.contains(&self.text[node.byte_range()]) => self.local(node),
            // What only has its address taken is not accessed.
            "field_expression" | "subscript_expression" | "pointer_expression"
                if locals::touch(node, self.text).is_none() => {}
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
            // So is what a pointer leads to: its function, or an object whose operator is called, accesses what it does by itself.
            "pointer_expression" if is_called(in_parentheses(node)) => {}
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

    /// A local variable by its name. Compilers give a read of it the column of its name, or that of any expression
    /// around, and a write also that of the operator.
    fn local(&mut self, node: Node) {
        let name = &self.text[node.byte_range()];
        let parent = node.parent();
        let is_base = parent.is_some_and(|p| p.child_by_field_name("argument") == Some(node));
        let operator = parent.and_then(|p| p.child_by_field_name("operator"));
        let is_dot = is_base && operator.is_some_and(|o| &self.text[o.byte_range()] == ".");
        let is_function = parent.is_some_and(|p| p.child_by_field_name("function") == Some(node));
        let Some(touch) = locals::touch(node, self.text).filter(|_| !is_dot && !is_function) else { return };
        // A declaration without a value writes nothing.
        if parent.is_some_and(|p| p.kind().ends_with("declarator") && p.kind() != "init_declarator")
            || parent.is_some_and(|p| matches!(p.kind(), "declaration" | "parameter_declaration"))
        {
            return;
        }
        let written = operator.map(column).filter(|_| touch != Touch::Read && !is_address_of(node));
        let touches = match touch {
            Touch::Both => vec![Touch::Read, Touch::Write],
            one => vec![one],
        };
        for touch in touches {
            let marks = [column(node)].into_iter().chain(written.filter(|_| touch == Touch::Write));
            self.found.push(Access {
                line: node.start_position().row as u32 + 1,
                column: column(node),
                end: node.end_position().column as u32 + 1,
                marks: marks.collect(),
                name: name.to_string(),
                base: name.to_string(),
                reach: Reach::Itself,
                freed: false,
                touch,
                beside_local: true,
            });
        }
    }

    /// May a local variable be read on the way to what an expression denotes?
    fn is_beside_local(&self, node: Node) -> bool {
        let mut beside = false;
        locals::each(node, &mut |n| {
            beside |= n.kind() == "identifier" && self.locals.contains(&self.text[n.byte_range()]);
        });
        beside
    }

    fn is_dereference(&self, node: Node) -> bool {
        node.child_by_field_name("operator").is_some_and(|o| &self.text[o.byte_range()] == "*")
    }

    /// What an assignment or an increment changes, at the column of its operator.
    fn changed(&mut self, node: Node, field: &str) {
        let target = node.child_by_field_name(field).filter(|t| t.kind() != "identifier");
        if let (Some(target), Some(operator)) = (target, node.child_by_field_name("operator")) {
            self.add(target, vec![column(operator)]);
            if let Some(added) = self.found.last_mut().filter(|_| &self.text[operator.byte_range()] == "=") {
                added.touch = Touch::Write;
            }
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
                added.touch = Touch::Read;
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
            touch: locals::touch(node, self.text).unwrap_or_default(),
            beside_local: self.is_beside_local(node),
        });
    }

    /// `free(q)`: the block is what its argument points to.
    fn freed(&mut self, call: Node) {
        let function = call.child_by_field_name("function").map(|f| &self.text[f.byte_range()]);
        if function.is_some_and(locals::is_of_memory) {
            self.of_memory(call);
        }
        let argument = call.child_by_field_name("arguments").and_then(|a| a.named_child(0));
        if let Some(argument) = argument.filter(|_| matches!(function, Some("free" | "realloc"))) {
            self.add_freed(call, argument);
        }
    }

    /// A call that works on memory beside which a local is not certain to be what an access is to: one without a name.
    fn of_memory(&mut self, call: Node) {
        if self.locals.is_empty() {
            return;
        }
        for row in call.start_position().row..=call.end_position().row {
            self.found.push(Access {
                line: row as u32 + 1,
                column: 0,
                end: 0,
                marks: Vec::new(),
                name: String::new(),
                base: String::new(),
                reach: Reach::Other,
                freed: false,
                touch: Touch::Both,
                beside_local: true,
            });
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
            touch: Touch::Both,
            beside_local: false,
        });
    }
}

/// Is it the `x` of `&x`? That operator is none of an access.
fn is_address_of(node: Node) -> bool {
    node.parent().is_some_and(|p| p.kind() == "pointer_expression")
}

/// With the parentheses around it.
pub(super) fn in_parentheses(node: Node) -> Node {
    match node.parent().filter(|p| p.kind() == "parenthesized_expression") {
        Some(parent) => in_parentheses(parent),
        None => node,
    }
}

/// Is it the function of a call?
pub(super) fn is_called(node: Node) -> bool {
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
    fn what_is_called_is_not_accessed() {
        let text = "void f(struct q *q) {\n  (*it)(value); (*q->calls[i])(*it);\n}\n";
        for file in ["a.cpp", "a.c"] {
            let all = accesses(Path::new(file), text);
            let told: Vec<_> = all.iter().map(|a| (a.name.as_str(), a.column)).collect();
            assert_eq!(told, [("q->calls[i]", 19), ("q->calls", 19), ("*it", 32)], "{file}");
        }
    }

    #[test]
    fn locals_whose_address_is_given_away() {
        let text =
            "void f(void) { int i, j, a[2]; pthread_create(&a[i], 0, w, &i); i++; j = i; free(&a[0]); }\n";
        let all = accesses(Path::new("a.c"), text);
        let told: Vec<String> =
            all.iter().map(|a| format!("{} {} {:?}", a.name, a.column, a.touch)).collect();
        expect_test::expect![[r#"
            i 50 Read
            i 65 Read
            i 65 Write
            i 74 Read
            a[0] 77 Both
            a[0] 83 Both"#]]
        .assert_eq(&told.join("\n"));
    }

    #[test]
    fn locals_that_lambdas_capture() {
        let named = |captures: &str| {
            let text =
                format!("void f() {{ int i = 0, j = 0; std::thread t([{captures}] {{\ni = j; }}); }}\n");
            let all = accesses(Path::new("a.cpp"), &text);
            let inside: BTreeSet<String> = all.into_iter().filter(|a| a.line == 2).map(|a| a.name).collect();
            inside.into_iter().collect::<Vec<_>>().join(" ")
        };
        let all = ["&", "&, n", "&i, &j", "n, & j", "=, &i", "=", "i", "this, &k = i"].map(named);
        assert_eq!(all, ["i j", "i j", "i j", "j", "i", "", "", ""]);
    }

    /// `&p->n` gives away what `p` points to, and not `p`.
    #[test]
    fn pointers_whose_fields_are_given_away_are_no_such_locals() {
        let text = "void f(struct q *p) { struct q s; g(&p->n, &s.n); while (!p->n) h(p, s); }\n";
        let all = accesses(Path::new("a.c"), text);
        let locals: Vec<&str> =
            all.iter().filter(|a| a.reach == Reach::Itself).map(|a| a.name.as_str()).collect();
        assert_eq!(locals, ["s"]);
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
