//! What is longer than its place loses its middle: the two ends are what tells such texts apart.

use super::line;
use egui::{Color32, FontId, Galley, Ui};
use std::sync::Arc;

/// One line of text in so much room, without its middle where it does not fit.
pub fn schedule(ui: &Ui, text: &str, font: FontId, width: f32) -> String {
    middle(text, 0, 0, |cut| wide(ui, cut, &font) <= width)
}

/// One line about an operation: its verb and the number of its object stay as long as there is room
/// for them, as in `lock acco…lock #2`.
pub fn operation(ui: &Ui, text: &str, font: FontId, color: Color32, width: f32) -> Arc<Galley> {
    let (verb, number) = (verb(text), number(text));
    let cut = middle(text, verb, number, |cut| wide(ui, cut, &font) <= width);
    line(ui, &cut, font, color, width)
}

fn wide(ui: &Ui, text: &str, font: &FontId) -> f32 {
    ui.painter().layout_no_wrap(text.to_string(), font.clone(), Color32::PLACEHOLDER).size().x
}

/// Characters of `lock ` in `lock accounts[0]`.
fn verb(text: &str) -> usize {
    text.split_once(' ').map_or(0, |(verb, _)| verb.chars().count() + 1)
}

/// Characters of ` #2` at the end.
fn number(text: &str) -> usize {
    let (_, digits) = text.rsplit_once(" #").unwrap_or_default();
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { digits.len() + 2 } else { 0 }
}

/// The text with as much of its middle as fits. The first `head` and the last `tail` characters stay
/// even where nothing fits.
fn middle(text: &str, head: usize, tail: usize, fits: impl Fn(&str) -> bool) -> String {
    if fits(text) {
        return text.to_string();
    }
    let chars: Vec<char> = text.chars().collect();
    let between = chars.len().saturating_sub(head + tail);
    let with = |kept: usize| {
        let first = &chars[..head + kept.div_ceil(2)];
        let last = &chars[chars.len() - tail - kept / 2..];
        first.iter().chain(&['\u{2026}']).chain(last).collect::<String>()
    };
    if between == 0 {
        return text.to_string();
    }
    let (mut least, mut most) = (0, between - 1);
    while least < most {
        let kept = (least + most).div_ceil(2);
        if fits(&with(kept)) { least = kept } else { most = kept - 1 }
    }
    with(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_chars(text: &str, room: usize) -> String {
        middle(text, verb(text), number(text), |cut| cut.chars().count() <= room)
    }

    #[test]
    fn operations_keep_their_verb_and_the_number_of_their_object() {
        assert_eq!(in_chars("lock account->lock #1", 21), "lock account->lock #1");
        assert_eq!(in_chars("lock account->lock #1", 16), "lock acco\u{2026}ock #1");
        assert_eq!(in_chars("lock account->lock #2", 16), "lock acco\u{2026}ock #2");
        assert_eq!(in_chars("lock account->lock #12", 10), "lock \u{2026} #12");
        assert_eq!(in_chars("lock account->lock #2", 3), "lock \u{2026} #2");
        assert_eq!(in_chars("store a.very.long.path", 14), "store a.ve\u{2026}ath");
        assert_eq!(in_chars("lock #2", 3), "lock #2", "there is nothing between its ends");
    }

    #[test]
    fn what_is_no_number_is_no_end_of_its_own() {
        assert_eq!((number("lock a #b"), number("lock a #"), number("lock a#2"), number("")), (0, 0, 0, 0));
        assert_eq!((verb("start"), verb("lock a b")), (0, 5));
    }

    #[test]
    fn characters_of_several_bytes_are_not_cut() {
        assert_eq!(
            in_chars("lock \u{fc}\u{df}\u{20ac}\u{1f512}\u{e4}\u{f6}", 9),
            "lock \u{fc}\u{df}\u{2026}\u{f6}"
        );
        assert_eq!(in_chars("\u{20ac}\u{20ac}\u{20ac}", 0), "\u{2026}");
    }
}
