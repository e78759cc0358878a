//! One execution line by line, as plain text.

use super::present::Told;
use crate::annotate::story::Line;
use crate::target::Place;
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::text::{circled, pad};

/// The story and the facts, in columns.
pub fn story(told: &Told, paint: Paint) -> String {
    let shown =
        |place: &Option<Place>| place.as_ref().map(|p| format!("{}:{}", p.file, p.line)).unwrap_or_default();
    let widest =
        |f: &dyn Fn(&Line) -> usize, most: usize| told.lines.iter().map(f).max().unwrap_or(0).min(most);
    let who_width = widest(&|l| if let Line::Step { who, .. } = l { who.chars().count() } else { 0 }, 32);
    let what_width = widest(&|l| if let Line::Step { what, .. } = l { what.chars().count() } else { 0 }, 56);
    let place_width =
        widest(&|l| if let Line::Step { place, .. } = l { shown(place).chars().count() } else { 0 }, 40);
    let mut out = String::new();
    if !told.lines.is_empty() {
        out.push('\n');
    }
    for line in &told.lines {
        out += &match line {
            Line::Step { who, what, place, method, .. } => {
                let text = format!("     {}  {}", pad(who, who_width), pad(what, what_width));
                let place = match method.as_str() {
                    "" => shown(place),
                    method => format!("{}  {method}", pad(&shown(place), place_width)),
                };
                format!("{text}  {}", paint.ink(Ink::Quiet, &place)).trim_end().to_string()
            }
            Line::Preempted { number, text } => {
                paint.ink(Ink::Bad, &format!("  {}  {text}", circled(*number)))
            }
            Line::Note(text) => format!("     {}  {}", pad("", who_width), paint.ink(Ink::Quiet, text)),
        };
        out.push('\n');
    }
    if !told.facts.is_empty() {
        out.push('\n');
    }
    let width = told.facts.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
    for (text, place) in &told.facts {
        let text = pad(text, width);
        let place = place.as_ref().map(|p| format!("  {}:{}", p.file, p.line)).unwrap_or_default();
        out += format!("  {text}{}", paint.ink(Ink::Quiet, &place)).trim_end();
        out.push('\n');
    }
    out
}

/// The story as plain lines, for programs.
pub fn explanation(told: &Told) -> Vec<String> {
    story(told, Paint::none()).lines().map(|l| l.trim().to_string()).filter(|l| !l.is_empty()).collect()
}
