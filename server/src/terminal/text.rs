//! Pieces of text: columns, numbers, times and messages.

use super::paint::{Ink, Paint};
use super::wrap;
use crate::terminal::numbers::group;
use std::time::Duration;

/// The numbers of preemptions.
const CIRCLED: [&str; 20] =
    ["①", "②", "③", "④", "⑤", "⑥", "⑦", "⑧", "⑨", "⑩", "⑪", "⑫", "⑬", "⑭", "⑮", "⑯", "⑰", "⑱", "⑲", "⑳"];

/// Filled up with blanks.
pub fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(wrap::width(text));
    format!("{text}{}", " ".repeat(missing))
}

/// The same of a coloured text.
pub fn pad_painted(text: &str, width: usize, ink: Ink, paint: Paint) -> String {
    let missing = width.saturating_sub(wrap::width(text));
    format!("{}{}", paint.ink(ink, text), " ".repeat(missing))
}

/// `1 execution`, `19,605 executions`.
pub fn plural(n: u64, what: &str) -> String {
    format!("{} {what}{}", group(n), if n == 1 { "" } else { "s" })
}

/// `60 s`, `0.5 s`, as limits are named: what a first round took of one is not told to the nanosecond.
pub fn seconds(d: Duration) -> String {
    let digits = if d < Duration::from_secs(1) { 3 } else { 1 };
    let text = format!("{:.digits$}", d.as_secs_f64());
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A message of several lines (Rust's `left:`, `right:`) in one: the first, the others in
/// parentheses.
pub fn one_line(message: &str) -> String {
    let mut lines = message.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines.next().unwrap_or_default().to_string();
    let rest: Vec<&str> = lines.collect();
    if rest.is_empty() { first } else { format!("{first} ({})", rest.join(", ")) }
}

/// The sign of a preemption: ①.
pub fn circled(number: u32) -> String {
    match CIRCLED.get((number as usize).wrapping_sub(1)) {
        Some(c) => (*c).to_string(),
        None => format!("({number})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_named_as_they_were_asked_for() {
        let names =
            [("60 s", 60.0), ("0.5 s", 0.5), ("1.5 s", 1.5), ("60 s", 59.966_725_665), ("0.001 s", 0.001)];
        for (name, given) in names {
            assert_eq!(seconds(Duration::from_secs_f64(given)), name);
        }
        assert_eq!(seconds(Duration::from_secs(100)), "100 s");
    }
}
