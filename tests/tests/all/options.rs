//! Limits, interruption, the compiler driver, the cache: what a user steers a search with.

use raddle_protocol::explanation::Deciding;
use raddle_protocol::report::{Failure, Report, Verdict};
use raddle_tests::{Scratch, binary::binary};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

#[test]
fn a_limit_of_executions_ends_with_3() {
    let scratch = Scratch::with("tests/programs/wide.c");
    let run = scratch.raddle("explore wide.c --bound none --executions 777").json().exits(3);
    let report = run.report();
    assert_eq!((report.verdict, report.executions, report.complete), (Verdict::Incomplete, 777, false));
    assert!(!report.guarantee.is_empty());
}

/// A reduction that keeps no bound has none unless one is asked for.
#[test]
fn a_reduction_by_itself_has_no_bound() {
    let scratch = Scratch::with("samples/c/mutex_3x2.c");
    let report = scratch.raddle("explore mutex_3x2.c --reduce optimal").json().exits(0).report().clone();
    assert_eq!((report.search.bound.as_str(), report.executions, report.complete), ("none", 90, true));
}

#[test]
fn a_limit_of_time_ends_with_3() {
    let scratch = Scratch::with("tests/programs/wide.c");
    let run = scratch.raddle("explore wide.c --bound none --time 1s").json().exits(3);
    assert!(run.report().executions > 0 && !run.report().complete);
    assert!((0.9..5.0).contains(&run.report().seconds), "{}", run.report().seconds);
}

/// Ctrl-C: the report of what was done so far, exit status 3, and nothing left behind.
#[test]
fn control_c_gives_a_partial_report() {
    let scratch = Scratch::with("tests/programs/wide.c");
    let run = scratch
        .raddle("explore wide.c --bound none --time 200s")
        .interrupt_after(Duration::from_secs(3))
        .json()
        .leaves_nothing_running_in(&scratch)
        .exits(3);
    let report = run.report();
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert!(report.executions > 0, "{report:#?}");
    assert!(run.took < Duration::from_secs(20), "{:?}", run.took);
}

/// Who ended it is told.
#[test]
fn a_search_that_is_ended_says_by_whom() {
    let scratch = Scratch::with("tests/programs/wide.c");
    let search = || scratch.raddle("explore wide.c --bound none --time 200s");
    let seconds = Duration::from_secs(3);
    let guarantee = |run: raddle_tests::Run| run.exits(3).report().guarantee.clone();
    let said = guarantee(search().terminate_after(seconds).json());
    assert!(said.contains("stopped by SIGTERM") && !said.contains("the user"), "{said}");
    let said = guarantee(search().interrupt_after(seconds).json());
    assert!(said.contains("stopped by the user"), "{said}");
}

/// Before anything was run there is nothing to report.
#[test]
fn control_c_while_building_says_so() {
    let scratch = Scratch::with("samples/rust/bank");
    // With an empty cache that takes several seconds.
    let cache = scratch.path("its own cache");
    let run = scratch.raddle("explore bank").cache(cache).interrupt_after(Duration::from_secs(1)).run();
    let run = run.exits(3).says(&["interrupted while building"]);
    assert!(run.stdout.is_empty(), "{}", run.stdout);
}

/// What cannot find anything is refused, and says why.
#[test]
fn no_executions_and_no_time_are_refused() {
    let scratch = Scratch::with("tests/programs/wide.c");
    for (options, said) in [
        ("--executions 0", "name at least 1"),
        ("--executions some", "expected a number of executions"),
        ("--time 0", "no time at all"),
        ("--time 0s", "such as 30s"),
    ] {
        scratch.raddle(&format!("explore wide.c {options}")).run().exits(2).says(&[said]);
    }
}

