//! Functions of libc that the runtime stands in for, or looks at on their way (`runtime/src/interpose`): what each does to
//! memory that the program gives it. One list for the three that have to agree: the linker is told which calls are
//! the runtime's (`instrumenter/src/c/driver.rs`), the runtime tells the accesses (`runtime/src/touches/calls.rs`), and the
//! guarantee names what nobody tells (`server/src/target/uninstrumented_calls.rs`).
//!
//! Mutexes, semaphores and the like are no memory here: what is done to them are operations of their own.

/// Bytes that a function touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// So many.
    Bytes(usize),
    /// As the argument with this index says.
    Argument(u8),
    /// As the word says that the argument with this index points to.
    At(u8),
    /// As many of this size as the function returns.
    Returned(usize),
    /// A string's, with its end.
    Text,
}

/// What a function does to the memory that an argument points to, unless that is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The argument's index.
    pub argument: u8,
    /// It writes there, rather than reading.
    pub writes: bool,
    /// How much.
    pub size: Size,
}

/// When a function has done what it was asked to, and so has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// In any case: what it writes is told beforehand, and it goes its way as if nobody looked.
    Always,
    /// It returned zero.
    Zero,
    /// It returned something else than zero.
    Other,
    /// It returned no negative number.
    Counted,
}

/// One function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its name.
    pub name: &'static str,
    /// When it has written.
    pub done: Done,
    /// What it reads and writes.
    pub touches: &'static [Touch],
}

impl Call {
    /// Does its result tell what it has written?
    pub const fn tells_afterwards(&self) -> bool {
        !matches!(self.done, Done::Always)
    }
}

const fn reads(argument: u8, size: Size) -> Touch {
    Touch { argument, writes: false, size }
}

const fn writes(argument: u8, size: Size) -> Touch {
    Touch { argument, writes: true, size }
}

const fn call(name: &'static str, done: Done, touches: &'static [Touch]) -> Call {
    Call { name, done, touches }
}

/// A moment or span (`struct timespec`).
const MOMENT: Size = Size::Bytes(16);
/// `struct stat`.
const STAT: Size = Size::Bytes(144);
/// `struct statfs`.
const STATFS: Size = Size::Bytes(120);
/// Signals, as far as the kernel knows any.
const SIGNALS: Size = Size::Bytes(8);
/// `struct sigaction`.
const ACTION: Size = Size::Bytes(152);

/// `pthread_attr_t`.
const ATTRIBUTES: Size = Size::Bytes(56);

/// `struct tm`.
const TIME: Size = Size::Bytes(56);

/// What `erand48` and its like go by.
const XSUBI: Size = Size::Bytes(6);

