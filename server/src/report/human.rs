//! The report for people, first half: one line per test.

use crate::terminal::numbers::group;
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::text::{pad, pad_painted, plural};
use crate::terminal::wrap;
use raddle_protocol::gap::{self, Gap};
use raddle_protocol::report::{Finer, Report, Seeds, Verdict};
use std::collections::BTreeSet;

/// The line of one test, and below it what does not fit. `width`: of the longest name. Where that leaves too little room, all of
/// what was covered goes below.
pub fn line(report: &Report, width: usize, paint: Paint) -> String {
    let (word, ink) = match report.verdict {
        Verdict::Passed => ("passed", Ink::Good),
        Verdict::Failed => ("FAILED", Ink::Bad),
        Verdict::Incomplete => ("incomplete", Ink::Warn),
        Verdict::Error => ("ERROR", Ink::Bad),
    };
    let (columns, time) = (paint.columns(), format!("{:.2} s", report.seconds));
    let indent = 2 + width.max(wrap::width(&report.test)) + 2 + 10 + 2;
    let end = paint.ink(Ink::Quiet, &time);
    if indent + LEAST + 2 + time.len() > columns {
        let word = paint.ink(ink, word);
        let beside = |width: usize| 2 + width + 2 + 10 + 2 + time.len() <= columns;
        let own = wrap::width(&report.test);
        let first = match (beside(width.max(own)), beside(own)) {
            (true, _) => format!("{}  {word}  {end}", pad(&report.test, width)),
            (false, true) => format!("{}  {word}  {end}", report.test),
            (false, false) => {
                let name = wrap::wrap(&report.test, columns - 2, 0).join("\n  ");
                format!("{name}\n{}{word}  {end}", " ".repeat(BELOW))
            }
        };
        let parts = filled(covered(report), columns - BELOW, columns - BELOW);
        return format!("  {first}\n") + &quiet(&parts, BELOW, paint);
    }
    let room = columns.saturating_sub(indent + 2 + time.len());
    let mut parts = filled(covered(report), room, columns - indent).into_iter();
    let first = pad(&paint.symbols(&parts.next().unwrap_or_default()), COVERED.min(room));
    let (name, word) = (pad(&report.test, width), pad_painted(word, 10, ink, paint));
    format!("  {name}  {word}  {first}  {end}\n") + &quiet(&parts.collect::<Vec<_>>(), indent, paint)
}

/// Parts in few lines, the first of which has its own room. Only what was run shares a line with what follows.
fn filled(parts: Vec<String>, first: usize, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_list = false;
    for part in parts {
        let room = if lines.len() > 1 { columns } else { first };
        match lines.last_mut() {
            Some(line) if !is_list && wrap::width(line) + 3 + wrap::width(&part) <= room => {
                *line += &format!(" · {part}");
            }
            _ => {
                is_list = part.contains(": ");
                lines.push(part);
            }
        }
    }
    lines
}

/// What was covered, in lines of its own.
fn quiet(parts: &[String], indent: usize, paint: Paint) -> String {
    let columns = paint.columns().saturating_sub(indent);
    let lines = parts.iter().flat_map(|part| wrap::wrap(&paint.symbols(part), columns, 2));
    lines.map(|line| format!("{}{}\n", " ".repeat(indent), paint.ink(Ink::Quiet, &line))).collect()
}

/// Columns that what was covered needs beside a name.
const LEAST: usize = 54;
/// Columns before what was covered, where it stands below the name.
const BELOW: usize = 6;
/// Columns for what was covered: the times of most tests stand below each other.
const COVERED: usize = 60;

/// The executions that were run and the gaps that may hide a failure, part by part.
fn covered(r: &Report) -> Vec<String> {
    let mut parts: Vec<String> = run(r).split(" · ").map(str::to_string).collect();
    if r.verdict != Verdict::Error {
        parts.extend(r.finer.filter(|finer| finer.executions > 0).map(inside));
        parts.extend(seeds(r));
    }
    // No gap hides that a test fails.
    if matches!(r.verdict, Verdict::Passed | Verdict::Incomplete) {
        parts.extend(merged(r).map(|level| format!("compiled with {level}: merged accesses are not seen")));
        // Merged accesses are told with their level.
        let gaps: BTreeSet<Gap> = r.gaps.iter().filter(|gap| **gap != Gap::MergedAccesses).copied().collect();
        parts.extend(gap::told(&gaps));
    }
    parts
}

/// The level of optimisation that the guarantee names.
fn merged(r: &Report) -> Option<&str> {
    let (_, level) = r.guarantee.split_once(crate::target::MERGED)?;
    Some(level.split([',', ')', ';', ' ']).next().unwrap_or(level))
}

/// What was run with points inside dependencies.
fn inside(finer: Finer) -> String {
    let Finer { executions, complete } = finer;
    match complete {
        true => format!("complete inside dependencies ({})", plural(executions, "more execution")),
        false => format!("{} inside dependencies", plural(executions, "more execution")),
    }
}

