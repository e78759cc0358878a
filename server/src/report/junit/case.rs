//! One test as a case: its verdict, and what a person who sees nothing else needs.

use super::{Xml, seconds};
use crate::report::run_report::RunReport;
use crate::report::run_report::{causes, completed, counted, why};
use crate::terminal::clean::{bounded, first_line, visible};
use quick_xml::events::BytesText;
use raddle_protocol::report::{Failure, Location, Report, Verdict, Warning};
use std::io;

/// Bytes of what a program printed.
const OUTPUT: usize = 64 << 10;
/// Characters of an attribute.
const ATTRIBUTE: usize = 400;

/// A test that was searched, or a target that cannot be used.
pub fn searched(xml: &mut Xml, whole: &RunReport, report: &Report) -> io::Result<()> {
    let name = if report.test.is_empty() { &report.target } else { &report.test };
    case(xml, whole, name, report.seconds, |xml| {
        match report.verdict {
            Verdict::Passed => {}
            Verdict::Failed => failed(xml, report)?,
            Verdict::Incomplete => {
                let message = format!(
                    "no failure found, and not all interleavings were explored. {}",
                    report.guarantee
                );
                outcome(xml, "error", "incomplete", &message, &effort(report))?;
            }
            Verdict::Error => {
                let e = report.error.as_ref();
                let message = e.map_or("it could not be run", |e| &e.message);
                let parts = e.map(|e| [e.cause.as_ref(), e.next.as_ref()]).into_iter().flatten().flatten();
                let text = parts.fold(message.to_string(), |text, part| text + "\n" + part);
                outcome(xml, "error", "error", message, &text)?;
            }
        }
        if report.verdict != Verdict::Error {
            element(xml, "system-out", &standard_output(report))?;
        }
        Ok(())
    })
}

/// A test that is marked to be left out.
pub fn ignored(xml: &mut Xml, whole: &RunReport, test: &str) -> io::Result<()> {
    case(xml, whole, test, 0.0, |xml| {
        xml.create_element("skipped").with_attribute(("message", "ignored")).write_empty().map(drop)
    })
}

/// A test whose turn did not come.
pub fn unrun(xml: &mut Xml, whole: &RunReport, test: &str) -> io::Result<()> {
    case(xml, whole, test, 0.0, |xml| outcome(xml, "error", "incomplete", "not run: interrupted", ""))
}

fn case(
    xml: &mut Xml,
    whole: &RunReport,
    name: &str,
    time: f64,
    inner: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    let (name, class, time) = (visible(name), class(whole), seconds(time));
    let attributes = [("name", name.as_str()), ("classname", class.as_str()), ("time", time.as_str())];
    xml.create_element("testcase").with_attributes(attributes).write_inner_content(inner).map(drop)
}

/// The target as a class: servers take points for folders, and what is behind the last one for the class.
fn class(whole: &RunReport) -> String {
    let path = match visible(&whole.target) {
        here if here.trim_matches(['.', '/']).is_empty() => whole.base.display().to_string(),
        path => path,
    };
    let parts = path.split('/').filter(|p| !p.is_empty() && *p != "." && *p != "..");
    parts.map(|p| p.replace('.', "_")).collect::<Vec<_>>().join(".")
}

/// Of several failures the first names the type: many servers show but one.
fn failed(xml: &mut Xml, report: &Report) -> io::Result<()> {
    let causes = causes(report);
    let Some((first, _)) = causes.first() else {
        return outcome(xml, "failure", "failed", "failed", &effort(report));
    };
    let stories: Vec<String> = causes.iter().map(|(f, same)| story(report, f, same)).collect();
    outcome(xml, "failure", &first.kind, &first.message, &stories.join("\n\n"))
}

/// A failure with everything that explains it and shows it again.
fn story(report: &Report, f: &Failure, same: &[&Failure]) -> String {
    let mut text = format!("{}: {}{}\n", report.test, f.message, place(f.location.as_ref()));
    let (preemptions, switches) = (counted(f.preemptions, "preemption"), counted(f.switches, "switch"));
    text += &format!("found after {}, {preemptions}, {switches}\n", counted(f.found_after, "execution"));
    text += &format!("\n{}\n", why(f).join("\n"));
    text += &format!("\nschedule  {}\nreplay    {}\n", f.schedule, f.replay);
    for other in same {
        let place = place(other.location.as_ref());
        text += &format!("\nalso seen as  {}{place}\nreplay        {}\n", other.message, other.replay);
    }
    text
}

fn place(at: Option<&Location>) -> String {
    at.map(|l| format!("  {}:{}", l.file, l.line)).unwrap_or_default()
}

/// What was done, what holds, and what the failing execution printed.
fn standard_output(report: &Report) -> String {
    let mut text = effort(report);
    for Warning { message, location, .. } in &report.warnings {
        text += &format!("warning: {message}{}\n", place(location.as_ref()));
    }
    let share = OUTPUT / report.failures.len().max(1);
    for f in report.failures.iter().filter(|f| !f.output.is_empty()) {
        text += &format!("\noutput of {}\n{}\n", f.schedule, bounded(f.output.trim_end(), share));
    }
    text
}

fn effort(report: &Report) -> String {
    let mut text = counted(report.executions, "execution");
    for (n, what) in [
        (report.deadlocked, "deadlocked"),
        (report.sleep_blocked, "blocked by sleep sets"),
        (report.assume_blocked, "blocked by assumptions"),
        (report.truncated, "cut off"),
        (report.unfair, "unfair"),
        (report.refused, "refused"),
    ] {
        if n > 0 {
            text += &format!(", {} {what}", crate::terminal::numbers::group(n));
        }
    }
    if let Some(bound) = report.bound.preemptions.completed {
        text += &format!("; {}", completed(bound));
    }
    text.push('\n');
    if !report.guarantee.is_empty() {
        text += &format!("guarantee: {}\n", report.guarantee);
    }
    text
}

fn outcome(xml: &mut Xml, name: &str, kind: &str, message: &str, text: &str) -> io::Result<()> {
    let (kind, message) = (visible(kind), visible(&first_line(message, ATTRIBUTE)));
    let attributes = [("type", kind.as_str()), ("message", message.as_str())];
    let text = visible(text);
    xml.create_element(name).with_attributes(attributes).write_text_content(BytesText::new(&text)).map(drop)
}

fn element(xml: &mut Xml, name: &str, text: &str) -> io::Result<()> {
    xml.create_element(name).write_text_content(BytesText::new(&visible(text))).map(drop)
}
