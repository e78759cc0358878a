//! What a condition of C depends on: the expressions in it that have a value of their own, and the condition around a
//! line, for telling what a failed assertion saw.

use super::names;
use std::path::Path;
use tree_sitter::Node;

/// Something in an expression that has a value of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// As it is written.
    pub name: String,
    /// It is given to a function.
    pub given: bool,
}

/// The variables in an expression, with fields, elements and what pointers point to, each once, in their order. What
/// calls return is not among them, nor what the expression changes.
pub fn operands(claim: &str) -> Vec<Operand> {
    let text = format!("void f(void) {{ ({claim}); }}");
    let mut walk = Walk { text: &text, given: false, found: Vec::new(), changed: Vec::new() };
    if let Some(tree) = super::parse(Path::new("claim.c"), &text).filter(|t| !t.root_node().has_error()) {
        walk.node(tree.root_node());
    }
    let Walk { mut found, changed, .. } = walk;
    found.retain(|o| !changed.contains(&o.name) && !o.name.contains('…'));
    found
}

struct Walk<'a> {
    text: &'a str,
    /// It is in the arguments of a call.
    given: bool,
    found: Vec<Operand>,
    /// What the expression changes.
    changed: Vec<String>,
}

impl Walk<'_> {
    fn node(&mut self, node: Node) {
        let name = |n: Node| names::name(n, self.text);
        let part = |field: &str| node.child_by_field_name(field);
        let dereferences = || part("operator").is_some_and(|o| &self.text[o.byte_range()] == "*");
        match node.kind() {
            "identifier" | "field_expression" => self.note(name(node)),
            "subscript_expression" => {
                self.note(name(node));
                part("index").into_iter().for_each(|index| self.node(index));
            }
            "pointer_expression" if dereferences() => self.note(format!("*{}", name(node))),
            // An address says nothing.
            "pointer_expression" | "sizeof_expression" | "type_descriptor" | "function_declarator" => {}
            "call_expression" => {
                let outside = std::mem::replace(&mut self.given, true);
                part("arguments").into_iter().for_each(|a| self.node(a));
                self.given = outside;
            }
            kind => {
                let target = match kind {
                    "assignment_expression" => part("left"),
                    "update_expression" => part("argument"),
                    _ => None,
                };
                self.changed.extend(target.map(name));
                let mut cursor = node.walk();
                let children: Vec<Node> = node.named_children(&mut cursor).collect();
                children.into_iter().for_each(|child| self.node(child));
            }
        }
    }

    fn note(&mut self, name: String) {
        if !name.is_empty() && self.found.iter().all(|o| o.name != name) {
            self.found.push(Operand { name, given: self.given });
        }
    }
}

/// The condition of the innermost `if` that a line (from 1) is in the first branch of, if what it depends on cannot have been
/// changed on the way there, as far as the source tells.
pub fn guard(file: &Path, text: &str, line: u32) -> Option<String> {
    let row = line.checked_sub(1)? as usize;
    let tree = super::parse(file, text)?;
    let around = |n: &Node| n.start_position().row <= row && row <= n.end_position().row;
    let (mut node, mut found) = (tree.root_node(), None);
    loop {
        if node.kind() == "if_statement"
            && node.child_by_field_name("consequence").is_some_and(|n| around(&n))
        {
            let condition = node.child_by_field_name("condition")?;
            let claim = text[condition.byte_range()].trim();
            let bare = claim.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(claim);
            // It stands on the line itself: which of two things on it is meant is not known.
            let is_meant = condition.end_position().row < row || node.start_position().row == row;
            let branch = node.child_by_field_name("consequence")?;
            let still_holds = || Since { text, row, names: identifiers(condition, text) }.keeps(branch);
            found = (is_meant && still_holds()).then(|| bare.trim().to_string());
        }
        let mut cursor = node.walk();
        let next = node.named_children(&mut cursor).filter(|n| n.kind() != "comment" && around(n)).last();
        match next {
            Some(inner) => node = inner,
            None => return found,
        }
    }
}

/// What may lie between a condition and a line.
struct Since<'a> {
    text: &'a str,
    /// The line, from 0.
    row: usize,
    /// The names in the condition.
    names: Vec<&'a str>,
}

/// Calls of these change nothing that a condition depends on.
const HARMLESS: [&str; 9] =
    ["assert", "printf", "fprintf", "puts", "fputs", "putchar", "fflush", "perror", "abort"];

