//! Schedule points before the statements of a function.
//!
//! A statement of a block gets a call before it. The body of an `if` or a loop without braces gets the
//! call inside, as the first part of its expression, and no braces: a macro may stand for several
//! statements, or for an `if` that the following `else` belongs to. (One that is no expression would
//! not compile; what looks like one carries no point.) Conditions get the call inside, before the expression, since a loop evaluates
//! its condition more than once and an `else if` follows a condition of its own. A declaration in
//! C gets one that is a declaration itself, because C89 does not let statements stand before
//! declarations.
//!
//! Where the grammar is not sure of what it reads, nothing is inserted: not before a statement
//! with an error in it, nor behind one, since a macro may make it the head of what follows
//! (`FOR_EACH(x, list) visit(x);`).

use super::Language;
use super::pragmas::{self, Bound};
use super::purity::Locals;
use crate::edits::Edits;
use crate::instrument::Statements;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Are points wanted in the function of this qualified name? A lambda belongs to the function it is
/// written in.
pub(super) fn wanted(statements: &Statements, name: &str) -> bool {
    let outer = name.strip_suffix("::{lambda}");
    statements.wants(name) || outer.is_some_and(|outer| wanted(statements, outer))
}

/// What a statement stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a block, where further statements may stand.
    Block,
    /// Directly behind a label, in a block: no declaration may be put there.
    Labelled,
    /// Alone, as the body of something.
    Alone,
    /// In the block of a `switch`, before its first label: never carried out.
    Unreached,
    /// Behind a pragma that is about this statement.
    Bound,
}

/// Puts points into one function.
pub(super) struct Points<'a, 'e> {
    text: &'a str,
    language: Language,
    constants: &'a BTreeSet<&'a str>,
    macros: &'a BTreeSet<&'a str>,
    edits: &'e mut Edits,
    count: usize,
}

impl<'a, 'e> Points<'a, 'e> {
    /// `macros` are those that the file defines; `count` points were put into it already.
    pub(super) fn new(
        text: &'a str,
        language: Language,
        constants: &'a BTreeSet<&'a str>,
        macros: &'a BTreeSet<&'a str>,
        edits: &'e mut Edits,
        count: usize,
    ) -> Self {
        Points { text, language, constants, macros, edits, count }
    }

    /// Points in the file by now.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Before the statements of a function.
    pub(super) fn function(&mut self, whole: Node<'a>, body: Node<'a>) {
        let mut locals = Locals::new(self.text, self.language, self.constants, whole, body);
        self.block(body, &mut locals, Place::Block);
    }

    fn block(&mut self, block: Node<'a>, locals: &mut Locals<'a>, first: Place) {
        locals.enter();
        self.list(block, locals, first);
        locals.leave();
    }

    /// The statements that are the children of a node.
    fn list(&mut self, parent: Node<'a>, locals: &mut Locals<'a>, first: Place) {
        let mut place = first;
        // Is the statement before one that the grammar is not sure of?
        let mut doubt = false;
        let mut bound = None;
        let mut cursor = parent.walk();
        let value = parent.child_by_field_name("value").filter(|_| parent.kind() == "case_statement");
        for child in parent.named_children(&mut cursor) {
            if child.kind() == "comment" || Some(child) == value || is_part_of_directive(parent, child) {
                continue;
            }
            if let Some(binds) = pragmas::of(child, self.text) {
                bound = binds.or(bound);
                // With its `;` the operator has ended whatever was before.
                doubt &= !self.text[child.byte_range()].ends_with(';');
                continue;
            }
            // `if (x)` with a directive before its body: the body looks like a statement of its own.
            if doubt && child.kind().starts_with("preproc_") && !is_conditional(child) {
                continue;
            }
            if child.kind() == "case_statement" && place == Place::Unreached {
                place = Place::Block;
            }
            let binds = bound.take();
            match binds {
                _ if doubt && !is_compound(child) => {}
                Some(bound) => self.bound(child, locals, bound),
                None => self.statement(child, locals, place),
            }
            if is_conditional(child) {
                bound = last_pragma(child, self.text);
            }
            if place == Place::Labelled {
                place = Place::Block;
            }
            doubt = child.has_error() || child.is_error();
        }
    }

