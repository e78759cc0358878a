//! What is written beside the failing samples about the operations that decide (samples/README.md) speaks of the
//! sources as they are: each line stands there, unmistakably, and each sample that fails has such a file.

use raddle_tests::expected::{Failure, Operation, expected, function, occurrences, read, samples};
use std::fs;

const KINDS: [&str; 6] = ["assertion", "panic", "crash", "deadlock", "livelock", "data-race"];
const MISTAKES: [&str; 8] = [
    "atomicity violation",
    "order violation",
    "missed notification",
    "missing notification",
    "use after free",
    "lock order",
    "unprotected access",
    "other",
];
const DOES: [&str; 11] =
    ["read", "write", "load", "store", "rmw", "lock", "try_lock", "wait", "wake", "notify one", "free"];

fn check_operation(source: &str, failure: &Failure, op: &Operation) {
    let said = format!("{}: `{}`", failure.test, op.line);
    assert!(failure.threads.contains_key(&op.by), "{said}: no role {}", op.by);
    assert!(DOES.contains(&op.does.as_str()), "{said}: {}", op.does);
    assert!(!op.of.is_empty() && op.time != Some(0), "{said}");
    let count = occurrences(source, op.function.as_deref(), &op.line);
    match op.occurrence {
        None => assert_eq!(count, 1, "{said}"),
        Some(n) => assert!(count > 1 && (1..=count).contains(&n), "{said}: {n} of {count}"),
    }
    if let Some(line) = &op.called_on {
        assert!(occurrences(source, None, line) >= 1, "{said}: called on `{line}`");
    }
}

fn check(failure: &Failure, source: &str) {
    let name = &failure.test;
    let test = name.rsplit("::").next().expect("a name");
    assert!(source.contains(&format!("{test}(")) || source.contains("int main(void)"), "{name}");
    assert!(failure.kinds.iter().all(|kind| KINDS.contains(&kind.as_str())) && !failure.kinds.is_empty());
    assert!(MISTAKES.contains(&failure.mistake.as_str()), "{name}: {}", failure.mistake);
    assert!(failure.reason.ends_with('.') && failure.preemptions <= 2, "{name}");
    assert_eq!(failure.section.is_some(), failure.mistake == "atomicity violation", "{name}");
    if let Some(section) = &failure.section {
        let lines = function(source, &section.function);
        let at = |text: &str| lines.iter().position(|line| line.contains(text));
        assert!(at(&section.from).expect("its begin") < at(&section.to).expect("its end"), "{name}");
    }
    failure.threads.values().for_each(|run| assert!(!function(source, run).is_empty()));
    for order in failure.order.iter().chain(&failure.unordered) {
        check_operation(source, failure, &order.first);
        check_operation(source, failure, &order.then);
        assert_ne!(order.first.by, order.then.by, "{name}: an order is between two threads");
        // What is given back is a block, and what is used lies in it.
        let frees = order.first.does == "free" || order.then.does == "free";
        assert!(order.first.of == order.then.of || frees, "{name}: an order is about one object");
        assert!(!order.first.pending, "{name}: what comes first was made");
    }
    assert_eq!(
        failure.unordered.is_empty(),
        !failure.kinds.contains(&"data-race".into()) || failure.kinds.len() > 1
    );
    assert!(!failure.order.is_empty() || !failure.unordered.is_empty(), "{name}: it says nothing");
    for wake in &failure.wakes {
        assert_eq!(occurrences(source, wake.function.as_deref(), &wake.line), 1, "{name}: `{}`", wake.line);
        assert!(!wake.of.is_empty());
        for role in [&wake.by, &wake.whom, &wake.rather] {
            assert!(failure.threads.contains_key(role), "{name}: no role {role}");
        }
    }
    for input in &failure.inputs {
        assert_eq!(occurrences(source, None, &input.line), 1, "{name}: `{}`", input.line);
        assert!(!input.values.is_empty());
    }
}

#[test]
fn every_failing_c_sample_says_what_decides() {
    let folder = samples().join("c");
    let mut failing = vec!["work_stealing".to_string()];
    for entry in fs::read_dir(&folder).expect("the samples").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        failing.extend(name.strip_suffix("_fixed.c").map(str::to_string));
    }
    assert!(failing.len() > 10);
    for sample in failing {
        let source = read(&folder.join(format!("{sample}.c")));
        let failures = expected(&folder.join(format!("{sample}.expect.toml")));
        failures.iter().for_each(|failure| check(failure, &source));
        assert!(failures.iter().all(|f| f.test == sample || f.test.starts_with("test_")), "{sample}");
        let built: Vec<&str> = failures.iter().filter_map(|f| f.cflags.as_deref()).collect();
        let mistakes: &[&str] = match sample.as_str() {
            "work_stealing" => &["-DMISTAKE=1", "-DMISTAKE=2", "-DMISTAKE=3"],
            _ => &[],
        };
        assert_eq!(built, mistakes, "{sample}");
    }
}

#[test]
fn every_failing_rust_sample_says_what_decides() {
    let names = [
        "bank",
        "hot_pair",
        "job_queue",
        "livelock",
        "lost_update",
        "lost_wakeup",
        "queue_if",
        "signal_one",
        "spsc_ring",
        "treiber_uaf",
        "two_lock_deadlock",
        "unlocked_sometimes",
    ];
    for sample in names {
        let folder = samples().join("rust").join(sample);
        let mut source = read(&folder.join("src/lib.rs"));
        source += &fs::read_to_string(folder.join("tests/audit.rs")).unwrap_or_default();
        let failures = expected(&samples().join(format!("rust/{sample}.expect.toml")));
        failures.iter().for_each(|failure| check(failure, &source));
    }
}
