//! `--sarif`.

use super::{HOSTILE_NAME, explore, explored, hostile};
use raddle_protocol::report::Report;
use raddle_tests::{Run, Scratch, line_of, only_failure};
use serde_json::Value;
use std::time::Duration;

const SCHEMA: &str = include_str!("../../../schemas/sarif-2.1.0.json");

/// The file, held to the schema.
#[track_caller]
fn valid(scratch: &Scratch) -> Value {
    let log: Value = serde_json::from_str(&scratch.read("out.sarif")).expect("JSON");
    // One pattern of the schema, of a property that is not used here, has a bracket too many.
    let schema = SCHEMA.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}?$");
    let schema: Value = serde_json::from_str(&schema).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema that can be used");
    let wrong: Vec<String> =
        validator.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // It is about 10 MB at most, and every place names one of the artifacts.
    assert!(scratch.read("out.sarif").len() < 10_000_000);
    assert!(log["runs"].as_array().is_some_and(|runs| runs.len() == 1));
    let artifacts = log["runs"][0]["artifacts"].as_array().expect("artifacts");
    assert!(artifacts.iter().all(|a| a.get("contents").is_none()));
    log
}

/// Every value of this name, however deep.
fn all<'a>(value: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if key == name {
                    found.push(value);
                }
                all(value, name, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|v| all(v, name, found)),
        _ => {}
    }
}

fn results(log: &Value) -> &[Value] {
    log["runs"][0]["results"].as_array().expect("results")
}

/// The steps of a result's threads, in the order of the execution.
fn steps(result: &Value) -> Vec<&Value> {
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("thread flows");
    let mut steps = Vec::new();
    for flow in flows {
        let of_thread = flow["locations"].as_array().expect("locations");
        let orders: Vec<u64> = of_thread.iter().map(order).collect();
        assert!(orders.is_sorted_by(|a, b| a < b), "{orders:?}");
        steps.extend(of_thread);
    }
    steps.sort_by_key(|s| order(s));
    assert!(steps.windows(2).all(|w| order(w[0]) < order(w[1])), "each place in the order is taken once");
    steps
}

fn order(step: &Value) -> u64 {
    step["executionOrder"].as_u64().expect("a number")
}

fn json(scratch: &Scratch, words: &str) -> Report {
    explored(scratch, words).json().report().clone()
}

#[test]
fn a_failing_execution_is_its_threads_in_one_order() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let report = json(&scratch, "lost_update.c");
    let failure = only_failure(&report);
    let log = valid(&scratch);
    let [result] = results(&log) else { panic!("one result in {log:#}") };
    assert_eq!((&result["ruleId"], &result["level"]), (&"assertion".into(), &"error".into()));
    let place = &result["locations"][0]["physicalLocation"];
    let expected = line_of(&scratch.read("lost_update.c"), "assert(");
    assert_eq!(place["artifactLocation"]["uri"], "lost_update.c");
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    assert_eq!(place["region"]["startLine"], expected);
    // All operations with a place, each where the report has it.
    let steps = steps(result);
    let placed: Vec<usize> =
        (0..failure.events.len()).filter(|at| failure.events[*at].location.is_some()).collect();
    assert_eq!(steps.iter().map(|s| order(s) as usize - 1).collect::<Vec<_>>(), placed);
    for (step, event) in steps.iter().zip(placed.iter().map(|at| &failure.events[*at])) {
        let text = step["location"]["message"]["text"].as_str().expect("a text");
        assert!(text.contains(&event.text), "{text} for {event:?}");
        if let Some(value) = event.shown.clone().or(event.value.map(|v| v.to_string())) {
            assert_eq!(step["state"][&event.object]["text"], value);
        }
    }
    // What decides is essential, linked to from the message, and told in order.
    let explained = failure.explained.as_ref().expect("an explanation");
    let deciding = explained.deciding.iter().flat_map(|d| &d.order).flat_map(|o| [&o.first, &o.then]);
    for at in deciding.filter_map(|o| o.event) {
        let step = steps.iter().find(|s| order(s) as usize == at + 1).expect("a step");
        assert_eq!(step["importance"], "essential", "{step}");
    }
    let message = result["message"]["text"].as_str().expect("a text");
    let related = result["relatedLocations"].as_array().expect("related locations");
    assert_eq!(related.len(), 5, "two loads, two stores and a preemption: {related:#?}");
    for place in related {
        assert!(message.contains(&format!("]({})", place["id"])), "{message} links to {place}");
    }
    assert_eq!(result["properties"]["schedule"], failure.schedule.as_str());
    assert!(message.contains(&failure.replay), "{message}");
    let mistake = failure.explained.as_ref().and_then(|e| e.mistake.as_ref()).expect("a mistake");
    assert_eq!(mistake.kind, "atomicity violation");
    assert!(message.contains("Atomicity violation: "), "{message}");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!((&invocation["exitCode"], &invocation["executionSuccessful"]), (&1.into(), &true.into()));
}

