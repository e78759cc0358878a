//! What Raddle does not model is refused by its name and its place, with exit status 2 and as data, and nothing hangs:
//! calls that start processes, that wait for others than the program's threads, and system calls past libc's
//! functions. (What is only slow is ended by the harness's time limit, which is the failure of such a test.)

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Run, Scratch, line_of, only_failure};

/// The last part of every program here.
const LINE: &str = "/* called */";

/// A program whose second thread does this.
fn program(body: &str) -> Scratch {
    let scratch = Scratch::with("tests/programs/refused/calls.h");
    let text = format!(
        "#include \"calls.h\"\n\nstatic void call(void)\n{{\n    {body} {LINE}\n}}\n\n\
         int main(void)\n{{\n    return begin();\n}}\n"
    );
    scratch.write("calls.c", &text);
    scratch
}

fn explore(scratch: &Scratch, options: &str) -> Run {
    let words = format!("explore calls.c --bound preemptions=1 {options}");
    let run = scratch.raddle(&words).arg("--cflags").arg("-Wno-unused-result").json();
    run.leaves_nothing_running_in(scratch)
}

/// Refused as a call of this name at the line, by each kind of carrier.
#[track_caller]
fn check(name: &str, body: &str) {
    check_with("", name, body);
}

/// The same with options.
#[track_caller]
fn check_with(given: &str, name: &str, body: &str) {
    for carriers in ["", "--carriers os-threads"] {
        let options = &format!("{given} {carriers}");
        let scratch = program(body);
        let run = explore(&scratch, options).exits(2);
        let report = run.report();
        assert_eq!(report.verdict, Verdict::Error, "{name} {options}: {report:#?}");
        assert!(report.failures.is_empty() && report.guarantee.is_empty(), "{name} {options}: {report:#?}");
        let error = report.error.as_ref().unwrap_or_else(|| panic!("{name} {options}: {report:#?}"));
        assert!(error.message.starts_with(&format!("`{name}`")), "{name} {options}: {error:?}");
        assert!(error.message.contains("is not modelled"), "{name} {options}: {error:?}");
        let place = format!("calls.c:{}", line_of(&scratch.read("calls.c"), LINE));
        let cause = error.cause.clone().unwrap_or_default();
        assert!(
            cause.contains(&format!("T1 calls it at {place}, in schedule ")),
            "{name} {options}: {error:?}"
        );
        assert!(error.next.is_some(), "{name} {options}: {error:?}");
    }
}

/// Passes; its report.
#[track_caller]
fn check_passes(body: &str) -> (Scratch, Report) {
    let scratch = program(body);
    let run = explore(&scratch, "").exits(0);
    let report = run.report().clone();
    assert_eq!(report.verdict, Verdict::Passed, "{body}: {report:#?}");
    (scratch, report)
}

#[test]
fn processes_that_are_started() {
    check("fork", "if (fork() == 0) _exit(0);");
    check("vfork", "if (vfork() == 0) _exit(0);");
    check("clone", "clone(other, much + sizeof much, SIGCHLD, NULL);");
    check("system", "system(\"true\");");
    check("popen", "popen(\"true\", \"r\");");
    check("daemon", "daemon(1, 1);");
    let words = "char *words[] = {\"true\", NULL};";
    check(
        "posix_spawn",
        &format!("{words} pid_t p; posix_spawn(&p, \"/bin/true\", NULL, NULL, words, environ);"),
    );
    check(
        "posix_spawnp",
        &format!("{words} pid_t p; posix_spawnp(&p, \"true\", NULL, NULL, words, environ);"),
    );
}

#[test]
fn teams_of_openmp() {
    let scratch = Scratch::new();
    scratch.write(
        "team.c",
        "int main(void)\n{\n    int sum = 0;\n#pragma omp parallel for num_threads(2)\n    for (int i = 0; i < 4; i++)\n        sum += i;\n    \
         return sum - 6;\n}\n",
    );
    let run = scratch.raddle("explore team.c --cflags=-fopenmp").json().exits(2);
    let error = run.report().error.clone().expect("an error");
    assert!(error.message.starts_with("`GOMP_parallel") && error.message.contains("OpenMP"), "{error:?}");
    assert!(error.cause.is_some_and(|cause| cause.contains("T0 calls it at team.c:4")));
    assert!(error.next.is_some_and(|next| next.contains("-fopenmp")));
}

