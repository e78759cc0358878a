//! The tests, functions, synchronisation and shared variables of a C or C++ file, by tree-sitter.
//!
//! tree-sitter keeps going where a compiler would stop, which suits a file that is being edited
//! and one whose `#ifdef`s no one has decided yet. What it cannot make a function of (two arms of
//! an `#ifdef` that share one body) it leaves in an error node, and `Walk::loose` finds the
//! declarator there.

use super::Language;
use super::names::{Scope, is_spawned, of_declarator, of_scope};
use crate::index::{Function, Index, Test};
use std::collections::BTreeSet;
use std::path::Path;
use tree_sitter::{Node, Parser};

pub mod accesses;
pub mod arguments;
pub mod conditions;
mod declarations;
pub mod lambdas;
mod locals;
pub mod macros;
mod names;
pub mod receivers;
pub(crate) mod rounds;
mod shared;
mod sites;

/// Reads and indexes one file.
pub fn index(file: &Path) -> std::io::Result<Index> {
    let bytes = std::fs::read(file)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(with_included_main(index_source(file, &text), file, &text))
}

/// Files in files that are looked at for a `main`: one may include itself.
const DEPTH: usize = 8;

/// Where a file has no tests of its own, a file that lies beside it and that it includes may have its `main`.
pub fn with_included_main(mut index: Index, file: &Path, text: &str) -> Index {
    if index.tests.is_empty()
        && let Some(main) = included_main(file, text, DEPTH)
    {
        index.tests = vec![test(stem(file), &main)];
        index.functions.push(main);
    }
    index
}

/// The `main` of a file that this one includes, where the line is that does so.
fn included_main(file: &Path, text: &str, depth: usize) -> Option<Function> {
    let folder = file.parent().unwrap_or(Path::new(""));
    text.lines().enumerate().filter(|_| depth > 0).find_map(|(n, line)| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        let (name, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        let inner = folder.join(name);
        let bytes = std::fs::read(&inner).ok()?;
        let inside = String::from_utf8_lossy(&bytes);
        let has_main = || index_source(file, &inside).functions.into_iter().find(|f| f.name == "main");
        let main = has_main().or_else(|| included_main(&inner, &inside, depth - 1))?;
        let line = n as u32 + 1;
        Some(Function { file: file.to_owned(), line, column: 1, end_line: line, ..main })
    })
}

/// Indexes a file's text: with a `main` it is one test, named after the file; without one, every
/// `void test_*(void)` with external linkage is a test.
pub fn index_source(file: &Path, text: &str) -> Index {
    index_where(file, text, &|_| true)
}

/// The same of what the preprocessor leaves of a file: a `main` or test in an `#ifdef` that does not hold is none.
pub fn index_left(file: &Path, text: &str, preprocessed: &str) -> Index {
    let conditional = conditional_lines(text);
    if conditional.is_empty() {
        return index_source(file, text);
    }
    let left = index_source(file, &own_lines(file, preprocessed));
    let is_left = |name: &str| left.functions.iter().any(|f| f.name == name);
    index_where(file, text, &|f| !conditional.contains(&f.line) || is_left(&f.name))
}

/// Lines that are there under a condition of the preprocessor.
pub fn conditional_lines(text: &str) -> BTreeSet<u32> {
    let (mut lines, mut depth) = (BTreeSet::new(), 0u32);
    for (n, line) in text.lines().enumerate() {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
        if directive.starts_with("endif") {
            depth = depth.saturating_sub(1);
        }
        if depth > 0 {
            lines.insert(n as u32 + 1);
        }
        depth += u32::from(directive.starts_with("if"));
    }
    lines
}

/// What the preprocessor has left of the file itself, without what it includes.
fn own_lines(file: &Path, preprocessed: &str) -> String {
    let (mut own, mut out) = (true, String::new());
    for line in preprocessed.lines() {
        let marked = line.strip_prefix("# ").and_then(|rest| rest.split_once(" \""));
        match marked.and_then(|(_, name)| name.rsplit_once('"')) {
            Some((name, _)) => own = Path::new(name).file_name() == file.file_name(),
            None if own => {
                out.push_str(line);
                out.push('\n');
            }
            None => {}
        }
    }
    out
}

/// Indexes a file's text, with these functions.
fn index_where(file: &Path, text: &str, is_there: &dyn Fn(&Function) -> bool) -> Index {
    let mut index = Index::default();
    let Some(tree) = parse(file, text) else {
        let message = "the grammar could not be loaded".to_string();
        index.problems.push(crate::index::Problem { file: file.to_owned(), message });
        return index;
    };
    let mut walk = Walk { file, text, language: language(file), scope: Scope::default(), found: Vec::new() };
    walk.node(tree.root_node());
    let mut found = walk.found;
    found.retain(|f| is_there(&f.function));
    index.tests = match found.iter().find(|f| f.function.name == "main") {
        Some(main) => vec![test(stem(file), &main.function)],
        None => tests(&found),
    };
    index.functions = found.into_iter().map(|f| f.function).collect();
    let shared = shared::Shared::find(file, text, tree.root_node());
    (index.sites, index.variables) = (shared.sites, shared.variables);
    index
}

