//! SARIF 2.1.0 (OASIS): one run; a rule for each kind of failure and of warning, a result for each cause of
//! failures and for each warning with a place. The failing execution is a code flow ([`flows`]), what decides
//! are the result's related locations, which its message links to ([`message`]).
//!
//! It is written as JSON rather than with types of a crate (serde-sarif has them, by builders of a hundred
//! optional fields each): the tests hold it to the schema of OASIS, which is the contract.
//!
//! Code hosts have limits. GitHub takes files of 10 MB (compressed) and 25,000 results, and shows 5,000
//! results, 1,000 thread flow locations and 100 locations of each: what is less important is left out here,
//! where it can be chosen, and said.

mod fingerprint;
mod flows;
mod message;
mod notifications;
mod places;
mod rules;

use super::run_report::RunReport;
use super::run_report::causes;
use crate::terminal::clean::visible;
use places::Places;
use raddle_protocol::report::{Failure, Frame, RaceSide, Report, Warning};
use rules::Rules;
use serde_json::{Value, json};

/// Results that are shown.
const RESULTS: usize = 5_000;
/// Bytes of a file, with room to spare below what is taken.
const BYTES: usize = 9_000_000;
/// Thread flow locations of a result that are shown; fewer where the file would be too large.
const STEPS: [usize; 5] = [1_000, 300, 100, 30, 0];

/// The file's text, with as many steps as there is room for; in lines, where they fit so.
pub fn text(whole: &RunReport) -> String {
    let mut last = String::new();
    for steps in STEPS {
        let log = log(whole, steps);
        for text in [format!("{log:#}\n"), format!("{log}\n")] {
            if text.len() < BYTES {
                return text;
            }
            last = text;
        }
    }
    last
}

fn log(whole: &RunReport, steps: usize) -> Value {
    let mut places = Places::new(whole);
    let mut rules = Rules::default();
    let results = results(whole, &mut places, &mut rules, steps);
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Raddle",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.told(),
            }},
            "automationDetails": { "id": format!("raddle/{}/", visible(&whole.target)) },
            "invocations": [notifications::invocation(whole, results.1)],
            "originalUriBaseIds": places.bases(),
            "columnKind": "unicodeCodePoints",
            "artifacts": places.artifacts(),
            "results": results.0,
        }],
    })
}

/// The results, and how many there would be more.
fn results(whole: &RunReport, places: &mut Places, rules: &mut Rules, steps: usize) -> (Vec<Value>, usize) {
    let mut results = Vec::new();
    let mut more = 0;
    let mut add = |one: Value| if results.len() < RESULTS { results.push(one) } else { more += 1 };
    for report in &whole.reports {
        for (f, same) in causes(report) {
            let mut one = failure(report, f, places, rules, steps);
            if !same.is_empty() {
                one["occurrenceCount"] = json!(same.len() + 1);
                one["properties"]["alsoSeenAs"] = same.iter().map(|f| again(f)).collect();
            }
            add(one);
        }
    }
    for report in &whole.reports {
        for w in report.warnings.iter().filter(|w| w.location.is_some()) {
            add(warning(report, w, places, rules));
        }
    }
    (results, more)
}

fn failure(report: &Report, f: &Failure, places: &mut Places, rules: &mut Rules, steps: usize) -> Value {
    let rule = rules.failure(&f.kind);
    let related = message::related(f);
    let flow = flows::flow(f, places, steps);
    let mut properties = json!({
        "test": visible(&report.test),
        "schedule": f.schedule,
        "replay": visible(&f.replay),
        "preemptions": f.preemptions,
        "switches": f.switches,
        "foundAfter": f.found_after,
        "guarantee": visible(&report.guarantee),
    });
    if let Some(mistake) = f.explained.as_ref().and_then(|e| e.mistake.as_ref()) {
        properties["mistake"] = json!(mistake.kind);
    }
    if flow.left_out > 0 {
        properties["stepsLeftOut"] = json!(flow.left_out);
    }
    let mut result = json!({
        "ruleId": rule.id,
        "ruleIndex": rule.index,
        "kind": "fail",
        "level": "error",
        "message": message::of(report, f, &related),
        "locations": places.result(f.location.as_ref(), &f.method),
        "partialFingerprints": { "raddleFailure/v1": fingerprint::failure(report, f) },
        "properties": properties,
    });
    if !flow.threads.is_empty() {
        let text = format!("The failing execution: {}", f.schedule);
        result["codeFlows"] =
            json!([{ "message": { "text": message::plain(&text) }, "threadFlows": flow.threads }]);
    }
    if let Some(race) = &f.race {
        result["stacks"] = [&race.first, &race.second].map(|side| stack(side, places)).into();
    }
    if !related.is_empty() {
        result["relatedLocations"] = related.iter().map(|r| r.told(places)).collect();
    }
    result
}

/// A failure with the same cause as one that is told.
fn again(f: &Failure) -> Value {
    json!({ "message": visible(&f.message), "schedule": f.schedule, "replay": visible(&f.replay) })
}

/// How a thread came to an access of a race.
fn stack(side: &RaceSide, places: &mut Places) -> Value {
    let frame = |f: &Frame| json!({ "location": places.location(&f.location, &f.function) });
    let frames: Vec<Value> = side.stack.iter().map(frame).collect();
    json!({ "message": { "text": message::plain(&message::access(side)) }, "frames": frames })
}

fn warning(report: &Report, w: &Warning, places: &mut Places, rules: &mut Rules) -> Value {
    let rule = rules.warning(&w.kind);
    let text = format!("{}: {}", report.test, w.message);
    json!({
        "ruleId": rule.id,
        "ruleIndex": rule.index,
        "kind": "fail",
        "level": rule.level,
        "message": { "text": message::plain(&text) },
        "locations": places.result(w.location.as_ref(), ""),
        "partialFingerprints": { "raddleWarning/v1": fingerprint::warning(report, w) },
        "properties": { "test": visible(&report.test) },
    })
}

#[cfg(test)]
mod tests;
