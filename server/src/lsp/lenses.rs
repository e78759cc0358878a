//! What stands above a file's tests and functions: explore (or stop, with how far it is), with what
//! came of it last, and prioritise. A test is named as its file names it, so that a click means the same test whatever was
//! edited since. The arguments also say at which line what they are about ends, for the command at a cursor.

use super::documents::{Document, Indexed};
use super::moved::Moved;
use super::sessions::Shown;
use super::to_proto;
use super::versions::Id;
use raddle_instrumenter::index::{Function, Index, Test};
use raddle_protocol::session::Focus;
use serde_json::{Value, json};
use std::path::Path;
use tower_lsp::lsp_types::{CodeLens, Command, Range};

/// What lenses tell besides what is in the text.
pub struct Told<'a> {
    /// What each test of the text's index shows.
    pub shown: Vec<Option<Shown<'a>>>,
    /// Did a session explore another text than the one that stands?
    pub changed: &'a dyn Fn(Id) -> bool,
    /// What is prioritised.
    pub focus: &'a Focus,
}

/// The lenses of an open text as it stands.
pub fn lenses(file: &Path, document: &Document, told: &Told) -> Vec<CodeLens> {
    let Some(indexed) = &document.indexed else { return Vec::new() };
    // Without a target nothing can be done here.
    let Some(target) = &indexed.target else { return Vec::new() };
    let (index, ranges) = (&indexed.index, Ranges::new(indexed, &document.text));
    let mut lenses = Vec::new();
    for (test, shown) in index.tests.iter().zip(&told.shown) {
        let Some(range) = ranges.of(&test.name, test.line, test.column) else { continue };
        let end = ranges.end(range, test.line, end_of(test, index));
        let explore = |title: String| {
            let at = json!({ "file": file, "line": range.start.line + 1, "column": test.column });
            let argument = json!({
                "target": target, "at": at, "uri": document.uri, "end": end,
                "label": test.name, "test": test.name,
            });
            (title, "raddle.explore", argument)
        };
        let (title, command, argument) = match shown {
            Some(Shown::Running(s, id)) => {
                let title = to_proto::stop_title(s, (told.changed)(*id));
                (title, "raddle.stop", json!({ "session": s.session, "end": end }))
            }
            Some(Shown::Ended(_, id)) if (told.changed)(*id) => {
                explore(format!("Explore interleavings — {}", to_proto::CHANGED))
            }
            Some(Shown::Ended(outcome, _)) => explore(format!("Explore interleavings — {outcome}")),
            None => explore("Explore interleavings".to_string()),
        };
        lenses.push(lens(range, title, command, argument));
    }
    let prioritisable = index.functions.iter().enumerate().filter(|(f, _)| indexed.prioritisable.contains(f));
    for (_, function) in prioritisable {
        let Some(range) = ranges.of(&function.name, function.line, function.column) else { continue };
        let (title, command) = match is_prioritised(&function.name, told.focus) {
            true => ("Stop prioritising", "raddle.unprioritize"),
            false => ("Prioritise", "raddle.prioritize"),
        };
        let end = ranges.end(range, function.line, function.end_line);
        let argument = json!({ "method": function.name, "end": end });
        lenses.push(lens(range, title.to_string(), command, argument));
    }
    lenses
}

/// The test that is written at this line of the text as it stands, from 1: at its name, or in its body.
pub fn test_at(document: &Document, file: &Path, line: u32) -> Option<String> {
    let indexed = document.indexed.as_ref()?;
    let index = &indexed.index;
    let line = match indexed.text == document.text {
        true => line,
        false => Moved::new(&document.text, &indexed.text).line(line)?,
    };
    let named = index.tests.iter().find(|t| t.line == line);
    let around = || {
        let function = index.function_at(file, line)?;
        index.tests.iter().find(|t| is_test(function, t))
    };
    Some(named.or_else(around)?.name.clone())
}

/// Where names of an index are in the text as it stands.
pub struct Ranges<'a> {
    /// Lines of the text that was read, and of the one that stands.
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    /// From the one to the other, where they differ.
    moved: Option<Moved>,
}

impl<'a> Ranges<'a> {
    /// Of what was read, in this text.
    pub fn new(indexed: &'a Indexed, text: &'a str) -> Ranges<'a> {
        let moved = (&*indexed.text != text).then(|| Moved::new(&indexed.text, text));
        Ranges { old: indexed.text.lines().collect(), new: text.lines().collect(), moved }
    }

    /// Of a name that was read there; `None` where its line has gone.
    pub fn of(&self, name: &str, line: u32, column: u32) -> Option<Range> {
        let new = self.moved.as_ref().map_or(Some(line), |m| m.line(line))?;
        let text = |lines: &[&'a str], line: u32| lines.get(line as usize - 1).copied().unwrap_or_default();
        let word = name.rsplit("::").next().unwrap_or(name);
        // A C file's `main` is a test of the file's name.
        let there = text(&self.old, line).get(column as usize - 1..).unwrap_or_default();
        let word = if there.starts_with(word) { word } else { "main" };
        Some(to_proto::word_range(text(&self.new, new), new, column, word))
    }

    /// The last line, from 1, of what began at `line` and ended at `end` when it was read, and
    /// begins here now. A last line that cannot be followed has kept its distance.
    pub fn end(&self, name: Range, line: u32, end: u32) -> u32 {
        let begins = name.start.line + 1;
        let moved = self.moved.as_ref().map_or(Some(end), |m| m.line(end));
        moved.filter(|end| *end >= begins).unwrap_or(begins + end.saturating_sub(line))
    }
}

fn lens(range: Range, title: String, command: &str, argument: Value) -> CodeLens {
    let command = Command { title, command: command.to_string(), arguments: Some(vec![argument]) };
    CodeLens { range, command: Some(command), data: None }
}

/// The last line of a test, in the text that was read.
pub fn end_of(test: &Test, index: &Index) -> u32 {
    let function = index.functions.iter().find(|f| is_test(f, test));
    function.map_or(test.line, |f| f.end_line)
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