#[test]
fn blocks_that_there_is_no_room_for() {
    let explore = |body: &str| {
        let scratch = Scratch::new();
        let text = format!(
            "#include <assert.h>\n#include <stdint.h>\n#include <stdlib.h>\n\nint main(void)\n{{\n    {body}\n    return 0;\n}}\n"
        );
        scratch.write("room.c", &text);
        scratch.raddle("explore room.c").json()
    };
    // Without Raddle the system gives this, with its usual ideas of what may be promised.
    let alone = "char *p = malloc(2200ul << 20); assert(p);";
    let together = "for (int i = 0; i < 50; i++) { char *p = malloc(100ul << 20); assert(p); }";
    for body in [alone, together] {
        let run = explore(body).exits(1);
        let report = run.report();
        assert_eq!(only_failure(report).kind, "assertion", "{report:#?}");
        let told = "with NULL for blocks that Raddle has no room for (room.c:7)";
        assert!(report.guarantee.contains(told), "{}", report.guarantee);
        let [warning] = &report.warnings[..] else { panic!("{report:#?}") };
        assert!(warning.kind == "no-room" && warning.message.contains("4 GiB"), "{warning:?}");
    }
    // What nobody gives.
    explore("void *p = malloc(PTRDIFF_MAX); assert(!p); p = calloc(SIZE_MAX, 8); assert(!p);").exits(0);
}

#[test]
fn choices_among_too_many() {
    for n in ["65", "0"] {
        let scratch = Scratch::new();
        scratch.write(
            "choice.c",
            &format!(
                "#include \"raddle.h\"\n\nint main(void)\n{{\n    return raddle_choose({n}) > 70;\n}}\n"
            ),
        );
        let run = scratch.raddle("explore choice.c").json().exits(2);
        let error = run.report().error.clone().expect("an error");
        assert!(
            error.message.contains(&format!("raddle_choose({n}) is not among 1 to 64 values")),
            "{error:?}"
        );
        assert!(error.cause.is_some_and(|cause| cause.contains("choice.c:5")));
        assert!(error.next.is_some_and(|next| next.contains("fewer")));
    }
}

#[test]
fn processes_that_are_replaced() {
    let words = "char *words[] = {\"true\", NULL};";
    check("execv", &format!("{words} execv(\"/bin/true\", words);"));
    check("execve", &format!("{words} execve(\"/bin/true\", words, environ);"));
    check("execvp", &format!("{words} execvp(\"true\", words);"));
    check("execvpe", &format!("{words} execvpe(\"true\", words, environ);"));
    check("execl", "execl(\"/bin/true\", \"true\", (char *)NULL);");
    check("execle", "execle(\"/bin/true\", \"true\", (char *)NULL, environ);");
    check("fexecve", &format!("{words} fexecve(3, words, environ);"));
}

#[test]
fn processes_that_are_waited_for() {
    check("wait", "wait(NULL);");
    check("waitpid", "waitpid(-1, NULL, 0);");
    check("wait3", "wait3(NULL, 0, NULL);");
    check("wait4", "wait4(-1, NULL, 0, NULL);");
    check("waitid", "waitid(P_ALL, 0, NULL, WEXITED);");
}

#[test]
fn sockets() {
    check("accept", "accept(make_socket(), NULL, NULL);");
    check("accept4", "accept4(make_socket(), NULL, NULL, 0);");
    check("connect", "struct sockaddr_in to = {0}; connect(make_socket(), (void *)&to, sizeof to);");
    check("recv", "recv(make_socket(), much, 1, 0);");
    check("recv", "recv(pair[0], much, 1, MSG_WAITALL);");
    check("recvfrom", "recvfrom(pair[0], much, 1, 0, NULL, NULL);");
    check("recvmsg", "struct msghdr m = {0}; recvmsg(pair[0], &m, 0);");
    check("getaddrinfo", "getaddrinfo(\"localhost\", NULL, NULL, NULL);");
    check("gethostbyname", "gethostbyname(\"localhost\");");
}