#[test]
fn locks_calls_and_preemptions_are_kinds_of_steps() {
    let scratch = Scratch::with("samples/c/two_lock_deadlock.c");
    explore(&scratch, "two_lock_deadlock.c").exits(1);
    let log = valid(&scratch);
    let steps = steps(&results(&log)[0]);
    let kinds_of = |text: &str| {
        let at = |s: &&&Value| s["location"]["message"]["text"].as_str().is_some_and(|t| t.contains(text));
        steps.iter().find(at).unwrap_or_else(|| panic!("{text} in {steps:#?}"))["kinds"].clone()
    };
    assert_eq!(kinds_of("spawns T1"), serde_json::json!(["call", "function"]));
    assert_eq!(
        kinds_of("locks left"),
        serde_json::json!(["acquire", "lock", "caution"]),
        "preempted behind it"
    );
    assert_eq!(kinds_of("locks right"), serde_json::json!(["acquire", "lock"]));
}

/// Lines are inserted above and within, and a message moves; the failure is the same.
#[test]
fn a_fingerprint_survives_moved_lines() {
    for sample in ["lost_update", "two_lock_deadlock", "lost_wakeup"] {
        let print = |scratch: &Scratch| {
            explore(scratch, &format!("{sample}.c")).exits(1);
            valid(scratch)["runs"][0]["results"][0]["partialFingerprints"].clone()
        };
        let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
        let before = print(&scratch);
        assert!(before["raddleFailure/v1"].as_str().is_some_and(|p| p.len() == 32), "{before}");
        let text = scratch.read(&format!("{sample}.c"));
        let moved = format!("\n/* above */\n\n{}", text.replace("{\n", "{\n\n"));
        scratch.write(&format!("{sample}.c"), &moved);
        assert_eq!(print(&scratch), before, "{sample}");
    }
    let fingerprint = |sample: &str| {
        let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
        explore(&scratch, &format!("{sample}.c")).exits(1);
        valid(&scratch)["runs"][0]["results"][0]["partialFingerprints"].clone()
    };
    assert_ne!(fingerprint("queue_if"), fingerprint("signal_one"));
}

#[test]
fn failures_of_one_cause_are_one_result() {
    let scratch = Scratch::with("samples/c/lost_update_plain.c");
    explore(&scratch, "lost_update_plain.c --keep-going").exits(1);
    let log = valid(&scratch);
    let failures: Vec<&Value> = results(&log).iter().filter(|r| r["level"] == "error").collect();
    let races = failures.iter().filter(|r| r["ruleId"].to_string().contains("data-race")).count();
    assert_eq!(races, 1, "{failures:#?}");
    assert_eq!(failures[0]["occurrenceCount"], 2);
    let also = failures[0]["properties"]["alsoSeenAs"].as_array().expect("the other one");
    assert!(also.len() == 1 && also[0]["message"].to_string().contains("data race on counter"), "{also:?}");

    super::junit::valid(&scratch);
    let junit = scratch.read("out.xml");
    assert_eq!(junit.matches("also seen as  data race on counter").count(), 1, "{junit}");
    let page = super::html::page(&scratch);
    let pictures = scraper::Selector::parse("article svg").expect("a selector");
    let others = scraper::Selector::parse("details.others").expect("a selector");
    let (pictures, others) = (page.select(&pictures).count(), page.select(&others).collect::<Vec<_>>());
    let said: String = others.iter().flat_map(|o| o.text()).collect();
    assert!(said.contains("1 more failure with this cause") && said.contains("raddle replay"), "{said}");
    assert_eq!(pictures, failures.len());
}

