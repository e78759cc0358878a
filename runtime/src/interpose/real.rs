//! libc's own functions behind the replaced symbols.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};

macro_rules! table {
    ($($name:ident / $symbol:literal : $ty:ty,)*) => {
        /// Every function the runtime passes on to.
        #[allow(missing_docs)]
        #[derive(Clone, Copy)]
        pub struct Real {
            $(pub $name: $ty,)*
            /// Distance of errno below the FS base.
            pub errno_below: usize,
        }

        /// Looks everything up.
        fn load() -> Real {
            // SAFETY: each symbol is a function of libc with the type given here; a missing one
            // ends the process below before it is used.
            unsafe {
                Real {
                    $($name: core::mem::transmute::<*mut c_void, $ty>(next($symbol)),)*
                    errno_below: crate::carrier::tls::current_fs() - libc::__errno_location() as usize,
                }
            }
        }
    };
}

type Pthread = libc::pthread_t;
type Mutex = *mut libc::pthread_mutex_t;
type Cond = *mut libc::pthread_cond_t;
type RwLock = *mut libc::pthread_rwlock_t;
type Barrier = *mut libc::pthread_barrier_t;
type Spin = *mut libc::pthread_spinlock_t;
type Sem = *mut libc::sem_t;
type Time = *const libc::timespec;