#[test]
fn descriptors_that_are_waited_for() {
    check("select", "fd_set s; FD_ZERO(&s); FD_SET(ends[0], &s); select(ends[0] + 1, &s, NULL, NULL, NULL);");
    check("pselect", "pselect(0, NULL, NULL, NULL, NULL, NULL);");
    check("poll", "struct pollfd p = {.fd = ends[0], .events = POLLIN}; poll(&p, 1, -1);");
    // As compilers call it where sizes are checked.
    let checked =
        "extern int checked(struct pollfd *, unsigned long, int, unsigned long) __asm__(\"__poll_chk\");";
    check(
        "poll",
        &format!(
            "{checked} struct pollfd p = {{.fd = ends[0], .events = POLLIN}}; checked(&p, 1, -1, sizeof p);"
        ),
    );
    check("ppoll", "struct pollfd p = {.fd = ends[0], .events = POLLIN}; ppoll(&p, 1, NULL, NULL);");
    // An epoll may be told of what the program's threads do, and of nothing else.
    let listens = "struct epoll_event e = {0}; epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, socket(AF_INET, SOCK_STREAM, 0), &e);";
    check("epoll_ctl", listens);
    check(
        "epoll_ctl",
        "struct epoll_event e = {0}; epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, epoll_create1(0), &e);",
    );
    check("epoll_pwait", "struct epoll_event e; sigset_t s; epoll_pwait(epoll_create1(0), &e, 1, -1, &s);");
    // It is seldom the test that calls it.
    let run = explore(&program(listens), "").exits(2);
    let next = run.report().error.as_ref().and_then(|e| e.next.clone()).unwrap_or_default();
    assert!(next.contains("tokio: `UnixStream::pair()`"), "{next}");
}

#[test]
fn signals_that_are_waited_for() {
    check("pause", "pause();");
    check("sigwait", "sigset_t s; int n; sigemptyset(&s); sigwait(&s, &n);");
    check("sigwaitinfo", "sigset_t s; sigemptyset(&s); sigwaitinfo(&s, NULL);");
    check("sigsuspend", "sigset_t s; sigemptyset(&s); sigsuspend(&s);");
    check("alarm", "alarm(1);");
    check("setuid", "setuid(getuid());");
    check("setgroups", "setgroups(0, NULL);");
    check("on_exit", "on_exit(NULL, NULL);");
}

#[test]
fn queues_semaphores_and_locks_of_several_processes() {
    check("msgrcv", "msgrcv(4711, much, 8, 0, 0);");
    check("msgsnd", "msgsnd(4711, much, 8, 0);");
    check("semop", "struct sembuf down = {0, -1, 0}; semop(4711, &down, 1);");
    check("lockf", "lockf(fileno(file), F_LOCK, 0);");
    check("flock", "flock(fileno(file), LOCK_EX);");
    let lock = "static struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};";
    check("fcntl", &format!("{lock} fcntl(fileno(file), F_SETLKW, &l);"));
    check("fcntl", &format!("{lock} fcntl(fileno(file), F_OFD_SETLKW, &l);"));
}

/// What does not wait is the program's own business.
#[test]
fn locks_that_are_asked_for() {
    let lock = "static struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};";
    check_passes(&format!("{lock} if (fcntl(fileno(file), F_SETLK, &l) != 0) abort();"));
    check_passes(&format!(
        "{lock} if (fcntl(fileno(file), F_GETLK, &l) != 0 || l.l_type != F_UNLCK) abort();"
    ));
}

