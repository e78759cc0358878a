//! JUnit XML as CI servers read it, in the narrowest of its dialects (the schema of Jenkins' xunit plugin,
//! to which the tests hold it; quick-junit writes attributes that it does not have).
//!
//! One suite for the target, one case for each test. What fails is a `failure`. A search that a limit or
//! Ctrl-C ended before its goal is an `error` of type `incomplete`: no failure was found, and the test
//! has not passed either, as the exit status (3) says; a green case would say more than is known. Who means
//! to stop early says so with a bound (`--bound preemptions=2`), within which a search is complete.

mod case;

use super::run_report::RunReport;
use crate::terminal::clean::visible;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};
use raddle_protocol::report::{Report, Verdict};
use std::io;

/// The file's text.
pub fn text(whole: &RunReport) -> io::Result<String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let errors = whole.count(Verdict::Error) + whole.count(Verdict::Incomplete) + whole.unrun.len();
    let tests = whole.reports.len() + whole.ignored.len() + whole.unrun.len();
    let counts = [
        ("tests", tests.to_string()),
        ("failures", whole.count(Verdict::Failed).to_string()),
        ("errors", errors.to_string()),
        ("time", seconds(whole.reports.iter().map(|r| r.seconds).sum())),
    ];
    let counts = || counts.iter().map(|(name, value)| (*name, value.as_str()));
    let skipped = whole.ignored.len().to_string();
    let began = humantime::format_rfc3339_seconds(whole.began).to_string();
    let target = visible(&whole.target);
    let more = [("skipped", skipped.as_str()), ("timestamp", began.trim_end_matches('Z'))];
    xml.create_element("testsuites")
        .with_attribute(("name", "raddle"))
        .with_attributes(counts())
        .write_inner_content(|xml| {
            let suite = xml.create_element("testsuite").with_attribute(("name", target.as_str()));
            suite.with_attributes(counts()).with_attributes(more).write_inner_content(|xml| {
                properties(xml, whole)?;
                whole.reports.iter().try_for_each(|r| case::searched(xml, whole, r))?;
                whole.ignored.iter().try_for_each(|test| case::ignored(xml, whole, test))?;
                whole.unrun.iter().try_for_each(|test| case::unrun(xml, whole, test))
            })?;
            Ok(())
        })?;
    String::from_utf8(xml.into_inner()).map(|text| text + "\n").map_err(io::Error::other)
}

type Xml = Writer<Vec<u8>>;

/// What holds for all cases.
fn properties(xml: &mut Xml, whole: &RunReport) -> io::Result<()> {
    let mut all = vec![
        ("raddle", env!("CARGO_PKG_VERSION").to_string()),
        ("command", whole.command_line()),
        ("exit status", whole.status.to_string()),
    ];
    if let Some(report) = whole.reports.iter().find(|r| !r.search.granularity.is_empty()) {
        all.extend(settings(report));
    }
    let one = |xml: &mut Xml, (name, value): &(&str, String)| {
        let attributes = [("name", *name), ("value", value.as_str())];
        xml.create_element("property").with_attributes(attributes).write_empty().map(drop)
    };
    let all_of_them = |xml: &mut Xml| all.iter().try_for_each(|property| one(xml, property));
    xml.create_element("properties").write_inner_content(all_of_them).map(drop)
}

fn settings(report: &Report) -> Vec<(&'static str, String)> {
    let s = &report.search;
    let text = |t: &String| visible(t);
    vec![
        ("granularity", text(&s.granularity)),
        ("bound", text(&s.bound)),
        ("reduce", text(&s.reduce)),
        ("order", text(&s.order)),
        ("seed", s.seed.to_string()),
    ]
}

fn seconds(time: f64) -> String {
    // No number at all sums up to -0.
    let time = time.max(0.0).abs();
    format!("{time:.3}")
}
