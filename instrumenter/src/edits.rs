//! Textual edits of a source file: insertions by byte offset that never add or remove a line, and
//! the table that maps columns of the edited text back to those of the file as it was written.
//!
//! Both languages edit this way. What is inserted is ASCII without a line break, so that a column
//! counted in bytes (DWARF of C compilers) and one counted in characters (Rust's `Location`)
//! shift by the same number, and every line number stays the original one.

use serde::{Deserialize, Serialize};

/// Insertions into one file, in the order of their offsets; of several at one offset, in the
/// order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    insertions: Vec<Insertion>,
}

/// One piece of inserted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// Byte offset in the original text: the piece stands before this byte.
    pub at: usize,
    /// What is inserted: ASCII, no line break.
    pub text: String,
}

impl Edits {
    /// None yet.
    pub fn new() -> Self {
        Edits::default()
    }

    /// Inserts before the byte at `at`, behind everything inserted there before.
    ///
    /// # Panics
    /// When the text has a line break or is not ASCII: the caller made it, no user did.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        let text = text.into();
        assert!(text.is_ascii() && !text.contains(['\n', '\r']), "not one line of ASCII: {text:?}");
        if text.is_empty() {
            return;
        }
        let behind = self.insertions.partition_point(|i| i.at <= at);
        self.insertions.insert(behind, Insertion { at, text });
    }

    /// All of them, in order.
    pub fn insertions(&self) -> &[Insertion] {
        &self.insertions
    }

    /// Is nothing inserted?
    pub fn is_empty(&self) -> bool {
        self.insertions.is_empty()
    }

    /// The edited text of the file whose original text is `source`.
    ///
    /// # Panics
    /// When an offset is not between two characters of `source`.
    pub fn apply(&self, source: &str) -> String {
        let inserted: usize = self.insertions.iter().map(|i| i.text.len()).sum();
        let mut out = String::with_capacity(source.len() + inserted);
        let mut done = 0;
        for i in &self.insertions {
            out.push_str(&source[done..i.at]);
            out.push_str(&i.text);
            done = i.at;
        }
        out.push_str(&source[done..]);
        out
    }

    /// The original text, from an edited one; `None` when it does not have these insertions.
    pub fn remove(&self, edited: &str) -> Option<String> {
        let mut out = String::with_capacity(edited.len());
        let mut rest = edited;
        for i in &self.insertions {
            let (before, after) = rest.split_at_checked(i.at - out.len())?;
            out.push_str(before);
            rest = after.strip_prefix(i.text.as_str())?;
        }
        out.push_str(rest);
        Some(out)
    }

    /// Where columns shift, and by how much.
    pub fn columns(&self, source: &str) -> Columns {
        let mut shifts = Vec::new();
        let (mut line, mut start) = (1, 0);
        for i in &self.insertions {
            while let Some(n) = source[start..i.at].find('\n') {
                line += 1;
                start += n + 1;
            }
            let before = &source[start..i.at];
            let (bytes, chars) = (before.len() as u32, before.chars().count() as u32);
            shifts.push(Shift { line, bytes, chars, len: i.text.len() as u32 });
        }
        Columns { shifts }
    }
}

/// The columns of an edited file, for mapping them back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    /// In the order of places.
    shifts: Vec<Shift>,
}

/// One insertion, as far as columns are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Shift {
    /// Line, from 1.
    line: u32,
    /// Bytes of the original line before it.
    bytes: u32,
    /// Characters of the original line before it.
    chars: u32,
    /// Bytes (and characters) inserted.
    len: u32,
}

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes: DWARF line tables.
    Bytes,
    /// Characters: Rust's `Location`.
    Chars,
}

impl Columns {
    /// The column (from 1) in the original file of a column in the edited one. A place inside
    /// inserted text becomes the place where that text was inserted. 0, unknown, stays 0.
    pub fn original(&self, line: u32, column: u32, unit: Unit) -> u32 {
        let first = self.shifts.partition_point(|s| s.line < line);
        let mut inserted = 0;
        for s in self.shifts[first..].iter().take_while(|s| s.line == line) {
            let before = if unit == Unit::Bytes { s.bytes } else { s.chars };
            // The first column of the inserted text is the one that the next character had.
            if column <= before + inserted {
                break;
            }
            if column <= before + inserted + s.len {
                return before + 1;
            }
            inserted += s.len;
        }
        column - inserted.min(column)
    }

