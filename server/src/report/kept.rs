//! The report for people on stored schedules: a line each, how each was found again, and their sum.

use crate::report::details::headed;
use crate::terminal::numbers::group;
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::text::{pad, pad_painted, plural};
use crate::terminal::wrap;
use raddle_protocol::report::{Alignment, Report, Verdict};

/// Differences that were not found again are told up to here; all are in `--json`.
const MISSING: usize = 4;

/// Columns of what became of a schedule, and of how it was found again.
const WORD: usize = 6;
const HOW: usize = 10;
/// Columns before what stands below a name.
const BELOW: usize = 6;
/// Columns that a note needs beside a name.
const LEAST: usize = 40;

/// How a stored schedule was found again, below that line.
pub fn alignment(a: &Alignment, report: &Report, paint: Paint) -> String {
    let now = report.replay.as_ref().map(|r| r.schedule.as_str()).unwrap_or_default();
    let mut out = format!("\n{}", lines(&a.text, 2, paint));
    for (head, text) in
        a.missing.iter().take(MISSING).map(|m| ("missing", m)).chain(a.departs.iter().map(|d| ("departs", d)))
    {
        out += &headed(head, 2, text, paint);
    }
    out += &headed("stored", 3, &format!("{}  {}", a.stored, a.file), paint);
    let updated = if a.updated { "  put into the file" } else { "" };
    out + &headed("now", 6, &format!("{now}{updated}"), paint)
}

/// What became of one stored schedule.
pub struct Kept {
    came: Came,
    /// The test and the schedule as it is now: several files may lead to one.
    now: (String, String),
}

/// The same in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    /// It fails.
    Fails,
    /// It passes.
    Passes,
    /// It cannot be followed.
    Lost,
    /// That was cut short.
    Unknown,
}

impl Kept {
    /// By its report.
    pub fn of(report: &Report) -> Kept {
        let now = report.replay.as_ref().map(|r| r.schedule.clone()).unwrap_or_default();
        Kept { came: came(report), now: (report.test.clone(), now) }
    }
}

fn came(report: &Report) -> Came {
    match report.verdict {
        Verdict::Failed => Came::Fails,
        Verdict::Passed => Came::Passes,
        Verdict::Incomplete => Came::Unknown,
        Verdict::Error => Came::Lost,
    }
}

/// The line of one stored schedule among all, and below it how it was found again, where it was not simply there.
pub fn kept_line(report: &Report, width: usize, paint: Paint) -> String {
    let alignment = report.replay.as_ref().and_then(|r| r.alignment.as_ref());
    let how = alignment.map_or("", |a| a.how.as_str());
    let (word, ink) = match (came(report), how) {
        (Came::Fails, _) => ("FAILED", Ink::Bad),
        (Came::Passes, _) => ("passed", Ink::Good),
        (Came::Unknown, _) => ("OPEN", Ink::Bad),
        (Came::Lost, "lost") => ("LOST", Ink::Bad),
        (Came::Lost, _) => ("ERROR", Ink::Bad),
    };
    let now = report.replay.as_ref().map(|r| r.schedule.as_str()).unwrap_or_default();
    let stored = alignment.map_or("", |a| a.stored.as_str());
    let unfound = matches!(how, "lost" | "given-up" | "interrupted");
    let schedule = if stored == now || unfound { stored.to_string() } else { format!("{stored} → {now}") };
    let said = match (report.failures.first(), &report.error) {
        (Some(failure), _) => failure.message.split_whitespace().collect::<Vec<_>>().join(" "),
        (None, Some(error)) if !unfound => error.message.clone(),
        _ => String::new(),
    };
    let time = format!("{:.2} s", report.seconds);
    let is_wide = {
        let parts = [&*schedule, &*said, &*time].map(wrap::width);
        2 + width.max(wrap::width(&report.test)) + 2 + WORD + 2 + HOW + parts.iter().sum::<usize>() + 6
            <= paint.columns()
    };
    let (ends, word) = (paint.ink(Ink::Quiet, &time), pad_painted(word, WORD, ink, paint));
    let how_at = pad(how, HOW);
    let (mut out, indent) = if is_wide {
        let name = pad(&report.test, width);
        (format!("  {name}  {word}  {how_at}  {schedule}  {said}  {ends}\n"), width + BELOW)
    } else {
        // Beside the name there is no room for all.
        let beside = 2 + wrap::width(&report.test) + 2 + WORD + 2 + HOW + 2 + time.len() <= paint.columns();
        let name = match beside {
            true => format!("  {}  ", report.test),
            false => lines(&report.test, 2, paint) + &" ".repeat(BELOW),
        };
        let below = lines(&schedule, BELOW, paint) + &lines(&said, BELOW, paint);
        (format!("{name}{word}  {how_at}  {ends}\n{below}"), BELOW)
    };
    let mut notes: Vec<&String> = Vec::new();
    if let Some(a) = alignment.filter(|a| a.how != "exact") {
        notes.push(&a.text);
        notes.extend(a.missing.iter().take(MISSING));
    }
    notes.extend(report.error.as_ref().and_then(|e| e.cause.as_ref()).filter(|_| alignment.is_none()));
    out.extend(notes.into_iter().map(|note| quiet(note, indent, paint)));
    out
}

