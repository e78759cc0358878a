//! The names of functions in C and C++, as people write them: `Queue::push`, `ns::S::operator[]`,
//! `main::{lambda}`; template arguments are left out.

use super::Language;
use std::fmt::Write;
use tree_sitter::Node;

/// What surrounds a node: namespaces, classes, functions.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    path: String,
    in_function: bool,
}

impl Scope {
    /// Is it the body of a function?
    pub(super) fn in_function(&self) -> bool {
        self.in_function
    }

    /// A name qualified by all of it.
    pub(super) fn within(&self, name: &str) -> String {
        match self.path.as_str() {
            "" => name.to_string(),
            path => format!("{path}::{name}"),
        }
    }

    /// Inside a namespace or class of this name.
    pub(super) fn inner(&self, name: &str) -> Scope {
        Scope { path: self.within(name), ..*self }
    }

    /// Inside the function of this qualified name.
    pub(super) fn function(&self, qualified: &str) -> Scope {
        Scope { path: qualified.to_string(), in_function: true }
    }
}

/// The name of a namespace or of a class with a body.
pub(super) fn of_scope(node: Node, text: &str) -> Option<String> {
    match node.kind() {
        "namespace_definition" => {}
        "class_specifier" | "struct_specifier" | "union_specifier" => {
            node.child_by_field_name("body")?;
        }
        _ => return None,
    }
    let name = node.child_by_field_name("name")?;
    Some(plain(&text[name.byte_range()]))
}

/// The name that a definition's declarator declares.
pub(super) fn of_declarator(node: Node, text: &str, language: Language) -> Option<String> {
    if language == Language::C {
        let name = super::index::declarator(node)?.child_by_field_name("declarator")?;
        return Some(unwrapped(&text[name.byte_range()]).to_string());
    }
    match node.kind() {
        "function_declarator" => {
            let name = node.child_by_field_name("declarator")?;
            // A function that returns a pointer to a function has a declarator inside.
            match name.kind() {
                "parenthesized_declarator" | "pointer_declarator" => of_declarator(name, text, language),
                _ => Some(plain(&text[name.byte_range()])),
            }
        }
        "operator_cast" => {
            let ty = node.child_by_field_name("type")?;
            Some(plain(&text[node.start_byte()..ty.end_byte()]))
        }
        // `S::operator bool()`.
        "qualified_identifier" => {
            let name = node.child_by_field_name("name")?;
            let scope = plain(&text[node.start_byte()..name.start_byte()]);
            Some(format!("{scope}{}", of_declarator(name, text, language)?))
        }
        "pointer_declarator"
        | "reference_declarator"
        | "parenthesized_declarator"
        | "attributed_declarator" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).find_map(|n| of_declarator(n, text, language))
        }
        _ => None,
    }
}

/// The name in a macro's parentheses: `int API(name)(void)`.
fn unwrapped(name: &str) -> &str {
    let inner = name.strip_suffix(')').and_then(|n| n.split_once('(')).map(|(_, inner)| inner.trim());
    let is_word = |n: &&str| !n.is_empty() && n.chars().all(|c| c.is_alphanumeric() || c == '_');
    inner.filter(is_word).unwrap_or(name)
}

/// Does a declarator inside a function declare a function for certain? A macro with a block behind
/// it (`EACH (item) {`) reads almost the same.
pub(super) fn is_of_function(declarator: Node) -> bool {
    match declarator.kind() {
        "function_declarator" => {
            let typed = |parameters: Node| {
                let mut cursor = parameters.walk();
                parameters.named_children(&mut cursor).all(|p| p.kind() != "identifier")
            };
            let is_name = |n: Node| n.kind() != "parenthesized_declarator";
            declarator.child_by_field_name("declarator").is_some_and(is_name)
                && declarator.child_by_field_name("parameters").is_some_and(typed)
        }
        "pointer_declarator" => declarator.child_by_field_name("declarator").is_some_and(is_of_function),
        // A method of a local class.
        _ => matches!(declarator.kind(), "operator_cast" | "reference_declarator"),
    }
}

/// Without template arguments and line breaks. Operators keep all they have.
fn plain(name: &str) -> String {
    let (scope, last) = match name.find("operator") {
        Some(at) if at == 0 || name[..at].ends_with([':', ' ']) => name.split_at(at),
        _ => (name, ""),
    };
    let mut out = String::new();
    let mut depth = 0;
    for c in scope.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            c if depth == 0 && !c.is_whitespace() => out.push(c),
            _ => {}
        }
    }
    let last: Vec<&str> = last.split_whitespace().collect();
    out + &last.join(" ")
}

