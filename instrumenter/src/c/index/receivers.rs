//! What the calls of a C++ file are made on: for naming what happens inside of C++'s library by the program's own
//! variable. `queue.push(3)` works on `queue`, `std::call_once(once, f)` on `once`, `sum += 2` and `if (!done)` on what may
//! be an atomic.

use super::names;
use crate::index::Reach;
use std::path::Path;
use tree_sitter::Node;

/// What a call, or what may be an operator of the library, works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// Line, from 1.
    pub line: u32,
    /// First column of the whole expression, from 1, in bytes.
    pub column: u32,
    /// Column after its last one, on its line.
    pub end: u32,
    /// Columns that compilers give for it.
    pub marks: Vec<u32>,
    /// As a report names it.
    pub name: String,
    /// How it reaches its object.
    pub reach: Reach,
    /// Nothing else is accessed at these columns if it is no object of the library, but a plain variable (which a
    /// lambda may have captured by reference).
    pub alone: bool,
    /// It is what stands before `->`: of accesses within that operator alone.
    pub arrow: bool,
}

/// The objects of calls and of what may be operators of the library, in the order of their lines.
pub fn receivers(file: &Path, text: &str) -> Vec<Receiver> {
    let mut walk = Walk { text, found: Vec::new() };
    if super::language(file) == super::Language::Cpp
        && let Some(tree) = super::parse(file, text)
    {
        walk.node(tree.root_node());
    }
    walk.found.sort_by_key(|a| a.line);
    walk.found
}

struct Walk<'a> {
    text: &'a str,
    found: Vec<Receiver>,
}

impl Walk<'_> {
    fn node(&mut self, node: Node) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "call_expression" => self.call(node),
            "update_expression" => self.operator(node, field("argument"), true),
            "assignment_expression" => {
                let alone = field("right").is_some_and(|right| self.is_of_values(right));
                self.operator(node, field("left"), alone);
            }
            // What is called so is given what it works on, which is another thing.
            "pointer_expression" if super::accesses::is_called(super::accesses::in_parentheses(node)) => {}
            "pointer_expression" => self.operator(node, field("argument"), false),
            "init_declarator" => self.declared(node),
            "field_expression" => self.arrow(node),
            "for_range_loop" => self.add(node, field("right"), vec![], false),
            // Read as what it is converted to.
            "identifier" if is_read(node) => self.add(node, Some(node), vec![], true),
            _ => {}
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.node(child);
        }
    }

    /// gcc says the column of the arguments, clang that of the function's name.
    fn call(&mut self, call: Node) {
        let (Some(function), Some(arguments)) =
            (call.child_by_field_name("function"), call.child_by_field_name("arguments"))
        else {
            return;
        };
        let (object, name) = match function.kind() {
            "field_expression" => {
                (function.child_by_field_name("argument"), function.child_by_field_name("field"))
            }
            // Of a function of the library what it is given first.
            "qualified_identifier" => (arguments.named_child(0), function.child_by_field_name("name")),
            _ => return,
        };
        let marks = [Some(arguments), name].into_iter().flatten().map(column).collect();
        self.add(call, object, marks, false);
    }

    /// `held->field` works on `held`, where that is a pointer of the library's.
    fn arrow(&mut self, field: Node) {
        let operator = field.child_by_field_name("operator").filter(|o| &self.text[o.byte_range()] == "->");
        let (Some(operator), Some(object)) = (operator, field.child_by_field_name("argument")) else {
            return;
        };
        let before = self.found.len();
        self.add(field, Some(object), vec![], false);
        if let Some(added) = self.found.get_mut(before) {
            (added.arrow, added.marks) = (true, vec![column(operator)]);
        }
    }

    fn operator(&mut self, node: Node, object: Option<Node>, alone: bool) {
        let operator = node.child_by_field_name("operator").map(column);
        let alone = alone && object.is_some_and(|o| o.kind() == "identifier");
        self.add(node, object, operator.into_iter().collect(), alone);
    }

    /// Is it computed of numbers and of parameters that are values, which nobody else sees?
    fn is_of_values(&self, node: Node) -> bool {
        match node.kind() {
            "number_literal" | "true" | "false" | "char_literal" => true,
            "identifier" => self.is_value(node),
            "binary_expression" | "parenthesized_expression" | "unary_expression" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).all(|child| self.is_of_values(child))
            }
            _ => false,
        }
    }

    /// Is it a parameter of the function or lambda around it, no reference and no pointer?
    fn is_value(&self, identifier: Node) -> bool {
        let around = std::iter::successors(identifier.parent(), Node::parent)
            .find(|n| matches!(n.kind(), "lambda_expression" | "function_definition"));
        let declarator = around.and_then(|f| f.child_by_field_name("declarator"));
        let Some(list) = declarator.and_then(|d| d.child_by_field_name("parameters")) else { return false };
        let name = &self.text[identifier.byte_range()];
        let mut cursor = list.walk();
        list.named_children(&mut cursor)
            .filter_map(|p| p.child_by_field_name("declarator"))
            .any(|d| d.kind() == "identifier" && &self.text[d.byte_range()] == name)
    }

    /// `std::lock_guard<std::mutex> guard(m)` works on `m`, `int seen = sum` on `sum`.
    fn declared(&mut self, declarator: Node) {
        let Some(value) = declarator.child_by_field_name("value") else { return };
        let object = match value.kind() {
            "argument_list" | "initializer_list" => value.named_child(0),
            "identifier" | "field_expression" => Some(value),
            _ => return,
        };
        let name = declarator.child_by_field_name("declarator").map(column);
        self.add(declarator, object, name.into_iter().chain([column(value)]).collect(), false);
    }

    fn add(&mut self, node: Node, object: Option<Node>, mut marks: Vec<u32>, alone: bool) {
        let Some(object) = object else { return };
        let name = names::name(object, self.text);
        if name.is_empty() || name.contains(['…', '(', '"']) || name.starts_with(|c: char| c.is_ascii_digit())
        {
            return;
        }
        let (start, end) = (node.start_position(), node.end_position());
        marks.push(column(node));
        self.found.push(Receiver {
            line: start.row as u32 + 1,
            column: column(node),
            end: if end.row == start.row { end.column as u32 + 1 } else { u32::MAX },
            marks,
            name,
            reach: names::reach(object, self.text, &|_| Reach::Local),
            alone,
            arrow: false,
        });
    }
}

