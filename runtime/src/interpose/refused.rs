//! Functions that could block, or leave the controlled world, and are not modelled yet: never
//! entered silently. Each ends the execution with an error that names it.

use super::gate::{self, Registers};
use super::{modelled, site};
use crate::gates;
use crate::kernel::k;
use crate::kernel::point::end_execution;
use alloc::format;
use core::ffi::{c_char, c_void};
use raddle_schedule::Outcome;

/// Ends the execution because of this function.
pub fn refuse(name: &str) -> ! {
    let message = format!("`{name}` is not modelled yet: Raddle cannot control a program that calls it");
    end_execution(Outcome::Unsupported, 0, &message)
}

/// The same where it is not all of its calls that are refused.
pub fn refuse_with(name: &str, what: &str) -> ! {
    let message =
        format!("`{name}` {what} is not modelled: Raddle cannot control a program that calls it so");
    end_execution(Outcome::Unsupported, 0, &message)
}

extern "C" fn gate(name: *const c_char, registers: *const Registers) -> *mut c_void {
    if modelled() {
        // SAFETY: the gate's own record.
        unsafe { at(name, registers) };
    }
    gate::behind(gate::name(name))
}

/// Ends the execution because of the call that a gate has seen.
///
/// # Safety
/// Both are the gate's own.
pub unsafe fn at(name: *const c_char, registers: *const Registers) -> ! {
    // SAFETY: the caller vouches for it.
    k().end.site = site(unsafe { (*registers).caller });
    refuse(gate::name(name).to_str().unwrap_or("?"));
}

gates! { gate:
    pthread_cancel pthread_mutex_setprioceiling
    sigset sighold sigrelse sigignore sigqueue pthread_sigqueue killpg tgkill
    seed48 lcong48 initstate setstate
    fork vfork execve execv execvp execl execlp posix_spawn posix_spawnp system popen
    wait waitpid waitid pause sigwait sigwaitinfo sigtimedwait sigsuspend
    select pselect accept accept4 connect recv recvfrom recvmsg
    flock lockf msgrcv msgsnd semop semtimedop mq_receive mq_send mq_timedreceive mq_timedsend
    eventfd_read timer_create setitimer alarm dlopen dlclose
    mremap shmat sbrk brk
    epoll_pwait2 readv preadv preadv2 recvmmsg sendmmsg sendfile splice lockf64
    lio_listio aio_suspend getaddrinfo
}
