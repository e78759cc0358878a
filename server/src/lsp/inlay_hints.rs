//! Inlay hints beside the lines of a failure: the values that the deciding operations read, and where threads were
//! preempted. It is that of the execution which was selected last, as long as the text is the one that was explored.

use super::documents::Waiting;
use super::event::Answer;
use super::executions::{Key, Selected};
use super::main_loop::MainLoop;
use crate::terminal::text::circled;
use raddle_protocol::explanation::Operation;
use raddle_protocol::interleaving::Step;
use raddle_protocol::report::Location;
use std::collections::BTreeMap;
use std::path::Path;
use tower_lsp::lsp_types::{InlayHint, InlayHintLabel, InlayHintTooltip, Position, Range};

/// Operations that only change their object, or give it back.
const READ_NOTHING: [&str; 5] = ["store", "write", "unlock", "read-unlock", "write-unlock"];

impl MainLoop {
    /// Answers what is written beside these lines, when the host has shown the execution that tells it.
    pub(super) fn hints(&mut self, file: &Path, range: Range, answer: Answer<Vec<InlayHint>>) {
        match self.hints_of(file, range) {
            // The editor may have given up.
            Ok(hints) => drop(answer.send(hints)),
            Err(key) => self.wait_for_execution(key, file, Waiting::Hints(range, answer)),
        }
    }

    fn hints_of(&self, file: &Path, range: Range) -> Result<Vec<InlayHint>, Key> {
        let Some(document) = self.documents.get(file) else { return Ok(Vec::new()) };
        let told = self.of_selected(document, |shown| {
            let all = hints(shown, &document.real, &document.text);
            (!all.is_empty()).then_some(all)
        })?;
        let is_asked = |hint: &InlayHint| (range.start.line..=range.end.line).contains(&hint.position.line);
        Ok(told.into_iter().flatten().filter(is_asked).collect())
    }
}

/// Those of a file, one at the end of each line that has any.
fn hints(shown: &Selected, file: &Path, text: &str) -> Vec<InlayHint> {
    let mut lines: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut add = |at: &Option<Location>, words: String| {
        if let Some(at) = at.as_ref().filter(|at| Path::new(&at.file) == file) {
            let line = lines.entry(at.line).or_default();
            if !line.contains(&words) {
                line.push(words);
            }
        }
    };
    for step in &shown.execution.events {
        if let Some(p) = &step.preemption {
            add(&p.before, format!("{} T{} preempted here", circled(p.number), p.thread));
        }
    }
    let deciding = deciding(shown);
    for step in shown.execution.events.iter().filter(|step| deciding.contains(&(step.event as usize))) {
        if let Some(value) = read(step) {
            add(&step.location, format!("{value} (T{})", step.thread));
        }
    }
    let contents: Vec<&str> = text.lines().collect();
    let hint = |(line, words): (u32, Vec<String>)| {
        let row = line.checked_sub(1)?;
        let end = contents.get(row as usize)?.trim_end().encode_utf16().count() as u32;
        Some(InlayHint {
            position: Position::new(row, end),
            label: InlayHintLabel::String(words.join(" · ")),
            kind: None,
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(format!("In the schedule {}", shown.execution.schedule))),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        })
    };
    lines.into_iter().filter_map(hint).collect()
}

/// The events of the operations that decide, or race.
fn deciding(shown: &Selected) -> Vec<usize> {
    let Some(failure) = shown.failure else { return Vec::new() };
    let orders = failure.deciding.iter().filter_map(|d| d.order.as_ref()).chain(&failure.unordered);
    let choices = failure.deciding.iter().filter_map(|d| d.choice.as_ref()).map(|c| &c.at);
    let operations = orders.flat_map(|o| [&o.first, &o.then]).chain(choices);
    operations.filter_map(|o: &Operation| o.event).collect()
}

/// `counter = 0`: what an operation read, as its words say it.
fn read(step: &Step) -> Option<&str> {
    if step.object.is_empty() || READ_NOTHING.contains(&step.operation.as_str()) {
        return None;
    }
    let at = step.text.find(&format!(" {}", step.object))?;
    let words = step.text[at..].trim_start();
    let value = words.get(step.object.len()..)?;
    (value.starts_with(" = ") || value.starts_with(": ") || value.starts_with(" (was ")).then_some(words)
}

#[cfg(test)]
mod tests;
