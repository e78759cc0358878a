//! Programs with the structure of public reports, each with its mistake and, where there is one, its fixed form.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};

const FOLDER: &str = "tests/programs/trust/reported";

/// Each is found in its first few executions.
const MOST: u64 = 10;

#[test]
fn reported_mistakes_are_found() {
    let scratch = Scratch::with(FOLDER);
    // A file, and how it is compiled. The last two: the kind of mistake, and words of the sentence that says what to change.
    let mistakes = [
        ("atomicvsplain.c", "data-race", "unprotected access", ""),
        ("cache_test.cpp", "data-race", "use after free", "T1 must hold mu_ there too"),
        ("cv_any.cpp", "data-race", "use after free", "it must be kept until nobody uses it"),
        ("dcl.cpp", "data-race", "unprotected access", "the store must be a release and the load an acquire"),
        ("lazy_test.cpp", "data-race", "unprotected access", "the store must be a release"),
        ("name.cpp", "assertion", "order violation", "T0 loads stop_ (:12) before T1 stores it (:9)"),
        ("name2.cpp", "assertion", "order violation", "T0 loads stop_ (:15) before T1 stores it (:12)"),
        (
            "name2.cpp -DJOBS=std::queue<int>",
            "assertion",
            "order violation",
            "T0 loads stop_ (:15) before T1 stores it (:12)",
        ),
        ("name4.cpp", "assertion", "order violation", "T0 loads stop_ (:12) before T1 stores it (:9)"),
        ("pool_test.cpp", "deadlock", "missed notification", "under the lock that the wait gives up"),
        ("rwr2.c", "assertion", "atomicity violation", ":13 to :14 of watch should be one step"),
        ("rwr3.c", "assertion", "atomicity violation", ":15 to :16 of get"),
        (
            "statics_in_a_cycle.cpp",
            "deadlock",
            "initialisation cycle",
            "T0 waits for the initialiser of the_a::x, which T1 runs (:8)",
        ),
        ("vptr3.cpp", "data-race", "object lifetime", "while T0 destroys it"),
    ];
    for (form, kind, mistake, words) in mistakes {
        let (file, mode) = form.split_once(' ').unwrap_or((form, ""));
        let flags = if file.ends_with(".cpp") { format!("-std=c++20 {mode}") } else { String::new() };
        let run =
            scratch.raddle(&format!("explore reported/{file}")).arg("--cflags").arg(flags).json().exits(1);
        let failure = only_failure(run.report());
        assert_eq!(failure.kind, kind, "{form}: {failure:#?}");
        assert!(failure.found_after <= MOST, "{form}: after {}", failure.found_after);
        let found = failure.explained.as_ref().and_then(|e| e.mistake.as_ref());
        let found = found.unwrap_or_else(|| panic!("{form}: {failure:#?}"));
        assert!(found.kind == mistake && found.text.contains(words), "{form}: {found:#?}");
    }
}

#[test]
fn their_fixed_forms_pass_completely() {
    let scratch = Scratch::with(FOLDER);
    for file in ["cache_test.cpp", "cv_any.cpp", "lazy_test.cpp", "pool_test.cpp"] {
        let run = scratch
            .raddle(&format!("explore reported/{file}"))
            .arg("--cflags")
            .arg("-std=c++20 -DFIXED")
            .json()
            .exits(0);
        let report = run.report();
        assert!(report.verdict == Verdict::Passed && report.complete, "{file}: {report:#?}");
        assert!(report.executions <= MOST, "{file}: {} executions", report.executions);
    }
}

/// An atomic has its own name, whatever else stands on its line: a member, a variable, what a lambda captured.
#[test]
fn atomics_have_their_own_names() {
    let scratch = Scratch::with(FOLDER);
    let run = scratch.raddle("explore reported/atomics_of_a_line.cpp --keep-going").json().exits(1);
    let mut names: Vec<&str> = Vec::new();
    for failure in &run.report().failures {
        let explained = failure.explained.iter().flat_map(|e| &e.deciding).filter_map(|d| d.order.as_ref());
        names.extend(explained.flat_map(|o| [o.first.object.as_str(), o.then.object.as_str()]));
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["go", "two.a", "two.b"]);
}

/// Of two atomics in one line the compiler does not always say which one is read: a line that names one atomic settles it.
#[test]
fn a_line_with_one_atomic_settles_its_name() {
    let scratch = Scratch::with(FOLDER);
    let run = scratch.raddle("explore reported/two_atomics_of_a_line.cpp").json().exits(1);
    let explained = only_failure(run.report()).explained.as_ref().expect("an explanation");
    let orders = explained.deciding.iter().filter_map(|d| d.order.as_ref());
    let names: Vec<&str> = orders.flat_map(|o| [o.first.object.as_str(), o.then.object.as_str()]).collect();
    assert!(!names.is_empty() && names.iter().all(|name| *name == "total"), "{names:?}");
}
