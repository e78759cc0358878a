//! Functions of libc that keep something for the whole process from one call to the next (`strtok`, `mbtowc`, `localtime`): it
//! races as what is the program's own does, is the same at the beginning of each execution, and who came last is explored.
//! And paths, which `dirname` and `basename` take apart where they are.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;

const COMPILERS: [&str; 2] = ["gcc", "clang"];

fn explore(program: &str, words: &str, compiler: &str) -> Vec<Report> {
    let scratch = Scratch::with(&format!("tests/programs/c11/{program}"));
    let run = scratch.raddle(&format!("explore {program} {words}")).env("CC", compiler).json();
    for report in &run.reports {
        assert!(!report.guarantee.contains("not watched: memory that"), "{}", report.guarantee);
    }
    run.reports.clone()
}

/// What a race in this test is on.
fn kept(test: &str) -> Option<String> {
    let function = test.strip_prefix("test_")?;
    match function {
        "strtok" => Some("where strtok goes on".into()),
        "localtime" | "gmtime" | "ctime" => Some("the time that localtime gives back".into()),
        "asctime" => Some("the text that asctime gives back".into()),
        _ if function.starts_with("none_") => None,
        _ => Some(format!("the state of {function}")),
    }
}

#[test]
fn what_is_kept_races() {
    for compiler in COMPILERS {
        let reports = explore("kept.c", "", compiler);
        assert_eq!(reports.len(), 19);
        for report in &reports {
            let Some(name) = kept(&report.test) else {
                assert!(report.verdict == Verdict::Passed && report.complete, "{compiler}: {report:#?}");
                continue;
            };
            let race = report.failures.iter().find(|f| f.kind == "data-race");
            let race = race.unwrap_or_else(|| panic!("{compiler}: {report:#?}"));
            assert!(race.message.contains(&name), "{compiler}: {}", race.message);
        }
    }
}

#[test]
fn under_a_lock_nothing_kept_races() {
    for compiler in COMPILERS {
        for report in explore("kept.c", "--cflags -DGUARDED", compiler) {
            assert!(report.verdict == Verdict::Passed && report.complete, "{compiler}: {report:#?}");
        }
    }
}

/// Either order of two calls can fail, whichever the program relies on, with a reduction and without.
#[test]
fn who_took_last_tells_where_it_goes_on() {
    for compiler in COMPILERS {
        for words in ["", "--bound none --reduce none", "--bound none --reduce none --granularity access"] {
            for flags in ["-DFIRST", "-DOTHER"] {
                let report = &explore("goes_on.c", &format!("{words} --cflags {flags}"), compiler)[0];
                let kinds: Vec<&str> = report.failures.iter().map(|f| f.kind.as_str()).collect();
                assert_eq!(kinds, ["assertion"], "{compiler} {words} {flags}: {report:#?}");
            }
            let own = &explore("goes_on.c", &format!("{words} --cflags -DOWN"), compiler)[0];
            assert!(own.verdict == Verdict::Passed && own.complete, "{compiler} {words}: {own:#?}");
        }
    }
}

#[test]
fn paths_are_taken_apart_where_they_are() {
    for compiler in COMPILERS {
        let reports = explore("paths.c", "", compiler);
        assert_eq!(reports.len(), 8);
        for report in &reports {
            if report.test == "test_values" || report.test.starts_with("test_none_") {
                assert!(report.verdict == Verdict::Passed && report.complete, "{compiler}: {report:#?}");
                continue;
            }
            let race = report.failures.iter().find(|f| f.kind == "data-race");
            let race = race.unwrap_or_else(|| panic!("{compiler}: {report:#?}"));
            assert!(race.message.contains("data race on path"), "{compiler}: {}", race.message);
        }
        for report in explore("paths.c", "--cflags -DGUARDED", compiler) {
            assert!(report.verdict == Verdict::Passed && report.complete, "{compiler}: {report:#?}");
        }
    }
}
