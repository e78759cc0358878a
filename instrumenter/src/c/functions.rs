//! Function markers of C and C++: what is put behind the `{` of each function's body, so that the
//! runtime knows in which function a thread is, and which functions are left alone.
//!
//! A marker is a declaration and stands before everything else in the body, where every standard
//! from C89 on allows one; so it does not matter what the body holds, and functions whose body the
//! grammar cannot read, or which it does not find (`Walk::unread`), carry one as well. The file is edited as it was written,
//! before the preprocessor: every arm of an `#if` is, and what macros expand to is not. Headers
//! are not edited: they belong to many programs and to the system.

use super::Language;
use super::heads::{Head, heads};
use super::names::{self, Scope};
use super::statements;
use crate::instrument::{Instrumented, Left, Marked, Statements};
use std::collections::BTreeSet;
use std::path::Path;
use tree_sitter::{Node, Parser, Point, Range};

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
    let macros = macros(text);
    let heads = if language == Language::C { heads(text) } else { Vec::new() };
    let mut walk = Walk {
        text,
        language,
        wanted,
        resolvers,
        constants,
        macros,
        points: 0,
        heads,
        seen: BTreeSet::new(),
        out: Instrumented::default(),
    };
    walk.children(tree.root_node(), &Scope::default());
    walk.unread(&mut parser);
    walk.out.marked.sort_by_key(|m| m.line);
    walk.out
}

/// The same for a file of this name: one that was preprocessed elsewhere is mended too.
pub fn instrument_file(path: &Path, text: &str, language: Language, wanted: &Statements) -> Instrumented {
    let mut out = instrument(text, language, wanted);
    if Language::is_preprocessed(path) {
        super::ilp32::mend(text, &mut out.edits);
    }
    out
}

/// Functions that choose an implementation while the program is still being linked: nothing may be
/// called there.
fn resolvers(text: &str) -> BTreeSet<&str> {
    let after = text.split("ifunc").skip(1).filter_map(|t| t.split('"').nth(1));
    after.collect()
}

/// The macros that the file defines, in whatever arm of conditional compilation.
fn macros(text: &str) -> BTreeSet<&str> {
    let name = |line: &'_ str| -> Option<usize> {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        Some(line.len() - rest.trim_start().len())
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.lines()
        .filter_map(|line| line.get(name(line)?..))
        .map(|rest| rest.split(|c| !is_part(c)).next().unwrap_or_default())
        .collect()
}

