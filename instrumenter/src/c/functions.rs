//! Function markers of C and C++: what is put behind the `{` of each function's body, so that the
//! runtime knows in which function a thread is, and which functions are left alone.
//!
//! A marker is a declaration and stands before everything else in the body, where every standard
//! from C89 on allows one; so it does not matter what the body holds, and functions whose body the
//! grammar cannot read ([`Walk::loose`]) carry one as well. The file is edited as it was written,
//! before the preprocessor: every arm of an `#if` is, and what macros expand to is not. Headers
//! are not edited: they belong to many programs and to the system.

use super::Language;
use super::names::{self, Scope};
use super::statements;
use crate::instrument::{Instrumented, Left, Marked, Statements};
use std::collections::HashSet;
use tree_sitter::{Node, Parser};

/// Markers in all functions of a file, and points before statements where they are wanted.
pub fn instrument(text: &str, language: Language, wanted: &Statements) -> Instrumented {
    let mut parser = Parser::new();
    let tree = match parser.set_language(&language.grammar()) {
        Ok(()) => parser.parse(text, None),
        Err(_) => None,
    };
    let Some(tree) = tree else { return Instrumented::default() };
    let resolvers = resolvers(text);
    let constants = super::purity::constants(tree.root_node(), text);
    let mut walk =
        Walk { text, language, wanted, resolvers, constants, points: 0, out: Instrumented::default() };
    walk.children(tree.root_node(), &Scope::default());
    walk.out.marked.sort_by_key(|m| m.line);
    walk.out
}

/// Functions that choose an implementation while the program is still being linked: nothing may be
/// called there.
fn resolvers(text: &str) -> HashSet<&str> {
    let after = text.split("ifunc").skip(1).filter_map(|t| t.split('"').nth(1));
    after.collect()
}

/// One walk over a file's tree.
struct Walk<'a> {
    text: &'a str,
    language: Language,
    wanted: &'a Statements,
    /// Named in an `ifunc` attribute.
    resolvers: HashSet<&'a str>,
    /// Names of the file's constants.
    constants: HashSet<&'a str>,
    /// Points so far: the ones that are declarations need names.
    points: usize,
    out: Instrumented,
}