table! {
    pthread_create / c"pthread_create": unsafe extern "C" fn(*mut Pthread, *const libc::pthread_attr_t, extern "C" fn(*mut c_void) -> *mut c_void, *mut c_void) -> c_int,
    pthread_join / c"pthread_join": unsafe extern "C" fn(Pthread, *mut *mut c_void) -> c_int,
    pthread_detach / c"pthread_detach": unsafe extern "C" fn(Pthread) -> c_int,
    pthread_exit / c"pthread_exit": unsafe extern "C" fn(*mut c_void) -> !,
    pthread_getname_np / c"pthread_getname_np": unsafe extern "C" fn(Pthread, *mut c_char, usize) -> c_int,
    pthread_getattr_np / c"pthread_getattr_np": unsafe extern "C" fn(Pthread, *mut libc::pthread_attr_t) -> c_int,
    pthread_setname_np / c"pthread_setname_np": unsafe extern "C" fn(Pthread, *const c_char) -> c_int,
    pthread_mutex_init / c"pthread_mutex_init": unsafe extern "C" fn(Mutex, *const libc::pthread_mutexattr_t) -> c_int,
    pthread_mutex_destroy / c"pthread_mutex_destroy": unsafe extern "C" fn(Mutex) -> c_int,
    pthread_mutex_lock / c"pthread_mutex_lock": unsafe extern "C" fn(Mutex) -> c_int,
    pthread_mutex_trylock / c"pthread_mutex_trylock": unsafe extern "C" fn(Mutex) -> c_int,
    pthread_mutex_unlock / c"pthread_mutex_unlock": unsafe extern "C" fn(Mutex) -> c_int,
    pthread_mutex_timedlock / c"pthread_mutex_timedlock": unsafe extern "C" fn(Mutex, Time) -> c_int,
    pthread_mutex_consistent / c"pthread_mutex_consistent": unsafe extern "C" fn(Mutex) -> c_int,
    pthread_tryjoin_np / c"pthread_tryjoin_np": unsafe extern "C" fn(Pthread, *mut *mut c_void) -> c_int,
    pthread_timedjoin_np / c"pthread_timedjoin_np": unsafe extern "C" fn(Pthread, *mut *mut c_void, Time) -> c_int,
    pthread_clockjoin_np / c"pthread_clockjoin_np": unsafe extern "C" fn(Pthread, *mut *mut c_void, libc::clockid_t, Time) -> c_int,
    pthread_setcancelstate / c"pthread_setcancelstate": unsafe extern "C" fn(c_int, *mut c_int) -> c_int,
    pthread_setcanceltype / c"pthread_setcanceltype": unsafe extern "C" fn(c_int, *mut c_int) -> c_int,
    sem_clockwait / c"sem_clockwait": unsafe extern "C" fn(Sem, libc::clockid_t, Time) -> c_int,
    pthread_mutex_clocklock / c"pthread_mutex_clocklock": unsafe extern "C" fn(Mutex, libc::clockid_t, Time) -> c_int,
    pthread_rwlock_init / c"pthread_rwlock_init": unsafe extern "C" fn(RwLock, *const libc::pthread_rwlockattr_t) -> c_int,
    pthread_rwlock_destroy / c"pthread_rwlock_destroy": unsafe extern "C" fn(RwLock) -> c_int,
    pthread_rwlock_rdlock / c"pthread_rwlock_rdlock": unsafe extern "C" fn(RwLock) -> c_int,
    pthread_rwlock_wrlock / c"pthread_rwlock_wrlock": unsafe extern "C" fn(RwLock) -> c_int,
    pthread_rwlock_tryrdlock / c"pthread_rwlock_tryrdlock": unsafe extern "C" fn(RwLock) -> c_int,
    pthread_rwlock_trywrlock / c"pthread_rwlock_trywrlock": unsafe extern "C" fn(RwLock) -> c_int,
    pthread_rwlock_timedrdlock / c"pthread_rwlock_timedrdlock": unsafe extern "C" fn(RwLock, Time) -> c_int,
    pthread_rwlock_timedwrlock / c"pthread_rwlock_timedwrlock": unsafe extern "C" fn(RwLock, Time) -> c_int,
    pthread_rwlock_clockrdlock / c"pthread_rwlock_clockrdlock": unsafe extern "C" fn(RwLock, libc::clockid_t, Time) -> c_int,
    pthread_rwlock_clockwrlock / c"pthread_rwlock_clockwrlock": unsafe extern "C" fn(RwLock, libc::clockid_t, Time) -> c_int,
    pthread_rwlock_unlock / c"pthread_rwlock_unlock": unsafe extern "C" fn(RwLock) -> c_int,
    pthread_barrier_init / c"pthread_barrier_init": unsafe extern "C" fn(Barrier, *const libc::pthread_barrierattr_t, u32) -> c_int,
    pthread_barrier_destroy / c"pthread_barrier_destroy": unsafe extern "C" fn(Barrier) -> c_int,
    pthread_barrier_wait / c"pthread_barrier_wait": unsafe extern "C" fn(Barrier) -> c_int,
    pthread_spin_init / c"pthread_spin_init": unsafe extern "C" fn(Spin, c_int) -> c_int,
    pthread_spin_destroy / c"pthread_spin_destroy": unsafe extern "C" fn(Spin) -> c_int,
    pthread_spin_lock / c"pthread_spin_lock": unsafe extern "C" fn(Spin) -> c_int,
    pthread_spin_trylock / c"pthread_spin_trylock": unsafe extern "C" fn(Spin) -> c_int,
    pthread_spin_unlock / c"pthread_spin_unlock": unsafe extern "C" fn(Spin) -> c_int,
    pthread_cond_destroy / c"pthread_cond_destroy": unsafe extern "C" fn(Cond) -> c_int,
    pthread_cond_init / c"pthread_cond_init": unsafe extern "C" fn(Cond, *const libc::pthread_condattr_t) -> c_int,
    pthread_cond_wait / c"pthread_cond_wait": unsafe extern "C" fn(Cond, Mutex) -> c_int,
    pthread_cond_timedwait / c"pthread_cond_timedwait": unsafe extern "C" fn(Cond, Mutex, Time) -> c_int,
    pthread_cond_clockwait / c"pthread_cond_clockwait": unsafe extern "C" fn(Cond, Mutex, libc::clockid_t, Time) -> c_int,
    pthread_cond_signal / c"pthread_cond_signal": unsafe extern "C" fn(Cond) -> c_int,
    pthread_cond_broadcast / c"pthread_cond_broadcast": unsafe extern "C" fn(Cond) -> c_int,
    pthread_once / c"pthread_once": unsafe extern "C" fn(*mut c_int, extern "C" fn()) -> c_int,
    pthread_key_create / c"pthread_key_create": unsafe extern "C" fn(*mut libc::pthread_key_t, Option<unsafe extern "C" fn(*mut c_void)>) -> c_int,
    pthread_key_delete / c"pthread_key_delete": unsafe extern "C" fn(libc::pthread_key_t) -> c_int,
    pthread_setspecific / c"pthread_setspecific": unsafe extern "C" fn(libc::pthread_key_t, *const c_void) -> c_int,
    pthread_getspecific / c"pthread_getspecific": unsafe extern "C" fn(libc::pthread_key_t) -> *mut c_void,
    cxa_thread_atexit_impl / c"__cxa_thread_atexit_impl": unsafe extern "C" fn(unsafe extern "C" fn(*mut c_void), *mut c_void, *mut c_void) -> c_int,
    cxa_atexit / c"__cxa_atexit": unsafe extern "C" fn(unsafe extern "C" fn(*mut c_void), *mut c_void, *mut c_void) -> c_int,
    times / c"times": unsafe extern "C" fn(*mut libc::tms) -> libc::clock_t,
    getrusage / c"getrusage": unsafe extern "C" fn(c_int, *mut libc::rusage) -> c_int,
    sched_getcpu / c"sched_getcpu": unsafe extern "C" fn() -> c_int,
    sem_open / c"sem_open": unsafe extern "C" fn(*const c_char, c_int, ...) -> Sem,
    sem_close / c"sem_close": unsafe extern "C" fn(Sem) -> c_int,
    sem_unlink / c"sem_unlink": unsafe extern "C" fn(*const c_char) -> c_int,
    sem_destroy / c"sem_destroy": unsafe extern "C" fn(Sem) -> c_int,
    sem_init / c"sem_init": unsafe extern "C" fn(Sem, c_int, u32) -> c_int,
    sem_wait / c"sem_wait": unsafe extern "C" fn(Sem) -> c_int,
    sem_trywait / c"sem_trywait": unsafe extern "C" fn(Sem) -> c_int,
    sem_timedwait / c"sem_timedwait": unsafe extern "C" fn(Sem, Time) -> c_int,
    sem_post / c"sem_post": unsafe extern "C" fn(Sem) -> c_int,
    sem_getvalue / c"sem_getvalue": unsafe extern "C" fn(Sem, *mut c_int) -> c_int,
    sched_yield / c"sched_yield": unsafe extern "C" fn() -> c_int,
    nanosleep / c"nanosleep": unsafe extern "C" fn(Time, *mut libc::timespec) -> c_int,
    clock_nanosleep / c"clock_nanosleep": unsafe extern "C" fn(libc::clockid_t, c_int, Time, *mut libc::timespec) -> c_int,
    usleep / c"usleep": unsafe extern "C" fn(u32) -> c_int,
    sleep / c"sleep": unsafe extern "C" fn(u32) -> u32,
    clock_gettime / c"clock_gettime": unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int,
    gettimeofday / c"gettimeofday": unsafe extern "C" fn(*mut libc::timeval, *mut c_void) -> c_int,
    time / c"time": unsafe extern "C" fn(*mut libc::time_t) -> libc::time_t,
    clock / c"clock": unsafe extern "C" fn() -> libc::clock_t,
    getrandom / c"getrandom": unsafe extern "C" fn(*mut c_void, usize, u32) -> isize,
    rand / c"rand": unsafe extern "C" fn() -> c_int,
    srand / c"srand": unsafe extern "C" fn(u32),
    random / c"random": unsafe extern "C" fn() -> libc::c_long,
    srandom / c"srandom": unsafe extern "C" fn(u32),
    getpid / c"getpid": unsafe extern "C" fn() -> libc::pid_t,
    setenv / c"setenv": unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> c_int,
    putenv / c"putenv": unsafe extern "C" fn(*mut c_char) -> c_int,
    unsetenv / c"unsetenv": unsafe extern "C" fn(*const c_char) -> c_int,
    clearenv / c"clearenv": unsafe extern "C" fn() -> c_int,
    getenv / c"getenv": unsafe extern "C" fn(*const c_char) -> *mut c_char,
    getppid / c"getppid": unsafe extern "C" fn() -> libc::pid_t,
    gettid / c"gettid": unsafe extern "C" fn() -> libc::pid_t,
    drand48 / c"drand48": unsafe extern "C" fn() -> f64,
    lrand48 / c"lrand48": unsafe extern "C" fn() -> libc::c_long,
    mrand48 / c"mrand48": unsafe extern "C" fn() -> libc::c_long,
    srand48 / c"srand48": unsafe extern "C" fn(libc::c_long),
    getentropy / c"getentropy": unsafe extern "C" fn(*mut c_void, usize) -> c_int,
    kill / c"kill": unsafe extern "C" fn(libc::pid_t, c_int) -> c_int,
    raise / c"raise": unsafe extern "C" fn(c_int) -> c_int,
    pthread_kill / c"pthread_kill": unsafe extern "C" fn(Pthread, c_int) -> c_int,
    pthread_sigmask / c"pthread_sigmask": unsafe extern "C" fn(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int,
    sigprocmask / c"sigprocmask": unsafe extern "C" fn(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int,
    sigpending / c"sigpending": unsafe extern "C" fn(*mut libc::sigset_t) -> c_int,
    exit / c"exit": unsafe extern "C" fn(c_int) -> !,
    _exit / c"_exit": unsafe extern "C" fn(c_int) -> !,
    abort / c"abort": unsafe extern "C" fn() -> !,
    assert_fail / c"__assert_fail": unsafe extern "C" fn(*const c_char, *const c_char, u32, *const c_char) -> !,
    libc_start_main / c"__libc_start_main": unsafe extern "C" fn(crate::interpose::start::Main, c_int, *mut *mut c_char, *mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_int,
    sigaction / c"sigaction": unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int,
    flockfile / c"flockfile": unsafe extern "C" fn(*mut libc::FILE),
    ftrylockfile / c"ftrylockfile": unsafe extern "C" fn(*mut libc::FILE) -> c_int,
    funlockfile / c"funlockfile": unsafe extern "C" fn(*mut libc::FILE),
    read / c"read": unsafe extern "C" fn(c_int, *mut c_void, usize) -> isize,
    write / c"write": unsafe extern "C" fn(c_int, *const c_void, usize) -> isize,
    setjmp / c"setjmp": unsafe extern "C" fn(),
    plain_setjmp / c"_setjmp": unsafe extern "C" fn(),
    sigsetjmp / c"__sigsetjmp": unsafe extern "C" fn(),
    longjmp / c"longjmp": unsafe extern "C" fn(),
    plain_longjmp / c"_longjmp": unsafe extern "C" fn(),
    siglongjmp / c"siglongjmp": unsafe extern "C" fn(),
    longjmp_chk / c"__longjmp_chk": unsafe extern "C" fn(),
    fork / c"fork": unsafe extern "C" fn() -> libc::pid_t,
}

/// Looks a symbol up behind this library.
fn next(symbol: &CStr) -> *mut c_void {
    // SAFETY: a valid name.
    let at = unsafe { libc::dlsym(libc::RTLD_NEXT, symbol.as_ptr()) };
    if at.is_null() {
        crate::sys::complain("raddle: this libc lacks ");
        crate::sys::complain(symbol.to_str().unwrap_or("a symbol"));
        crate::sys::complain("\n");
        crate::sys::exit(71);
    }
    at
}

struct Cell(UnsafeCell<Option<Real>>);

// SAFETY: written by the first call, which happens in a constructor on the only thread.
unsafe impl Sync for Cell {}

static REAL: Cell = Cell(UnsafeCell::new(None));

/// libc's functions.
#[inline]
pub fn get() -> &'static Real {
    // SAFETY: see `Cell`.
    unsafe {
        if (*REAL.0.get()).is_none() {
            *REAL.0.get() = Some(load());
        }
        (*REAL.0.get()).as_ref().unwrap_unchecked()
    }
}
