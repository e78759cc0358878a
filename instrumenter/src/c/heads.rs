//! The functions of a C file by its tokens alone, for those that the grammar does not read: macros
//! among the words of a head (`int ZEXPORT inflate(strm) z_streamp strm; {`), arms of an `#ifdef`
//! inside of one, or a damaged text before it.
//!
//! A function is a name, parentheses, and a `{` outside of all others. Every arm of an `#if` begins
//! with the braces that were open at the `#if`, and behind the `#endif` it is as at the end of the
//! first arm; so arms that share a brace do no harm.

use super::tokens::{Scan, Token};

/// A function found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Its name; with a macro's arguments, where it is one in the place of a head.
    pub(super) name: String,
    /// Where its head begins.
    pub(super) start: usize,
    /// Its `{`.
    pub(super) open: usize,
    /// Behind its `}`.
    pub(super) end: usize,
}

/// All functions of a text.
pub(super) fn heads(text: &str) -> Vec<Head> {
    Scan::run(text).into_iter().filter(|h| h.end > h.open).collect()
}

impl Scan<'_> {
    /// The function whose body begins behind the tokens read so far: its name and where it starts.
    pub(super) fn head(&self) -> Option<(String, usize)> {
        let tokens = &self.here.tokens;
        let old = matches!(tokens.last(), Some(Token::End));
        let mut statements = tokens.split(|t| matches!(t, Token::End)).rev();
        let mut last = statements.next()?;
        if old {
            // Declarations of parameters; before them the names.
            last = statements.take(64).find(|s| self.named(s, true).is_some())?;
        }
        let Token::Word(start, first) = last.first()? else { return None };
        let assigned = last.iter().any(|t| matches!(t, Token::Sign(b'=' | b'[' | b'{' | b':')));
        if assigned || &self.text[*start..*first] == "typedef" {
            return None;
        }
        let (n, old_style) = self.named(last, old)?;
        let (Token::Word(a, b), Token::Group { end, .. }) = (&last[n], &last[n + 1]) else { return None };
        let name = &self.text[*a..*b];
        let kind = &self.text[*start..*first];
        let behind = last.len() > n + 2;
        // `struct ALIGNED(8) entry {`.
        if !old_style && behind && matches!(kind, "struct" | "union" | "enum") {
            return None;
        }
        let whole = n == 0 && !name.chars().any(char::is_lowercase);
        let shown = if whole { &self.text[*a..*end] } else { name };
        Some((shown.split_whitespace().collect::<Vec<_>>().join(" "), *start))
    }

    /// Which token of a head is the name: a word before a group. Of several the last one that is
    /// not in capitals, as macros are.
    fn named(&self, tokens: &[Token], old: bool) -> Option<(usize, bool)> {
        let is = |n: &usize| match (&tokens[*n], &tokens[*n + 1]) {
            (Token::Word(a, b), Token::Group { plain, .. }) => {
                !NO_NAMES.contains(&&self.text[*a..*b]) && (!old || (*plain && *n + 2 < tokens.len()))
            }
            _ => false,
        };
        let candidates: Vec<usize> = (0..tokens.len().saturating_sub(1)).filter(is).collect();
        let small = |n: &&usize| match tokens[**n] {
            Token::Word(a, b) => self.text[a..b].chars().any(char::is_lowercase),
            _ => false,
        };
        let chosen = candidates.iter().rev().find(small).or(candidates.first());
        chosen.map(|n| (*n, old))
    }
}

/// Words before parentheses that are no names of functions.
const NO_NAMES: [&str; 16] = [
    "__attribute__",
    "__attribute",
    "__declspec",
    "__asm__",
    "__asm",
    "asm",
    "_Alignas",
    "alignas",
    "typeof",
    "__typeof__",
    "if",
    "while",
    "for",
    "switch",
    "sizeof",
    "return",
];
