//! The end of the process is a step like any other.

use raddle_protocol::report::Verdict;
use raddle_tests::{Run, Scratch, only_failure};

const SEARCHES: [&str; 4] =
    ["", "--bound iterative", "--reduce source --bound none", "--states hb --bound none"];

fn explore(program: &str, options: &str, flags: &str) -> Run {
    let scratch = Scratch::with(&format!("tests/programs/trust/{program}"));
    scratch.raddle(&format!("explore {program} {options}")).arg(format!("--cflags={flags}")).json()
}

/// T1's failure can come before `exit`, and before the end of main where that ends the process.
#[test]
fn a_failure_that_can_come_before_the_end_is_found() {
    for options in SEARCHES {
        for (program, kill) in [("exithole.c", ""), ("killhole.c", "--main-exit kill")] {
            let run = explore(program, &format!("{kill} {options}"), "").exits(1);
            let failure = only_failure(run.report());
            assert_eq!((&*failure.kind, &*failure.thread), ("assertion", "T1"), "{program} {options}");
        }
    }
}

/// The same for each way to end a process: whoever ends it as a failure fails as well, in another schedule.
#[test]
fn every_end_is_a_step() {
    // What END is in ends.c, and the failure that it is itself.
    const ENDS: [(u8, Option<&str>); 7] =
        [(0, None), (1, None), (2, None), (3, Some("crash")), (4, None), (5, Some("exit")), (6, None)];
    for (end, own) in ENDS {
        let flags = |joined: u8| format!("-DEND={end} -DJOINED={joined}");
        let run = explore("ends.c", "--main-exit kill --keep-going", &flags(0)).exits(1);
        let mut kinds: Vec<&str> = run.report().failures.iter().map(|f| &*f.kind).collect();
        kinds.sort_unstable();
        let mut wanted: Vec<&str> = own.into_iter().chain(["assertion"]).collect();
        wanted.sort_unstable();
        assert_eq!(kinds, wanted, "END={end}: {:#?}", run.report());
        // Behind a join there is nothing to choose.
        let run = explore("ends.c", "--main-exit kill", &flags(1)).exits(own.map_or(0, |_| 1));
        assert_eq!((run.report().executions, run.report().classes), (1, Some(1)), "END={end}");
    }
}

/// Loops that sleep do not keep the process from its end. What they do in more rounds than a few is not run, which the
/// guarantee says.
#[test]
fn threads_that_repeat_themselves_are_not_run_for_ever() {
    for options in SEARCHES {
        let run = explore("daemons.c", options, "-DWRONG=-1").exits(0);
        assert_eq!(run.report().verdict, Verdict::Passed, "{options}");
        let named =
            "not run: more rounds of loops that yield, sleep or time out while the process was about to end";
        assert!(run.report().guarantee.contains(named), "{}", run.report().guarantee);
        assert!(run.report().executions <= 4, "{}", run.report().executions);
        explore("daemons.c", options, "-DWRONG=2").exits(1);
    }
}

const LOOPS: [&str; 3] = ["sched_yield()", "usleep(10)", "wait_a_moment()"];
const EXITS: [&str; 2] = ["wait", "kill"];

/// A failure behind more rounds than are run in any case is found where main can be as slow as that.
#[test]
fn what_comes_behind_some_rounds_is_found() {
    for (round, exit) in LOOPS.iter().flat_map(|round| EXITS.map(|exit| (round, exit))) {
        for options in SEARCHES.into_iter().chain(["--reduce optimal --bound none"]) {
            let flags = format!("-DTICKERS=0 -DROUNDS=4 -DLOOP={round}");
            let run = explore("rounds.c", &format!("--main-exit {exit} {options}"), &flags).exits(1);
            let failure = only_failure(run.report());
            assert_eq!((&*failure.kind, &*failure.thread), ("assertion", "T1"), "{round} {exit} {options}");
        }
    }
}

/// Loops without an end let the process end, beside each other as well.
#[test]
fn a_search_beside_endless_loops_ends() {
    for (round, exit) in LOOPS.iter().flat_map(|round| EXITS.map(|exit| (round, exit))) {
        for (tickers, work) in [(0, 0), (1, 0), (2, 0), (0, 1250), (2, 40)] {
            let flags = format!("-DTICKERS={tickers} -DROUNDS=-1 -DLOOP={round} -DWORK={work}");
            let run = explore("rounds.c", &format!("--main-exit {exit}"), &flags).exits(0);
            assert!(run.report().complete && run.report().executions <= 70, "{flags}: {:?}", run.report());
        }
    }
}

/// What several loops do before the process can end is explored as ever.
#[test]
fn what_several_loops_do_before_main_ends_is_found() {
    for exit in EXITS {
        for options in ["", "--reduce optimal --bound none", "--reduce source --bound none"] {
            let run = explore("heartbeats.c", &format!("--main-exit {exit} {options}"), "").exits(1);
            assert_eq!(only_failure(run.report()).kind, "assertion", "{exit} {options}");
        }
    }
}