    /// Is there no shift?
    pub fn is_empty(&self) -> bool {
        self.shifts.is_empty()
    }

    /// With other numbers for the lines; those that get none are left out. Where two lines get the
    /// same number, the first one counts.
    pub fn moved(&self, number: impl Fn(u32) -> Option<u32>) -> Columns {
        let mut shifts: Vec<Shift> = Vec::new();
        let mut taken = std::collections::BTreeMap::new();
        for s in &self.shifts {
            if let Some(line) = number(s.line)
                && *taken.entry(line).or_insert(s.line) == s.line
            {
                shifts.push(Shift { line, ..*s });
            }
        }
        // Stable: the shifts of one line stay in their order.
        shifts.sort_by_key(|s| s.line);
        Columns { shifts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edits(insertions: &[(usize, &str)]) -> Edits {
        let mut edits = Edits::new();
        for (at, text) in insertions {
            edits.insert(*at, *text);
        }
        edits
    }

    #[test]
    fn columns_map_back_in_bytes_and_characters() {
        let source = "a\né = b(c);\n";
        let edits = edits(&[(7, "<1>"), (2, "<2>"), (7, "<3>")]);
        assert_eq!(edits.apply(source), "a\n<2>é = <1><3>b(c);\n");
        let columns = edits.columns(source);
        let chars = |column| columns.original(2, column, Unit::Chars);
        assert_eq!((chars(1), chars(3), chars(4), chars(5)), (1, 1, 1, 2));
        assert_eq!((chars(7), chars(8), chars(13), chars(14), chars(15)), (4, 5, 5, 5, 6));
        assert_eq!(columns.original(2, 15, Unit::Bytes), 6);
        assert_eq!(columns.original(1, 1, Unit::Chars), 1);
        assert_eq!(columns.original(2, 0, Unit::Chars), 0);
    }

    #[test]
    fn lines_can_be_numbered_anew() {
        let source = "ab\nab\nab\nab\n";
        let columns = edits(&[(1, "<1>"), (4, "<22>"), (7, "<333>"), (10, "<4444>")]).columns(source);
        // The second and the fourth line are both the seventh, the third is none.
        let moved = columns.moved(|line| [Some(9), Some(7), None, Some(7)][line as usize - 1]);
        let at = |line, column| moved.original(line, column, Unit::Bytes);
        assert_eq!((at(9, 5), at(7, 6), at(7, 7), at(1, 5), at(3, 7)), (2, 2, 3, 5, 7));
        assert!(!moved.is_empty() && columns.moved(|_| None).is_empty());
    }

    proptest! {
        /// Removing what was inserted gives the original, lines stay where they are, and every
        /// character of the original has its own column again.
        #[test]
        fn edits_can_be_undone(
            source in "[aé\n ]{0,60}",
            wanted in prop::collection::vec((0usize..70, "[a-z{};]{0,5}"), 0..12),
        ) {
            let mut edits = Edits::new();
            for (at, text) in wanted {
                let at = (0..=at.min(source.len())).rev().find(|a| source.is_char_boundary(*a)).unwrap();
                edits.insert(at, text);
            }
            let edited = edits.apply(&source);
            prop_assert_eq!(edits.remove(&edited), Some(source.clone()));
            prop_assert_eq!(edited.matches('\n').count(), source.matches('\n').count());
            let columns = edits.columns(&source);
            let mut shift = 0;
            let mut next = edits.insertions().iter().peekable();
            for (at, _) in source.char_indices() {
                while let Some(i) = next.next_if(|i| i.at <= at) {
                    shift += i.text.len();
                }
                let (line, bytes, chars) = place(&source, at);
                let (in_line, edited_bytes, edited_chars) = place(&edited, at + shift);
                prop_assert_eq!(line, in_line);
                prop_assert_eq!(columns.original(line, edited_bytes, Unit::Bytes), bytes);
                prop_assert_eq!(columns.original(line, edited_chars, Unit::Chars), chars);
            }
        }
    }

    /// Line and column, in bytes and in characters, of an offset.
    fn place(text: &str, at: usize) -> (u32, u32, u32) {
        let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
        let line = text[..at].matches('\n').count() + 1;
        (line as u32, (at - start) as u32 + 1, text[start..at].chars().count() as u32 + 1)
    }
}
