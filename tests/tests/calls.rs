//! Functions of libc that the runtime serves or looks at on their way: what each does to the memory it is given is an access.
//! For each argument of each there is a program in which one thread calls it and another touches that memory, and
//! nothing orders the two.

use raddle_protocol::report::Verdict;
use raddle_schedule::calls::{ITSELF, ITSELF_IN_C, TOLD};
use raddle_tests::Scratch;
use std::fmt::Write;

/// Function, the argument, what comes before the thread is created, and the call; `p` is the memory of both threads.
type Case = (&'static str, u8, &'static str, &'static str);

/// Of those in the list.
const CASES: &[Case] = &[
    ("clock_gettime", 1, "", "clock_gettime(CLOCK_MONOTONIC, p)"),
    ("clock_nanosleep", 2, "", "clock_nanosleep(CLOCK_MONOTONIC, 0, p, 0)"),
    ("cnd_timedwait", 2, "", "mtx_lock(&m11); cnd_timedwait(&c11, &m11, p); mtx_unlock(&m11)"),
    ("creat", 0, NAME, "creat(p, 0600)"),
    ("creat64", 0, NAME, "creat64(p, 0600)"),
    ("epoll_ctl", 3, EPOLL, "epoll_ctl(e, EPOLL_CTL_ADD, fds[0], p)"),
    ("epoll_pwait", 1, READY, "epoll_pwait(e, p, 1, 0, 0)"),
    ("epoll_pwait", 4, READY, "struct epoll_event v; epoll_pwait(e, &v, 1, 0, p)"),
    ("epoll_wait", 1, READY, "epoll_wait(e, p, 1, 0)"),
    ("erand48", 0, "", "erand48(p)"),
    ("fopen", 0, NAME, "fopen(p, \"w\")"),
    ("fopen", 1, "place[0] = 'r';", "fopen(\"/dev/null\", p)"),
    ("fopen64", 0, NAME, "fopen64(p, \"w\")"),
    ("fopen64", 1, "place[0] = 'r';", "fopen64(\"/dev/null\", p)"),
    ("fdopen", 1, "place[0] = 'w';", "fdopen(1, p)"),
    ("fstat", 1, "", "fstat(1, p)"),
    ("fstat64", 1, "", "fstat64(1, p)"),
    ("fstatat", 1, NAME, "struct stat s; fstatat(AT_FDCWD, p, &s, 0)"),
    ("fstatat", 2, "", "fstatat(AT_FDCWD, \"/\", p, 0)"),
    ("fstatat64", 1, NAME, "struct stat64 s; fstatat64(AT_FDCWD, p, &s, 0)"),
    ("fstatat64", 2, "", "fstatat64(AT_FDCWD, \"/\", p, 0)"),
    ("fstatfs", 1, "int n = open(\"/\", O_RDONLY);", "fstatfs(n, p)"),
    ("getcwd", 0, "", "getcwd(p, 512)"),
    ("getentropy", 0, "", "getentropy(p, 9)"),
    ("getpeername", 1, SOCKETS, "socklen_t n = 64; getpeername(fds[0], p, &n)"),
    ("getpeername", 2, SOCKETS, "struct sockaddr_un a; getpeername(fds[0], (void *)&a, p)"),
    ("getrandom", 0, "", "getrandom(p, 9, 0)"),
    ("getrlimit", 1, "", "getrlimit(RLIMIT_NOFILE, p)"),
    ("getrusage", 1, "", "getrusage(RUSAGE_SELF, p)"),
    ("getsockname", 1, SOCKETS, "socklen_t n = 64; getsockname(fds[0], p, &n)"),
    ("getsockname", 2, SOCKETS, "struct sockaddr_un a; getsockname(fds[0], (void *)&a, p)"),
    ("getsockopt", 3, SOCKETS, "socklen_t n = 4; getsockopt(fds[0], SOL_SOCKET, SO_TYPE, p, &n)"),
    ("getsockopt", 4, SOCKETS, "int n; getsockopt(fds[0], SOL_SOCKET, SO_TYPE, &n, p)"),
    ("gettimeofday", 0, "", "gettimeofday(p, 0)"),
    ("jrand48", 0, "", "jrand48(p)"),
    ("lstat", 0, NAME, "struct stat s; lstat(p, &s)"),
    ("lstat", 1, "", "lstat(\"/\", p)"),
    ("lstat64", 0, NAME, "struct stat64 s; lstat64(p, &s)"),
    ("lstat64", 1, "", "lstat64(\"/\", p)"),
    ("memfd_create", 0, NAME, "memfd_create(p, 0)"),
    ("mtx_timedlock", 1, "", "mtx_timedlock(&m11, p)"),
    ("nanosleep", 0, "", "nanosleep(p, 0)"),
    ("nrand48", 0, "", "nrand48(p)"),
    ("open", 0, NAME, "open(p, O_RDONLY)"),
    ("open64", 0, NAME, "open64(p, O_RDONLY)"),
    ("openat", 1, NAME, "openat(AT_FDCWD, p, O_RDONLY)"),
    ("openat64", 1, NAME, "openat64(AT_FDCWD, p, O_RDONLY)"),
    ("opendir", 0, NAME, "opendir(p)"),
    ("pipe", 0, "", "pipe(p)"),
    ("pipe2", 0, "", "pipe2(p, O_CLOEXEC)"),
    ("posix_memalign", 0, "", "posix_memalign(p, 64, 64); free(*(void **)p)"),
    ("pread", 1, ZERO, "pread(n, p, 9, 0)"),
    ("pread64", 1, ZERO, "pread64(n, p, 9, 0)"),
    (
        "pthread_barrier_init",
        1,
        "pthread_barrierattr_init(p);",
        "pthread_barrier_t b; pthread_barrier_init(&b, p, 1)",
    ),
    ("pthread_clockjoin_np", 3, IDLE, "pthread_clockjoin_np(u, 0, CLOCK_REALTIME, p)"),
    ("pthread_cond_clockwait", 3, LOCKED, "pthread_cond_clockwait(&c, &m, CLOCK_REALTIME, p)"),
    ("pthread_cond_init", 1, "pthread_condattr_init(p);", "pthread_cond_t d; pthread_cond_init(&d, p)"),
    ("pthread_cond_timedwait", 2, LOCKED, "pthread_cond_timedwait(&c, &m, p)"),
    ("pthread_create", 0, "", "pthread_create(p, 0, idles, 0)"),
    ("pthread_create", 1, "pthread_attr_init(p);", "pthread_t u; pthread_create(&u, p, idles, 0)"),
    ("pthread_getattr_np", 1, "", "pthread_getattr_np(pthread_self(), p)"),
    ("pthread_getcpuclockid", 1, "", "pthread_getcpuclockid(pthread_self(), p)"),
    ("pthread_getname_np", 1, "", "pthread_getname_np(pthread_self(), p, 64)"),
    ("pthread_key_create", 0, "", "pthread_key_create(p, 0)"),
    ("pthread_mutex_clocklock", 2, "", "pthread_mutex_clocklock(&m, CLOCK_REALTIME, p)"),
    ("pthread_mutex_init", 1, "pthread_mutexattr_init(p);", "pthread_mutex_t n; pthread_mutex_init(&n, p)"),
    ("pthread_mutex_timedlock", 1, "", "pthread_mutex_timedlock(&m, p)"),
    ("pthread_rwlock_clockrdlock", 2, "", "pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, p)"),
    ("pthread_rwlock_clockwrlock", 2, "", "pthread_rwlock_clockwrlock(&l, CLOCK_REALTIME, p)"),
    (
        "pthread_rwlock_init",
        1,
        "pthread_rwlockattr_init(p);",
        "pthread_rwlock_t n; pthread_rwlock_init(&n, p)",
    ),
    ("pthread_rwlock_timedrdlock", 1, "", "pthread_rwlock_timedrdlock(&l, p)"),
    ("pthread_rwlock_timedwrlock", 1, "", "pthread_rwlock_timedwrlock(&l, p)"),
    ("pthread_setcancelstate", 1, "", "pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, p)"),
    ("pthread_setcanceltype", 1, "", "pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, p)"),
    ("pthread_setname_np", 1, NAME, "pthread_setname_np(pthread_self(), p)"),
    ("pthread_sigmask", 1, "", "pthread_sigmask(SIG_BLOCK, p, 0)"),
    ("pthread_sigmask", 2, "", "pthread_sigmask(SIG_BLOCK, 0, p)"),
    ("pthread_timedjoin_np", 2, IDLE, "pthread_timedjoin_np(u, 0, p)"),
    ("sem_clockwait", 2, "", "sem_clockwait(&s, CLOCK_REALTIME, p)"),
    ("sem_getvalue", 1, "", "sem_getvalue(&s, p)"),
    ("sem_open", 0, NAME, "sem_open(p, O_CREAT, 0600, 1)"),
    ("sem_timedwait", 1, "", "sem_timedwait(&s, p)"),
    ("sem_unlink", 0, NAME, "sem_unlink(p)"),
    ("sendto", 4, SOCKETS, "sendto(fds[0], \"x\", 1, 0, p, 2)"),
    ("sigaction", 1, "", "sigaction(SIGUSR1, p, 0)"),
    ("sigaction", 2, "", "sigaction(SIGUSR1, 0, p)"),
    ("sigaltstack", 0, "((stack_t *)p)->ss_flags = SS_DISABLE;", "sigaltstack(p, 0)"),
    ("sigaltstack", 1, "", "sigaltstack(0, p)"),
    ("signalfd", 1, "", "signalfd(-1, p, 0)"),
    ("sigpending", 0, "", "sigpending(p)"),
    ("sigprocmask", 1, "", "sigprocmask(SIG_BLOCK, p, 0)"),
    ("sigprocmask", 2, "", "sigprocmask(SIG_BLOCK, 0, p)"),
    ("socketpair", 3, "", "socketpair(AF_UNIX, SOCK_STREAM, 0, p)"),
    ("stat", 0, NAME, "struct stat s; stat(p, &s)"),
    ("stat", 1, "", "stat(\"/\", p)"),
    ("stat64", 0, NAME, "struct stat64 s; stat64(p, &s)"),
    ("stat64", 1, "", "stat64(\"/\", p)"),
    ("statfs", 0, NAME, "struct statfs s; statfs(p, &s)"),
    ("statfs", 1, "", "statfs(\"/\", p)"),
    ("sysinfo", 0, "", "sysinfo(p)"),
    ("thrd_create", 0, "", "thrd_create(p, idles_too, 0)"),
    ("thrd_sleep", 0, "", "thrd_sleep(p, 0)"),
    ("time", 0, "", "time(p)"),
    ("times", 0, "", "times(p)"),
    ("timespec_get", 0, "", "timespec_get(p, TIME_UTC)"),
    ("timespec_getres", 0, "", "timespec_getres(p, TIME_UTC)"),
    ("mbsinit", 0, "", "volatile int n = mbsinit(p)"),
    ("wctrans", 0, NAME, "wctrans(p)"),
    ("wctype", 0, NAME, "wctype(p)"),
    ("tss_create", 0, "", "tss_create(p, 0)"),
    ("uname", 0, "", "uname(p)"),
    ("access", 0, NAME, "access(p, F_OK)"),
    ("faccessat", 1, NAME, "faccessat(AT_FDCWD, p, F_OK, 0)"),
    ("fgetpos", 1, TEXT, "fgetpos(f, p)"),
    ("fsetpos", 1, POSITION, "fsetpos(f, p)"),
    ("link", 0, NAME, "link(p, \"raddle-none\")"),
    ("link", 1, NAME, "link(\"raddle-none\", p)"),
    ("mkdir", 0, NAME, "mkdir(p, 0700)"),
    ("remove", 0, NAME, "remove(p)"),
    ("rename", 0, NAME, "rename(p, \"raddle-none\")"),
    ("rename", 1, NAME, "rename(\"raddle-none\", p)"),
    ("renameat", 1, NAME, "renameat(AT_FDCWD, p, AT_FDCWD, \"raddle-none\")"),
    ("renameat", 3, NAME, "renameat(AT_FDCWD, \"raddle-none\", AT_FDCWD, p)"),
    ("rmdir", 0, NAME, "rmdir(p)"),
    ("statx", 1, NAME, "struct statx s; statx(AT_FDCWD, p, 0, 0, &s)"),
    ("statx", 4, "", "statx(AT_FDCWD, \"/\", 0, 0, p)"),
    ("symlink", 0, NAME, "symlink(p, \"raddle-none/x\")"),
    ("symlink", 1, NAME, "symlink(\"raddle-none\", p)"),
    ("truncate", 0, NAME, "truncate(p, 0)"),
    ("truncate64", 0, NAME, "truncate64(p, 0)"),
    ("unlink", 0, NAME, "unlink(p)"),
    ("unlinkat", 1, NAME, "unlinkat(AT_FDCWD, p, 0)"),
    ("pthread_attr_init", 0, "", "pthread_attr_init(p)"),
    ("pthread_attr_destroy", 0, "pthread_attr_init(p);", "pthread_attr_destroy(p)"),
    (
        "pthread_attr_setdetachstate",
        0,
        "pthread_attr_init(p);",
        "pthread_attr_setdetachstate(p, PTHREAD_CREATE_JOINABLE)",
    ),
    ("pthread_attr_setguardsize", 0, "pthread_attr_init(p);", "pthread_attr_setguardsize(p, 4096)"),
    (
        "pthread_attr_setinheritsched",
        0,
        "pthread_attr_init(p);",
        "pthread_attr_setinheritsched(p, PTHREAD_INHERIT_SCHED)",
    ),
    (
        "pthread_attr_setschedpolicy",
        0,
        "pthread_attr_init(p);",
        "pthread_attr_setschedpolicy(p, SCHED_OTHER)",
    ),
    ("pthread_attr_setscope", 0, "pthread_attr_init(p);", "pthread_attr_setscope(p, PTHREAD_SCOPE_SYSTEM)"),
    ("pthread_attr_setstacksize", 0, "pthread_attr_init(p);", "pthread_attr_setstacksize(p, 65536)"),
    ("pthread_attr_getdetachstate", 0, "pthread_attr_init(p);", "int v; pthread_attr_getdetachstate(p, &v)"),
    (
        "pthread_attr_getdetachstate",
        1,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getdetachstate(&a, p)",
    ),
    ("pthread_attr_getguardsize", 0, "pthread_attr_init(p);", "size_t v; pthread_attr_getguardsize(p, &v)"),
    (
        "pthread_attr_getguardsize",
        1,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getguardsize(&a, p)",
    ),
    (
        "pthread_attr_getinheritsched",
        0,
        "pthread_attr_init(p);",
        "int v; pthread_attr_getinheritsched(p, &v)",
    ),
    (
        "pthread_attr_getinheritsched",
        1,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getinheritsched(&a, p)",
    ),
    ("pthread_attr_getschedpolicy", 0, "pthread_attr_init(p);", "int v; pthread_attr_getschedpolicy(p, &v)"),
    (
        "pthread_attr_getschedpolicy",
        1,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getschedpolicy(&a, p)",
    ),
    ("pthread_attr_getscope", 0, "pthread_attr_init(p);", "int v; pthread_attr_getscope(p, &v)"),
    ("pthread_attr_getscope", 1, "", "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getscope(&a, p)"),
    ("pthread_attr_getstacksize", 0, "pthread_attr_init(p);", "size_t v; pthread_attr_getstacksize(p, &v)"),
    (
        "pthread_attr_getstacksize",
        1,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getstacksize(&a, p)",
    ),
    (
        "pthread_attr_setstack",
        0,
        "pthread_attr_init(p);",
        "static _Alignas(4096) char stack[65536]; pthread_attr_setstack(p, stack, sizeof stack)",
    ),
    (
        "pthread_attr_getstack",
        0,
        "pthread_attr_init(p);",
        "void *v; size_t n; pthread_attr_getstack(p, &v, &n)",
    ),
    (
        "pthread_attr_getstack",
        1,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); size_t n; pthread_attr_getstack(&a, p, &n)",
    ),
    (
        "pthread_attr_getstack",
        2,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); void *v; pthread_attr_getstack(&a, &v, p)",
    ),
    (
        "pthread_attr_setschedparam",
        0,
        "pthread_attr_init(p);",
        "struct sched_param v = {0}; pthread_attr_setschedparam(p, &v)",
    ),
    (
        "pthread_attr_setschedparam",
        1,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setschedparam(&a, p)",
    ),
    (
        "pthread_attr_getschedparam",
        0,
        "pthread_attr_init(p);",
        "struct sched_param v; pthread_attr_getschedparam(p, &v)",
    ),
    (
        "pthread_attr_getschedparam",
        1,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getschedparam(&a, p)",
    ),
    (
        "pthread_attr_setaffinity_np",
        0,
        "pthread_attr_init(p);",
        "cpu_set_t v = {{1}}; pthread_attr_setaffinity_np(p, sizeof v, &v)",
    ),
    (
        "pthread_attr_setaffinity_np",
        2,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setaffinity_np(&a, 64, p)",
    ),
    (
        "pthread_attr_getaffinity_np",
        0,
        "pthread_attr_init(p);",
        "cpu_set_t v; pthread_attr_getaffinity_np(p, sizeof v, &v)",
    ),
    (
        "pthread_attr_getaffinity_np",
        2,
        "",
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_getaffinity_np(&a, 128, p)",
    ),
    ("pthread_mutexattr_init", 0, "", "pthread_mutexattr_init(p)"),
    ("pthread_mutexattr_destroy", 0, "pthread_mutexattr_init(p);", "pthread_mutexattr_destroy(p)"),
    (
        "pthread_mutexattr_settype",
        0,
        "pthread_mutexattr_init(p);",
        "pthread_mutexattr_settype(p, PTHREAD_MUTEX_RECURSIVE)",
    ),
    (
        "pthread_mutexattr_setpshared",
        0,
        "pthread_mutexattr_init(p);",
        "pthread_mutexattr_setpshared(p, PTHREAD_PROCESS_PRIVATE)",
    ),
    (
        "pthread_mutexattr_setprotocol",
        0,
        "pthread_mutexattr_init(p);",
        "pthread_mutexattr_setprotocol(p, PTHREAD_PRIO_NONE)",
    ),
    (
        "pthread_mutexattr_setrobust",
        0,
        "pthread_mutexattr_init(p);",
        "pthread_mutexattr_setrobust(p, PTHREAD_MUTEX_STALLED)",
    ),
    ("pthread_mutexattr_gettype", 0, "pthread_mutexattr_init(p);", "int v; pthread_mutexattr_gettype(p, &v)"),
    (
        "pthread_mutexattr_gettype",
        1,
        "",
        "pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_gettype(&a, p)",
    ),
    (
        "pthread_mutexattr_getpshared",
        0,
        "pthread_mutexattr_init(p);",
        "int v; pthread_mutexattr_getpshared(p, &v)",
    ),
    (
        "pthread_mutexattr_getpshared",
        1,
        "",
        "pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_getpshared(&a, p)",
    ),
    (
        "pthread_mutexattr_getprotocol",
        0,
        "pthread_mutexattr_init(p);",
        "int v; pthread_mutexattr_getprotocol(p, &v)",
    ),
    (
        "pthread_mutexattr_getprotocol",
        1,
        "",
        "pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_getprotocol(&a, p)",
    ),
    (
        "pthread_mutexattr_getrobust",
        0,
        "pthread_mutexattr_init(p);",
        "int v; pthread_mutexattr_getrobust(p, &v)",
    ),
    (
        "pthread_mutexattr_getrobust",
        1,
        "",
        "pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_getrobust(&a, p)",
    ),
    ("pthread_condattr_init", 0, "", "pthread_condattr_init(p)"),
    ("pthread_condattr_destroy", 0, "pthread_condattr_init(p);", "pthread_condattr_destroy(p)"),
    (
        "pthread_condattr_setclock",
        0,
        "pthread_condattr_init(p);",
        "pthread_condattr_setclock(p, CLOCK_MONOTONIC)",
    ),
    (
        "pthread_condattr_setpshared",
        0,
        "pthread_condattr_init(p);",
        "pthread_condattr_setpshared(p, PTHREAD_PROCESS_PRIVATE)",
    ),
    (
        "pthread_condattr_getclock",
        0,
        "pthread_condattr_init(p);",
        "clockid_t v; pthread_condattr_getclock(p, &v)",
    ),
    (
        "pthread_condattr_getclock",
        1,
        "",
        "pthread_condattr_t a; pthread_condattr_init(&a); pthread_condattr_getclock(&a, p)",
    ),
    (
        "pthread_condattr_getpshared",
        0,
        "pthread_condattr_init(p);",
        "int v; pthread_condattr_getpshared(p, &v)",
    ),
    (
        "pthread_condattr_getpshared",
        1,
        "",
        "pthread_condattr_t a; pthread_condattr_init(&a); pthread_condattr_getpshared(&a, p)",
    ),
    ("pthread_rwlockattr_init", 0, "", "pthread_rwlockattr_init(p)"),
    ("pthread_rwlockattr_destroy", 0, "pthread_rwlockattr_init(p);", "pthread_rwlockattr_destroy(p)"),
    (
        "pthread_rwlockattr_setkind_np",
        0,
        "pthread_rwlockattr_init(p);",
        "pthread_rwlockattr_setkind_np(p, PTHREAD_RWLOCK_PREFER_READER_NP)",
    ),
    (
        "pthread_rwlockattr_setpshared",
        0,
        "pthread_rwlockattr_init(p);",
        "pthread_rwlockattr_setpshared(p, PTHREAD_PROCESS_PRIVATE)",
    ),
    (
        "pthread_rwlockattr_getkind_np",
        0,
        "pthread_rwlockattr_init(p);",
        "int v; pthread_rwlockattr_getkind_np(p, &v)",
    ),
    (
        "pthread_rwlockattr_getkind_np",
        1,
        "",
        "pthread_rwlockattr_t a; pthread_rwlockattr_init(&a); pthread_rwlockattr_getkind_np(&a, p)",
    ),
    (
        "pthread_rwlockattr_getpshared",
        0,
        "pthread_rwlockattr_init(p);",
        "int v; pthread_rwlockattr_getpshared(p, &v)",
    ),
    (
        "pthread_rwlockattr_getpshared",
        1,
        "",
        "pthread_rwlockattr_t a; pthread_rwlockattr_init(&a); pthread_rwlockattr_getpshared(&a, p)",
    ),
    ("pthread_barrierattr_init", 0, "", "pthread_barrierattr_init(p)"),
    ("pthread_barrierattr_destroy", 0, "pthread_barrierattr_init(p);", "pthread_barrierattr_destroy(p)"),
    (
        "pthread_barrierattr_setpshared",
        0,
        "pthread_barrierattr_init(p);",
        "pthread_barrierattr_setpshared(p, PTHREAD_PROCESS_PRIVATE)",
    ),
    (
        "pthread_barrierattr_getpshared",
        0,
        "pthread_barrierattr_init(p);",
        "int v; pthread_barrierattr_getpshared(p, &v)",
    ),
    (
        "pthread_barrierattr_getpshared",
        1,
        "",
        "pthread_barrierattr_t a; pthread_barrierattr_init(&a); pthread_barrierattr_getpshared(&a, p)",
    ),
    ("pthread_setaffinity_np", 2, "*place = 1;", "pthread_setaffinity_np(pthread_self(), 64, p)"),
    ("pthread_getaffinity_np", 2, "", "pthread_getaffinity_np(pthread_self(), 128, p)"),
    ("sched_setaffinity", 2, "*place = 1;", "sched_setaffinity(0, 64, p)"),
    ("sched_getaffinity", 2, "", "sched_getaffinity(0, 128, p)"),
    ("pthread_getschedparam", 1, "", "struct sched_param v; pthread_getschedparam(pthread_self(), p, &v)"),
    ("pthread_getschedparam", 2, "", "int v; pthread_getschedparam(pthread_self(), &v, p)"),
    ("pthread_setschedparam", 2, "", "pthread_setschedparam(pthread_self(), SCHED_OTHER, p)"),
    ("sched_getparam", 1, "", "sched_getparam(0, p)"),
    ("sched_setparam", 1, "", "sched_setparam(0, p)"),
    ("sched_setscheduler", 2, "", "sched_setscheduler(0, SCHED_OTHER, p)"),
    ("clock_getres", 1, "", "clock_getres(CLOCK_MONOTONIC, p)"),
    ("sigemptyset", 0, "", "sigemptyset(p)"),
    ("sigfillset", 0, "", "sigfillset(p)"),
    ("sigaddset", 0, "", "sigaddset(p, SIGUSR1)"),
    ("sigdelset", 0, "", "sigdelset(p, SIGUSR1)"),
    ("sigismember", 0, "", "sigismember(p, SIGUSR1)"),
    ("gethostname", 0, "", "gethostname(p, 256)"),
    ("localtime_r", 0, "", "struct tm v; localtime_r(p, &v)"),
    ("localtime_r", 1, "", "time_t n = 0; localtime_r(&n, p)"),
    ("gmtime_r", 0, "", "struct tm v; gmtime_r(p, &v)"),
    ("gmtime_r", 1, "", "time_t n = 0; gmtime_r(&n, p)"),
    ("asctime_r", 0, "", "char v[64]; asctime_r(p, v)"),
    ("asctime_r", 1, "", "struct tm v = {0}; asctime_r(&v, p)"),
    ("ctime_r", 0, "", "char v[64]; ctime_r(p, v)"),
    ("ctime_r", 1, "", "time_t n = 0; ctime_r(&n, p)"),
    ("mktime", 0, "", "mktime(p)"),
    ("timegm", 0, "", "timegm(p)"),
    ("strftime", 0, "", "struct tm v = {0}; strftime(p, 64, \"%Y\", &v)"),
    ("strftime", 2, "strcpy(p, \"%Y\");", "char s[64]; struct tm v = {0}; strftime(s, 64, p, &v)"),
    ("strftime", 3, "", "char s[64]; strftime(s, 64, \"%Y\", p)"),
    ("realpath", 0, "strcpy(p, \"/\");", "free(realpath(p, 0))"),
    ("realpath", 1, "static _Alignas(64) char big[8192]; (void)big;", "realpath(\"/\", p)"),
    ("swab", 0, "", "char v[8]; swab(p, v, 8)"),
    ("swab", 1, "", "char v[8] = {0}; swab(v, p, 8)"),
    ("chdir", 0, NAME, "chdir(p)"),
    ("chmod", 0, NAME, "chmod(p, 0600)"),
    ("fchmodat", 1, NAME, "fchmodat(AT_FDCWD, p, 0600, 0)"),
    ("futimens", 1, FILE, "futimens(n, p)"),
    ("linkat", 1, NAME, "linkat(AT_FDCWD, p, AT_FDCWD, \"raddle-none\", 0)"),
    ("linkat", 3, NAME, "linkat(AT_FDCWD, \"raddle-none\", AT_FDCWD, p, 0)"),
    ("mkdirat", 1, NAME, "mkdirat(AT_FDCWD, p, 0700)"),
    ("mkfifo", 0, NAME, "mkfifo(p, 0600)"),
    ("readlink", 0, NAME, "char to[64]; readlink(p, to, sizeof to)"),
    ("readlink", 1, "", "readlink(\"/proc/self/exe\", p, 512)"),
    ("readlinkat", 1, NAME, "char to[64]; readlinkat(AT_FDCWD, p, to, sizeof to)"),
    ("readlinkat", 2, "", "readlinkat(AT_FDCWD, \"/proc/self/exe\", p, 512)"),
    ("symlinkat", 0, NAME, "symlinkat(p, AT_FDCWD, \"raddle-none/x\")"),
    ("symlinkat", 2, NAME, "symlinkat(\"raddle-none\", AT_FDCWD, p)"),
    ("utimensat", 1, NAME, "utimensat(AT_FDCWD, p, 0, 0)"),
    ("utimensat", 2, "", "utimensat(AT_FDCWD, \"raddle-none\", p, 0)"),
];

