//! The tests and functions of a C file, by tree-sitter.
//!
//! tree-sitter keeps going where a compiler would stop, which suits a file that is being edited
//! and one whose `#ifdef`s no one has decided yet. What it cannot make a function of (two arms of
//! an `#ifdef` that share one body) it leaves in an error node, and [`Walk::loose`] finds the
//! declarator there.

use crate::index::{Function, Index, Test};
use std::path::Path;
use tree_sitter::{Node, Parser};

/// Reads and indexes one file.
pub fn index(file: &Path) -> std::io::Result<Index> {
    let bytes = std::fs::read(file)?;
    Ok(index_source(file, &String::from_utf8_lossy(&bytes)))
}

/// Indexes a file's text: with a `main` it is one test, named after the file; without one, every
/// `void test_*(void)` with external linkage is a test.
pub fn index_source(file: &Path, text: &str) -> Index {
    let mut parser = Parser::new();
    let mut index = Index::default();
    let tree = match parser.set_language(&tree_sitter_c::LANGUAGE.into()) {
        Ok(()) => parser.parse(text, None),
        Err(_) => None,
    };
    let Some(tree) = tree else {
        let message = "the C grammar could not be loaded".to_string();
        index.problems.push(crate::index::Problem { file: file.to_owned(), message });
        return index;
    };
    let mut walk = Walk { file, text, found: Vec::new() };
    walk.node(tree.root_node());
    let found = walk.found;
    index.tests = match found.iter().find(|f| f.function.name == "main") {
        Some(main) => vec![test(stem(file), &main.function)],
        None => tests(&found),
    };
    index.functions = found.into_iter().map(|f| f.function).collect();
    index
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
    found: Vec<Found>,
}

impl Walk<'_> {
    fn node(&mut self, node: Node) {
        match node.kind() {
            "function_definition" => {
                if let Some(d) = node.child_by_field_name("declarator").and_then(declarator) {
                    self.function(d, node);
                }
                // Only a damaged body can hide further functions.
                if !node.has_error() {
                    return;
                }
            }
            "function_declarator" if self.loose(node) => {
                self.function(node, node.parent().unwrap_or(node));
            }
            "preproc_if" if self.condition_is_zero(node) => {
                return node.child_by_field_name("alternative").map(|n| self.node(n)).unwrap_or(());
            }
            _ => {}
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.node(child);
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

    fn function(&mut self, declarator: Node, whole: Node) {
        let Some(name) = declarator.child_by_field_name("declarator") else { return };
        let text = &self.text[name.byte_range()];
        let start = name.start_position();
        let function = Function {
            name: text.to_string(),
            file: self.file.to_owned(),
            line: start.row as u32 + 1,
            column: start.column as u32 + 1,
            end_line: whole.end_position().row as u32 + 1,
        };
        let is_test = text.starts_with("test_") && self.has_test_shape(declarator);
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
        "pointer_declarator" | "parenthesized_declarator" | "attributed_declarator" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).find_map(declarator)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write;

    fn check(text: &str, expected: Expect) {
        let index = index_source(Path::new("queue.c"), text);
        let mut out = String::new();
        for t in &index.tests {
            writeln!(out, "test {} {}:{}", t.name, t.line, t.column).unwrap();
        }
        for f in &index.functions {
            writeln!(out, "fn {} {}:{}-{}", f.name, f.line, f.column, f.end_line).unwrap();
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn main_is_one_test_named_after_the_file() {
        check(
            "int helper(void);\nstatic void *worker(void *arg) {\n  return arg;\n}\nvoid test_x(void) {}\nint main(void)\n{\n  return 0;\n}\n",
            expect![[r#"
                test queue 6:5
                fn worker 2:14-4
                fn test_x 5:6-5
                fn main 6:5-9
            "#]],
        );
    }

    #[test]
    fn without_main_every_test_function_is_a_test() {
        check(
            "#include \"raddle.h\"\nvoid test_a(void) {}\nvoid test_b() {}\nstatic void test_static(void) {}\nint test_int(void) { return 1; }\nvoid test_args(int n) {}\nvoid test_declared(void);\n",
            expect![[r#"
                test test_a 2:6
                test test_b 3:6
                fn test_a 2:6-2
                fn test_b 3:6-3
                fn test_static 4:13-4
                fn test_int 5:5-5
                fn test_args 6:6-6
            "#]],
        );
    }

    #[test]
    fn conditional_code_and_macros() {
        check(
            r#"#define UNUSED __attribute__((unused))
#define DECLARE(T) struct T##_list { T *head; };
DECLARE(int)
#if 0
void test_disabled(void) { }
#else
void test_enabled(void) { }
#endif
#ifdef FAST
void test_arm(void) { fast(); }
#else
void test_arm(void) { slow(); }
#endif
UNUSED static int *find(int k) { return 0; }
void test_é(void) { FOR_EACH(x, list) { use(x); } }
"#,
            expect![[r#"
                test test_enabled 7:6
                test test_arm 10:6
                test test_é 15:6
                fn test_enabled 7:6-7
                fn test_arm 10:6-10
                fn test_arm 12:6-12
                fn find 14:20-14
                fn test_é 15:6-15
            "#]],
        );
    }

    #[test]
    fn arms_that_share_a_body() {
        check(
            r#"#ifdef _WIN32
int wmain(int argc, wchar_t **argv) {
#else
int main(int argc, char **argv) {
#endif
    run();
    return 0;
}
void after(void) { }
"#,
            expect![[r#"
                test queue 4:5
                fn wmain 2:5-9
                fn main 4:5-8
                fn after 9:6-9
            "#]],
        );
    }

    #[test]
    fn a_file_being_edited() {
        check(
            "int counter\nvoid test_a(void) { counter++; \nvoid test_b(void) { }\n",
            expect![[r#"
            test test_a 2:6
            test test_b 3:6
            fn test_a 2:6-3
            fn test_b 3:6-3
        "#]],
        );
    }
}