/// Functions that are given memory, sorted by name.
pub const TOLD: &[Call] = &{
    use Done::{Always, Counted, Other, Zero};
    use Size::{Argument, At, Bytes, Returned, Text};
    [
        call("__getcwd_chk", Other, &[writes(0, Text)]),
        call("__gethostname_chk", Zero, &[writes(0, Argument(1))]),
        call("__open64_2", Always, &[reads(0, Text)]),
        call("__open_2", Always, &[reads(0, Text)]),
        call("__openat64_2", Always, &[reads(1, Text)]),
        call("__openat_2", Always, &[reads(1, Text)]),
        call("__pread64_chk", Counted, &[writes(1, Returned(1))]),
        call("__pread_chk", Counted, &[writes(1, Returned(1))]),
        call("__read_chk", Counted, &[writes(1, Returned(1))]),
        call("__readlink_chk", Counted, &[reads(0, Text), writes(1, Returned(1))]),
        call("__readlinkat_chk", Counted, &[reads(1, Text), writes(2, Returned(1))]),
        call("__realpath_chk", Other, &[reads(0, Text), writes(1, Text)]),
        call("access", Always, &[reads(0, Text)]),
        call("asctime_r", Other, &[reads(0, TIME), writes(1, Text)]),
        call("chdir", Always, &[reads(0, Text)]),
        call("chmod", Always, &[reads(0, Text)]),
        call("clock_getres", Zero, &[writes(1, MOMENT)]),
        call("clock_gettime", Zero, &[writes(1, MOMENT)]),
        call("clock_nanosleep", Always, &[reads(2, MOMENT)]),
        call("cnd_timedwait", Always, &[reads(2, MOMENT)]),
        call("creat", Always, &[reads(0, Text)]),
        call("creat64", Always, &[reads(0, Text)]),
        call("ctime_r", Other, &[reads(0, Bytes(8)), writes(1, Text)]),
        call("epoll_ctl", Always, &[reads(3, Bytes(12))]),
        call("epoll_pwait", Counted, &[writes(1, Returned(12)), reads(4, SIGNALS)]),
        call("epoll_wait", Counted, &[writes(1, Returned(12))]),
        call("erand48", Always, &[reads(0, XSUBI), writes(0, XSUBI)]),
        call("faccessat", Always, &[reads(1, Text)]),
        call("fchmodat", Always, &[reads(1, Text)]),
        call("fdopen", Always, &[reads(1, Text)]),
        call("fgetpos", Zero, &[writes(1, Bytes(16))]),
        call("fgetpos64", Zero, &[writes(1, Bytes(16))]),
        call("fopen", Always, &[reads(0, Text), reads(1, Text)]),
        call("fopen64", Always, &[reads(0, Text), reads(1, Text)]),
        call("freopen", Always, &[reads(0, Text), reads(1, Text)]),
        call("freopen64", Always, &[reads(0, Text), reads(1, Text)]),
        call("fsetpos", Always, &[reads(1, Bytes(16))]),
        call("fsetpos64", Always, &[reads(1, Bytes(16))]),
        call("fstat", Zero, &[writes(1, STAT)]),
        call("fstat64", Zero, &[writes(1, STAT)]),
        call("fstatat", Zero, &[reads(1, Text), writes(2, STAT)]),
        call("fstatat64", Zero, &[reads(1, Text), writes(2, STAT)]),
        call("fstatfs", Zero, &[writes(1, STATFS)]),
        call("futimens", Always, &[reads(1, Bytes(32))]),
        call("getcwd", Other, &[writes(0, Text)]),
        call("getentropy", Zero, &[writes(0, Argument(1))]),
        call("gethostname", Zero, &[writes(0, Argument(1))]),
        call("getpeername", Zero, &[reads(2, Bytes(4)), writes(1, At(2)), writes(2, Bytes(4))]),
        call("getrandom", Counted, &[writes(0, Returned(1))]),
        call("getrlimit", Zero, &[writes(1, Bytes(16))]),
        call("getrusage", Zero, &[writes(1, Bytes(144))]),
        call("getsockname", Zero, &[reads(2, Bytes(4)), writes(1, At(2)), writes(2, Bytes(4))]),
        call("getsockopt", Zero, &[reads(4, Bytes(4)), writes(3, At(4)), writes(4, Bytes(4))]),
        call("gettimeofday", Zero, &[writes(0, Bytes(16))]),
        call("gmtime_r", Other, &[reads(0, Bytes(8)), writes(1, TIME)]),
        call("jrand48", Always, &[reads(0, XSUBI), writes(0, XSUBI)]),
        call("link", Always, &[reads(0, Text), reads(1, Text)]),
        call("linkat", Always, &[reads(1, Text), reads(3, Text)]),
        call("localtime_r", Other, &[reads(0, Bytes(8)), writes(1, TIME)]),
        call("lstat", Zero, &[reads(0, Text), writes(1, STAT)]),
        call("lstat64", Zero, &[reads(0, Text), writes(1, STAT)]),
        call("mbsinit", Always, &[reads(0, Bytes(8))]),
        call("memfd_create", Always, &[reads(0, Text)]),
        call("mkdir", Always, &[reads(0, Text)]),
        call("mkdirat", Always, &[reads(1, Text)]),
        call("mkfifo", Always, &[reads(0, Text)]),
        call("mktime", Always, &[reads(0, TIME), writes(0, TIME)]),
        call("mtx_timedlock", Always, &[reads(1, MOMENT)]),
        call("nanosleep", Always, &[reads(0, MOMENT)]),
        call("nrand48", Always, &[reads(0, XSUBI), writes(0, XSUBI)]),
        call("open", Always, &[reads(0, Text)]),
        call("open64", Always, &[reads(0, Text)]),
        call("openat", Always, &[reads(1, Text)]),
        call("openat64", Always, &[reads(1, Text)]),
        call("opendir", Always, &[reads(0, Text)]),
        call("pipe", Zero, &[writes(0, Bytes(8))]),
        call("pipe2", Zero, &[writes(0, Bytes(8))]),
        call("posix_memalign", Always, &[writes(0, Bytes(8))]),
        call("pread", Counted, &[writes(1, Returned(1))]),
        call("pread64", Counted, &[writes(1, Returned(1))]),
        call("pthread_attr_destroy", Zero, &[writes(0, ATTRIBUTES)]),
        call("pthread_attr_getaffinity_np", Zero, &[reads(0, ATTRIBUTES), writes(2, Argument(1))]),
        call("pthread_attr_getdetachstate", Zero, &[reads(0, ATTRIBUTES), writes(1, Bytes(4))]),
        call("pthread_attr_getguardsize", Zero, &[reads(0, ATTRIBUTES), writes(1, Bytes(8))]),
        call("pthread_attr_getinheritsched", Zero, &[reads(0, ATTRIBUTES), writes(1, Bytes(4))]),
        call("pthread_attr_getschedparam", Zero, &[reads(0, ATTRIBUTES), writes(1, Bytes(4))]),
        call("pthread_attr_getschedpolicy", Zero, &[reads(0, ATTRIBUTES), writes(1, Bytes(4))]),
        call("pthread_attr_getscope", Zero, &[reads(0, ATTRIBUTES), writes(1, Bytes(4))]),
        call(
            "pthread_attr_getstack",
            Zero,
            &[reads(0, ATTRIBUTES), writes(1, Bytes(8)), writes(2, Bytes(8))],
        ),
        call("pthread_attr_getstacksize", Zero, &[reads(0, ATTRIBUTES), writes(1, Bytes(8))]),
        call("pthread_attr_init", Zero, &[writes(0, ATTRIBUTES)]),
        call("pthread_attr_setaffinity_np", Zero, &[writes(0, ATTRIBUTES), reads(2, Argument(1))]),
        call("pthread_attr_setdetachstate", Zero, &[writes(0, ATTRIBUTES)]),
        call("pthread_attr_setguardsize", Zero, &[writes(0, ATTRIBUTES)]),
        call("pthread_attr_setinheritsched", Zero, &[writes(0, ATTRIBUTES)]),
        call("pthread_attr_setschedparam", Zero, &[writes(0, ATTRIBUTES), reads(1, Bytes(4))]),
        call("pthread_attr_setschedpolicy", Zero, &[writes(0, ATTRIBUTES)]),
        call("pthread_attr_setscope", Zero, &[writes(0, ATTRIBUTES)]),
        call("pthread_attr_setstack", Zero, &[writes(0, ATTRIBUTES)]),
        call("pthread_attr_setstacksize", Zero, &[writes(0, ATTRIBUTES)]),
        call("pthread_barrier_init", Always, &[reads(1, Bytes(4))]),
        call("pthread_barrierattr_destroy", Zero, &[writes(0, Bytes(4))]),
        call("pthread_barrierattr_getpshared", Zero, &[reads(0, Bytes(4)), writes(1, Bytes(4))]),
        call("pthread_barrierattr_init", Zero, &[writes(0, Bytes(4))]),
        call("pthread_barrierattr_setpshared", Zero, &[writes(0, Bytes(4))]),
        call("pthread_clockjoin_np", Always, &[reads(3, MOMENT)]),
        call("pthread_cond_clockwait", Always, &[reads(3, MOMENT)]),
        call("pthread_cond_init", Always, &[reads(1, Bytes(4))]),
        call("pthread_cond_timedwait", Always, &[reads(2, MOMENT)]),
        call("pthread_condattr_destroy", Zero, &[writes(0, Bytes(4))]),
        call("pthread_condattr_getclock", Zero, &[reads(0, Bytes(4)), writes(1, Bytes(4))]),
        call("pthread_condattr_getpshared", Zero, &[reads(0, Bytes(4)), writes(1, Bytes(4))]),
        call("pthread_condattr_init", Zero, &[writes(0, Bytes(4))]),
        call("pthread_condattr_setclock", Zero, &[writes(0, Bytes(4))]),
        call("pthread_condattr_setpshared", Zero, &[writes(0, Bytes(4))]),
        call("pthread_create", Always, &[reads(1, Bytes(56)), writes(0, Bytes(8))]),
        call("pthread_getaffinity_np", Zero, &[writes(2, Argument(1))]),
        call("pthread_getattr_np", Zero, &[writes(1, Bytes(56))]),
        call("pthread_getcpuclockid", Zero, &[writes(1, Bytes(4))]),
        call("pthread_getname_np", Zero, &[writes(1, Text)]),
        call("pthread_getschedparam", Zero, &[writes(1, Bytes(4)), writes(2, Bytes(4))]),
        call("pthread_key_create", Zero, &[writes(0, Bytes(4))]),
        call("pthread_mutex_clocklock", Always, &[reads(2, MOMENT)]),
        call("pthread_mutex_init", Always, &[reads(1, Bytes(4))]),
        call("pthread_mutex_timedlock", Always, &[reads(1, MOMENT)]),
        call("pthread_mutexattr_destroy", Zero, &[writes(0, Bytes(4))]),
        call("pthread_mutexattr_getprotocol", Zero, &[reads(0, Bytes(4)), writes(1, Bytes(4))]),
        call("pthread_mutexattr_getpshared", Zero, &[reads(0, Bytes(4)), writes(1, Bytes(4))]),
        call("pthread_mutexattr_getrobust", Zero, &[reads(0, Bytes(4)), writes(1, Bytes(4))]),
        call("pthread_mutexattr_gettype", Zero, &[reads(0, Bytes(4)), writes(1, Bytes(4))]),
        call("pthread_mutexattr_init", Zero, &[writes(0, Bytes(4))]),
        call("pthread_mutexattr_setprotocol", Zero, &[writes(0, Bytes(4))]),
        call("pthread_mutexattr_setpshared", Zero, &[writes(0, Bytes(4))]),
        call("pthread_mutexattr_setrobust", Zero, &[writes(0, Bytes(4))]),
        call("pthread_mutexattr_settype", Zero, &[writes(0, Bytes(4))]),
        call("pthread_rwlock_clockrdlock", Always, &[reads(2, MOMENT)]),
        call("pthread_rwlock_clockwrlock", Always, &[reads(2, MOMENT)]),
        call("pthread_rwlock_init", Always, &[reads(1, Bytes(8))]),
        call("pthread_rwlock_timedrdlock", Always, &[reads(1, MOMENT)]),
        call("pthread_rwlock_timedwrlock", Always, &[reads(1, MOMENT)]),
        call("pthread_rwlockattr_destroy", Zero, &[writes(0, Bytes(8))]),
        call("pthread_rwlockattr_getkind_np", Zero, &[reads(0, Bytes(8)), writes(1, Bytes(4))]),
        call("pthread_rwlockattr_getpshared", Zero, &[reads(0, Bytes(8)), writes(1, Bytes(4))]),
        call("pthread_rwlockattr_init", Zero, &[writes(0, Bytes(8))]),
        call("pthread_rwlockattr_setkind_np", Zero, &[writes(0, Bytes(8))]),
        call("pthread_rwlockattr_setpshared", Zero, &[writes(0, Bytes(8))]),
        call("pthread_setaffinity_np", Always, &[reads(2, Argument(1))]),
        call("pthread_setcancelstate", Zero, &[writes(1, Bytes(4))]),
        call("pthread_setcanceltype", Zero, &[writes(1, Bytes(4))]),
        call("pthread_setname_np", Always, &[reads(1, Text)]),
        call("pthread_setschedparam", Always, &[reads(2, Bytes(4))]),
        call("pthread_sigmask", Zero, &[reads(1, SIGNALS), writes(2, SIGNALS)]),
        call("pthread_timedjoin_np", Always, &[reads(2, MOMENT)]),
        call("readlink", Counted, &[reads(0, Text), writes(1, Returned(1))]),
        call("readlinkat", Counted, &[reads(1, Text), writes(2, Returned(1))]),
        call("realpath", Other, &[reads(0, Text), writes(1, Text)]),
        call("remove", Always, &[reads(0, Text)]),
        call("rename", Always, &[reads(0, Text), reads(1, Text)]),
        call("renameat", Always, &[reads(1, Text), reads(3, Text)]),
        call("rmdir", Always, &[reads(0, Text)]),
        call("sched_getaffinity", Zero, &[writes(2, Argument(1))]),
        call("sched_getparam", Zero, &[writes(1, Bytes(4))]),
        call("sched_setaffinity", Always, &[reads(2, Argument(1))]),
        call("sched_setparam", Always, &[reads(1, Bytes(4))]),
        call("sched_setscheduler", Always, &[reads(2, Bytes(4))]),
        call("sem_clockwait", Always, &[reads(2, MOMENT)]),
        call("sem_getvalue", Always, &[writes(1, Bytes(4))]),
        call("sem_open", Always, &[reads(0, Text)]),
        call("sem_timedwait", Always, &[reads(1, MOMENT)]),
        call("sem_unlink", Always, &[reads(0, Text)]),
        call("sendto", Always, &[reads(4, Argument(5))]),
        call("sigaction", Zero, &[reads(1, ACTION), writes(2, ACTION)]),
        call("sigaddset", Zero, &[reads(0, SIGNALS), writes(0, SIGNALS)]),
        call("sigaltstack", Zero, &[reads(0, Bytes(24)), writes(1, Bytes(24))]),
        call("sigdelset", Zero, &[reads(0, SIGNALS), writes(0, SIGNALS)]),
        call("sigemptyset", Zero, &[writes(0, SIGNALS)]),
        call("sigfillset", Zero, &[writes(0, SIGNALS)]),
        call("sigismember", Always, &[reads(0, SIGNALS)]),
        call("signalfd", Always, &[reads(1, SIGNALS)]),
        call("sigpending", Zero, &[writes(0, SIGNALS)]),
        call("sigprocmask", Zero, &[reads(1, SIGNALS), writes(2, SIGNALS)]),
        call("socketpair", Zero, &[writes(3, Bytes(8))]),
        call("stat", Zero, &[reads(0, Text), writes(1, STAT)]),
        call("stat64", Zero, &[reads(0, Text), writes(1, STAT)]),
        call("statfs", Zero, &[reads(0, Text), writes(1, STATFS)]),
        call("statx", Zero, &[reads(1, Text), writes(4, Bytes(256))]),
        call("strftime", Other, &[writes(0, Text), reads(2, Text), reads(3, TIME)]),
        call("swab", Always, &[reads(0, Argument(2)), writes(1, Argument(2))]),
        call("symlink", Always, &[reads(0, Text), reads(1, Text)]),
        call("symlinkat", Always, &[reads(0, Text), reads(2, Text)]),
        call("sysinfo", Zero, &[writes(0, Bytes(112))]),
        call("thrd_create", Always, &[writes(0, Bytes(8))]),
        call("thrd_sleep", Always, &[reads(0, MOMENT)]),
        call("time", Counted, &[writes(0, Bytes(8))]),
        call("timegm", Always, &[reads(0, TIME), writes(0, TIME)]),
        call("timerfd_gettime", Zero, &[writes(1, Bytes(32))]),
        call("timerfd_settime", Zero, &[reads(2, Bytes(32)), writes(3, Bytes(32))]),
        call("times", Counted, &[writes(0, Bytes(32))]),
        call("timespec_get", Always, &[writes(0, MOMENT)]),
        call("timespec_getres", Always, &[writes(0, MOMENT)]),
        call("truncate", Always, &[reads(0, Text)]),
        call("truncate64", Always, &[reads(0, Text)]),
        call("tss_create", Zero, &[writes(0, Bytes(4))]),
        call("uname", Zero, &[writes(0, Bytes(390))]),
        call("unlink", Always, &[reads(0, Text)]),
        call("unlinkat", Always, &[reads(1, Text)]),
        call("utimensat", Always, &[reads(1, Text), reads(2, Bytes(32))]),
        call("wctrans", Always, &[reads(0, Text)]),
        call("wctype", Always, &[reads(0, Text)]),
    ]
};