#[test]
fn pipes_and_fifos() {
    check("read", "char byte; read(open(\"fifo\", O_RDWR), &byte, 1);");
    check("readv", "struct iovec v = {much, 8}; readv(inotify_init(), &v, 1);");
    check("write", "long v = 1; write(timerfd_create(CLOCK_MONOTONIC, 0), &v, sizeof v);");
    check("read", "read(inotify_init(), much, 4096);");
    check("open", "open(\"fifo\", O_RDONLY);");
    check("open", "open(\"fifo\", O_WRONLY);");
    check("openat", "openat(AT_FDCWD, \"fifo\", O_RDONLY);");
    check("fopen", "fopen(\"fifo\", \"r\");");
    check("write", "for (int n = 0; n < 32; n++) write(ends[1], much, 4096);");
}

#[test]
fn streams_on_pipes() {
    check("fgetc", "fgetc(reader());");
    check("fread", "char byte; fread(&byte, 1, 1, reader());");
    check("fgets", "char text[8]; fgets(text, sizeof text, reader());");
    check("fscanf", "int n; fscanf(reader(), \"%d\", &n);");
    check("getline", "char *line = NULL; size_t n = 0; getline(&line, &n, reader());");
    check("getdelim", "char *line = NULL; size_t n = 0; getdelim(&line, &n, '\\n', reader());");
}

/// A FIFO that is opened for both, or without waiting, waits for nobody; what lies in a pipe is read.
#[test]
fn pipes_and_fifos_that_do_not_wait() {
    check_passes("if (open(\"fifo\", O_RDWR) < 0 || open(\"fifo\", O_RDONLY | O_NONBLOCK) < 0) abort();");
    check_passes(
        "char c; if (write(ends[1], \"ab\", 2) != 2 || read(ends[0], &c, 1) != 1 || c != 'a') abort();",
    );
    // The second byte is in the stream's buffer.
    check_passes(
        "FILE *f = reader(); write(ends[1], \"ab\", 2); if (fgetc(f) != 'a' || fgetc(f) != 'b') abort();",
    );
}

/// The system's answers arrive in memory that roll-back watches.
#[test]
fn what_the_system_fills_is_there() {
    check_passes(
        "static struct sockaddr_in a; static socklen_t n = sizeof a; static int v; static socklen_t m = sizeof v; \
         int s = make_socket(); if (getsockname(s, (void *)&a, &n) != 0 || a.sin_family != AF_INET || \
         getsockopt(s, SOL_SOCKET, SO_TYPE, &v, &m) != 0 || v != SOCK_STREAM) abort();",
    );
}

#[test]
fn other_ways_out() {
    check("dlopen", "dlopen(\"libm.so.6\", RTLD_NOW);");
    check("pthread_cancel", "pthread_cancel(pthread_self());");
    check("syscall(SYS_read)", "syscall(SYS_read, ends[0], much, 1);");
    check("syscall(SYS_clone)", "syscall(SYS_clone, 0, 0, 0, 0, 0);");
    check("syscall(SYS_io_uring_setup)", "syscall(SYS_io_uring_setup, 4, much);");
    check("syscall(SYS_futex, FUTEX_LOCK_PI)", "static int w; syscall(SYS_futex, &w, 6, 0, NULL, NULL, 0);");
    check("syscall(4711)", "syscall(4711);");
}

