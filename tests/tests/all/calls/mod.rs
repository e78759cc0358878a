//! Functions of libc that the runtime serves or looks at on their way: what each does to the memory it is given is an access.
//! For each argument of each there is a program in which one thread calls it and another touches that memory, and
//! nothing orders the two.

mod cases;

use cases::{CASES, Case, NAMELESS, OTHERS};
use raddle_protocol::report::Verdict;
use raddle_schedule::calls::{ITSELF, ITSELF_IN_C, TOLD};
use raddle_tests::Scratch;
use raddle_tests::extent::everything;
use std::fmt::Write;

const HEAD: &str = r#"#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static _Alignas(64) char place[1024];
static char *freed;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;
static mtx_t m11;
static cnd_t c11;
static volatile char kept;
static pthread_t t;

/* The compiler does not know it. */
static char as_it_is(char c)
{
    __asm__("" : "+r"(c));
    return c;
}

static struct option long_ones[] = {{"all", no_argument, 0, 'a'}, {0}};
static void *idles(void *unused) { return unused; }
static int idles_too(void *unused) { return unused != 0; }
static int prints(char **text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vasprintf(text, format, list);
    va_end(list);
    return n;
}
static int scans(FILE *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vfscanf(f, format, list);
    va_end(list);
    return n;
}
"#;

/// A test for each case. `reads`: the other thread reads where the function writes, or else writes where it reads.
fn program(cases: &[(Case, bool)]) -> String {
    let mut text = HEAD.to_string();
    for (n, ((function, _, before, call), reads)) in cases.iter().enumerate() {
        // Of a record that is asked about the answer lies behind the question.
        let at = if function.ends_with("poll") { 6 } else { 0 };
        let other = match (*function, reads) {
            ("free" | "realloc", _) => "kept = *freed;".to_string(),
            (_, true) => format!("kept = place[{at}];"),
            (_, false) => "place[0] = as_it_is(place[0]);".to_string(),
        };
        let _ = write!(
            text,
            "static void *other_{n}(void *unused) {{ {other} return unused; }}
void test_{n}_{function}(void)
{{
    void *p = place;
    sem_init(&s, 0, 1); mtx_init(&m11, mtx_timed); cnd_init(&c11);
    {before}
    pthread_create(&t, 0, other_{n}, 0);
    {{ {call}; }}
    pthread_join(t, 0);
}}
"
        );
    }
    text
}

/// Explores a program of these cases by this compiler: in each there is a race.
fn each_races(cases: &[(Case, bool)], compiler: &str) {
    let scratch = Scratch::new();
    scratch.write("calls.c", &program(cases));
    let run = scratch.raddle("explore calls.c --cflags -w").env("CC", compiler).json();
    assert_eq!(run.reports.len(), cases.len());
    let mut wrong = Vec::new();
    for report in &run.reports {
        // What is given back is gone in one order of the two.
        let kinds = ["data-race", "use-after-free"];
        let races = report.failures.iter().any(|f| kinds.contains(&f.kind.as_str()));
        if report.verdict != Verdict::Failed || !races {
            let failures: Vec<_> = report.failures.iter().map(|f| (&f.kind, &f.message)).collect();
            wrong.push(format!("{}: {:?} {failures:?}", report.test, report.verdict));
        }
    }
    assert!(wrong.is_empty(), "{compiler}: {}", wrong.join("\n"));
}

#[test]
fn every_argument_of_the_list_has_a_program() {
    for call in TOLD.iter().filter(|call| !NAMELESS.contains(&call.name)) {
        for touch in call.touches {
            let has =
                CASES.iter().any(|(name, argument, ..)| *name == call.name && *argument == touch.argument);
            assert!(has, "{} {}", call.name, touch.argument);
        }
    }
    let itself = [ITSELF, ITSELF_IN_C].into_iter().flat_map(str::split_ascii_whitespace);
    for name in itself.filter(|name| !NAMELESS.contains(name)) {
        assert!(OTHERS.iter().any(|(other, ..)| *other == name), "{name}");
    }
}

