//! The report for people on stored schedules: a line each, how each was found again, and their sum.

use crate::terminal::numbers::group;
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::text::{pad, pad_painted, plural};
use raddle_protocol::report::{Alignment, Report, Verdict};

/// Differences that were not found again are told up to here; all are in `--json`.
const MISSING: usize = 4;

/// How a stored schedule was found again, below that line.
pub fn alignment(a: &Alignment, report: &Report, paint: Paint) -> String {
    let now = report.replay.as_ref().map(|r| r.schedule.as_str()).unwrap_or_default();
    let mut out = format!("\n  {}\n", a.text);
    for (head, text) in
        a.missing.iter().take(MISSING).map(|m| ("missing", m)).chain(a.departs.iter().map(|d| ("departs", d)))
    {
        out += &format!("  {}  {text}\n", paint.ink(Ink::Quiet, head));
    }
    out += &format!("  {}   {}  {}\n", paint.ink(Ink::Quiet, "stored"), a.stored, a.file);
    let updated = if a.updated { "  put into the file" } else { "" };
    out + &format!("  {}      {now}{updated}\n", paint.ink(Ink::Quiet, "now"))
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
    let time = paint.ink(Ink::Quiet, &format!("{:.2} s", report.seconds));
    let said = match (report.failures.first(), &report.error) {
        (Some(failure), _) => failure.message.split_whitespace().collect::<Vec<_>>().join(" "),
        (None, Some(error)) if !unfound => error.message.clone(),
        _ => String::new(),
    };
    let name = pad(&report.test, width);
    let mut out = format!(
        "  {name}  {}  {}  {schedule}  {said}  {time}\n",
        pad_painted(word, 6, ink, paint),
        pad(how, 10)
    );
    if let Some(a) = alignment.filter(|a| a.how != "exact") {
        out += &format!("  {}    {}\n", pad("", width), paint.ink(Ink::Quiet, &a.text));
        for missing in a.missing.iter().take(MISSING) {
            out += &format!("  {}    {}\n", pad("", width), paint.ink(Ink::Quiet, missing));
        }
    }
    if let Some(cause) = report.error.as_ref().and_then(|e| e.cause.as_ref()).filter(|_| alignment.is_none())
    {
        out += &format!("  {}    {}\n", pad("", width), paint.ink(Ink::Quiet, cause));
    }
    out
}

/// What became of all of them.
pub fn kept_summary(kept: &[Kept], all: usize, others: usize) -> String {
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
    format!("\n  {}: {}\n", plural(all as u64, "stored schedule"), parts.join(", "))
}