    fn statement(&mut self, node: Node<'a>, locals: &mut Locals<'a>, place: Place) {
        match node.kind() {
            "compound_statement" => self.block(node, locals, Place::Block),
            "expression_statement" | "return_statement" | "throw_statement" | "co_return_statement"
                if !self.is_pure_statement(node, locals) =>
            {
                self.before(node, place);
            }
            "declaration" => {
                if place != Place::Unreached && !self.is_pure_declaration(node, locals) {
                    self.before_declaration(node, place);
                }
                locals.declare(node);
            }
            "if_statement" => {
                self.condition(node, locals, place);
                self.bodies(node, locals);
            }
            "else_clause" => self.bodies(node, locals),
            "while_statement" => {
                self.condition(node, locals, place);
                self.bodies(node, locals);
            }
            "do_statement" => {
                self.bodies(node, locals);
                self.condition(node, locals, Place::Unreached);
            }
            "switch_statement" => {
                self.condition(node, locals, place);
                if let Some(body) = node.child_by_field_name("body") {
                    match body.kind() {
                        "compound_statement" => self.block(body, locals, Place::Unreached),
                        _ => self.statement(body, locals, Place::Alone),
                    }
                }
            }
            "for_statement" => self.for_loop(node, locals, place),
            "for_range_loop" => {
                self.before(node, place);
                self.bodies(node, locals);
            }
            "labeled_statement" | "case_statement" => {
                let place = if place == Place::Alone { Place::Alone } else { Place::Labelled };
                self.list(node, locals, place);
            }
            "try_statement" | "catch_clause" => self.bodies(node, locals),
            // Arms of conditional compilation: what stands in them stands in the block around.
            _ if is_conditional(node) => self.list(node, locals, place),
            _ => {}
        }
    }

    /// A statement that a pragma is about.
    fn bound(&mut self, node: Node<'a>, locals: &mut Locals<'a>, bound: Bound) {
        match (bound, node.kind()) {
            (_, "declaration") => locals.declare(node),
            (Bound::Construct, "compound_statement")
            | (Bound::Loop, "for_statement" | "while_statement" | "do_statement" | "for_range_loop") => {
                self.statement(node, locals, Place::Bound);
            }
            (Bound::Construct, "for_statement") => {
                locals.enter();
                let start = node.child_by_field_name("initializer").filter(|s| s.kind() == "declaration");
                start.into_iter().for_each(|s| locals.declare(s));
                self.bodies(node, locals);
                locals.leave();
            }
            _ => {}
        }
    }

    /// The statements that a node has as bodies.
    fn bodies(&mut self, node: Node<'a>, locals: &mut Locals<'a>) {
        let mut cursor = node.walk();
        let children: Vec<Node> = node.named_children(&mut cursor).collect();
        let heads = ["condition", "initializer", "update", "parameters", "type", "declarator", "right"]
            .map(|f| node.child_by_field_name(f));
        for child in children.into_iter().filter(|c| !heads.contains(&Some(*c))) {
            self.statement(child, locals, Place::Alone);
        }
    }

    fn for_loop(&mut self, node: Node<'a>, locals: &mut Locals<'a>, place: Place) {
        locals.enter();
        if let Some(start) = node.child_by_field_name("initializer") {
            let pure = match start.kind() {
                "declaration" => self.is_pure_declaration(start, locals),
                "init_statement" => false,
                _ => locals.is_pure(start),
            };
            match start.kind() {
                _ if pure => {}
                "declaration" | "init_statement" => self.before(node, place),
                _ if place == Place::Bound && !start.has_error() => self.inside(start.start_byte()),
                _ => self.before(node, place),
            }
            if start.kind() == "declaration" {
                locals.declare(start);
            }
        }
        for part in ["condition", "update"] {
            if let Some(part) = node.child_by_field_name(part)
                && !part.has_error()
                && !locals.is_pure(part)
            {
                self.inside(part.start_byte());
            }
        }
        self.bodies(node, locals);
        locals.leave();
    }

    /// In the condition of an `if`, a loop, a `switch`; before the whole where it declares.
    fn condition(&mut self, node: Node<'a>, locals: &Locals<'a>, place: Place) {
        let Some(condition) = node.child_by_field_name("condition").filter(|c| !c.has_error()) else {
            return;
        };
        if condition.child_by_field_name("initializer").is_some() {
            return self.before(node, place);
        }
        let value = condition.child_by_field_name("value").or_else(|| condition.named_child(0));
        let Some(value) = value else { return };
        let text = &self.text[node.start_byte()..condition.start_byte()];
        if value.kind() == "declaration" {
            self.before(node, place);
        } else if !text.contains("constexpr") && !text.contains("consteval") && !locals.is_pure(value) {
            self.inside(value.start_byte());
        }
    }