/// Functions that tell by themselves what they do to memory, wherever they are called from.
pub const ITSELF: &str = "\
    __longjmp_chk __sigsetjmp _longjmp _setjmp free getopt getopt_long getopt_long_only longjmp realloc setjmp siglongjmp";

/// The same in programs without Rust's std: that calls them for itself, and nothing tells what orders its own accesses. In
/// Rust the guarantee names them.
pub const ITSELF_IN_C: &str = "\
    __poll_chk __ppoll_chk arc4random_buf eventfd_read fcntl fcntl64 getenv poll ppoll pthread_join pthread_tryjoin_np \
    putenv pwrite pwrite64 read readv recv send setenv syscall thrd_join unsetenv write";

/// The same of functions that work on streams without their locks, or lend a stream memory of the program's: they tell what they
/// do to the stream, and to what it was lent (`runtime/src/interpose/{stdio,lent}.rs`).
pub const OF_STREAMS: &str = "\
    __overflow __uflow clearerr_unlocked feof_unlocked ferror_unlocked fflush_unlocked fgetc_unlocked fmemopen \
    fgetwc_unlocked fputc_unlocked fputwc_unlocked getc_unlocked getchar_unlocked getwc_unlocked getwchar_unlocked \
    open_memstream open_wmemstream putc_unlocked putchar_unlocked putwc_unlocked putwchar_unlocked setbuf setbuffer \
    setlinebuf setvbuf";

