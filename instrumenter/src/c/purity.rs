//! Which expressions cannot touch memory that another thread sees: those made only of constants
//! and of local variables whose address is not taken. No schedule point is needed before them.

use super::Language;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Names that are constants everywhere.
const CONSTANTS: [&str; 8] =
    ["NULL", "true", "false", "TRUE", "FALSE", "nullptr", "EXIT_SUCCESS", "EXIT_FAILURE"];

/// The names of a file's enumerators, and of its macros that are numbers.
pub(super) fn constants<'a>(root: Node<'a>, text: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    collect_constants(root, text, &mut found);
    found
}

fn collect_constants<'a>(node: Node<'a>, text: &'a str, found: &mut BTreeSet<&'a str>) {
    let name = node.child_by_field_name("name").map(|n| &text[n.byte_range()]);
    match (node.kind(), name) {
        ("enumerator", Some(name)) => {
            found.insert(name);
        }
        ("preproc_def", Some(name)) => {
            let value = node.child_by_field_name("value").map_or("", |v| text[v.byte_range()].trim());
            if value.trim_matches(['(', ')', '-', ' ']).starts_with(|c: char| c.is_ascii_digit()) {
                found.insert(name);
            }
        }
        _ => {}
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        collect_constants(child, text, found);
    }
}

/// The local variables in scope at one place of a function.
pub(super) struct Locals<'a> {
    text: &'a str,
    language: Language,
    constants: &'a BTreeSet<&'a str>,
    /// Names whose address is taken somewhere in the function.
    escaping: BTreeSet<&'a str>,
    /// Something in the function sees all its variables: a nested function, a lambda with `[&]`.
    all_escape: bool,
    /// By block, the innermost last: is the name a variable of this thread alone?
    scopes: Vec<BTreeMap<&'a str, bool>>,
}

impl<'a> Locals<'a> {
    /// Of a function with this head and body: its parameters.
    pub(super) fn new(
        text: &'a str,
        language: Language,
        constants: &'a BTreeSet<&'a str>,
        whole: Node<'a>,
        body: Node<'a>,
    ) -> Self {
        let scopes = vec![BTreeMap::new()];
        let mut locals =
            Locals { text, language, constants, escaping: BTreeSet::new(), all_escape: false, scopes };
        locals.escapes(body);
        locals.parameters(whole, body);
        locals
    }

    /// A block begins.
    pub(super) fn enter(&mut self) {
        self.scopes.push(BTreeMap::new());
    }

    /// The innermost block ends.
    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    fn escapes(&mut self, node: Node<'a>) {
        match node.kind() {
            "pointer_expression" if self.text[node.start_byte()..].starts_with('&') => {
                if let Some(base) = node.child_by_field_name("argument").and_then(base) {
                    self.escaping.insert(&self.text[base.byte_range()]);
                }
            }
            // What is passed may be taken by reference: in C++ by any function, in C by macros.
            "argument_list" | "initializer_list" if self.is_taken_by_reference(node) => {
                let mut cursor = node.walk();
                let bases = node.named_children(&mut cursor).filter_map(base);
                self.escaping.extend(bases.map(|b| &self.text[b.byte_range()]));
            }
            // `std::thread t(f, std::ref(x));` reads like the declaration of a function.
            "parameter_list" if self.language == Language::Cpp => self.names_escape(node),
            "init_declarator" if self.language == Language::Cpp => {
                let reference = has_reference(node.child_by_field_name("declarator"));
                let value = node.child_by_field_name("value").filter(|_| reference).and_then(base);
                self.escaping.extend(value.map(|v| &self.text[v.byte_range()]));
            }
            "function_definition" => self.all_escape = true,
            "lambda_expression" => {
                let captures = node.child_by_field_name("captures");
                self.all_escape |= captures.is_some_and(|c| self.text[c.byte_range()].contains('&'));
            }
            _ => {}
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.escapes(child);
        }
    }

    fn names_escape(&mut self, node: Node<'a>) {
        if matches!(node.kind(), "identifier" | "type_identifier") {
            self.escaping.insert(&self.text[node.byte_range()]);
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.names_escape(child);
        }
    }

