//! Text of the program under test, made fit for a screen, and for a file that others show: what a reader would not see, and
//! what a format cannot hold, becomes visible.

/// The same text with control characters as their pictures (`␛`), and what changes the direction of the
/// text around it, or is no character, as its number. Line ends and tabs stay.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            // Of a line end of two characters one is enough.
            '\r' => out.push('␍'),
            '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('�')),
            '\u{7f}' => out.push('␡'),
            c if is_hidden(c) => out += &format!("\\u{{{:x}}}", c as u32),
            c => out.push(c),
        }
    }
    out.replace("␍\n", "\n")
}

/// Of no width, or of a say about their neighbours, or not a character in XML.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// At most so many bytes: the first and the last half, with a line between them that says what is missing.
pub fn bounded(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_string();
    }
    let head = text.floor_char_boundary(most / 2);
    let tail = text.ceil_char_boundary(text.len() - most / 2);
    format!("{}\n… {} bytes left out …\n{}", &text[..head], tail - head, &text[tail..])
}

/// The first line, at most so many characters of it.
pub fn first_line(text: &str, most: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    shortened(line.trim_end(), most)
}

/// At most so many characters, the last one an ellipsis where there are more.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_becomes_visible() {
        assert_eq!(
            visible("a\x1b[31mb\r\nc\td\0\u{202e}e\u{7f}\u{85}\rf"),
            "a␛[31mb\nc\td␀\\u{202e}e␡\\u{85}␍f"
        );
        assert_eq!(visible("plain äöü ① → ≤"), "plain äöü ① → ≤");
    }

    #[test]
    fn long_texts_keep_their_ends() {
        assert_eq!(bounded("abc", 3), "abc");
        assert_eq!(bounded("äbcdefgh", 4), "ä\n… 5 bytes left out …\ngh");
        assert_eq!(shortened("abcd", 4), "abcd");
        assert_eq!(shortened("abcde", 4), "abc…");
        assert_eq!(first_line("\n a b \n c", 9), "a b");
    }
}