/// Functions that touch memory and have no hooks, and that the runtime serves under another name, which is the one that
/// programs in C are linked with (`runtime/src/touches`). Some are looked at under their own as well.
pub const WRAPPED: &str = "\
    __isoc23_fwscanf __isoc23_swscanf __isoc23_vfwscanf __isoc23_vswscanf __isoc23_vwscanf __isoc23_wscanf \
    __fgetws_chk __fgetws_unlocked_chk __fwprintf_chk __isoc99_fwscanf __isoc99_swscanf __isoc99_vfwscanf \
    __isoc99_vswscanf __isoc99_vwscanf __isoc99_wscanf __swprintf_chk __vfwprintf_chk __vswprintf_chk __vwprintf_chk \
    __wprintf_chk fgetws fgetws_unlocked fputws fputws_unlocked fwprintf fwscanf swprintf swscanf vfwprintf vfwscanf \
    vswprintf vswscanf vwprintf vwscanf wprintf wscanf \
    __fgets_unlocked_chk __fread_unlocked_chk fgets_unlocked fputs_unlocked fread_unlocked fwrite_unlocked \
    __explicit_bzero_chk __mbrlen __mbsnrtowcs_chk __mbsrtowcs_chk __strtok_r __wcpcpy_chk __wcpncpy_chk __wcrtomb_chk \
    __wcsnrtombs_chk __wcsrtombs_chk __wctomb_chk __wmempcpy_chk __xpg_basename __xpg_strerror_r asctime ctime dirname \
    explicit_bzero getsubopt gmtime insque lfind localtime lsearch mblen mbrlen mbrtowc mbsnrtowcs mbsrtowcs \
    mbtowc memfrob memmem remque strcasestr strerror_r strptime strtoimax strtok strtold strtoq strtoumax \
    strtouq strverscmp wcpcpy wcpncpy wcrtomb wcscasecmp wcschrnul wcscoll wcscspn wcsdup wcsftime wcsncasecmp wcsnlen \
    wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstoll wcstoq \
    wcstoul wcstoull wcstoumax wcstouq wcswcs wcswidth wcsxfrm wctomb wmempcpy \
    __asprintf_chk __vasprintf_chk asprintf vasprintf \
    __mbstowcs_chk __wcscat_chk __wcscpy_chk __wcsncat_chk __wcsncpy_chk __wcstombs_chk __wmemcpy_chk \
    __wmemmove_chk __wmemset_chk basename mbstowcs memccpy memrchr rawmemchr strcoll strsep strxfrm wcscat \
    wcschr wcscmp wcscpy wcslen wcsncat wcsncmp wcsncpy wcstombs wmemchr wmemcmp wmemcpy wmemmove wmemset \
    __atomic_compare_exchange __atomic_exchange __atomic_exchange_16 __atomic_fetch_add_16 \
    __atomic_fetch_and_16 __atomic_fetch_nand_16 __atomic_fetch_or_16 __atomic_fetch_sub_16 \
    __atomic_fetch_xor_16 __atomic_load __atomic_store __dprintf_chk __fgets_chk __fprintf_chk __fread_chk \
    __getdelim __isoc23_fscanf __isoc23_scanf __isoc23_sscanf __isoc23_strtol __isoc23_strtoll \
    __isoc23_strtoul __isoc23_strtoull __isoc23_vfscanf __isoc23_vscanf __isoc23_vsscanf __isoc99_fscanf \
    __isoc99_scanf __isoc99_sscanf __isoc99_vfscanf __isoc99_vscanf __isoc99_vsscanf __memcpy_chk \
    __memmove_chk __mempcpy_chk __memset_chk __printf_chk __snprintf_chk __sprintf_chk __stpcpy_chk \
    __stpncpy_chk __strcat_chk __strcpy_chk __strncat_chk __strncpy_chk __vdprintf_chk __vfprintf_chk \
    __vprintf_chk __vsnprintf_chk __vsprintf_chk atof atoi atol atoll bcmp bcopy bzero dprintf fgets \
    fprintf fputs fread fscanf fwrite getdelim getline memchr memcmp memcpy memmove mempcpy memset perror \
    printf puts qsort qsort_r rand_r scanf snprintf sprintf sscanf stpcpy stpncpy strcasecmp strcat strchr \
    strchrnul strcmp strcpy strcspn strdup strlen strncasecmp strncat strncmp strncpy strndup strnlen \
    strpbrk strrchr strspn strstr strtod strtof strtok_r strtol strtoll strtoul strtoull vdprintf vfprintf \
    vfscanf vprintf vscanf vsnprintf vsprintf vsscanf \
    err error error_at_line errx fmtmsg psiginfo psignal verr verrx vwarn vwarnx warn warnx";

