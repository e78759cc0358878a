//! Text in lines of so many columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of a text.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The longest beginning that has at most so many columns: where it ends.
fn beginning(text: &str, columns: usize) -> usize {
    let mut used = 0;
    let over = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > columns
    });
    over.map_or(text.len(), |(at, _)| at)
}

/// Breaks between words; what is longer than a line is broken anywhere. Lines after the first begin with
/// so many blanks.
pub fn wrap(text: &str, columns: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word.to_string();
        loop {
            let line = lines.last_mut().expect("it begins with one");
            let begun = !line.trim().is_empty();
            if width(line) + usize::from(begun) + width(&word) <= columns {
                line.push_str(if begun { " " } else { "" });
                line.push_str(&word);
                break;
            }
            if !begun {
                let fits = columns.saturating_sub(width(line));
                // One character at least, however wide.
                let first = word.chars().next().map_or(0, char::len_utf8);
                let rest = word.split_off(beginning(&word, fits).max(first));
                line.push_str(&word);
                word = rest;
            }
            lines.push(" ".repeat(indent));
        }
    }
    lines.retain(|l| !l.trim().is_empty());
    // Between two blanks of the text is nothing that a line could end with.
    lines.iter_mut().for_each(|l| l.truncate(l.trim_end().len()));
    lines
}

/// Breaks a line whose first characters, so many, stay as they are; below them the others leave it blank.
pub fn below(text: &str, first: usize, columns: usize) -> Vec<String> {
    if width(text) <= columns {
        return vec![text.to_string()];
    }
    let at = text.char_indices().nth(first).map_or(text.len(), |(at, _)| at);
    let (head, rest) = text.split_at(at);
    let indent = width(head);
    let mut lines = wrap(rest, columns.saturating_sub(indent).max(1), 0);
    let blank = " ".repeat(indent);
    for (i, line) in lines.iter_mut().enumerate() {
        line.insert_str(0, if i == 0 { head } else { &blank });
    }
    lines
}

/// Leaves out the end of what is too long.
pub fn cut(text: &mut String, columns: usize) {
    if width(text) > columns {
        text.truncate(beginning(text, columns.saturating_sub(1)));
        text.push('…');
    }
}

/// Leaves out the beginning of what is too long.
pub fn tail(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let mut rest = text.chars();
    while width(rest.as_str()) + 1 > columns && rest.next().is_some() {}
    format!("…{}", rest.as_str())
}

/// A command of the shell in several lines: a backslash before a line's end is as if neither were there.
pub fn command(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive(' ') {
        let mut word = word;
        while width(&line) + width(word.trim_end()) > columns.saturating_sub(2) {
            if line.is_empty() {
                let first = word.chars().next().map_or(0, char::len_utf8);
                let end = beginning(word, columns.saturating_sub(1)).max(first);
                line = word[..end].to_string();
                word = &word[end..];
            }
            lines.push(std::mem::take(&mut line) + "\\");
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_words_and_where_there_are_none() {
        assert_eq!(wrap("to be or not to be", 8, 2), ["to be or", "  not to", "  be"]);
        assert_eq!(wrap("abcdefghij kl", 4, 0), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("says no  a.rs:12", 8, 0), ["says no", "a.rs:12"]);
        assert_eq!(tail("abcdef", 4), "…def");
        let mut text = "abcdef".to_string();
        cut(&mut text, 4);
        assert_eq!(text, "abc…");
    }

    #[test]
    fn a_command_is_the_same_in_several_lines() {
        let text = "raddle replay a.c t sync@1:T1,2:T2,3:T3,4:T1,5:T2 --max-steps 10";
        for columns in [8, 14, 20, 40, 80] {
            let lines = command(text, columns);
            assert!(lines.iter().all(|l| width(l) <= columns), "{lines:?}");
            assert_eq!(lines.join("\n").replace("\\\n", ""), text);
        }
        assert_eq!(command(text, 80).len(), 1);
    }
}
