//! Words of a command line as a shell takes them: split into words, and quoted.

use crate::error::{Error, Result};
use std::ffi::OsString;

/// Words as a shell splits them: blanks, quotes, backslashes; nothing is expanded.
pub fn words(option: &str, text: &str) -> Result<Vec<OsString>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(q)) if c == q => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take().map(OsString::from)),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(q) = quote {
        return Err(Error::new(format!("{option}: `{text}` ends inside {q}")).next("close the quote"));
    }
    words.extend(word.map(OsString::from));
    Ok(words)
}

/// A word as a shell takes it back.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=,@#%+".contains(c);
    // A `#` begins a comment only at the start of a word.
    if !word.is_empty() && !word.starts_with('#') && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_like_a_shell() {
        let split = |s: &str| words("--args", s).unwrap();
        assert_eq!(split(r#"-DX=1  '-DY="a b"' -O\ 2 "" "#), ["-DX=1", "-DY=\"a b\"", "-O 2", ""]);
        assert!(split("  ").is_empty());
        assert!(words("--cflags", "'a").unwrap_err().render().contains("--cflags"));
    }
}