/// They, one by one.
pub fn wrapped() -> impl Iterator<Item = &'static str> {
    WRAPPED.split_ascii_whitespace()
}

/// Of those that are served, these do nothing to memory but to objects whose use is an operation of its own, to memory that
/// is libc's, and to what the caller cannot have shared.
pub const NOTHING: &str = "\
    __fsetlocking _flushlbf listen malloc_stats clearerr ferror fgetwc fputwc fwide getw getwc getwchar putw putwc putwchar ungetwc \
    _Exit __assert_fail __cxa_at_quick_exit __cxa_atexit __cxa_finalize __cxa_thread_atexit_impl __libc_start_main __pthread_register_cancel \
    __pthread_unregister_cancel __pthread_unwind_next __register_atfork _exit abort aligned_alloc arc4random \
    arc4random_uniform at_quick_exit call_once calloc clearenv clock close close_range closedir closefrom cnd_broadcast cnd_destroy cnd_init \
    cnd_signal cnd_wait drand48 dup dup2 dup3 epoll_create epoll_create1 eventfd eventfd_write exit fchdir fchmod fclose fdatasync \
    feof fflush fgetc flockfile fputc fseek fseeko fseeko64 fsync ftell ftello ftello64 ftruncate \
    ftruncate64 ftrylockfile funlockfile getc getchar getpid getppid gettid \
    inotify_init kill lrand48 lseek lseek64 malloc malloc_usable_size memalign mmap mmap64 mprotect \
    mrand48 mtx_destroy mtx_init mtx_lock mtx_trylock mtx_unlock munmap pthread_barrier_destroy \
    pthread_barrier_wait pthread_cond_broadcast pthread_cond_destroy pthread_cond_signal pthread_cond_wait \
    pthread_detach pthread_exit pthread_getspecific pthread_key_delete pthread_kill \
    pthread_mutex_consistent pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock \
    pthread_mutex_unlock pthread_once pthread_rwlock_destroy pthread_rwlock_rdlock \
    pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_rwlock_wrlock \
    pthread_setspecific pthread_spin_destroy pthread_spin_init pthread_spin_lock pthread_spin_trylock \
    pthread_spin_unlock putc putchar quick_exit raise rand random rewind rewinddir sched_getcpu sched_yield sem_close \
    sem_destroy sem_init sem_post sem_trywait sem_wait shutdown signal sleep socket srand srand48 srandom \
    tee thrd_detach thrd_exit thrd_yield timerfd_create tmpfile tmpfile64 tss_delete tss_get tss_set umask ungetc usleep";

