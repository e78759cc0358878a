//! Panics of threads other than main: where one happened that nobody looked at, which only the output says, and
//! whose panic main passed on.

use super::operands;
use raddle_protocol::explanation::Value;
use raddle_schedule::{Outcome, Trace};

/// The thread whose panic ended the test by way of main, which joined it or ended its scope.
pub fn passed_on(trace: &Trace) -> Option<u8> {
    (trace.outcome == Outcome::Panic && trace.thread != 0).then_some(trace.thread)
}

/// File, line and column of the panic with this message; nothing where several places said the same.
pub fn place(output: &str, message: &str) -> Option<(String, u32, u32)> {
    let mut found = None;
    // `thread 'name' (number) panicked at file:line:column:`, and the message from the next line on.
    for said in output.split(" panicked at ").skip(1) {
        let Some((place, rest)) = said.split_once(":\n") else { continue };
        let place = split(place).filter(|_| rest.starts_with(message));
        match (&found, place) {
            (_, None) => {}
            (None, place) => found = place,
            (Some(known), Some(place)) if *known == place => {}
            _ => return None,
        }
    }
    found
}

/// What `assert_eq!` and `assert_ne!` say that they have compared, where both fit into a line.
pub fn compared(message: &str) -> Vec<Value> {
    let lines: Vec<&str> = message.lines().collect();
    let [first, .., left, right] = &lines[..] else { return Vec::new() };
    let asserts = first.starts_with("assertion `left ");
    let sides = left.trim_start().strip_prefix("left: ").zip(right.trim_start().strip_prefix("right: "));
    let Some((left, right)) = sides.filter(|_| asserts) else { return Vec::new() };
    let told = [("left", left), ("right", right)]
        .map(|(name, value)| Value { name: name.into(), value: value.into() });
    let fits = operands::text(&told).chars().count() <= operands::LONGEST;
    if fits { told.into() } else { Vec::new() }
}

fn split(place: &str) -> Option<(String, u32, u32)> {
    let mut parts = place.rsplitn(3, ':');
    let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((parts.next()?.to_string(), line, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_compared() {
        let text = |message: &str| operands::text(&compared(message));
        assert_eq!(
            text("assertion `left == right` failed: x\n  left: Some(3)\n right: None"),
            "left = Some(3), right = None"
        );
        assert_eq!(text("left: 1\nright: 2"), "");
        assert_eq!(
            text(&format!("assertion `left == right` failed\n  left: {}\n right: 1", "1".repeat(60))),
            ""
        );
    }

    #[test]
    fn by_its_message() {
        let output = "a: b\n\nthread '<unnamed>' (42) panicked at src/queue.rs:34:9:\nfull\nnote: x\n\n\
                      thread 'w' panicked at a b.rs:7:1:\nempty\n";
        assert_eq!(place(output, "full"), Some(("src/queue.rs".to_string(), 34, 9)));
        assert_eq!(place(output, "empty"), Some(("a b.rs".to_string(), 7, 1)));
        assert_eq!(place(output, "other"), None);
        let twice = output.replace("\nempty", "\nfull");
        assert_eq!(place(&twice, "full"), None);
        assert_eq!(place(&(output.to_string() + output), "full"), place(output, "full"));
    }
}