/// After how many executions a failure was found is never more than there were, whatever else was run beside them.
#[test]
fn found_after_counts_executions_that_are_reported() {
    let samples =
        ["lost_update", "two_lock_deadlock", "modules", "lost_wakeup", "livelock", "queue_if", "hot_pair"];
    for sample in samples {
        let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
        for options in ["", "--keep-going", "--bound none --reduce optimal", "--executions 1", "--order pos"]
        {
            let limit = if options.contains("--executions") { "" } else { "--executions 500" };
            let run = scratch.raddle(&format!("explore {sample}.c {limit} {options}")).json();
            let r = run.report();
            let own =
                r.executions + r.deadlocked + r.sleep_blocked + r.assume_blocked + r.truncated + r.unfair;
            let all = r.portfolio.iter().map(|share| share.executions).sum::<u64>().max(own) + r.confirming;
            for f in &r.failures {
                assert!(f.found_after <= all, "{sample} {options}: {} of {all}: {r:#?}", f.found_after);
            }
            // Where neither of two has run everything, the counts are those of both.
            let shares: u64 = r.portfolio.iter().map(|share| share.executions).sum();
            assert!(r.complete || r.portfolio.is_empty() || own == shares, "{sample} {options}: {r:#?}");
        }
    }
}

/// The second Ctrl-C does not wait for anything: here for the failing execution that is run again
/// for the report, and hangs.
#[test]
fn a_second_control_c_ends_at_once() {
    let scratch = Scratch::with("tests/programs/fault.c");
    let run = scratch
        .raddle("explore fault.c --cflags -DFAULT=6 --hang 8s")
        .interrupt_after(Duration::from_secs(12))
        .interrupt_after(Duration::from_secs(13))
        .run()
        .leaves_nothing_running_in(&scratch)
        .exits(130);
    assert!(run.took < Duration::from_secs(15), "{:?}", run.took);
}

/// Progress goes to stderr, a line every few seconds where it is not a terminal; results to stdout.
#[test]
fn progress_on_standard_error() {
    let scratch = Scratch::with("tests/programs/wide.c");
    let run = scratch.raddle("explore wide.c --bound none --time 4s").run().exits(3);
    let lines = run.stderr.lines().filter(|l| l.contains("executions")).count();
    assert!((1..=2).contains(&lines), "{lines} lines of progress in:\n{}", run.stderr);
    assert!(run.stdout.contains("wide"), "{}", run.stdout);
}

/// Several tests: a failure outranks a limit, a limit outranks success.
#[test]
fn exit_statuses_of_several_tests() {
    let scratch = Scratch::with("samples/c/overdraft.c");
    scratch.raddle("explore overdraft.c").run().exits(1);
    scratch.raddle("explore overdraft.c deposits").run().exits(0);
    scratch.raddle("explore overdraft.c --bound none --executions 1").run().exits(3);
}

/// A random order is the same again with the same seed, and the seed is always printed.
#[test]
fn seeds() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let found_after = |order: &str, seed: u64| {
        let words = format!("explore lost_update.c --order {order} --bound none --seed {seed}");
        let run = scratch.raddle(&words).json().exits(1);
        assert_eq!(run.report().search.seed, seed);
        let failure = &run.report().failures[0];
        (failure.found_after, failure.schedule.clone())
    };
    for order in ["random", "pct=2", "pos"] {
        let all: Vec<_> = (0..4).map(|seed| found_after(order, seed)).collect();
        for (seed, found) in all.iter().enumerate() {
            assert_eq!(&found_after(order, seed as u64), found, "{order}");
        }
        assert!(all.iter().any(|found| *found != all[0]), "{order}: seeds mean nothing");
    }
    scratch.raddle("explore lost_update.c --order random --seed 31337").run().exits(1).says(&["31337"]);
}

/// One failure only, or all distinct ones.
#[test]
fn keep_going_reports_distinct_failures() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let run = scratch.raddle("explore lost_update.c --keep-going --bound none").json().exits(1);
    let report = run.report();
    assert_eq!(report.failures.len(), 1, "one place, one message: one failure");
    assert!(report.complete && report.executions > report.failures[0].found_after, "{report:#?}");
}

