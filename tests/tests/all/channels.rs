//! Pipes, pairs of sockets and counters of events between threads: who reads waits until something is there, what was done
//! before a write is known to who reads it, and every order that can be told is explored, as often as brute force
//! finds classes.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Run, Scratch, only_failure};

/// What every program begins with.
const BEGIN: &str = "\
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int p[2], q[2], e, data, done[2];
static pthread_t t[3];
static char c;
static uint64_t one = 1;

static void start(int n, void *(*body)(void *)) { pthread_create(&t[n], 0, body, (void *)(long)n); }
static void finish(int n) { for (int i = 0; i < n; i++) pthread_join(t[i], 0); }
";

/// A folder with this program, which is compiled once for all that explore it there.
fn written(program: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("program.c", &format!("{BEGIN}{program}"));
    scratch
}

fn explore(program: &str, options: &str) -> Run {
    explore_in(&written(program), options)
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
    for reduce in ["none", "sleep", "persistent", "source"] {
        let report = passes_in(&scratch, &format!("--bound none --reduce {reduce}"));
        assert_eq!(report.classes, Some(count), "{reduce}");
    }
}

/// Fails so, in the default search and in the plain one.
#[track_caller]
fn fails(kind: &str, message: &str, preemptions: u32, program: &str) {
    let scratch = written(program);
    for options in ["", "--bound none --reduce none"] {
        let run = explore_in(&scratch, options).exits(1);
        let failure = only_failure(run.report());
        assert_eq!((&*failure.kind, failure.preemptions), (kind, preemptions), "{options}: {failure:#?}");
        assert!(failure.message.contains(message), "{options}: {failure:#?}");
    }
}