/// Nobody can type anything there, and it is the same in every execution: at its end. That is said once, with the
/// place, and in the guarantee.
#[test]
fn standard_input_is_empty() {
    for body in [
        "char byte; if (read(0, &byte, 1) != 0) abort();",
        "if (getchar() != EOF) abort();",
        "if (fgetc(stdin) != EOF || getc(stdin) != EOF) abort();",
        "char text[8]; if (fgets(text, sizeof text, stdin) != NULL) abort();",
        "char byte; if (fread(&byte, 1, 1, stdin) != 0) abort();",
        "int n = 7; if (scanf(\"%d\", &n) != EOF || n != 7) abort();",
        "char *line = NULL; size_t n = 0; if (getline(&line, &n, stdin) != -1) abort();",
    ] {
        let (scratch, report) = check_passes(body);
        let [warning] = &report.warnings[..] else { panic!("{body}: {report:#?}") };
        assert_eq!(warning.kind, "standard-input", "{body}: {warning:?}");
        assert!(
            warning.message.contains("the program reads standard input, which is empty in every execution"),
            "{warning:?}"
        );
        let line = line_of(&scratch.read("calls.c"), LINE);
        assert_eq!(warning.location.as_ref().map(|l| l.line), Some(line), "{body}: {warning:?}");
        assert!(report.guarantee.ends_with("with an empty standard input)"), "{body}: {}", report.guarantee);
    }
    // Another file in its place is read as it is.
    let (_, report) = check_passes("dup2(fileno(file), 0); char byte; if (read(0, &byte, 1) != 0) abort();");
    assert!(report.warnings.is_empty() && !report.guarantee.contains("standard input"), "{report:#?}");
}

/// What the system keeps in one place and the program has at two would be two things here.
#[test]
fn memory_under_two_addresses() {
    let file = "int fd = memfd_create(\"f\", 0); ftruncate(fd, 8192); ";
    let map =
        |protection: &str, how: &str, at: u32| format!("mmap(NULL, 4096, {protection}, {how}, fd, {at});");
    let (both, all) = ("PROT_READ | PROT_WRITE", "MAP_SHARED");
    let reads = map("PROT_READ", all, 0);
    let (writes, private) = (map(both, all, 0), map("PROT_READ", "MAP_PRIVATE", 0));
    check("mmap", &format!("{file}{writes}{reads}"));
    check("mmap", &format!("{file}{writes}{private}"));
    check("mprotect", &format!("{file}char *p = {reads} {reads} mprotect(p, 4096, {both});"));
    check_passes(&format!("{file}{writes}{}", map(both, all, 4096)));
    check_passes(&format!("{file}{reads}{reads}{private}"));
    check_passes(&format!("{file}char *p = {writes} munmap(p, 4096); {writes}"));
}

/// The same where a constructor has mapped it first.
#[test]
fn memory_from_before_main_under_another_address() {
    let scratch = Scratch::new();
    let text = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <sys/mman.h>\n#include <unistd.h>\n\
                static int fd;\nstatic char *early;\n\
                __attribute__((constructor)) static void first(void)\n{\n    fd = memfd_create(\"f\", 0);\n    \
                if (ftruncate(fd, 4096) == 0)\n        early = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);\n}\n\
                int main(void)\n{\n    char *late = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);\n    \
                return late == early;\n}\n";
    scratch.write("early.c", text);
    let run = scratch.raddle("explore early.c").json().exits(2);
    let error = run.report().error.clone().expect("an error");
    assert!(
        error.message.starts_with("`mmap` of a part of a file that is mapped at another address too"),
        "{error:?}"
    );
}

/// Pages that were not written yet are out of the system's reach, and calls that fill them are none of those that fail.
#[test]
fn answers_in_pages_that_were_not_written_yet() {
    let calls = [
        "prctl(PR_GET_NAME, &far[1])",
        "mincore(here, 4096, (void *)&far[2])",
        "syscall(SYS_getcpu, &far[3], 0, 0)",
        "getitimer(ITIMER_REAL, (void *)&far[4])",
        "prlimit(0, RLIMIT_CORE, NULL, (void *)&far[5])",
        "sched_getparam(0, (void *)&far[6])",
        "sched_rr_get_interval(0, (void *)&far[7])",
        "getresuid((void *)&far[8], (void *)&far[9], (void *)&far[10])",
        "sigaltstack(NULL, (void *)&far[11])",
        "adjtimex((void *)&far[12])",
        "getgroups(9, (void *)&far[13])",
    ];
    let checks: String = calls.iter().map(|call| format!("    assert({call} >= 0);\n")).collect();
    let scratch = Scratch::new();
    let text = format!(
        "#define _GNU_SOURCE\n#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <signal.h>\n\
         #include <sys/mman.h>\n#include <sys/prctl.h>\n#include <sys/resource.h>\n#include <sys/syscall.h>\n\
         #include <sys/time.h>\n#include <sys/timex.h>\n#include <unistd.h>\n\
         static char far[14][65536];\n\
         static void *run(void *here)\n{{\n{checks}    return here;\n}}\n\
         int main(void)\n{{\n    pthread_t t;\n    void *here = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n    \
         pthread_create(&t, NULL, run, here);\n    pthread_join(t, NULL);\n    run(here);\n    return 0;\n}}\n"
    );
    scratch.write("far.c", &text);
    for options in ["", "--isolation fork"] {
        scratch.raddle(&format!("explore far.c {options}")).json().exits(0);
    }
}

/// What is not known to wait, and does, is ended after `--hang`: a failure that says in which system call.
#[test]
fn what_waits_unseen_is_ended_by_the_time_limit() {
    for options in ["--hang 1s", "--hang 1s --carriers os-threads"] {
        let scratch = program("write(ends[1], much, sizeof much);");
        let run = explore(&scratch, options).exits(1);
        let failure = only_failure(run.report());
        assert_eq!(failure.kind, "hang", "{options}: {failure:#?}");
        assert!(failure.message.contains("SYS_write"), "{options}: {failure:#?}");
        let line = line_of(&scratch.read("calls.c"), LINE);
        assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line), "{options}: {failure:#?}");
    }
}