/// The file's tree.
fn parse(file: &Path, text: &str) -> Option<tree_sitter::Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language(file).grammar()).ok()?;
    parser.parse(text, None)
}

/// The language of a file; a header without one in its name is taken for C.
pub(super) fn language(file: &Path) -> Language {
    let header = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    match Language::of(file) {
        Some(language) => language,
        None if matches!(header, "hh" | "hpp" | "hxx" | "h++" | "H" | "ipp" | "tcc") => Language::Cpp,
        None => Language::C,
    }
}

/// What the file's `main` is called as a test: the file's name without its last extension.
pub fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Every `void test_*(void)`; of two with one name (two arms of an `#ifdef`) the first.
fn tests(found: &[Found]) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    for f in found.iter().filter(|f| f.is_test) {
        if !tests.iter().any(|t| t.name == f.function.name) {
            tests.push(test(f.function.name.clone(), &f.function));
        }
    }
    tests
}

fn test(name: String, at: &Function) -> Test {
    Test {
        name,
        file: at.file.clone(),
        line: at.line,
        column: at.column,
        ignore: false,
        should_panic: false,
        target: String::new(),
        package: String::new(),
    }
}

/// A function and whether it has a test's name and shape.
struct Found {
    function: Function,
    is_test: bool,
}

/// One walk over a file's tree.
struct Walk<'a> {
    file: &'a Path,
    text: &'a str,
    language: Language,
    /// What is around the current node.
    scope: Scope,
    found: Vec<Found>,
}

impl Walk<'_> {
    fn node(&mut self, node: Node) {
        let inside = match node.kind() {
            "function_definition" => {
                let inside = node.child_by_field_name("declarator").and_then(|d| self.definition(d, node));
                // Only a damaged body can hide further functions in C; C++ has lambdas and classes there.
                if !node.has_error() && self.language == Language::C {
                    return;
                }
                inside
            }
            "function_declarator" if self.loose(node) => {
                self.definition(node, node.parent().unwrap_or(node));
                None
            }
            "lambda_expression" if is_spawned(node, self.text) => {
                let name = self.scope.within("{lambda}");
                self.add(name.clone(), node, node, false);
                Some(self.scope.function(&name))
            }
            "preproc_if" if self.condition_is_zero(node) => {
                return node.child_by_field_name("alternative").map(|n| self.node(n)).unwrap_or(());
            }
            _ if self.language == Language::C => None,
            _ => of_scope(node, self.text).map(|name| self.scope.inner(&name)),
        };
        let outer = inside.map(|inside| std::mem::replace(&mut self.scope, inside));
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.node(child);
        }
        if let Some(outer) = outer {
            self.scope = outer;
        }
    }

    /// A declarator in an error node, followed by a body rather than by `;`.
    fn loose(&self, declarator: Node) -> bool {
        let parent = declarator.parent().is_some_and(|p| p.is_error());
        parent && self.text[declarator.end_byte()..].trim_start().starts_with('{')
    }

    fn condition_is_zero(&self, preproc_if: Node) -> bool {
        preproc_if.child_by_field_name("condition").is_some_and(|c| &self.text[c.byte_range()] == "0")
    }

    /// A function with this declarator; what is inside of it.
    fn definition(&mut self, node: Node, whole: Node) -> Option<Scope> {
        let name = self.scope.within(&of_declarator(node, self.text, self.language)?);
        let declared = declarator(node);
        let place = declared.and_then(|d| d.child_by_field_name("declarator")).unwrap_or(node);
        let is_test = name.starts_with("test_") && declared.is_some_and(|d| self.has_test_shape(d));
        self.add(name.clone(), place, whole, is_test);
        Some(self.scope.function(&name))
    }

    fn add(&mut self, name: String, place: Node, whole: Node, is_test: bool) {
        let start = place.start_position();
        let function = Function {
            name,
            file: self.file.to_owned(),
            line: start.row as u32 + 1,
            column: start.column as u32 + 1,
            end_line: whole.end_position().row as u32 + 1,
        };
        if !self.found.iter().any(|f| f.function == function) {
            self.found.push(Found { function, is_test });
        }
    }

    /// `void f(void)` or `void f()`, not static.
    fn has_test_shape(&self, declarator: Node) -> bool {
        let Some(parameters) = declarator.child_by_field_name("parameters") else { return false };
        let inner = self.text[parameters.byte_range()].trim_matches(['(', ')', ' ', '\t', '\n']);
        let Some(parent) = declarator.parent() else { return false };
        let before = &self.text[parent.start_byte()..declarator.start_byte()];
        let mut words = before.split_whitespace();
        (inner.is_empty() || inner == "void")
            && words.clone().any(|w| w == "void")
            && !words.any(|w| w == "static")
    }
}

/// The function declarator inside a declarator. One wrapped in pointers returns a pointer; the
/// function is the same.
pub(super) fn declarator(node: Node) -> Option<Node> {
    match node.kind() {
        "function_declarator" => Some(node),
        "pointer_declarator"
        | "reference_declarator"
        | "parenthesized_declarator"
        | "attributed_declarator" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).find_map(declarator)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