/// Functions that no execution gets beyond: they are refused by name, so there is nothing that they could do.
pub const REFUSED: &str = "\
    _Fork __recv_chk __recvfrom_chk __xpg_sigpause aio_fsync aio_fsync64 aio_read aio_read64 \
    aio_suspend aio_write aio_write64 alarm brk clone daemon dlclose dlopen epoll_pwait2 fcloseall \
    execl execle execlp execv execve execveat execvp execvpe fexecve flock fork forkpty \
    getaddrinfo getaddrinfo_a gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2 gethostbyname2_r \
    gethostbyname_r getnameinfo getpass initstate killpg lcong48 lio_listio lockf lockf64 mq_notify \
    mq_receive mq_send mq_timedreceive mq_timedsend mremap msgrcv msgsnd on_exit pause popen posix_spawn \
    posix_spawnp preadv preadv2 pselect pthread_cancel pthread_mutex_setprioceiling pthread_sigqueue ptrace \
    recvfrom recvmmsg recvmsg sbrk seed48 select semop semtimedop sendfile sendmmsg setitimer \
    setegid seteuid setfsgid setfsuid setgid setgroups setregid setresgid setresuid setreuid setstate setuid \
    shmat sighold sigignore sigpause sigqueue sigrelse sigset sigsuspend sigtimedwait sigwait \
    sigwaitinfo splice system tgkill timer_create vfork wait wait3 wait4 waitid waitpid wordexp";