/// A thread of a constructor runs beside all executions, so nothing is said of any.
#[test]
fn threads_before_main_are_refused() {
    let scratch = Scratch::new();
    let text = "#include <pthread.h>\nstatic pthread_t t;\nstatic int n;\n\
                static void *run(void *unused) { n++; return unused; }\n\
                __attribute__((constructor)) static void early(void) { pthread_create(&t, 0, run, 0); /* called */ }\n\
                int main(void) { n++; return pthread_join(t, 0); }\n";
    scratch.write("early.c", text);
    for compiler in ["gcc", "clang"] {
        let run = scratch.raddle("explore early.c").env("CC", compiler).json().exits(2);
        let error = run.report().error.as_ref().expect("an error");
        assert!(error.message.starts_with("`pthread_create` before `main`"), "{error:?}");
        let cause = error.cause.clone().unwrap_or_default();
        assert!(cause.contains(&format!("early.c:{}", line_of(text, LINE))), "{error:?}");
    }
}

/// Nobody foresees what assembly asks the system for. Where that waits it is no mistake of the program's.
#[test]
fn system_calls_in_assembly_that_wait() {
    let asm = |call: &str, inputs: &str| {
        format!(
            "static int word; long r; register long forever __asm__(\"r10\") = 0; \
             __asm__ volatile(\"{call}\" : \"=a\"(r) : {inputs}, \"r\"(forever) : \"rcx\", \"r11\", \"memory\");"
        )
    };
    check_with("--hang 1s", "SYS_pause", &asm("syscall", "\"a\"(34L)"));
    let futex = "\"a\"(202L), \"D\"(&word), \"S\"(0L), \"d\"(0L)";
    // The word is written first, as by everybody who waits for one: the kernel wants a page that can be written.
    check_with("--hang 1s", "SYS_futex", &asm("movl $0, (%%rdi); 1: syscall", futex));
    // Waits that come back each time add up, whatever is done between them.
    let poll = asm("syscall", "\"a\"(7L), \"D\"(0L), \"S\"(0L), \"d\"(30L)");
    let often =
        format!("for (int i = 0; i < 2000; i++) {{ __atomic_store_n(&flag, i, __ATOMIC_SEQ_CST); {poll} }}");
    check_with("--hang 1s", "SYS_poll", &format!("static int flag; {often}"));
    // One that comes back is let through, and told as what assembly does.
    let (_, report) = check_passes(&asm("syscall", "\"a\"(39L)"));
    assert!(report.guarantee.contains("what assembly does to memory (calls.c:"), "{}", report.guarantee);
}
