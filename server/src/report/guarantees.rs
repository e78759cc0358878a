//! The report for people, last part: what was covered, test by test.

use super::details::headed;
use super::human::pad;
use super::paint::{Ink, Paint};
use crate::explain::screen::{self, wrap};
use raddle_protocol::report::Report;

/// A guarantee and its terms: what stands in the brackets at its end, which may have brackets in them.
fn split_terms(guarantee: &str) -> Option<(&str, &str)> {
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

/// What was covered, test by test; the terms that all of them share are said once.
pub fn guarantees(reports: &[&Report], paint: Paint) -> String {
    let told: Vec<_> = reports.iter().filter(|r| !r.guarantee.is_empty()).collect();
    let mut out = String::new();
    let head = |out: &str| if out.is_empty() { paint.ink(Ink::Quiet, "guarantee") } else { " ".repeat(9) };
    if let [report] = told[..] {
        return format!("\n{}", headed("guarantee", 2, &report.guarantee, paint));
    }
    // The last parentheses of the sentence hold its terms.
    let split = |r: &Report| split_terms(&r.guarantee).map(|(a, b)| (a.to_string(), b.to_string()));
    let width = told.iter().map(|r| r.test.chars().count()).max().unwrap_or(0).min(60);
    let shared = told.first().and_then(|r| split(r)).map(|(_, terms)| terms);
    let shared = shared.filter(|s| told.iter().all(|r| split(r).is_some_and(|(_, t)| t == *s)));
    for report in &told {
        let said = match (&shared, split(report)) {
            (Some(_), Some((covered, _))) => covered,
            _ => report.guarantee.clone(),
        };
        out += &of_test(&head(&out), &report.test, width, &said);
    }
    if let Some(terms) = shared {
        for line in wrap::wrap(&format!("({terms}"), screen::COLUMNS - 13, 0) {
            out += &format!("  {}  {}\n", " ".repeat(9), paint.ink(Ink::Quiet, &line));
        }
    }
    format!("\n{out}")
}

/// The guarantee of one test, beside its name or, where that leaves too little room, below it.
fn of_test(head: &str, test: &str, width: usize, said: &str) -> String {
    let beside = width <= 45;
    let indent = if beside { 13 + width + 2 } else { 13 };
    let lines = wrap::wrap(said, screen::COLUMNS - indent, 0).into_iter();
    let below = lines.map(|line| format!("{}{line}\n", " ".repeat(indent))).collect::<String>();
    match beside {
        true => format!("  {head}  {}  {}", pad(test, width), below.trim_start()),
        false => format!("  {head}  {test}\n{below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{check, report};
    use expect_test::expect;
    use raddle_protocol::report::Verdict;

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
                |             (sync points, no bound)
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
                |  guarantee  bank::audit       all 6 interleavings (and 1 more) pass (sync points, no bound)
                |             bank::other_test  the only interleaving passes (access points, no bound)
            "#]],
        );
    }
}
