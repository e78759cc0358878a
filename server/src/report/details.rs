//! The report for people, second half: each failure with its story, warnings, the guarantees.

use crate::explain::plain::story;
use crate::explain::present::Told;
use crate::explain::screen;
use crate::terminal::numbers::group;
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::text::one_line;
use crate::terminal::wrap;
use raddle_protocol::report::{Failure, Report, Simplified, Verdict, Warning};

/// Failures of a cause that are named beside the one that is shown.
const ALSO_SEEN: usize = 4;

/// What is told of a test after its line: failures with their stories, warnings, errors.
pub fn details(report: &Report, told: &[Told], paint: Paint) -> String {
    let mut out = String::new();
    for i in in_order(report) {
        let (failure, Some(told)) = (&report.failures[i], told.get(i)) else { continue };
        out.push('\n');
        told.screen.iter().for_each(|line| out += &(screen::painted(line, paint) + "\n"));
        out +=
            &failure.simplified.as_ref().map(|s| simplified(s, &failure.schedule, paint)).unwrap_or_default();
        let simpler = failure.explained.as_ref().and_then(|e| e.simpler.as_ref());
        let simpler = simpler.map(|s| headed("simpler", 2, &format!("{s} fails the same way"), paint));
        out += &simpler.unwrap_or_default();
        out += &also_seen(report, i, paint);
    }
    if report.failures.is_empty() {
        out += &told.iter().map(|t| story(t, paint)).collect::<String>();
        out += &output(&report.output);
    }
    if let Some(a) = &report.audit {
        let (runs, checked) = (group(a.runs), group(a.checked));
        let outside = a.outside.len();
        let text = format!(
            "{runs} random runs, {checked} within the bound and fair, {outside} outside the explored classes"
        );
        out += &headed("audit", 3, &text, paint);
    }
    out += &effort(report, paint);
    // A panic that a failure is told by is told.
    let is_failure = |w: &&Warning| {
        let is = |f: &Failure| w.location.is_some() && f.location == w.location;
        w.kind == "thread-panicked" && report.failures.iter().any(is)
    };
    for w in report.warnings.iter().filter(|w| !is_failure(w)) {
        let place = w.location.as_ref().map(|l| format!("  {}:{}", l.file, l.line)).unwrap_or_default();
        let text = format!("{}: {}{place}", report.test, one_line(&w.message));
        out += &under("warning", Ink::Warn, 2, &text, paint);
        let replay = w.replay.as_deref().map(|command| screen::replay(command, paint)).unwrap_or_default();
        replay.iter().for_each(|line| out += &(screen::painted(line, paint) + "\n"));
    }
    if let Some(e) = &report.error {
        let text = paint.symbols(&format!("{}: {}", report.test, e.message)).into_owned();
        let lines = wrap::wrap(&text, paint.columns(), 4);
        out.push('\n');
        out += &lines.iter().map(|line| paint.ink(Ink::Strong, line) + "\n").collect::<String>();
        for (head, text) in [("cause", &e.cause), ("next", &e.next)] {
            match text {
                // A compiler's own lines stay as they are.
                Some(text) if text.contains('\n') => out += &format!("  {head}: {text}\n"),
                Some(text) => out += &headed(&format!("{head}:"), 1, text, paint),
                None => {}
            }
        }
    }
    out
}

/// The failures that are shown, one for each cause: what went wrong comes before the races beside it, which may be how.
pub fn in_order(report: &Report) -> Vec<usize> {
    let shown = |i: &usize| same_cause(&report.failures[*i]).is_none();
    let mut all: Vec<usize> = (0..report.failures.len()).filter(shown).collect();
    all.sort_by_key(|i| report.failures[*i].kind == "data-race");
    all
}

/// All failures, those that are shown first.
pub fn all_in_order(report: &Report) -> Vec<usize> {
    let others = (0..report.failures.len()).filter(|i| same_cause(&report.failures[*i]).is_some());
    in_order(report).into_iter().chain(others).collect()
}

