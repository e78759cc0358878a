//! The run itself: its command, its exit status, and what could not be done or not to its end.

use super::message::plain;
use super::places::folder;
use crate::report::run_report::RunReport;
use crate::terminal::clean::visible;
use raddle_protocol::report::{Report, Verdict};
use serde_json::{Value, json};
use std::time::SystemTime;

/// The invocation. `more`: results that there would have been beyond what is taken.
pub fn invocation(whole: &RunReport, more: usize) -> Value {
    let mut notifications: Vec<Value> = whole.reports.iter().flat_map(of).collect();
    for test in &whole.unrun {
        notifications.push(one("warning", &format!("{test} was not run: interrupted")));
    }
    if more > 0 {
        notifications.push(one("warning", &format!("{more} more results were left out")));
    }
    json!({
        "commandLine": whole.command_line(),
        "arguments": whole.command.iter().skip(1).map(|a| visible(a)).collect::<Vec<_>>(),
        "startTimeUtc": utc(whole.began),
        "endTimeUtc": utc(whole.ended),
        "exitCode": whole.status,
        // That failures were found is what it is for.
        "executionSuccessful": whole.count(Verdict::Error) == 0,
        "workingDirectory": { "uri": working() },
        "toolExecutionNotifications": notifications,
    })
}

/// What is to be said of a test beside its results.
fn of(report: &Report) -> Vec<Value> {
    let mut all = Vec::new();
    if let Some(e) = &report.error {
        let parts = [Some(&e.message), e.cause.as_ref(), e.next.as_ref()].into_iter().flatten();
        let text = parts.cloned().collect::<Vec<_>>().join("\n");
        let head = if report.test.is_empty() { String::new() } else { format!("{}: ", report.test) };
        all.push(one("error", &(head + &text)));
    }
    if report.verdict == Verdict::Incomplete {
        let text = format!("{}: the search was not complete. {}", report.test, report.guarantee);
        all.push(one("warning", &text));
    } else if !report.guarantee.is_empty() {
        all.push(one("note", &format!("{}: {}", report.test, report.guarantee)));
    }
    let without = report.warnings.iter().filter(|w| w.location.is_none());
    all.extend(without.map(|w| one("warning", &format!("{}: {}", report.test, w.message))));
    all
}

fn one(level: &str, text: &str) -> Value {
    json!({ "level": level, "message": { "text": plain(text) } })
}

fn working() -> String {
    folder(&std::env::current_dir().unwrap_or_default())
}

fn utc(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}
