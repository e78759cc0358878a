//! A file's text by lines and columns: syn counts characters, compilers and editors bytes.

use proc_macro2::Span;

/// One file's text.
#[derive(Default)]
pub struct Text {
    text: String,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl Text {
    /// Of this text.
    pub fn new(text: &str) -> Text {
        let newlines = memchr::memchr_iter(b'\n', text.as_bytes());
        Text { text: text.to_string(), starts: std::iter::once(0).chain(newlines.map(|n| n + 1)).collect() }
    }

    /// The offset of a line from 1 and a column from 0 in characters.
    fn offset(&self, line: usize, chars: usize) -> usize {
        let start = line.checked_sub(1).and_then(|l| self.starts.get(l)).copied().unwrap_or(self.text.len());
        let rest = self.text.get(start..).unwrap_or_default();
        start + rest.char_indices().nth(chars).map_or(rest.len(), |(at, _)| at)
    }

    /// Where a span starts: line, column in bytes, column in characters, all from 1.
    pub fn place(&self, span: Span) -> (u32, u32, u32) {
        let at = span.start();
        let start = self.starts.get(at.line.saturating_sub(1)).copied().unwrap_or_default();
        let bytes = self.offset(at.line, at.column) - start;
        (at.line as u32, bytes as u32 + 1, at.column as u32 + 1)
    }

    /// What a span covers.
    pub fn slice(&self, span: Span) -> &str {
        let (start, end) = (span.start(), span.end());
        self.text
            .get(self.offset(start.line, start.column)..self.offset(end.line, end.column))
            .unwrap_or_default()
    }
}