/// What headers of C give no name to call it by.
const NAMELESS: &[&str] = &[
    "__open64_2",
    "__open_2",
    "__openat64_2",
    "__openat_2",
    "__read_chk",
    "__getcwd_chk",
    "__gethostname_chk",
    "__realpath_chk",
    "__pread64_chk",
    "__pread_chk",
    "__poll_chk",
    "__ppoll_chk",
    "__longjmp_chk",
    "__readlink_chk",
    "__readlinkat_chk",
];

/// Of those that tell by themselves, and those that take what there is to read.
const OTHERS: &[Case] = &[
    ("arc4random_buf", 0, "", "arc4random_buf(p, 9)"),
    ("asprintf", 0, "", "asprintf(p, \"%d\", 1)"),
    ("vasprintf", 0, "", "prints(p, \"%d\", 1)"),
    ("eventfd_read", 1, "int n = eventfd(1, 0);", "eventfd_read(n, p)"),
    ("fcntl", 2, LOCK, "fcntl(n, F_SETLK, p)"),
    ("fcntl", 2, LOCK, "fcntl(n, F_GETLK, p)"),
    ("fcntl64", 2, LOCK, "fcntl64(n, F_SETLK, p)"),
    ("free", 0, "char *block = freed = malloc(8);", "free(block)"),
    ("poll", 0, "", "poll(p, 1, 0)"),
    ("ppoll", 0, "", "struct timespec none = {0, 0}; ppoll(p, 1, &none, 0)"),
    ("pthread_join", 1, IDLE, "pthread_join(u, p)"),
    ("pthread_tryjoin_np", 1, IDLE, "while (pthread_tryjoin_np(u, p)) sched_yield()"),
    ("pwrite", 1, FILE, "pwrite(n, p, 9, 0)"),
    ("pwrite64", 1, FILE, "pwrite64(n, p, 9, 0)"),
    ("read", 1, ZERO, "read(n, p, 9)"),
    ("readv", 1, ZERO, "struct iovec v = {p, 9}; readv(n, &v, 1)"),
    ("realloc", 0, "char *block = freed = malloc(8);", "block = realloc(block, 800)"),
    ("recv", 1, SOCKETS, "send(fds[1], \"x\", 1, 0); recv(fds[0], p, 1, 0)"),
    ("send", 1, SOCKETS, "send(fds[0], p, 2, 0)"),
    ("setjmp", 0, "", "setjmp(p)"),
    ("_setjmp", 0, "", "_setjmp(p)"),
    ("__sigsetjmp", 0, "", "sigsetjmp(p, 0)"),
    ("getenv", 0, NAME, "getenv(p)"),
    ("setenv", 0, NAME, "setenv(p, \"x\", 1)"),
    ("setenv", 1, NAME, "setenv(\"raddle\", p, 1)"),
    ("putenv", 0, "strcpy(p, \"raddle=test\");", "putenv(p)"),
    ("unsetenv", 0, NAME, "unsetenv(p)"),
    ("getopt", 1, WORDS, "getopt(2, p, \"a\")"),
    ("getopt", 2, WORDS, "char *own[] = {\"x\", \"-a\", 0}; getopt(2, own, p)"),
    ("getopt_long", 1, WORDS, "getopt_long(2, p, \"a\", long_ones, 0)"),
    ("getopt_long", 4, "char *own[] = {\"x\", \"--all\", 0};", "getopt_long(2, own, \"a\", long_ones, p)"),
    ("getopt_long_only", 1, WORDS, "getopt_long_only(2, p, \"a\", long_ones, 0)"),
    ("longjmp", 0, "if (setjmp(p)) { pthread_join(t, 0); return; }", "longjmp(p, 1)"),
    ("_longjmp", 0, "if (_setjmp(p)) { pthread_join(t, 0); return; }", "_longjmp(p, 1)"),
    ("siglongjmp", 0, "if (sigsetjmp(p, 0)) { pthread_join(t, 0); return; }", "siglongjmp(p, 1)"),
    ("syscall", 0, "", "syscall(SYS_getrandom, p, 9, 0)"),
    ("syscall", 1, "", "syscall(SYS_get_mempolicy, p, 0, 0, 0, 0)"),
    ("syscall", 1, "", "syscall(SYS_prctl, PR_GET_PDEATHSIG, p, 0, 0, 0)"),
    ("syscall", 1, "", "syscall(SYS_madvise, p, 4, MADV_DONTNEED)"),
    ("thrd_join", 1, "thrd_t u; thrd_create(&u, idles_too, 0);", "thrd_join(u, p)"),
    ("write", 1, FILE, "write(n, p, 9)"),
    ("fscanf", 2, TEXT, "fscanf(f, \"%s\", (char *)p)"),
    ("vfscanf", 2, TEXT, "scans(f, \"%s\", p)"),
    ("getline", 0, TEXT, "size_t n = 0; getline(p, &n, f)"),
    ("getline", 1, TEXT, "char *line = 0; getline(&line, p, f)"),
    ("getline", 2, TEXT, "char *line = (char *)p; size_t n = 512; getline(&line, &n, f)"),
    ("getdelim", 2, TEXT, "char *line = (char *)p; size_t n = 512; getdelim(&line, &n, ' ', f)"),
];