    fn is_taken_by_reference(&self, list: Node<'a>) -> bool {
        let function = list.parent().and_then(|p| p.child_by_field_name("function"));
        let name = function.map_or("", |f| &self.text[f.byte_range()]);
        let like_a_macro = !name.is_empty() && !name.contains(|c: char| c.is_lowercase());
        self.language == Language::Cpp || like_a_macro
    }

    fn parameters(&mut self, node: Node<'a>, body: Node<'a>) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).take_while(|c| c.start_byte() < body.start_byte()) {
            match child.kind() {
                // Of a definition in the old style: its parameters as well.
                "parameter_declaration" | "optional_parameter_declaration" | "declaration" => {
                    self.declare(child)
                }
                _ => self.parameters(child, body),
            }
        }
    }

    /// The variables of one declaration come into scope.
    pub(super) fn declare(&mut self, declaration: Node<'a>) {
        let mut cursor = declaration.walk();
        let shared = declaration.children(&mut cursor).any(|c| {
            c.kind() == "storage_class_specifier"
                && matches!(
                    &self.text[c.byte_range()],
                    "static" | "extern" | "__thread" | "thread_local" | "_Thread_local"
                )
        });
        let of_the_language = match (self.language, declaration.child_by_field_name("type").map(|t| t.kind()))
        {
            (Language::C, _) => true,
            // Operators of any other type may do anything.
            (Language::Cpp, Some("primitive_type" | "sized_type_specifier")) => true,
            (Language::Cpp, _) => false,
        };
        let mut cursor = declaration.walk();
        let declarators: Vec<Node> = declaration.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let (mut at, mut reference, mut pointer) = (Some(declarator), false, false);
            while let Some(node) = at.filter(|n| n.kind() != "identifier") {
                reference |= node.kind() == "reference_declarator";
                pointer |= node.kind() == "pointer_declarator";
                at = node.child_by_field_name("declarator").or_else(|| {
                    let mut cursor = node.walk();
                    node.named_children(&mut cursor)
                        .find(|c| c.kind() == "identifier" || c.kind().ends_with("declarator"))
                });
            }
            if let (Some(name), Some(scope)) = (at, self.scopes.last_mut()) {
                let own = !shared && !reference && (of_the_language || pointer);
                scope.insert(&self.text[name.byte_range()], own);
            }
        }
    }

    fn is_own(&self, name: &str) -> bool {
        if CONSTANTS.contains(&name) {
            return true;
        }
        match self.scopes.iter().rev().find_map(|s| s.get(name)) {
            Some(own) => *own && !self.all_escape && !self.escaping.contains(name),
            None => self.constants.contains(name),
        }
    }

    /// Does an expression touch nothing that another thread sees?
    pub(super) fn is_pure(&self, node: Node<'a>) -> bool {
        let field = |name| node.child_by_field_name(name).is_some_and(|n| self.is_pure(n));
        match node.kind() {
            "number_literal"
            | "char_literal"
            | "string_literal"
            | "concatenated_string"
            | "raw_string_literal"
            | "true"
            | "false"
            | "null"
            | "nullptr"
            | "this"
            | "sizeof_expression"
            | "alignof_expression"
            | "offsetof_expression"
            | "comment" => true,
            "identifier" => self.is_own(&self.text[node.byte_range()]),
            // Taking an address touches nothing.
            "pointer_expression" if self.text[node.start_byte()..].starts_with('&') => {
                node.child_by_field_name("argument").is_some_and(|a| a.kind() == "identifier")
            }
            "cast_expression" => field("value"),
            "unary_expression" | "update_expression" => field("argument"),
            "field_expression" => {
                self.text[..node.end_byte()][node.start_byte()..].contains('.')
                    && !self.text[node.byte_range()].contains("->")
                    && field("argument")
            }
            "parenthesized_expression"
            | "binary_expression"
            | "conditional_expression"
            | "comma_expression"
            | "assignment_expression"
            | "initializer_list" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).all(|c| self.is_pure(c))
            }
            _ => false,
        }
    }
}

fn has_reference(declarator: Option<Node>) -> bool {
    declarator.is_some_and(|d| d.kind() == "reference_declarator")
}

/// The variable that an lvalue is, or is a part of.
fn base(node: Node) -> Option<Node> {
    match node.kind() {
        "identifier" => Some(node),
        "field_expression" | "subscript_expression" => node.child_by_field_name("argument").and_then(base),
        "parenthesized_expression" => node.named_child(0).and_then(base),
        _ => None,
    }
}