fn listed() -> Vec<(Case, bool)> {
    let writes = |case: &Case| {
        let call = TOLD.iter().find(|call| call.name == case.0).expect(case.0);
        call.touches.iter().any(|touch| touch.argument == case.1 && touch.writes)
    };
    CASES.iter().map(|case| (*case, writes(case))).collect()
}

/// Every second case, or with `--all` every one.
fn every_second(cases: Vec<(Case, bool)>, from: usize) -> Vec<(Case, bool)> {
    let step = if everything() { 1 } else { 2 };
    cases.into_iter().skip(from % step).step_by(step).collect()
}

#[test]
fn what_each_function_does_races_with_who_is_there_gcc() {
    each_races(&every_second(listed(), 0), "gcc");
}

#[test]
fn what_each_function_does_races_with_who_is_there_clang() {
    each_races(&every_second(listed(), 1), "clang");
}

#[test]
fn so_do_functions_that_tell_by_themselves() {
    let reading = [
        "getenv",
        "setenv",
        "putenv",
        "unsetenv",
        "pwrite",
        "pwrite64",
        "send",
        "write",
        "getopt",
        "longjmp",
        "_longjmp",
        "siglongjmp",
    ];
    let writes = |(name, _, _, call): &Case| {
        !reading.contains(name) && !call.contains("(2, p,") && !call.contains("SETLK")
    };
    let cases: Vec<(Case, bool)> = OTHERS.iter().map(|case| (*case, writes(case))).collect();
    for (from, compiler) in ["gcc", "clang"].into_iter().enumerate() {
        each_races(&every_second(cases.clone(), from), compiler);
    }
}

/// What there is no room for is not written.
#[test]
fn names_that_are_cut_off_end_where_their_room_does() {
    let scratch = Scratch::new();
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <string.h>\n#include <sys/socket.h>\n#include <sys/un.h>\n\
                static struct { char name[8], other; } place;\n\
                static void *writes(void *unused) { place.other = 1; return unused; }\n\
                int main(void)\n{\n    struct sockaddr_un name = {.sun_family = AF_UNIX};\n    pthread_t t;\n    \
                socklen_t room = 8;\n    int s = socket(AF_UNIX, SOCK_DGRAM, 0);\n    \
                memcpy(name.sun_path, \"\\0a longer name than that\", 23);\n    \
                assert(bind(s, (struct sockaddr *)&name, sizeof name) == 0);\n    \
                pthread_create(&t, 0, writes, 0);\n    getsockname(s, (struct sockaddr *)&place, &room);\n    \
                assert(room > 8);\n    return pthread_join(t, 0);\n}\n";
    scratch.write("names.c", text);
    let run = scratch.raddle("explore names.c").json().exits(0);
    assert_eq!(run.report().verdict, Verdict::Passed, "{:#?}", run.report());
}

/// A function of the program's own that has such a name takes and gives back what it likes.
#[test]
fn functions_of_the_programs_own_are_called_as_they_are() {
    let scratch = Scratch::new();
    scratch.write(
        "own.c",
        "double times(double a, int b, int c, int d, int e, int f, int g, int h, int i, int j)\n\
         {\n    return a + b + c + d + e + f + g + 10 * h + 100 * i + 1000 * j;\n}\n\
         double fscanf(double a, double b)\n{\n    return a * b;\n}\n",
    );
    scratch.write(
        "main.c",
        "#include <assert.h>\n#include <pthread.h>\n\
         double times(double, int, int, int, int, int, int, int, int, int);\ndouble fscanf(double, double);\n\
         static void *calls(void *unused)\n{\n    assert(times(0.5, 0, 0, 0, 0, 0, 0, 1, 2, 3) == 3210.5);\n    \
         assert(fscanf(1.5, 5) == 7.5);\n    return unused;\n}\n\
         int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, calls, 0);\n    calls(0);\n    \
         return pthread_join(t, 0);\n}\n",
    );
    for compiler in ["gcc", "clang"] {
        let run = scratch.raddle("explore main.c own.c --cflags=-w").env("CC", compiler).json();
        assert_eq!(run.report().verdict, Verdict::Passed, "{compiler}: {:#?}", run.report());
    }
}
