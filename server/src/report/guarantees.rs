//! The report for people, last part: what was covered, test by test.

use super::details::headed;
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::text::pad;
use crate::terminal::wrap;
use raddle_protocol::report::{Report, Verdict};

/// Begins the term of a guarantee that names what had one value in all executions.
pub const FIXED: &str = "fixed: ";

/// A guarantee and its terms: what stands in the brackets at its end, which may have brackets in them.
pub fn split_terms(guarantee: &str) -> Option<(&str, &str)> {
    let mut open = 0usize;
    for (at, c) in guarantee.char_indices().rev() {
        match c {
            ')' => open += 1,
            '(' => open = open.checked_sub(1)?,
            _ => continue,
        }
        if open == 0 {
            return Some((guarantee[..at].strip_suffix(' ')?, &guarantee[at + 1..]));
        }
    }
    None
}

/// The terms, one by one. A list that a word with a colon begins is one of them, up to the next such word.
fn each_term(terms: &str) -> Vec<&str> {
    let (mut open, mut from, mut parts) = (0usize, 0, Vec::new());
    for (at, c) in terms.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            ',' if open == 0 && terms[at..].starts_with(", ") => {
                parts.push((from, at));
                from = at + 2;
            }
            _ => {}
        }
    }
    parts.push((from, terms.len()));
    let has_head = |(from, to): (usize, usize)| terms[from..to].contains(": ");
    let mut whole: Vec<(usize, usize)> = Vec::new();
    for part in parts {
        match whole.last_mut() {
            Some(last) if has_head(*last) && !has_head(part) => last.1 = part.1,
            _ => whole.push(part),
        }
    }
    whole.into_iter().map(|(from, to)| &terms[from..to]).collect()
}

/// The guarantees of searches that did not end, which say why, and a line that stands for the others: their one condition that no
/// verdict line has, and where the rest is.
pub fn in_short(reports: &[&Report], paint: Paint) -> String {
    if reports.iter().all(|r| r.guarantee.is_empty()) {
        return String::new();
    }
    let is_open = |r: &&&Report| r.verdict == Verdict::Incomplete && !r.guarantee.is_empty();
    let open: Vec<&Report> = reports.iter().filter(is_open).copied().collect();
    let mut out = if open.is_empty() { String::new() } else { guarantees(&open, paint) };
    if open.len() < reports.len() {
        let text = "Each result holds for sequential consistency; -v prints the whole guarantee.";
        out.push('\n');
        for line in wrap::wrap(text, paint.columns() - 2, 0) {
            out += &format!("  {}\n", paint.ink(Ink::Quiet, &line));
        }
    }
    out
}

/// What to do about the searches that did not end: a line for each thing, whichever tests it is for.
pub fn next_steps(reports: &[&Report], paint: Paint) -> String {
    let open = reports.iter().filter(|r| r.verdict == Verdict::Incomplete);
    let mut steps: Vec<&String> = open.filter_map(|r| r.bound.next.as_ref()).collect();
    steps.sort();
    steps.dedup();
    steps.into_iter().map(|step| headed("next", 7, step, paint)).collect()
}

/// What was covered, test by test; the terms that all of them share are said once.
pub fn guarantees(reports: &[&Report], paint: Paint) -> String {
    let told: Vec<_> = reports.iter().filter(|r| !r.guarantee.is_empty()).collect();
    let mut out = String::new();
    let head = |out: &str| if out.is_empty() { paint.ink(Ink::Quiet, "guarantee") } else { " ".repeat(9) };
    if let [report] = told[..] {
        return format!("\n{}", headed("guarantee", 2, &report.guarantee, paint));
    }
    // The last parentheses of the sentence hold its terms.
    let split = |r: &Report| {
        let (covered, terms) = split_terms(&r.guarantee)?;
        Some((
            covered.to_string(),
            each_term(terms.strip_suffix(')')?).into_iter().map(str::to_string).collect(),
        ))
    };
    let split: Vec<Option<(String, Vec<String>)>> = told.iter().map(|r| split(r)).collect();
    let has =
        |term: &String| split.iter().all(|of| of.as_ref().is_some_and(|(_, terms)| terms.contains(term)));
    let shared = split.first().and_then(|of| of.as_ref()).map(|(_, terms)| terms.iter().filter(|t| has(t)));
    let shared: Vec<String> = shared.into_iter().flatten().cloned().collect();
    let width = told.iter().map(|r| wrap::width(&r.test)).max().unwrap_or(0).min(60);
    for (report, split) in told.iter().zip(&split) {
        let said = match split {
            Some((covered, terms)) => {
                let own: Vec<&str> = terms.iter().filter(|t| !has(t)).map(String::as_str).collect();
                if own.is_empty() { covered.clone() } else { format!("{covered} ({})", own.join(", ")) }
            }
            None => report.guarantee.clone(),
        };
        out += &of_test(&head(&out), &report.test, width, &said, paint.columns());
    }
    if !shared.is_empty() {
        for line in wrap::wrap(&format!("each: {}", shared.join(", ")), paint.columns() - 13, 0) {
            out += &format!("  {}  {}\n", " ".repeat(9), paint.ink(Ink::Quiet, &line));
        }
    }
    format!("\n{out}")
}

