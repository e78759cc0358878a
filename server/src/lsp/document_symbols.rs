//! The tests of a text as the editor has it, with the ranges that their lenses have.

use super::documents::Document;
use super::lenses::{self, Ranges};
use super::main_loop::MainLoop;
use std::path::Path;
use tower_lsp::lsp_types::{
    DocumentSymbol, DocumentSymbolResponse, Location, Position, Range, SymbolInformation, SymbolKind, Url,
};

impl MainLoop {
    /// Those of an open text; in a list for an editor that takes no more.
    pub(super) fn symbols_of(&self, file: &Path) -> DocumentSymbolResponse {
        let document = self.documents.get(file);
        let symbols = document.map(symbols).unwrap_or_default();
        match document {
            Some(document) if !self.abilities.symbol_ranges => {
                DocumentSymbolResponse::Flat(symbols.into_iter().map(|s| flat(s, &document.uri)).collect())
            }
            _ => DocumentSymbolResponse::Nested(symbols),
        }
    }
}

fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let Some(indexed) = document.indexed.as_ref().filter(|i| i.target.is_some()) else { return Vec::new() };
    let ranges = Ranges::new(indexed, &document.text);
    let lines: Vec<&str> = document.text.lines().collect();
    let symbol = |test: &raddle_instrumenter::index::Test| {
        let name = ranges.of(&test.name, test.line, test.column)?;
        let end = ranges.end(name, test.line, lenses::end_of(test, &indexed.index));
        Some(of_test(&test.name, name, end, &lines))
    };
    indexed.index.tests.iter().filter_map(symbol).collect()
}

/// A test with its name there, whose last line is this one, from 1.
fn of_test(name: &str, at: Range, end: u32, lines: &[&str]) -> DocumentSymbol {
    let row = end.saturating_sub(1).max(at.end.line);
    let columns = lines.get(row as usize).map_or(0, |line| line.encode_utf16().count() as u32);
    let end = Position::new(row, columns).max(at.end);
    // `deprecated` is a field that is deprecated itself.
    #[allow(deprecated)]
    DocumentSymbol {
        name: name.to_string(),
        detail: None,
        kind: SymbolKind::FUNCTION,
        tags: None,
        deprecated: None,
        range: Range::new(Position::new(at.start.line, 0), end),
        selection_range: at,
        children: None,
    }
}

fn flat(symbol: DocumentSymbol, uri: &Url) -> SymbolInformation {
    let location = Location { uri: uri.clone(), range: symbol.range };
    #[allow(deprecated)]
    SymbolInformation {
        name: symbol.name,
        kind: symbol.kind,
        tags: None,
        deprecated: None,
        location,
        container_name: None,
    }
}