/// One walk over a file's tree.
struct Walk<'a> {
    text: &'a str,
    language: Language,
    wanted: &'a Statements,
    /// Named in an `ifunc` attribute.
    resolvers: BTreeSet<&'a str>,
    /// Names of the file's constants.
    constants: BTreeSet<&'a str>,
    /// Names of the macros that it defines.
    macros: BTreeSet<&'a str>,
    /// Points so far: the ones that are declarations need names.
    points: usize,
    /// The functions of C by its tokens.
    heads: Vec<Head>,
    /// The braces of the functions that the grammar read.
    seen: BTreeSet<usize>,
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
            "lambda_expression" => {
                if let Some(body) = node.child_by_field_name("body") {
                    let name = scope.within("{lambda}");
                    if scope.in_function() && names::is_spawned(node, self.text) {
                        return self.function(body, node, name, scope);
                    }
                    self.lambda(body, node, &name);
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
        let mut named = declarator.and_then(|d| names::of_declarator(d, self.text, self.language));
        let body = node.child_by_field_name("body");
        if let Some(body) = body.filter(|b| self.language == Language::C && is_doubtful(node, *b)) {
            // Words that the grammar does not expect: the tokens know which of them is the name.
            let head = self.heads.iter().find(|h| h.open == body.start_byte() && !scope.in_function());
            named = head.map(|h| h.name.clone());
        } else if scope.in_function() && !declarator.is_some_and(names::is_of_function) {
            named = None;
        }
        match (named, body) {
            (Some(name), Some(body)) if body.kind() == "compound_statement" => {
                self.function(body, node, scope.within(&name), scope);
            }
            (Some(name), None) if has_child(node, "try_statement") => {
                self.leave(
                    node.start_position().row as u32 + 1,
                    scope.within(&name),
                    "its body is a try block",
                );
                self.children(node, scope);
            }
            _ => self.children(node, scope),
        }
    }

    /// A function with this body; what stands between `whole` and the body is its head.
    fn function(&mut self, body: Node<'a>, whole: Node<'a>, name: String, scope: &Scope) {
        let head = &self.text[whole.start_byte()..body.start_byte()];
        self.seen.insert(body.start_byte());
        match self.obstacle(head, &self.text[body.byte_range()], &name) {
            Some(reason) => self.leave(whole.start_position().row as u32 + 1, name.clone(), reason),
            None if self.text.as_bytes().get(body.start_byte()) == Some(&b'{') => {
                self.mark(body.start_byte() + 1, &name);
                self.means(whole.start_byte(), body.start_byte() + 1, &name);
                if statements::wanted(self.wanted, &name) {
                    self.points(whole, body);
                }
            }
            None => {
                let reason = "its body does not begin with a brace";
                self.leave(whole.start_position().row as u32 + 1, name.clone(), reason);
            }
        }
        let inner = scope.function(&name);
        if whole.kind() == "function_definition" {
            // The members that a constructor initialises may be threads.
            let mut cursor = whole.walk();
            let lists = whole.children(&mut cursor).filter(|c| c.kind() == "field_initializer_list");
            lists.for_each(|list| self.children(list, &inner));
        }
        self.children(body, &inner);
    }

    /// A lambda that nobody gives to a thread here. Whoever gets it may do so, so that it needs
    /// points like any other code of the function it is written in, whose marker it goes by.
    fn lambda(&mut self, body: Node<'a>, whole: Node<'a>, name: &str) {
        let head = &self.text[whole.start_byte()..body.start_byte()];
        if statements::wanted(self.wanted, name)
            && self.obstacle(head, &self.text[body.byte_range()], name).is_none()
            && !names::is_for_the_compiler(whole, self.text)
        {
            self.points(whole, body);
        }
    }

    fn points(&mut self, whole: Node, body: Node) {
        let edits = &mut self.out.edits;
        let (constants, macros) = (&self.constants, &self.macros);
        let mut points =
            statements::Points::new(self.text, self.language, constants, macros, edits, self.points);
        points.function(whole, body);
        self.points = points.count();
    }

    /// Why a function with this head and body can carry no marker.
    fn obstacle(&self, head: &str, body: &str, name: &str) -> Option<&'static str> {
        let last = name.rsplit("::").next().unwrap_or(name);
        if has_word(head, |w| w == "naked" || w == "__naked__") {
            return Some("it is naked");
        }
        if has_word(head, |w| w == "interrupt" || w == "__interrupt__") {
            return Some("it is an interrupt handler");
        }
        if has_word(body, |w| w == "__label__") {
            return Some("it declares labels of its own, which must come first");
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
            if has_word(body, |w| matches!(w, "co_await" | "co_return" | "co_yield")) {
                return Some("it is a coroutine");
            }
        }
        None
    }

    /// The functions that the grammar did not read.
    fn unread(&mut self, parser: &mut Parser) {
        for head in std::mem::take(&mut self.heads) {
            if !self.seen.contains(&head.open) {
                let before = &self.text[head.start..head.open];
                match self.obstacle(before, &self.text[head.open..head.end], &head.name) {
                    Some(reason) => self.leave(line(self.text, head.start), head.name, reason),
                    None => {
                        self.mark(head.open + 1, &head.name);
                        self.means(head.start, head.open + 1, &head.name);
                        self.body(parser, &head);
                    }
                }
            }
        }
    }

    /// Points in such a function: its body is read alone.
    fn body(&mut self, parser: &mut Parser, head: &Head) {
        if !statements::wanted(self.wanted, &head.name) {
            return;
        }
        let point = |at: usize| {
            let before = &self.text[..at];
            let column = at - before.rfind('\n').map_or(0, |n| n + 1);
            Point { row: line(self.text, at) as usize - 1, column }
        };
        let range = Range {
            start_byte: head.open,
            end_byte: head.end,
            start_point: point(head.open),
            end_point: point(head.end),
        };
        if parser.set_included_ranges(&[range]).is_err() {
            return;
        }
        if let Some(tree) = parser.parse(self.text, None)
            && let Some(body) = tree.root_node().named_child(0).filter(|b| b.kind() == "compound_statement")
        {
            self.points(body, body);
        }
    }

    fn mark(&mut self, at: usize, name: &str) {
        self.out.edits.insert(at, format!("__raddle_fn(\"{}\");", names::literal(name)));
        self.out.marked.push(Marked { name: name.to_string(), line: line(self.text, at) });
    }

    /// What a function's name says by the rules of SV-COMP, where its definition begins and its body does: checks say that
    /// they fail, and where they were called; others are atomic.
    fn means(&mut self, start: usize, body: usize, name: &str) {
        let edits = &mut self.out.edits;
        if self.language == Language::C && is_inline_test(&self.text[start..body], name) {
            edits.insert(start, format!("void {name}(void); "));
        }
        if matches!(name, "reach_error" | "__VERIFIER_error" | "__VERIFIER_assert") {
            edits.insert(start, "__attribute__((__noinline__)) ");
        }
        if matches!(name, "reach_error" | "__VERIFIER_error") {
            edits.insert(body, "__raddle_reached();");
        } else if name.starts_with("__VERIFIER_atomic_") {
            edits.insert(body, "__raddle_atomic();");
        }
    }

    fn leave(&mut self, line: u32, name: String, reason: &str) {
        self.out.left.push(Left { name, line, reason: reason.to_string() });
    }
}

/// Is it the head of a test that is `inline` alone? In C that is no definition for others, who would call it by its name, unless
/// it is declared without the word as well.
fn is_inline_test(head: &str, name: &str) -> bool {
    let flat: String = head.split_whitespace().collect();
    let shapes = [format!("void{name}(void){{"), format!("void{name}(){{")];
    name.starts_with("test_")
        && shapes.iter().any(|shape| flat.ends_with(shape))
        && has_word(head, |w| matches!(w, "inline" | "__inline" | "__inline__"))
        && !has_word(head, |w| matches!(w, "static" | "extern"))
}

/// Is there an error in a definition's head?
fn is_doubtful(definition: Node, body: Node) -> bool {
    let mut cursor = definition.walk();
    definition.children(&mut cursor).any(|c| c != body && (c.is_error() || c.has_error()))
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
