//! The report for people, first half: one line per test.

use super::paint::{Ink, Paint};
use crate::progress::group;
use raddle_protocol::report::{Report, Verdict};
use std::time::Duration;

/// The line of one test. `width`: of the longest name.
pub fn line(report: &Report, width: usize, paint: Paint) -> String {
    let (word, ink) = match report.verdict {
        Verdict::Passed => ("passed", Ink::Good),
        Verdict::Failed => ("FAILED", Ink::Bad),
        Verdict::Incomplete => ("incomplete", Ink::Warn),
        Verdict::Error => ("ERROR", Ink::Bad),
    };
    let name = pad(&report.test, width);
    let word = pad_painted(word, 10, ink, paint);
    let covered = covered(report);
    let time = format!("{:.2} s", report.seconds);
    format!("  {name}  {word}  {}  {}\n", pad(&covered, 60), paint.ink(Ink::Quiet, &time))
}

/// Filled up with blanks.
pub fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

fn pad_painted(text: &str, width: usize, ink: Ink, paint: Paint) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{}{}", paint.ink(ink, text), " ".repeat(missing))
}

/// What was run, in a few words.
fn covered(r: &Report) -> String {
    if r.verdict == Verdict::Error {
        return "could not be run, see below".to_string();
    }
    let run = r.executions + r.deadlocked + r.sleep_blocked + r.assume_blocked + r.truncated;
    if let (Verdict::Failed, Some(first)) = (r.verdict, r.failures.first()) {
        let bound = match r.bound.preemptions.completed {
            Some(c) => format!(" · bound {c} complete"),
            None => String::new(),
        };
        let more = match r.failures.len() {
            1 => String::new(),
            n => format!(" · {n} distinct failures"),
        };
        let (after, preemptions) =
            (plural(first.found_after, "execution"), plural(u64::from(first.preemptions), "preemption"));
        return format!("after {after} · {preemptions}{bound}{more}");
    }
    let points = format!("{} points", r.search.granularity);
    let unbounded = r.search.bound == "none" || r.search.bound == "iterative";
    match (r.complete, unbounded) {
        (true, _) if run == 1 && r.states.as_ref().is_none_or(|s| s.followed == 0) => {
            format!("the only {} · {points}", order(r))
        }
        (true, true) => format!("{} · {points} · no bound", all(r)),
        (true, false) => {
            let bound = match r.search.bound.split_once('=') {
                Some(("preemptions", n)) => format!("up to {n} preemptions"),
                Some(("depth", "1")) => "choices in the first step".to_string(),
                Some(("depth", n)) => format!("choices in the first {n} steps"),
                _ => r.search.bound.clone(),
            };
            format!("{} · {points} · {bound}", all(r))
        }
        (false, _) => {
            let bound = match r.bound.preemptions.completed {
                Some(c) => format!(" · bound {c} complete"),
                None => String::new(),
            };
            format!("{} · {points}{bound}", plural(run, "execution"))
        }
    }
}

/// How many interleavings are all. With a reduction they stand for others, and what is cut off
/// asleep is none of them.
fn all(r: &Report) -> String {
    let run = r.executions + r.deadlocked + r.assume_blocked + r.truncated;
    match r.search.reduce.as_str() {
        "" | "none" if !matches!(r.search.states.as_str(), "" | "none") => {
            format!("all states that interleavings reach, in {}", plural(run, "execution"))
        }
        "" | "none" => format!("all {} {}", group(run), orders(r)),
        "bounded" => format!("the {} that stand for all", plural(run, "interleaving")),
        _ if r.sleep_blocked > 0 => {
            let repeats = plural(r.sleep_blocked, "repeat");
            format!("all distinct {} in {} · {repeats} cut off", orders(r), plural(run, "execution"))
        }
        _ => format!("all distinct {} in {}", orders(r), plural(run, "execution")),
    }
}

/// What an execution is one of: between lock exits threads are not switched, so that not every interleaving
/// is there.
fn order(r: &Report) -> &'static str {
    if r.search.granularity == "lock-exit" { "order of atomic blocks" } else { "interleaving" }
}

fn orders(r: &Report) -> &'static str {
    if r.search.granularity == "lock-exit" { "orders of atomic blocks" } else { "interleavings" }
}

fn plural(n: u64, what: &str) -> String {
    format!("{} {what}{}", group(n), if n == 1 { "" } else { "s" })
}

/// The line of a replay.
pub fn replay_line(report: &Report, paint: Paint) -> String {
    let Some(r) = &report.replay else { return String::new() };
    let (word, ink) = match report.verdict {
        Verdict::Failed => ("FAILED", Ink::Bad),
        Verdict::Passed => ("passed", Ink::Good),
        Verdict::Incomplete => ("not finished", Ink::Warn),
        Verdict::Error => ("DIVERGED", Ink::Bad),
    };
    let mut counts = Vec::new();
    for (n, what) in [(r.failed, "failed"), (r.passed, "passed"), (r.diverged, "differed from the first")] {
        if n > 0 {
            counts.push(format!("{} {what}", group(n)));
        }
    }
    let time = paint.ink(Ink::Quiet, &format!("{:.2} s", report.seconds));
    let runs = plural(r.runs, "run");
    format!("\n  {}  {}   {runs}: {}  {time}\n", report.test, paint.ink(ink, word), counts.join(", "))
}

/// `60 s`, `0.5 s`, as limits are named.
pub fn seconds(d: Duration) -> String {
    format!("{} s", d.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use raddle_protocol::report::Search;

    fn report(verdict: Verdict) -> Report {
        let search = Search { granularity: "sync".into(), bound: "iterative".into(), ..Search::default() };
        let mut r = Report::new("bank", "bank::audit", search);
        r.verdict = verdict;
        r.executions = 90;
        r.seconds = 0.0234;
        r
    }

    fn check(actual: &str, expected: Expect) {
        // With a margin, which keeps `expect!` from taking the indentation for its own.
        expected.assert_eq(&actual.lines().map(|l| format!("|{l}\n")).collect::<String>());
    }

    #[test]
    fn a_line_per_test() {
        let mut passed = report(Verdict::Passed);
        passed.complete = true;
        let mut incomplete = report(Verdict::Incomplete);
        incomplete.bound.preemptions.completed = Some(2);
        incomplete.executions = 19605;
        let mut blocks = passed.clone();
        (blocks.search.granularity, blocks.search.bound) = ("lock-exit".into(), "none".into());
        let mut only = blocks.clone();
        only.executions = 1;
        let all = [passed, incomplete, blocks, only];
        let text: String = all.iter().map(|r| line(r, 12, Paint::none())).collect();
        check(
            &text,
            expect![[r#"
                |  bank::audit   passed      all 90 interleavings · sync points · no bound                 0.02 s
                |  bank::audit   incomplete  19,605 executions · sync points · bound 2 complete            0.02 s
                |  bank::audit   passed      all 90 orders of atomic blocks · lock-exit points · no bound  0.02 s
                |  bank::audit   passed      the only order of atomic blocks · lock-exit points            0.02 s
            "#]],
        );
    }
}
