//! What the focus is called, and what is said of it. (How much it finds sooner: `hot_pairs.rs`.)

use raddle_protocol::report::{Focus, Report};
use raddle_tests::Scratch;
use raddle_tests::processes::children;
use std::time::{Duration, Instant};

const C: (&str, &str) = ("samples/c/hot_pair.c", "hot_pair.c");

fn explore(scratch: &Scratch, target: &str, options: &str, status: i32) -> Report {
    scratch.raddle(&format!("explore {target} {options}")).json().exits(status).report().clone()
}

#[test]
fn the_report_says_what_was_preferred() {
    let scratch = Scratch::with(C.0);
    let options = "--order var --focus-var hot_pair.c.lock --focus-var log_lock";
    let run = scratch.raddle(&format!("explore hot_pair.c {options} --executions 20")).json();
    assert!(run.text().contains("--focus-var hot_pair.c.lock"), "{}", run.text());
    let report = explore(&scratch, C.1, "--order method,dfs --focus-method end", 1);
    let focus = Focus { methods: vec!["end".into()], variables: Vec::new() };
    assert_eq!((report.search.order.as_str(), report.search.focus), ("method,dfs", Some(focus)));
}

#[test]
fn names_that_are_not_there_and_orders_that_heed_none() {
    let scratch = Scratch::with(C.0);
    for (options, parts) in [
        ("--focus-method cancle", ["--focus-method cancle", "there is: cancel"]),
        ("--focus-method nowhere", ["--focus-method nowhere", "the name of a function"]),
        ("--focus-method finish --order dfs", ["--order dfs does not heed it", "name method in it"]),
        ("--focus-var state --order method", ["--order method does not heed it", "name var in it"]),
        ("--focus-method finish --order random", ["--order random does not heed it", "method"]),
        ("--order ss,pb --granularity statement", ["--order ss,pb", "use pb, rand, method or var"]),
        ("--order dpor --reduce source --bound none", ["--order dpor", "use mdpor"]),
        ("--order method", ["--order method: method prefers what a focus names", "--focus-method"]),
        ("--order pb,var", ["--order pb,var: var prefers what a focus names", "--focus-var"]),
        ("--order var,var", ["--order var,var", "twice"]),
        ("--order dfs,var", ["--order dfs,var", "put it last"]),
    ] {
        let words = format!("explore hot_pair.c --executions 20 {options}");
        let run = scratch.raddle(&words).run().exits(2).says(&parts);
        assert!(run.stderr.contains("error"), "{}", run.stderr);
    }
}

/// A variable that no operation worked on says nothing of the executions: the failure counts.
#[test]
fn variables_that_are_not_met_are_a_warning() {
    let scratch = Scratch::with(C.0);
    scratch.add("samples/c/lost_update.c");
    for (words, status, hint) in [
        ("explore hot_pair.c --executions 20 --focus-var runing", 3, "there is: running"),
        ("explore hot_pair.c --executions 1 --focus-var nowhere", 3, "as reports give it, such as "),
        ("explore lost_update.c --focus-var nowhere", 1, "as reports give it"),
    ] {
        let run = scratch.raddle(words).run().exits(status).says(&["warning", "no operation worked", hint]);
        assert!(!run.stderr.contains("error"), "{}", run.stderr);
        let report = scratch.raddle(words).json().exits(status).report().clone();
        let warned = report.warnings.iter().filter(|w| w.kind == "focus" && w.message.contains(hint));
        assert_eq!(warned.count(), 1, "{:?}", report.warnings);
    }
}

/// A search that stands still for longer than an execution may take goes on as if nothing had been:
/// what was in flight was executed meanwhile, and is no hang.
#[test]
fn a_search_that_stands_still() {
    const HANG: Duration = Duration::from_millis(300);
    let scratch = Scratch::with("samples/c/hot_pair_fixed.c");
    let options = "--bound preemptions=2 --hang 300ms --focus-method finish --executions";
    explore(&scratch, "hot_pair_fixed.c", &format!("{options} 1"), 3);
    let mut raddle = scratch.raddle(&format!("explore hot_pair_fixed.c {options} 4000")).start();
    let id = raddle.id();
    let deadline = Instant::now() + Duration::from_secs(60);
    while children(id).is_empty() && Instant::now() < deadline {
        std::thread::yield_now();
    }
    let signal = |signal| {
        // SAFETY: the id is that of our child, which has not been waited for yet.
        let sent = unsafe { libc::kill(id as libc::pid_t, signal) };
        assert_eq!(sent, 0);
    };
    signal(libc::SIGSTOP);
    // Until it has stood still so long that a watchdog which counted that would have struck.
    let stopped = Instant::now();
    while stopped.elapsed() < HANG * 6 {
        assert!(raddle.try_wait().expect("waiting for raddle").is_none(), "it ended before it was stopped");
        std::thread::sleep(HANG / 10);
    }
    signal(libc::SIGCONT);
    let status = raddle.wait().expect("waiting for raddle");
    assert_eq!(status.code(), Some(3), "no failure, and the limit of executions");
}
