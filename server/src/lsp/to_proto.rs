//! From what Raddle says to what editors understand. Editors count lines from 0, and columns from 0
//! in UTF-16 units.

use crate::terminal::numbers::group;
use raddle_protocol::report::Verdict;
use raddle_protocol::session::{SessionFailure, SessionState, State};
use tower_lsp::lsp_types::{Position, Range};

/// What is said of a result that is of another text than the one that stands.
pub const CHANGED: &str = "source changed: explore again";

/// What is said when the editor has another text than the one that is explored.
pub const SAVED: &str = "Raddle explores the saved text; the editor has changes that are not saved.";

/// A line of a text without the white space around it; lines count from 1. A line that the text
/// does not have (any more) is the nearest one that it has.
pub fn line_range(text: &str, line: u32) -> Range {
    let last = text.lines().count().max(1) as u32;
    let line = line.clamp(1, last);
    let content = text.lines().nth(line as usize - 1).unwrap_or("");
    let start = utf16(&content[..content.len() - content.trim_start().len()]);
    let end = start + utf16(content.trim());
    // An empty line has nothing to underline; its beginning must do.
    Range::new(Position::new(line - 1, start.min(end)), Position::new(line - 1, end))
}

/// A word at a byte column of this line, both from 1.
pub fn word_range(content: &str, line: u32, column: u32, word: &str) -> Range {
    let before = content.get(..column as usize - 1).unwrap_or("");
    let (row, start) = (line - 1, utf16(before));
    Range::new(Position::new(row, start), Position::new(row, start + utf16(word)))
}

/// These bytes of a line, from 0; `None` where it does not have them.
pub fn bytes_range(text: &str, line: u32, from: usize, to: usize) -> Option<Range> {
    let row = line.checked_sub(1)?;
    let content = text.lines().nth(row as usize)?;
    let start = utf16(content.get(..from)?);
    let end = start + utf16(content.get(from..to.max(from))?);
    Some(Range::new(Position::new(row, start), Position::new(row, end)))
}

fn utf16(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}

/// `1 execution`, `1,234 executions`.
pub fn executions(n: u64) -> String {
    format!("{} execution{}", group(n), if n == 1 { "" } else { "s" })
}

/// What a failure's diagnostic says.
pub fn failure(f: &SessionFailure) -> String {
    let preemptions = match f.preemptions {
        0 => "no preemption".to_string(),
        1 => "1 preemption".to_string(),
        n => format!("{n} preemptions"),
    };
    let message = if f.message.is_empty() { &f.kind } else { &f.message };
    // Of several lines the last one is about values.
    let apart = if message.contains('\n') { '\n' } else { ' ' };
    let (mistake, apart) = match &f.mistake {
        Some(mistake) => (format!("\n{}", mistake.sentence()), '\n'),
        None => (String::new(), apart),
    };
    let mut text = format!("{message}{mistake}{apart}— after {}, {preemptions}", executions(f.found_after));
    if !f.replay.is_empty() {
        text += &format!(" · {}", f.replay);
    }
    text
}

/// Heading of a session's progress.
pub fn progress_title(state: &SessionState) -> String {
    let named = state.target.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    match state.test.as_str() {
        "" => format!("Raddle: {named}"),
        test if test == named || named.starts_with(&format!("{test}.")) => format!("Raddle: {test}"),
        test => format!("Raddle: {named}::{test}"),
    }
}

/// How far a session is.
pub fn progress_message(state: &SessionState) -> String {
    let counts = &state.counts;
    let far = || {
        let bound = format!("bound {}", state.bound.current);
        let left = match &state.estimate {
            Some(estimate) => estimate.text.clone(),
            None => format!("{} waiting", group(counts.waiting)),
        };
        format!("{} · {bound} · {left}", executions(counts.executions))
    };
    match state.state {
        State::Building => "building".to_string(),
        State::Queued => "waiting for a worker".to_string(),
        State::Exploring => far(),
        State::Paused => format!("paused · {}", far()),
        State::Done => outcome(state),
    }
}

/// How a session ended.
pub fn outcome(state: &SessionState) -> String {
    let run = executions(state.counts.executions);
    match state.verdict {
        Some(Verdict::Passed) => match &state.below {
            Some(below) => format!("✓ passed below {below}, {run}"),
            None => format!("✓ passed, {run}"),
        },
        Some(Verdict::Failed) => {
            let after = state.failures.iter().map(|f| f.found_after).min().filter(|n| *n > 0);
            format!("✗ failed after {}", after.map_or(run, executions))
        }
        Some(Verdict::Incomplete) | None => format!("ended early, no failure in {run}"),
        Some(Verdict::Error) => "could not be run".to_string(),
    }
}