/// Of those that are served, these do something to memory that nobody tells: the guarantee names them.
pub const UNTOLD: &str = "\
    accept accept4 bind connect __gets_chk addmntent fgetgrent fgetgrent_r fgetpwent fgetpwent_r fgetsgent fgetsgent_r fgetspent fgetspent_r getmntent \
    getmntent_r gets malloc_info putgrent putpwent putsgent putspent \
    __getgroups_chk adjtimex getcontext getgroups getitimer getresgid getresuid ioctl makecontext mincore ntp_adjtime prctl prlimit \
    prlimit64 readdir readdir64 sched_rr_get_interval sendmsg setcontext setsockopt swapcontext vmsplice writev";

/// Functions that take locks of streams and are not served: the guarantee names them, since who waits for such a lock there, or
/// uses the stream without it meanwhile, is not seen.
const LOCKING: &str = "\
    __underflow __woverflow __wuflow __wunderflow argp_error argp_failure argp_help argp_parse argp_state_help argp_usage \
    fopencookie";

/// Is this one of those? (Headers of before glibc 2.28 have programs call stdio by such names.)
pub fn takes_locks_unseen(name: &str) -> bool {
    name.starts_with("_IO_") || is_in(LOCKING, name)
}

/// The function of this name, if it is one that is given memory.
pub fn told(name: &[u8]) -> Option<&'static Call> {
    TOLD.binary_search_by(|call| call.name.as_bytes().cmp(name)).ok().map(|at| &TOLD[at])
}

