//! Answers of the host as text, for editors that draw no pictures.

use serde_json::Value;

/// Why an execution fails.
pub fn explanation(explained: &Value) -> String {
    let lines = explained["text"].as_array().into_iter().flatten();
    lines.filter_map(Value::as_str).map(|line| format!("{line}\n")).collect()
}

/// What happens in an execution, operation by operation.
pub fn execution(shown: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let place = |at: &Value| match (at["file"].as_str(), at["line"].as_u64()) {
        (Some(file), Some(line)) => format!("  {file}:{line}"),
        _ => String::new(),
    };
    let mut text = format!("{} {}\n", word(&shown["test"]), word(&shown["schedule"]));
    for event in shown["events"].as_array().into_iter().flatten() {
        if let Some(n) = event["preemption"]["number"].as_u64() {
            text += &format!("-- preemption {n} of T{}\n", event["preemption"]["thread"]);
        }
        text += &format!("T{} {}{}\n", event["thread"], word(&event["text"]), place(&event["location"]));
    }
    for waits in shown["pending"].as_array().into_iter().flatten() {
        text += &format!(
            "T{} would go on: {}{}\n",
            waits["thread"],
            word(&waits["text"]),
            place(&waits["location"])
        );
    }
    let message = word(&shown["message"]);
    let apart = if message.is_empty() { "" } else { ": " };
    text += &format!("{}{apart}{message}{}\n", word(&shown["outcome"]), place(&shown["location"]));
    text + &word(&shown["replay"]) + "\n"
}

/// Where a schedule is kept as a regression test.
pub fn kept(saved: &Value) -> String {
    let word = |name: &str| saved[name].as_str().unwrap_or_default().to_string();
    let (file, replay) = (word("file"), word("replay"));
    format!(
        "Kept as a regression test: {file}\nThis one runs with: {replay}\nAll stored ones run with: raddle replay --all\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_execution_as_lines() {
        let at = |line: u32| json!({ "file": "/w/a.c", "line": line, "column": 1 });
        let event =
            |thread: u32, text: &str, line| json!({ "thread": thread, "text": text, "location": at(line) });
        let mut second = event(2, "stores n", 7);
        second["preemption"] = json!({ "number": 1, "thread": 1 });
        let shown = json!({
            "test": "a", "schedule": "sync@3:T2", "outcome": "assertion", "message": "n == 2", "location": at(9),
            "events": [event(1, "loads n", 6), second], "pending": [], "replay": "raddle replay a.c a sync@3:T2",
        });
        let text = "a sync@3:T2\nT1 loads n  /w/a.c:6\n-- preemption 1 of T1\nT2 stores n  /w/a.c:7\n\
                    assertion: n == 2  /w/a.c:9\nraddle replay a.c a sync@3:T2\n";
        assert_eq!(execution(&shown), text);
        assert_eq!(explanation(&json!({ "text": ["one", "two"] })), "one\ntwo\n");
    }
}