/// The failure shown that has the same cause.
pub fn same_cause(failure: &Failure) -> Option<usize> {
    failure.explained.as_ref()?.same_cause_as
}

/// Failures that are not shown, since they have the cause of this one: a line each, the last ones counted.
fn also_seen(report: &Report, shown: usize, paint: Paint) -> String {
    let others: Vec<&Failure> = report.failures.iter().filter(|f| same_cause(f) == Some(shown)).collect();
    let mut out = String::new();
    for f in others.iter().take(ALSO_SEEN) {
        let line = |f: &Failure| f.location.as_ref().map(|l| (l.file.clone(), l.line));
        let elsewhere = f.location.as_ref().filter(|_| line(f) != line(&report.failures[shown]));
        let place = elsewhere.map(|l| format!(" ({}:{})", l.file, l.line)).unwrap_or_default();
        let schedule = f.schedule.split('#').next().unwrap_or_default();
        let mut text = one_line(&f.message);
        let fits = paint.columns().saturating_sub(16 + wrap::width(&place) + wrap::width(schedule) + 3);
        wrap::cut(&mut text, fits.max(20));
        let line = format!("{text}{place} · {schedule}");
        let line =
            wrap::wrap(&paint.symbols(&line), paint.columns() - 17, 0).join(&format!("\n{}", " ".repeat(17)));
        out += &format!("  {}   {line}\n", paint.ink(Ink::Quiet, "also seen as"));
    }
    match others.len().saturating_sub(ALSO_SEEN) {
        0 => out,
        more => {
            out + &format!("                 and {} more with this cause, in --json\n", group(more as u64))
        }
    }
}

/// What was done to a schedule that was found at random, and to which: a failure may be of other points than the search.
fn simplified(s: &Simplified, schedule: &str, paint: Paint) -> String {
    let count = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let from = format!("{} and {}", count(s.preemptions, "preemption"), count(s.switches, "switch"));
    let from = from.replace("switchs", "switches");
    let more = group(s.executions);
    let points = schedule.split('@').next().unwrap_or_default();
    let fair = if s.unfair_left_out { "fair " } else { "" };
    let known = match s.fewest.last().map(String::as_str) {
        Some("steps") => format!("no simpler {fair}schedule fails so at {points} points"),
        Some("switches") => {
            format!(
                "no {fair}schedule with fewer preemptions, or as few and fewer switches, fails so at {points} points"
            )
        }
        Some(_) => format!("no {fair}schedule with fewer preemptions fails so at {points} points"),
        None => "one with fewer preemptions may fail so too".to_string(),
    };
    let text = format!("from {from}, by {more} executions beside the search; {known}");
    headed("simplified", 3, &text, paint)
}

/// A word, and a text beside it in as many lines as it takes.
pub fn headed(word: &str, gap: usize, text: &str, paint: Paint) -> String {
    under(word, Ink::Quiet, gap, text, paint)
}

fn under(word: &str, ink: Ink, gap: usize, text: &str, paint: Paint) -> String {
    let indent = 2 + word.len() + gap;
    let mut out = String::new();
    for (i, line) in wrap::wrap(&paint.symbols(text), paint.columns() - indent, 0).iter().enumerate() {
        out += &match i {
            0 => format!("  {}{}{line}\n", paint.ink(ink, word), " ".repeat(gap)),
            _ => format!("{}{line}\n", " ".repeat(indent)),
        };
    }
    out
}

/// How much was run where not everything was, and what went to disk.
fn effort(report: &Report, paint: Paint) -> String {
    let mut out = String::new();
    if let Some(e) = report.estimate.as_ref().filter(|_| report.verdict == Verdict::Incomplete) {
        let which = match e.preemptions {
            Some(0) => " without a preemption".to_string(),
            Some(1) => " with at most 1 preemption".to_string(),
            Some(n) => format!(" with at most {n} preemptions"),
            None => String::new(),
        };
        let left = e.executions as f64 * (1.0 - e.share) / report.executions_per_second;
        let rest = if left.is_finite() {
            format!("; the others would take about {}", span(left))
        } else {
            String::new()
        };
        let (test, text, confidence) = (&report.test, &e.text, &e.confidence);
        let said = format!("{test}: {text} executions{which}, {confidence} confidence{rest}");
        out += &headed("explored", 1, &said, paint);
    }
    let tree = &report.tree;
    if tree.spilled > 0 {
        let (spilled, disk, memory) =
            (group(tree.spilled), bytes(tree.spilled_bytes), bytes(tree.peak_bytes));
        let text = format!(
            "{}: what waits took {memory}; {spilled} times one was put aside on disk, {disk} at most",
            report.test
        );
        out += &headed("memory", 3, &text, paint);
    }
    out
}

