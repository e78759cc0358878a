//! The word at a position, as editors name positions: lines from 0, columns in UTF-16 units.

use super::to_proto;
use tower_lsp::lsp_types::{Position, Range};

/// A word of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// The word.
    pub text: &'t str,
    /// The line that it is in.
    pub content: &'t str,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1, in bytes.
    pub column: u32,
}

impl<'t> Word<'t> {
    /// The word that this position is in or right behind.
    pub fn at(text: &'t str, position: Position) -> Option<Word<'t>> {
        let content = text.lines().nth(position.line as usize)?;
        let at = byte(content, position.character);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let from = content[..at].rfind(|c| !is_word(c));
        let from = from.map_or(0, |i| i + content[i..].chars().next().map_or(0, char::len_utf8));
        let to = content[at..].find(|c| !is_word(c)).map_or(content.len(), |i| at + i);
        let text = &content[from..to];
        let begins = text.chars().next()?;
        let word = Word { text, content, line: position.line + 1, column: from as u32 + 1 };
        (!begins.is_numeric()).then_some(word)
    }

    /// Where it is.
    pub fn range(&self) -> Range {
        to_proto::word_range(self.content, self.line, self.column, self.text)
    }

    /// Does it stand for a function that is called there? A method of another object may have the same name.
    pub fn is_call(&self) -> bool {
        let from = self.column as usize - 1;
        let (before, behind) = (&self.content[..from], &self.content[from + self.text.len()..]);
        let of_another = before.ends_with('.') && !before.ends_with("self.") || before.ends_with("->");
        behind.starts_with('(') && !of_another
    }
}

/// The byte at a column of a line; behind its end, its end.
fn byte(content: &str, column: u32) -> usize {
    let mut left = column as usize;
    for (at, c) in content.char_indices() {
        if left < c.len_utf16() {
            return at;
        }
        left -= c.len_utf16();
    }
    content.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_at_their_ends_too() {
        let text = "one\n/* 🦀 */ self.lock(näher, a->lock());";
        let check = |line, character, expected: Option<(&str, u32)>| {
            let word = Word::at(text, Position::new(line, character));
            assert_eq!(word.as_ref().map(|w| (w.text, w.column)), expected, "{line}:{character}");
            word
        };
        check(0, 0, Some(("one", 1)));
        check(0, 3, Some(("one", 1)));
        check(0, u32::MAX, Some(("one", 1)));
        check(u32::MAX, 0, None);
        check(1, 1, None);
        // The crab counts two, and has four bytes.
        let lock = check(1, 14, Some(("lock", 17))).unwrap();
        assert_eq!(lock.range(), Range::new(Position::new(1, 14), Position::new(1, 18)));
        assert!(lock.is_call());
        check(1, 20, Some(("näher", 22)));
        assert!(!check(1, 30, Some(("lock", 33))).unwrap().is_call(), "of another object");
    }

    #[test]
    fn numbers_are_no_words() {
        assert_eq!(Word::at("a = 12;", Position::new(0, 5)), None);
        assert_eq!(Word::at("", Position::new(0, 0)), None);
    }
}