impl Since<'_> {
    /// Does all that begins up to the line leave what has these names as it is? Calls of unknown functions and
    /// writes through pointers may not, nor may loops, in which what comes later in the text comes first.
    fn keeps(&self, node: Node) -> bool {
        if node.start_position().row > self.row {
            return true;
        }
        let part = |field: &str| node.child_by_field_name(field);
        let is_other = |n: Option<Node>| {
            n.is_some_and(|n| n.kind() == "identifier" && !self.names.contains(&&self.text[n.byte_range()]))
        };
        let harmless = match node.kind() {
            "assignment_expression" => is_other(part("left")),
            "update_expression" => is_other(part("argument")),
            "call_expression" => part("function").is_some_and(|f| {
                let name = &self.text[f.byte_range()];
                HARMLESS.contains(&name) || self.is_meant(node, name)
            }),
            "pointer_expression" => part("operator").is_none_or(|o| &self.text[o.byte_range()] != "&"),
            "for_statement" | "while_statement" | "do_statement" | "labeled_statement" | "goto_statement"
            | "gnu_asm_expression" => false,
            "declaration" => identifiers(node, self.text).iter().all(|n| !self.names.contains(n)),
            _ => true,
        };
        let mut cursor = node.walk();
        harmless && node.named_children(&mut cursor).all(|child| self.keeps(child))
    }

    /// Is it a macro of the program that asserts, on the line itself?
    fn is_meant(&self, call: Node, name: &str) -> bool {
        call.start_position().row == self.row
            && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            && identifiers(call, self.text).iter().all(|n| !self.names.contains(n))
    }
}

/// The names of variables and functions in a part of a source.
fn identifiers<'a>(node: Node, text: &'a str) -> Vec<&'a str> {
    if node.kind() == "identifier" {
        return vec![&text[node.byte_range()]];
    }
    let mut cursor = node.walk();
    let children: Vec<Node> = node.named_children(&mut cursor).collect();
    children.into_iter().flat_map(|child| identifiers(child, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operands(claim: &str) -> Vec<String> {
        super::operands(claim).into_iter().map(|o| o.name).collect()
    }

    #[test]
    fn what_has_a_value_of_its_own() {
        assert_eq!(operands("x == 2"), ["x"]);
        assert_eq!(operands("q->head->n < a[i + 1].size && !done"), ["q->head->n", "a[i + 1].size", "done"]);
        assert_eq!(operands("*p == limit"), ["*p", "limit"]);
        assert_eq!(operands("a[i] == a[j]"), ["a[i]", "i", "a[j]", "j"]);
        assert_eq!(operands("take(q, n) == i"), ["q", "n", "i"]);
        let given = super::operands("take(q, n) == i").into_iter().map(|o| o.given);
        assert_eq!(given.collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(operands("n++ < 3 && m"), ["m"]);
        assert_eq!(operands("sizeof(x) == 4"), Vec::<String>::new());
        assert_eq!(operands("0 && \"never\""), Vec::<String>::new());
        assert_eq!(operands("(x"), Vec::<String>::new());
    }

    #[test]
    fn the_condition_around_a_line() {
        let text = "void f(int x) {
    if (x > 1)
        assert(0);
    if (x) {
        z = 2;
        if (y != (x + 1)) {
            z = 1;
            assert(0);
        } else {
            assert(0);
        }
    }
    assert(0);
    if (x) assert(0); // if (y)
    if (y)
        assert(0); /* here */
}
";
        let guard = |line| guard(Path::new("a.c"), text, line);
        assert_eq!(guard(3).as_deref(), Some("x > 1"));
        assert_eq!(guard(8).as_deref(), Some("y != (x + 1)"));
        assert_eq!(guard(10).as_deref(), Some("x"));
        assert_eq!(guard(13), None);
        assert_eq!(guard(14).as_deref(), Some("x"));
        assert_eq!(guard(16).as_deref(), Some("y"));
    }

    #[test]
    fn a_condition_that_need_not_hold_any_more() {
        let guard = |before: &str| {
            let text = format!(
                "void f(int x) {{\n    if (x > 1) {{\n        {before}\n        assert(0);\n    }}\n}}\n"
            );
            super::guard(Path::new("a.c"), &text, 4)
        };
        for harmless in ["puts(\"x\");", "y = x;", "int y = 2;", ";"] {
            assert_eq!(guard(harmless).as_deref(), Some("x > 1"), "{harmless}");
        }
        for changes in [
            "x = 0;",
            "x--;",
            "int x = 3;",
            "h(&x);",
            "h();",
            "CLEAR();",
            "CLEAR(x);",
            "*p = 0;",
            "a.b = 0;",
            "while (g)",
            "again:",
        ] {
            assert_eq!(guard(changes), None, "{changes}");
        }
    }
}