/// Is it the value of a variable, rather than a name that is declared or called?
fn is_read(identifier: Node) -> bool {
    let parent = identifier.parent().map(|p| p.kind()).unwrap_or_default();
    matches!(
        parent,
        "unary_expression"
            | "binary_expression"
            | "condition_clause"
            | "parenthesized_expression"
            | "return_statement"
            | "conditional_expression"
    )
}

fn column(node: Node) -> u32 {
    node.start_position().column as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_variables() {
        let text = "void f(S &s) {
  s.queue.push(3);
  std::call_once(once, g);
  sum += 2; n++;
  std::lock_guard<std::mutex> guard(s.m);
  int seen = sum;
  while (!done || get(a).b());
  helper(s); held->queue.pop(); return s.held->size;
  (*it)(3); *it = 3;
}
auto l = [&](int v) { total += v + 1; total += sum; };
";
        let all = receivers(Path::new("a.cpp"), text);
        let told: Vec<String> = all
            .iter()
            .map(|a| {
                let arrow = if a.arrow { " ->" } else { "" };
                format!("{} {}:{} {:?} {}{arrow}", a.name, a.line, a.column, a.marks, a.alone)
            })
            .collect();
        expect_test::expect![[r#"
            s.queue 2:3 [15, 11, 3] false
            once 3:3 [17, 8, 3] false
            sum 4:3 [7, 3] true
            n 4:13 [14, 13] true
            s.m 5:31 [31, 36, 31] false
            sum 6:7 [7, 14, 7] false
            done 7:11 [11] true
            held->queue 8:14 [29, 26, 14] false
            held 8:14 [18] false ->
            s.held 8:40 [46] false ->
            it 9:13 [17, 13] false
            it 9:13 [13, 13] false
            total 11:23 [29, 23] true
            v 11:32 [32] true
            total 11:39 [45, 39] false"#]]
        .assert_eq(&told.join("\n"));
        assert!(receivers(Path::new("a.c"), text).is_empty());
    }
}
