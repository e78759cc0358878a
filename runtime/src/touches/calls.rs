//! Functions that this library serves, or looks at on their way (`interpose`), by what the list of them says that they do
//! to memory (`raddle_schedule::calls`). Those whose result tells what they have written are called from here; meanwhile
//! the place of the program's call goes for what they do besides.

use super::{reads, real, replaced, whole, writes};
use crate::carrier::slot;
use crate::interpose::code_site;
use crate::interpose::gate::Registers;
use crate::kernel::{active, k};
use crate::model::misuse;
use crate::{access, calls, gates};
use core::ffi::{c_char, c_void};
use raddle_schedule::OpKind;
use raddle_schedule::calls::{Call, Done, Size, Touch, told};

/// The word that this touch goes by, as it is now: how much room there is before the call, how much there was to be
/// written behind it.
fn room(touch: &Touch, arguments: &[usize; 6]) -> usize {
    let Size::At(n) = touch.size else { return 0 };
    // SAFETY: the caller's own word, which the function reads too.
    unsafe { (arguments[usize::from(n)] as *const u32).as_ref() }.map_or(0, |word| *word as usize)
}

/// Bytes that this touch is of; those that only the result tells are none without one.
fn bytes(touch: &Touch, arguments: &[usize; 6], result: Option<usize>) -> usize {
    let at = |n: u8| arguments[usize::from(n)];
    match touch.size {
        Size::Bytes(n) => n,
        Size::Argument(n) => at(n),
        Size::At(_) => room(touch, arguments),
        Size::Returned(each) => result.map_or(0, |n| (n as u32 as usize).saturating_mul(each)),
        Size::Text => whole(at(touch.argument)),
    }
}

/// Tells of this call what it reads, or what it writes: with the result if it has one, and the room that it had.
fn tell(call: &Call, writing: bool, registers: &Registers, result: Option<(usize, usize)>) {
    let (arguments, caller) = (&registers.arguments, registers.caller);
    for touch in call.touches.iter().filter(|touch| touch.writes == writing) {
        let at = arguments[usize::from(touch.argument)];
        let len = if at == 0 { 0 } else { bytes(touch, arguments, result.map(|(result, _)| result)) };
        // What there was no room for was left out.
        let len = match (touch.size, result) {
            (Size::At(_), Some((_, room))) => len.min(room),
            _ => len,
        };
        match writing {
            // Where threads are created is a step anyway. A handle on the creator's own stack is not told of: nearly all are
            // there, for nobody else, and each would be a plain variable that threads share.
            true if matches!(call.name, "pthread_create" | "thrd_create") => {
                if !is_own_stack(at) {
                    access::along(OpKind::Write, at as u64, len as u64, caller);
                }
            }
            true => writes(at, len, caller),
            false => reads(at, len, caller),
        }
    }
}

/// Is it on the running thread's stack?
fn is_own_stack(at: usize) -> bool {
    slot::is_stack(at) && slot::of_address(at) == k().me().slot
}

/// The call of a function that is libc's or ours, if an execution is running.
fn known(name: *const c_char, is_ours: bool) -> Option<&'static Call> {
    told(replaced(name).to_bytes()).filter(|_| active() && is_ours)
}

extern "C" fn before(name: *const c_char, registers: *const Registers) -> *mut c_void {
    let (function, is_ours) = real(name);
    if let Some(call) = known(name, is_ours) {
        // SAFETY: the gate's own record.
        let registers = unsafe { &*registers };
        tell(call, false, registers, None);
        tell(call, true, registers, None);
    }
    function
}

type Six = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize;

