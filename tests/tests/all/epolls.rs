//! Epolls between threads: what is ready, and in which order that is told, follows from the order of the operations on what is
//! registered; who waits is woken by whoever makes something ready; every order that can be told is explored, as often as
//! brute force finds classes.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Run, Scratch, only_failure};

/// What every program begins with: eventfds `a` and `b`, the epoll `ep`, and threads that write.
const BEGIN: &str = "\
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int ep, a, b, p[2], data;
static pthread_t t[3];
static uint64_t one = 1, v;
static struct epoll_event got[4];

static void start(int n, void *(*body)(void *)) { pthread_create(&t[n], 0, body, (void *)(long)n); }
static void finish(int n) { for (int i = 0; i < n; i++) pthread_join(t[i], 0); }
static int watch(int fd, uint32_t how) {
    struct epoll_event e = {.events = how, .data.fd = fd};
    return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
}
static void *to_a(void *x) { data = 7; write(a, &one, 8); return x; }
static void *to_b(void *x) { write(b, &one, 8); return x; }
static void make(uint32_t how) {
    ep = epoll_create1(0), a = eventfd(0, EFD_NONBLOCK), b = eventfd(0, EFD_NONBLOCK);
    if (how) watch(a, how), watch(b, how);
}
";

/// A folder with this program, which is compiled once for all that explore it there.
fn written(program: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("program.c", &format!("{BEGIN}{program}"));
    scratch
}

fn explore_in(scratch: &Scratch, options: &str) -> Run {
    scratch.raddle(&format!("explore program.c {options}")).args("--cflags -Wno-unused-result").json()
}

#[track_caller]
fn passes(program: &str, options: &str) -> Report {
    passes_in(&written(program), options)
}

#[track_caller]
fn passes_in(scratch: &Scratch, options: &str) -> Report {
    let report = explore_in(scratch, options).report().clone();
    assert!(report.verdict == Verdict::Passed && report.complete, "{options}: {report:#?}");
    assert!(
        report.warnings.is_empty() && !report.guarantee.contains("not explored"),
        "{options}: {report:#?}"
    );
    report
}

/// Passes in so many classes, each of them run once, whoever searches and however threads are carried.
#[track_caller]
fn classes(count: u64, program: &str) {
    let scratch = written(program);
    for options in ["", "--bound none --reduce optimal --granularity access", "--carriers os-threads"] {
        assert_eq!(passes_in(&scratch, options).executions, count, "{options}");
    }
    for reduce in ["none", "source"] {
        let report = passes_in(&scratch, &format!("--bound none --reduce {reduce}"));
        assert_eq!(report.classes, Some(count), "{reduce}");
    }
}

/// Fails so, in the default search and in the plain one.
#[track_caller]
fn fails(kind: &str, message: &str, program: &str) {
    let scratch = written(program);
    for options in ["", "--bound none --reduce none"] {
        let run = explore_in(&scratch, options).exits(1);
        let failure = only_failure(run.report());
        assert_eq!(failure.kind, kind, "{options}: {failure:#?}");
        assert!(failure.message.contains(message), "{options}: {failure:#?}");
    }
}

/// One write, one wait: what was done before the write is known to who is told.
#[test]
fn who_waits_is_woken_by_a_write() {
    for how in ["EPOLLIN", "EPOLLIN | EPOLLET"] {
        classes(
            1,
            &format!(
                "int main(void) {{ make({how}); start(0, to_a); assert(epoll_wait(ep, got, 4, -1) == 1);
                   assert(got[0].data.fd == a && data == 7); finish(1); return 0; }}"
            ),
        );
    }
    fails(
        "deadlock",
        "T0 waits for an event of epoll 1",
        "int main(void) { make(EPOLLIN); start(0, to_a); read(a, &v, 8);
        finish(1); if (v == 1) epoll_wait(ep, got, 4, -1); return 0; }",
    );
}

/// Two writers, and one who waits and reads until it had both. The second write is before the first wait, between it and
/// the read, or behind the read: three places, for either order of the two.
#[test]
fn the_order_of_writes_is_the_order_of_events() {
    let program = "int main(void) { make(EPOLLIN); start(0, to_a); start(1, to_b);
           int first = 0;
           for (int n = 0; n < 2;)
               for (int i = 0, m = epoll_wait(ep, got, 4, -1); i < m; i++, n++) {
                   if (n == 0) first = got[i].data.fd;
                   read(got[i].data.fd, &v, 8);
               }
           assert(CLAIM); finish(2); return 0; }";
    classes(6, &program.replace("CLAIM", "first == a || first == b"));
    fails("assertion", "`first == a`", &program.replace("CLAIM", "first == a"));
    fails("assertion", "`first == b`", &program.replace("CLAIM", "first == b"));
}

