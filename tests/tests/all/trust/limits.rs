//! Limits of time and steps mean what they say.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};

fn scratch(program: &str) -> Scratch {
    Scratch::with(&format!("tests/programs/trust/{program}"))
}

/// 160,000 steps are more than an execution has by default.
#[test]
fn the_step_bound_adapts_where_all_executions_are_cut_off() {
    let run = scratch("increments.c").raddle("explore increments.c").json().exits(1);
    let report = run.report();
    assert_eq!(only_failure(report).kind, "assertion", "{report:#?}");
    let told: Vec<_> = report.warnings.iter().filter(|w| w.kind == "step-bound").collect();
    assert!(told.len() == 1 && told[0].message.contains("20000"), "{report:#?}");
    assert!(only_failure(report).replay.contains("--max-steps"), "{report:#?}");
}

/// The same where that is all there is: one interleaving of 25,000 steps.
#[test]
fn the_step_bound_adapts_to_a_single_interleaving() {
    let scratch = Scratch::new();
    let source = "#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *count(void *u) { for (int i = 0; i < 25000; i++) x++; return u; }
int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); pthread_join(t, 0); }
";
    scratch.write("single.c", source);
    let run = scratch.raddle("explore single.c").json().exits(0);
    assert_eq!((run.report().complete, run.report().executions), (true, 1), "{:#?}", run.report());
    assert!(run.report().warnings.iter().any(|w| w.kind == "step-bound"), "{:#?}", run.report());
}

/// Whoever names a bound has that one, and what never ends is searched up to the bound that there is.
#[test]
fn the_step_bound_stays_where_it_was_named_or_nothing_ends() {
    let run = scratch("increments.c")
        .raddle("explore increments.c --max-steps 500 --executions 50")
        .json()
        .exits(3);
    let report = run.report();
    assert!(report.truncated > 0 && !report.warnings.iter().any(|w| w.kind == "step-bound"), "{report:#?}");
    let run = scratch("endless.c").raddle("explore endless.c --executions 20").json().exits(3);
    let report = run.report();
    assert!(report.truncated > 0 && !report.warnings.iter().any(|w| w.kind == "step-bound"), "{report:#?}");
    assert!(report.warnings.iter().any(|w| w.message.contains("step bound of 20000")), "{report:#?}");
}

/// Plain accesses are no steps: going through an array again and again between two of them is told once.
#[test]
fn plain_accesses_use_up_no_steps() {
    let run =
        scratch("heavy.c").raddle("explore heavy.c").arg("--cflags").arg("-DROUNDS=3000").json().exits(0);
    let report = run.report();
    assert_eq!(
        (report.verdict, report.complete, report.truncated),
        (Verdict::Passed, true, 0),
        "{report:#?}"
    );
}

/// One of three schedules fails; of the others it is not known what they would have come to.
#[test]
fn every_schedule_is_not_said_where_some_were_given_up() {
    let run = scratch("every.c").raddle("explore every.c").run().exits(1);
    let text = run.text();
    assert!(!text.contains("Every schedule") && !text.contains("No schedule"), "{text}");
}

/// What is told of a failure and the guarantee are about the same execution.
#[test]
fn failure_and_guarantee_have_the_same_preemptions() {
    let run = scratch("pairs.c").raddle("explore pairs.c").arg("--cflags").arg("-DN=4").json().exits(1);
    let report = run.report();
    let preemptions = only_failure(report).preemptions;
    let said = format!("a failure was found at {preemptions} preemption");
    assert!(report.guarantee.starts_with(&said), "{}", report.guarantee);
}

/// 400,000 accesses between a few steps: the failure is told with those around it, and says how many it leaves out.
#[test]
fn a_long_execution_is_told_around_its_failure() {
    let scratch = Scratch::new();
    let source = "#include <assert.h>
#include <pthread.h>
#define N 200000
int a[N], b[N], counter;
void *fill(void *p) { int *x = p; for (int i = 0; i < N; i++) x[i] = i; counter++; return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, fill, a); pthread_create(&u, 0, fill, b);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(counter == 2);
  return 0;
}
";
    scratch.write("long.c", source);
    let run = scratch.raddle("explore long.c").json().exits(1);
    let failure = &run.report().failures[0];
    assert_eq!(failure.kind, "data-race", "{}", failure.message);
    let told = failure.events.len() as u64;
    assert!(failure.left_out > 350_000 && told < 20_000, "{told} and {}", failure.left_out);
    assert!(told + failure.left_out > 400_000, "{told} and {}", failure.left_out);
    // Both sides are among them, with their values, and far from each other.
    let race = failure.race.as_ref().unwrap();
    assert_eq!([&race.first.object, &race.second.object], ["counter"; 2]);
    let shown = [&race.first, &race.second].map(|side| (side.event.is_some(), side.shown.as_deref()));
    assert!(shown.iter().all(|(found, value)| *found && value.is_some()), "{shown:?}");
    let run = scratch.raddle("explore long.c").run().exits(1);
    run.says(&["plain accesses left out", "data race on counter"]);
    // What is short is told as a whole.
    let short = source.replace("200000", "200");
    scratch.write("long.c", &short);
    let run = scratch.raddle("explore long.c").json().exits(1);
    assert_eq!(run.report().failures[0].left_out, 0);
}

/// A search that begins anew has what is left of the limit, and not all of it once more.
#[test]
fn a_limit_holds_for_all_searches_of_a_test() {
    let scratch = Scratch::new();
    let source = "#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *p) {
  for (int i = 0; i < 6000; i++) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  return 0;
}
";
    scratch.write("rounds.c", source);
    let run = scratch.raddle("explore rounds.c --executions 10").json().exits(3);
    let report = run.report();
    let before = report.search.restarted_after;
    assert!(before >= 4, "{report:#?}");
    assert_eq!(report.executions + report.truncated + before, 10, "{report:#?}");
    let says = format!("the limit of 10 executions, {before} of them before the search began again");
    assert!(report.guarantee.contains(&says), "{}", report.guarantee);
}

/// An execution that is cut off has neither passed nor failed, in a replay as well.
#[test]
fn a_replay_that_is_cut_off_has_not_passed() {
    let scratch = scratch("increments.c");
    let run = scratch.raddle("replay increments.c increments sync@default --repeat 2").run().exits(3);
    assert!(run.text().contains("not finished   2 runs: 2 not finished"), "{}", run.text());
}
