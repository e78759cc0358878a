//! Symbols of reports where the locale cannot show them: `LANG=C` gets ASCII.

use std::borrow::Cow;

/// Each symbol and its ASCII form. Other characters come from the program and stay.
const ASCII: [(char, &str); 12] = [
    ('…', "..."),
    ('⋯', "..."),
    ('·', "-"),
    ('→', "->"),
    ('—', "--"),
    ('–', "-"),
    ('≈', "~"),
    ('≤', "<="),
    ('×', "x"),
    ('▸', ">"),
    ('✓', "+"),
    ('✗', "x"),
];

/// Is the locale of these variables one without UTF-8? The first that is set counts; without any, UTF-8 is assumed, as build
/// servers show it and set none.
pub fn is_ascii_locale(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &&str| variable(name).filter(|value| !value.is_empty());
    let Some(locale) = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set) else { return false };
    let locale = locale.to_ascii_lowercase();
    !locale.contains("utf-8") && !locale.contains("utf8")
}

/// The text with its symbols in ASCII.
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match ASCII.iter().find(|(symbol, _)| *symbol == c) {
            Some((_, plain)) => out.push_str(plain),
            // The circled numbers of preemptions, 1 to 20.
            None if ('①'..='⑳').contains(&c) => out += &(c as u32 - '①' as u32 + 1).to_string(),
            None => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let locale = |set: &[(&str, &str)]| {
            let set: Vec<_> = set.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
            is_ascii_locale(|name| set.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone()))
        };
        assert!(locale(&[("LANG", "C")]));
        assert!(locale(&[("LANG", "en_US.UTF-8"), ("LC_ALL", "POSIX")]));
        assert!(!locale(&[("LANG", "C"), ("LC_CTYPE", "de_DE.utf8")]));
        assert!(!locale(&[("LC_ALL", ""), ("LANG", "C.UTF-8")]));
        assert!(!locale(&[]));
    }

    #[test]
    fn only_the_symbols_change() {
        assert_eq!(ascii("①  ▸  a: 0 → 1 …"), "1  >  a: 0 -> 1 ...");
        assert_eq!(ascii("größe ≤ 20 ⑳"), "größe <= 20 20");
    }
}