/// The title of the lens that ends a session, which may explore another text than the one that stands.
pub fn stop_title(state: &SessionState, changed: bool) -> String {
    let does = match state.state {
        State::Building => "building".to_string(),
        State::Queued => "waiting for a worker".to_string(),
        State::Paused => format!("paused after {}", executions(state.counts.executions)),
        _ => executions(state.counts.executions),
    };
    let of = if changed { " of the text as it was; the source has changed" } else { "" };
    format!("Stop exploring — {does}{of}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_protocol::explanation::Mistake;
    use raddle_protocol::report::Estimate;
    use raddle_protocol::session::{BoundState, Counts};

    fn range(line: u32, start: u32, end: u32) -> Range {
        Range::new(Position::new(line, start), Position::new(line, end))
    }

    #[test]
    fn lines_are_underlined_without_the_space_around_them() {
        // The emoji is one character, four bytes and two units; the umlaut one unit.
        let text = "a\n    let 🦀 = \"ü\"; \r\n\n\t";
        assert_eq!(line_range(text, 1), range(0, 0, 1));
        assert_eq!(line_range(text, 2), range(1, 4, 4 + 13));
        assert_eq!(line_range(text, 3), range(2, 0, 0));
        assert_eq!(line_range(text, 4), range(3, 1, 1));
        assert_eq!(line_range(text, 99), range(3, 1, 1), "shortened since");
        assert_eq!(line_range("", 5), range(0, 0, 0));
        assert_eq!(line_range("a", 0), range(0, 0, 1), "an unknown line");
    }

    #[test]
    fn bytes_of_a_line_are_ranges() {
        let text = "one\n/* 🦀 */ x\n";
        assert_eq!(bytes_range(text, 2, 11, 12), Some(range(1, 9, 10)));
        assert_eq!(bytes_range(text, 2, 4, 12), None, "within the crab");
        assert_eq!((bytes_range(text, 1, 2, 9), bytes_range(text, 0, 0, 1)), (None, None));
    }

    #[test]
    fn words_are_found_by_their_bytes() {
        let text = "/* 🦀 */ fn näher() {}";
        let column = text.find("näher").unwrap() as u32 + 1;
        assert_eq!(word_range(text, 1, column, "näher"), range(0, 12, 17));
        assert_eq!(word_range("", 7, 3, "x"), range(6, 0, 1), "a line that is shorter now");
    }

    #[test]
    fn a_failure_says_how_it_was_found() {
        let mut f = SessionFailure {
            kind: "panic".into(),
            message: "lost money".into(),
            preemptions: 1,
            found_after: 1234,
            replay: "raddle replay . audit sync@7:T2".into(),
            ..Default::default()
        };
        assert_eq!(
            failure(&f),
            "lost money — after 1,234 executions, 1 preemption · raddle replay . audit sync@7:T2"
        );
        (f.message, f.preemptions, f.found_after, f.replay) = (String::new(), 0, 1, String::new());
        assert_eq!(failure(&f), "panic — after 1 execution, no preemption");
        f.message = "left != right\n  left: 1".into();
        assert_eq!(failure(&f), "left != right\n  left: 1\n— after 1 execution, no preemption");
        f.message = "left != right".into();
        f.mistake = Some(Mistake {
            kind: "order violation".into(),
            text: "T2 comes too late.".into(),
            ..Mistake::default()
        });
        let told = "left != right\nOrder violation: T2 comes too late.\n— after 1 execution, no preemption";
        assert_eq!(failure(&f), told);
    }

    #[test]
    fn progress_in_words() {
        let counts = Counts { executions: 1234, waiting: 56, ..Default::default() };
        let mut s = SessionState {
            target: "/ws/bank".into(),
            test: "audit::sees_all".into(),
            state: State::Exploring,
            counts,
            bound: BoundState { current: 1, completed: Some(0) },
            ..Default::default()
        };
        assert_eq!(progress_title(&s), "Raddle: bank::audit::sees_all");
        assert_eq!(progress_message(&s), "1,234 executions · bound 1 · 56 waiting");
        assert_eq!(stop_title(&s, false), "Stop exploring — 1,234 executions");
        let changed = "Stop exploring — 1,234 executions of the text as it was; the source has changed";
        assert_eq!(stop_title(&s, true), changed);
        s.estimate =
            Some(Estimate { text: "≈ 12 % of about 10,000 (8,000–12,000)".into(), ..Default::default() });
        assert_eq!(
            progress_message(&s),
            "1,234 executions · bound 1 · ≈ 12 % of about 10,000 (8,000–12,000)"
        );
        s.state = State::Done;
        for (verdict, text) in [
            (Verdict::Passed, "✓ passed, 1,234 executions"),
            (Verdict::Failed, "✗ failed after 4 executions"),
            (Verdict::Incomplete, "ended early, no failure in 1,234 executions"),
            (Verdict::Error, "could not be run"),
        ] {
            s.failures = vec![SessionFailure { found_after: 4, ..Default::default() }];
            s.verdict = Some(verdict);
            assert_eq!(outcome(&s), text);
        }
        (s.target, s.test) = ("/ws/queue.c".into(), "queue".into());
        assert_eq!(progress_title(&s), "Raddle: queue");
        (s.target, s.test) = ("/ws/queue.c".into(), "test_pop".into());
        assert_eq!(progress_title(&s), "Raddle: queue.c::test_pop");
        s.test = String::new();
        assert_eq!(progress_title(&s), "Raddle: queue.c");
    }
}