const NAME: &str = "strcpy(p, \"raddle-test\");";
const EPOLL: &str =
    "int fds[2], e = epoll_create1(0); pipe(fds); ((struct epoll_event *)p)->events = EPOLLIN;";
const READY: &str = "int fds[2], e = epoll_create1(0); pipe(fds); struct epoll_event w = {.events = EPOLLOUT}; \
                     epoll_ctl(e, EPOLL_CTL_ADD, fds[1], &w);";
const SOCKETS: &str = "int fds[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, fds); *(int *)p = 64;";
const WORDS: &str = "static char a[] = \"x\", b[] = \"-a\"; ((char **)p)[0] = a; ((char **)p)[1] = b;";
const ZERO: &str = "int n = open(\"/dev/zero\", O_RDONLY);";
const FILE: &str = "int n = memfd_create(\"file\", 0);";
const LOCK: &str = "int n = memfd_create(\"file\", 0); ((struct flock *)p)->l_type = F_RDLCK;";
const LOCKED: &str = "pthread_mutex_lock(&m);";
const IDLE: &str = "pthread_t u; pthread_create(&u, 0, idles, 0);";
const POSITION: &str = "FILE *f = tmpfile(); fgetpos(f, p);";
const TEXT: &str = "FILE *f = tmpfile(); fputs(\"some words\\n\", f); rewind(f);";

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

#[test]
fn what_each_function_does_races_with_who_is_there_gcc() {
    each_races(&listed(), "gcc");
}

#[test]
fn what_each_function_does_races_with_who_is_there_clang() {
    each_races(&listed(), "clang");
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
    for compiler in ["gcc", "clang"] {
        each_races(&cases, compiler);
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