/// With how many seeds of random numbers, or with which.
fn seeds(r: &Report) -> Option<String> {
    let seeds = r.seeds.as_ref()?;
    let which = match seeds {
        Seeds { failing: Some(seed), .. } => format!("seed {seed}"),
        Seeds { wanted, tried, .. } if tried < wanted => format!("{tried} of {wanted} seeds"),
        Seeds { tried, .. } => format!("{tried} seeds"),
    };
    Some(format!("{}: {which}", seeds.of.join(" and ")))
}

/// What was run.
fn run(r: &Report) -> String {
    if r.verdict == Verdict::Error {
        return "could not be run, see below".to_string();
    }
    let cut = r.sleep_blocked + r.assume_blocked + r.truncated + r.refused;
    let run = r.executions + r.deadlocked + r.unfair + cut;
    let shown = super::details::in_order(r).first().and_then(|first| r.failures.get(*first));
    if let (Verdict::Failed, Some(first)) = (r.verdict, shown) {
        let bound = match r.bound.preemptions.completed {
            Some(c) => format!(" · bound {c} complete"),
            None => String::new(),
        };
        let more = match r.failures.len() {
            1 => String::new(),
            n => match r.failures.iter().filter(|f| super::details::same_cause(f).is_some()).count() {
                0 => format!(" · {n} distinct failures"),
                same if n - same == 1 => format!(" · {n} distinct failures of one cause"),
                same => format!(" · {n} distinct failures of {} causes", n - same),
            },
        };
        let (after, preemptions) =
            (plural(first.found_after, "execution"), plural(u64::from(first.preemptions), "preemption"));
        return format!("after {after} · {preemptions}{bound}{more}");
    }
    let points = format!("{} points", r.search.granularity);
    let bound = match r.search.bound.as_str() {
        "none" | "iterative" => String::new(),
        bound => match bound.split_once('=') {
            Some(("preemptions", "1")) => " · up to 1 preemption".to_string(),
            Some(("preemptions", n)) => format!(" · up to {n} preemptions"),
            Some(("depth", "0")) => " · no choices".to_string(),
            Some(("depth", "1")) => " · choices in the first step".to_string(),
            Some(("depth", n)) => format!(" · choices in the first {n} steps"),
            _ => format!(" · {bound}"),
        },
    };
    match r.complete {
        true if run == 1 && r.states.as_ref().is_none_or(|s| s.followed == 0) => {
            format!("the only {} · {points}{bound}", order(r))
        }
        true => format!("{} · {points}{bound}", all(r)),
        false => {
            let bound = match r.bound.preemptions.completed {
                Some(c) => format!(" · bound {c} complete"),
                None => String::new(),
            };
            let refused = match r.refused {
                0 => String::new(),
                n => format!(" · {} refused", group(n)),
            };
            format!("{} · {points}{bound}{refused}", plural(run, "execution"))
        }
    }
}

/// How many interleavings are all. With a reduction they stand for others, and what is cut off
/// asleep is none of them.
fn all(r: &Report) -> String {
    let run = r.executions + r.deadlocked + r.assume_blocked + r.truncated + r.refused;
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
    let cut_off = r.runs - r.failed - r.passed - r.diverged;
    let all = [
        (r.failed, "failed"),
        (r.passed, "passed"),
        (cut_off, "not finished"),
        (r.diverged, "differed from the first"),
    ];
    for (n, what) in all {
        if n > 0 {
            counts.push(format!("{} {what}", group(n)));
        }
    }
    let time = paint.ink(Ink::Quiet, &format!("{:.2} s", report.seconds));
    let runs = plural(r.runs, "run");
    format!("\n  {}  {}   {runs}: {}  {time}\n", report.test, paint.ink(ink, word), counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{check, report};
    use expect_test::expect;

    /// However long a name is, and however much there is to say.
    #[test]
    fn a_line_fits_the_terminal() {
        let mut r = report(Verdict::Passed);
        r.complete = true;
        r.sleep_blocked = 1_234_567;
        r.gaps = [Gap::MergedAccesses, Gap::ClangWeakExchanges].into();
        for (name, columns) in [("t", 60), ("bank::audit", 80), ("a_name_of_a_test_", 100), ("long", 120)] {
            for times in [1, 3, 9] {
                r.test = name.repeat(times);
                let text = line(&r, 12, Paint::of_columns(columns));
                assert!(text.lines().all(|l| wrap::width(l) <= columns), "{text}");
                assert!(
                    text.contains("passed")
                        && text.contains("      all 90 ") | text.contains("passed      all 90 "),
                    "{text}"
                );
            }
        }
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
            &expect![[r#"
                |  bank::audit   passed      all 90 interleavings · sync points                            0.02 s
                |  bank::audit   incomplete  19,605 executions · sync points · bound 2 complete            0.02 s
                |  bank::audit   passed      all 90 orders of atomic blocks · lock-exit points             0.02 s
                |  bank::audit   passed      the only order of atomic blocks · lock-exit points            0.02 s
            "#]],
        );
    }
}