/// Does a call of this function, which the runtime serves by its own name, leave nothing untold in a program in C?
pub fn leaves_nothing_untold(name: &str) -> bool {
    leaves_nothing_untold_in_rust(name) || is_in(ITSELF_IN_C, name) || is_in(OF_STREAMS, name)
}

/// The same where a crate calls it.
pub fn leaves_nothing_untold_in_rust(name: &str) -> bool {
    [ITSELF, NOTHING, REFUSED].iter().any(|list| is_in(list, name))
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|other| other == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_their_names() {
        assert!(TOLD.is_sorted_by(|a, b| a.name < b.name));
        assert!(TOLD.iter().all(|call| told(call.name.as_bytes()) == Some(call)));
        assert_eq!(told(b"memcpy"), None);
    }

    #[test]
    fn what_only_the_result_tells_is_told_afterwards() {
        for call in TOLD {
            for touch in call.touches.iter().filter(|t| matches!(t.size, Size::Returned(_))) {
                assert!(touch.writes && call.tells_afterwards(), "{}", call.name);
            }
            // What a string's length will be nobody knows before it is written.
            let text = |t: &Touch| t.writes && t.size == Size::Text;
            assert!(call.tells_afterwards() || !call.touches.iter().any(text), "{}", call.name);
        }
    }
}