/// The write comes before the read in every execution, whatever is written to memory before it: one class.
#[test]
fn what_was_done_before_a_write_is_known_to_who_reads_it() {
    classes(
        1,
        "static void *body(void *x) { read(p[0], &c, 1); assert(data == 7); return x; }
         int main(void) { pipe(p); start(0, body); data = 7; write(p[1], \"x\", 1); finish(1); return 0; }",
    );
    // There and back, by sockets: each waits for the other.
    classes(
        1,
        "static void *body(void *x) { recv(p[1], &c, 1, 0); assert(data == 1); data = 2; send(p[1], \"y\", 1, 0); return x; }
         int main(void) { socketpair(AF_UNIX, SOCK_STREAM, 0, p); start(0, body); data = 1; send(p[0], \"x\", 1, 0);
           char d; struct iovec v = {&d, 1}; readv(p[0], &v, 1); assert(d == 'y' && data == 2); finish(1); return 0; }",
    );
    fails(
        "data-race",
        "data race on data",
        0,
        "static void *body(void *x) { read(p[0], &c, 1); data++; return x; }
         int main(void) { pipe(p); start(0, body); write(p[1], \"x\", 1); data = 7; finish(1); return 0; }",
    );
}

/// Of two writes and a read between, before or behind the second: who is first, and which of the two the read is before.
#[test]
fn bytes_come_in_the_order_of_their_writes() {
    let program =
        "static void *body(void *x) { done[(long)x] = 1; write(p[1], x ? \"b\" : \"a\", 1); return x; }
         int main(void) { pipe(p); start(0, body); start(1, body); read(p[0], &c, 1); assert(CLAIM);
           read(p[0], &c, 1); finish(2); return 0; }";
    classes(4, &program.replace("CLAIM", "done[c - 'a']"));
    fails("assertion", "`c == 'a'`", 0, &program.replace("CLAIM", "c == 'a'"));
    // Two that read, of one write of two bytes: either may be first.
    classes(
        2,
        "static char got[2];
         static void *body(void *x) { read(p[0], &got[(long)x], 1); return x; }
         int main(void) { pipe(p); start(0, body); start(1, body); write(p[1], \"ab\", 2); finish(2);
           assert(got[0] + got[1] == 'a' + 'b'); return 0; }",
    );
}

/// Who reads the end of a pipe comes after its closing. The read of the byte may come before that or behind it.
#[test]
fn an_end_that_is_closed_is_found_by_who_reads() {
    classes(
        2,
        "static void *body(void *x) { while (read(p[0], &c, 1) > 0) ; assert(data == 5); return x; }
         int main(void) { pipe(p); start(0, body); write(p[1], \"x\", 1); data = 5; close(p[1]); finish(1); return 0; }",
    );
    classes(
        2,
        "static void *body(void *x) { while (read(p[0], &c, 1) > 0) ; assert(data == 5); return x; }
         int main(void) { pipe(p); start(0, body); write(p[1], \"x\", 1); data = 5; dup2(2, p[1]); finish(1); return 0; }",
    );
    // To close one of two sockets ends both ways: who writes comes before or behind that, and who reads behind.
    let close = "static void *body(void *x) { CLOSE; return x; }
         int main(void) { signal(SIGPIPE, SIG_IGN); socketpair(AF_UNIX, SOCK_STREAM, 0, p); start(0, body); WRITE
           assert(read(p[0], &c, 1) END); finish(1); return 0; }";
    for (call, end) in
        [("close(p[1])", "<= 0"), ("dup2(2, p[1])", "<= 0"), ("shutdown(p[1], SHUT_RDWR)", "== 0")]
    {
        let program = close.replace("CLOSE", call).replace("END", end);
        classes(1, &program.replace("WRITE", ""));
        classes(2, &program.replace("WRITE", "write(p[0], \"x\", 1);"));
        fails(
            "assertion",
            "`n == 1`",
            1,
            &program.replace("WRITE", "int n = write(p[0], \"x\", 1); assert(n == 1);"),
        );
    }
    // To shut one way leaves the other as it is.
    classes(
        1,
        &close
            .replace("CLOSE", "shutdown(p[1], SHUT_WR)")
            .replace("END", "== 0")
            .replace("WRITE", "write(p[0], \"x\", 1);"),
    );
    // Once nobody else is there, two sockets are closed as anything is.
    classes(
        1,
        "static void *body(void *x) { write(p[1], \"x\", 1); return x; }
         int main(void) { socketpair(AF_UNIX, SOCK_STREAM, 0, p); start(0, body); finish(1); close(p[1]);
           assert(read(p[0], &c, 1) == 1 && read(p[0], &c, 1) == 0); return 0; }",
    );
}

/// Not even where writes add up does closing come to the same before one as behind it, whoever is first by default.
#[test]
fn an_end_that_is_closed_takes_nothing_more() {
    let closes = "static void *body(void *x) { close(e); return x; }
         int main(void) { e = eventfd(0, 0); start(0, body); int n = write(e, &one, 8); assert(n == 8); finish(1); return 0; }";
    fails("assertion", "`n == 8`", 1, closes);
    let writes = "static void *body(void *x) { int n = write(e, &one, 8); assert(n == 8); return x; }
         int main(void) { e = eventfd(0, 0); start(0, body); close(e); finish(1); return 0; }";
    fails("assertion", "`n == 8`", 0, writes);
    let run = explore(closes, "");
    let rows = serde_json::to_string(&run.report().failures[0]).expect("JSON");
    assert!(rows.contains("closes eventfd 1"), "{rows}");
    let passed = writes.replace("assert(n == 8)", "done[0] = n");
    classes(2, &passed);
}

/// What changes a channel, or tells of it, without being a step on it: who would notice is refused the call, by its name.
#[test]
fn what_is_no_step_on_a_channel_is_refused() {
    let thread = "static void *body(void *x) { CALL; return x; }";
    let pipes =
        "int main(void) { pipe(p); pipe(q); start(0, body); read(p[0], &c, 1); finish(1); return 0; }";
    let sockets = "int main(void) { socketpair(AF_UNIX, SOCK_STREAM, 0, p); start(0, body); recv(p[0], &c, 1, 0); finish(1); return 0; }";
    let calls = [
        (
            "sendmsg",
            sockets,
            "struct iovec v = {\"a\", 1}; struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}; sendmsg(p[1], &m, 0)",
        ),
        (
            "setsockopt",
            sockets,
            "struct timeval l = {0, 9}; setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &l, sizeof l)",
        ),
        ("close_range", pipes, "close_range(p[1], p[1], 0)"),
        ("ioctl", pipes, "int n; ioctl(p[0], FIONREAD, &n)"),
        ("O_NONBLOCK", pipes, "fcntl(p[0], F_SETFL, O_NONBLOCK)"),
        ("O_NONBLOCK", pipes, "int on = 1; ioctl(p[0], FIONBIO, &on)"),
        ("vmsplice", pipes, "struct iovec v = {\"a\", 1}; vmsplice(p[1], &v, 1, 0)"),
        ("tee", pipes, "tee(q[0], p[1], 1, 0)"),
    ];
    let head = "#include <sys/ioctl.h>\n#include <sys/time.h>\n";
    for (name, main, call) in calls {
        let program = format!("{head}{}\n{main}", thread.replace("CALL", call));
        let run = explore(&program, "").exits(2);
        let error = run.report().error.as_ref().expect(name);
        assert!(error.message.starts_with(&format!("`{name}` ")), "{name}: {error:?}");
        assert!(error.cause.as_ref().is_some_and(|c| c.contains("program.c:")), "{name}: {error:?}");
    }
    let many = "int main(void) { for (int i = 0; i < 70; i++) pipe(p); return 0; }";
    let error = explore(many, "").exits(2).report().error.clone().expect("it is refused");
    assert!(error.message.starts_with("`pipe` beyond 64"), "{error:?}");
    let full = "int main(void) { e = eventfd(0, 0); eventfd_write(e, -2); eventfd_write(e, 1); return 0; }";
    let error = explore(full, "").exits(2).report().error.clone().expect("it is refused");
    assert!(error.message.starts_with("`eventfd_write` "), "{error:?}");
}

/// Whether reads wait may be set behind a descriptor's making as long as nobody else can know of it, or uses it.
#[test]
fn a_descriptor_of_one_thread_is_told_not_to_wait() {
    let main = "#include <sys/ioctl.h>
         static int on = 1;
         static void *idle(void *x) { return x; }
         static void *body(void *x) { int n = read(p[0], &c, 1); assert(n NOW); return x; }
         int main(void) { start(0, idle); CALL finish(2); return 0; }";
    for (now, call) in [
        ("< 0 && errno == EAGAIN", "pipe(p); fcntl(p[0], F_SETFL, O_NONBLOCK); start(1, body);"),
        (
            "< 0 && errno == EAGAIN",
            "socketpair(AF_UNIX, SOCK_STREAM, 0, p); ioctl(p[0], FIONBIO, &on); start(1, body);",
        ),
        // The other end of the pipe.
        ("== 1", "pipe(p); start(1, body); fcntl(p[1], F_SETFL, O_NONBLOCK); write(p[1], \"x\", 1);"),
        // Behind a thread's birth, of what that does not use.
        (
            "== 1",
            "pipe(p); pipe(q); start(1, body); ioctl(q[0], FIONBIO, &on); read(q[0], &c, 1); write(p[1], \"x\", 1);",
        ),
    ] {
        classes(1, &main.replace("NOW", now).replace("CALL", call));
    }
}

/// Two threads of which one sets `O_NONBLOCK` and the other could find out when are refused, in whichever order they come.
#[test]
fn a_descriptor_of_two_threads_is_not_told_whether_to_wait() {
    let program = "static void *body(void *x) { USE; return x; }
         int main(void) { MAKE; start(0, body); fcntl(p[END], F_SETFL, HOW); finish(1); return 0; }";
    for (make, how) in [("pipe(p)", "O_NONBLOCK"), ("pipe2(p, O_NONBLOCK)", "0")] {
        for (does, end) in [
            ("read(p[0], &c, 1)", "0"),
            ("sched_yield(); read(p[0], &c, 1)", "0"),
            ("write(p[1], &c, 1)", "1"),
            ("fcntl(p[0], F_GETFL)", "0"),
        ] {
            let program = program.replace("USE", does).replace("MAKE", make);
            let scratch = written(&program.replace("END", end).replace("HOW", how));
            for options in ["", "--bound none --reduce none", "--bound none --reduce source"] {
                let run = explore_in(&scratch, options).exits(2);
                let error = run.report().error.as_ref().expect("it is refused");
                assert!(
                    error.message.starts_with("`O_NONBLOCK` of what another thread"),
                    "{does}: {error:?}"
                );
            }
        }
    }
}

/// Who reads by a number that another thread closes may come before that or behind it, where nobody waits: each order, and as
/// often as brute force.
#[test]
fn a_descriptor_that_is_closed_meanwhile_is_met_in_each_order() {
    // The read is before the closing, or behind it; the closing before the write or behind it.
    classes(
        2,
        "static void *body(void *x) { int r = read(p[0], &c, 1); assert(r < 0); return x; }
         int main(void) { pipe2(p, O_NONBLOCK); start(0, body); close(p[0]); finish(1); return 0; }",
    );
    let program =
        "static void *body(void *x) { int r = read(p[0], &c, 1); assert(r < 0 && errno == WHY); return x; }
         int main(void) { pipe2(p, O_NONBLOCK); start(0, body); close(p[0]); finish(1); return 0; }";
    fails("assertion", "errno == EAGAIN", 0, &program.replace("WHY", "EAGAIN"));
    fails("assertion", "errno == EBADF", 1, &program.replace("WHY", "EBADF"));
    // Its number is another's then: who reads meets the one or the other.
    let program = "static void *body(void *x) { int r = read(p[0], &c, 1); assert(CLAIM); return x; }
         int main(void) { pipe2(p, O_NONBLOCK); pipe2(q, O_NONBLOCK); write(q[1], \"q\", 1); start(0, body);
           dup2(q[0], p[0]); finish(1); return 0; }";
    classes(2, &program.replace("CLAIM", "r < 0 || c == 'q'"));
    fails("assertion", "`r < 0`", 0, &program.replace("CLAIM", "r < 0"));
    fails("assertion", "`r == 1`", 1, &program.replace("CLAIM", "r == 1"));
}

/// To make another descriptor of one finds it, or finds it closed.
#[test]
fn a_descriptor_is_doubled_before_it_is_closed_or_behind() {
    let program = "static void *body(void *x) { close(p[0]); return x; }
         int main(void) { pipe2(p, O_NONBLOCK); start(0, body); int f = CALL; assert(CLAIM); finish(1); return 0; }";
    for call in ["dup(p[0])", "fcntl(p[0], F_DUPFD, 40)", "dup2(p[0], 50)"] {
        let program = program.replace("CALL", call);
        classes(2, &program.replace("CLAIM", "f < 0 || f > 2"));
        fails("assertion", "`f > 2`", 1, &program.replace("CLAIM", "f > 2"));
    }
    // Who closes twice may close what another thread was given, which is told.
    let twice = "static void *body(void *x) { close(p[0]); close(p[0]); return x; }
         int main(void) { pipe(p); start(0, body); int f = dup(p[1]); assert(f > 2); finish(1); return 0; }";
    let report = explore(twice, "").report().clone();
    assert!(report.guarantee.contains("not explored"), "{report:#?}");
}

/// A call that waits to read keeps its file though the number is closed. Whether it was in that call already nobody can tell here,
/// so it is refused, whoever comes first.
#[test]
fn a_descriptor_that_somebody_waits_for_is_not_closed() {
    let program = "static void *body(void *x) { read(p[0], &c, 1); return x; }
         int main(void) { pipe(p); start(0, body); AGAIN close(p[0]); finish(1); return 0; }";
    for (again, options) in [("", ""), ("sched_yield();", ""), ("", "--bound none --reduce optimal")] {
        let run = explore(&program.replace("AGAIN", again), options).exits(2);
        let error = run.report().error.as_ref().expect("it is refused");
        assert!(
            error.message.starts_with("`close` of a descriptor that another thread reads from"),
            "{error:?}"
        );
    }
}

/// Large counts may fill a counter, so that it does matter which is added first. What constructors make stays from one
/// execution to the next.
#[test]
fn counters_that_fill_and_channels_from_before_main_are_refused() {
    let large = "static void *body(void *x) { uint64_t n = -2; write(e, &n, 8); return x; }
         int main(void) { e = eventfd(0, EFD_NONBLOCK); start(0, body); write(e, &one, 8); finish(1); return 0; }";
    let early = "__attribute__((constructor)) static void make(void) { MAKE; }
         static void *body(void *x) { write(p[1], \"x\", 1); return x; }
         int main(void) { start(0, body); read(p[0], &c, 1); finish(1); return 0; }";
    let cases = [
        (large.to_string(), "`write` of a count above"),
        (early.replace("MAKE", "pipe(p)"), "`pipe` before `main`"),
        (early.replace("MAKE", "socketpair(AF_UNIX, SOCK_STREAM, 0, p)"), "`socketpair` before `main`"),
        (early.replace("MAKE", "p[0] = p[1] = eventfd(0, 0)"), "`eventfd` before `main`"),
        (
            "int main(void) { pipe2(p, 0); fcntl(p[1], F_SETPIPE_SZ, 4096); static char much[4096]; write(p[1], much, 4096);
              struct iovec v = {&c, 1}; writev(p[1], &v, 1); return 0; }"
                .to_string(),
            "`writev` to a descriptor that takes nothing more",
        ),
    ];
    for (program, message) in cases {
        let run = explore(&program, "").exits(2);
        let error = run.report().error.as_ref().expect(message);
        assert!(error.message.starts_with(message), "{message}: {error:?}");
    }
}

/// To read nothing waits for nothing.
#[test]
fn what_asks_for_nothing_does_not_wait() {
    let program = "static void *body(void *x) { return x; }
         int main(void) { pipe(p); start(0, body); struct iovec v = {&c, 0};
           assert(read(p[0], &c, 0) == 0 && readv(p[0], &v, 1) == 0); finish(1); return 0; }";
    assert_eq!(passes(program, "").executions, 1);
}

/// A channel is told by who made it and as which of its own, though the system gives numbers again.
#[test]
fn numbers_that_are_given_again_tell_nothing() {
    let program = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
         static void *body(void *x) { int a = eventfd(0, 0); close(a); int b = eventfd(0, 0); write(b, &one, 8);
           pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return x; }
         int main(void) { start(0, body); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); eventfd(0, 0);
           finish(1); return 0; }";
    assert_eq!(passes(program, "--bound none --reduce optimal").executions, 2);
}

/// What is added to a counter comes to the same in either order: the read is between the two, behind the first or the second,
/// or behind both.
#[test]
fn counts_add_up_in_any_order() {
    classes(
        3,
        "static void *body(void *x) { done[(long)x] = 1; write(e, &one, 8); return x; }
         int main(void) { e = eventfd(0, 0); start(0, body); start(1, body);
           for (uint64_t n = 0, v; n < 2; n += v) read(e, &v, 8);
           assert(done[0] && done[1]); finish(2); return 0; }",
    );
    // By their own names. Each count is read by its own wait, so who reads comes behind one write or behind both.
    classes(
        3,
        "static void *body(void *x) { done[(long)x] = 1; eventfd_write(e, 1); return x; }
         int main(void) { e = eventfd(0, EFD_SEMAPHORE); start(0, body); start(1, body); eventfd_t v;
           eventfd_read(e, &v); eventfd_read(e, &v); assert(v == 1 && done[0] && done[1]); finish(2); return 0; }",
    );
}

/// Where the descriptor does not wait, both answers are there, and a loop of such reads is a loop that waits.
#[test]
fn descriptors_that_do_not_wait_say_so() {
    classes(
        2,
        "static void *body(void *x) { if (read(p[0], &c, 1) == 1) assert(data == 1); else assert(errno == EAGAIN); return x; }
         int main(void) { pipe2(p, O_NONBLOCK); start(0, body); data = 1; write(p[1], \"x\", 1); finish(1); return 0; }",
    );
    // The loop finds nothing once, twice, or never.
    classes(
        3,
        "static void *body(void *x) { while (read(p[0], &c, 1) < 0) sched_yield(); assert(data == 1); return x; }
         int main(void) { pipe2(p, O_NONBLOCK); start(0, body); data = 1; write(p[1], \"x\", 1); finish(1); return 0; }",
    );
    fails(
        "assertion",
        "`r < 0`",
        1,
        "static void *body(void *x) { write(e, &one, 8); return x; }
         int main(void) { e = eventfd(0, EFD_NONBLOCK); start(0, body); uint64_t v; int r = read(e, &v, 8);
           finish(1); assert(r < 0); return 0; }",
    );
    // With sizes checked by the compiler too.
    let checked = "static void *body(void *x) { char a[4]; volatile int n = 1; while (read(p[0], a, n) < 0) sched_yield();
           assert(data == 1); return x; }
         int main(void) { pipe2(p, O_NONBLOCK); start(0, body); data = 1; write(p[1], \"x\", 1); finish(1); return 0; }";
    let scratch = Scratch::new();
    scratch.write("program.c", &format!("#define _FORTIFY_SOURCE 2\n{BEGIN}{checked}"));
    let run = scratch.raddle("explore program.c --bound none --reduce optimal").json();
    assert_eq!((run.report().verdict, run.report().executions), (Verdict::Passed, 3), "{:#?}", run.report());
    // Alone it is the same.
    let alone = "int main(void) { e = eventfd(0, EFD_NONBLOCK); assert(read(e, &one, 8) < 0 && errno == EAGAIN); return 0; }";
    assert_eq!(passes(alone, "").executions, 1);
}

#[test]
fn who_waits_for_what_nobody_writes_is_told() {
    fails(
        "deadlock",
        "T1 waits to read from pipe 1",
        0,
        "static void *body(void *x) { read(p[0], &c, 1); return x; }
         int main(void) { pipe(p); start(0, body); start(1, body); write(p[1], \"x\", 1); finish(2); return 0; }",
    );
    fails(
        "deadlock",
        "T1 waits to read from socket 1",
        0,
        "static void *body(void *x) { recv(p[0], &c, 1, 0); return x; }
         int main(void) { socketpair(AF_UNIX, SOCK_DGRAM, 0, p); start(0, body); finish(1); return 0; }",
    );
    // One waits for a byte, holding what the other needs before it writes.
    fails(
        "deadlock",
        "waits to read from eventfd 1",
        0,
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
         static void *body(void *x) { pthread_mutex_lock(&m); write(e, &one, 8); pthread_mutex_unlock(&m); return x; }
         int main(void) { e = eventfd(0, 0); start(0, body); pthread_mutex_lock(&m); eventfd_t v;
           eventfd_read(e, &v); pthread_mutex_unlock(&m); finish(1); return 0; }",
    );
}

/// A function of stdio may want more than is there, which nobody can tell before: where nothing is there, it is refused by
/// its name, in that execution. Where other synchronisation says that it is, it is read.
#[test]
fn streams_do_not_wait() {
    let program = "static void *body(void *x) { FILE *f = fdopen(p[0], \"r\"); JOIN assert(fgetc(f) == 'x' && data == 1); return x; }
         static void *writes(void *x) { data = 1; write(p[1], \"x\", 1); return x; }
         int main(void) { pipe(p); start(1, writes); start(0, body); pthread_join(t[0], 0); END return 0; }";
    let report = passes(&program.replace("JOIN", "pthread_join(t[1], 0);").replace("END", ""), "");
    assert_eq!(report.executions, 1);
    let run = explore(&program.replace("JOIN", "").replace("END", "pthread_join(t[1], 0);"), "").exits(3);
    let report = run.report();
    assert_eq!(report.refusals.len(), 1, "{report:#?}");
    let message = &report.refusals[0].message;
    assert!(message.starts_with("`fgetc` of a descriptor that has nothing to read"), "{message}");
}

/// std's own pipe, in Rust.
#[test]
fn pipes_of_std() {
    let scratch = Scratch::new();
    scratch.write(
        "Cargo.toml",
        "[package]\nname = \"pipes\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
    );
    let source = r#"
use std::io::{Read, Write};

fn heard(kept: bool) -> String {
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    let sender = std::thread::spawn(move || {
        writer.write_all(b"hello").unwrap();
        kept.then_some(writer)
    });
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    sender.join().unwrap();
    text
}

#[test]
fn ends() {
    assert_eq!(heard(false), "hello");
}

#[test]
fn has_no_end() {
    heard(true);
}
"#;
    scratch.write("src/lib.rs", source);
    let run = scratch.raddle("explore . ends --exact").json().exits(0);
    assert!(run.report().complete && run.report().executions > 1, "{:#?}", run.report());
    let run = scratch.raddle("explore . has_no_end --exact").json().exits(1);
    let failure = &run.report().failures[0];
    assert_eq!((failure.kind.as_str(), failure.preemptions), ("deadlock", 0));
    assert_eq!(failure.message, "deadlock: T0 waits to read from pipe 1");
    let again =
        scratch.raddle(&format!("replay . has_no_end {} --repeat 3", failure.schedule)).json().exits(1);
    assert_eq!(again.report().replay.as_ref().map(|r| r.failed), Some(3));
}
