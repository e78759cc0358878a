//! The page: head, summary, and the tests in the order in which they were run.

use super::anchor;
use super::failure::failure;
use super::source::Sources;
use crate::report::run_report::RunReport;
use crate::report::run_report::{causes, counted};
use crate::terminal::clean::{first_line, visible};
use crate::terminal::numbers::group;
use base64::Engine;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use raddle_protocol::report::{ErrorReport, Failure, Location, Report, Verdict, Warning};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Failures of one test that are shown in full.
const FAILURES: usize = 30;

/// The file's text.
pub fn text(whole: &RunReport) -> String {
    let sources = Sources::new(whole);
    let title = format!("{} · Raddle", visible(&whole.target));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(concat!("Raddle ", env!("CARGO_PKG_VERSION")));
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (head(whole))
                main {
                    (summary(whole))
                    @for (number, report) in whole.reports.iter().enumerate() {
                        @if !report.failures.is_empty() || report.error.is_some() {
                            (test(number, report, &sources))
                        }
                    }
                }
                (foot(whole))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// Nothing but the page's own style and script.
fn policy() -> String {
    let digest = |text: &str| base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
}

fn head(whole: &RunReport) -> Markup {
    let began = humantime::format_rfc3339_seconds(whole.began).to_string();
    let count = |verdict, word: &'static str| (whole.count(verdict), word);
    let counts = [
        count(Verdict::Failed, "failed"),
        count(Verdict::Error, "error"),
        count(Verdict::Incomplete, "incomplete"),
        count(Verdict::Passed, "passed"),
        (whole.ignored.len(), "ignored"),
        (whole.unrun.len(), "not run"),
    ];
    html! {
        header {
            div {
                h1 { (visible(&whole.target)) }
                p.quiet { code { (whole.command_line()) } " · " (began.replace('T', " ").replace('Z', " UTC")) }
            }
            div.counts {
                @for (n, word) in counts.iter().filter(|(n, _)| *n > 0) {
                    span class={ "count " (word.replace(' ', "-")) } { b { (n) } " " (word) }
                }
            }
        }
    }
}

/// One row for each test.
fn summary(whole: &RunReport) -> Markup {
    html! {
        table.tests {
            thead { tr { th { "test" } th { "verdict" } th { "what holds" } th.number { "executions" } th.number { "time" } } }
            tbody {
                @for (number, report) in whole.reports.iter().enumerate() { (row(number, report)) }
                @for test in &whole.ignored { (rest(test, "ignored")) }
                @for test in &whole.unrun { (rest(test, "not run")) }
            }
        }
    }
}

fn row(number: usize, report: &Report) -> Markup {
    let name = visible(if report.test.is_empty() { &report.target } else { &report.test });
    let told = !report.failures.is_empty() || report.error.is_some();
    html! {
        tr {
            td.name { @if told { a href={ "#" (anchor(number)) } { (breakable(&name)) } } @else { (breakable(&name)) } }
            td { span class={ "verdict " (word(report.verdict)) } { (word(report.verdict)) } }
            td {
                @for f in &report.failures { div.message { (visible(&first_line(&f.message, 200))) } }
                @if let Some(e) = &report.error { div.message { (visible(&first_line(&e.message, 200))) } }
                @if !report.guarantee.is_empty() { div.quiet { (visible(&report.guarantee)) } }
                @if let Some(e) = report.estimate.as_ref().filter(|_| report.verdict == Verdict::Incomplete) {
                    div.quiet { (visible(&e.text)) " executions" }
                }
                @for w in &report.warnings { (warning(w)) }
            }
            td.number title=(counts(report)) { (group(report.executions)) }
            td.number { (format!("{:.2} s", report.seconds)) }
        }
    }
}

/// A name that may go on in the next line behind `::` and `_`.
fn breakable(name: &str) -> Markup {
    html! { @for part in name.split_inclusive([':', '_']) { (part) @if part.ends_with([':', '_']) { wbr; } } }
}

fn rest(test: &str, word: &str) -> Markup {
    html! { tr { td.name { (breakable(&visible(test))) } td { span class="verdict rest" { (word) } } td {} td {} td {} } }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Incomplete => "incomplete",
        Verdict::Error => "error",
    }
}

/// Everything that was counted.
fn counts(report: &Report) -> String {
    let mut text = counted(report.executions, "complete execution");
    for (n, what) in [
        (report.deadlocked, "deadlocked"),
        (report.sleep_blocked, "blocked by sleep sets"),
        (report.assume_blocked, "blocked by assumptions"),
        (report.truncated, "cut off"),
        (report.unfair, "unfair"),
        (report.refused, "refused"),
        (report.classes.unwrap_or(0), "classes"),
    ] {
        if n > 0 {
            text += &format!(", {} {what}", group(n));
        }
    }
    text
}

fn warning(w: &Warning) -> Markup {
    html! { div.warning { b { "warning " } (visible(&w.message)) " " (place(w.location.as_ref())) } }
}

/// A place, quietly.
pub fn place(at: Option<&Location>) -> Markup {
    html! { @if let Some(at) = at { span.place { (visible(&at.file)) ":" (at.line) } } }
}

/// A test that failed, or could not be run.
fn test(number: usize, report: &Report, sources: &Sources) -> Markup {
    html! {
        section.test id=(anchor(number)) {
            h2 { (visible(if report.test.is_empty() { &report.target } else { &report.test })) }
            @if let Some(e) = &report.error { (error(e)) }
            @let causes = causes(report);
            @for (at, (f, same)) in causes.iter().take(FAILURES).enumerate() {
                (failure(&format!("{}-{at}", anchor(number)), report, f, sources))
                @if !same.is_empty() { (others(&format!("{} with this cause", counted(same.len() as u64, "more failure")), same)) }
            }
            @let more: Vec<&Failure> = causes.iter().skip(FAILURES).flat_map(|(f, same)| [*f].into_iter().chain(same.iter().copied())).collect();
            @if !more.is_empty() { (others(&counted(more.len() as u64, "more failure"), &more)) }
        }
    }
}

/// Failures beyond those that are shown in full.
fn others(head: &str, failures: &[&Failure]) -> Markup {
    html! {
        details.card.others {
            summary { (head) }
            @for f in failures {
                p { span.kind { (visible(&f.kind)) } " " (visible(&first_line(&f.message, 200))) " " (place(f.location.as_ref())) }
                pre.quiet { (visible(&f.replay)) }
            }
        }
    }
}

fn error(e: &ErrorReport) -> Markup {
    html! {
        div.card.error {
            p.message { (visible(&e.message)) }
            @if let Some(cause) = &e.cause { pre { (visible(cause)) } }
            @if let Some(next) = &e.next { p { b { "next " } (visible(next)) } }
        }
    }
}

fn foot(whole: &RunReport) -> Markup {
    let took = whole.ended.duration_since(whole.began).unwrap_or_default();
    html! {
        footer {
            "Raddle " (env!("CARGO_PKG_VERSION")) " · exit status " (whole.status) " · "
            (format!("{:.1} s", took.as_secs_f64())) " · "
            @if let Some(s) = whole.reports.first().map(|r| &r.search) {
                (visible(&s.granularity)) " points, bound " (visible(&s.bound)) ", reduction " (visible(&s.reduce))
                ", order " (visible(&s.order)) ", seed " (s.seed)
            }
        }
    }
}