impl<'a> Walk<'a> {
    fn children(&mut self, node: Node<'a>, scope: &Scope) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.node(child, scope);
        }
    }

    fn node(&mut self, node: Node<'a>, scope: &Scope) {
        match node.kind() {
            "function_definition" => return self.definition(node, scope),
            "compound_statement" if !scope.in_function() => {
                if let Some(call) = names::headless(node) {
                    let name = scope.within(&names::of_call(call, self.text));
                    return self.function(node, call, name, scope);
                }
            }
            "function_declarator" if !scope.in_function() && self.language == Language::C => {
                if let Some(body) = self.loose(node) {
                    let name = node.child_by_field_name("declarator").map(|n| &self.text[n.byte_range()]);
                    self.mark(body, name.unwrap_or_default());
                }
            }
            "lambda_expression" if scope.in_function() => {
                if let Some(body) = node.child_by_field_name("body")
                    && names::is_spawned(node, self.text)
                {
                    return self.function(body, node, scope.within("{lambda}"), scope);
                }
            }
            _ => {}
        }
        match names::of_scope(node, self.text) {
            Some(name) => self.children(node, &scope.inner(&name)),
            None => self.children(node, scope),
        }
    }

    fn definition(&mut self, node: Node<'a>, scope: &Scope) {
        let declarator = node.child_by_field_name("declarator");
        let named = declarator.and_then(|d| names::of_declarator(d, self.text, self.language));
        let body = node.child_by_field_name("body");
        match (named, body) {
            (Some(name), Some(body)) if body.kind() == "compound_statement" => {
                self.function(body, node, scope.within(&name), scope);
            }
            (Some(name), None) if has_child(node, "try_statement") => {
                self.leave(node, scope.within(&name), "its body is a try block");
                self.children(node, scope);
            }
            _ => self.children(node, scope),
        }
    }

    /// A function with this body; what stands between `whole` and the body is its head.
    fn function(&mut self, body: Node<'a>, whole: Node<'a>, name: String, scope: &Scope) {
        match self.obstacle(body, whole, &name) {
            Some(reason) => self.leave(whole, name.clone(), reason),
            None => {
                self.mark(body.start_byte() + 1, &name);
                if statements::wanted(self.wanted, &name) {
                    let constants = &self.constants;
                    let mut points = statements::Points::new(
                        self.text,
                        self.language,
                        constants,
                        &mut self.out.edits,
                        self.points,
                    );
                    points.function(whole, body);
                    self.points = points.count();
                }
            }
        }
        self.children(body, &scope.function(&name));
    }

    /// Why a function can carry no marker.
    fn obstacle(&self, body: Node, whole: Node, name: &str) -> Option<&'static str> {
        let head = &self.text[whole.start_byte()..body.start_byte()];
        let last = name.rsplit("::").next().unwrap_or(name);
        if self.text.as_bytes().get(body.start_byte()) != Some(&b'{') {
            return Some("its body does not begin with a brace");
        }
        if has_word(head, |w| w == "naked" || w == "__naked__") {
            return Some("it is naked");
        }
        if has_word(head, |w| w == "interrupt" || w == "__interrupt__") {
            return Some("it is an interrupt handler");
        }
        if self.resolvers.contains(last) {
            return Some("it runs while the program is being linked");
        }
        if self.language == Language::Cpp {
            // Also as part of a macro's name.
            if has_word(head, |w| {
                let w = w.to_ascii_lowercase();
                w.contains("constexpr") || w.contains("consteval")
            }) {
                return Some("it may run while the program is being compiled");
            }
            if has_word(&self.text[body.byte_range()], |w| w.starts_with("co_")) && is_coroutine(body) {
                return Some("it is a coroutine");
            }
        }
        None
    }

    /// The place behind the `{` after a declarator that stands in an error node: two arms of an
    /// `#ifdef` that share one body, for example. It must follow a type, as no macro's call does.
    fn loose(&self, declarator: Node) -> Option<usize> {
        let parent = declarator.parent().filter(Node::is_error)?;
        if parent.parent().is_some_and(|p| p.kind() != "translation_unit" && !p.kind().starts_with("preproc"))
        {
            return None;
        }
        let before = declarator.prev_named_sibling()?;
        if !matches!(
            before.kind(),
            "primitive_type" | "type_identifier" | "sized_type_specifier" | "struct_specifier"
        ) {
            return None;
        }
        let rest = &self.text[declarator.end_byte()..];
        let gap = rest.len() - rest.trim_start().len();
        rest[gap..].starts_with('{').then_some(declarator.end_byte() + gap + 1)
    }

    fn mark(&mut self, at: usize, name: &str) {
        self.out.edits.insert(at, format!("__raddle_fn(\"{}\");", names::literal(name)));
        self.out.marked.push(Marked { name: name.to_string(), line: line(self.text, at) });
    }

    fn leave(&mut self, node: Node, name: String, reason: &str) {
        let line = node.start_position().row as u32 + 1;
        self.out.left.push(Left { name, line, reason: reason.to_string() });
    }
}

fn line(text: &str, at: usize) -> u32 {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() as u32 + 1
}

fn has_child(node: Node, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|c| c.kind() == kind)
}

fn has_word(text: &str, is: impl Fn(&str) -> bool) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is)
}

fn is_coroutine(node: Node) -> bool {
    let mut cursor = node.walk();
    matches!(node.kind(), "co_await_expression" | "co_return_statement" | "co_yield_statement")
        || node.children(&mut cursor).any(|c| c.kind() != "lambda_expression" && is_coroutine(c))
}
