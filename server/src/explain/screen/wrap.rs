//! Text in lines of so many columns.

/// Columns of a text.
pub fn width(text: &str) -> usize {
    text.chars().count()
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
                let fits = columns.saturating_sub(width(line)).max(1);
                let rest = word.split_off(word.char_indices().nth(fits).map_or(word.len(), |(i, _)| i));
                line.push_str(&word);
                word = rest;
            }
            lines.push(" ".repeat(indent));
        }
    }
    lines.retain(|l| !l.trim().is_empty());
    lines
}

/// Leaves out the end of what is too long.
pub fn cut(text: &mut String, columns: usize) {
    if width(text) > columns {
        *text = text.chars().take(columns.saturating_sub(1)).collect::<String>() + "…";
    }
}

/// Leaves out the beginning of what is too long.
pub fn tail(text: &str, columns: usize) -> String {
    match width(text).checked_sub(columns) {
        None | Some(0) => text.to_string(),
        Some(over) => format!("…{}", text.chars().skip(over + 1).collect::<String>()),
    }
}

/// A command of the shell in several lines: a backslash before a line's end is as if neither were there.
pub fn command(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive(' ') {
        let mut word = word;
        while width(&line) + width(word.trim_end()) > columns.saturating_sub(2) {
            if line.is_empty() {
                let end = word.char_indices().nth(columns - 1).map_or(word.len(), |(i, _)| i);
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