/// The call before a body: `main() {` without a type, or a macro such as `TEST(queue, push) {`.
/// The grammar reads a statement there whose `;` is missing.
pub(super) fn headless(body: Node) -> Option<Node> {
    let statement = body.prev_named_sibling().filter(|s| s.kind() == "expression_statement")?;
    let last = statement.child(statement.child_count().checked_sub(1)?)?;
    statement.named_child(0).filter(|call| last.is_missing() && call.kind() == "call_expression")
}

/// The name of such a function: with a macro's arguments, which tell it from others.
pub(super) fn of_call(call: Node, text: &str) -> String {
    let function = call.child_by_field_name("function").map_or("", |f| &text[f.byte_range()]);
    if function.chars().any(|c| c.is_lowercase()) {
        return function.to_string();
    }
    text[call.byte_range()].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Does a thread run this lambda? It is an argument of what makes a thread, or of what adds one
/// to a container of threads, or a variable that is.
pub(super) fn is_spawned(lambda: Node, text: &str) -> bool {
    let Some(parent) = lambda.parent() else { return false };
    if parent.kind() != "init_declarator" {
        return makes_thread(parent, text);
    }
    let name = parent.child_by_field_name("declarator").filter(|d| d.kind() == "identifier");
    let block =
        std::iter::successors(parent.parent(), Node::parent).find(|n| n.kind() == "compound_statement");
    match (name, block) {
        (Some(name), Some(block)) => passes(block, &text[name.byte_range()], text),
        _ => false,
    }
}

/// Does the compiler itself run this lambda, or print it? The value of a constant, the body of what
/// is `constexpr`, the argument of an assertion or of a template.
pub(super) fn is_for_the_compiler(lambda: Node, text: &str) -> bool {
    let constant = |text: &str| text.contains("constexpr") || text.contains("consteval");
    std::iter::successors(lambda.parent(), Node::parent).any(|n| match n.kind() {
        "static_assert_declaration" | "template_argument_list" => true,
        "condition_clause" => n.parent().is_some_and(|p| constant(&text[p.start_byte()..n.start_byte()])),
        "function_definition" | "declaration" | "field_declaration" | "lambda_expression" => {
            let inner = ["body", "declarator"];
            let end = inner.iter().filter_map(|f| n.child_by_field_name(f)).map(|c| c.start_byte()).min();
            constant(&text[n.start_byte()..end.unwrap_or(n.end_byte())].to_ascii_lowercase())
        }
        "call_expression" => {
            n.child_by_field_name("function").is_some_and(|f| &text[f.byte_range()] == "assert")
        }
        _ => false,
    })
}

/// Is the variable of this name an argument of what makes a thread, somewhere below?
fn passes(node: Node, name: &str, text: &str) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| {
        let it = matches!(child.kind(), "identifier" | "parameter_declaration");
        (it && &text[child.byte_range()] == name && makes_thread(node, text)) || passes(child, name, text)
    })
}

/// Are these the arguments of what makes a thread?
fn makes_thread(list: Node, text: &str) -> bool {
    let lists = ["argument_list", "initializer_list", "parameter_list"];
    let Some(maker) = list.parent().filter(|_| lists.contains(&list.kind())) else { return false };
    let what = match maker.kind() {
        "call_expression" => maker.child_by_field_name("function"),
        "compound_literal_expression" | "new_expression" => maker.child_by_field_name("type"),
        // `std::thread t(run);` reads like the declaration of a function.
        "init_declarator" | "function_declarator" => {
            maker.parent().and_then(|d| d.child_by_field_name("type"))
        }
        _ => None,
    };
    let Some(what) = what.map(|n| &text[n.byte_range()]) else { return false };
    let last = what.rsplit([':', '.', '>']).next().unwrap_or(what).trim();
    match last {
        "thread" | "jthread" | "async" => true,
        "emplace_back" | "push_back" | "emplace" | "emplace_front" => text.contains("thread>"),
        _ => false,
    }
}

/// As the contents of a C string literal.
pub(super) fn literal(name: &str) -> String {
    let mut out = String::new();
    for b in name.bytes() {
        match b {
            b'"' | b'\\' => write!(out, "\\{}", b as char),
            // Three digits, so that no digit behind can be taken for one more.
            0..0x20 | 0x7f.. => write!(out, "\\{b:03o}"),
            // No trigraph can come about.
            b'?' => write!(out, "\\?"),
            _ => write!(out, "{}", b as char),
        }
        .unwrap_or_default();
    }
    out
}