/// One assertion fails for two reasons: both are shown, and stored. Where it has one, whichever threads it is that meet, one is.
#[test]
fn keep_going_tells_causes_behind_one_assertion_apart() {
    let scratch = Scratch::with("tests/programs/two_causes.c");
    let found = |options: &str| {
        let run = scratch.raddle(&format!("explore two_causes.c --keep-going {options}")).json().exits(1);
        run.report().clone()
    };
    let objects = |report: &Report| -> Vec<Vec<String>> {
        let deciding = |f: &Failure| f.explained.as_ref().expect("explained").deciding.clone();
        let object = |d: Deciding| d.order.expect("an order").first.object;
        report.failures.iter().map(|f| deciding(f).into_iter().map(object).collect()).collect()
    };
    for options in ["", "--reduce none --bound preemptions=1", "--cflags -DONE"] {
        let report = found(options);
        assert!(report.failures.iter().all(|f| f.message == report.failures[0].message));
        let mut told = objects(&report);
        told.sort();
        let blue = vec!["blue".to_string(); 2];
        let red = vec!["red".to_string(); 2];
        if options.contains("ONE") {
            assert_eq!(told, [red]);
            assert!(report.guarantee.starts_with("a failure was found at 1 preemption"));
        } else {
            assert_eq!(told, [blue, red], "{options}");
            assert!(report.guarantee.starts_with("2 distinct failures were found"), "{}", report.guarantee);
        }
        let mut schedules: Vec<&String> = report.failures.iter().map(|f| &f.schedule).collect();
        schedules.dedup();
        assert_eq!(schedules.len(), told.len());
    }
    // Without it the first failure is told alone.
    let run = scratch.raddle("explore two_causes.c").json().exits(1);
    assert_eq!(run.report().failures.len(), 1);
    scratch.raddle("replay --all two_causes.c").run().exits(1).says(&["exact"]);
}

#[test]
fn list_names_tests_with_their_places() {
    let scratch = Scratch::with("samples/c/overdraft.c");
    scratch.add("samples/c/lost_update.c");
    let line = raddle_tests::line_of(&scratch.read("overdraft.c"), "void test_never_overdrawn(void)");
    let place = format!("overdraft.c:{line}");
    scratch.raddle("list overdraft.c").run().exits(0).says(&[
        "test_deposits_add_up",
        "test_never_overdrawn",
        &place,
    ]);
    scratch.raddle("list lost_update.c").run().exits(0).says(&["lost_update"]);
}

/// A program built by `raddle cc` and started by hand runs normally, and is a target. By hand the right one is started: the other
/// fails when the machine happens to choose its failing schedule.
#[test]
fn a_program_built_by_the_compiler_driver() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    scratch.add("samples/c/lost_update_fixed.c");
    for name in ["lost_update", "lost_update_fixed"] {
        scratch.raddle(&format!("cc -O1 -c {name}.c -o {name}.o")).run().exits(0);
        scratch.raddle(&format!("cc {name}.o -o {name} -pthread")).run().exits(0);
    }
    for _ in 0..5 {
        let status = Command::new(scratch.path("lost_update_fixed")).status().expect("it starts");
        assert!(status.success());
    }
    scratch.raddle("explore lost_update_fixed").run().exits(0);
    let run = scratch.raddle("explore lost_update").json().exits(1);
    assert_eq!(run.report().failures[0].preemptions, 1);
}

/// The compiler's own refusals come through, with its status.
#[test]
fn the_compiler_driver_passes_errors_on() {
    let scratch = Scratch::new();
    scratch.write("broken.c", "int main(void) { return nothing; }\n");
    let run = scratch.raddle("cc -c broken.c").run().exits(1);
    assert!(run.stderr.contains("nothing"), "{}", run.stderr);
}

/// The binary needs nothing beside it: copied alone into a folder, with an empty cache, it works.
#[test]
fn heavy_the_binary_is_self_contained() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let copy = scratch.path("alone");
    std::fs::copy(binary(), &copy).expect("a copy");
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    let status = Command::new(&copy)
        .args(["explore", "lost_update.c"])
        .current_dir(scratch.path(""))
        .env("RADDLE_CACHE", scratch.path("cache"))
        .status()
        .expect("it starts");
    assert_eq!(status.code(), Some(1));
}

/// Several first starts at once unpack into one cache without harming each other.
#[test]
fn heavy_concurrent_first_starts() {
    let scratch = Scratch::with("samples/c/lost_update_fixed.c");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let command = scratch.raddle("explore lost_update_fixed.c").cache(scratch.path("cache"));
                command.run().exits(0);
            });
        }
    });
}

#[test]
fn clean_empties_the_cache() {
    let scratch = Scratch::with("samples/c/lost_update_fixed.c");
    let cache = scratch.path("cache");
    scratch.raddle("explore lost_update_fixed.c").cache(&cache).run().exits(0);
    scratch.raddle("clean").cache(&cache).run().exits(0);
    let left = std::fs::read_dir(&cache).map(|d| d.count()).unwrap_or(0);
    assert_eq!(left, 0);
    scratch.raddle("explore lost_update_fixed.c").cache(&cache).run().exits(0);
}