/// The guarantee of one test, beside its name or, where that leaves too little room, below it.
fn of_test(head: &str, test: &str, width: usize, said: &str, columns: usize) -> String {
    let beside = width <= columns * 3 / 10;
    let indent = if beside { 13 + width + 2 } else { 15 };
    let lines = wrap::wrap(said, columns - indent, 0).into_iter();
    let below = lines.map(|line| format!("{}{line}\n", " ".repeat(indent))).collect::<String>();
    match beside {
        true => format!("  {head}  {}  {}", pad(test, width), below.trim_start()),
        false => {
            let names = wrap::wrap(test, columns - 13, 2).join(&format!("\n{}", " ".repeat(13)));
            format!("  {head}  {names}\n{below}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{check, report};
    use expect_test::expect;

    #[test]
    fn terms_that_all_tests_share_are_said_once() {
        let mut one = report(Verdict::Passed);
        let terms = "lock-exit points (of a program), states (hashes (64)), no bound)";
        let sentence = format!("all orders (of 2) pass ({terms}");
        assert_eq!(split_terms(&sentence), Some(("all orders (of 2) pass", terms)));
        one.guarantee = "all 6 interleavings (and 1 more) pass (sync points, no bound)".into();
        let mut other = report(Verdict::Passed);
        other.test = "bank::other_test".into();
        other.guarantee = "the only interleaving passes (sync points, no bound)".into();
        check(
            &guarantees(&[&one, &other], Paint::none()),
            &expect![[r#"
                |
                |  guarantee  bank::audit       all 6 interleavings (and 1 more) pass
                |             bank::other_test  the only interleaving passes
                |             each: sync points, no bound
            "#]],
        );
        check(
            &guarantees(&[&other], Paint::none()),
            &expect![[r#"
                |
                |  guarantee  the only interleaving passes (sync points, no bound)
            "#]],
        );
        other.guarantee = "the only interleaving passes (access points, no bound)".into();
        check(
            &guarantees(&[&one, &other], Paint::none()),
            &expect![[r#"
                |
                |  guarantee  bank::audit       all 6 interleavings (and 1 more) pass (sync points)
                |             bank::other_test  the only interleaving passes (access points)
                |             each: no bound
            "#]],
        );
        one.guarantee =
            "all pass (sync points (a, b), no bound, not watched: a, b, freed: in 1, not run: c)".into();
        other.guarantee =
            "all pass (sync points (a, b), bound, not watched: a, b, freed: in 2, not run: c, d)".into();
        check(
            &guarantees(&[&one, &other], Paint::none()),
            &expect![[r#"
                |
                |  guarantee  bank::audit       all pass (no bound, freed: in 1, not run: c)
                |             bank::other_test  all pass (bound, freed: in 2, not run: c, d)
                |             each: sync points (a, b), not watched: a, b
            "#]],
        );
        // A list that goes on otherwise is another one.
        other.guarantee = "all pass (no bound, not watched: b)".into();
        check(
            &guarantees(&[&one, &other], Paint::none()),
            &expect![[r#"
                |
                |  guarantee  bank::audit       all pass (sync points (a, b), not watched: a, b, freed: in 1, not
                |                               run: c)
                |             bank::other_test  all pass (not watched: b)
                |             each: no bound
            "#]],
        );
        other.guarantee = "all pass".into();
        check(
            &guarantees(&[&one, &other], Paint::none()),
            &expect![[r#"
                |
                |  guarantee  bank::audit       all pass (sync points (a, b), no bound, not watched: a, b, freed: in
                |                               1, not run: c)
                |             bank::other_test  all pass
            "#]],
        );
    }
}
