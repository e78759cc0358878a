//! What stands above a file's tests and functions: explore (or stop, with how far it is), with what
//! came of it last, and prioritise. Commands are the editor's extension's.

use super::documents::{Document, Indexed, Moved};
use super::sessions::{Sessions, Shown};
use super::to_proto;
use raddle_instrumenter::index::{Function, Index, Test};
use raddle_protocol::session::Focus;
use serde_json::{Value, json};
use std::path::Path;
use tower_lsp::lsp_types::{CodeLens, Command, Range};

/// The lenses of an open text as it stands.
pub fn lenses(file: &Path, document: &Document, sessions: &Sessions, focus: &Focus) -> Vec<CodeLens> {
    let Some(indexed) = &document.indexed else { return Vec::new() };
    // Without a target nothing can be done here.
    let Some(target) = &indexed.target else { return Vec::new() };
    let moved = (indexed.text != document.text).then(|| Moved::new(&indexed.text, &document.text));
    let at = |line: u32| moved.as_ref().map_or(Some(line), |m| m.line(line));
    let index = &indexed.index;
    let shown = sessions.of(file, index);
    let mut lenses = Vec::new();
    for (test, shown) in index.tests.iter().zip(shown) {
        let Some(line) = at(test.line) else { continue };
        let (title, command, argument) = match shown {
            Some(Shown::Running(state)) => {
                (to_proto::stop_title(state), "raddle.stop", json!({ "session": state.session }))
            }
            other => {
                let title = match other {
                    Some(Shown::Ended(outcome)) => format!("Explore interleavings — {outcome}"),
                    _ => "Explore interleavings".to_string(),
                };
                let place = json!({ "file": file, "line": line, "column": test.column });
                let argument =
                    json!({ "target": target, "at": place, "test": test.name, "uri": document.uri });
                (title, "raddle.explore", argument)
            }
        };
        lenses.push(lens(
            range(indexed, document, test.line, line, test.column, &test.name),
            title,
            command,
            argument,
        ));
    }
    for function in prioritisable(index) {
        let Some(line) = at(function.line) else { continue };
        let (title, command) = if is_prioritised(&function.name, focus) {
            ("Stop prioritising", "raddle.unprioritize")
        } else {
            ("Prioritise", "raddle.prioritize")
        };
        let range = range(indexed, document, function.line, line, function.column, &function.name);
        lenses.push(lens(range, title.to_string(), command, json!({ "method": function.name })));
    }
    lenses
}

/// The test that is written at this line of this text, from 1: at its name, or in its body.
pub fn test_at(document: &Document, file: &Path, line: u32) -> Option<String> {
    let indexed = document.indexed.as_ref()?;
    let index = &indexed.index;
    let named = index.tests.iter().find(|t| t.line == line);
    let around = || {
        let function = index.function_at(file, line)?;
        index.tests.iter().find(|t| is_test(function, t))
    };
    Some(named.or_else(around)?.name.clone())
}

fn range(indexed: &Indexed, document: &Document, old: u32, line: u32, column: u32, name: &str) -> Range {
    let word = name.rsplit("::").next().unwrap_or(name);
    // The whole file is the test of a C file's main.
    let there = indexed.text.lines().nth(old as usize - 1).and_then(|l| l.get(column as usize - 1..));
    let word = if there.is_some_and(|t| t.starts_with(word)) { word } else { "main" };
    to_proto::word_range(&document.text, line, column, word)
}

fn lens(range: Range, title: String, command: &str, argument: Value) -> CodeLens {
    let command = Command { title, command: command.to_string(), arguments: Some(vec![argument]) };
    CodeLens { range, command: Some(command), data: None }
}

/// Functions with schedule points, tests left out.
fn prioritisable(index: &Index) -> impl Iterator<Item = &Function> {
    index
        .functions
        .iter()
        .filter(|f| index.sites_in(f).next().is_some() && !index.tests.iter().any(|t| is_test(f, t)))
}

fn is_test(function: &Function, test: &Test) -> bool {
    (function.line, function.column) == (test.line, test.column)
}

/// Focus names functions by the ends of their names, and an index of one file does not know the
/// modules around it: either may be longer.
fn is_prioritised(function: &str, focus: &Focus) -> bool {
    focus.methods.iter().any(|m| ends_with(function, m) || ends_with(m, function))
}

/// Is the one the other's last parts?
pub fn ends_with(name: &str, end: &str) -> bool {
    name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prioritised_by_the_end_of_the_name() {
        let check = |function: &str, focus: &str, expected: bool| {
            let focus = Focus { methods: vec![focus.to_string()], ..Default::default() };
            assert_eq!(is_prioritised(function, &focus), expected, "{function} {focus:?}");
        };
        check("Bank::transfer", "transfer", true);
        check("Bank::transfer", "money::Bank::transfer", true);
        check("Bank::transfer", "Bank::transfer", true);
        check("Bank::retransfer", "transfer", false);
        check("transfer", "Bank::audit", false);
    }
}
