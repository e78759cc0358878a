//! Race reports on the samples that have no mistake: none, with points of synchronisation and at every access. They
//! are those beside which nothing is expected to fail, in C and in Rust, and each fixed form.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;
use std::collections::BTreeSet;
use std::path::Path;

fn samples(language: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples").join(language)
}

/// The names in a folder that end so, without that.
fn names(folder: &Path, end: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).expect("the samples").flatten();
    let names = entries.map(|e| e.file_name().to_string_lossy().into_owned());
    names.filter_map(|n| n.strip_suffix(end).map(str::to_string)).collect()
}

#[track_caller]
fn says_nothing(report: &Report, words: &str) {
    assert!(report.failures.is_empty(), "{words}: {report:#?}");
    assert!(matches!(report.verdict, Verdict::Passed | Verdict::Incomplete), "{words}: {report:#?}");
    assert!(report.executions > 0, "{words}: {report:#?}");
}

#[test]
fn in_c() {
    let failing = names(&samples("c"), ".expect.toml");
    let safe: Vec<String> = names(&samples("c"), ".c").difference(&failing).cloned().collect();
    assert!(safe.len() >= 16 && safe.iter().any(|s| s == "hot_pair_fixed"), "{safe:?}");
    for sample in &safe {
        let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
        for granularity in ["sync", "access"] {
            for search in ["", "--bound none --reduce none"] {
                let words =
                    format!("explore {sample}.c --granularity {granularity} {search} --executions 1500");
                scratch.raddle(&words).json().reports.iter().for_each(|report| says_nothing(report, &words));
            }
        }
    }
}

/// The tests that no expectation names.
#[test]
fn in_rust() {
    let mut passing = 0;
    for package in names(&samples("rust"), "") {
        if !samples("rust").join(&package).is_dir() {
            continue;
        }
        let expected = samples("rust").join(format!("{package}.expect.toml"));
        let expected = std::fs::read_to_string(expected).unwrap_or_default();
        let scratch = Scratch::with(&format!("samples/rust/{package}"));
        let run = scratch.raddle(&format!("explore {package} --executions 1500")).json();
        for report in &run.reports {
            if !expected.contains(&format!("test = \"{}\"", report.test)) {
                says_nothing(report, &report.test);
                passing += 1;
            }
        }
    }
    assert!(passing >= 8, "only {passing} tests pass");
}

/// The lock-free structures with unsafe code, as they should be: everything is explored, and passes.
#[test]
fn fixed_structures_pass_completely() {
    for (package, test) in [("treiber_uaf", "pop_gives_back_in_the_end"), ("spsc_ring", "released_tail")] {
        let scratch = Scratch::with(&format!("samples/rust/{package}"));
        for granularity in ["sync", "access"] {
            let words = format!("explore {package} tests::{test} --exact --granularity {granularity}");
            let run = scratch.raddle(&words).json().exits(0);
            let report = run.report();
            assert!(report.verdict == Verdict::Passed && report.complete, "{words}: {report:#?}");
            assert!(report.executions > 1, "{words}: {report:#?}");
        }
    }
}
