//! Functions that could block, or leave the controlled world, and are not modelled yet: never
//! entered silently. Each ends the execution with an error that names it.

// `_Fork` is named by POSIX.
#![allow(non_snake_case)]

use super::gate::{self, Registers};
use super::{modelled, site};
use crate::gates;
use crate::kernel::point::end_execution;
use crate::kernel::{controlled, k};
use alloc::format;
use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use raddle_schedule::{NO_ROOM, Outcome};

/// Of what starts processes, replaces this one or waits for others.
const PROCESSES: &str = "Raddle controls the threads of one process, and this has to do with others";
/// Of what may wait for another process, or for a thread by way of the system.
const WAITS: &str = "it may wait, for something that Raddle does not control";
/// Of what changes whom the process acts for: libc asks each of its threads to, by a signal, and waits for them.
const RIGHTS: &str = "it asks every thread of the process, and Raddle runs one at a time";
/// Of what threads could notice of each other by what lies between them.
const CHANGES: &str = "other threads can tell when it was done, and no order of that would be explored";
/// Of what hands work to threads of a library.
const TEAMS: &str = "the threads of OpenMP wait for each other in ways that Raddle does not control";
/// Of everything else.
const OTHERS: &str = "Raddle cannot control a program that calls it";

/// Ends the execution because of this function.
pub fn refuse(name: &str) -> ! {
    end(&format!("`{name}` is not modelled yet: {OTHERS}"))
}

/// The same where it is not all of its calls that are refused.
pub fn refuse_with(name: &str, what: &str) -> ! {
    end(&format!("`{name}` {what} is not modelled yet: Raddle cannot control a program that calls it so"))
}

/// The same of a call that would wait for somebody outside, and returns to `caller`.
pub fn refuse_waiting(name: &str, what: &str, caller: *const c_void) -> ! {
    k().end.site = called_at(caller);
    end(&format!("`{name}` {what} is not modelled yet: {WAITS}"))
}

/// The same of what would change a channel of the program's threads without being a step.
pub fn refuse_on_channel(name: &str, what: &str, caller: *const c_void) -> ! {
    k().end.site = called_at(caller);
    end(&format!("`{name}` {what} is not modelled yet: {CHANGES}"))
}

/// The same of a block of so many bytes, which the running thread's heap has no room for.
pub fn refuse_without_room(size: usize, caller: *const c_void) -> ! {
    k().end.site = called_at(caller);
    end(&format!("no room for a block of {size} bytes: {NO_ROOM}"))
}

/// Where the running thread does what a call that returns to `caller` is part of: in Rust that is std's own code, so there
/// it is the call of the innermost function with a marker.
pub fn called_at(caller: *const c_void) -> u32 {
    let call = k().me().frames.innermost_call();
    site(call.map_or(caller, |address| address as *const c_void))
}

/// Where the program has started a thread before its executions began, plus one; 0 if it has not.
static EARLY: AtomicU32 = AtomicU32::new(0);

/// A call of `pthread_create` that nothing controls yet, and that returns to `caller`.
pub fn starts_early(caller: *const c_void) {
    if controlled() && k().setup().channel.header().ready.load(Ordering::Acquire) == 0 {
        EARLY.store(super::code_site(caller as u64) + 1, Ordering::Release);
    }
}

/// Ends an execution that begins if a constructor has started a thread: it runs beside all executions, and what it does
/// is seen in none.
pub fn end_if_started_early() {
    if let Some(site) = EARLY.load(Ordering::Acquire).checked_sub(1) {
        k().end.site = site;
        refuse_with("pthread_create", "before `main` (by a constructor)");
    }
}

fn end(message: &str) -> ! {
    end_execution(Outcome::Unsupported, 0, message)
}

/// Ends the execution because of the call that a gate has seen.
///
/// # Safety
/// Both are the gate's own.
unsafe fn because(name: *const c_char, registers: *const Registers, why: &str) -> ! {
    // SAFETY: the caller vouches for it.
    k().end.site = called_at(unsafe { (*registers).caller });
    let name = gate::unchecked(gate::name(name).to_str().unwrap_or("?"));
    end(&format!("`{name}` is not modelled yet: {why}"))
}

/// Ends the execution because of a call that a gate has seen and that would wait.
///
/// # Safety
/// Both are the gate's own.
pub unsafe fn at(name: *const c_char, registers: *const Registers) -> ! {
    // SAFETY: the caller vouches for it.
    unsafe { because(name, registers, WAITS) }
}

/// A gate that lets nobody through.
macro_rules! closed {
    ($gate:ident: $why:expr) => {
        extern "C" fn $gate(name: *const c_char, registers: *const Registers) -> *mut c_void {
            if modelled() {
                // SAFETY: the gate's own record.
                unsafe { because(name, registers, $why) };
            }
            gate::behind(gate::name(name))
        }
    };
}

closed! { process: PROCESSES }
closed! { rights: RIGHTS }
closed! { waiting: WAITS }
closed! { teams: TEAMS }
closed! { other: OTHERS }

gates! { process:
    fork _Fork vfork clone daemon forkpty execv execve execvp execvpe execl execlp execle fexecve execveat
    posix_spawn posix_spawnp system popen wordexp ptrace
    wait wait3 wait4 waitpid waitid
}

gates! { rights:
    setuid setgid seteuid setegid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid
}

gates! { waiting:
    pause sigpause __xpg_sigpause sigwait sigwaitinfo sigtimedwait sigsuspend
    select pselect epoll_pwait2 recvfrom recvmsg recvmmsg sendmmsg __recv_chk
    __recvfrom_chk sendfile splice preadv preadv2
    flock lockf lockf64 msgrcv msgsnd semop semtimedop
    mq_receive mq_send mq_timedreceive mq_timedsend
    getaddrinfo getnameinfo gethostbyname gethostbyname2 gethostbyname_r gethostbyname2_r gethostbyaddr
    gethostbyaddr_r getpass
}

gates! { teams:
    GOMP_parallel GOMP_parallel_start GOMP_parallel_sections GOMP_parallel_reductions GOMP_parallel_loop_static
    GOMP_parallel_loop_dynamic GOMP_parallel_loop_guided GOMP_parallel_loop_runtime GOMP_parallel_loop_nonmonotonic_dynamic
    GOMP_parallel_loop_nonmonotonic_guided GOMP_parallel_loop_nonmonotonic_runtime
    GOMP_parallel_loop_maybe_nonmonotonic_runtime GOMP_teams_reg __kmpc_fork_call __kmpc_fork_teams
}

gates! { other:
    pthread_cancel pthread_mutex_setprioceiling
    sigset sighold sigrelse sigignore sigqueue pthread_sigqueue killpg tgkill
    seed48 lcong48 initstate setstate
    timer_create setitimer alarm dlopen dlclose
    mremap shmat sbrk brk
    aio_read aio_write aio_fsync aio_read64 aio_write64 aio_fsync64 lio_listio aio_suspend getaddrinfo_a
    mq_notify on_exit fcloseall
}
