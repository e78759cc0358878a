//! `raddle explain`, and the same in the report of a search: what decides about a schedule, as data.

use raddle_protocol::explanation::Explanation;
use raddle_tests::{Scratch, only_failure};

/// The explanation of a test's only failure.
fn explained(scratch: &Scratch, words: &str) -> Explanation {
    let run = scratch.raddle(words).json().exits(1);
    only_failure(run.report()).explained.clone().expect("an explanation")
}

#[test]
fn a_search_and_explain_say_the_same() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let run = scratch.raddle("explore lost_update.c").json().exits(1);
    let failure = only_failure(run.report());
    let found = failure.explained.as_ref().expect("an explanation");
    assert_eq!((found.deciding.len(), found.enough), (2, true));
    let words = format!("explain lost_update.c lost_update {}", failure.schedule);
    assert_eq!(explained(&scratch, &words), *found);
    // Each passing execution passes.
    for decides in &found.deciding {
        scratch.raddle(&format!("replay lost_update.c lost_update {}", decides.passing)).json().exits(0);
    }
}

/// Explained as it is, with two preemptions, and a simpler one is named.
#[test]
fn a_simpler_schedule_is_named() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let found = explained(&scratch, "explain lost_update.c lost_update sync@2:T2,4:T1");
    assert_eq!(found.deciding.len(), 2);
    let simpler = found.simpler.expect("a simpler one");
    let text = scratch.raddle("explain lost_update.c lost_update sync@2:T2,4:T1").run().exits(1).text();
    assert!(text.contains(&format!("simpler  {simpler} fails the same way")), "{text}");
    let simpler = explained(&scratch, &format!("explain lost_update.c lost_update {simpler}"));
    assert_eq!(simpler.simpler, None);
}

#[test]
fn what_passes_is_said_to_pass() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let run = scratch.raddle("explain lost_update.c lost_update sync@default").json().exits(0);
    assert!(run.report().failures.is_empty());
}

/// The failing thread ends the execution with the lock held: where the other one comes after it, it gives it back.
#[test]
fn what_the_failing_thread_did_not_come_to_is_done_where_it_passes() {
    let scratch = Scratch::new();
    let source = "#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;
static void *work(void *amount) {
    pthread_mutex_lock(&lock);
    int seen = balance;
    pthread_mutex_unlock(&lock);
    if (seen < *(int *)amount) return NULL;
    pthread_mutex_lock(&lock);
    balance -= *(int *)amount;
    assert(balance >= 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void) {
    static int amounts[] = {60, 50};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &amounts[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
";
    scratch.write("bank.c", source);
    let found = explained(&scratch, "explore bank.c");
    let orders = found.deciding.iter().filter_map(|d| d.order.as_ref());
    let told: Vec<_> = orders.map(|o| (o.first.operation.as_str(), o.then.operation.as_str())).collect();
    assert_eq!((told, found.enough), (vec![("read", "write"); 2], true));
}