#[test]
fn a_race_has_two_stacks() {
    let scratch = Scratch::with("samples/c/unlocked_sometimes.c");
    explore(&scratch, "unlocked_sometimes.c").exits(1);
    let log = valid(&scratch);
    let result = &results(&log)[0];
    let stacks = result["stacks"].as_array().expect("stacks");
    let functions =
        |s: &Value| s["frames"][0]["location"]["logicalLocations"][0]["fullyQualifiedName"].clone();
    assert_eq!(stacks.iter().map(functions).collect::<Vec<_>>(), ["reporter", "worker"]);
    let message = result["message"]["text"].as_str().expect("a text");
    assert!(message.contains("[T1: read of total, holding no lock]("), "{message}");
    let races = steps(result).iter().filter(|s| s["kinds"].to_string().contains("danger")).count();
    assert_eq!(races, 2);
}

#[test]
fn long_executions_keep_what_matters() {
    let scratch = Scratch::with("samples/rust/job_queue");
    let run: Run = explored(&scratch, "job_queue submit_and_close").run().exits(1);
    let log = valid(&scratch);
    let steps = steps(&results(&log)[0]);
    assert!(steps.len() > 300 && steps.len() <= 1000, "{}", steps.len());
    assert!(steps.iter().any(|s| s["kinds"].to_string().contains("caution")), "{}", run.stdout);
    let mut places = Vec::new();
    all(&log, "uri", &mut places);
    assert!(places.iter().any(|p| *p == "job_queue/src/lib.rs"), "relative to the repository: {places:?}");
}

#[test]
fn what_could_not_be_done_is_a_notification() {
    let scratch = Scratch::new();
    scratch.write("broken.c", "int main(void) { return missing; }\n");
    explore(&scratch, "broken.c").exits(2);
    let log = valid(&scratch);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&false.into(), &2.into()));
    let told = &invocation["toolExecutionNotifications"][0];
    assert_eq!(told["level"], "error");
    assert!(told["message"]["text"].as_str().is_some_and(|t| t.contains("missing")), "{told}");
    assert!(results(&log).is_empty());
}

#[test]
fn ctrl_c_leaves_whole_reports() {
    let scratch = Scratch::with("samples/c/work_stealing.c");
    let words = "work_stealing.c --bound none --time 60s";
    explored(&scratch, words).interrupt_after(Duration::from_secs(6)).run().exits(3);
    let log = valid(&scratch);
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 3);
    super::junit::valid(&scratch);
    assert!(scratch.read("out.html").ends_with("</html>\n"));
}

/// Nothing was run yet, and the reports say so.
#[test]
fn ctrl_c_while_building_leaves_whole_reports() {
    let scratch = Scratch::with("samples/rust/bank");
    // With an empty cache that takes several seconds.
    let cache = scratch.path("its own cache");
    let run = explored(&scratch, "bank").cache(cache).interrupt_after(Duration::from_secs(1)).run();
    run.exits(3).says(&["interrupted while building"]);
    let log = valid(&scratch);
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 3);
    assert_eq!(results(&log).len(), 0);
    let junit = super::junit::valid(&scratch);
    assert!(junit.contains("not run: interrupted") && junit.contains("errors=\"1\""), "{junit}");
    super::html::page(&scratch);
}

#[test]
fn what_the_program_says_is_text() {
    let scratch = hostile();
    let log = valid(&scratch);
    let message = results(&log)[0]["message"]["text"].as_str().expect("a text");
    assert!(message.contains("[a\\](1) {{0}} ␛[2J ␁ '"), "{message}");
    let file = &results(&log)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(file, "a%3Cb%3E'&%22%5D%5B(1)%7B0%7D%23%25%3F.c", "for {HOSTILE_NAME}");
}