    fn is_pure_statement(&self, node: Node<'a>, locals: &Locals<'a>) -> bool {
        let mut cursor = node.walk();
        node.kind() != "throw_statement" && node.named_children(&mut cursor).all(|c| locals.is_pure(c))
    }

    fn is_pure_declaration(&self, node: Node<'a>, locals: &Locals<'a>) -> bool {
        let mut cursor = node.walk();
        let statics = node.children(&mut cursor).any(|c| {
            matches!(c.kind(), "storage_class_specifier" | "type_qualifier")
                && matches!(&self.text[c.byte_range()], "static" | "constexpr" | "extern")
        });
        let mut cursor = node.walk();
        statics
            || node.children_by_field_name("declarator", &mut cursor).all(|d| match d.kind() {
                "init_declarator" => d.child_by_field_name("value").is_some_and(|v| locals.is_pure(v)),
                // `std::lock_guard<std::mutex> l(m);` reads like the declaration of a function.
                "function_declarator" => self.language == Language::C,
                // A constructor may do anything.
                "identifier" => self.language == Language::C || is_of_the_language(node),
                _ => true,
            })
    }

    fn before(&mut self, node: Node<'a>, place: Place) {
        match place {
            _ if node.has_error() => return,
            Place::Unreached | Place::Bound => return,
            Place::Block | Place::Labelled => self.edits.insert(node.start_byte(), "__raddle_point();"),
            Place::Alone => return self.alone(node),
        }
        self.count += 1;
    }

    /// The only statement of a body without braces.
    fn alone(&mut self, node: Node<'a>) {
        let Some(value) = node.named_child(0) else { return };
        if self.may_be_statements(value) {
            return;
        }
        if node.kind() == "expression_statement" {
            return self.inside(value.start_byte());
        }
        self.edits.insert(node.start_byte(), "{__raddle_point();");
        self.edits.insert(node.end_byte(), "}");
        self.count += 1;
    }

    /// Is it a macro of this file, or written like one?
    fn may_be_statements(&self, value: Node<'a>) -> bool {
        let name = match value.kind() {
            "call_expression" => value.child_by_field_name("function"),
            "identifier" => Some(value),
            _ => None,
        };
        let name = name.filter(|n| n.kind() == "identifier").map(|n| &self.text[n.byte_range()]);
        name.is_some_and(|n| self.macros.contains(n) || !n.contains(|c: char| c.is_lowercase()))
    }

    fn before_declaration(&mut self, node: Node<'a>, place: Place) {
        if node.has_error()
            || matches!(place, Place::Alone | Place::Labelled | Place::Unreached | Place::Bound)
        {
            return;
        }
        let text = match self.language {
            Language::C => format!("__raddle_declare_point({});", self.count),
            Language::Cpp => "__raddle_point();".to_string(),
        };
        self.edits.insert(node.start_byte(), text);
        self.count += 1;
    }

    fn inside(&mut self, at: usize) {
        self.edits.insert(at, "__raddle_point_then ");
        self.count += 1;
    }
}

fn is_compound(node: Node) -> bool {
    node.kind() == "compound_statement"
}

/// Arms of conditional compilation.
fn is_conditional(node: Node) -> bool {
    node.kind().starts_with("preproc_if") || node.kind().starts_with("preproc_el")
}

/// The pragma that an arm of conditional compilation ends with.
fn last_pragma(arm: Node, text: &str) -> Option<Bound> {
    let mut cursor = arm.walk();
    let children: Vec<Node> = arm.named_children(&mut cursor).filter(|c| c.kind() != "comment").collect();
    let (arms, rest): (Vec<Node>, Vec<Node>) = children.into_iter().partition(|c| is_conditional(*c));
    let last = rest.last().and_then(|n| pragmas::of(*n, text)).flatten();
    last.or_else(|| arms.into_iter().find_map(|a| last_pragma(a, text)))
}

fn is_of_the_language(declaration: Node) -> bool {
    let kind = declaration.child_by_field_name("type").map(|t| t.kind());
    matches!(kind, Some("primitive_type" | "sized_type_specifier"))
}

/// The condition of an `#if`, the name of an `#ifdef`, the label of a labelled statement.
fn is_part_of_directive(parent: Node, child: Node) -> bool {
    ["condition", "name", "label"].iter().any(|f| parent.child_by_field_name(f) == Some(child))
}