/// Nobody reads the counter: a level is told each time, an edge once for each write.
#[test]
fn a_level_is_told_again_and_an_edge_is_not() {
    let program = "int main(void) { make(HOW); start(0, to_a); epoll_wait(ep, got, 4, -1); finish(1);
           int again = epoll_wait(ep, got, 4, 0); assert(again == AGAIN); return 0; }";
    classes(1, &program.replace("HOW", "EPOLLIN").replace("AGAIN", "1"));
    classes(1, &program.replace("HOW", "EPOLLIN | EPOLLET").replace("AGAIN", "0"));
    classes(1, &program.replace("HOW", "EPOLLIN | EPOLLONESHOT").replace("AGAIN", "0"));
    // Two writes to one counter come to the same in either order; the wait is behind one of them, or behind both.
    classes(
        3,
        "static void *adds(void *x) { write(a, &one, 8); return x; }
         int main(void) { make(EPOLLIN | EPOLLET); start(0, adds); start(1, adds); epoll_wait(ep, got, 4, -1);
           finish(2); int more = epoll_wait(ep, got, 4, 0); assert(more == 0 || more == 1); return 0; }",
    );
}

/// What does not wait finds something or nothing; a loop of such calls waits; a time that is over is one answer more.
#[test]
fn a_wait_may_be_over_before_anything_is_there() {
    let program = "int main(void) { make(EPOLLIN); start(0, to_a); int n = epoll_wait(ep, got, 4, LIMIT);
           finish(1); assert(CLAIM); return 0; }";
    for limit in ["0", "10"] {
        let program = program.replace("LIMIT", limit);
        classes(2, &program.replace("CLAIM", "n == 0 || n == 1"));
        fails("assertion", "`n == 1`", &program.replace("CLAIM", "n == 1"));
        fails("assertion", "`n == 0`", &program.replace("CLAIM", "n == 0"));
    }
    passes(
        "int main(void) { make(EPOLLIN); start(0, to_a); while (epoll_wait(ep, got, 4, 0) == 0) ; finish(1); return 0; }",
        "",
    );
}

/// To register a descriptor finds what is there, or comes before it: the wait is told in either order. Who takes it out again may
/// come too late.
#[test]
fn what_is_registered_meanwhile_is_told() {
    classes(
        2,
        "int main(void) { make(0); start(0, to_a); watch(a, EPOLLIN | EPOLLET); assert(epoll_wait(ep, got, 4, -1) == 1);
           finish(1); return 0; }",
    );
    let takes = "static void *takes(void *x) { epoll_ctl(ep, EPOLL_CTL_DEL, a, 0); return x; }
         int main(void) { make(EPOLLIN); write(a, &one, 8); start(0, takes); int n = epoll_wait(ep, got, 4, 0);
           finish(1); assert(n == WANT); return 0; }";
    fails("assertion", "`n == 0`", &takes.replace("WANT", "0"));
    fails("assertion", "`n == 1`", &takes.replace("WANT", "1"));
}

/// The end of one of two sockets is an event of the other.
#[test]
fn an_end_is_an_event() {
    classes(
        1,
        "static void *ends(void *x) { CLOSE; return x; }
         int main(void) { make(0); socketpair(AF_UNIX, SOCK_STREAM, 0, p); watch(p[0], EPOLLIN | EPOLLRDHUP); start(0, ends);
           assert(epoll_wait(ep, got, 4, -1) == 1 && got[0].events & EPOLLRDHUP); finish(1); return 0; }"
            .replace("CLOSE", "close(p[1])")
            .as_str(),
    );
    fails(
        "assertion",
        "`n == 1`",
        "static void *ends(void *x) { shutdown(p[1], SHUT_WR); return x; }
         int main(void) { make(0); socketpair(AF_UNIX, SOCK_STREAM, 0, p); watch(p[0], EPOLLIN); start(0, ends);
           int n = epoll_wait(ep, got, 4, 5); finish(1); assert(n == 1); return 0; }",
    );
}