/// `40 s`, `12 min`, `3 h`, `5 days`.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{:.0} s", s.ceil()),
        s if s < 6_000.0 => format!("{:.0} min", s / 60.0),
        s if s < 360_000.0 => format!("{:.0} h", s / 3_600.0),
        s => format!("{} days", group((s / 86_400.0) as u64)),
    }
}

/// `3.2 MB`.
fn bytes(n: u64) -> String {
    match n {
        n if n < 10 << 10 => format!("{n} bytes"),
        n if n < 10 << 20 => format!("{} KB", n >> 10),
        n => format!("{} MB", group(n >> 20)),
    }
}

/// What the program printed.
fn output(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let lines: String = text.lines().map(|l| format!("    | {l}\n")).collect();
    format!("\n  output of this execution\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotate::story::Line;
    use crate::report::sample::{check, report};
    use crate::target::Place;
    use expect_test::expect;
    use raddle_protocol::report::Estimate;

    #[test]
    fn a_passing_replay_with_its_story() {
        let place = |line| Some(Place { file: "src/lib.rs".into(), line, column: 1 });
        let step = |who: &str, what: &str, line| Line::Step {
            who: who.into(),
            what: what.into(),
            place: place(line),
            method: if who.is_empty() { String::new() } else { "Bank::transfer".to_string() },
            note: String::new(),
            marked: false,
        };
        let told = Told {
            lines: vec![
                step("T1 transfer (spawned at :44)", "unlocks accounts[0]", 21),
                Line::Preempted { number: 1, text: "T1 preempted before :22, holding no lock".into() },
                step("T2", "locks accounts[0]", 33),
            ],
            ..Told::default()
        };
        let mut r = report(Verdict::Passed);
        r.output = "hello\n".into();
        check(
            &details(&r, &[told], Paint::none()),
            &expect![[r#"
                |
                |     T1 transfer (spawned at :44)  unlocks accounts[0]  src/lib.rs:21  Bank::transfer
                |  ①  T1 preempted before :22, holding no lock
                |     T2                            locks accounts[0]    src/lib.rs:33  Bank::transfer
                |
                |  output of this execution
                |    | hello
            "#]],
        );
    }

    #[test]
    fn what_is_left_and_what_it_took() {
        let mut r = report(Verdict::Incomplete);
        r.executions_per_second = 1000.0;
        r.estimate = Some(Estimate {
            executions: 45_000,
            share: 0.1,
            confidence: "low".into(),
            preemptions: Some(3),
            text: "≈ 10 % of about 45,000 (30,000–80,000)".into(),
            ..Estimate::default()
        });
        (r.tree.spilled, r.tree.spilled_bytes, r.tree.peak_bytes) = (1234, 20_000, 64 << 20);
        check(
            &details(&r, &[], Paint::none()),
            &expect![[r#"
                |  explored bank::audit: ≈ 10 % of about 45,000 (30,000–80,000) executions with at most 3
                |           preemptions, low confidence; the others would take about 41 s
                |  memory   bank::audit: what waits took 64 MB; 1,234 times one was put aside on disk, 19 KB at most
            "#]],
        );
        assert_eq!([99.2, 600.0, 7_200.0, 1e6].map(span), ["100 s", "10 min", "2 h", "11 days"]);
        r.verdict = Verdict::Failed;
        assert!(!details(&r, &[], Paint::none()).contains("explored"));
    }
}