/// A folder that cannot be written beside the file: a warning, not a failure.
#[test]
fn schedules_that_cannot_be_kept() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    // A file in the folder's place: that stops root as well.
    scratch.write(".raddle", "");
    let run = scratch.raddle("explore lost_update.c").json().exits(1);
    assert!(!run.report().warnings.is_empty(), "{:#?}", run.report());
}

/// A variable reaches the program, the replay command and a stored schedule.
#[test]
fn variables_of_the_environment() {
    let scratch = Scratch::new();
    scratch.write(
        "env.c",
        "#include <assert.h>\n#include <stdlib.h>\nint main(void) { assert(!getenv(\"WRONG\")); return 0; }\n",
    );
    scratch.raddle("explore env.c").run().exits(0);
    let run = scratch.raddle("explore env.c --env WRONG=yes").json().exits(1);
    let replay = run.report().failures[0].replay.clone();
    assert!(replay.contains("--env WRONG=yes"), "{replay}");
    let words = replay.strip_prefix("raddle ").expect("a command");
    scratch.raddle(words).run().exits(1);
    scratch.raddle("replay --all env.c").run().exits(1);
    scratch.raddle("explore env.c --env RADDLE_X=1").run().exits(2).says(&["RADDLE_", "Raddle's own"]);
}

/// The guarantee is the verdict's line; `-v` prints the whole.
#[test]
fn the_whole_guarantee_is_printed_where_it_is_asked_for() {
    let scratch = Scratch::with("samples/c/mutex_3x2.c");
    let run = scratch.raddle("explore mutex_3x2.c").run().exits(0);
    assert!(!run.stdout.contains("guarantee  ") && run.stdout.contains("-v prints"), "{}", run.stdout);
    let run = scratch.raddle("explore mutex_3x2.c -v").run().exits(0);
    run.says(&["guarantee  all distinct interleavings", "sequential consistency only"]);
}

/// On a terminal the line of a search fits, with what matters most: `script` makes the terminal.
#[test]
fn progress_fits_a_terminal() {
    let scratch = Scratch::with("tests/programs/wide.c");
    let name = "a_test_of_a_rather_long_name_that_says_what_it_is_about.c";
    std::fs::rename(scratch.path("wide.c"), scratch.path(name)).expect("another name");
    let explore = format!("{} explore {name} --bound none --time 3s", binary().display());
    for columns in [60, 80] {
        let words = format!("stty rows 40 cols {columns} && {explore}");
        let mut script = Command::new("script");
        script.args(["-qec", &words, "/dev/null"]).current_dir(scratch.root()).env("TERM", "xterm");
        script.env("RADDLE_CACHE", raddle_tests::binary::shared_cache());
        let output = script.output();
        let said = String::from_utf8_lossy(&output.expect("script (Debian: bsdutils)").stdout).into_owned();
        let lines: Vec<&str> = said.split(['\r', '\n', '\u{1b}']).filter(|l| l.contains(" of 3 s")).collect();
        let whole = lines.iter().any(|line| {
            line.contains("about  ") && line.trim_end().ends_with(" s") && line.contains(" executions ")
        });
        assert!(whole && !lines.is_empty(), "{columns} columns: {said:?}");
    }
    // Elsewhere it wraps, and nothing is left out.
    let explore = format!("explore {name} --bound none --time 3s");
    let run = scratch.raddle(&explore).env("COLUMNS", "60").run().exits(3);
    let long = run.stderr.lines().find(|line| line.chars().count() > 60);
    assert!(long.is_none() && run.stderr.contains("/s"), "{}", run.stderr);
    // The report of a search that did not end says what to do, in one line.
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let next = "next name a longer --time than 3 s, or --bound iterative, which begins with few preemptions";
    assert!(flat(&run.stdout).ends_with(next), "{}", run.stdout);
    let limited = scratch.raddle(&format!("explore {name} --executions 10")).run().exits(3);
    let next = "next leave --executions out, or name more than 10";
    assert!(flat(&limited.stdout).ends_with(next), "{}", limited.stdout);
}