extern "C" fn after(name: *const c_char, registers: *const Registers) -> usize {
    let (function, is_ours) = real(name);
    // SAFETY: the gate's own record.
    let registers = unsafe { &*registers };
    let call = known(name, is_ours);
    let mut had = 0;
    if let Some(call) = call {
        tell(call, false, registers, None);
        had = call.touches.iter().map(|touch| room(touch, &registers.arguments)).max().unwrap_or(0);
        for touch in call.touches.iter().filter(|touch| touch.writes) {
            let at = registers.arguments[usize::from(touch.argument)];
            misuse::look_at_buffer(OpKind::Write, at, 1, registers.caller);
        }
    }
    let [a, b, c, d, e, f] = registers.arguments;
    // SAFETY: libc's function of this name takes no more than these; passed on as they came.
    let function = unsafe { core::mem::transmute::<*mut c_void, Six>(function) };
    // SAFETY: as above.
    let result = standing_for(registers.caller, || unsafe { function(a, b, c, d, e, f) });
    let done = |call: &&Call| match call.done {
        Done::Always => true,
        Done::Zero => result as u32 == 0,
        Done::Other => result != 0,
        Done::Counted => result as i32 != -1,
    };
    if let Some(call) = call.filter(done) {
        tell(call, true, registers, Some((result, had)));
    }
    result
}

/// Calls a function for the program's call that returns to `caller`: what it does is done there.
pub(super) fn standing_for(caller: *const c_void, call: impl FnOnce() -> usize) -> usize {
    if !active() || k().me().site_hint != 0 {
        return call();
    }
    k().me().site_hint = code_site(caller as u64);
    let result = call();
    if active() {
        k().me().site_hint = 0;
    }
    result
}

gates! { before:
    __wrap___open64_2 __wrap___open_2 __wrap___openat64_2 __wrap___openat_2 __wrap_access __wrap_chdir
    __wrap_chmod __wrap_clock_nanosleep __wrap_cnd_timedwait __wrap_creat __wrap_creat64 __wrap_epoll_ctl
    __wrap_erand48 __wrap_faccessat __wrap_fchmodat __wrap_fdopen __wrap_fopen __wrap_fopen64 __wrap_freopen __wrap_freopen64 __wrap_fsetpos __wrap_fsetpos64 __wrap_futimens
    __wrap_jrand48 __wrap_link __wrap_linkat __wrap_mbsinit __wrap_memfd_create __wrap_mkdir __wrap_mkdirat __wrap_mkfifo
    __wrap_mktime __wrap_mtx_timedlock __wrap_nanosleep __wrap_nrand48 __wrap_open __wrap_open64 __wrap_openat
    __wrap_openat64 __wrap_opendir __wrap_posix_memalign __wrap_pthread_barrier_init __wrap_pthread_clockjoin_np
    __wrap_pthread_cond_clockwait __wrap_pthread_cond_init __wrap_pthread_cond_timedwait __wrap_pthread_create
    __wrap_pthread_mutex_clocklock __wrap_pthread_mutex_init __wrap_pthread_mutex_timedlock
    __wrap_pthread_rwlock_clockrdlock __wrap_pthread_rwlock_clockwrlock __wrap_pthread_rwlock_init
    __wrap_pthread_rwlock_timedrdlock __wrap_pthread_rwlock_timedwrlock __wrap_pthread_setaffinity_np
    __wrap_pthread_setname_np __wrap_pthread_setschedparam __wrap_pthread_timedjoin_np __wrap_remove
    __wrap_rename __wrap_renameat __wrap_rmdir __wrap_sched_setaffinity __wrap_sched_setparam
    __wrap_sched_setscheduler __wrap_sem_clockwait __wrap_sem_getvalue __wrap_sem_open __wrap_sem_timedwait
    __wrap_sem_unlink __wrap_sendto __wrap_sigismember __wrap_signalfd __wrap_swab __wrap_symlink
    __wrap_symlinkat __wrap_thrd_create __wrap_thrd_sleep __wrap_timegm __wrap_timespec_get __wrap_timespec_getres __wrap_truncate
    __wrap_truncate64 __wrap_unlink __wrap_unlinkat __wrap_utimensat __wrap_wctrans __wrap_wctype
}

