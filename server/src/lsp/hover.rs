//! Hover: a test shows how it ended, and a variable, a lock or a function shows what the selected execution does with it.
//! Nothing is told of a text that was not explored as it stands, since lines may be others.

mod about;
mod subject;

use super::documents::{Document, Indexed, Waiting};
use super::event::Answer;
use super::executions::{Key, Selected};
use super::main_loop::MainLoop;
use super::sessions::Shown;
use super::to_proto;
use super::word::Word;
use about::About;
use raddle_instrumenter::index::Function;
use std::path::Path;
use tower_lsp::lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

impl MainLoop {
    /// Answers what is known of the word there, when the host has shown the execution that tells it.
    pub(super) fn hover(&mut self, file: &Path, position: Position, answer: Answer<Option<Hover>>) {
        match self.hover_of(file, position) {
            // The editor may have given up.
            Ok(hover) => drop(answer.send(hover)),
            Err(key) => self.wait_for_execution(key, file, Waiting::Hover(position, answer)),
        }
    }

    fn hover_of(&self, file: &Path, position: Position) -> Result<Option<Hover>, Key> {
        let Some(document) = self.documents.get(file) else { return Ok(None) };
        let Some(word) = Word::at(&document.text, position) else { return Ok(None) };
        // One that was read before would be of other lines.
        let indexed = document.indexed.as_ref().filter(|indexed| indexed.text == document.text);
        let text = match indexed.and_then(|indexed| self.verdict(document, indexed, &word)) {
            Some(text) => Some(text),
            None => self.of_selected(document, |shown| about_word(shown, document, indexed, &word))?,
        };
        let markdown = |value| HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Ok(text.map(|text| Hover { contents: markdown(text), range: Some(word.range()) }))
    }

    /// How the test ended whose name this is.
    fn verdict(&self, document: &Document, indexed: &Indexed, word: &Word) -> Option<String> {
        let tests = &indexed.index.tests;
        let test = tests.iter().position(|t| (t.line, t.column) == (word.line, word.column))?;
        let name = about::code(&tests[test].name);
        let connection = self.bridge.connection();
        let all = self.sessions.of(connection, &document.real, &indexed.index);
        let (open, edited) = (self.documents.texts(), self.documents.edited());
        let (words, (of, session)) = match all.get(test)?.as_ref()? {
            Shown::Running(state, _) => {
                return Some(format!("**{name}** is being explored: {}", to_proto::progress_message(state)));
            }
            Shown::Ended(_, id) if self.versions.changed(*id, &open, &edited) => {
                return Some(format!("**{name}**: {}", to_proto::CHANGED));
            }
            Shown::Ended(words, id) => (words, *id),
        };
        let state = self.sessions.get(session).filter(|_| of == connection);
        let mistake = state.and_then(|s| s.failures.first()?.mistake.as_ref());
        let mistake = mistake.map(|m| format!("\n\n{}", about::plain(&m.sentence())));
        let guarantee = state.map(|s| about::plain(&s.guarantee)).filter(|text| !text.is_empty());
        let guarantee = guarantee.map(|text| format!("\n\nGuarantee: {text}"));
        Some(format!("**{name}**: {words}{}{}", mistake.unwrap_or_default(), guarantee.unwrap_or_default()))
    }
}

/// Tells of a word of a text by an execution: of the object that an operation on its line works on, of the variable that
/// is declared there, or of the function that is written or called there.
fn about_word(
    shown: &Selected,
    document: &Document,
    indexed: Option<&Indexed>,
    word: &Word,
) -> Option<String> {
    let about = About { execution: shown.execution, failure: shown.failure, file: &document.real };
    let here = subject::at_line(&about, word);
    if !here.is_empty() {
        return about.objects(&here);
    }
    let index = &indexed?.index;
    let is_here = |line: u32, column: u32| (line, column) == (word.line, word.column);
    if let Some(variable) = index.variables.iter().find(|v| is_here(v.line, v.column)) {
        return about.objects(&subject::of_variable(&about, variable, index));
    }
    let named = |f: &&Function| f.name.rsplit("::").next() == Some(word.text);
    let written = index.functions.iter().find(|f| is_here(f.line, f.column));
    let called = || {
        let mut fitting = index.functions.iter().filter(named);
        fitting.next().filter(|_| word.is_call() && fitting.next().is_none())
    };
    let function = written.or_else(called)?;
    about.function(&function.name, function.line..=function.end_line)
}
