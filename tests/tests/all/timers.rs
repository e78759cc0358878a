//! Timers with descriptors (`timerfd`): their time is virtual, who waits for one may find it over before anything else comes, and
//! what they tell is what the system's tell.

use raddle_protocol::report::Verdict;
use raddle_tests::{Run, Scratch, only_failure};

const BEGIN: &str = "\
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int timer, waker, poller;
static atomic_int done;
static uint64_t count;

static int set(long ns, long every, int how) {
    return timerfd_settime(timer, how, &(struct itimerspec){{every, 0}, {ns / 1000000000, ns % 1000000000}}, 0);
}
static int reads(void) { return read(timer, &count, 8) == 8; }
";

fn explore(program: &str, options: &str) -> Run {
    let scratch = Scratch::new();
    scratch.write("program.c", &format!("{BEGIN}{program}"));
    scratch.raddle(&format!("explore program.c {options}")).json()
}

#[track_caller]
fn passes(program: &str, executions: u64) {
    for options in ["", "--bound none --reduce optimal", "--bound none --reduce none"] {
        let report = explore(program, options).report().clone();
        assert!(report.verdict == Verdict::Passed && report.complete, "{options}: {report:#?}");
        assert!(options.ends_with("none") || report.executions == executions, "{options}: {report:#?}");
    }
}

/// A thread that waits with an epoll for a timer and for another thread.
const POLLS: &str = "\
static void *sends(void *x) { done = 1; eventfd_write(waker, 1); return x; }
int main(void) {
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    waker = eventfd(0, EFD_NONBLOCK);
    poller = epoll_create1(0);
    struct epoll_event got[2], e = {.events = EPOLLIN, .data.fd = timer};
    assert(!epoll_ctl(poller, EPOLL_CTL_ADD, timer, &e));
    e.data.fd = waker;
    assert(!epoll_ctl(poller, EPOLL_CTL_ADD, waker, &e) && !set(1000000000, 0, 0));
    pthread_t t;
    pthread_create(&t, 0, sends, 0);
    int n = epoll_wait(poller, got, 2, -1), over = 0;
    for (int i = 0; i < n; i++) over |= got[i].data.fd == timer;
    assert(n > 0);
    if (over) {
        assert(reads() && count == 1 && !reads() && errno == EAGAIN);
        AFTER;
    }
    pthread_join(t, 0);
}";

#[test]
fn an_epoll_ends_by_a_timer_or_by_a_thread() {
    passes(&POLLS.replace("AFTER", "(void)0"), 6);
    let run = explore(&POLLS.replace("AFTER", "assert(done)"), "");
    let failure = only_failure(run.report());
    let rows = format!("{:?}", failure.events);
    assert!(failure.kind == "assertion" && rows.contains("time is over"), "{failure:#?}");
}

/// Alone, then beside a thread that has nothing to do with it.
#[test]
fn its_time_is_virtual_and_comes_again() {
    let program = "\
static long long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ll + t.tv_nsec; }
static void *ends(void *x) { return x; }
int main(void) {
    struct itimerspec left;
    timer = timerfd_create(CLOCK_REALTIME, 0);
    long long begin = now();
    assert(!set(500000000, 3600, 0) && reads() && count == 1 && now() - begin >= 499000000);
    assert(!timerfd_gettime(timer, &left) && left.it_interval.tv_sec == 3600 && left.it_value.tv_sec <= 3600);
    pthread_t t;
    pthread_create(&t, 0, ends, 0);
    assert(reads() && count == 1 && now() - begin >= 3600 * 1000000000ll);
    pthread_join(t, 0);
    assert(!timerfd_settime(timer, 0, &(struct itimerspec){0}, &left) && left.it_interval.tv_sec == 3600);
    assert(!timerfd_gettime(timer, &left) && !left.it_value.tv_sec && !left.it_value.tv_nsec);
    struct timespec t0;
    clock_gettime(CLOCK_REALTIME, &t0);
    assert(!set((t0.tv_sec - 1) * 1000000000, 0, TFD_TIMER_ABSTIME) && reads() && count == 1);
    assert(timerfd_settime(timer, 0, &(struct itimerspec){{0, 0}, {0, 1000000000}}, 0) == -1 && errno == EINVAL);
    assert(timerfd_settime(0, 0, &left, 0) == -1 && errno == EINVAL);
    assert(timerfd_settime(99, 0, &left, 0) == -1 && errno == EBADF);
}";
    passes(program, 1);
}

/// A thread stops a timer for which another one waits before its time is over, or behind that.
#[test]
fn one_that_is_stopped_may_never_run_out() {
    let program = "\
static void *waits(void *x) { if (reads()) done = 1; return x; }
int main(void) {
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    set(1000, 0, 0);
    pthread_t t;
    pthread_create(&t, 0, waits, 0);
    set(0, 0, 0);
    pthread_join(t, 0);
}";
    let run = explore(program, "");
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, "deadlock", "{failure:#?}");
    assert!(failure.message.contains("timerfd 1"), "{failure:#?}");
    passes(&program.replace("    set(0, 0, 0);\n", "    set(5000, 0, 0);\n"), 4);
}