calls! { after:
    __wrap___getcwd_chk __wrap___realpath_chk __wrap___gethostname_chk __wrap___pread64_chk __wrap___pread_chk __wrap___read_chk
    __wrap___readlink_chk __wrap___readlinkat_chk __wrap_asctime_r __wrap_clock_getres __wrap_clock_gettime
    __wrap_ctime_r __wrap_epoll_pwait __wrap_epoll_wait __wrap_fgetpos __wrap_fgetpos64 __wrap_fstat __wrap_fstat64
    __wrap_fstatat __wrap_fstatat64 __wrap_fstatfs __wrap_getcwd __wrap_getentropy __wrap_gethostname
    __wrap_getpeername __wrap_getrandom __wrap_getrlimit __wrap_getrusage __wrap_getsockname __wrap_getsockopt
    __wrap_gettimeofday __wrap_gmtime_r __wrap_localtime_r __wrap_lstat __wrap_lstat64 __wrap_pipe __wrap_pipe2
    __wrap_pread __wrap_pread64 __wrap_pthread_attr_destroy __wrap_pthread_attr_getaffinity_np
    __wrap_pthread_attr_getdetachstate __wrap_pthread_attr_getguardsize __wrap_pthread_attr_getinheritsched
    __wrap_pthread_attr_getschedparam __wrap_pthread_attr_getschedpolicy __wrap_pthread_attr_getscope
    __wrap_pthread_attr_getstack __wrap_pthread_attr_getstacksize __wrap_pthread_attr_init
    __wrap_pthread_attr_setaffinity_np __wrap_pthread_attr_setdetachstate __wrap_pthread_attr_setguardsize
    __wrap_pthread_attr_setinheritsched __wrap_pthread_attr_setschedparam __wrap_pthread_attr_setschedpolicy
    __wrap_pthread_attr_setscope __wrap_pthread_attr_setstack __wrap_pthread_attr_setstacksize
    __wrap_pthread_barrierattr_destroy __wrap_pthread_barrierattr_getpshared __wrap_pthread_barrierattr_init
    __wrap_pthread_barrierattr_setpshared __wrap_pthread_condattr_destroy __wrap_pthread_condattr_getclock
    __wrap_pthread_condattr_getpshared __wrap_pthread_condattr_init __wrap_pthread_condattr_setclock
    __wrap_pthread_condattr_setpshared __wrap_pthread_getaffinity_np __wrap_pthread_getattr_np
    __wrap_pthread_getcpuclockid __wrap_pthread_getname_np __wrap_pthread_getschedparam
    __wrap_pthread_key_create __wrap_pthread_mutexattr_destroy __wrap_pthread_mutexattr_getprotocol
    __wrap_pthread_mutexattr_getpshared __wrap_pthread_mutexattr_getrobust __wrap_pthread_mutexattr_gettype
    __wrap_pthread_mutexattr_init __wrap_pthread_mutexattr_setprotocol __wrap_pthread_mutexattr_setpshared
    __wrap_pthread_mutexattr_setrobust __wrap_pthread_mutexattr_settype __wrap_pthread_rwlockattr_destroy
    __wrap_pthread_rwlockattr_getkind_np __wrap_pthread_rwlockattr_getpshared __wrap_pthread_rwlockattr_init
    __wrap_pthread_rwlockattr_setkind_np __wrap_pthread_rwlockattr_setpshared __wrap_pthread_setcancelstate
    __wrap_pthread_setcanceltype __wrap_pthread_sigmask __wrap_readlink __wrap_readlinkat __wrap_realpath
    __wrap_sched_getaffinity __wrap_sched_getparam __wrap_sigaction __wrap_sigaddset __wrap_sigaltstack
    __wrap_sigdelset __wrap_sigemptyset __wrap_sigfillset __wrap_sigpending __wrap_sigprocmask __wrap_socketpair
    __wrap_stat __wrap_stat64 __wrap_statfs __wrap_statx __wrap_strftime __wrap_sysinfo __wrap_time __wrap_timerfd_gettime __wrap_timerfd_settime __wrap_times
    __wrap_tss_create __wrap_uname
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use raddle_schedule::calls::TOLD;

    /// A gate that tells beforehand cannot know a result, and the list says which functions are which.
    #[test]
    fn every_function_of_the_list_has_its_gate() {
        let (gates, calls) = include_str!("calls.rs").split_once("\ncalls! {").unwrap();
        let gates = gates.split_once("\ngates! {").unwrap().1;
        for call in TOLD {
            let part = if call.tells_afterwards() { calls } else { gates };
            let name = format!("__wrap_{}", call.name);
            assert!(part.split_ascii_whitespace().any(|word| word == name), "{name}");
        }
    }
}