/// A text in the lines that it takes, each behind so many blanks.
fn lines(text: &str, indent: usize, paint: Paint) -> String {
    let lines = wrap::wrap(&paint.symbols(text), paint.columns().saturating_sub(indent), 0);
    lines.iter().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect()
}

/// The same in grey. Where the blanks would leave little room, there are fewer.
fn quiet(text: &str, indent: usize, paint: Paint) -> String {
    let indent = if indent + LEAST > paint.columns() { BELOW } else { indent };
    let lines = wrap::wrap(&paint.symbols(text), paint.columns().saturating_sub(indent), 0);
    lines.iter().map(|line| format!("{}{}\n", " ".repeat(indent), paint.ink(Ink::Quiet, line))).collect()
}

/// What became of all of them.
pub fn kept_summary(kept: &[Kept], all: usize, others: usize, paint: Paint) -> String {
    let count = |which: Came| kept.iter().filter(|k| k.came == which).count();
    let mut parts = Vec::new();
    let verb = |n: usize, one: &str, more: &str| {
        (n > 0).then(|| format!("{} {}", group(n as u64), if n == 1 { one } else { more }))
    };
    parts.extend(verb(count(Came::Fails), "fails", "fail"));
    parts.extend(verb(count(Came::Passes), "passes", "pass"));
    parts.extend(verb(count(Came::Lost), "cannot be followed", "cannot be followed"));
    parts.extend(verb(count(Came::Unknown), "is not known", "are not known"));
    parts.extend(verb(all - kept.len(), "was not run", "were not run"));
    let mut distinct: Vec<_> = kept.iter().filter(|k| k.came != Came::Lost).map(|k| &k.now).collect();
    let many = distinct.len();
    distinct.sort();
    distinct.dedup();
    parts.extend(verb(
        many - distinct.len(),
        "leads to the same execution as another",
        "lead to the same executions as others",
    ));
    parts.extend(verb(others, "of another test or target left out", "of other tests or targets left out"));
    let text = format!("{}: {}", plural(all as u64, "stored schedule"), parts.join(", "));
    format!("\n{}", lines(&text, 2, paint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::report;
    use raddle_protocol::report::{ErrorReport, Replay};

    /// Whatever is long: the name, the schedule, how it was found again, the error.
    #[test]
    fn rows_fit_the_terminal() {
        let long = "which is not there any more ".repeat(5);
        let alignment = Alignment {
            how: "re-aligned".into(),
            stored: format!("sync@{}#3f2a", ["7:T2"; 12].join(",")),
            text: format!("found again, without one step {long}"),
            missing: vec![format!("T1 stores counter {long}")],
            ..Alignment::default()
        };
        let mut r = report(Verdict::Failed);
        for columns in [60, 80, 120] {
            for (name, times) in [("t", 1), ("bank::audit::", 4), ("ledger::", 12)] {
                for how in ["re-aligned", "lost", "refused"] {
                    r.test = name.repeat(times);
                    let alignment = Alignment { how: how.into(), ..alignment.clone() };
                    let replay = Replay {
                        schedule: "sync@9:T2#aaaa".into(),
                        runs: 1,
                        failed: 1,
                        passed: 0,
                        diverged: 0,
                        hash: String::new(),
                        alignment: Some(alignment.clone()),
                    };
                    r.replay = (how != "refused").then_some(replay);
                    r.error =
                        Some(ErrorReport { message: long.clone(), cause: Some(long.clone()), next: None });
                    let paint = Paint::of_columns(columns);
                    let text = kept_line(&r, 60, paint)
                        + &super::alignment(&alignment, &r, paint)
                        + &kept_summary(&[], 1, 2, paint);
                    assert!(text.lines().all(|l| wrap::width(l) <= columns), "{columns}\n{text}");
                    assert!(text.contains("FAILED  re-aligned") || how != "re-aligned", "{text}");
                    let words = text.split_whitespace().collect::<String>();
                    assert!(words.contains(&r.test) && words.contains("notthereanymore"), "{text}");
                }
            }
        }
        let short = kept_line(&report(Verdict::Passed), 12, Paint::of_columns(60));
        assert_eq!(short.lines().count(), 1, "{short}");
    }
}