/// Two who wait for one event: one is told, and the other waits for ever.
#[test]
fn one_edge_is_told_to_one() {
    fails(
        "deadlock",
        "waits for an event of epoll 1",
        "static void *waits(void *x) { epoll_wait(ep, got, 1, -1); return x; }
         int main(void) { make(EPOLLIN | EPOLLET); start(0, waits); start(1, waits); write(a, &one, 8); finish(2); return 0; }",
    );
}

/// What threads of random programs do.
const DOES: [&str; 20] = [
    "add(a)",
    "add(b)",
    "put(p[1], 'x')",
    "put(p[1], 'y')",
    "put(s[0], 'u')",
    "put(s[1], 'v')",
    "get(a)",
    "get(b)",
    "get(p[0])",
    "get(s[0])",
    "get(s[1])",
    "asks(4, 0)",
    "asks(1, 0)",
    "asks(4, 5)",
    "watch(a, EPOLLIN)",
    "watch(p[0], EPOLLIN | EPOLLET)",
    "epoll_ctl(ep, EPOLL_CTL_DEL, s[0], 0)",
    "shutdown(s[1], SHUT_WR)",
    "shutdown(s[0], SHUT_RDWR)",
    "close(s[1])",
];

/// What is registered before they begin.
const WATCHED: [&str; 6] = [
    "watch(a, EPOLLIN)",
    "watch(a, EPOLLIN | EPOLLET)",
    "watch(b, EPOLLIN)",
    "watch(p[0], EPOLLIN)",
    "watch(s[0], EPOLLIN | EPOLLOUT | EPOLLET)",
    "watch(s[1], EPOLLIN | EPOLLRDHUP)",
];

/// A program of two threads with three operations each, which writes down what each of them came to.
fn random(seed: u64) -> String {
    let mut state = seed;
    let mut draw = |names: &[&str]| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        names[(state >> 33) as usize % names.len()].to_string()
    };
    let watched = [draw(&WATCHED), draw(&WATCHED)].join("; ");
    let mut threads = String::new();
    for t in 0..2 {
        let does: Vec<String> = (0..3).map(|n| format!("r[{t}][{n}] = {};", draw(&DOES))).collect();
        threads += &format!("static void *body{t}(void *x) {{ {} return x; }}\n", does.join(" "));
    }
    format!(
        "#include <fcntl.h>
         #include <signal.h>
         #include <stdio.h>
         static int s[2], r[2][3];
         static int asks(int most, int limit) {{ struct epoll_event e[4]; int n = epoll_wait(ep, e, most, limit), h = n;
           for (int i = 0; i < n; i++) h = h * 31 + e[i].data.fd * 64 + (e[i].events & 0x2015); return h; }}
         static int get(int fd) {{ char c[8]; int n = read(fd, c, 8); return n <= 0 ? n : n * 256 + c[0]; }}
         static int put(int fd, char c) {{ return write(fd, &c, 1); }}
         static int add(int fd) {{ return write(fd, &one, 8); }}
         {threads}
         int main(void) {{
           signal(SIGPIPE, SIG_IGN); make(0); pipe2(p, O_NONBLOCK); socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s);
           {watched}; start(0, body0); start(1, body1); finish(2);
           char line[128]; int n = sprintf(line, \"%d %d %d, %d %d %d\\n\", r[0][0], r[0][1], r[0][2], r[1][0], r[1][1], r[1][2]);
           int seen = open(\"seen\", O_WRONLY | O_APPEND | O_CREAT, 0600); write(seen, line, n); close(seen); return 0; }}"
    )
}

/// Random programs come to the same in an execution of each class as in all executions, and each class is run once.
#[test]
fn random_programs_come_to_the_same() {
    for seed in 1..=8 {
        let found = ["none", "optimal"].map(|reduce| {
            let scratch = Scratch::new();
            scratch.write("program.c", &format!("{BEGIN}{}", random(seed)));
            let words = format!("explore program.c --bound none --reduce {reduce}");
            let run = scratch.raddle(&words).args("--cflags -w").json();
            let report = run.report().clone();
            assert!(report.verdict == Verdict::Passed && report.complete, "{seed}: {report:#?}");
            let mut seen: Vec<String> = scratch.read("seen").lines().map(String::from).collect();
            seen.sort_unstable();
            seen.dedup();
            (report.classes, report.executions, seen)
        });
        let [(classes, _, all), (_, executions, seen)] = found;
        assert_eq!((classes, all), (Some(executions), seen), "{seed}");
    }
}
