//! What a caller of C passes for a parameter: a lock that a helper gets as `lock` is what its caller calls it.

use super::{declarations, names};
use crate::index::Reach;
use std::path::Path;
use tree_sitter::{Node, Tree};

/// A file, read for this.
pub struct Calls {
    tree: Tree,
    text: String,
}

/// An argument, as its object is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The name.
    pub name: String,
    /// How it reaches the object.
    pub reach: Reach,
}

impl Calls {
    /// Of a file of C or C++.
    pub fn new(file: &Path, text: &str) -> Option<Calls> {
        Some(Calls { tree: super::parse(file, text)?, text: text.to_string() })
    }

    /// The function around a line (from 1), and which of its parameters has this name. `None` where the name means
    /// something else there, or another value may have been given to it.
    pub fn parameter(&self, line: u32, name: &str) -> Option<(String, usize)> {
        let function = self.function(line)?;
        let declarator = function_declarator(function.child_by_field_name("declarator")?)?;
        let called = declarator.child_by_field_name("declarator").filter(|n| n.kind() == "identifier")?;
        let parameters = declarator.child_by_field_name("parameters")?;
        let mut cursor = parameters.walk();
        let all = parameters.named_children(&mut cursor).filter(|p| p.kind() == "parameter_declaration");
        let number = all.enumerate().find_map(|(i, p)| {
            let declared = declarations::declared(p.child_by_field_name("declarator")?)?;
            (self.of(declared) == name).then_some(i)
        })?;
        let body = function.child_by_field_name("body")?;
        let mut changed = false;
        each(body, &mut |node| {
            let target = match node.kind() {
                "assignment_expression" => node.child_by_field_name("left"),
                "update_expression" => node.child_by_field_name("argument"),
                "init_declarator" => node.child_by_field_name("declarator").and_then(declarations::declared),
                // Its address may be given away.
                "pointer_expression" if self.of(node).starts_with('&') => {
                    node.child_by_field_name("argument")
                }
                "declaration" => {
                    let mut cursor = node.walk();
                    let declared = node.children_by_field_name("declarator", &mut cursor);
                    changed |= declared.filter_map(declarations::declared).any(|d| self.of(d) == name);
                    None
                }
                _ => None,
            };
            changed |= target.is_some_and(|t| self.of(t).trim_matches(['(', ')']) == name);
        });
        (!changed).then(|| (self.of(called).to_string(), number))
    }

    /// What the calls of a function on a line pass as this argument, if all pass the same.
    pub fn argument(&self, line: u32, function: &str, number: usize) -> Option<Passed> {
        let row = line.checked_sub(1)? as usize;
        let mut found: Vec<Option<Passed>> = Vec::new();
        each(self.tree.root_node(), &mut |node| {
            let spans = node.start_position().row <= row && row <= node.end_position().row;
            let called = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
            if spans && called.is_some_and(|c| self.of(c) == function) {
                found.push(self.passed(node, number, line));
            }
        });
        let first = found.first()?.clone()?;
        found.iter().all(|p| p.as_ref() == Some(&first)).then_some(first)
    }

    /// One argument of the call that begins at a line and column (from 1, in bytes); `number` chooses it by the function's name.
    pub fn argument_at(
        &self,
        (line, column): (u32, u32),
        number: &dyn Fn(&str) -> Option<usize>,
    ) -> Option<Passed> {
        let (row, column) = (line.checked_sub(1)? as usize, column.checked_sub(1)? as usize);
        let mut found = None;
        each(self.tree.root_node(), &mut |node| {
            let begins = node.start_position().row == row && node.start_position().column == column;
            let called = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
            if let Some(number) = called.filter(|_| begins).and_then(|c| number(self.of(c))) {
                found = found.take().or_else(|| self.passed(node, number, line));
            }
        });
        found
    }

    fn passed(&self, call: Node, number: usize, line: u32) -> Option<Passed> {
        let argument = call.child_by_field_name("arguments")?.named_child(number)?;
        let name = names::name(argument, &self.text);
        let local = |root: &str| if self.is_local(line, root) { Reach::Local } else { Reach::Global };
        let reach = names::reach(argument, &self.text, &local);
        (!name.is_empty() && !name.contains('…')).then_some(Passed { name, reach })
    }

    /// Is it declared in the function around a line?
    pub fn is_local(&self, line: u32, name: &str) -> bool {
        let Some(function) = self.function(line) else { return true };
        let mut found = false;
        each(function, &mut |node| {
            if matches!(node.kind(), "declaration" | "parameter_declaration") {
                let mut cursor = node.walk();
                let declared = node.children_by_field_name("declarator", &mut cursor);
                found |= declared.filter_map(declarations::declared).any(|d| self.of(d) == name);
            }
        });
        found
    }

    fn function(&self, line: u32) -> Option<Node<'_>> {
        let row = line.checked_sub(1)? as usize;
        let mut node = self.tree.root_node();
        loop {
            let mut cursor = node.walk();
            let around = |n: &Node| n.start_position().row <= row && row <= n.end_position().row;
            let mut inner = node.named_children(&mut cursor).filter(around);
            let next = inner.find(|n| n.kind() != "comment")?;
            if next.kind() == "function_definition" {
                // Not one of two in one line.
                return inner.all(|n| n.kind() != "function_definition").then_some(next);
            }
            node = next;
        }
    }

    fn of(&self, node: Node) -> &str {
        &self.text[node.byte_range()]
    }
}

fn function_declarator(declarator: Node) -> Option<Node> {
    match declarator.kind() {
        "function_declarator" => Some(declarator),
        _ => function_declarator(declarator.child_by_field_name("declarator")?),
    }
}

/// Every node, outer ones first.
fn each(node: Node, see: &mut dyn FnMut(Node)) {
    see(node);
    let mut cursor = node.walk();
    let children: Vec<Node> = node.named_children(&mut cursor).collect();
    children.into_iter().for_each(|child| each(child, see));
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "struct q { pthread_mutex_t lock; };
pthread_mutex_t *all;
static void take(int n, pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
}
void other(pthread_mutex_t *lock) { lock = all; pthread_mutex_lock(lock); }
void *run(void *arg) {
    struct q *q = arg;
    take(1, &q->lock);
    take(2, all); take(3, q);
    take(4,
         all);
    if (q) { pthread_mutex_t *all = get(1, 2); take(5, all); take(6, get(1)); }
}
";

    fn calls() -> Calls {
        Calls::new(Path::new("a.c"), TEXT).expect("C")
    }

    #[test]
    fn a_parameter_that_keeps_its_value() {
        assert_eq!(calls().parameter(4, "lock"), Some(("take".to_string(), 1)));
        assert_eq!(calls().parameter(4, "all"), None);
        assert_eq!(calls().parameter(6, "lock"), None, "it is assigned");
        assert_eq!(calls().parameter(9, "q"), None, "a variable");
    }

    #[test]
    fn what_is_passed_on_a_line() {
        let passed = |line| calls().argument(line, "take", 1).map(|p| (p.name, p.reach));
        assert_eq!(passed(9), Some(("q->lock".to_string(), Reach::Field)));
        assert_eq!(passed(10), None, "two calls");
        assert_eq!(passed(11).map(|(name, _)| name), Some("all".to_string()));
        assert_eq!(passed(12).map(|(name, _)| name), Some("all".to_string()));
        assert_eq!(passed(13), None);
        assert_eq!(passed(4), None);
    }
}
